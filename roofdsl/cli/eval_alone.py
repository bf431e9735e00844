"""`roofdsl eval` without a machine: what needs none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import click

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.analysis.without_machine import (
    named_without_machine,
    needs_machine,
    unlimited,
    without_defaults_of_machines,
)
from roofdsl.answer.left_out import check_left_out
from roofdsl.answer.parameter_names import parameter_columns
from roofdsl.answer.ranges import placed_at, rows_at
from roofdsl.answer.rows import RowsAnswer
from roofdsl.answer.work import WorkAnswer, WorkFormulas, work_notes
from roofdsl.cli.options import Points
from roofdsl.cli.row_options import RowsAsked
from roofdsl.expression.tree import Expression
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source

_ADD = "name one: --machine karst"


def answer_alone(
    definition: ModelDefinition, values: Mapping[str, Source], asked: RowsAsked, form: str
) -> RowsAnswer | WorkAnswer | WorkFormulas:
    """Return what a model comes to on whatever machine, in numbers, formulas or rows.

    Raises a usage error for what is asked that needs a machine.
    """
    for name in asked.wanted.names:
        if name == "machine" or needs_machine(definition, name):
            raise click.UsageError(f"'{name}' needs a machine; {_ADD}")
    model, machine = without_defaults_of_machines(definition), unlimited(definition)
    points = Points(model, values)
    placed = _placed(model, machine, points)
    prediction = placed[0]
    several = bool(points.swept or asked.wanted.names or form == "csv")
    if prediction.free:
        if several or asked.skip_invalid:
            free = ", ".join(parameter.name for parameter in prediction.free)
            raise click.UsageError(f"rows need a value for every parameter; give {free} too")
        return WorkFormulas(prediction)
    sections = [section for each in placed for section in named_without_machine(each).values()]
    names = [*dict.fromkeys(name for section in sections for name in section)]
    if several and not (names or asked.wanted.columns):
        raise click.UsageError(f"rows of '{model.name}' need a machine; {_ADD}")
    if form == "csv":  # a row stands by itself
        names = [*parameter_columns(model).values(), *names]
    wanted = asked.wanted._replace(columns=asked.wanted.columns or tuple(names))
    found = rows_at(model, [machine], points, points.swept, wanted)
    check_left_out(found.left_out, found.asked, skip=asked.skip_invalid)
    rows = [row._replace(result=_of_work(row.result, model)) for row in found.rows]
    if not several:
        return WorkAnswer(found.predictions[0], rows[0])
    found = found._replace(rows=rows)
    return RowsAnswer.of(found, wanted, points.swept, points.tied, more=[*work_notes(model)])


def _of_work(result: Result, model: ModelDefinition) -> Result:
    """Return a result without what is said of its machine, which is none."""
    why = {name: x for name, x in result.unanswered.items() if not needs_machine(model, name)}
    return replace(result, notes=(), unanswered=why)


def _placed(model: ModelDefinition, machine: MachineDefinition, points: Points) -> list[Prediction]:
    """Return a prediction for each precision that is asked for: these decide what work there is.

    It is the first one that is not refused, as one that is does not have all its work.
    """
    formats = [each.name for each in model.parameters if each.kind == "precision"]
    found: dict[tuple[Expression | None, ...], Prediction] = {}
    for point in points:
        key = tuple(point[name][0] if name in point else None for name in formats)
        if key not in found or not found[key].loads:
            found[key] = placed_at(model, machine, point)
    return [*found.values()]
