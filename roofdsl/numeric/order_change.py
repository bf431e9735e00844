"""What lies between two runs: where the order of two formulas changes."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.numeric.budget import Budget
from roofdsl.numeric.interval import around
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.root import WIDE, enclose_root


class OrderChange(NamedTuple):
    """What lies between two runs: the enclosure of the real place, and whether it is a jump."""

    low: float
    high: float
    jump: bool


def change_after(pair: Pair, place: int, budget: Budget) -> OrderChange:
    """Return how the order changes between a whole number and the next.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> found = change_after(Pair(multiply(n, n), number(2), "N", integer=True), 1, Budget())
    >>> found.low < 2**0.5 < found.high, found.jump
    (True, False)
    """
    # Only for its jumps: if there may be one between the two numbers, what lies between them is
    # not a crossing of two continuous lines, and no root is to be looked for.
    budget.spend(pair.cost)
    bottom, top = around(place)[0], around(place + 1)[1]
    pair.left.over(bottom, top)
    pair.right.over(bottom, top)
    if pair.jumps:
        return OrderChange(bottom, top, True)
    before, after = pair.order_at(place, budget), pair.order_at(place + 1, budget)
    if before == 0 or after == 0:
        # They meet exactly at one of the two.
        return OrderChange(*around(place if before == 0 else place + 1), False)
    # Beyond 2^52 the two numbers have no float between them that could narrow it down.
    if before and after == -before and place < 2**52:
        return OrderChange(*enclose_root(pair, place, place + 1, after, budget, units=WIDE), False)
    return OrderChange(bottom, top, False)
