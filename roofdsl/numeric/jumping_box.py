"""A box with many jumps: what is certain in spite of them."""

from __future__ import annotations

from math import inf, log, sqrt

from roofdsl.numeric.box import OpenBox
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.interval import Bounds
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, middle, outer, place_after, place_before
from roofdsl.numeric.run import STATES, SignRun


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
    centre = sqrt(bottom) * sqrt(top)
    if not bottom < centre < top:
        return 0
    one, other = pair.left.near(centre, centre), pair.right.near(centre, centre)
    if not (one[0] > 0 and other[0] > 0 and one[1] < inf and other[1] < inf):
        return 0
    back, forth = log(bottom / centre) * (1 + 1e-12), log(top / centre) * (1 + 1e-12)
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
    pair: Pair, low: Place, high: Place, direction: int, budget: Budget
) -> list[SignRun | OpenBox]:
    """Cut off both sides of a box where the order is certain in spite of its jumps.

    With the jumps fixed, whatever they are, the ratio is monotone: what is certain at a place is
    certain on its far side. Where neither side is certain, nothing is returned.
    """
    before, after = -direction, direction
    if near(pair, low) == after:
        return [SignRun(low, high, STATES[after])]
    if near(pair, high) == before:
        return [SignRun(low, high, STATES[before])]
    start, end = low, high
    head: list[SignRun | OpenBox] = []
    tail: list[SignRun | OpenBox] = []
    if near(pair, low) == before:
        last = _last(pair, low, high, before, budget)
        head, start = [SignRun(low, last, STATES[before])], place_after(last)
    if near(pair, high) == after:
        first = _last(pair, high, start, after, budget)
        tail, end = [SignRun(first, high, STATES[after])], place_before(first)
    if not (head or tail):
        return []
    rest = [OpenBox(start, end, pair)] if start <= end else []
    return [*head, *rest, *tail]


def _last(pair: Pair, certain: Place, doubtful: Place, order: int, budget: Budget) -> Place:
    """Return the place furthest from `certain`, towards `doubtful`, where the order is certain."""
    # Any place found certain will do, the furthest is only the best cut: so the halving may stop
    # when it has come close.
    while budget.left and abs(doubtful - certain) > 1e-12 * abs(certain):
        budget.spend(pair.cost)
        half = middle(min(certain, doubtful), max(certain, doubtful))
        if half in (certain, doubtful):
            break
        if near(pair, half) == order:
            certain = half
        else:
            doubtful = half
    return certain
