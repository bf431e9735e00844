"""Where one formula lies above another: proven, for all x of a range."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import groupby, pairwise
from math import inf, nextafter
from typing import NamedTuple

from roofdsl.expression.construct import divide, negate
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, Expression, Function, Symbol
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import around
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.proof import Proof
from roofdsl.numeric.root import enclose_root
from roofdsl.numeric.search import STATES, Place, Search, SearchBox, State

# What a scan for the first or last switch among dense jumps may take of what is left: it may well
# find nothing soon, and the answer without it is true, too.
_SCAN_PART = 1 / 8
# So many runs in a row, none longer than this, are told as one that is mixed.
_MOST_SHORT_RUNS = 8
_SHORT = 64
# Of so few places between the first and the last switch, each is looked at.
_FEW = 1000
# Of a real unknown, what is narrower than this, relatively, is hardly more than a point.
_SLIVER = 1e-13
# Real numbers from 0 to here are taken in one piece: below, products of floats underflow, and
# bounds in relative terms mean nothing.
_NEXT_TO_0 = 1e-300


@dataclass(frozen=True, slots=True)
class SignRun:
    """All places from `first` to `last`, and how `left` lies to `right` there.

    `mixed`: it is above at some places, below or equal at others, with jumps between them that are
    too many to be listed; `undecided`: nothing was found out.
    """

    first: Place
    last: Place
    state: State


@dataclass(frozen=True, slots=True)
class OrderChange:
    """What lies between two runs: the enclosure of the real place, and whether it is a jump."""

    low: float
    high: float
    jump: bool


@dataclass(frozen=True, slots=True)
class SignRuns:
    """The whole range as runs, and a change between each two."""

    runs: tuple[SignRun, ...]
    changes: tuple[OrderChange, ...]

    @property
    def proof(self) -> Proof:
        """How far the order of the two is proven."""
        return Proof.of((run.last, run.state != "undecided") for run in self.runs)

    @property
    def complete(self) -> bool:
        """Whether everything was decided."""
        return self.proof.complete

    @property
    def proven_up_to(self) -> Place | None:
        """The last place before the first that was not decided, if there is one."""
        return self.proof.up_to


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
    sides = _Sides(left, right, name, integer, budget or Budget()).of(lambda _: known)
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
    return _joined(parts)


class _Sides(NamedTuple):
    """Two formulas to compare, their name, and what the search spends."""

    left: Expression
    right: Expression
    name: str
    integer: bool
    budget: Budget

    def of(self, change: Callable[[Symbol], Expression]) -> _Sides:
        """Return both sides with an expression substituted for the name."""
        left, right = (
            substitute(tree, {s.name: change(s) for s in free_symbols(tree) if s.name == self.name})
            for tree in (self.left, self.right)
        )
        return self._replace(left=left, right=right)


def _positive(sides: _Sides, low: Place, high: Place) -> SignRuns:
    """Compare for x > 0; below 1, where logarithms are negative, for 1/x."""
    if sides.integer or low >= 1 or not (_has_logarithm(sides.left) or _has_logarithm(sides.right)):
        if low < _NEXT_TO_0 < high:
            first = _next_to_zero(sides, float(low))
            return _joined([first, _searched(sides, _NEXT_TO_0, high)])
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
    return _joined(parts)


def _searched(sides: _Sides, low: Place, high: Place) -> SignRuns:
    """Compare for x > 0 by a search."""
    pair = Pair(sides.left, sides.right, sides.name, integer=sides.integer)
    search = Search(integer=sides.integer, budget=sides.budget)
    found: list[SearchBox] = []
    for item in search.run(pair, low, high):
        found.extend(_scanned(pair, item, search) if item.state == "mixed" else [item])
    if not sides.integer:
        runs = _without_slivers(found)
    else:
        runs = _without_short(found) if pair.may_jump else found
    changes = [_change(pair, one, other, search) for one, other in pairwise(runs)]
    return SignRuns(
        tuple(SignRun(item.low, item.high, item.state or "undecided") for item in runs),
        tuple(changes),
    )


def _scanned(pair: Pair, dense: SearchBox, search: Search) -> list[SearchBox]:
    """Find the first and the last change among dense jumps."""
    # From both ends inwards, each up to the first change: what lies outside is proven to have one
    # order, and only what lies between is left as `mixed`.
    ends = []
    for reverse in (False, True):
        share = search.budget.share(_SCAN_PART)
        scan = Search(integer=search.integer, budget=share, dense=False)
        ends.append(scan.run(pair, dense.low, dense.high, reverse=reverse, stop=True))
    (first, *after), (last, *before) = ends
    if not after:
        return [first]
    low, high = search.after(first.high), search.before(last.low)
    if low > high:
        return [first, last]
    if after[0].state == "undecided" and before[0].state == "undecided":
        return [first, SearchBox(low, high, "undecided"), last]
    # It is mixed where two orders have been seen: one at each end, or else between them.
    seen = {after[0].state, before[0].state} - {"undecided"}
    few = high - low <= _FEW
    if few or len(seen) < 2:
        share = search.budget.share(_SCAN_PART)
        scan = Search(integer=search.integer, budget=share, dense=False)
        inner = scan.run(pair, low, high)
        seen |= {item.state for item in inner} - {"undecided"}
        if len(seen) < 2 or (few and inner[-1].state != "undecided"):
            return [first, *inner, last]
    return [first, SearchBox(low, high, "mixed"), last]


def _without_short(items: list[SearchBox]) -> list[SearchBox]:
    """Put many short runs in a row together as one that is mixed.

    It begins with the first switch and ends before the last: what the whole range begins or ends
    with stands for itself.
    """

    def short(item: SearchBox) -> bool:
        return item.state == "mixed" or (
            item.state != "undecided" and item.high - item.low < _SHORT
        )

    def together(row: list[SearchBox], first: bool, last: bool) -> list[SearchBox]:
        start, end = int(first), len(row) - last
        inner = row[start:end]
        if len(inner) >= _MOST_SHORT_RUNS or any(each.state == "mixed" for each in inner):
            row[start:end] = [SearchBox(inner[0].low, inner[-1].high, "mixed")]
        return row

    return _with_rows(items, short, together)


def _without_slivers(items: list[SearchBox]) -> list[SearchBox]:
    """Put what is left open around one point of a real unknown together.

    Near a place where the two are equal floats cannot tell; around it nothing else is told, except
    where the whole range begins or ends.
    """

    def together(row: list[SearchBox], first: bool, last: bool) -> list[SearchBox]:
        if all(each.state != "undecided" for each in row):
            return row
        ties = [number for number, each in enumerate(row) if each.state == "equal"]
        if not ties:
            return _undecided(row)
        before = row[: ties[0]] if first else []
        after = row[ties[-1] + 1 :] if last else []
        return [*_undecided(before), *(row[number] for number in ties), *_undecided(after)]

    return _with_rows(
        items, lambda item: item.high - item.low <= _SLIVER * abs(item.high), together
    )


def _undecided(row: list[SearchBox]) -> list[SearchBox]:
    return [SearchBox(row[0].low, row[-1].high, "undecided")] if row else []


def _with_rows(
    items: list[SearchBox],
    belongs: Callable[[SearchBox], bool],
    together: Callable[[list[SearchBox], bool, bool], list[SearchBox]],
) -> list[SearchBox]:
    """Return items with each row of those that belong together put together.

    `together` is told whether the row begins, and whether it ends, the whole range.
    """
    result: list[SearchBox] = []
    for small, row in groupby(items, belongs):
        whole = list(row)
        first, last = whole[0] is items[0], whole[-1] is items[-1]
        result += together(whole, first, last) if small else whole
    return result


def _change(pair: Pair, one: SearchBox, other: SearchBox, search: Search) -> OrderChange:
    """Return the change between two neighbours."""
    if not search.integer:
        return OrderChange(float(one.high), float(other.low), one.high in search.jumps)
    return change_after(pair, int(one.high), search.budget)


def change_after(pair: Pair, place: int, budget: Budget) -> OrderChange:
    """Return how the order changes between a whole number and the next.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> found = change_after(Pair(multiply(n, n), number(2), "N", integer=True), 1, Budget())
    >>> found.low < 2**0.5 < found.high, found.jump
    (True, False)
    """
    # Only for its jumps: if there may be one between the two numbers, what lies between them is
    # not a crossing of two continuous lines, and no root is to be looked for.
    budget.spend(pair.cost)
    bottom, top = around(place)[0], around(place + 1)[1]
    pair.left.over(bottom, top)
    pair.right.over(bottom, top)
    if pair.jumps:
        return OrderChange(bottom, top, True)
    before, after = pair.order_at(place, budget), pair.order_at(place + 1, budget)
    if before == 0 or after == 0:
        # They meet exactly at one of the two.
        return OrderChange(*around(place if before == 0 else place + 1), False)
    # Beyond 2^52 the two numbers have no float between them that could narrow it down.
    if before and after == -before and place < 2**52:
        return OrderChange(*enclose_root(pair, place, place + 1, after, budget), False)
    return OrderChange(bottom, top, False)


def _next_to_zero(sides: _Sides, low: float) -> SignRuns:
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
        SignRun(change(run.last), change(run.first), run.state) for run in found.runs[::-1]
    )
    changes = tuple(
        OrderChange(float(change(each.high)), float(change(each.low)), each.jump)
        for each in found.changes[::-1]
    )
    return SignRuns(runs, changes)


def _within(found: SignRuns, low: Place, high: Place) -> SignRuns:
    """Cut runs that reach a little beyond a range to the range."""
    runs = list(found.runs)
    runs[0] = SignRun(low, max(runs[0].last, low), runs[0].state)
    runs[-1] = SignRun(min(runs[-1].first, high), high, runs[-1].state)
    return SignRuns(tuple(runs), found.changes)


def _joined(parts: Sequence[SignRuns]) -> SignRuns:
    """Put runs of adjacent ranges together."""
    runs = list(parts[0].runs)
    changes = list(parts[0].changes)
    for part in parts[1:]:
        first, *rest = part.runs
        if first.state == runs[-1].state:
            runs[-1] = SignRun(runs[-1].first, first.last, first.state)
        else:
            changes.append(OrderChange(float(runs[-1].last), float(first.first), False))
            runs.append(first)
        runs.extend(rest)
        changes.extend(part.changes)
    return SignRuns(tuple(runs), tuple(changes))
