"""`roofdsl study`: sensitivity, scaling, and what happens as a parameter grows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from roofdsl.analysis.asymptotic import asymptotics
from roofdsl.analysis.open_machine import asked_on
from roofdsl.analysis.open_parameters import unknown_name
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.scaling import ScalingAnswer, scaled
from roofdsl.answer.studied import AsymptoticAnswer, SensitivityAnswer
from roofdsl.cli.call import Call
from roofdsl.cli.combinations import Combination, answered, combinations
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import Asked, asked_options, model_named, needed
from roofdsl.cli.row_options import skip_option
from roofdsl.model.types import ModelDefinition

EXAMPLE = "roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121"


@click.command("study", cls=Call)
@click.argument("model", required=False)
@click.option("--sensitivity", "sensitive", is_flag=True, help="elasticities, ranked")
@click.option(
    "--partial", "alone", is_flag=True, help="with --sensitivity: each parameter changes alone"
)
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
@skip_option
@format_option("json")
def command(
    model: str | None,
    sensitive: bool,
    alone: bool,
    of: str | None,
    scaling: bool,
    asymptotic: bool,
    name: str | None,
    strong: bool,
    size: str | None,
    efficiency: str | None,
    asked: Asked,
    skip_invalid: bool,
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
        sensitive, scaling = alone or bool(of), strong or bool(size or efficiency)
    if sum([sensitive, scaling, asymptotic]) != 1:
        raise click.UsageError(
            f"ask one of --sensitivity, --scaling and --asymptotic, as in: {EXAMPLE}"
        )
    needed(asked.names, f"name a machine with --machine NAME, as in: {EXAMPLE}")
    definition, values = model_named(model)[0], asked.values()
    ask: Callable[
        [ModelDefinition, Combination], SensitivityAnswer | ScalingAnswer | AsymptoticAnswer
    ]
    if sensitive:
        ask = partial(_sensitivity, alone=alone, of=of or "time")
    elif scaling:
        ask = partial(_scaling, name=name, strong=strong, size=size, efficiency=efficiency)
    else:
        ask = partial(_asymptotics, name=unknown_name(name, [definition], values))
    found = combinations(asked)
    echo(answered(found, lambda at: [ask(definition, at)], skip=skip_invalid), form)


def _sensitivity(
    model: ModelDefinition, at: Combination, *, alone: bool, of: str
) -> SensitivityAnswer:
    subject, given = ModelOnMachine(model, at.machines[0]).with_arguments(at.values)
    found = sensitivity(subject.model, subject.machine, given, partial=alone, of=of)
    return SensitivityAnswer(found, subject.at(given))


def _scaling(
    model: ModelDefinition,
    at: Combination,
    *,
    name: str | None,
    strong: bool,
    size: str | None,
    efficiency: str | None,
) -> ScalingAnswer:
    subject = ModelOnMachine(model, at.machines[0])
    answer = scaled(subject, at.values, name, strong=strong, size=size, efficiency=efficiency)
    return ScalingAnswer(*answer)


def _asymptotics(model: ModelDefinition, at: Combination, *, name: str) -> AsymptoticAnswer:
    machine, unknown = asked_on(name, model, at.machines[0], closed=True)
    prediction = ModelOnMachine(model, machine).bound(at.values, unknown.free)
    return AsymptoticAnswer(asymptotics(prediction, unknown), prediction)
