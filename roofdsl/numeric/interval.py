"""Interval arithmetic on pairs: the values a formula takes, and how steeply it grows.

Of a formula f over an interval of x > 0, `Bounds` encloses the values f(x), and the slopes
d log|f| / d log x wherever f(x) ≠ 0. Every result is rounded outwards, so that what it says is
certain. Where nothing is known, or f may be undefined, it is `ANYTHING`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, fsum, inf, isinf, log, log2, log10, nextafter
from typing import NamedTuple, TypeAlias

from roofdsl.expression.rational import as_float

# Least and greatest value, least and greatest slope.
Bounds: TypeAlias = tuple[float, float, float, float]

ANYTHING: Bounds = (-inf, inf, -inf, inf)
# Elementary functions of the C library are off by less than two units in the last place.
_DOWN, _UP = 1 - 2**-51, 1 + 2**-51
_TINY = 5e-324


def constant(value: Fraction) -> Bounds:
    """Return the bounds of a number.

    >>> low, high, _, _ = constant(Fraction(1, 3))
    >>> low < Fraction(1, 3) < high
    True
    """
    low, high = around(value)
    return low, high, 0.0, 0.0


def around(value: Fraction | int) -> tuple[float, float]:
    """Return the floats nearest to a number, below and above; both are it if it is a float."""
    nearest = as_float(value)
    if isinf(nearest):
        return (1.7e308, inf) if value > 0 else (-inf, -1.7e308)
    if nearest == value:
        return nearest, nearest
    if nearest > value:
        return nextafter(nearest, -inf), nearest
    return nearest, nextafter(nearest, inf)


def _wider(low: float, high: float) -> tuple[float, float]:
    """Widen by the error of an elementary function."""
    low = low * _DOWN if low > 0 else low * _UP
    high = high * _UP if high > 0 else high * _DOWN
    return nextafter(low, -inf), nextafter(high, inf)


def add(operands: Sequence[Bounds]) -> Bounds:
    """Return the bounds of a sum.

    >>> x = (1.0, 10.0, 1.0, 1.0)
    >>> add([x, x])
    (1.99..., 20.0..., 1.0, 1.0)
    """
    try:
        low = fsum([each[0] for each in operands])
        high = fsum([each[1] for each in operands])
    except (OverflowError, ValueError):
        return ANYTHING
    # `fsum` rounds once, to the nearest: the true sum lies within the next float outwards. A float
    # sum is 0 only if it is exact, so that it need not be rounded.
    if low:
        low = nextafter(low, -inf)
    if high:
        high = nextafter(high, inf)
    # What is positive and what is negative are each an average; then one is taken from the other.
    positive: Bounds | None = None
    negative: Bounds | None = None
    for each in operands:
        if each[0] >= 0:
            if each[1] > 0:
                positive = each if positive is None else average(positive, each)
        elif each[1] <= 0:
            mirrored = -each[1], -each[0], each[2], each[3]
            negative = mirrored if negative is None else average(negative, mirrored)
        else:
            return low, high, -inf, inf
    if negative is None:
        return (low, high, *(positive[2:] if positive else (0.0, 0.0)))
    if positive is None:
        return low, high, *negative[2:]
    if positive[0] > negative[1]:
        return low, high, *_excess(positive, negative)
    if negative[0] > positive[1]:
        return low, high, *_excess(negative, positive)
    return low, high, -inf, inf


def average(one: Bounds, other: Bounds) -> Bounds:
    """Return the bounds of the sum of two that are ≥ 0: its slope is a weighted average.

    >>> average((1.0, 1.0, 0.0, 0.0), (3.0, 3.0, 1.0, 1.0))
    (3.99..., 4.00..., 0.74..., 0.75...)
    """
    low, high, a_low, a_high = one
    other_low, other_high, b_low, b_high = other
    total_low, total_high = low + other_low, high + other_high
    if total_low > 0:
        total_low = nextafter(total_low, 0)
    total_high = nextafter(total_high, inf)
    if a_low == b_low and a_high == b_high:
        return total_low, total_high, a_low, a_high
    least, most = min(a_low, b_low), max(a_high, b_high)
    lightest, heaviest = low + other_high, high + other_low
    if isinf(lightest) or isinf(heaviest) or lightest == 0 or heaviest == 0:
        return total_low, total_high, least, most
    # The weight of the first lies between these; with it the bounds of the average.
    light, heavy = low / lightest * _DOWN, high / heaviest * _UP
    heavy = min(heavy, 1.0)
    if not (isinf(a_low) or isinf(b_low)):
        step = a_low - b_low
        inner = b_low + step * (light if step > 0 else heavy)
        least = max(least, inner - (abs(a_low) + abs(b_low)) * 1e-15)
    if not (isinf(a_high) or isinf(b_high)):
        step = a_high - b_high
        inner = b_high + step * (heavy if step > 0 else light)
        most = min(most, inner + (abs(a_high) + abs(b_high)) * 1e-15)
    return total_low, total_high, least, most


def _excess(large: Bounds, small: Bounds) -> tuple[float, float]:
    """Return the bounds of the slopes of `large - small`, which is > 0."""
    # With r = large/small > 1, the slope of large - small is that of large plus
    # (slope of large - slope of small)/(r - 1).
    least, most = large[2] - small[3], large[3] - small[2]
    if not (isinf(least) or isinf(most)):
        ratio_low = large[0] / small[1] * _DOWN if small[1] else inf
        ratio_high = large[1] / small[0] * _UP if small[0] else inf
        if ratio_low > 1:
            # A ratio too large for a float leaves a part that is too small for one.
            part_high = 1 / (ratio_low - 1) * _UP * _UP + 1e-300
            part_low = 0.0 if isinf(ratio_high) else 1 / (ratio_high - 1) * _DOWN * _DOWN
            low = large[2] + least * (part_low if least > 0 else part_high)
            high = large[3] + most * (part_high if most > 0 else part_low)
            slack = (abs(large[2]) + abs(large[3]) + abs(low) + abs(high)) * 1e-15 + _TINY
            if slack < inf:
                return low - slack, high + slack
    return -inf, inf


def multiply(operands: Sequence[Bounds]) -> Bounds:
    """Return the bounds of a product.

    >>> x = (1.0, 10.0, 1.0, 1.0)
    >>> multiply([x, x])
    (0.99..., 100.0..., 2.0, 2.0)
    """
    result = operands[0]
    for each in operands[1:]:
        result = _times(result, each)
    return result


def _times(one: Bounds, other: Bounds) -> Bounds:
    a_low, a_high, a_least, a_most = one
    b_low, b_high, b_least, b_most = other
    if a_low >= 0 and b_low >= 0 and a_high < inf and b_high < inf:
        # One rounding to the nearest is undone by one float outwards; 0 is exact, or was lost to
        # underflow and is below the true product.
        low, high = a_low * b_low, a_high * b_high
        if low:
            low = nextafter(low, 0)
    else:
        corners = [a_low * b_low, a_low * b_high, a_high * b_low, a_high * b_high]
        if any(corner != corner for corner in corners):
            if not (_is_bounded(one) and _is_bounded(other)):
                return ANYTHING
            # An infinite end says that there is none: 0 times any number is 0.
            corners = [0.0 if corner != corner else corner for corner in corners]
        low, high = nextafter(min(corners), -inf), max(corners)
        if a_low >= 0 and b_low >= 0:
            low = max(0.0, low)
    return low, nextafter(high, inf), *_slopes((a_least, a_most), (b_least, b_most))


def _is_bounded(operand: Bounds) -> bool:
    """Whether the ends are known, and enclose numbers: not ∞ itself."""
    low, high = operand[:2]
    return low <= high and not (low == high and isinf(low))


def _slopes(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Add the bounds of two slopes, rounded outwards; anything, where the sum is ∞ - ∞."""
    least, most = one[0] + other[0], one[1] + other[1]
    if least != least or most != most:
        return -inf, inf
    return (
        least if _is_exact(one[0], other[0], least) else nextafter(least, -inf),
        most if _is_exact(one[1], other[1], most) else nextafter(most, inf),
    )


def _is_exact(one: float, other: float, total: float) -> bool:
    """Whether a sum of two numbers was not rounded."""
    # The part of `other` that went into the sum, and what of both did not (Møller and Knuth): that
    # is exact unless it overflows, and then it is not a number.
    part = total - one
    return (one - (total - part)) + (other - part) == 0


def divide(above: Bounds, below: Bounds) -> Bounds:
    """Return the bounds of a quotient.

    >>> divide((1.0, 1.0, 0.0, 0.0), (2.0, 4.0, 1.0, 1.0))
    (0.24..., 0.50..., -1.0, -1.0)
    """
    # A quotient by what may be 0 may be anything, or nothing.
    low, high, least, most = below
    if low <= 0 <= high:
        return ANYTHING
    bottom, top = nextafter(1 / high, -inf), nextafter(1 / low, inf)
    if low > 0:
        bottom = max(bottom, 0.0)
    if isinf(low) and isinf(high):
        bottom = top = 0.0
    return _times(above, (bottom, top, -most, -least))


def raising(exponent: Fraction) -> Callable[[Bounds], Bounds]:
    """Return a function for the bounds of powers with a number as exponent.

    >>> raising(Fraction(1, 2))((4.0, 9.0, 1.0, 1.0))
    (1.99..., 3.00..., 0.5, 0.5)
    """
    if exponent < 0:
        positive = raising(-exponent)
        return lambda base: positive(divide((1.0, 1.0, 0.0, 0.0), base))
    by = _exponent(exponent)
    odd, root = exponent.numerator % 2 == 1, exponent.denominator != 1

    def raised(base: Bounds) -> Bounds:
        low, high, least, most = base
        if low < 0 and root:
            return ANYTHING
        slopes = _scaled(least, most, by)
        if low >= 0:
            return _raised(low, by)[0], _raised(high, by)[1], *slopes
        bottom, top = _raised(-low, by), _raised(abs(high), by)
        if high <= 0:
            return (-bottom[1], -top[0], *slopes) if odd else (top[0], bottom[1], *slopes)
        if odd:
            return -bottom[1], top[1], *slopes
        return 0.0, max(bottom[1], top[1]), *slopes

    return (lambda base: base) if exponent == 1 else raised


class _Exponent(NamedTuple):
    """An exponent > 0 as a float, ∞ beyond all floats; whether it is that, and `_is_short`."""

    number: float
    exact: bool
    short: bool


def _exponent(exponent: Fraction) -> _Exponent:
    number = as_float(exponent)
    exact = number == exponent
    return _Exponent(number, exact, exact and _is_short(number))


def _raised(base: float, exponent: _Exponent) -> tuple[float, float]:
    """Return bounds of one number ≥ 0 to a power > 0."""
    if base == 0 or base == inf:
        return base, base
    # The power is off by less than an ulp, its product with 1 ± error by half of one; the exponent
    # may have been rounded itself, by up to 2^-53 of it.
    number, exact, _ = exponent
    error = 2**-51
    try:
        if number == inf:
            raise OverflowError
        if not exact:
            error += abs(number * log(base)) * 2**-52
        result = base**number
    except OverflowError:
        if number > 1 and base < 1:
            return 0.0, 1e-300
        return (1.7e308, inf) if base > 1 else (0.0, inf)
    return max(0.0, result * (1 - error) - _TINY), result * (1 + error) + _TINY


def _scaled(least: float, most: float, exponent: _Exponent) -> tuple[float, float]:
    """Multiply slopes by a number > 0; it, and the product, may have been rounded."""
    factor = exponent.number
    if factor == inf:
        return -inf, inf
    if exponent.short and _is_short(least) and _is_short(most):
        return least * factor, most * factor
    least, most = least * factor, most * factor
    # Each of the two roundings is by up to 2^-53 of the number, or to the next of the tiniest.
    slack = max(abs(each) if abs(each) < inf else 0 for each in (least, most)) * 4e-16 + _TINY
    return least - slack, most + slack


def _is_short(value: float) -> bool:
    """Whether a number is a multiple of 1/64 below 2^20: products of two of those are exact."""
    return abs(value) < 2**20 and (value * 64).is_integer()


def logarithm(argument: Bounds, name: str) -> Bounds:
    """Return the bounds of `log2`, `ln` or `log10`.

    >>> logarithm((1.0, 8.0, 1.0, 1.0), "log2")
    (0.0, 3.0..., 0.48..., inf)
    """
    low, high, least, most = argument
    if low <= 0:
        return ANYTHING
    function = log2 if name == "log2" else log if name == "ln" else log10
    bottom = _wider(function(low), 0)[0] if low != 1 else 0.0
    top = inf if high == inf else _wider(0, function(high))[1] if high != 1 else 0.0
    if bottom < 0 < top:
        return bottom, top, -inf, inf
    # The slope of log f is that of f over ln f.
    scale = 1.0 if name == "ln" else log(2) if name == "log2" else log(10)
    if bottom >= 0:
        return bottom, top, *_over(least, most, bottom * scale, top * scale)
    return bottom, top, *_over(-most, -least, -top * scale, -bottom * scale)


def _over(least: float, most: float, low: float, high: float) -> tuple[float, float]:
    """Divide slopes by a number from `low` to `high`, both ≥ 0 and known to some 1e-15."""
    if high <= 0:
        return -inf, inf
    if least > 0:
        least = max(0.0, least / high * (1 - 1e-14) - _TINY) if high < inf else 0.0
    elif least < 0:
        least = least / low * (1 + 1e-14) - _TINY if low else -inf
    if most < 0:
        most = min(0.0, most / high * (1 - 1e-14) + _TINY) if high < inf else 0.0
    elif most > 0:
        most = most / low * (1 + 1e-14) + _TINY if low else inf
    return least, most


def exponential(argument: Bounds, base: Bounds | None) -> Bounds:
    """Return the bounds of `base ^ argument` for a base > 0; without one, of `exp`.

    >>> exponential((0.0, 3.0, 1.0, 1.0), (2.0, 2.0, 0.0, 0.0))
    (0.99..., 8.0..., 0.0, 2.07...)
    """
    if base is None:
        natural, growth = argument[:2], (0.0, 0.0)
    else:
        if base[0] <= 0:
            return ANYTHING
        natural = _product(argument[:2], logarithm(base, "ln")[:2])
        growth = _product(argument[:2], base[2:])
    # The slope of b^e is e·slope(b) + e·ln b·slope(e).
    if argument[2] or argument[3]:
        more = _product(natural, argument[2:])
        growth = _slopes(growth, more)
    return _exp(natural[0])[0], _exp(natural[1])[1], *growth


def _product(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return _times((*one, 0.0, 0.0), (*other, 0.0, 0.0))[:2]


def _exp(value: float) -> tuple[float, float]:
    """Return bounds of e^value, for a value that was rounded itself."""
    if value < -700:
        return 0.0, 1e-300
    if value > 700:
        return (1e300, inf) if value < inf else (inf, inf)
    result = exp(value)
    return result * _DOWN, result * _UP
