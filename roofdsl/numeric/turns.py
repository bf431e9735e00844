"""Bands: times that take turns in being the largest, and where each is so first and last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.expression.tree import Expression
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place
from roofdsl.numeric.run import Ends

# So many places are looked at from each end of a band, and so many between.
_FROM_AN_END = 200
_BETWEEN = 100
_GOLDEN = 0.6180339887498949


class Extent(NamedTuple):
    """The first and the last place of a band where a time is the largest; None: not known.

    That there is such a place is certain. Of times that are equal, the first counts.
    """

    first: Place | None = None
    last: Place | None = None

    def joined(self, other: Extent) -> Extent:
        """Return the extent in two bands that follow one another."""
        return Extent(self.first, other.last)


class Seen(NamedTuple):
    """The extents of those times that were seen to be the largest, by their numbers.

    `ties`: of a band that was looked at as a whole, which times are the largest at its places.
    """

    extents: dict[int, Extent]
    ties: frozenset[tuple[int, ...]] | None


def extents_of(ends: Ends) -> tuple[Extent | None, Extent | None]:
    """Return where each of two times is the largest, the first at a tie; None: nowhere."""
    rows = ends.not_below, ends.below
    one, other = (None if row is None else Extent(*row) for row in rows)
    return one, other


class Turns:
    """Which of several times is the largest, exactly, at one place after another."""

    def __init__(
        self, times: Sequence[Expression], name: str, *, integer: bool, budget: Budget
    ) -> None:
        self._times = times
        self._name = name
        self._integer = integer
        self._budget = budget
        self._pairs: dict[tuple[int, int], Pair] = {}

    def largest_at(self, place: Place) -> int | None:
        """Return the first of the largest times at a place, None where it is not decided."""
        tied = self._tied_at(place)
        return None if tied is None else tied[0]

    def _tied_at(self, place: Place) -> tuple[int, ...] | None:
        best: tuple[int, ...] = (0,)
        for number in range(1, len(self._times)):
            order = self._pair(best[0], number).order_at(place, self._budget)
            if order is None:
                return None
            if order <= 0:
                best = (number,) if order else (*best, number)
        return best

    def between(self, low: Place, high: Place) -> Seen:
        """Look at a band from both ends inwards, and at some places between."""
        places, whole = self._places(low, high)
        firsts: dict[int, Place | None] = {}
        lasts: dict[int, Place | None] = {}
        ties: set[tuple[int, ...]] = set()
        for row, found in zip(places, (firsts, lasts), strict=True):
            exact = True
            for place in row:
                tied = self._tied_at(place) if self._budget.left else None
                if tied is None:
                    exact = whole = False
                    continue
                found.setdefault(tied[0], place if exact else None)
                ties.add(tied)
                if len(found) == len(self._times):
                    break
        seen = {**firsts, **lasts}
        for place in self._between(low, high):
            if whole or len(seen) == len(self._times) or not self._budget.left:
                break
            tied = self._tied_at(place)
            if tied is not None:
                seen.setdefault(tied[0], None)
        extents = {number: Extent(firsts.get(number), lasts.get(number)) for number in sorted(seen)}
        return Seen(extents, frozenset(ties) if whole else None)

    def _places(self, low: Place, high: Place) -> tuple[tuple[Iterator[Place], ...], bool]:
        """Return the places from either end, and whether these are all there are."""
        if isinstance(low, int) and isinstance(high, int):
            first, last = min(high, low + _FROM_AN_END), max(low, high - _FROM_AN_END)
            ends = iter(range(low, first + 1)), iter(range(high, last - 1, -1))
            return ends, first >= last - 1
        # Of a real unknown no place is the first.
        return (iter(()), iter(())), False

    def _between(self, low: Place, high: Place) -> Iterator[Place]:
        """Yield places spread over the band."""
        for number in range(1, _BETWEEN + 1):
            share = (number * _GOLDEN) % 1
            if isinstance(low, int):
                yield low + int(share * (high - low))
            else:
                yield min(high, low * (high / low) ** share if low > 0 else share * high)

    def _pair(self, one: int, other: int) -> Pair:
        found = self._pairs.get((one, other))
        if found is None:
            sides = self._times[one], self._times[other]
            found = Pair(*sides, self._name, integer=self._integer, budget=self._budget)
            self._pairs[one, other] = found
        return found
