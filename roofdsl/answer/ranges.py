"""A prediction at many points, one after another: a plan made once serves all that it can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import NamedTuple

from roofdsl.allowance import computing, operations
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.rows import Rows
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.columns import Row, row_of
from roofdsl.answer.left_out import LeftOut, Refused, is_refusal, left_out_at
from roofdsl.answer.wanted import NOTHING_WANTED, Wanted
from roofdsl.codes import REFUSALS
from roofdsl.diagnostic import RoofError, raise_if_any
from roofdsl.expression.tree import Number
from roofdsl.model.types import MachineDefinition, ModelDefinition

_BLOCK = 1000
"""So many points are computed together."""


def results_at(
    model: ModelDefinition,
    machine: MachineDefinition,
    points: Iterable[Arguments],
    swept: Sequence[str],
    composing: Composing = "written",
    *,
    row: int = 300,
    refused: Refused | None = None,
) -> Iterator[Result]:
    """Yield the prediction at each point; the points differ in the parameters `swept`.

    `row` is what it takes to show one, in operations. `refused` is given each point that is not
    allowed, or has no value, and why; without it the first of them ends all.

    Precisions and truth values choose among rates and formulas, so each of them has a plan of its
    own; what a plan cannot compute is predicted anew. Raises RoofError at the first point that is
    refused, unless these are taken; and for what is wrong at all points.
    """
    named = {parameter.name: parameter for parameter in model.parameters}
    plain = [name for name in swept if named[name].is_number]
    plans: dict[object, Rows | None] = {}
    waiting = iter(points)
    while block := [*islice(waiting, _BLOCK)]:
        with computing(f"'{model.name}'", model.span):
            operations().spend(len(block) * row)
        rows: dict[object, list[dict[str, Number]]] = {}
        keys = []
        for point in block:
            numbers = {name: tree for name in plain if isinstance(tree := point[name][0], Number)}
            key = tuple([(name, point[name][0]) for name in swept if name not in numbers])
            if key not in plans:
                fixed = {name: given for name, given in point.items() if name not in numbers}
                plans[key] = _rows(model, machine, fixed, frozenset(numbers), composing)
            rows.setdefault(key, []).append(numbers)
            keys.append(key)
        found = {
            key: repeat(None) if (plan := plans[key]) is None else plan.results(each)
            for key, each in rows.items()
        }
        for point, key in zip(block, keys, strict=True):
            result = next(found[key])
            if result is None:
                try:
                    result = _alone(model, machine, point, composing)
                except RoofError as error:
                    if refused is None or not is_refusal(error):
                        raise
                    refused(point, error)
                    continue
            yield result


def placed_at(model: ModelDefinition, machine: MachineDefinition, point: Arguments) -> Prediction:
    """Return a prediction at a point that may be refused, to see what is open in it.

    Raises RoofError for what is wrong whatever the values are.
    """
    prediction, problems = predict(model, machine, point)
    if any(each.code not in REFUSALS for each in problems):
        raise RoofError(problems)
    return prediction


class RowsAt(NamedTuple):
    """The rows of a model on machines, and what was refused.

    `predictions` are of the model on each machine that has a row, at its first one.
    """

    rows: list[Row]
    predictions: list[Prediction]
    left_out: list[LeftOut]

    @property
    def asked(self) -> int:
        """How many combinations were asked for."""
        return len(self.rows) + len(self.left_out)


def rows_at(
    model: ModelDefinition,
    machines: Iterable[MachineDefinition],
    points: Iterable[Arguments],
    swept: Sequence[str],
    wanted: Wanted = NOTHING_WANTED,
    composing: Composing = "written",
    *,
    whole: bool = False,
    row: int = 300,
) -> RowsAt:
    """Return a row for each machine and point, without its steps unless it is to be `whole`.

    See `results_at`, which all refusals are taken from.
    """
    found = RowsAt([], [], [])
    for machine in machines:
        left_out: list[LeftOut] = []

        def refused(
            point: Arguments,
            error: RoofError,
            machine: MachineDefinition = machine,
            left_out: list[LeftOut] = left_out,
        ) -> None:
            left_out.append(left_out_at(machine, point, swept, error))

        results = results_at(model, machine, points, swept, composing, row=row, refused=refused)
        for place, result in enumerate(results):
            if place == 0:  # those refused so far come before it
                first = next(islice(points, len(left_out), None))
                found.predictions.append(ModelOnMachine(model, machine).at(first))
            found.rows.append(row_of(result, wanted, whole=whole))
        found.left_out.extend(left_out)
    return found


def _rows(
    model: ModelDefinition,
    machine: MachineDefinition,
    fixed: Arguments,
    free: frozenset[str],
    composing: Composing,
) -> Rows | None:
    """Return a plan for what is open, None where each point has to be predicted by itself."""
    prediction, problems = predict(model, machine, fixed, free)
    # Between what a measured time lies, a point says.
    alone = problems or prediction.unmeasured or prediction.tabled
    return None if alone else Rows(Plan(prediction), composing)


def _alone(
    model: ModelDefinition, machine: MachineDefinition, point: Arguments, composing: Composing
) -> Result:
    prediction, problems = predict(model, machine, point)
    raise_if_any(problems)
    return evaluated(prediction, composing)
