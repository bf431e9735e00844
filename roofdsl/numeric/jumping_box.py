"""A box with many jumps: what is certain in spite of them."""

from __future__ import annotations

from math import inf, log, sqrt

from roofdsl.numeric.interval import Bounds
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, outer


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
