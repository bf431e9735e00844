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
from roofdsl.expression.order import bottom_up, fold, operands_of, outside_sums
from roofdsl.expression.substitute import depending, free_symbols, rebuild
from roofdsl.expression.tree import ZERO, Expression, Function
from roofdsl.numeric.box import SearchBox, State
from roofdsl.numeric.choice import whole_values
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import around
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.rounding import opened

# A rounding with more values than this is not cut at each of them, nor a choice that changes more
# often.
_MOST_VALUES = 128

_SHORT_PERIOD = 10**6
_SIGNS: dict[State | None, int] = {"below": -1, "equal": 0, "above": 1}

# The first and the last of some whole numbers, and what a function is there.
_Part: TypeAlias = tuple[int, int, Expression]
# How one formula lies to another over whole x, from a first to a last one.
Compare: TypeAlias = Callable[[Expression, Expression, int, int], list[SearchBox]]


class Piece(NamedTuple):
    """Whole numbers from `first` to `last`, and two formulas as they are there."""

    first: int
    last: int
    left: Expression
    right: Expression


def pieces(
    left: Expression,
    right: Expression,
    name: str,
    low: int,
    high: int,
    compared: Compare,
    *,
    roundings: bool,
) -> list[Piece]:
    """Return a range cut where one function of few values changes, its value put in.

    `roundings`: whether it is to be a `ceil` or `floor`, or else a choice. Which one: the first
    whose changes are all proven, those within others first. Where there is none, nothing is
    returned. `compared` says where one formula is above another.
    """
    for tree in (left, right):
        side = Enclosure(tree, name, integer=True)
        side.over(around(low)[0], around(high)[1])
        dependent = depending(tree, name)
        for node in bottom_up(tree, outside_sums):
            rounding = isinstance(node, Function) and node.name in ("ceil", "floor")
            if id(node) not in dependent or rounding != roundings:
                continue
            parts = _parts(node, side, name, low, high, compared)
            if parts:
                return [
                    Piece(first, last, *(_put(each, node, value) for each in (left, right)))
                    for first, last, value in parts
                ]
    return []


def _parts(
    node: Expression, side: Enclosure, name: str, low: int, high: int, compared: Compare
) -> list[_Part]:
    """Return the pieces of a node that takes few values, nothing for any other."""
    match node:
        case Function("ceil" | "floor" as rounding, (argument,)):
            bounds = side.of(argument)
            if not -inf < bounds[0] <= bounds[1] < inf:
                return []
            first, last = map(int, whole_values(bounds, rounding, 0))
            if last - first >= _MOST_VALUES or _repeats(node, name):
                return []
            # What lies above k, or for `floor` on it, is rounded to the next number at least: so
            # the value is the least one plus how many of the others are passed.
            limits = range(first, last) if rounding == "ceil" else range(first + 1, last + 1)
            passed = ("above",) if rounding == "ceil" else ("above", "equal")
            rows = [compared(*_undone(argument, limit), low, high) for limit in limits]
            return _overlaid(
                rows, low, high, lambda states: number(first + sum(s in passed for s in states))
            )
        case trees.Comparison(relation, left, right):
            row = compared(left, right, low, high)
            return _overlaid([row], low, high, lambda s: truth(compare(relation, _SIGNS[s[0]], 0)))
        case Function("min" | "max" as extreme, (left, right, *others)):
            row = compared(left, right, low, high)
            larger = "above" if extreme == "max" else "below"
            return _overlaid(
                [row],
                low,
                high,
                lambda s: call(extreme, left if s[0] == larger else right, *others),
            )
        case Function("abs", (argument,)):
            row = compared(argument, ZERO, low, high)
            return _overlaid(
                [row], low, high, lambda s: negate(argument) if s[0] == "below" else argument
            )
    return []


def _repeats(node: Expression, name: str) -> bool:
    """Whether what a rounding does repeats soon: residues tell more of it then than pieces do."""
    found = opened(node, ZERO, name)
    return found is not None and 0 < found.period < _SHORT_PERIOD


def _undone(argument: Expression, limit: int) -> tuple[Expression, Expression]:
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


def _overlaid(
    rows: Sequence[Sequence[SearchBox]],
    low: int,
    high: int,
    value: Callable[[Sequence[State | None]], Expression],
) -> list[_Part]:
    """Cut a range where a row of runs changes, and tell the values; nothing if one is not known."""
    if any(each.state not in _SIGNS for row in rows for each in row):
        return []
    cut: list[list[tuple[int, int, State | None]]] = [[(low, high, None)]]
    cut += ([(int(each.low), int(each.high), each.state) for each in row] for row in rows)
    valued = ((first, last, value(states)) for first, last, (_, *states) in refined(cut))
    parts = [*merged(valued)]
    return parts if len(parts) <= _MOST_VALUES else []


def _put(tree: Expression, old: Expression, new: Expression) -> Expression:
    """Return a tree with a node, wherever it stands, replaced."""
    names = {symbol.name for symbol in free_symbols(old)}

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression:
        if node == old:
            return new
        if isinstance(node, trees.Sum) and node.index.name in names:
            return node  # inside, the name is another
        same = all(one is other for one, other in zip(operands_of(node), operands, strict=True))
        return node if same else rebuild(node, operands)

    return fold(tree, made)
