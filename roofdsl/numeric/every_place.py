"""Small ranges of whole numbers: the order at every one of them."""

from __future__ import annotations

from collections.abc import Iterable

from roofdsl.numeric.box import STATES, Axis, SearchBox
from roofdsl.numeric.pair import Pair

MOST_PLACES = 100_000
# So many at a time stay in a processor's cache.
_BLOCK = 4096
# What an operation on a block costs, beside loading NumPy at all.
_OPERATION = 4.0


def decided(pair: Pair, boxes: Iterable[SearchBox], axis: Axis) -> list[SearchBox]:
    """Return boxes of whole numbers with those decided that are short enough to look at each place.

    These are undecided ones, and mixed ones of which the ends of each order are not known. What is
    still undecided then are places of which exact arithmetic cannot tell either.
    """
    found: list[SearchBox] = []
    for box in boxes:
        unknown = box.state == "undecided" or (box.state == "mixed" and box.ends is None)
        small = box.high - box.low < MOST_PLACES and abs(box.high) < 2**62
        parts = _each(pair, box, axis) if unknown and small and axis.budget.left else [box]
        for part in parts:
            axis.append(found, part)
    return found


def _each(pair: Pair, box: SearchBox, axis: Axis) -> list[SearchBox]:
    """Return the maximal boxes of one order in a box."""
    from roofdsl.numeric.array_interval import ArrayEnclosure  # NumPy takes time to load
    from roofdsl.numeric.array_orders import orders

    left, right = (ArrayEnclosure(side, pair.name) for side in pair.sides)
    found: list[SearchBox] = []
    low, high = int(box.low), int(box.high)
    for first in range(low, high + 1, _BLOCK):
        last = min(first + _BLOCK - 1, high)
        axis.budget.spend(_OPERATION * (left.size + right.size))
        for begin, end, order in orders(left, right, first, last):
            if order is not None:
                axis.append(found, SearchBox(begin, end, STATES[order]))
                continue
            # Where the bounds overlap the two are equal, or nearly: that takes exact numbers.
            for place in range(begin, end + 1):
                exactly = axis.order(pair, place) if axis.budget.left else None
                axis.append(found, SearchBox(place, place, STATES[exactly]))
    return found
