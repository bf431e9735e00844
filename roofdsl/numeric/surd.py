"""Irrational roots of rational numbers: multiplied, raised and compared exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.expression.rational import bits, integer_root, rational_root

MOST_BITS = 20_000


class Surd(NamedTuple):
    """The irrational number `sign · radicand^(1/degree)`, the radicand above 0."""

    sign: int
    radicand: Fraction
    degree: int


Algebraic: TypeAlias = Fraction | Surd


def root(sign: int, radicand: Fraction, degree: int) -> Algebraic | None:
    """Return `sign · radicand^(1/degree)` in its simplest form, None if it is too long.

    >>> root(1, Fraction(9), 4), root(-1, Fraction(8), 3)
    (Surd(sign=1, radicand=Fraction(3, 1), degree=2), Fraction(-2, 1))
    """
    if bits(radicand) > MOST_BITS or degree > MOST_BITS:
        return None
    if degree == 1:
        return radicand if sign > 0 else -radicand
    prime = 2
    while prime <= degree:
        smaller = rational_root(radicand, prime) if degree % prime == 0 else None
        if smaller is None:
            prime += 1
        else:
            radicand, degree = smaller, degree // prime
    return sign * radicand if degree == 1 else Surd(sign, radicand, degree)


def multiply(left: Algebraic, right: Algebraic) -> Algebraic | None:
    """Return the product, None if it is too long.

    >>> half = Surd(1, Fraction(2), 2)
    >>> multiply(half, half)
    Fraction(2, 1)
    """
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        product = left * right
        return product if bits(product) <= MOST_BITS else None
    if not left or not right:
        return Fraction(0)
    raised = _common(left, right)
    if raised is None:
        return None
    first, second, degree = raised
    return root(sign_of(left) * sign_of(right), first * second, degree)


def raise_to(base: Algebraic, exponent: Fraction) -> Algebraic | None:
    """Return `base ^ exponent` for a base ≠ 0, above 0 unless the exponent is whole.

    >>> raise_to(Surd(-1, Fraction(2), 2), Fraction(3))
    Surd(sign=-1, radicand=Fraction(8, 1), degree=2)
    """
    sign = sign_of(base) if exponent.numerator % 2 else 1
    magnitude, degree = (base.radicand, base.degree) if isinstance(base, Surd) else (abs(base), 1)
    if magnitude == 1:
        return Fraction(sign)
    if bits(magnitude) * abs(exponent.numerator) > 2 * MOST_BITS:
        return None
    return root(sign, magnitude**exponent.numerator, degree * exponent.denominator)


def difference_sign(left: Algebraic, right: Algebraic) -> int | None:
    """Return the sign of `left - right`, None if that takes too long numbers.

    >>> difference_sign(Surd(1, Fraction(2), 2), Fraction(3, 2))
    -1
    """
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return (left > right) - (left < right)
    sign = sign_of(left)
    if sign != sign_of(right):
        return 1 if sign > sign_of(right) else -1
    raised = _common(left, right)
    if raised is None:
        return None
    first, second, _ = raised
    return sign * ((first > second) - (first < second))


def floor(value: Algebraic) -> int:
    """Return the next whole number down.

    >>> floor(Surd(-1, Fraction(120), 2))
    -11
    """
    if isinstance(value, Fraction):
        return math.floor(value)
    whole = integer_root(math.floor(value.radicand), value.degree)
    return whole if value.sign > 0 else -whole - 1


def ceil(value: Algebraic) -> int:
    """Return the next whole number up.

    >>> ceil(Surd(1, Fraction(120), 2)), ceil(Fraction(3))
    (11, 3)
    """
    return math.ceil(value) if isinstance(value, Fraction) else floor(value) + 1


def sign_of(value: Algebraic) -> int:
    """Return -1, 0 or 1.

    >>> sign_of(Fraction(-3))
    -1
    """
    return value.sign if isinstance(value, Surd) else (value > 0) - (value < 0)


def _common(left: Algebraic, right: Algebraic) -> tuple[Fraction, Fraction, int] | None:
    """Return the magnitudes of two numbers ≠ 0, both raised to one common degree."""
    degrees = [value.degree if isinstance(value, Surd) else 1 for value in (left, right)]
    degree = math.lcm(*degrees)
    raised = []
    for value, own in zip((left, right), degrees, strict=True):
        magnitude = value.radicand if isinstance(value, Surd) else abs(value)
        if bits(magnitude) * (degree // own) > 2 * MOST_BITS:
            return None
        raised.append(magnitude ** (degree // own))
    return raised[0], raised[1], degree
