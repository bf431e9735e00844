"""Interval arithmetic on boxes of a plane: values, and how steeply they grow along both axes.

Of a formula f of x > 0 and y > 0 over a box, `PlaneBounds` encloses its values there, its values at
the middle, and the slopes d log|f| / d log x and d log|f| / d log y wherever f ≠ 0. Each result is
rounded outwards. NaN stands where nothing is known: it decides nothing.

Where `ceil`, `floor` or a choice may jump within a box, the slopes are those of f with that part
held as it is at any one point (ceil u is u + t for one t from 0 to 1), and the values at the middle
are those of all such f. So the slopes lead from the middle to any point, whatever jumps between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from roofdsl.numeric.array_bounds import ArrayBounds
from roofdsl.numeric.array_program import Array, Truths
from roofdsl.numeric.interval import around

# A rounding to the nearest, and one of NumPy's elementary functions, are off by less than these.
# What is too small for such errors to be relative raises a flag (`underflow`) and is not used.
ROUNDED = 2.0**-52
ELEMENTARY = 2.0**-48
_SLOPE = 2.0**-49
# The squares of whole numbers below are floats.
_EXACT = 2.0**26


Slopes: TypeAlias = tuple[Array, Array, Array, Array]


class PlaneBounds(NamedTuple):
    """Values and slopes over boxes.

    `low` and `high` have two rows: over each box, and at its middle. `slopes` are the least and the
    greatest along x, then those along y. A number has no axes.
    """

    low: Array
    high: Array
    slopes: Slopes

    @property
    def over(self) -> ArrayBounds:
        """The values over the boxes."""
        if self.low.ndim < 2:
            return ArrayBounds(self.low, self.high)
        return ArrayBounds(self.low[0], self.high[0])


_LEVEL = np.zeros(())
FLAT = (_LEVEL,) * 4
_NOTHING: Array = np.asarray(np.nan)
UNKNOWN = PlaneBounds(_NOTHING, _NOTHING, (_NOTHING,) * 4)
ZERO = PlaneBounds(np.zeros(()), np.zeros(()), FLAT)
ONE = PlaneBounds(np.ones(()), np.ones(()), FLAT)


def constant(low: Fraction, high: Fraction) -> PlaneBounds:
    """Return the bounds of a number between two others."""
    return PlaneBounds(np.asarray(around(low)[0]), np.asarray(around(high)[1]), FLAT)


def outward(low: Array, high: Array, error: float | Array) -> tuple[Array, Array]:
    """Widen by a relative error."""
    return low - np.abs(low) * error, high + np.abs(high) * error


def add(operands: Sequence[PlaneBounds]) -> PlaneBounds:
    """Return the bounds of a sum.

    What is positive and what is negative are each an average; then one is taken from the other.
    """
    if all((each.over.low >= 0).all() for each in operands):
        return reduce(_average, operands)
    low, high = reduce(_sum, operands)[:2]
    above = [chosen(each.over.low >= 0, each, ZERO) for each in operands]
    signs = [(each.over.low < 0) & (each.over.high <= 0) for each in operands]
    below = [chosen(x, _mirrored(y), ZERO) for x, y in zip(signs, operands, strict=True)]
    found = _difference(reduce(_average, above), reduce(_average, below))
    known = [(each.over.low >= 0) | (each.over.high <= 0) for each in operands]
    every = reduce(np.logical_and, known)
    return PlaneBounds(low, high, _four([np.where(every, x, np.nan) for x in found]))


def _sum(one: PlaneBounds, other: PlaneBounds) -> PlaneBounds:
    low, high = outward(one.low + other.low, one.high + other.high, ROUNDED)
    return PlaneBounds(low, high, FLAT)


def _mirrored(operand: PlaneBounds) -> PlaneBounds:
    return PlaneBounds(-operand.high, -operand.low, operand.slopes)


def _average(one: PlaneBounds, other: PlaneBounds) -> PlaneBounds:
    """Return the bounds of the sum of two that are ≥ 0: its slope is a weighted average."""
    low, high, _ = _sum(one, other)
    if one.slopes is FLAT and other.slopes is FLAT:
        return PlaneBounds(low, high, FLAT)
    (a_low, a_high), (b_low, b_high) = one.over, other.over
    # The weight of the first lies between these. Of 0 and 0 there is no slope, of ∞ any weight.
    lightest, heaviest = a_low + b_high, a_high + b_low
    light = np.where(lightest > 0, a_low / lightest, 0.0) * (1 - ELEMENTARY)
    heavy = np.where((heaviest > 0) & (a_high < inf), a_high / heaviest, 1.0)
    heavy = np.minimum(heavy * (1 + ELEMENTARY), 1.0)
    found: list[Array] = []
    for place in (0, 2):
        a_least, a_most = one.slopes[place : place + 2]
        b_least, b_most = other.slopes[place : place + 2]
        step, rise = a_least - b_least, a_most - b_most
        least = b_least + step * np.where(step > 0, light, heavy)
        most = b_most + rise * np.where(rise > 0, heavy, light)
        slack = (np.abs(a_least) + np.abs(b_least) + np.abs(a_most) + np.abs(b_most)) * _SLOPE
        found += [least - slack, most + slack]
    return PlaneBounds(low, high, _four(found))


def _four(slopes: Sequence[Array]) -> Slopes:
    x_least, x_most, y_least, y_most = slopes
    return x_least, x_most, y_least, y_most


def _difference(large: PlaneBounds, small: PlaneBounds) -> Slopes:
    """Return the slopes of one that is ≥ 0 less another that is; none where that may be 0."""
    (a_low, a_high), (b_low, b_high) = large.over, small.over
    # With r = large/small > 1, the slope of large - small is that of large plus
    # (slope of large - slope of small)/(r - 1); with r < 1 that of small - large likewise.
    above = _excess(large.slopes, small.slopes, a_low / b_high, a_high / b_low)
    if (a_low > b_high).all():
        return above
    below = _excess(small.slopes, large.slopes, b_low / a_high, b_high / a_low)
    pairs = zip(above, below, strict=True)
    found = [np.where(a_low > b_high, x, np.where(b_low > a_high, y, np.nan)) for x, y in pairs]
    return _four(found)


def _excess(
    large: Sequence[Array], small: Sequence[Array], lowest: Array, highest: Array
) -> Slopes:
    # Of 0 less nothing, and where nothing is taken away, it is the slope of the larger.
    lowest = np.where(np.isnan(lowest), inf, lowest) * (1 - ELEMENTARY)
    highest = np.where(np.isnan(highest), inf, highest) * (1 + ELEMENTARY)
    most_part = np.where(lowest > 1, 1 / (lowest - 1) * (1 + ELEMENTARY), np.nan)
    least_part = np.where(highest > 1, 1 / (highest - 1) * (1 - ELEMENTARY), 0.0)
    found: list[Array] = []
    for place in (0, 2):
        least, most = large[place] - small[place + 1], large[place + 1] - small[place]
        low = large[place] + least * np.where(least > 0, least_part, most_part)
        high = large[place + 1] + most * np.where(most > 0, most_part, least_part)
        size = np.abs(large[place]) + np.abs(large[place + 1]) + np.abs(low) + np.abs(high)
        found += [low - size * _SLOPE, high + size * _SLOPE]
    return _four(found)


def multiply(one: PlaneBounds, other: PlaneBounds) -> PlaneBounds:
    """Return the bounds of a product: slopes add up."""
    if (one.over.low >= 0).all() and (other.over.low >= 0).all():
        low, high = one.low * other.low, one.high * other.high
    else:
        low, high = _of_corners([a * b for a in one[:2] for b in other[:2]])
    return PlaneBounds(*outward(low, high, ROUNDED), _added(one.slopes, other.slopes))


def _of_corners(corners: Sequence[Array]) -> tuple[Array, Array]:
    return reduce(np.minimum, corners), reduce(np.maximum, corners)


def _added(one: Slopes, other: Slopes) -> Slopes:
    found: list[Array] = []
    for pair in ((one[:2], other[:2]), (one[2:], other[2:])):
        steep = [ends for ends in pair if not (ends[0] is _LEVEL and ends[1] is _LEVEL)]
        if len(steep) < 2:
            found += steep[0] if steep else pair[0]
        else:
            (a_least, a_most), (b_least, b_most) = steep
            found += outward(a_least + b_least, a_most + b_most, ROUNDED)
    return _four(found)


def divide(above: PlaneBounds, below: PlaneBounds) -> PlaneBounds:
    """Return the bounds of a quotient; by what may be 0 it may be anything, or nothing."""
    low, high = below.over
    least, most, y_least, y_most = below.slopes
    slopes = FLAT if below.slopes is FLAT else (-most, -least, -y_most, -y_least)
    if (low > 0).all():
        bottom, top = 1 / below.high, 1 / below.low
    else:
        apart = (low > 0) | (high < 0)
        bottom = np.where(apart, 1 / below.high, np.nan)
        top = np.where(apart, 1 / below.low, np.nan)
    return multiply(above, PlaneBounds(*outward(bottom, top, ROUNDED), slopes))


def power(base: PlaneBounds, exponent: Fraction) -> PlaneBounds:
    """Return the bounds of a power with a number as exponent."""
    if exponent < 0:
        return divide(ONE, power(base, -exponent))
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    by = float(exponent)
    if not 1e-30 < by < 1e30:
        return UNKNOWN
    low, high = base[:2]
    if not (base.over.low >= 0).all():
        if exponent.denominator != 1:
            low = np.where(low >= 0, low, np.nan)
            high = np.where(low >= 0, high, np.nan)
        elif exponent.numerator % 2 == 0:
            low, high = _absolute(low, high)
    if exponent == Fraction(1, 2):
        low, high = _roots(low, high)
    elif exponent == 2:
        low, high = outward(low * low, high * high, ROUNDED)
    else:
        # The exponent may have been rounded: x^(e·(1 + δ)) is x^e·(1 + δ·e·ln x).
        size = 0.0 if Fraction(by) == exponent else np.maximum(*map(_size, (low, high))) * by
        error = ELEMENTARY + size * ROUNDED
        low, high = outward(np.power(low, by), np.power(high, by), error)
    found: list[Array] = []
    for place in (0, 2):
        least, most = base.slopes[place] * by, base.slopes[place + 1] * by
        found += outward(least, most, 2 * ROUNDED)
    return PlaneBounds(low, high, FLAT if base.slopes is FLAT else _four(found))


def _roots(low: Array, high: Array) -> tuple[Array, Array]:
    """Return square roots, exact ones where they are whole: the logarithm of 1 is 0, no less."""
    roots = np.sqrt(low), np.sqrt(high)
    pairs = zip((low, high), roots, outward(*roots, ROUNDED), strict=True)
    bottom, top = (
        np.where((root * root == of) & (root < _EXACT) & (np.rint(root) == root), root, wide)
        for of, root, wide in pairs
    )
    return bottom, top


def _size(values: Array) -> Array:
    """Return how large logarithms are; of 0 and of ∞ the power is exact."""
    found = np.abs(np.log(np.abs(values)))
    return np.where(found < inf, found, 0.0)


def _absolute(low: Array, high: Array) -> tuple[Array, Array]:
    return np.maximum(0.0, np.maximum(low, -high)), np.maximum(-low, high)


def absolute(operand: PlaneBounds) -> PlaneBounds:
    """Return the bounds of the absolute value, which grows as steeply."""
    return PlaneBounds(*_absolute(*operand[:2]), operand.slopes)


_LOGARITHMS = {"log2": np.log2, "ln": np.log, "log10": np.log10}
_NATURAL = {"log2": np.log(2.0), "ln": 1.0, "log10": np.log(10.0)}


def logarithm(operand: PlaneBounds, name: str) -> PlaneBounds:
    """Return the bounds of `log2`, `ln` or `log10`; of 0 it is -∞, of less it is unknown."""
    of, defined = _LOGARITHMS[name], operand.low >= 0
    low, high = (np.where(defined, of(each), np.nan) for each in operand[:2])
    found = PlaneBounds(*outward(low, high, ELEMENTARY), FLAT)
    if operand.slopes is FLAT:
        return found
    # The slope of log f is that of f over ln f.
    bottom, top = (each * _NATURAL[name] for each in found.over)
    inverse = divide(ONE, PlaneBounds(*outward(bottom, top, ELEMENTARY), FLAT)).over
    return found._replace(slopes=_scaled(operand.slopes, inverse))


def _scaled(slopes: Slopes, by: ArrayBounds) -> Slopes:
    """Multiply slopes by numbers between others."""
    found: list[Array] = []
    for place in (0, 2):
        if slopes[place] is _LEVEL and slopes[place + 1] is _LEVEL:
            found += [_LEVEL, _LEVEL]
            continue
        corners = [slope * end for slope in slopes[place : place + 2] for end in by]
        found += outward(*_of_corners(corners), 2 * ROUNDED)
    return _four(found)


def exponential(exponent: PlaneBounds, base: PlaneBounds | None = None) -> PlaneBounds:
    """Return the bounds of `base ^ exponent` for a base > 0; without one, of `exp`.

    The slope of b^e is e·(slope of b) + e·ln b·(slope of e).
    """
    natural, slopes = exponent, FLAT
    if base is not None:
        natural = multiply(exponent, logarithm(base, "ln"))
        slopes = FLAT if base.slopes is FLAT else _scaled(base.slopes, exponent.over)
    low, high = outward(np.exp(natural.low), np.exp(natural.high), ELEMENTARY)
    if exponent.slopes is not FLAT:
        slopes = _added(slopes, _scaled(exponent.slopes, natural.over))
    return PlaneBounds(low, high, slopes)


def rounded(operand: PlaneBounds, *, upwards: bool) -> PlaneBounds:
    """Return the bounds of `ceil` or `floor`."""
    whole = np.ceil if upwards else np.floor
    first, last = (whole(each) for each in operand.over)
    fixed = first == last
    low, high = whole(operand.low), whole(operand.high)
    if fixed.all():
        return PlaneBounds(first, last, FLAT)
    below, above = (0.0, 1.0) if upwards else (-1.0, 0.0)
    bottom, top = outward(operand.low + below, operand.high + above, ROUNDED)
    # Held at u + t, with t from `below` to `above`, the slope is u/(u + t) times as steep.
    least = operand.over.low
    known = least + below > 0
    shrunk = np.where(known, least / (least + above), np.nan) * (1 - ELEMENTARY)
    grown = np.where(known, least / (least + below), np.nan) * (1 + ELEMENTARY)
    scaled = _scaled(operand.slopes, ArrayBounds(shrunk, grown))
    slopes = [np.where(fixed, 0.0, each) for each in scaled]
    if low.ndim == 2:
        low = np.stack([first, np.where(fixed, first, bottom[1])])
        high = np.stack([last, np.where(fixed, last, top[1])])
    return PlaneBounds(low, high, _four(slopes))


def hull(operands: Sequence[PlaneBounds], possible: Sequence[Truths]) -> PlaneBounds:
    """Return what encloses, in each box, all the operands that are possible there."""
    rows = [*zip(operands, possible, strict=True)]

    def end(choose: Callable[[Array, Array], Array], place: int, other: float) -> Array:
        return reduce(choose, [np.where(x, each[place], other) for each, x in rows])

    low, high = end(np.minimum, 0, inf), end(np.maximum, 1, -inf)
    slopes = [
        reduce(choose, [np.where(x, each.slopes[place], other) for each, x in rows])
        for place, (choose, other) in enumerate([(np.minimum, inf), (np.maximum, -inf)] * 2)
    ]
    return PlaneBounds(low, high, _four(slopes))


def largest(operands: Sequence[PlaneBounds]) -> PlaneBounds:
    """Return the bounds of the maximum; it grows like one of those that may be the largest."""
    found = hull(operands, may_be_largest(operands))
    return found._replace(low=reduce(np.maximum, [each.low for each in operands]))


def smallest(operands: Sequence[PlaneBounds]) -> PlaneBounds:
    """Return the bounds of the minimum."""
    return _mirrored(largest([*map(_mirrored, operands)]))


def may_be_largest(operands: Sequence[PlaneBounds]) -> list[Truths]:
    """Return where each may be the largest."""
    least = reduce(np.maximum, [each.over.low for each in operands])
    return [~(each.over.high < least) for each in operands]


def chosen(truth: Truths, one: PlaneBounds, other: PlaneBounds) -> PlaneBounds:
    """Return one where something holds, and the other elsewhere."""
    return hull((one, other), (truth, ~truth))
