"""Boxes of a search: a stretch of places of an unknown, and what is known of two formulas there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf, isqrt, nextafter, sqrt
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.numeric.budget import Budget
from roofdsl.numeric.interval import around
from roofdsl.numeric.pair import Pair

Place: TypeAlias = int | float
# How `left` lies to `right`: above it, below, equal; `mixed`: now this, now that, by jumps too
# dense to be listed.
State: TypeAlias = Literal["above", "below", "equal", "mixed", "undecided"]
STATES: dict[int | None, State] = {1: "above", -1: "below", 0: "equal", None: "undecided"}
ORDERS: dict[State | None, int] = {"above": 1, "below": -1, "equal": 0}


class Ends(NamedTuple):
    """The first and the last place of each order among dense jumps; None where it holds nowhere.

    `not_above`: below or equal; `not_below`: above or equal.
    """

    above: tuple[Place, Place] | None
    below: tuple[Place, Place] | None
    not_above: tuple[Place, Place] | None
    not_below: tuple[Place, Place] | None

    @classmethod
    def of(cls, runs: Iterable[tuple[Place, Place, State | None, Ends | None]]) -> Ends | None:
        """Return the ends in several runs, from left to right; None where one has none known.

        >>> Ends.of([(1, 4, "above", None), (5, 7, "equal", None), (8, 9, "above", None)]).above
        (1, 9)
        """
        found: list[list[tuple[Place, Place]]] = [[], [], [], []]
        for first, last, state, ends in runs:
            if state in _HOLD:
                own = [(first, last) if each else None for each in _HOLD[state]]
            elif ends is None:
                return None
            else:
                own = [*ends]
            for row, each in zip(found, own, strict=True):
                row.extend([each] if each else [])
        return cls(*((row[0][0], row[-1][1]) if row else None for row in found))

    def turned(self, change: Callable[[Place], Place]) -> Ends:
        """Return them for another unknown, which falls where this one grows."""
        return Ends(*(each and (change(each[1]), change(each[0])) for each in self))


# Which of `Ends` hold in a run.
_HOLD: dict[State | None, tuple[bool, bool, bool, bool]] = {
    "above": (True, False, False, True),
    "below": (False, True, True, False),
    "equal": (False, False, True, True),
}


class SearchBox(NamedTuple):
    """A box, ends included; `state` is None while it is open, and `pair` has the two formulas.

    `ends`: of a mixed box, where that is known.
    """

    low: Place
    high: Place
    state: State | None
    pair: Pair | None = None
    ends: Ends | None = None


def place_after(place: Place) -> Place:
    """Return the next place: of a whole unknown they are whole, of a real one floats."""
    return place + 1 if isinstance(place, int) else nextafter(place, inf)


def place_before(place: Place) -> Place:
    """Return the place before."""
    return place - 1 if isinstance(place, int) else nextafter(place, -inf)


class Axis:
    """The places of an unknown, and the budget for what is asked of them."""

    def __init__(self, *, integer: bool, budget: Budget) -> None:
        self.integer = integer
        self.budget = budget

    def after(self, place: Place) -> Place:
        """Return the next place."""
        return place_after(place)

    def before(self, place: Place) -> Place:
        """Return the place before."""
        return place_before(place)

    def append(self, found: list[SearchBox], item: SearchBox, *, reverse: bool = False) -> None:
        """Append a box; where it continues the last, with its state, the two become one.

        `reverse`: the boxes come from right to left.
        """
        if found and found[-1].state == item.state:
            last = found[-1]
            left, right = (item, last) if reverse else (last, item)
            if left.high in (right.low, self.before(right.low)):
                both = [(each.low, each.high, each.state, each.ends) for each in (left, right)]
                ends = Ends.of(both) if item.state == "mixed" else None
                found[-1] = SearchBox(left.low, right.high, item.state, ends=ends)
                return
        found.append(item)

    def middle(self, low: Place, high: Place) -> Place:
        """Return a place at which to cut a box; of whole numbers, one below the high end."""
        # The geometric middle: formulas here are sums of powers, nearly straight in log x, so that
        # each decade of a long range is worth as many boxes as the next.
        if isinstance(low, int) and isinstance(high, int):
            return min(max(isqrt(low * high), low), high - 1)
        # Two roots, as the product of two large ends would overflow.
        middle = sqrt(low) * sqrt(high)
        return middle if low < middle < high else (low + high) / 2

    def order(self, pair: Pair, place: Place) -> int | None:
        """Return the exact order at a place, None where it cannot be told."""
        self.budget.spend(pair.cost)
        order = None if pair.vanishes_at_1 and place == 1 else pair.order_near(place)
        if order is None and not pair.nowhere:
            order = pair.order_at(place, self.budget)
        return order


def outer(low: Place, high: Place) -> tuple[float, float]:
    """Return floats around the ends of a box."""
    # A whole number beyond 2^53 may be no float: its neighbours outwards enclose it.
    bottom = around(low)[0] if isinstance(low, int) else low
    top = around(high)[1] if isinstance(high, int) else high
    return bottom, top
