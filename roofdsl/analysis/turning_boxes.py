"""The least change of all rates that turns a bound, enclosed by boxes of factors.

Where steps overlap, what the time is charged to may rise and fall with a rate, so corners alone
show nothing. Boxes are looked at in the order of the least change that reaches them. In a box, a
choice whose answer interval arithmetic knows is made for all boxes within it; of any other, what
comes of the worst answer counts. A box in which the bound stays ahead of all others is done, any
other is halved. No change below the least that reaches a box on the heap turns the bound, and each
point that was seen to turn it is one that does: so both ends are valid whenever the search stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, product
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.margin import NEVER
from roofdsl.analysis.scaled import Choice, Form, Scaled, added
from roofdsl.analysis.turning import ROUNDING, Enclosed, Point, Turn
from roofdsl.numeric.budget import Budget

Corner: TypeAlias = tuple[float, ...]
"""One end of a box, or a point: the logarithm of each factor."""
_CLOSE = 0.002
"""How near, relatively, the ends of an answer are to come."""
_NONE = 1e-9
"""A smaller change is told from none by nothing that is computed in floats."""
_FARTHEST = 20.0
_HALVINGS = 30
_MOST_RAYS = 4
"""Of more factors, only some directions are tried."""


def reached(low: Corner, high: Corner) -> float:
    """Return the least common relative change of all rates that reaches a box.

    A change below ε takes the logarithm of a factor from -log(1 + ε) to -log(1 - ε).
    """
    return max(-math.expm1(-max(0.0, *low)), math.expm1(-min(0.0, *high)))


def clipped(low: Corner, high: Corner, change: float) -> tuple[Corner, Corner] | None:
    """Return what a change reaches of a box, None where that is nothing."""
    most, least = -math.log1p(-change), -math.log1p(change)
    inner = tuple(max(each, least) for each in low)
    outer = tuple(min(each, most) for each in high)
    return None if any(map(float.__gt__, inner, outer)) else (inner, outer)


class _Box:
    """Factors within two ends, and the choices that are made there."""

    __slots__ = ("_possible", "high", "low")

    def __init__(self, low: Corner, high: Corner) -> None:
        self.low = tuple(map(math.exp, low))
        self.high = tuple(map(math.exp, high))
        self._possible: dict[int, list[int]] = {}

    @property
    def choices(self) -> int:
        """How many choices were looked at."""
        return len(self._possible)

    def settled(self, value: Scaled) -> tuple[Scaled, float]:
        """Return a sum with what is chosen all over the box put in, and what it is not below."""
        waiting, open_terms = [*value.terms], []
        form = value.form
        while waiting:
            term = waiting.pop()
            places = self.possible(term.choice)
            if len(places) == 1:
                option = term.options[places[0]]
                form = added(form, option.form)
                waiting += option.terms
            else:
                open_terms.append(term)
        sure, more = form, 0.0
        for term in open_terms:
            least = [self.settled(term.options[p])[1] for p in self.possible(term.choice)]
            if not term.longest:
                more += min(least)
                continue
            # The largest is not below any: one of them is added up with the rest.
            option = term.options[self.possible(term.choice)[least.index(max(least))]]
            if option.terms:
                more += max(least)
            else:
                sure = added(sure, option.form)
        return Scaled(form, tuple(open_terms)), self._least(sure) + more

    def _least(self, form: Form) -> float:
        found = size = 0.0
        for each, low, high in zip(form, self.low, self.high, strict=True):
            found += float(each) * (low if each > 0 else high)
            size += abs(float(each)) * high
        return found - ROUNDING * size

    def possible(self, choice: Choice) -> list[int]:
        """Return the places of what may be the longest somewhere in the box."""
        found = self._possible.get(id(choice))
        if found is None:
            places = range(len(choice.values))
            # At least one: of two, not each can be the longer one everywhere.
            found = self._possible[id(choice)] = [
                place
                for place in places
                if not any(
                    self.settled(choice.differences[other, place])[1] > 0
                    for other in places
                    if other != place
                )
            ]
        return found

    def aim(self, value: Scaled) -> Form:
        """Return a sum that is small where a settled one may be: with the worst of open choices."""
        form = value.form
        for term in value.terms:
            places = self.possible(term.choice)
            least = [self.settled(term.options[place])[1] for place in places]
            worst = places[least.index(max(least) if term.longest else min(least))]
            form = added(form, self.aim(term.options[worst]))
            for other in places:
                if other != worst and not term.longest:
                    form = added(form, self.aim(term.choice.differences[other, worst]))
        return form

    def hangs_on(self, value: Scaled, found: list[float], seen: set[int]) -> None:
        """Add up for each factor by how much it can move what decides the open choices."""
        for term in value.terms:
            places = self.possible(term.choice)
            if id(term.choice) in seen or len(places) < 2:
                continue
            seen.add(id(term.choice))
            for one in places:
                self.hangs_on(term.options[one], found, seen)
                for other in places:
                    if one < other:
                        apart = term.choice.differences[one, other]
                        self.weigh(apart.form, found)
                        self.hangs_on(apart, found, seen)

    def weigh(self, form: Form, found: list[float]) -> None:
        for place, each in enumerate(form):
            found[place] += abs(float(each)) * (self.high[place] - self.low[place])


class _Waiting(NamedTuple):
    """A box that is not done, with the gaps that may be negative in it, by the others' names."""

    reached: float
    number: int
    low: Corner
    high: Corner
    gaps: Mapping[str, Scaled]


class TurningSearch:
    """Looks for the least change of all rates at which one of some gaps is negative.

    `mine` is what is charged to the bound, `gaps` how much more that is than what is charged to
    each other, by their names; `used` are the places of the factors that matter. What
    changes beyond `limit` do is not asked.
    """

    def __init__(
        self,
        mine: Scaled,
        gaps: Mapping[str, Scaled],
        used: Sequence[int],
        budget: Budget,
        limit: float = NEVER,
    ) -> None:
        self.mine = mine
        self.gaps = gaps
        self.used = used
        self.budget = budget
        self.limit = limit
        self._nearest = True
        self.turn: Turn | None = None
        self._heap: list[_Waiting] = []
        self._numbers = count()

    @property
    def goal(self) -> float:
        """The change up to which the bound is to be shown to hold."""
        return self.limit if self.turn is None else min(self.limit, self._near)

    @property
    def _near(self) -> float:
        return NEVER if self.turn is None else self.turn.change * (1 - _CLOSE)

    def found(self) -> Enclosed:
        """Return the least change that turns the bound, between two ends."""
        self._along_rays()
        farthest = tuple(_FARTHEST * (p in self.used) for p in range(len(self.mine.form)))
        self._put(tuple(-each for each in farthest), farthest, self.gaps)
        while self._heap and self.budget.left and self.goal > _NONE:
            waiting = heappop(self._heap)
            if waiting.reached >= self.goal:
                return Enclosed(self.goal, self.turn)
            for low, high in self._halves(waiting):
                self._put(low, high, waiting.gaps)
        least = self._heap[0].reached if self._heap else self.goal
        return Enclosed(max(0.0, min(least, self.goal)), self.turn)

    def in_box(self, low: Corner, high: Corner) -> bool | None:
        """Return whether the bound is ahead in all of a box, None where that is not decided.

        Where it is not, `turn` is a point in the box.
        """
        self._nearest = False
        self._put(low, high, self.gaps)
        while self._heap and self.budget.left and self.turn is None:
            waiting = heappop(self._heap)
            for ends in self._halves(waiting):
                self._put(*ends, waiting.gaps)
        if self.turn is not None:
            return False
        return None if self._heap else True

    def _put(self, low: Corner, high: Corner, gaps: Mapping[str, Scaled]) -> None:
        """Put what can be reached of a box on the heap, unless the bound is ahead in all of it."""
        ends = clipped(low, high, self.goal)
        if ends is None:
            return
        box = _Box(*ends)
        settled = {name: box.settled(gap) for name, gap in gaps.items()}
        left = {name: gap for name, (gap, least) in settled.items() if least <= 0}
        self.budget.spend(1 + box.choices / 2)
        if left:
            for gap in left.values():
                self._try(_worst(gap.form, *ends), left)
                if gap.terms:
                    self._try(_worst(box.aim(gap), *ends), left)
            heappush(self._heap, _Waiting(reached(*ends), next(self._numbers), *ends, left))

    def _halves(self, waiting: _Waiting) -> Iterator[tuple[Corner, Corner]]:
        """Yield the halves of a box, along the factor on which most hangs that is open."""
        low, high = waiting.low, waiting.high
        box, weights, seen = _Box(low, high), [0.0] * len(low), set[int]()
        for gap in waiting.gaps.values():
            box.hangs_on(gap, weights, seen)
            worst = _worst(gap.form, low, high)
            if reached(worst, worst) > self.goal:
                box.weigh(gap.form, weights)
        self.budget.spend(len(seen) / 2)
        if not any(weights):
            weights = [b - a for a, b in zip(low, high, strict=True)]
        place = weights.index(max(weights))
        middle = (low[place] + high[place]) / 2
        yield low, (*high[:place], middle, *high[place + 1 :])
        yield (*low[:place], middle, *low[place + 1 :]), high

    def _along_rays(self) -> None:
        """Try the directions in which each rate is faster, slower or as it is."""
        places = self.used
        signs: Iterator[tuple[float, ...]] = product((-1.0, 1.0, 0.0), repeat=len(places))
        if len(places) > _MOST_RAYS:
            signs = (tuple(sign * (p == q) for q in places) for p in places for sign in (-1.0, 1.0))
        for ray in signs:
            point = [0.0] * len(self.mine.form)
            for place, sign in zip(places, ray, strict=True):
                point[place] = sign * _FARTHEST
            self._try(tuple(point), self.gaps)

    def _try(self, point: Corner, gaps: Mapping[str, Scaled]) -> None:
        """Take a point at which the bound has turned, or one before it, if it is the nearest."""
        far = reached(point, point)
        if far > self.goal:
            point = _along(point, lambda nearer: reached(nearer, nearer) > self.goal)[0]
        if not self._turned(point, gaps):
            return
        if self._nearest:
            _, point = _along(point, lambda nearer: self._turned(nearer, gaps))
        change = reached(point, point)
        if self.turn is None or change < self.turn.change:
            self.turn = Turn(change, tuple(map(math.exp, point)))

    def _turned(self, point: Corner, gaps: Mapping[str, Scaled]) -> bool:
        at = Point(tuple(map(math.exp, point)))
        found = any(at.surely_turns(gap, self.mine) for gap in gaps.values())
        self.budget.spend(1 / 2 + at.choices / 8)
        return found


def _along(point: Corner, beyond: Callable[[Corner], bool]) -> tuple[Corner, Corner]:
    """Return two points near each other on the way to a point: the farther one is beyond."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if beyond(tuple(middle * each for each in point)):
            high = middle
        else:
            low = middle
    return tuple(low * each for each in point), tuple(high * each for each in point)


def _worst(form: Form, low: Corner, high: Corner) -> Corner:
    """Return the point of a box at which a sum is least, else nearest to no change."""
    return tuple(
        (a if each > 0 else b) if each else min(max(0.0, a), b)
        for each, a, b in zip(form, low, high, strict=True)
    )
