"""The law of composition over arrays of boxes of a plane, and what is the largest in each box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.numeric.array_program import Array, Truths
from roofdsl.numeric.plane_bounds import (
    ZERO,
    PlaneBounds,
    add,
    divide,
    hull,
    largest,
    may_be_largest,
    multiply,
)
from roofdsl.numeric.plane_program import Boxes

Table: TypeAlias = dict[str, PlaneBounds]
# Of more than these each pair is compared by values alone.
_FEW = 6
# Covers the roundings of logarithms, and of what is added up of slopes.
_SLACK = 2.0**-40


class OverBoxes:
    """Arithmetic on what formulas do over boxes.

    `values` are those of the formulas that a model states, by their ids; `rates` by their names.
    """

    zero = ZERO

    def __init__(
        self, boxes: Boxes, values: Mapping[int, PlaneBounds], rates: Mapping[str, PlaneBounds]
    ) -> None:
        self.reach = reach(boxes)
        self.values = values
        self.rates = rates

    def of(self, tree: Expression) -> PlaneBounds:
        return self.values[id(tree)]

    def rate(self, symbol: Symbol) -> PlaneBounds:
        return self.rates[symbol.name]

    def add(self, values: Sequence[PlaneBounds]) -> PlaneBounds:
        return add(values)

    def multiply(self, count: PlaneBounds, value: PlaneBounds) -> PlaneBounds:
        return multiply(count, value)

    def divide(self, work: PlaneBounds, rate: PlaneBounds) -> PlaneBounds:
        return divide(work, rate)

    def largest(self, values: Sequence[PlaneBounds]) -> PlaneBounds:
        return largest(values) if len(values) > 1 else values[0]

    def choice(self, values: Sequence[PlaneBounds], _: Sequence[Table]) -> list[Truths]:
        """Return where each value may be the largest."""
        if len(values) > _FEW:
            return may_be_largest(values)
        return [
            ~reduce(np.logical_or, [self.above(x, one) for x in values if x is not one], _NEVER)
            for one in values
        ]

    def chosen(self, choice: Sequence[Truths], tables: Sequence[Table]) -> Table:
        if len(tables) == 1:
            return tables[0]
        names = dict.fromkeys(name for table in tables for name in table)
        return {name: hull([x.get(name, ZERO) for x in tables], choice) for name in names}

    def ties(self, _: Table) -> tuple[str, ...]:
        return ()

    def above(self, one: PlaneBounds, other: PlaneBounds) -> Truths:
        """Return in which boxes one is certainly larger than the other, which is ≥ 0.

        Their values are apart, or those at the middle are, by more than the slopes make up for.
        """
        apart: Truths = one.over.low > other.over.high
        if apart.all():
            return apart
        # log(one / other) at the middle, and how far from there it may fall.
        gap = np.log(_middle(one.low) / _middle(other.high))
        fall = np.zeros(())
        for place, half in zip((0, 2), self.reach, strict=True):
            least = one.slopes[place] - other.slopes[place + 1]
            most = one.slopes[place + 1] - other.slopes[place]
            fall = fall + np.maximum(np.abs(least), np.abs(most)) * half
        size = np.abs(gap) + fall + 1
        # Below 0 nothing is said of the other, and a quotient of two that are is no gap.
        held = (_middle(one.low) > 0) & (_middle(other.low) >= 0)
        found: Truths = apart | (held & (gap - fall > size * _SLACK))
        return found

    def bound(self, rivals: Sequence[PlaneBounds], count: int) -> tuple[NDArray[np.int8], Truths]:
        """Return which of several is the largest in each of so many boxes, and where one is."""
        place, found = np.zeros(count, np.int8), np.zeros(count, np.bool_)
        for number, one in enumerate(rivals):
            others = [self.above(one, other) for other in rivals if other is not one]
            largest_here = reduce(np.logical_and, others, one.over.low > 0)
            place[np.broadcast_to(largest_here, (count,))] = number
            found |= largest_here
        return place, found

    def are_nothing(self, rivals: Sequence[PlaneBounds]) -> Truths:
        """Return in which boxes all of them are 0."""
        zero = [(each.over.low == 0) & (each.over.high == 0) for each in rivals]
        return reduce(np.logical_and, zero, np.asarray(True))


_NEVER: Truths = np.asarray(False)


def reach(boxes: Boxes) -> tuple[Array, Array]:
    """Return how far the sides lie from the middles, in logarithms, or a little more."""
    x, y = (
        np.maximum(np.log(middle / low), np.log(high / middle)) * (1 + _SLACK) + _SLACK
        for (low, high), middle in zip(boxes[:2], boxes.middle, strict=True)
    )
    return x, y


def _middle(values: Array) -> Array:
    middle: Array = values[1] if values.ndim == 2 else values
    return middle
