"""Runs of a file with their models, and the scores of these: for validate, fit and a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from roofdsl.analysis.binding import refuse_unknown
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.models_of_runs import Named, Sorted, models_of_runs, of_library
from roofdsl.analysis.validation import Measure, Validation, validate
from roofdsl.cli.options import model_named, own_values
from roofdsl.diagnostic import raise_if_any
from roofdsl.importers.runs_csv import read_runs
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source

ONE_VALUE = "the runs were measured on one machine, with one value of it"


def model_of_runs(text: str) -> Named:
    """Read `MODEL`, or `KERNEL=MODEL`; raise a usage error or RoofError for what is neither."""
    kernel, equals, reference = text.partition("=")
    if not equals:
        return Named(model_named(text)[0], text)
    if not kernel.strip() or not reference.strip():
        raise click.UsageError(f"'--model {text}' is not of the form KERNEL=MODEL")
    return Named(model_named(reference.strip())[0], reference, kernel.strip())


def one_machine(machines: Sequence[MachineDefinition]) -> MachineDefinition:
    """Return the machine that runs were measured on; raise a usage error where it is not one."""
    if len(machines) == 1:
        return machines[0]
    what = "name one machine" if machines else "name the machine they were measured on"
    raise click.UsageError(f"{what}: --machine mine.roof")


def scores_of(
    runs: str,
    models: Sequence[Named],
    machine: MachineDefinition,
    values: Mapping[str, Source],
    measure: Measure | None = None,
    composing: Composing = "written",
) -> Validation:
    """Read the runs and score the models; raise RoofError for what does not fit."""
    found = runs_of_models(runs, models, values)
    return validate(runs, machine, found.asked, found.notes, measure, composing)


def runs_of_models(runs: str, models: Sequence[Named], values: Mapping[str, Source]) -> Sorted:
    """Read runs, each with its model, and with values of `-p` for what it does not say.

    Raises RoofError for what does not fit.
    """
    read, problems = read_runs(Path(runs), runs)
    raise_if_any(problems)
    assert read is not None  # else there are problems
    predicting: list[ModelDefinition] = []

    def fixed(model: ModelDefinition) -> dict[str, Argument]:
        predicting.append(model)
        arguments, problems = read_arguments(model, own_values(model, values))
        raise_if_any(problems)
        return arguments

    found = models_of_runs(read, models, of_library, fixed)
    refuse_unknown(values, predicting)
    return found
