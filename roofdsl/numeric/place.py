"""Places of an unknown: of a whole unknown they are whole numbers, of a real one floats."""

from __future__ import annotations

from math import inf, isqrt, nextafter, sqrt
from typing import TypeAlias

from roofdsl.numeric.interval import around

Place: TypeAlias = int | float


def place_after(place: Place) -> Place:
    """Return the next place.

    >>> place_after(7), place_after(1.0)
    (8, 1.0000000000000002)
    """
    return place + 1 if isinstance(place, int) else nextafter(place, inf)


def place_before(place: Place) -> Place:
    """Return the place before."""
    return place - 1 if isinstance(place, int) else nextafter(place, -inf)


def middle(low: Place, high: Place) -> Place:
    """Return a place > 0 between two at which to cut; of whole numbers, one below the high end."""
    # The geometric middle: formulas here are sums of powers, nearly straight in log x, so that each
    # decade of a long range is worth as many boxes as the next.
    if isinstance(low, int) and isinstance(high, int):
        return min(max(isqrt(low * high), low), high - 1)
    # Two roots, as the product of two large ends would overflow.
    found = sqrt(low) * sqrt(high)
    return found if low < found < high else (low + high) / 2


def outer(low: Place, high: Place) -> tuple[float, float]:
    """Return floats around all places from one to another."""
    # A whole number beyond 2^53 may be no float: its neighbours outwards enclose it.
    bottom = around(low)[0] if isinstance(low, int) else low
    top = around(high)[1] if isinstance(high, int) else high
    return bottom, top
