"""Roots, powers and logarithms of rational numbers where they are rational, and their factors."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

_LARGEST_TRIED = 1000
_LONGEST = 4096  # bits
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
    # A little above the root, by its logarithm: from far above, every step is a small part of it.
    whole, part = divmod(math.log2(value) / degree, 1.0)
    shift = max(0, int(whole) - 52)
    guess: int = (math.ceil(2.0 ** (whole - shift + part) * (1 + 1e-9)) + 1) << shift
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
    sign = 1 if (value > 1) == (base > 1) else -1
    one, other = (each if each > 1 else 1 / each for each in (value, base))
    # If both are powers c^i and c^j, i ≥ j, then c^i / c^j is c^(i - j), and the division leaves
    # nothing in either part: so they are divided as Euclid subtracts i and j, until 1 is left.
    large, small = max(one, other), min(one, other)
    while small != 1:
        width = small.numerator.bit_length()
        divisor = small ** max(1, (large.numerator.bit_length() - 1) // width)
        rest = large / divisor
        if (
            rest.numerator * divisor.numerator != large.numerator
            or rest.denominator * divisor.denominator != large.denominator
        ):
            return None
        large, small = max(rest, small), min(rest, small)
    unit = math.log2(large.numerator)
    exponents = [round(math.log2(each.numerator) / unit) for each in (one, other)]
    return sign * Fraction(*exponents)


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

    Its base is over 1000 > 2^9, which bounds the exponent. Very long numbers are not looked at.
    """
    power = 1
    for exponent in (2, *_PRIMES) if value.bit_length() <= _LONGEST else ():
        while 9 * exponent <= value.bit_length():
            base = integer_root(value, exponent)
            if base**exponent != value:
                break
            value, power = base, power * exponent
    return value, power
