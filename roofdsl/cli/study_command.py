"""`roofdsl study`: sensitivity, scaling, and what happens as a parameter grows."""

from __future__ import annotations

import click

from roofdsl.analysis.asymptotic import asymptotics
from roofdsl.analysis.open_machine import asked_on
from roofdsl.analysis.open_parameters import unknown_name
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.scaling import ScalingAnswer, scaled
from roofdsl.answer.studied import AsymptoticAnswer, SensitivityAnswer
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import Asked, asked_options, model_named, needed

EXAMPLE = "roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121"


@click.command("study")
@click.argument("model", required=False)
@click.option("--sensitivity", "sensitive", is_flag=True, help="elasticities, ranked")
@click.option("--partial", is_flag=True, help="with --sensitivity: each parameter changes alone")
@click.option(
    "--of", metavar="NAME", help="with --sensitivity: energy, power, cost  [default: time]"
)
@click.option("--scaling", is_flag=True, help="speed-up and efficiency against one process")
@click.option("--asymptotic", is_flag=True, help="leading terms and the bound in the end")
@click.option(
    "--for", "name", metavar="NAME", help="the processes, or what grows; the one open parameter"
)
@click.option("--strong", is_flag=True, help="with --scaling: the problem is the same for all")
@click.option("--size", metavar="NAME", help="with --scaling: the problem size, kept efficient")
@click.option("--efficiency", metavar="E", help="the one to keep: 0.8 or 80%  [default: 50%]")
@asked_options()
@format_option("json")
def command(
    model: str | None,
    sensitive: bool,
    partial: bool,
    of: str | None,
    scaling: bool,
    asymptotic: bool,
    name: str | None,
    strong: bool,
    size: str | None,
    efficiency: str | None,
    asked: Asked,
    form: str,
) -> None:
    """Study how a prediction depends on its parameters and the machine's rates.

    \b
    Examples:
      roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121
      roofdsl study summa --scaling --for P --machine karst -p N=4096
      roofdsl study summa --scaling --for P --size N --efficiency 80% --machine karst -p N=4096
      roofdsl study summa --asymptotic --for N --machine karst -p P=121
      roofdsl study summa --asymptotic --for N --machine karst -p P=N^2
    """
    model = needed(model, f"name a model, as in: {EXAMPLE}")
    if not (sensitive or scaling or asymptotic):
        sensitive, scaling = partial or bool(of), strong or bool(size or efficiency)
    if sum([sensitive, scaling, asymptotic]) != 1:
        raise click.UsageError(
            f"ask one of --sensitivity, --scaling and --asymptotic, as in: {EXAMPLE}"
        )
    needed(asked.names, f"name a machine with --machine NAME, as in: {EXAMPLE}")
    definition = model_named(model)[0]
    targets = asked.machines()
    if len(targets) > 1:
        raise click.UsageError("only one machine is studied at a time")
    subject = ModelOnMachine(definition, targets[0])
    if sensitive:
        given = subject.arguments(asked.values())
        of = of or "time"
        found = sensitivity(subject.model, subject.machine, given, partial=partial, of=of)
        echo(SensitivityAnswer(found, subject.at(given)), form)
        return
    values = asked.values()
    if scaling:
        answer = scaled(subject, values, name, strong=strong, size=size, efficiency=efficiency)
        echo(ScalingAnswer(*answer), form)
        return
    name = unknown_name(name, [definition], values)
    machine, unknown = asked_on(name, definition, targets[0], closed=True)
    prediction = ModelOnMachine(definition, machine).bound(values, unknown.free)
    echo(AsymptoticAnswer(asymptotics(prediction, unknown), prediction), form)
