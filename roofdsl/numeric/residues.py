"""Where an order first and last holds among jumps that repeat: exactly, over any distance.

With x = period·j + r every fraction that a rounding adds or takes away is one number for each
residue r, and without them there are no jumps: the order for each residue is found by a search. The
residues are not gone through one by one: many are enclosed at once by the envelope of a box around
their fractions, and a box is only cut in two while it may still hold what is looked for.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.numeric.envelope import Envelopes
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.rounding import Opened
from roofdsl.numeric.run import SignRun, State
from roofdsl.numeric.search import search

Wanted: TypeAlias = Literal["above", "below", "not above", "not below"]

# In units of work: to look up the fractions of one residue.
_LOOKED_UP = 1 / 200
# And to find one out.
_ROUNDED = 1 / 2
# Which of the two bounds must not be so for what is wanted to be possible: "above" is possible
# where the upper bound is neither below nor equal.
_POSSIBLE: dict[Wanted, tuple[int, frozenset[State]]] = {
    "above": (0, frozenset(("below", "equal"))),
    "not below": (0, frozenset(("below",))),
    "below": (1, frozenset(("above", "equal"))),
    "not above": (1, frozenset(("above",))),
}
_ORDERS: dict[Wanted, tuple[int, ...]] = {
    "above": (1,), "not below": (0, 1), "below": (-1,), "not above": (0, -1),
}  # fmt: skip
# So many numbers are asked one by one before a class is cut.
_ASKED = 8
# What cannot be cut is asked number by number, and not for long: where nothing repeats, hardly.
_MOST_ASKED, _MOST_ASKED_ALONE = 256, 32


class Extreme(NamedTuple):
    """The first or last place where an order holds, None if it holds nowhere; if it is `proven`.

    If not, it holds at no place before it, or after it; what is so at the place is not known.
    """

    place: int | None
    proven: bool


@dataclass(slots=True)
class _Class:
    """Numbers of some residues, and the bounds of their order, from above and from below.

    Residues count from the first number of all. `widths`: how far each fraction changes from
    residue to residue.
    """

    residues: Sequence[int]
    widths: Sequence[int]
    bounds: tuple[list[SignRun], list[SignRun]]
    halves: tuple[_Class, _Class] | None = None


class Residues:
    """The order of two formulas over whole x from `low` to `high`, with all their jumps."""

    def __init__(
        self,
        pair: Pair,
        found: Opened,
        envelopes: Envelopes,
        low: int,
        high: int,
        budget: Budget,
    ) -> None:
        self._pair = pair
        self._envelopes = envelopes
        self._low, self._high = low, high
        self._budget = budget
        # Where the range is shorter than a period, each of its numbers is a residue of its own.
        self._period = min(found.period, high - low + 1)
        cost = _LOOKED_UP * self._period * len(found.roundings)
        cost += _ROUNDED * sum(min(each.period, self._period) for each in found.roundings)
        if not budget.affords(2 * cost):
            self._period = 0
        least: list[list[int]] = []
        most: list[list[int]] = []
        for place, rounding in enumerate(found.roundings):
            size = min(rounding.period, self._period)
            repeated = found.fractions(place, low, size) * (self._period // max(size, 1) + 1)
            for end, columns in zip(rounding.widest, (least, most), strict=True):
                columns.append(repeated[: self._period] or [end] * max(self._period, 1))
        self._budget.spend(cost if self._period else 0.0)
        self._most_asked = _MOST_ASKED if self._period else _MOST_ASKED_ALONE
        self._period = max(self._period, 1)
        # Of each fraction, the least and the greatest value by residue.
        self._columns = [
            (lows, lows if lows == highs else highs)
            for lows, highs in zip(least, most, strict=True)
        ]
        self._all = self._class(range(self._period))

    def extreme(self, wanted: Wanted, low: int, high: int, direction: int) -> Extreme:
        """Return the first place from `low` to `high` where an order holds; the last for -1."""
        # Best first: the classes that wait cover all residues, and none of them has a place before
        # its bound, which is one of its numbers. So where the bound that comes first is such a
        # place, it is the first of all; else nothing up to it is, in any class.
        orders = _ORDERS[wanted]
        waiting: list[tuple[int, int, _Class]] = []
        numbers = count()

        def wait(one: _Class) -> None:
            bound = self._bound(one, wanted, low, high, direction)
            if bound is not None:
                heappush(waiting, (direction * bound, next(numbers), one))

        wait(self._all)
        asked = uncut = 0
        while waiting:
            signed, _, best = heappop(waiting)
            place = direction * signed
            order = self._pair.order_at(place, self._budget)
            if order in orders:
                return Extreme(place, True)
            if order is None or not self._budget.left or uncut == self._most_asked:
                return Extreme(place, False)
            low, high = (place + 1, high) if direction > 0 else (low, place - 1)
            asked += 1
            halves = best.halves or (None if asked % _ASKED else self._halves(best))
            uncut = 0 if halves else uncut + 1
            for each in halves or (best,):
                wait(each)
        return Extreme(None, True)

    def _bound(
        self, one: _Class, wanted: Wanted, low: int, high: int, direction: int
    ) -> int | None:
        """Return the place before which, in a direction, a class has nothing that is wanted."""
        side, impossible = _POSSIBLE[wanted]
        for item in one.bounds[side][::direction]:
            first, last = max(int(item.first), low), min(int(item.last), high)
            if item.state in impossible or first > last:
                continue
            # The residues are sorted: the member next to that end is told by the one next to its.
            if direction > 0:
                residue = (first - self._low) % self._period
                after = bisect_left(one.residues, residue)
                step = one.residues[after % len(one.residues)] - residue
                place = first + step % self._period
            else:
                residue = (last - self._low) % self._period
                before = bisect_right(one.residues, residue) - 1
                place = last - (residue - one.residues[before]) % self._period
            if first <= place <= last:
                return place
        return None

    def _class(self, residues: Sequence[int]) -> _Class:
        """Return the class of some residues, in the least box around their fractions."""
        self._budget.spend(_LOOKED_UP * len(residues) * len(self._columns))
        box = []
        widths = []
        for lows, highs in self._columns:
            values = [lows[residue] for residue in residues]
            low, greatest = min(values), max(values)
            widths.append(greatest - low)
            high = greatest if lows is highs else max(map(highs.__getitem__, residues))
            box.append((low, high))
        self._budget.spend(self._envelopes.cost)
        pairs = self._envelopes.within(box)
        most = self._runs(pairs.most)
        least = most if pairs.most is pairs.least else self._runs(pairs.least)
        return _Class(residues, widths, (most, least))

    def _runs(self, pair: Pair) -> list[SignRun]:
        self._budget.spend(BUILDING * pair.cost)
        return search(pair, self._low, self._high, self._budget)

    def _halves(self, one: _Class) -> tuple[_Class, _Class] | None:
        """Return two classes that together have the residues of one; None if it cannot be cut."""
        if one.halves is None and any(one.widths):
            # By the fraction that lies furthest apart in it.
            reaches = [
                width / unit for width, unit in zip(one.widths, self._envelopes.units, strict=True)
            ]
            lows, _ = self._columns[reaches.index(max(reaches))]
            values = [lows[residue] for residue in one.residues]
            middle = (min(values) + max(values)) // 2
            self._budget.spend(_LOOKED_UP * len(one.residues))
            below = [
                each for each, value in zip(one.residues, values, strict=True) if value <= middle
            ]
            above = [
                each for each, value in zip(one.residues, values, strict=True) if value > middle
            ]
            one.halves = self._class(below), self._class(above)
        return one.halves
