"""Numbers as digits: 13.9, 1.39e10 or 1/3, whichever people would write."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from roofdsl.units.quantity import decimal_places

ELLIPSIS = "…"
_LONGEST = 8192  # bits
_SHORT = 8  # characters


class Numeral(NamedTuple):
    """The digits of a number without its sign: `digits`, · 10^`exponent` or / `denominator`.

    `exponent` is 0 and `denominator` "" where there is none.
    """

    negative: bool
    digits: str
    exponent: int = 0
    denominator: str = ""


def numeral(value: Fraction) -> Numeral:
    """Write a number exactly; what is too long to be read is an ellipsis.

    >>> numeral(Fraction(13_900_000_000))
    Numeral(negative=False, digits='1.39', exponent=10, denominator='')
    >>> numeral(Fraction(-1, 3))
    Numeral(negative=True, digits='1', exponent=0, denominator='3')
    """
    negative = value < 0
    value = abs(value)
    if value.numerator.bit_length() + value.denominator.bit_length() > _LONGEST:
        return Numeral(False, ELLIPSIS)
    quotient = Numeral(negative, str(value.numerator), denominator=str(value.denominator))
    decimal = _decimal(value)
    if decimal is None:
        return quotient
    digits, exponent = decimal
    length = len(f"{digits}e{exponent}" if exponent else digits)
    if length > max(_SHORT, len(quotient.digits) + 1 + len(quotient.denominator)):
        return quotient
    return Numeral(negative, digits, exponent)


def _decimal(value: Fraction) -> tuple[str, int] | None:
    """Return a number ≥ 0 as a decimal, with an exponent if that is clearly shorter, or None."""
    places = decimal_places(value)
    if places is None:
        return None
    digits = str(value.numerator * (10**places // value.denominator))
    if digits == "0":
        return "0", 0
    exponent = -places
    short = digits.rstrip("0")
    exponent += len(digits) - len(short)
    point = len(short) + exponent  # digits in front of the decimal point
    if exponent >= 0:
        plain = short + "0" * exponent
    elif point > 0:
        plain = f"{short[:point]}.{short[point:]}"
    else:
        plain = f"0.{'0' * -point}{short}"
    mantissa = f"{short[0]}.{short[1:]}".rstrip(".")
    shorter = len(plain) - len(f"{mantissa}e{point - 1}")
    if shorter >= 3 or (shorter > 0 and point < -3):
        return mantissa, point - 1
    return plain, 0
