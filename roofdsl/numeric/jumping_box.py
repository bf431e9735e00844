"""A box with many jumps: what is certain in spite of them."""

from __future__ import annotations

from math import inf, isqrt, log, sqrt

from roofdsl.numeric.box import STATES, Axis, Place, SearchBox, outer
from roofdsl.numeric.interval import Bounds
from roofdsl.numeric.pair import Pair


def near(pair: Pair, place: Place) -> int:
    """Return the order that a place has however the jumps near it fall, 0 if there is none."""
    bottom, top = outer(place, place)
    left, right = pair.left.near(bottom, top), pair.right.near(bottom, top)
    return 1 if left[0] > right[1] else -1 if left[1] < right[0] else 0


def by_mean_value(pair: Pair, left: Bounds, right: Bounds, bottom: float, top: float) -> int:
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


def outside_jumps(
    axis: Axis, low: Place, high: Place, pair: Pair, direction: int
) -> list[SearchBox]:
    """Cut off both sides of a box where the order is certain in spite of its jumps.

    With the jumps fixed, whatever they are, the ratio is monotone: what is certain at a place is
    certain on its far side.
    """
    start, end = low, high
    if near(pair, low) == -direction:
        if near(pair, high) == -direction:
            return [SearchBox(low, high, STATES[-direction])]
        start = _last(axis, pair, low, high, -direction)
    if near(pair, high) == direction:
        if near(pair, low) == direction:
            return [SearchBox(low, high, STATES[direction])]
        end = _last(axis, pair, high, start, direction)
    items = []
    if start != low:
        items.append(SearchBox(low, start, STATES[-direction]))
        start = axis.after(start)
    if end != high:
        items.append(SearchBox(end, high, STATES[direction]))
        end = axis.before(end)
    if not items:
        return []
    middle = [SearchBox(start, end, None, pair)] if start <= end else []
    return [*items[:1], *middle, *items[1:]] if items[0].low == low else [*middle, *items]


def _last(axis: Axis, pair: Pair, certain: Place, doubtful: Place, order: int) -> Place:
    """Return the place furthest from `certain`, towards `doubtful`, where the order is certain."""
    # Any place found certain will do, the furthest is only the best cut: so the halving may stop
    # when it has come close.
    while axis.budget.left:
        axis.budget.spend(pair.cost)
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
        if near(pair, middle) == order:
            certain = middle
        else:
            doubtful = middle
    return certain
