"""Bounds of a formula at many whole numbers at once, and the order of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from roofdsl.expression import tree as trees
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.array_bounds import (
    WHOLE,
    ArrayBounds,
    Enclosed,
    add,
    chosen,
    compared,
    constant,
    folded,
    function,
    is_whole,
    logic,
    power,
    truth,
    unknown,
    whole,
    widened,
)
from roofdsl.numeric.array_program import Array

# A sum over an index is added up for as many terms.
MOST_TERMS = 200_000
# With the unknown in its terms, for so many: each is a formula of its own.
MOST_SUMMANDS = 64


class ArrayEnclosure:
    """A formula of one unknown, to be enclosed at whole numbers; `size`: its operations.

    >>> n = Symbol("N")
    >>> third = ArrayEnclosure(trees.Divide(n, Number(Fraction(3))), "N")
    >>> low, high = third.over(3, 4)
    >>> float(low[0]), float(high[0]), low[1] < Fraction(4, 3) < high[1]
    (1.0, 1.0, True)
    """

    def __init__(self, tree: Expression, name: str) -> None:
        plan = schedule(tree)
        self.size = len(plan.steps)
        self._steps = plan.steps
        self._result = plan.result
        self._slots = plan.slots
        self._name = name
        self._summands: dict[tuple[int, int], ArrayEnclosure] = {}

    def over(self, first: int, last: int) -> ArrayBounds:
        """Return the bounds at all whole numbers from one to another, below 2^63."""
        whole = np.arange(first, last + 1, dtype=np.int64)
        places = whole.astype(np.float64)
        exact = abs(first) <= WHOLE and abs(last) <= WHOLE
        given = ArrayBounds(places, places) if exact else widened(places, places)
        return self._enclosed(given)

    def _enclosed(self, given: ArrayBounds) -> ArrayBounds:
        """Return the bounds where the unknown has given ones."""
        registers: list[Enclosed | None] = [None] * self._slots
        # What has no value, or an infinite one, shows as NaN.
        with np.errstate(all="ignore"):
            for step in self._steps:
                registers[step.slot] = self._value(step, registers, given)
        found = registers[self._result]
        return found if isinstance(found, ArrayBounds) else unknown(given)

    def _value(
        self, step: Instruction, registers: Sequence[Enclosed | None], given: ArrayBounds
    ) -> Enclosed:
        node = step.node
        operands = [registers[slot] for slot in step.operands]
        numbers = [each if isinstance(each, ArrayBounds) else unknown(given) for each in operands]
        match node:
            case Number(value):
                return constant(value, given)
            case Symbol():
                return given if node.name == self._name else unknown(given)
            case trees.Logic(operator, _):
                return logic(operator, [truth(each, given) for each in operands])
            case trees.Conditional():
                return chosen(truth(operands[0], given), numbers[1], numbers[2])
            case trees.Comparison(relation, _, _):
                return compared(relation, numbers[0], numbers[1])
            case trees.Function("is_integer", _):
                return is_whole(numbers[0])
            case trees.Sum():
                return self._sum(node, numbers[0], numbers[1], given)
            case trees.Power(_, exponent):
                return power(numbers[0], numbers[1], exponent)
            case trees.Function(name, _):
                return function(name, numbers, given)
        return folded(node, numbers)

    def _sum(
        self, node: trees.Sum, low: ArrayBounds, high: ArrayBounds, given: ArrayBounds
    ) -> ArrayBounds:
        first, last = np.ceil(low.low), np.floor(high.high)
        # Which terms there are must be certain.
        fixed = (np.ceil(low.high) == first) & (np.floor(high.low) == last)
        fixed &= (np.abs(first) < WHOLE) & (np.abs(last) < WHOLE)
        names = {symbol.name for symbol in free_symbols(node.body)} - {node.index.name}
        if names - {self._name} or not fixed.any():
            return unknown(given)
        first, last = (np.where(fixed, each, empty) for each, empty in ((first, 1), (last, 0)))
        total = self._added(node, first, last, given) if names else _looked_up(node, first, last)
        if total is None:
            return unknown(given)
        low_total = np.where(fixed, total.low, np.nan)
        if total.low is total.high:
            return ArrayBounds(low_total, low_total)
        return ArrayBounds(low_total, np.where(fixed, total.high, np.nan))

    def _added(
        self, node: trees.Sum, first: Array, last: Array, given: ArrayBounds
    ) -> ArrayBounds | None:
        """Return the sums of the few terms that depend on the unknown, each with its own last."""
        begin, end = int(first.min()), int(last.max())
        if end - begin >= MOST_SUMMANDS:
            return None
        zero = np.zeros_like(first)
        total = ArrayBounds(zero, zero)
        for place in range(begin, end + 1):
            term = self._summand(node, place)._enclosed(given)
            counts = (first <= place) & (place <= last)
            bottom = np.where(counts, term.low, 0.0)
            point = term.low is term.high
            total = add(
                total, ArrayBounds(bottom, bottom if point else np.where(counts, term.high, 0.0))
            )
        return total

    def _summand(self, node: trees.Sum, place: int) -> ArrayEnclosure:
        # Kept, as blocks of places follow each other. The node is kept alive by the steps.
        key = id(node), place
        if key not in self._summands:
            summand = substitute(node.body, {node.index.name: Number(Fraction(place))})
            self._summands[key] = ArrayEnclosure(summand, self._name)
        return self._summands[key]


def _looked_up(node: trees.Sum, first: Array, last: Array) -> ArrayBounds | None:
    """Return the sums of terms that depend on the index alone, from sums of all up to each."""
    begin, end = int(first.min()), int(last.max())
    if end - begin >= MOST_TERMS:
        return None
    if end < begin:
        zero = np.zeros_like(first)
        return ArrayBounds(zero, zero)
    terms = ArrayEnclosure(node.body, node.index.name).over(begin, end)
    # n additions are off by less than n units in the last place of the sum of all sizes.
    totals = [np.concatenate(([0.0], np.cumsum(each))) for each in terms]
    sizes = np.concatenate(([0.0], np.cumsum(np.maximum(np.abs(terms.low), np.abs(terms.high)))))
    exact = bool(whole(terms.low).all()) and terms.low is terms.high and sizes[-1] < WHOLE
    error = 0.0 if exact else len(sizes) * 2.0**-51
    start = np.where(first <= last, first - begin, 0).astype(np.int64)
    stop = np.where(first <= last, last - begin + 1, 0).astype(np.int64)
    slack = (sizes[stop] + sizes[start]) * error
    bottom = totals[0][stop] - totals[0][start] - slack
    top = totals[1][stop] - totals[1][start] + slack
    return ArrayBounds(bottom, bottom) if exact else widened(bottom, top)


def orders(
    left: ArrayEnclosure, right: ArrayEnclosure, first: int, last: int
) -> Iterator[tuple[int, int, int | None]]:
    """Yield runs of whole numbers with the order of two formulas there, None where bounds overlap.

    >>> n = Symbol("N")
    >>> square, double = trees.Multiply((n, n)), trees.Multiply((Number(Fraction(2)), n))
    >>> list(orders(ArrayEnclosure(square, "N"), ArrayEnclosure(double, "N"), 1, 9))
    [(1, 1, -1), (2, 2, 0), (3, 9, 1)]
    """
    one, other = left.over(first, last), right.over(first, last)
    above, below = one.low > other.high, one.high < other.low
    equal = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    # The bounds are of numbers: where both ends are infinite nothing is known.
    equal &= np.isfinite(one.low)
    codes = np.select([above, below, equal], [1, -1, 0], default=2)
    ends = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    begin = 0
    for end in ends.tolist():
        code = int(codes[begin])
        yield first + begin, first + end, None if code == 2 else code
        begin = end + 1
