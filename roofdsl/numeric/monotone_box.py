"""A box in which the ratio of two formulas is strictly monotone: it passes 1 at most once."""

from __future__ import annotations

from roofdsl.numeric.box import STATES, Axis, Place, SearchBox
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.root import approximate_root, enclose_root


def monotone(axis: Axis, low: Place, high: Place, pair: Pair, direction: int) -> list[SearchBox]:
    """Decide a box in which the order can change once, towards `direction`.

    What comes back may hold open boxes: to be decided in the same way.
    """
    # The ratio moves towards `direction` only, so what is so at the left end stays so, and what
    # is not yet so at the right end was never so before. Only if the ends differ is there a
    # place of change, and exactly one.
    first = axis.order(pair, low)
    if first == direction:
        return [SearchBox(low, high, STATES[direction])]
    last = axis.order(pair, high)
    if last == -direction:
        return [SearchBox(low, high, STATES[last])]
    # An end that is a tie, or cannot be told, is taken off; the rest is monotone as well.
    if first != -direction:
        rest = SearchBox(axis.after(low), high, STATES[direction] if first == 0 else None, pair)
        return [SearchBox(low, low, STATES[first]), rest]
    if last != direction:
        rest = SearchBox(low, axis.before(high), STATES[first] if last == 0 else None, pair)
        return [rest, SearchBox(high, high, STATES[last])]
    if isinstance(low, int) and isinstance(high, int):
        start = _threshold(axis, low, high, pair, direction)
        return _around_threshold(axis, low, start, high, pair, direction)
    bottom, top = enclose_root(pair, low, high, direction, axis.budget)
    if bottom < top:
        return [
            SearchBox(low, bottom, STATES[-direction]),
            SearchBox(top, high, STATES[direction]),
        ]
    return [
        SearchBox(low, axis.before(bottom), STATES[-direction]),
        SearchBox(bottom, bottom, "equal"),
        SearchBox(axis.after(bottom), high, STATES[direction]),
    ]


def _around_threshold(
    axis: Axis, low: int, start: int, high: int, pair: Pair, direction: int
) -> list[SearchBox]:
    # The numbers before the first of the new order are decided one by one until one has the
    # old order: ties lie there, and by monotony nothing but the old order before them. Where
    # the budget ends first, the old order is known of `low` alone.
    items = [SearchBox(start, high, STATES[direction])]
    place = start - 1
    order = axis.order(pair, place)
    while order != -direction:
        items.append(SearchBox(place, place, STATES[order]))
        place -= 1
        if not axis.budget.left:
            items.append(SearchBox(low + 1, place, "undecided"))
            place = low
        order = -direction if place == low else axis.order(pair, place)
    items.append(SearchBox(low, place, STATES[-direction]))
    return [item for item in items[::-1] if item.low <= item.high]


def _threshold(axis: Axis, low: int, high: int, pair: Pair, direction: int) -> int:
    """Return the first whole number at which the order is `direction`; at `low` it is not."""
    # Newton's root is nearly always within a few numbers of the threshold, so steps that grow
    # from it bracket the threshold with a handful of exact signs, where halving the whole range
    # would take sixty. The guess proves nothing: every bound below is an exact sign.
    guess = int(approximate_root(pair, float(low), float(high), direction))
    axis.budget.spend(6 * pair.cost)
    guess = min(max(guess, low), high - 1)
    step = 1
    if axis.order(pair, guess) == direction:
        high = guess
        while high - step > low and axis.order(pair, high - step) == direction:
            high, step = high - step, step * 4
        low = max(low, high - step)
    else:
        low = guess
        while low + step < high and axis.order(pair, low + step) != direction:
            low, step = low + step, step * 4
        high = min(high, low + step)
    while high - low > 1:
        middle = (low + high) // 2
        if axis.order(pair, middle) == direction:
            high = middle
        else:
            low = middle
    return high
