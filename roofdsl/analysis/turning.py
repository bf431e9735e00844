"""The least change of all rates that turns a bound, enclosed by boxes of factors.

While every rate changes by less than ε, relatively, each factor of the times stays between
1/(1 + ε) and 1/(1 - ε); the last one, of what no rate changes, is always 1.

Where steps overlap, what the time is charged to may rise and fall with a rate, so corners alone
show nothing. In a box of factors, a choice whose answer interval arithmetic knows is made for all
boxes within it; of any other, what comes of the worst answer counts. So a bound is known to hold in
all that a change reaches of the box, and halving finds up to which change: boxes are looked at in
this order. No change below the least one of all boxes turns the bound, and each point that was seen
to turn it is one that does: so both ends are valid whenever the search stops.

Where all that is not sure wants each factor at one and the same end, the corner there is the worst
point of the box, and the change is exact. So it is at once of a kernel, and of steps one after
another that only the bound and the other may bind: a kernel adds its time where it is bound by the
one, and takes its time away where it is bound by the other, so what the bound is ahead is least
where its rates are the fastest and the other's the slowest. Rates of a third only take kernels
away, each one at a factor of its own: with one such rate the halves of its factors are soon boxes
in which no kernel is taken away, or in which all that may be wants it at one end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.analysis.margin import NEVER
from roofdsl.analysis.rate_sums import Amount, Choice, Chosen, Multiples, RateSum, added

Corner: TypeAlias = tuple[Amount, ...]
"""One end of a box, or a point: each of the factors."""
_ROUNDING = 1e-11
"""Far above what rounding does to sums, relatively."""
_EXACT, _CLOSE, _FOR_EXACT = 1e-8, 0.002, 1 / 2
"""How near, relatively, both ends of an answer are to come, once so much of the work is done."""
_SMALL = 1e-3
"""Of a smaller change, both ends are as near as those of this one."""
_HALVED = 1e-10
_NONE = 1e-9
"""A smaller change is told from none by nothing that is computed in floats."""
_BEYOND = (1e-9, 1e-7, 1e-5, 1e-3)
"""How far beyond a change up to which the bound holds a point is looked for that turns it."""


def factors_of(change: Amount) -> tuple[Amount, Amount]:
    """Return the least and the largest factor that a change of the rates leads to."""
    return 1 / (1 + change), 1 / (1 - min(change, NEVER))


class FactorBox:
    """Factors within two ends, and the choices that are made there.

    An `exact` one says what holds within it, its own ends left out; rounding does nothing there.
    """

    __slots__ = ("_possible", "_rounding", "exact", "high", "low")

    def __init__(self, low: Corner, high: Corner, *, exact: bool = False) -> None:
        self.low = low
        self.high = high
        self.exact = exact
        self._rounding: Amount = 0 if exact else _ROUNDING
        self._possible: dict[int, list[int]] = {}

    @property
    def work(self) -> float:
        """How much was done to make choices."""
        return 1 + len(self._possible) / 2

    @property
    def change(self) -> float:
        """The least change of all rates that reaches the box."""
        return float(max(0, 1 - 1 / max(self.low), 1 / min(self.high) - 1))

    def reached(self, change: Amount) -> FactorBox | None:
        """Return what a change reaches of the box, None where that is nothing."""
        least, most = factors_of(change)
        low = tuple(max(each, least) for each in self.low)
        high = tuple(min(each, most) for each in self.high)
        return None if any(a > b for a, b in zip(low, high, strict=True)) else FactorBox(low, high)

    def is_ahead(self, value: RateSum) -> bool:
        """Whether a sum is above 0 in all of the box."""
        least = self.settled(value)[1]
        # A sum that is 0 at ends of the box, but not all over it, is more than 0 within.
        return least > 0 or (self.exact and least == 0)

    def settled(self, value: RateSum) -> tuple[RateSum, Amount]:
        """Return a sum with what is chosen all over the box put in, and what it is not below."""
        if not value.terms:
            return value, self._least(value.multiples)
        waiting, open_terms = [*value.terms], []
        multiples = value.multiples
        while waiting:
            term = waiting.pop()
            places = self.possible(term.choice)
            if len(places) == 1:
                option = term.options[places[0]]
                multiples = added(multiples, option.multiples)
                waiting += option.terms
            else:
                open_terms.append(term)
        sure = multiples
        more: Amount = 0
        for term in open_terms:
            place, least = self._worst(term)
            option = term.options[place]
            # The largest is not below any: one of them is added up with the rest.
            if term.longest and not option.terms:
                sure = added(sure, option.multiples)
            else:
                more += least
        return RateSum(multiples, tuple(open_terms)), self._least(sure) + more

    def _worst(self, term: Chosen) -> tuple[int, Amount]:
        """Return the place of the option that makes least of a term, and what it is not below."""
        leasts = [(self.settled(term.options[p])[1], p) for p in self.possible(term.choice)]
        least, place = max(leasts) if term.longest else min(leasts)
        return place, least

    def _least(self, multiples: Multiples) -> Amount:
        found: Amount = 0
        size: Amount = 0
        for each, low, high in zip(multiples, self.low, self.high, strict=True):
            if each > 0:
                found += each * low
                size += each * high
            elif each:
                found += each * high
                size -= each * high
        return found - self._rounding * size

    def possible(self, choice: Choice) -> list[int]:
        """Return the places of what may be the longest somewhere in the box."""
        found = self._possible.get(id(choice))
        if found is None:
            found = [*range(len(choice.values))]
            for place in reversed(range(len(choice.values))):
                others = (choice.differences[other, place] for other in found if other != place)
                if any(map(self.is_ahead, others)):
                    found.remove(place)  # of equals the first is left
            self._possible[id(choice)] = found
        return found

    def pulls(self, value: RateSum) -> list[list[float]]:
        """Return how much each factor is to be small, and how much large, for a small sum.

        That takes the worst of the open choices, and what makes it the one that is chosen.
        """
        found = [[0.0, 0.0] for _ in self.low]
        waiting = [value]
        while waiting:
            value = waiting.pop()
            for pull, each in zip(found, value.multiples, strict=True):
                pull[each < 0] += abs(float(each))
            for term in value.terms:
                worst, _ = self._worst(term)
                waiting.append(term.options[worst])
                if not term.longest:
                    others = (p for p in self.possible(term.choice) if p != worst)
                    waiting += (term.choice.differences[other, worst] for other in others)
        return found

    def worst(self, pulls: Sequence[Sequence[float]]) -> Corner:
        """Return the corner to which factors are pulled, else nearest to no change."""
        return tuple(
            min(max(1, low), high) if down == up else low if down > up else high
            for (down, up), low, high in zip(pulls, self.low, self.high, strict=True)
        )

    def halves(self, gaps: Mapping[str, RateSum]) -> Iterator[FactorBox]:
        """Yield the halves along the factor that is pulled to both ends the most."""
        both, either = [0.0] * len(self.low), [0.0] * len(self.low)
        for gap in gaps.values():
            for place, (down, up) in enumerate(self.pulls(gap)):
                width = float(self.high[place] - self.low[place])
                both[place] += min(down, up) * width
                either[place] += max(down, up) * width
        weights = both if any(both) else either
        place = weights.index(max(weights))
        middle = math.sqrt(self.low[place] * self.high[place])
        yield FactorBox(self.low, (*self.high[:place], middle, *self.high[place + 1 :]))
        yield FactorBox((*self.low[:place], middle, *self.low[place + 1 :]), self.high)


class _Waiting(NamedTuple):
    """A box, up to which change the bound holds in it, and the gaps that may be negative beyond."""

    holds: float
    number: int
    box: FactorBox
    gaps: Mapping[str, RateSum]


class TurningSearch:
    """Looks for the least change of all rates at which one of some gaps is negative.

    `gaps` are how much more is charged to the bound than to each other, by their names. `turn` is a
    point at which one is, once it was seen, and `turns` the change that reaches it; at first that
    beyond which nothing is asked.
    """

    def __init__(self, gaps: Mapping[str, RateSum], budget: Budget, limit: float = NEVER) -> None:
        self.gaps = gaps
        self.budget = budget
        self.turns = limit
        self.turn: Corner | None = None
        self._for_close = (1 - _FOR_EXACT) * budget.left
        self._heap: list[_Waiting] = []
        self._numbers = count()

    @property
    def _near(self) -> float:
        """The change up to which the bound is to be shown to hold."""
        exact = self.budget.left > self._for_close
        less = _EXACT * (self.turns + _SMALL) if exact else _CLOSE * self.turns
        return self.turns - less if self.turn else self.turns

    def found(self) -> float:
        """Return up to which change the bound holds; `turn` is one that turns it."""
        size = len(next(iter(self.gaps.values())).multiples)
        low, high = ((each,) * (size - 1) for each in factors_of(self.turns))
        self._put(FactorBox((*low, 1), (*high, 1)), self.gaps, 0.0)
        while self._heap and self.budget.left and self._heap[0].holds < self._near > _NONE:
            waiting = heappop(self._heap)
            for half in waiting.box.halves(waiting.gaps):
                self._put(half, waiting.gaps, waiting.holds)
        return min(self.turns, self._heap[0].holds) if self._heap else self.turns

    def holds_in(self, box: FactorBox) -> bool | None:
        """Return whether the bound is ahead in all of a box, None where that is not decided.

        Where it is not, `turn` is a point in the box.
        """
        waiting = [(box, self.gaps)]
        while waiting and self.budget.left:
            box, gaps = waiting.pop()
            left = self._left(box, gaps)
            if self._is_turned(box, left):
                return False
            if left:
                waiting += ((half, left) for half in box.halves(left))
        return None if waiting else True

    def _left(self, box: FactorBox, gaps: Mapping[str, RateSum]) -> dict[str, RateSum]:
        """Return the gaps that may be negative in a box, with all that is chosen there put in."""
        settled = {name: box.settled(gap) for name, gap in gaps.items()}
        self.budget.spend(box.work)
        return {name: gap for name, (gap, least) in settled.items() if least <= 0}

    def _put(self, whole: FactorBox, gaps: Mapping[str, RateSum], holds: float) -> None:
        """Put a box on the heap, unless the bound is ahead in all that is asked of it."""
        turns = self.turns
        box = whole.reached(turns)
        left = box and self._left(box, gaps)
        if not (box and left):
            return
        gaps, holds = left, max(holds, box.change)
        while turns - holds > _HALVED * turns and turns > _NONE:
            middle = math.expm1((math.log1p(holds) + math.log1p(turns)) / 2)
            inner = box.reached(middle)
            here = inner and self._left(inner, left)
            if here:
                turns, left = middle, here
            else:
                holds = middle
        for more in _BEYOND:
            wider = min(turns + more * (turns + _SMALL), self.turns)
            beyond = box.reached(wider)
            if beyond and self._is_turned(beyond, {name: gaps[name] for name in left}):
                break
        heappush(self._heap, _Waiting(holds, next(self._numbers), box, gaps))

    def _is_turned(self, box: FactorBox, gaps: Mapping[str, RateSum]) -> bool:
        """Whether a gap is negative where it is most likely to be; keep the point if so."""
        for gap in gaps.values():
            point = box.worst(box.pulls(gap))
            at = FactorBox(point, point)
            turned = at.is_ahead(gap.times(-1))
            self.budget.spend(at.work)
            if turned:
                if self.turn is None or at.change < self.turns:
                    self.turn, self.turns = point, at.change
                return True
        return False
