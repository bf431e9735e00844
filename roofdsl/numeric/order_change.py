"""What lies between two runs: where the order of two formulas changes."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place, outer
from roofdsl.numeric.root import WIDE, enclose_root


class OrderChange(NamedTuple):
    """What lies between two runs: the enclosure of the real place, and whether it is a jump."""

    low: float
    high: float
    jump: bool


def change_between(pair: Pair, last: Place, first: Place, budget: Budget) -> OrderChange:
    """Return how the order changes between the last place of a run and the first of the next one.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> pair = Pair(multiply(n, n), number(2), "N", integer=True)
    >>> found = change_between(pair, 1, 2, Budget())
    >>> found.low < 2**0.5 < found.high, found.jump
    (True, False)
    """
    # Only for its jumps: if there may be one between the two places, what lies between them is
    # not a crossing of two continuous lines, and no root is to be looked for.
    budget.spend(pair.cost)
    bottom, top = outer(last, first)
    pair.left.over(bottom, top)
    pair.right.over(bottom, top)
    # What lies between two runs of a real unknown encloses the root as it is.
    if pair.jumps or not (isinstance(last, int) and last > 0):
        return OrderChange(bottom, top, pair.jumps > 0)
    before, after = pair.order_at(last, budget), pair.order_at(first, budget)
    if before == 0 or after == 0:
        # They meet exactly at one of the two.
        place = last if before == 0 else first
        return OrderChange(*outer(place, place), False)
    # Beyond 2^52 the two numbers have no float between them that could narrow it down.
    if before and after == -before and last < 2**52:
        return OrderChange(*enclose_root(pair, last, first, after, budget, units=WIDE), False)
    return OrderChange(bottom, top, False)
