"""Bounds of functions that choose or jump: `min`, `max`, `abs`, `ceil`, `floor`, conditions."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, inf, isinf, nextafter

from roofdsl.expression.condition import compare_ranges
from roofdsl.expression.tree import Relation
from roofdsl.numeric.interval import Bounds

# Truth values stand among the bounds as these.
TRUE: Bounds = (1.0, 1.0, 0.0, 0.0)
FALSE: Bounds = (0.0, 0.0, 0.0, 0.0)
EITHER: Bounds = (0.0, 1.0, -inf, inf)

# Covers the rounding of a sum, a quotient by it, and two products.
_DOWN, _UP = 1 - 2**-50, 1 + 2**-50


def absolute(argument: Bounds) -> Bounds:
    """Return the bounds of the absolute value.

    >>> absolute((-2.0, 1.0, -1.0, 1.0))
    (0.0, 2.0, -inf, inf)
    """
    low, high, least, most = argument
    if low >= 0:
        return argument
    if high <= 0:
        return -high, -low, least, most
    return 0.0, max(-low, high), -inf, inf


def largest(operands: Sequence[Bounds]) -> Bounds:
    """Return the bounds of the maximum; it grows like one of those that may be the largest.

    >>> largest([(1.0, 9.0, 2.0, 2.0), (3.0, 4.0, 1.0, 1.0), (0.0, 2.0, 0.0, 0.0)])
    (3.0, 9.0, 1.0, 2.0)
    """
    # What lies wholly below another operand's least value is the largest nowhere.
    low = max(each[0] for each in operands)
    return hull([each for each in operands if each[1] >= low], low=low)


def smallest(operands: Sequence[Bounds]) -> Bounds:
    """Return the bounds of the minimum.

    >>> smallest([(1.0, 9.0, 2.0, 2.0), (3.0, 4.0, 1.0, 1.0)])
    (1.0, 4.0, 1.0, 2.0)
    """
    high = min(each[1] for each in operands)
    return hull([each for each in operands if each[0] <= high], high=high)


def hull(operands: Sequence[Bounds], low: float = inf, high: float = -inf) -> Bounds:
    """Return what encloses all the operands; `low` and `high` are bounds known to be better.

    >>> hull([(1.0, 2.0, 0.0, 0.0), (5.0, 6.0, 1.0, 1.0)])
    (1.0, 6.0, 0.0, 1.0)
    """
    if low == inf:
        low = min(each[0] for each in operands)
    if high == -inf:
        high = max(each[1] for each in operands)
    least, most = min(each[2] for each in operands), max(each[3] for each in operands)
    if low < 0 < high and least != most:
        return low, high, -inf, inf
    return low, high, least, most


def shifted(argument: Bounds, below: float, above: float) -> Bounds:
    """Return the bounds of f + t for any one number t from `below` to `above`.

    >>> shifted((4.0, 9.0, 1.0, 1.0), 0.0, 1.0)
    (4.0, 10.0..., 0.79..., 1.0...)
    """
    low, high, least, most = argument
    bottom = nextafter(low + below, -inf) if below else low
    top = nextafter(high + above, inf) if above else high
    if bottom <= 0 or low <= 0:
        return bottom, top, -inf, inf
    # The slope shrinks or grows by f/(f + t).
    shrunk = low / (low + above) * _DOWN if above else 1.0
    grown = low / (low + below) * _UP if below else 1.0
    if least:
        least = nextafter(least * (shrunk if least > 0 else grown), -inf)
    if most:
        most = nextafter(most * (grown if most > 0 else shrunk), inf)
    return bottom, top, least, most


def whole_values(argument: Bounds, name: str, lattice: int) -> tuple[float, float]:
    """Return the least and greatest value of `ceil` or `floor`.

    `lattice`: a number q such that q·f takes whole values only, or 0 where there is none.

    >>> whole_values((1.9999999999999998, 2.0000000000000004, 0.0, 0.0), "ceil", 7)
    (2.0, 2.0)
    """
    low, high = argument[:2]
    if isinf(low) or isinf(high):
        return low, high
    # q·f is whole, so of the floats between the bounds only multiples of 1/q count; the bounds may
    # be off by a rounding, and one float outwards makes up for that. Below 2^52 a float can tell
    # whole numbers apart.
    if lattice and max(abs(low), abs(high)) * lattice < 2**52:
        first = ceil(nextafter(low * lattice, -inf))
        last = floor(nextafter(high * lattice, inf))
        if first <= last:
            if name == "ceil":
                return float(-(-first // lattice)), float(-(-last // lattice))
            return float(first // lattice), float(last // lattice)
    if name == "ceil":
        return float(ceil(low)), float(ceil(high))
    return float(floor(low)), float(floor(high))


def compared(relation: Relation, left: Bounds, right: Bounds) -> Bounds:
    """Return the truth of a comparison: one only where it is so for all values within the bounds.

    >>> compared("<", (1.0, 2.0, 0.0, 0.0), (3.0, 4.0, 0.0, 0.0)) == TRUE
    True
    """
    holds = compare_ranges(relation, left[:2], right[:2])
    return EITHER if holds is None else TRUE if holds else FALSE


def joined(operator: str, operands: Sequence[Bounds]) -> Bounds:
    """Return the truth of `and`, `or` or `not`.

    >>> joined("or", [EITHER, TRUE]) == TRUE, joined("not", [TRUE]) == FALSE
    (True, True)
    """
    if operator == "not":
        ((low, high, least, most),) = operands
        return 1 - high, 1 - low, least, most
    choose = min if operator == "and" else max
    low, high = choose(each[0] for each in operands), choose(each[1] for each in operands)
    return TRUE if low else FALSE if not high else EITHER
