"""Roots, powers and logarithms of rational numbers where they are rational, and their factors."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

_LARGEST_TRIED = 1000
_PRIMES = tuple(
    number
    for number in range(3, _LARGEST_TRIED, 2)
    if all(number % divisor for divisor in range(3, int(number**0.5) + 1, 2))
)


def as_float(value: Fraction | int) -> float:
    """Return the float nearest to a number, ±∞ for one beyond all floats: nothing is raised.

    >>> as_float(Fraction(1, 4)), as_float(-(10**400)), as_float(Fraction(1, 10**400))
    (0.25, -inf, 0.0)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


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


@lru_cache(maxsize=1024)
def factors(value: int) -> tuple[tuple[int, int], ...]:
    """Return bases and exponents whose product is a whole number ≥ 1.

    The bases are the primes below 1000, and at most one base more, which is no power itself.

    >>> factors(2**11 * 121)
    ((2, 11), (11, 2))
    >>> factors(1009**2 * 1013**2)
    ((1022117, 2),)
    """
    found = []
    twos = (value & -value).bit_length() - 1
    value >>= twos
    if twos:
        found.append((2, twos))
    for prime in _PRIMES:
        if value == 1:
            return tuple(found)
        exponent = 0
        while value % prime == 0:
            value //= prime
            exponent += 1
        if exponent:
            found.append((prime, exponent))
    if value > 1:
        found.append(_as_power(value))
    return tuple(found)


def _as_power(value: int) -> tuple[int, int]:
    """Return base and exponent of a number without small factors, the exponent as large as can be.

    Its base is over 1000 > 2^9, which bounds the exponent.
    """
    for exponent in range(value.bit_length() // 9, 1, -1):
        base = integer_root(value, exponent)
        if base**exponent == value:
            return base, exponent
    return value, 1
