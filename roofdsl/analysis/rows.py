"""A plan computed for many rows of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from typing import TypeAlias

from roofdsl.allowance import computing, operations
from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.algebras import Floats, PerPoint, Pointwise
from roofdsl.analysis.composition import Composed, Composing, composed
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.result import Result, result_at, result_of
from roofdsl.analysis.totals import Claim, Totals, totals
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import ONE, Number
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.jump import as_written
from roofdsl.numeric.scalar import evaluator_of_each

_OF_STEPS = 10
"""What a formula of a composition takes, in operations, with what is added up of it."""
_Kernel: TypeAlias = tuple[Composed[float], Totals[float]]


class Rows:
    """A plan computed for many rows of values."""

    def __init__(self, plan: Plan, composing: Composing = "written") -> None:
        self._plan = plan
        self._composing = composing
        each = 1 if plan.prediction.is_roofline else _OF_STEPS
        self._operations = each * len(plan.formulas)
        self._compute = evaluator_of_each(plan.formulas, plan.names)

    def results(self, rows: Sequence[Mapping[str, Number]]) -> Iterator[Result | None]:
        """Yield the prediction at each row of values of the plan's names.

        None where something has no value, or is not allowed: `predict` says what.
        """
        model = self._plan.prediction.model
        with computing(f"'{model.name}'", model.span):
            operations().spend(len(rows) * self._operations)
            computed = [self._numbers(values) for values in rows]
        known = [numbers for numbers in computed if numbers is not None]
        kernels = self._kernels(known) if self._plan.prediction.is_roofline else repeat(None)
        for values, numbers in zip(rows, computed, strict=True):
            yield None if numbers is None else self._result(values, numbers, next(kernels))

    def _numbers(self, values: Mapping[str, Number]) -> list[float] | None:
        """Return the values of the plan's formulas, None if one is lacking or not allowed."""
        plan = self._plan
        given = [_plain(values[name].value) for name in plan.names]
        if None in given:
            return None
        found = self._compute(*given)
        numbers = [value for value in found if not isinstance(value, EvaluationError)]
        first, last = len(plan.amounts), len(plan.amounts) + len(plan.settings)
        if len(numbers) < len(found) or not all(numbers[last:]):
            return None
        if min(numbers[:first], default=0) < 0 and any(
            value < 0 and not signed for value, signed in zip(numbers, plan.signed, strict=False)
        ):
            return None
        return numbers

    def _kernels(self, rows: Sequence[Sequence[float]]) -> Iterator[_Kernel | None]:
        """Yield a lone kernel and its totals at each row, of one fold for all rows.

        None where floats are too close to tell what binds.
        """
        root, rates = self._plan.prediction.root, self._plan.prediction.rate_values
        amounts = dict(zip(self._plan.amounts, zip(*rows, strict=True), strict=False))
        pointwise = Pointwise(amounts, rates, len(rows))
        try:
            parts = composed(root, pointwise, self._composing)
            together = totals(root, parts, pointwise)
        except (ArithmeticError, ValueError):
            yield from repeat(None)
            return
        floats, start = Floats({}, rates), root.start
        for place in range(len(rows)):
            kernel = _kernel_at(parts, place, floats)
            if start is not None:  # what else is charged must be told, too
                floats.ties({n: t for n, t in kernel.busy.items() if n != start.name})
            yield None if floats.close else (kernel, _totals_at(together, place))
            floats.close = False

    def _result(
        self, values: Mapping[str, Number], numbers: Sequence[float], kernel: _Kernel | None
    ) -> Result | None:
        plan, composing = self._plan, self._composing
        amounts = {ONE: 1.0, **dict(zip(plan.amounts, numbers, strict=False))}
        settings = dict(zip(plan.settings, numbers[len(plan.amounts) :], strict=False))
        try:
            if kernel is None:
                return result_at(plan.prediction, amounts, settings, composing, values)
            return result_of(plan.prediction, *kernel, amounts, settings, composing, values)
        except (ArithmeticError, RoofError):
            return None


def _kernel_at(parts: Composed[PerPoint], place: int, floats: Floats) -> Composed[float]:
    """Return a kernel at one of many points."""
    rivals = _at(parts.rivals, place)
    return Composed(
        parts.name,
        parts.arrangement,
        parts.count[place],
        parts.time[place],
        _at(parts.work, place),
        rivals if parts.rivals is parts.busy else _at(parts.busy, place),
        {name: spent for name, spent in _at(parts.charged, place).items() if spent},
        model=parts.model,
        rivals=rivals,
        tallies=_at(parts.tallies, place),
        counted=_at(parts.counted, place),
        peaks=None if parts.peaks is None else _at(parts.peaks, place),
        ties=floats.ties(rivals),
    )


def _totals_at(together: Totals[PerPoint], place: int) -> Totals[float]:
    claims = [
        Claim(stated, total[place], processes[place], work[place])
        for stated, total, processes, work in together.claims
    ]
    return Totals(_at(together.work, place), tuple(claims))


def _at(table: ByName[PerPoint], place: int) -> ByName[float]:
    return {name: each[place] for name, each in table.items()}


def _plain(value: Fraction) -> float | None:
    """Return a number for the evaluator, None if it could take it for another one at a jump."""
    if value.denominator == 1:
        return value.numerator
    return float(value) if as_written(float(value)) == value else None
