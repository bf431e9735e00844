"""`roofdsl study`: sensitivity, scaling, and what happens in the end."""

from __future__ import annotations

from fractions import Fraction

import click

from roofdsl.analysis.asymptotic import asymptotics
from roofdsl.analysis.scaling import isoefficiency, strong_scaling
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.studied import AsymptoticAnswer, ScalingAnswer, SensitivityAnswer
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import machines_named, model_named, predicted, set_option

EXAMPLE = "roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121"


@click.command("study")
@click.argument("model", required=False)
@click.option("--sensitivity", "sensitive", is_flag=True, help="elasticities, ranked")
@click.option("--scaling", is_flag=True, help="speed-up and efficiency against one process")
@click.option("--asymptotic", is_flag=True, help="leading terms and the bound in the end")
@click.option("--for", "name", metavar="NAME", help="the processes, or what grows")
@click.option("--size", metavar="NAME", help="with --scaling: the problem size, kept efficient")
@click.option(
    "--efficiency", type=click.FloatRange(0, 1, min_open=True), default=0.5, show_default=True
)
@click.option("-m", "--machine", metavar="NAME", help="a machine")
@click.option("-p", "settings", multiple=True, metavar="NAME=VALUE", help="a parameter's value")
@set_option
@format_option("json")
def command(
    model: str | None,
    sensitive: bool,
    scaling: bool,
    asymptotic: bool,
    name: str | None,
    size: str | None,
    efficiency: float,
    machine: str | None,
    settings: tuple[str, ...],
    changes: tuple[str, ...],
    form: str,
) -> None:
    """Study how a prediction depends on its parameters and the machine's rates.

    \b
    Examples:
      roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121
      roofdsl study summa --scaling --for P --machine karst -p N=4096
      roofdsl study summa --scaling --for P --size N --efficiency 0.8 --machine karst -p N=4096
      roofdsl study summa --asymptotic --for N --machine karst -p P=121
      roofdsl study summa --asymptotic --for N --machine karst -p P=N^2
    """
    if model is None:
        raise click.UsageError(f"name a model, as in: {EXAMPLE}")
    if sum([sensitive, scaling, asymptotic]) != 1:
        raise click.UsageError(
            f"ask one of --sensitivity, --scaling and --asymptotic, as in: {EXAMPLE}"
        )
    if machine is None:
        raise click.UsageError(f"name a machine with --machine NAME, as in: {EXAMPLE}")
    definition = model_named(model)[0]
    target = machines_named((machine,), changes)[0]
    if sensitive:
        prediction = predicted(definition, target, settings, ())
        echo(SensitivityAnswer(sensitivity(prediction), prediction), form)
        return
    if name is None:
        raise click.UsageError("say with --for NAME which parameter grows")
    unknown = unknown_named(name, definition, target)
    if asymptotic:
        prediction = predicted(definition, target, settings, (name,))
        echo(AsymptoticAnswer(asymptotics(prediction, unknown), prediction), form)
        return
    prediction = predicted(definition, target, settings, (name,))
    found = strong_scaling(prediction, unknown)
    iso = None
    if size is not None:
        both = predicted(definition, target, settings, (name, size))
        counts = [point.processes for point in found.points[1:]]
        wanted = Fraction(str(efficiency))
        asked = unknown_named(size, definition, target)
        iso = isoefficiency(both, unknown, asked, wanted, counts)
    echo(ScalingAnswer(found, prediction, iso), form)
