"""Whole numbers as products of powers, so that roots and logarithms of them can be compared."""

from __future__ import annotations

from functools import lru_cache

from roofdsl.expression.rational import integer_root

_LARGEST_TRIED = 1000
_PRIMES = tuple(
    number
    for number in range(3, _LARGEST_TRIED, 2)
    if all(number % divisor for divisor in range(3, int(number**0.5) + 1, 2))
)


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
        found.append(_power(value))
    return tuple(found)


def _power(value: int) -> tuple[int, int]:
    """Return base and exponent of a number without small factors, the exponent as large as can be.

    Its base is over 1000 > 2^9, which bounds the exponent.
    """
    for exponent in range(value.bit_length() // 9, 1, -1):
        base = integer_root(value, exponent)
        if base**exponent == value:
            return base, exponent
    return value, 1
