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
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import floor
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.numeric.box import SearchBox, State
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.envelope import Box, Envelopes
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.rounding import Opened
from roofdsl.numeric.search import Search

Wanted: TypeAlias = Literal["above", "below", "not above", "not below"]

# In units of work: to look up the fractions of one residue.
_LOOKED_UP = 1 / 200
# Which of the two bounds must not be so for what is wanted to be possible: "above" is possible
# where the upper bound is neither below nor equal.
_POSSIBLE: dict[Wanted, tuple[int, frozenset[State | None]]] = {
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
_MOST_ASKED = 256


class Extreme(NamedTuple):
    """The first or last place where an order holds, None if it holds nowhere; if it is `proven`.

    If not, it holds at no place before it, or after it; what is so at the place is not known.
    """

    place: int | None
    proven: bool


@dataclass(slots=True)
class _Class:
    """Numbers with some residues, and the bounds of their order, from above and from below."""

    residues: Sequence[int]
    box: Box
    bounds: tuple[list[SearchBox], list[SearchBox]]
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
        self._lattices = [each.lattice for each in found.roundings]
        self._periods = [each.period for each in found.roundings]
        self._low, self._high = low, high
        self._budget = budget
        self._period = found.period or 1
        # Fractions as multiples of 1/lattice, by the residue of each rounding's own period.
        self._fractions: list[list[int]] = []
        cost = 4 * _LOOKED_UP * self._period * len(found.roundings)
        if found.period and cost < budget.left / 4:
            self._fractions = [
                [int(found.fraction_at(place, x) * each.lattice) for x in range(each.period)]
                for place, each in enumerate(found.roundings)
            ]
        # What cannot be cut is asked number by number, and not for long.
        self._most_asked = -1 if self._fractions else _MOST_ASKED
        residues = range(self._period)
        if self._fractions:
            self._all = self._boxed(residues)
        else:
            self._all = self._class(residues, [each.widest for each in found.roundings])

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
        asked = 0
        while waiting:
            signed, _, best = heappop(waiting)
            place = direction * signed
            order = self._pair.order_at(place, self._budget)
            if order in orders:
                return Extreme(place, True)
            if order is None or not self._budget.left or asked == self._most_asked:
                return Extreme(place, False)
            low, high = (place + 1, high) if direction > 0 else (low, place - 1)
            asked += 1
            halves = self._halves(best) if asked % _ASKED == 0 else None
            for each in halves or (best,):
                wait(each)
        return Extreme(None, True)

    def _bound(
        self, one: _Class, wanted: Wanted, low: int, high: int, direction: int
    ) -> int | None:
        """Return the place before which, in a direction, a class has nothing that is wanted."""
        side, impossible = _POSSIBLE[wanted]
        for item in one.bounds[side][::direction]:
            first, last = max(int(item.low), low), min(int(item.high), high)
            if item.state in impossible or first > last:
                continue
            # The residues are sorted: the member next to that end is told by the one next to its.
            if direction > 0:
                residue = first % self._period
                after = bisect_left(one.residues, residue)
                step = one.residues[after % len(one.residues)] - residue
                place = first + step % self._period
            else:
                residue = last % self._period
                before = bisect_right(one.residues, residue) - 1
                place = last - (residue - one.residues[before]) % self._period
            if first <= place <= last:
                return place
        return None

    def _class(self, residues: Sequence[int], box: Box) -> _Class:
        pairs = self._envelopes.within(box)
        most = self._runs(pairs.most)
        least = most if pairs.most is pairs.least else self._runs(pairs.least)
        return _Class(residues, box, (most, least))

    def _runs(self, pair: Pair) -> list[SearchBox]:
        self._budget.spend(BUILDING * pair.cost)
        search = Search(integer=True, budget=self._budget, dense=False)
        return search.run(pair, self._low, self._high)

    def _halves(self, one: _Class) -> tuple[_Class, _Class] | None:
        """Return two classes that together have the residues of one; None if it cannot be cut."""
        if one.halves is None and self._fractions and one.bounds[0] is not one.bounds[1]:
            widths = [high - low for low, high in one.box]
            place = widths.index(max(widths))
            middle = floor(sum(one.box[place]) / 2 * self._lattices[place])
            fractions, period = self._fractions[place], self._periods[place]
            self._budget.spend(_LOOKED_UP * len(one.residues))
            below: list[int] = []
            above: list[int] = []
            for residue in one.residues:
                (below if fractions[residue % period] <= middle else above).append(residue)
            one.halves = self._boxed(below), self._boxed(above)
        return one.halves

    def _boxed(self, residues: Sequence[int]) -> _Class:
        """Return the class of some residues, in the least box around their fractions."""
        self._budget.spend(_LOOKED_UP * len(residues) * len(self._fractions))
        box = []
        for fractions, lattice, period in zip(
            self._fractions, self._lattices, self._periods, strict=True
        ):
            values = [fractions[residue % period] for residue in residues]
            box.append((Fraction(min(values), lattice), Fraction(max(values), lattice)))
        return self._class(residues, box)
