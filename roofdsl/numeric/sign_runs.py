"""Where one formula lies above another: proven, for all x of a range."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import inf, nextafter
from typing import NamedTuple

from roofdsl.expression.construct import divide, negate
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import ONE, Expression, Function, Symbol
from roofdsl.numeric.box import STATES, Axis, Ends, Place, SearchBox, State
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.dense import without_short
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import around
from roofdsl.numeric.order_change import OrderChange, change_after
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.sides import Sides, searched
from roofdsl.numeric.sums import added_up

# Real numbers from 0 to here are taken in one piece: below, products of floats underflow, and
# bounds in relative terms mean nothing.
_NEXT_TO_0 = 1e-300


class SignRun(NamedTuple):
    """All places from `first` to `last`, and how `left` lies to `right` there.

    `mixed`: it is above at some places, below or equal at others, with jumps between them that are
    too many to be listed, and has `ends` where those are proven; `undecided`: nothing was found
    out. An `equal` run of a real unknown that is no wider than an enclosure holds one place where
    the two are equal.
    """

    first: Place
    last: Place
    state: State
    ends: Ends | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SignRuns(Proven):
    """The whole range as runs, and a change between each two."""

    runs: tuple[SignRun, ...]
    changes: tuple[OrderChange, ...]

    @property
    def proof(self) -> Proof:
        """How far the order of the two is proven."""
        return Proof.of((run.last, run.state != "undecided") for run in self.runs)


def sign_runs(
    left: Expression,
    right: Expression,
    name: str,
    low: Place,
    high: Place,
    *,
    integer: bool,
    budget: Budget | None = None,
) -> SignRuns:
    """Return where `left` lies above, below and on `right`, for a name from `low` to `high`.

    The trees hold no other name. `integer`: the name takes whole values only, and the runs are
    exact; otherwise what lies between two runs is the enclosure of a root, about 1e-15 wide
    relatively. What the budget does not suffice for is left undecided. Raises ValueError if
    `low > high`.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> square = multiply(n, n)
    >>> found = sign_runs(square, number(10**30 + 1), "N", 1, 10**18, integer=True)
    >>> [(run.first, run.last, run.state) for run in found.runs]
    [(1, 1000000000000000, 'below'), (1000000000000001, 1000000000000000000, 'above')]
    """
    if not low <= high:
        raise ValueError("an empty range")
    if not integer:
        low, high = float(low), float(high)
    # The search runs over x > 0 alone, where powers and logarithms are defined and can be taken
    # apart. For x < 0 it runs over -x, and 0 is decided by itself.
    known = Symbol(name, integer=integer, positive=low > 0)
    sides = Sides(left, right, name, integer, budget or Budget()).of(lambda _: known)
    sides = sides._replace(left=added_up(sides.left, name), right=added_up(sides.right, name))
    tiniest: Place = 1 if integer else nextafter(0.0, 1)
    parts: list[SignRuns] = []
    if low < 0:
        found = _positive(sides.of(negate), max(-high, tiniest), -low)
        parts.append(_turned(found, operator.neg))
    if low <= 0 <= high:
        zero: Place = 0 if integer else 0.0
        order = Pair(sides.left, sides.right, name).exact(Fraction(0), sides.budget)
        parts.append(SignRuns((SignRun(zero, zero, STATES[order]),), ()))
    if high > 0:
        parts.append(_positive(sides, max(low, tiniest), high))
    return joined(parts)


def _positive(sides: Sides, low: Place, high: Place) -> SignRuns:
    """Compare for x > 0; below 1, where logarithms are negative, for 1/x."""
    if low == high:
        order = Pair(sides.left, sides.right, sides.name).exact(Fraction(low), sides.budget)
        return SignRuns((SignRun(low, high, STATES[order]),), ())
    if sides.integer or low >= 1 or not (_has_logarithm(sides.left) or _has_logarithm(sides.right)):
        if low < _NEXT_TO_0 < high:
            first = _next_to_zero(sides, float(low))
            return joined([first, _searched(sides, _NEXT_TO_0, high)])
        return _searched(sides, low, high)
    # In 1/x, which is at least 1, log2 x is -log2 (1/x) and so of one sign, which the enclosures of
    # products of powers and logarithms need. The ends are taken outwards, and what sticks out is
    # cut off afterwards, as 1/low is seldom a float.
    inverted = sides.of(partial(divide, ONE))
    start = nextafter(1 / high, 1) if high < 1 else 1.0
    end = min(nextafter(1 / low, inf), 1 / _NEXT_TO_0)
    wider = _turned(_searched(inverted, start, end), lambda place: 1 / place)
    below = _within(wider, low if low >= _NEXT_TO_0 else _NEXT_TO_0, min(high, 1.0))
    parts = [below]
    if low < _NEXT_TO_0:
        parts.insert(0, _next_to_zero(sides, float(low)))
    if high > 1:
        parts.append(_searched(sides, 1.0, high))
    return joined(parts)


def _searched(sides: Sides, low: Place, high: Place) -> SignRuns:
    """Compare for x > 0 by a search."""
    pair = Pair(sides.left, sides.right, sides.name, integer=sides.integer)
    axis = Axis(integer=sides.integer, budget=sides.budget)
    jumps = set[Place]()
    # What few questions need is loaded where it is.
    if pair.may_jump:
        from roofdsl.numeric.ordered import ordered

        found = ordered(sides, pair, low, high, jumps)
    else:
        found = searched(sides, pair, low, high, jumps)
    if not sides.integer:
        from roofdsl.numeric.sliver import without_slivers

        runs = without_slivers(found, pair, sides.budget)
    else:
        if any(item.state in ("mixed", "undecided") for item in found):
            from roofdsl.numeric.every_place import decided

            found = decided(pair, found, axis)
        runs = without_short(found) if pair.may_jump else found
    changes = [_change(pair, one, other, axis, jumps) for one, other in pairwise(runs)]
    return SignRuns(
        tuple(SignRun(item.low, item.high, item.state or "undecided", item.ends) for item in runs),
        tuple(changes),
    )


def _change(
    pair: Pair, one: SearchBox, other: SearchBox, axis: Axis, jumps: set[Place]
) -> OrderChange:
    """Return the change between two neighbours."""
    if not axis.integer:
        return OrderChange(float(one.high), float(other.low), one.high in jumps)
    # What lies beside a stretch that is undecided, or mixed, is its end: no root is to be told.
    if not {one.state, other.state} <= {"above", "below", "equal"}:
        place = int(one.high)
        return OrderChange(around(place)[0], around(place + 1)[1], pair.may_jump)
    return change_after(pair, int(one.high), axis.budget)


def _next_to_zero(sides: Sides, low: float) -> SignRuns:
    """Compare for x from `low` to `_NEXT_TO_0` in one piece, by bounds of the values."""
    one = Enclosure(sides.left, sides.name).over(0.0, _NEXT_TO_0)
    other = Enclosure(sides.right, sides.name).over(0.0, _NEXT_TO_0)
    state: State = "above" if one[0] > other[1] else "below" if one[1] < other[0] else "undecided"
    return SignRuns((SignRun(low, _NEXT_TO_0, state),), ())


def _has_logarithm(tree: Expression) -> bool:
    return any(
        isinstance(node, Function) and node.name in ("log", "log2", "ln", "log10")
        for node in bottom_up(tree)
    )


def _turned(found: SignRuns, change: Callable[[Place], Place]) -> SignRuns:
    """Return runs of -x or 1/x as runs of x."""
    runs = tuple(
        SignRun(
            change(run.last), change(run.first), run.state, run.ends and run.ends.turned(change)
        )
        for run in found.runs[::-1]
    )
    changes = tuple(
        OrderChange(float(change(each.high)), float(change(each.low)), each.jump)
        for each in found.changes[::-1]
    )
    return SignRuns(runs, changes)


def _within(found: SignRuns, low: Place, high: Place) -> SignRuns:
    """Cut runs that reach a little beyond a range to the range."""
    inside = [
        place for place, run in enumerate(found.runs) if low <= run.last and run.first <= high
    ]
    if not inside:
        return SignRuns((SignRun(low, high, "undecided"),), ())
    runs = list(found.runs[inside[0] : inside[-1] + 1])
    changes = list(found.changes[inside[0] : inside[-1]])
    # An end of the range may lie in the enclosure of a root, where nothing is told.
    if runs[0].first > low:
        runs.insert(0, SignRun(low, low, "undecided"))
        changes.insert(0, OrderChange(float(low), float(runs[1].first), False))
    if runs[-1].last < high:
        changes.append(OrderChange(float(runs[-1].last), float(high), False))
        runs.append(SignRun(high, high, "undecided"))
    runs[0] = runs[0]._replace(first=low)
    runs[-1] = runs[-1]._replace(last=high)
    return SignRuns(tuple(runs), tuple(changes))


def joined(parts: Sequence[SignRuns]) -> SignRuns:
    """Put runs of adjacent ranges together."""
    runs = list(parts[0].runs)
    changes = list(parts[0].changes)
    for part in parts[1:]:
        first, *rest = part.runs
        if first.state == runs[-1].state:
            both = [(run.first, run.last, run.state, run.ends) for run in (runs[-1], first)]
            ends = Ends.of(both) if first.state == "mixed" else None
            runs[-1] = SignRun(runs[-1].first, first.last, first.state, ends)
        else:
            changes.append(OrderChange(float(runs[-1].last), float(first.first), False))
            runs.append(first)
        runs.extend(rest)
        changes.extend(part.changes)
    return SignRuns(tuple(runs), tuple(changes))
