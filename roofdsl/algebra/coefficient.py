"""How a rational coefficient is written: 3·N/2, but 13.9·N."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.expression.tree import ONE, Number
from roofdsl.units.quantity import decimal_places


def split(coefficient: Fraction) -> tuple[Number, Number]:
    """Return what to write in front of a numerator and of a denominator.

    >>> split(Fraction(3, 2)), split(Fraction(139, 10))
    ((Number(...3...), Number(...2...)), (Number(value=Fraction(139, 10)), Number(...1...)))
    """
    above, below = coefficient.numerator, coefficient.denominator
    scaled = _without_point(coefficient)
    if scaled is not None and abs(above) != 1 and _digits(scaled) < _digits(above) + _digits(below):
        return Number(coefficient), ONE
    return Number(Fraction(above)), Number(Fraction(below))


def length(value: Fraction) -> int:
    """Return how many digits it takes to write a number, zeros at its ends not counted.

    >>> length(Fraction(22_000)), length(Fraction(139, 10)), length(Fraction(1, 3))
    (2, 3, 2)
    """
    scaled = _without_point(value)
    if scaled is not None:
        return _digits(scaled)
    return _digits(value.numerator) + _digits(value.denominator)


def _without_point(value: Fraction) -> int | None:
    """Return the digits of a finite decimal, None for any other fraction."""
    places = decimal_places(value)
    return None if places is None else value.numerator * 10**places // value.denominator


def _digits(value: int) -> int:
    if value.bit_length() > 8192:
        return value.bit_length() // 4  # Python does not write out longer ones
    return len(str(abs(value)).rstrip("0"))
