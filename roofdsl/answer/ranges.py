"""A prediction at many points, one after another: a plan made once serves all that it can."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat

from roofdsl.allowance import computing, operations
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.rows import Rows
from roofdsl.diagnostic import raise_if_any
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
    whole: bool = True,
    row: int = 300,
) -> Iterator[Result]:
    """Yield the prediction at each point; the points differ in the parameters `swept`.

    Without its steps and its margin, which take most of the memory, unless it is to be `whole`.
    `row` is what it takes to show one, in operations.

    Precisions and truth values choose among rates and formulas, so each of them has a plan of its
    own; what a plan cannot compute is predicted anew. Raises RoofError at the first point that is
    not allowed, or has no value.
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
            result = next(found[key]) or _alone(model, machine, point, composing)
            yield result if whole else result.without_steps()


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
