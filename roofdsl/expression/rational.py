"""Roots, powers and logarithms of rational numbers where they are rational themselves."""

from __future__ import annotations

import math
from fractions import Fraction


def bits(value: Fraction) -> int:
    """Return how many bits numerator and denominator take together.

    >>> bits(Fraction(8, 3))
    6
    """
    return value.numerator.bit_length() + value.denominator.bit_length()


def rational_power(base: Fraction, exponent: Fraction, most_bits: int) -> Fraction | None:
    """Return `base ^ exponent` if it is rational, real and at most `most_bits` long, else None.

    >>> rational_power(Fraction(8, 27), Fraction(2, 3), 64)
    Fraction(4, 9)
    """
    if exponent == 0:
        return Fraction(1)
    if base == 0:
        return base if exponent > 0 else None
    if base == 1:
        return base
    root = rational_root(base, exponent.denominator)
    if root is None:
        return None
    times = abs(exponent.numerator)
    if abs(root) != 1 and (times > most_bits or (bits(root) - 2) * times > most_bits):
        return None
    return root ** (exponent.numerator if abs(root) != 1 else times % 2)


def rational_root(value: Fraction, degree: int) -> Fraction | None:
    """Return the real root of a number if it is rational: both its parts are powers then.

    A number below 0 has none, except of degree 1.

    >>> rational_root(Fraction(16, 81), 4), rational_root(Fraction(2), 2)
    (Fraction(2, 3), None)
    """
    if degree == 1:
        return value
    if value < 0:
        return None
    numerator = integer_root(value.numerator, degree)
    denominator = integer_root(value.denominator, degree)
    if _differs(numerator, degree, value.numerator):
        return None
    if _differs(denominator, degree, value.denominator):
        return None
    return Fraction(numerator, denominator)


def _differs(root: int, degree: int, value: int) -> bool:
    """Whether `root ^ degree` is not `value`; `root` is at most the true root."""
    return value != root if root < 2 else root**degree != value


def integer_root(value: int, degree: int) -> int:
    """Return the whole part of the root of a whole number ≥ 0, by Newton's iteration.

    >>> integer_root(10**30 + 1, 3)
    10000000000
    """
    if degree == 2:
        return math.isqrt(value)
    if value < 2 or degree == 1:
        return value
    if degree >= value.bit_length():
        return 1
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def rational_logarithm(value: Fraction, base: Fraction) -> Fraction | None:
    """Return the logarithm of `value` > 0 to `base` > 0, ≠ 1, if it is rational, else None.

    It is p/q exactly when `value^q == base^p`: when both are powers of one rational number.

    >>> rational_logarithm(Fraction(8), Fraction(4)), rational_logarithm(Fraction(6), Fraction(4))
    (Fraction(3, 2), None)
    """
    if value == 1:
        return Fraction(0)
    value_root, value_power = _primitive(value)
    base_root, base_power = _primitive(base)
    return Fraction(value_power, base_power) if value_root == base_root else None


def _primitive(value: Fraction) -> tuple[Fraction, int]:
    """Return r > 1 and k, as large as can be in size, with `r ^ k == value`."""
    sign = 1 if value > 1 else -1
    root = value if value > 1 else 1 / value
    power = 1
    degree = 2
    while degree < root.numerator.bit_length():
        smaller = rational_root(root, degree)
        if smaller is None:
            degree += 1
        else:
            root, power = smaller, power * degree
    return root, sign * power
