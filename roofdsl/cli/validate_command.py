"""`roofdsl validate`: how far off models are from runs that were measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.binding import refuse_unknown
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.models_of_runs import Named, Sorted, models_of_runs
from roofdsl.analysis.validation import Measure, Validation, validate
from roofdsl.answer.validated import ValidationAnswer
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import Asked, asked_options, model_named, own_values
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.library import is_path
from roofdsl.model.types import ModelDefinition
from roofdsl.units.quantity import show_percent

if TYPE_CHECKING:
    from roofdsl.source import Source


@click.command("validate", cls=Call)
@click.argument("runs")
@click.option(
    "--model", "models", multiple=True, metavar="[KERNEL=]MODEL", help="a model; may be repeated"
)
@asked_options("a parameter that the file does not say")
@click.option(
    "--compose",
    type=click.Choice(["written", "max", "sum"]),
    default="written",
    help="overlap as the model says, everything, or nothing",
)
@click.option(
    "--quantity",
    type=click.Choice(["performance", "time"]),
    help="what is compared; by default performance where there are flops",
)
@click.option(
    "--max-mape",
    type=click.FloatRange(min=0),
    metavar="PERCENT",
    help="exit 1 where the MAPE of a kernel is above it",
)
@format_option("json", "yaml", "csv")
def command(
    runs: str,
    models: tuple[str, ...],
    asked: Asked,
    compose: Composing,
    quantity: Measure | None,
    max_mape: float | None,
    form: str,
) -> None:
    """Score models against RUNS, a CSV file of what was measured, on a machine.

    The columns are kernel, the parameters of its model, and time [s]. Each run is predicted twice:
    by the original Roofline, without the network, and as the model says. The kernel names a model
    of the library, or one of --model; a run with flops and memory columns and no parameter is
    predicted by its own work.

    \b
    Examples:
      roofdsl validate runs.csv --machine mine.roof
      roofdsl validate runs.csv --model summa --model dgemv -m karst --quantity time
      roofdsl validate runs.csv --model gemm=mine.roof:blocked -m karst -p dtype=fp32
      roofdsl validate runs.csv --model summa -m karst --max-mape 25
    """
    asked.refuse_several("the runs have one machine and one value of it")
    found = validation(runs, models, asked, quantity, compose)
    echo(ValidationAnswer(found), form)
    if max_mape is not None:
        raise_if_any(
            Diagnostic("R1505", f"the {which} MAPE of {score.name} is {off}, above {most}")
            for score, which, mape in found.beyond(max_mape)
            for off, most in [(show_percent(mape / 100), show_percent(max_mape / 100))]
        )


def validation(
    runs: str,
    models: Sequence[str],
    asked: Asked,
    measure: Measure | None = None,
    composing: Composing = "written",
) -> Validation:
    """Read the runs and score them; raise RoofError for what does not fit."""
    if len(asked.names) != 1:
        what = "name the machine they were measured on" if not asked.names else "name one machine"
        raise click.UsageError(f"{what}: --machine mine.roof")
    named = [model_of_runs(text) for text in models]
    machine = asked.machines()[0]
    found = runs_of_models(runs, named, asked.values())
    return validate(runs, machine, found.asked, found.notes, measure, composing)


def runs_of_models(runs: str, named: Sequence[Named], values: dict[str, Source]) -> Sorted:
    """Read runs, each with its model and with values of `-p`; raise RoofError for what is wrong."""
    read, problems = read_runs(Path(runs), runs)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    predicting: list[ModelDefinition] = []

    def fixed(model: ModelDefinition) -> dict[str, Argument]:
        predicting.append(model)
        return _fixed(model, values)

    found = models_of_runs(read, named, _bundled, fixed)
    refuse_unknown(values, predicting)
    return found


def model_of_runs(text: str) -> Named:
    """Read `MODEL`, or `KERNEL=MODEL`."""
    kernel, equals, reference = text.partition("=")
    if not equals:
        return Named(model_named(text)[0], text)
    if not kernel.strip() or not reference.strip():
        raise click.UsageError(f"'--model {text}' is not of the form KERNEL=MODEL")
    return Named(model_named(reference.strip())[0], reference, kernel.strip())


def _fixed(model: ModelDefinition, values: dict[str, Source]) -> dict[str, Argument]:
    arguments, problems = read_arguments(model, own_values(model, values))
    raise_if_any(problems)
    return arguments


def _bundled(kernel: str) -> ModelDefinition | None:
    """Find a model of the library; a file is read where a person named it alone."""
    if is_path(kernel):
        return None
    try:
        return model_named(kernel)[0]
    except RoofError:
        return None
