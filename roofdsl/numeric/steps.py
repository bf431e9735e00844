"""Roundings of few values, such as `ceil(log2 P)`: a range is cut into pieces where they change.

In each piece a constant stands for the rounding. That leaves formulas without that jump, which are
far easier to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import number, power
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending, rewritten
from roofdsl.expression.tree import ZERO, Expression, Function
from roofdsl.numeric.choice import whole_values
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import outer
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.rounding import opened
from roofdsl.numeric.run import ORDERS, SignRun

# A rounding with more values than this is not cut at each of them.
_MOST_VALUES = 128
_SHORT_PERIOD = 10**6

_Sides: TypeAlias = tuple[Expression, Expression]
_Compared: TypeAlias = Callable[[Expression, Expression], list[SignRun]]


def pieces(pair: Pair, low: int, high: int, compared: _Compared) -> list[tuple[int, int, _Sides]]:
    """Return a range cut where a `ceil` or `floor` of few values changes, its value put in.

    Each piece comes with the two formulas as they are there. Which one: the first whose changes are
    all proven, those within others first. Where there is none, nothing is returned. `compared` says
    where in the range one formula is above another.
    """
    for tree in pair.written:
        side = Enclosure(tree, pair.name, integer=True)
        side.over(*outer(low, high))
        dependent = depending(tree, pair.name)
        for node in bottom_up(tree, outside_sums):
            match node:
                case Function("ceil" | "floor", (argument,)) if id(node) in dependent:
                    # Where what it does repeats soon, residues tell more of it than pieces do.
                    found = opened(node, ZERO, pair.name)
                    if found is not None and 0 < found.period < _SHORT_PERIOD:
                        continue
                    values = _values(node.name, argument, side, (low, high), compared)
                    if values:
                        return [(*run[:2], _with(pair.written, node, run[2])) for run in values]
    return []


def _values(
    name: str, argument: Expression, side: Enclosure, ends: tuple[int, int], compared: _Compared
) -> list[tuple[int, int, int]]:
    """Return the values of a rounding over a range; nothing if they are many, or not all known."""
    bounds = side.of(argument)
    if not -inf < bounds[0] <= bounds[1] < inf:
        return []
    first, last = map(int, whole_values(bounds, name, 0))
    if last - first >= _MOST_VALUES:
        return []
    # What lies above k, or for `floor` on it, is rounded to the next number at least: so the value
    # is the least one plus how many of the others are passed.
    passed = ("above",) if name == "ceil" else ("above", "equal")
    rows = [[(*ends, False)]]
    for limit in range(first, last):
        row = compared(*_undone(argument, limit if name == "ceil" else limit + 1))
        if any(run.state not in ORDERS for run in row):
            return []
        rows.append([(int(run.first), int(run.last), run.state in passed) for run in row])
    found = [*merged((start, end, first + sum(each)) for start, end, each in refined(rows))]
    return found if len(found) <= _MOST_VALUES else []


def _undone(argument: Expression, limit: int) -> _Sides:
    """Return two formulas that lie like an argument, defined all over the range, to a number."""
    # log2 u > k where u > 2^k, and sqrt u > k where u > k^2: without the function it is exact
    # arithmetic. A whole number is never so far out here that the power would be too long.
    match argument:
        case Function("log2" | "log10" as name, (inner,)):
            return inner, power(number(2 if name == "log2" else 10), number(limit))
        case trees.Power(inner, trees.Number(exponent)) if exponent.numerator == 1 and limit >= 0:
            return inner, power(number(limit), number(exponent.denominator))
        case _:
            return argument, number(limit)


def _with(sides: _Sides, old: Expression, value: int) -> _Sides:
    """Return two formulas with a number in the place of a node, wherever it stands."""
    new = number(value)
    left, right = (rewritten(side, lambda node, _: new if node == old else None) for side in sides)
    return left, right
