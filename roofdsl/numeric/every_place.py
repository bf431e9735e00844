"""Small ranges of whole numbers: the order at every one of them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm

from roofdsl.allowance import Budget
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import add, call, multiply
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.tree import Add, Conditional, Divide, Expression, Function, Multiply, Number
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.run import STATES, SignRun, append

MOST_PLACES = 100_000
# So many at a time stay in a processor's cache.
_BLOCK = 4096
# What an operation on a block costs, beside loading NumPy at all.
_OPERATION = 4.0
_LARGEST_FACTOR = 10**9


def decided(pair: Pair, runs: Iterable[SignRun], budget: Budget) -> list[SignRun]:
    """Return boxes of whole numbers with those decided that are short enough to look at each place.

    These are undecided ones, and mixed ones of which the ends of each order are not known. What is
    still undecided then are places of which exact arithmetic cannot tell either.
    """
    found: list[SignRun] = []
    for run in runs:
        unknown = run.state == "undecided" or (run.state == "mixed" and run.ends is None)
        small = run.last - run.first < MOST_PLACES and abs(run.last) < 2**62
        parts = _each(pair, run, budget) if unknown and small and budget.left else [run]
        for part in parts:
            append(found, part)
    return found


def _each(pair: Pair, run: SignRun, budget: Budget) -> list[SignRun]:
    """Return the maximal boxes of one order in a run."""
    from roofdsl.numeric.array_interval import ArrayEnclosure, orders  # NumPy takes time to load

    sides = in_whole_numbers(pair.sides)
    left, right = (ArrayEnclosure(side, pair.name) for side in sides)
    found: list[SignRun] = []
    low, high = int(run.first), int(run.last)
    for first in range(low, high + 1, _BLOCK):
        last = min(first + _BLOCK - 1, high)
        budget.spend(_OPERATION * (left.size + right.size))
        for begin, end, order in orders(left, right, first, last):
            if order is not None:
                append(found, SignRun(begin, end, STATES[order]))
                continue
            # Where the bounds overlap the two are equal, or nearly: that takes exact numbers. Once
            # the budget does not suffice for them, the rest is given up in one piece.
            for place in range(begin, end + 1):
                if not budget.left:
                    append(found, SignRun(place, high, "undecided"))
                    return found
                append(found, SignRun(place, place, STATES[pair.order_at(place, budget)]))
    return found


def in_whole_numbers(sides: tuple[Expression, Expression]) -> tuple[Expression, Expression]:
    """Return two formulas times a number > 0 that makes their coefficients whole, if they are few.

    Whole numbers are exact in floats, so that ties show.

    >>> from roofdsl.expression.tree import Symbol
    >>> third = Divide(Symbol("N"), Number(Fraction(3)))
    >>> in_whole_numbers((third, Number(Fraction(1, 2))))[1]
    Number(value=Fraction(3, 1))
    """
    factor = 1
    for side in sides:
        for node in bottom_up(side, outside_sums):
            match node:
                case Number(value):
                    factor = lcm(factor, value.denominator)
                case Divide(_, Number(value)):
                    factor = lcm(factor, value.numerator)
        if factor > _LARGEST_FACTOR:
            return sides
    return _times(sides[0], Fraction(factor)), _times(sides[1], Fraction(factor))


def _times(tree: Expression, factor: Fraction) -> Expression:
    """Return a formula times a number > 0, which is multiplied into its terms."""
    match tree:
        case Add(terms):
            return add(*(_times(each, factor) for each in terms))
        case Multiply((Number(value), *others)):
            return multiply(Number(value * factor), *others)
        case Divide(above, Number(value)) if value > 0:
            return _times(above, factor / value)
        case Function("max" | "min" as name, arguments):
            return call(name, *(_times(each, factor) for each in arguments))
        case Conditional(condition, one, other):
            return conditional(condition, _times(one, factor), _times(other, factor))
    return multiply(Number(factor), tree)
