"""The search behind `sign_runs`: boxes are decided, or cut, from left to right.

In a box where the bounds of the values do not overlap, the order is known; where the slopes do not
overlap, the ratio is monotone and crosses 1 at most once, at a place that exact signs pin down;
where a slope from the middle does not lead to equal values, the order is known too. Other boxes are
cut in two.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

from roofdsl.allowance import Budget
from roofdsl.numeric.interval import Bounds
from roofdsl.numeric.jumping_box import by_mean_value, near
from roofdsl.numeric.monotone_box import monotone
from roofdsl.numeric.pair import OpenBox, Pair
from roofdsl.numeric.place import Place, middle, outer, place_after
from roofdsl.numeric.run import STATES, SignRun, append

# A box with more jumps than this may be left as `mixed`: to list them would take a box for each,
# and nobody reads a list so long.
DENSE = 64
# Real boxes that are narrower, relatively, are not cut any more: between their ends lie so few
# floats that a middle could hardly be told from an end.
_TINY = 2.0**-50


def search(
    pair: Pair,
    low: Place,
    high: Place,
    budget: Budget,
    *,
    dense: bool = False,
    reverse: bool = False,
    until: Callable[[list[SignRun]], bool] | None = None,
) -> list[SignRun]:
    """Return the maximal runs of one state, from left to right, or the other way round.

    `dense`: whether boxes of many jumps may be left as `mixed`; `until`: the search ends as soon as
    this holds of what was found. What the budget did not suffice for is undecided.
    """
    # The boxes on the stack and those found cover the range at all times, but for enclosures of
    # real roots between two of them: whatever ends the search, nothing was passed over.
    stack: list[SignRun | OpenBox] = [OpenBox(low, high, pair)]
    found: list[SignRun] = []
    while stack:
        item = stack.pop()
        if isinstance(item, SignRun):
            append(found, item, reverse=reverse)
            if until is not None and until(found):
                break
        elif not budget.left:
            # What is left lies on one side of what was found, as boxes come in order: it can be
            # given up in one piece without a word on what is decided.
            stack.append(item)
            left, right = min(each.first for each in stack), max(each.last for each in stack)
            append(found, SignRun(left, right, "undecided"), reverse=reverse)
            break
        else:
            parts = _examined(*item, budget, dense)
            stack.extend(parts if reverse else reversed(parts))
    return found


def _examined(
    low: Place, high: Place, pair: Pair, budget: Budget, dense: bool
) -> list[SignRun | OpenBox]:
    # log2 x was divided out of both sides; it is 0 at x = 1, so the quotients' order is not theirs
    # there, and the point is decided by itself.
    if pair.vanishes_at_1 and low == 1 < high:
        first = SignRun(low, low, STATES[pair.order_at(1, budget)])
        return [first, OpenBox(place_after(low), high, pair)]
    if pair.sign is not None and not (pair.vanishes_at_1 and low == 1):
        return [SignRun(low, high, STATES[pair.sign])]
    if low == high:
        return [SignRun(low, low, STATES[pair.order_at(low, budget)])]
    budget.spend(pair.cost)
    # The bounds hold for every x of the box, real ones between whole places too, because the
    # floats around its ends enclose it. So where they do not overlap, the order is proven.
    bottom, top = outer(low, high)
    left, right = pair.left.over(bottom, top), pair.right.over(bottom, top)
    if pair.nowhere:
        return [SignRun(low, high, "undecided")]
    if left[0] > right[1]:
        return [SignRun(low, high, "above")]
    if left[1] < right[0]:
        return [SignRun(low, high, "below")]
    # Both sides have one value, exactly, and it is the same: an enclosure is never too narrow.
    if left[0] == left[1] == right[0] == right[1] and abs(left[0]) < inf:
        return [SignRun(low, high, "equal")]
    direction = _direction(left, right)
    jumps = pair.jumps
    # Without jumps both sides are continuous in the box, and with slopes that do not overlap their
    # ratio is strictly monotone: it passes 1 once at most. With jumps neither holds.
    if direction and not jumps:
        return monotone(pair, low, high, direction, budget)
    # Choices that the box decides are the same in all boxes within it, so it is worth making them
    # once: the simpler formulas have narrower enclosures.
    settled = pair.settled(budget)
    if settled is not None:
        return [OpenBox(low, high, settled)]
    order = by_mean_value(pair, left, right, bottom, top)
    if order:
        return [SignRun(low, high, STATES[order])]
    if isinstance(low, float) and high <= low * (1 + _TINY):
        return _tiny(pair, low, high, budget)
    half = middle(low, high)
    # Where three points cannot be told in spite of the jumps, the sides most likely lie within
    # reach of each other's jumps all along, and cutting would end at single jumps only. Where such
    # a stretch begins and ends is proven afterwards, by scans.
    many = jumps > DENSE and not (isinstance(low, int) and high - low < DENSE)
    if dense and many and not any(near(pair, x) for x in (low, half, high)):
        return [SignRun(low, high, "mixed")]
    second = place_after(half) if isinstance(half, int) else half
    return [OpenBox(low, half, pair), OpenBox(second, high, pair)]


def _tiny(pair: Pair, low: Place, high: Place, budget: Budget) -> list[SignRun | OpenBox]:
    """Decide a real box that is too narrow to be cut, as far as its ends tell."""
    jumps = pair.jumps
    if jumps:
        # Where exact values tell that a jump lies elsewhere, what is left may have none.
        fixed = pair.without_jumps(Fraction(low), Fraction(high), budget)
        if fixed is not None:
            return [OpenBox(low, high, fixed)]
    first, last = pair.order_at(low, budget), pair.order_at(high, budget)
    ends = SignRun(low, low, STATES[first]), SignRun(high, high, STATES[last])
    if first is None or last is None or high <= low:
        return [SignRun(low, high, "undecided")]
    if first != last:
        return [*ends]
    # The order is the same on both sides, but they may touch in between. No float need be the
    # place; a place that a formula has is nearly always the simplest fraction there, and an exact
    # tie at it is proof. If it is none, the box stays undecided: it may hide another.
    touching = _simplest(Fraction(low), Fraction(high))
    if first and pair.exact(touching, budget) == 0:
        return [ends[0], SignRun(float(touching), float(touching), "equal"), ends[1]]
    return [SignRun(low, high, "undecided")]


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


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction with the smallest denominator between two numbers > 0."""
    whole = low.__ceil__()
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
