"""The search behind `sign_runs`: boxes are decided, or cut, from left to right.

In a box where the bounds of the values do not overlap, the order is known; where the slopes do not
overlap, the ratio is monotone and crosses 1 at most once, at a place that exact signs pin down;
where a slope from the middle does not lead to equal values, the order is known too. Other boxes are
cut in two.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isqrt, log, nextafter, sqrt
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.numeric.budget import Budget
from roofdsl.numeric.interval import Bounds, around
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.root import approximate_root, enclose_root

Place: TypeAlias = int | float
# How `left` lies to `right`: above it, below, equal; `mixed`: now this, now that, by jumps too
# dense to be listed.
State: TypeAlias = Literal["above", "below", "equal", "mixed", "undecided"]
STATES: dict[int | None, State] = {1: "above", -1: "below", 0: "equal", None: "undecided"}

# A box with more jumps than this may be left as `mixed`: to list them would take a box for each,
# and nobody reads a list so long.
DENSE = 64
# Real boxes that are narrower, relatively, are not cut any more: between their ends lie so few
# floats that a middle could hardly be told from an end.
_TINY = 2.0**-50


class SearchBox(NamedTuple):
    """A box, ends included; `state` is None while it is open, and `pair` has the two formulas."""

    low: Place
    high: Place
    state: State | None
    pair: Pair | None = None


class Search:
    """Searches that share one budget; `dense`: whether boxes may be left as `mixed`."""

    def __init__(self, *, integer: bool, budget: Budget, dense: bool = True) -> None:
        self.integer = integer
        self.budget = budget
        self.dense = dense
        # Where the order changes by a jump, by the last place before it (of a real unknown).
        self.jumps: set[Place] = set()

    def run(
        self, pair: Pair, low: Place, high: Place, *, reverse: bool = False, stop: bool = False
    ) -> list[SearchBox]:
        """Return the maximal boxes of one state, from left to right, or the other way round.

        `stop`: as soon as there is a second. What the budget did not suffice for is undecided.
        """
        # The boxes on the stack and those found cover the range at all times, but for enclosures of
        # real roots between two of them: whatever ends the search, nothing was passed over.
        stack = [SearchBox(low, high, None, pair)]
        found: list[SearchBox] = []
        while stack:
            item = stack.pop()
            if item.state is not None:
                self._append(found, item, reverse=reverse)
                if stop and len(found) > 1:
                    break
            elif not self.budget.left:
                # What is left lies on one side of what was found, as boxes come in order: it can be
                # given up in one piece without a word on what is decided.
                stack.append(item)
                left = min(each.low for each in stack)
                right = max(each.high for each in stack)
                self._append(found, SearchBox(left, right, "undecided"), reverse=reverse)
                break
            else:
                parts = self._examine(item.low, item.high, item.pair or pair)
                stack.extend(parts if reverse else reversed(parts))
        return found

    def _append(self, found: list[SearchBox], item: SearchBox, *, reverse: bool) -> None:
        if found and found[-1].state == item.state:
            last = found[-1]
            left, right = (item, last) if reverse else (last, item)
            if left.high in (right.low, self.before(right.low)):
                found[-1] = SearchBox(left.low, right.high, item.state)
                return
        found.append(item)

    def after(self, place: Place) -> Place:
        """Return the next place."""
        return place + 1 if self.integer else nextafter(place, inf)

    def before(self, place: Place) -> Place:
        """Return the place before."""
        return place - 1 if self.integer else nextafter(place, -inf)

    def _examine(self, low: Place, high: Place, pair: Pair) -> list[SearchBox]:
        # log2 x was divided out of both sides; it is 0 at x = 1, so the quotients' order is not
        # theirs there, and the point is decided by itself.
        if pair.vanishes_at_1 and low == 1:
            first = SearchBox(low, low, STATES[pair.order_at(1, self.budget)])
            return [first] if low == high else [first, SearchBox(self.after(low), high, None, pair)]
        if pair.sign is not None:
            return [SearchBox(low, high, STATES[pair.sign])]
        if low == high:
            return [SearchBox(low, low, STATES[self._order(pair, low)])]
        self.budget.spend(pair.cost)
        # The bounds hold for every x of the box, real ones between whole places too, because the
        # floats around its ends enclose it. So where they do not overlap, the order is proven.
        bottom, top = _outer(low, high)
        left, right = pair.left.over(bottom, top), pair.right.over(bottom, top)
        if pair.nowhere:
            return [SearchBox(low, high, "undecided")]
        if left[0] > right[1]:
            return [SearchBox(low, high, "above")]
        if left[1] < right[0]:
            return [SearchBox(low, high, "below")]
        # Both sides have one value, exactly, and it is the same: an enclosure is never too narrow.
        if left[0] == left[1] == right[0] == right[1] and abs(left[0]) < inf:
            return [SearchBox(low, high, "equal")]
        direction = _direction(left, right)
        jumps = pair.jumps
        # Without jumps both sides are continuous in the box, and with slopes that do not overlap
        # their ratio is strictly monotone: it passes 1 once at most. With jumps neither holds.
        if direction and not jumps:
            return self._monotone(low, high, pair, direction)
        # Choices that the box decides are the same in all boxes within it, so it is worth making
        # them once: the simpler formulas have narrower enclosures.
        settled = pair.settled(self.budget)
        if settled is not None:
            return [SearchBox(low, high, None, settled)]
        order = _by_mean_value(pair, left, right, bottom, top)
        if order:
            return [SearchBox(low, high, STATES[order])]
        if not self.integer and high <= low * (1 + _TINY):
            return self._tiny(low, high, pair, jumps)
        if jumps > DENSE and not (self.integer and high - low < DENSE):
            if direction:
                parts = _outside_jumps(low, high, pair, direction, self)
                if parts:
                    return parts
            # Where three points cannot be told in spite of the jumps, the sides most likely lie
            # within reach of each other's jumps all along, and cutting would end at single jumps
            # only. Where such a stretch begins and ends is proven afterwards, by scans.
            if self.dense and all(not _near(pair, x) for x in (low, self._middle(low, high), high)):
                return [SearchBox(low, high, "mixed")]
        middle = self._middle(low, high)
        second = self.after(middle) if self.integer else middle
        return [SearchBox(low, middle, None, pair), SearchBox(second, high, None, pair)]

    def _middle(self, low: Place, high: Place) -> Place:
        # The geometric middle: formulas here are sums of powers, nearly straight in log x, so that
        # each decade of a long range is worth as many boxes as the next.
        if isinstance(low, int) and isinstance(high, int):
            return min(max(isqrt(low * high), low), high - 1)
        # Two roots, as the product of two large ends would overflow.
        middle = sqrt(low) * sqrt(high)
        return middle if low < middle < high else (low + high) / 2

    def _order(self, pair: Pair, place: Place) -> int | None:
        """Return the exact order at a place, and count the work."""
        self.budget.spend(pair.cost)
        order = None if pair.vanishes_at_1 and place == 1 else pair.order_near(place)
        if order is None and not pair.nowhere:
            order = pair.order_at(place, self.budget)
        return order

    def _monotone(self, low: Place, high: Place, pair: Pair, direction: int) -> list[SearchBox]:
        """Decide a box in which the order can change once, towards `direction`."""
        # The ratio moves towards `direction` only, so what is so at the left end stays so, and what
        # is not yet so at the right end was never so before. Only if the ends differ is there a
        # place of change, and exactly one.
        first = self._order(pair, low)
        if first == direction:
            return [SearchBox(low, high, STATES[direction])]
        last = self._order(pair, high)
        if last == -direction:
            return [SearchBox(low, high, STATES[last])]
        # An end that is a tie, or cannot be told, is taken off; the rest is monotone as well.
        if first != -direction:
            rest = SearchBox(self.after(low), high, STATES[direction] if first == 0 else None, pair)
            return [SearchBox(low, low, STATES[first]), rest]
        if last != direction:
            rest = SearchBox(low, self.before(high), STATES[first] if last == 0 else None, pair)
            return [rest, SearchBox(high, high, STATES[last])]
        if isinstance(low, int) and isinstance(high, int):
            start = self._threshold(low, high, pair, direction)
            return self._around_threshold(low, start, high, pair, direction)
        bottom, top = enclose_root(pair, low, high, direction, self.budget)
        if bottom < top:
            return [
                SearchBox(low, bottom, STATES[-direction]),
                SearchBox(top, high, STATES[direction]),
            ]
        return [
            SearchBox(low, self.before(bottom), STATES[-direction]),
            SearchBox(bottom, bottom, "equal"),
            SearchBox(self.after(bottom), high, STATES[direction]),
        ]

    def _around_threshold(
        self, low: int, start: int, high: int, pair: Pair, direction: int
    ) -> list[SearchBox]:
        # The numbers before the first of the new order are decided one by one until one has the
        # old order: ties lie there, and by monotony nothing but the old order before them. Where
        # the budget ends first, the old order is known of `low` alone.
        items = [SearchBox(start, high, STATES[direction])]
        place = start - 1
        order = self._order(pair, place)
        while order != -direction:
            items.append(SearchBox(place, place, STATES[order]))
            place -= 1
            if not self.budget.left:
                items.append(SearchBox(low + 1, place, "undecided"))
                place = low
            order = -direction if place == low else self._order(pair, place)
        items.append(SearchBox(low, place, STATES[-direction]))
        return [item for item in items[::-1] if item.low <= item.high]

    def _threshold(self, low: int, high: int, pair: Pair, direction: int) -> int:
        """Return the first whole number at which the order is `direction`; at `low` it is not."""
        # Newton's root is nearly always within a few numbers of the threshold, so steps that grow
        # from it bracket the threshold with a handful of exact signs, where halving the whole range
        # would take sixty. The guess proves nothing: every bound below is an exact sign.
        guess = int(approximate_root(pair, float(low), float(high), direction))
        self.budget.spend(6 * pair.cost)
        guess = min(max(guess, low), high - 1)
        step = 1
        if self._order(pair, guess) == direction:
            high = guess
            while high - step > low and self._order(pair, high - step) == direction:
                high, step = high - step, step * 4
            low = max(low, high - step)
        else:
            low = guess
            while low + step < high and self._order(pair, low + step) != direction:
                low, step = low + step, step * 4
            high = min(high, low + step)
        while high - low > 1:
            middle = (low + high) // 2
            if self._order(pair, middle) == direction:
                high = middle
            else:
                low = middle
        return high

    def _tiny(self, low: Place, high: Place, pair: Pair, jumps: float) -> list[SearchBox]:
        """Decide a real box that is too narrow to be cut, as far as its ends tell."""
        first, last = self._order(pair, low), self._order(pair, high)
        ends = [SearchBox(low, low, STATES[first]), SearchBox(high, high, STATES[last])]
        if first is None or last is None or high <= low:
            return [SearchBox(low, high, "undecided")]
        if first != last:
            if jumps:
                self.jumps.add(low)
            return ends
        # The order is the same on both sides, but they may touch in between. No float need be the
        # place; a place that a formula has is nearly always the simplest fraction there, and an
        # exact tie at it is proof. If it is none, the box stays undecided: it may hide another.
        touching = _simplest(Fraction(low), Fraction(high))
        if first and pair.exact(touching, self.budget) == 0:
            return [ends[0], SearchBox(float(touching), float(touching), "equal"), ends[1]]
        return [SearchBox(low, high, "equal" if first == 0 else "undecided")]


def _outer(low: Place, high: Place) -> tuple[float, float]:
    # A whole number beyond 2^53 may be no float: its neighbours outwards enclose it.
    bottom = around(low)[0] if isinstance(low, int) else low
    top = around(high)[1] if isinstance(high, int) else high
    return bottom, top


def _direction(left: Bounds, right: Bounds) -> int:
    """Return towards which order the ratio of the two moves as x grows: 1, -1, or 0 if unknown."""
    # d log|f| / d log x is the slope, so of f/g it is the difference of the slopes: where they do
    # not overlap, it has one sign. Where both are below 0, a larger |f| is a smaller f.
    steeper = 1 if left[2] > right[3] else -1 if left[3] < right[2] else 0
    if left[0] >= 0 and right[0] >= 0 and (left[0] > 0 or right[0] > 0):
        return steeper
    if left[1] <= 0 and right[1] <= 0 and (left[1] < 0 or right[1] < 0):
        return -steeper
    return 0


def _near(pair: Pair, place: Place) -> int:
    """Return the order that a place has however the jumps near it fall, 0 if there is none."""
    bottom, top = _outer(place, place)
    left, right = pair.left.near(bottom, top), pair.right.near(bottom, top)
    return 1 if left[0] > right[1] else -1 if left[1] < right[0] else 0


def _by_mean_value(pair: Pair, left: Bounds, right: Bounds, bottom: float, top: float) -> int:
    """Return the order if the slopes cannot lead from the middle of a box to equal values, or 0."""
    if not (left[0] > 0 and right[0] > 0):
        return 0
    # log(f/g) at any place of the box is what it is in the middle plus a slope of the box times the
    # way there in log x, by the mean value theorem. Jumps do no harm: `near` takes each as a term
    # between its limits, the same all over the box, and so f and g as continuous.
    least, most = left[2] - right[3], left[3] - right[2]
    if not (-inf < least and most < inf):
        return 0
    middle = sqrt(bottom) * sqrt(top)
    if not bottom < middle < top:
        return 0
    one, other = pair.left.near(middle, middle), pair.right.near(middle, middle)
    if not (one[0] > 0 and other[0] > 0 and one[1] < inf and other[1] < inf):
        return 0
    back, forth = log(bottom / middle) * (1 + 1e-12), log(top / middle) * (1 + 1e-12)
    # Logarithms in floats are off by an ulp or so; the slack is far above that.
    slack = 1e-14
    low = log(one[0]) - log(other[1])
    high = log(one[1]) - log(other[0])
    slack += 1e-15 * (abs(low) + abs(high) + abs(log(one[1])) + abs(log(other[1])))
    if low + min(0.0, least * forth, most * back) > slack:
        return 1
    if high + max(0.0, most * forth, least * back) < -slack:
        return -1
    return 0


def _outside_jumps(
    low: Place, high: Place, pair: Pair, direction: int, search: Search
) -> list[SearchBox]:
    """Cut off both sides of a box where the order is certain in spite of its jumps.

    With the jumps fixed, whatever they are, the ratio is monotone: what is certain at a place is
    certain on its far side.
    """
    start, end = low, high
    if _near(pair, low) == -direction:
        if _near(pair, high) == -direction:
            return [SearchBox(low, high, STATES[-direction])]
        start = _last(pair, low, high, -direction, search)
    if _near(pair, high) == direction:
        if _near(pair, low) == direction:
            return [SearchBox(low, high, STATES[direction])]
        end = _last(pair, high, start, direction, search)
    items = []
    if start != low:
        items.append(SearchBox(low, start, STATES[-direction]))
        start = search.after(start)
    if end != high:
        items.append(SearchBox(end, high, STATES[direction]))
        end = search.before(end)
    if not items:
        return []
    middle = [SearchBox(start, end, None, pair)] if start <= end else []
    return [*items[:1], *middle, *items[1:]] if items[0].low == low else [*middle, *items]


def _last(pair: Pair, certain: Place, doubtful: Place, order: int, search: Search) -> Place:
    """Return the place furthest from `certain`, towards `doubtful`, where the order is certain."""
    # Any place found certain will do, the furthest is only the best cut: so the halving may stop
    # when it has come close.
    while search.budget.left:
        search.budget.spend(pair.cost)
        if isinstance(certain, int) and isinstance(doubtful, int):
            middle: Place = isqrt(certain * doubtful)
            if middle in (certain, doubtful):
                middle = (certain + doubtful) // 2
        else:
            middle = sqrt(certain) * sqrt(doubtful)
        if not min(certain, doubtful) < middle < max(certain, doubtful):
            break
        if abs(doubtful - certain) <= 1e-12 * abs(certain):
            break
        if _near(pair, middle) == order:
            certain = middle
        else:
            doubtful = middle
    return certain


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator between two numbers > 0."""
    whole = low.__ceil__()
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
