"""A box in which the ratio of two formulas is strictly monotone: it passes 1 at most once."""

from __future__ import annotations

from math import isqrt

from roofdsl.allowance import Budget
from roofdsl.numeric.pair import OpenBox, Pair
from roofdsl.numeric.place import Place, place_after, place_before
from roofdsl.numeric.root import approximate_root, enclose_root
from roofdsl.numeric.run import STATES, SignRun


def monotone(
    pair: Pair, low: Place, high: Place, direction: int, budget: Budget
) -> list[SignRun | OpenBox]:
    """Decide a box in which the order can change once, towards `direction`.

    What comes back may hold open boxes: to be decided in the same way.
    """
    # The ratio moves towards `direction` only, so what is so at the left end stays so, and what
    # is not yet so at the right end was never so before. Only if the ends differ is there a
    # place of change, and exactly one.
    first = pair.order_at(low, budget)
    if first == direction:
        return [SignRun(low, high, STATES[direction])]
    last = pair.order_at(high, budget)
    if last == -direction:
        return [SignRun(low, high, STATES[last])]
    # An end that is a tie, or cannot be told, is taken off; the rest is monotone as well.
    if first != -direction:
        start = place_after(low)
        rest = SignRun(start, high, STATES[direction]) if first == 0 else OpenBox(start, high, pair)
        return [SignRun(low, low, STATES[first]), rest]
    if last != direction:
        end = place_before(high)
        rest = SignRun(low, end, STATES[first]) if last == 0 else OpenBox(low, end, pair)
        return [rest, SignRun(high, high, STATES[last])]
    if isinstance(low, int) and isinstance(high, int):
        start = _threshold(pair, low, high, direction, budget)
        return [*_around_threshold(pair, low, start, high, direction, budget)]
    bottom, top = enclose_root(pair, low, high, direction, budget)
    before, after = STATES[-direction], STATES[direction]
    if bottom < top:
        return [SignRun(low, bottom, before), SignRun(top, high, after)]
    return [
        SignRun(low, place_before(bottom), before),
        SignRun(bottom, bottom, "equal"),
        SignRun(place_after(bottom), high, after),
    ]


def _around_threshold(
    pair: Pair, low: int, start: int, high: int, direction: int, budget: Budget
) -> list[SignRun]:
    # The numbers before the first of the new order are decided one by one until one has the
    # old order: ties lie there, and by monotony nothing but the old order before them. Where
    # the budget ends first, the old order is known of `low` alone.
    runs = [SignRun(start, high, STATES[direction])]
    place = start - 1
    order = pair.order_at(place, budget)
    while order != -direction:
        runs.append(SignRun(place, place, STATES[order]))
        place -= 1
        if not budget.left:
            runs.append(SignRun(low + 1, place, "undecided"))
            place = low
        order = -direction if place == low else pair.order_at(place, budget)
    runs.append(SignRun(low, place, STATES[-direction]))
    return [run for run in runs[::-1] if run.first <= run.last]


def _threshold(pair: Pair, low: int, high: int, direction: int, budget: Budget) -> int:
    """Return the first whole number at which the order is `direction`; at `low` it is not."""
    # Newton's root is nearly always within a few numbers of the threshold, so steps that grow
    # from it bracket the threshold with a handful of exact signs, where halving the whole range
    # would take sixty. The guess proves nothing: every bound below is an exact sign.
    if high < 2**1000:
        guess = int(approximate_root(pair, float(low), float(high), direction))
    else:  # beyond floats, there is none
        guess = isqrt(max(low, 1) * high)
    budget.spend(6 * pair.cost)
    guess = min(max(guess, low), high - 1)
    step = 1
    if pair.order_at(guess, budget) == direction:
        high = guess
        while high - step > low and pair.order_at(high - step, budget) == direction:
            high, step = high - step, step * 4
        low = max(low, high - step)
    else:
        low = guess
        while low + step < high and pair.order_at(low + step, budget) != direction:
            low, step = low + step, step * 4
        high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if pair.order_at(middle, budget) == direction:
            high = middle
        else:
            low = middle
    return high
