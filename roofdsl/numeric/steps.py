"""Functions of few values, such as `ceil(log2 P)`: a range is cut into pieces where they change.

In each piece a constant stands for the function. That leaves formulas which are far easier to
compare: without that jump, or with one `min`, `max` or `if` less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare, truth
from roofdsl.expression.construct import call, negate, number, power
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending, rewritten
from roofdsl.expression.tree import ZERO, Expression, Function
from roofdsl.numeric.choice import whole_values
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import outer
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.rounding import opened
from roofdsl.numeric.run import ORDERS, SignRun, State

# A rounding with more values than this is not cut at each of them, nor a choice that changes more
# often.
_MOST_VALUES = 128

_SHORT_PERIOD = 10**6

_Sides: TypeAlias = tuple[Expression, Expression]


class _Steps(NamedTuple):
    """What a function has to do with the order of some formulas: its value, by these orders."""

    comparisons: Sequence[_Sides]
    value: Callable[[Sequence[State]], Expression]


def pieces(
    pair: Pair,
    low: int,
    high: int,
    compared: Callable[[Expression, Expression], list[SignRun]],
    *,
    roundings: bool,
) -> list[tuple[int, int, _Sides]]:
    """Return a range cut where one function of few values changes, its value put in.

    Each piece comes with the two formulas as they are there. `roundings`: whether the function is
    to be a `ceil` or `floor`, or else a choice. Which one: the first whose changes are all proven,
    those within others first. Where there is none, nothing is returned. `compared` says where in
    the range one formula is above another.
    """
    for tree in pair.written:
        side = Enclosure(tree, pair.name, integer=True)
        side.over(*outer(low, high))
        dependent = depending(tree, pair.name)
        for node in bottom_up(tree, outside_sums):
            rounding = isinstance(node, Function) and node.name in ("ceil", "floor")
            if id(node) not in dependent or rounding != roundings:
                continue
            found: list[tuple[int, int, _Sides]] = []
            steps = _rounding(node, side) if rounding else _choice(node)
            for first, last, value in _cut(steps, low, high, compared) if steps else ():
                found.append((first, last, _with(pair.written, node, value)))
            if found:
                return found
    return []


def _rounding(node: Expression, side: Enclosure) -> _Steps | None:
    """Return the steps of a `ceil` or `floor` if they are few."""
    assert isinstance(node, Function)
    (argument,) = node.arguments
    bounds = side.of(argument)
    if not -inf < bounds[0] <= bounds[1] < inf:
        return None
    first, last = map(int, whole_values(bounds, node.name, 0))
    # Where what it does repeats soon, residues tell more of it than pieces do.
    found = opened(node, ZERO, side.name)
    if last - first >= _MOST_VALUES or (found is not None and 0 < found.period < _SHORT_PERIOD):
        return None
    # What lies above k, or for `floor` on it, is rounded to the next number at least: so the value
    # is the least one plus how many of the others are passed.
    up = node.name == "ceil"
    passed = ("above",) if up else ("above", "equal")
    limits = range(first, last) if up else range(first + 1, last + 1)
    return _Steps(
        [_undone(argument, limit) for limit in limits],
        lambda states: number(first + sum(each in passed for each in states)),
    )


def _choice(node: Expression) -> _Steps | None:
    """Return the steps of a choice between two."""
    match node:
        case trees.Comparison(relation, one, other):
            return _Steps([(one, other)], lambda s: truth(compare(relation, ORDERS[s[0]], 0)))
        case Function("min" | "max" as name, (one, other, *more)):
            larger = "above" if name == "max" else "below"
            return _Steps(
                [(one, other)], lambda s: call(name, one if s[0] == larger else other, *more)
            )
        case Function("abs", (one,)):
            return _Steps([(one, ZERO)], lambda s: negate(one) if s[0] == "below" else one)
    return None


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


def _cut(
    steps: _Steps, low: int, high: int, compared: Callable[[Expression, Expression], list[SignRun]]
) -> list[tuple[int, int, Expression]]:
    """Cut a range where a function changes, and tell its values; nothing if one is not known."""
    rows: list[list[tuple[int, int, State]]] = [[(low, high, "equal")]]
    for sides in steps.comparisons:
        row = compared(*sides)
        if any(run.state not in ORDERS for run in row):
            return []
        rows.append([(int(run.first), int(run.last), run.state) for run in row])
    valued = ((first, last, steps.value(states)) for first, last, (_, *states) in refined(rows))
    parts = [*merged(valued)]
    return parts if len(parts) <= _MOST_VALUES else []


def _with(sides: _Sides, old: Expression, new: Expression) -> _Sides:
    """Return two formulas with a node, wherever it stands, replaced."""
    left, right = (rewritten(side, lambda node, _: new if node == old else None) for side in sides)
    return left, right
