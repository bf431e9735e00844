"""Arithmetic on real numbers that says only what is certain.

A number is rational, an irrational root of a rational (`Surd`), irrational in another way, or
unknown. Functions raise ZeroDivisionError and ValueError outside their domain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from roofdsl.expression.condition import compare as hold
from roofdsl.expression.rational import as_float, bits, rational_logarithm
from roofdsl.expression.tree import Relation
from roofdsl.numeric import surd
from roofdsl.numeric.lambertw import lambertw
from roofdsl.numeric.surd import MOST_BITS, Surd


class Inexact(Enum):
    """A number that is neither rational nor a `Surd`."""

    IRRATIONAL = "irrational"
    UNKNOWN = "unknown"


IRRATIONAL, UNKNOWN = Inexact.IRRATIONAL, Inexact.UNKNOWN
Real: TypeAlias = Fraction | Surd | Inexact


def add(terms: Sequence[Real]) -> Real:
    """Return the sum; an irrational number and rational ones add up to an irrational one.

    >>> add([Fraction(1), Surd(1, Fraction(2), 2)])
    <Inexact.IRRATIONAL: 'irrational'>
    """
    total = Fraction(0)
    other: Real | None = None
    for term in terms:
        if isinstance(term, Fraction):
            total += term
            if bits(total) > MOST_BITS:
                return UNKNOWN
        elif other is None:
            other = term
        else:
            return UNKNOWN
    # One irrational number plus a rational one is irrational; two of them may cancel (√2 - √2), so
    # above they are unknown.
    if other is None:
        return total
    if total == 0 or other is UNKNOWN:
        return other
    return IRRATIONAL


def multiply(factors: Sequence[Real]) -> Real:
    """Return the product.

    >>> multiply([Surd(1, Fraction(2), 2), Surd(1, Fraction(8), 2)])
    Fraction(4, 1)
    """
    product: Fraction | Surd = Fraction(1)
    other: Inexact | None = None
    for factor in factors:
        if isinstance(factor, Inexact):
            other = factor if other is None else UNKNOWN
            continue
        exactly = surd.multiply(product, factor)
        if exactly is None:
            return UNKNOWN
        product = exactly
    if other is None:
        return product
    if other is IRRATIONAL and isinstance(product, Fraction):
        return other if product else Fraction(0)
    return UNKNOWN


def divide(numerator: Real, denominator: Real) -> Real:
    """Return the quotient.

    >>> divide(Fraction(2), Surd(1, Fraction(2), 2))
    Surd(sign=1, radicand=Fraction(2, 1), degree=2)
    """
    if isinstance(denominator, Inexact):
        if denominator is IRRATIONAL and isinstance(numerator, Fraction):
            return IRRATIONAL if numerator else numerator
        return UNKNOWN
    if not denominator:
        raise ZeroDivisionError
    if isinstance(denominator, Fraction) and isinstance(numerator, Fraction):
        quotient = numerator / denominator
        return quotient if bits(quotient) <= MOST_BITS else UNKNOWN
    inverse = surd.raise_to(denominator, Fraction(-1))
    return UNKNOWN if inverse is None else multiply([numerator, inverse])


def power(base: Real, exponent: Real) -> Real:
    """Return `base ^ exponent`.

    >>> power(Surd(1, Fraction(2), 2), Fraction(4)), power(Fraction(4), Fraction(1, 2))
    (Fraction(4, 1), Fraction(2, 1))
    """
    if isinstance(base, Fraction) and base == 1:
        return base
    if not isinstance(exponent, Fraction):
        if isinstance(base, Fraction | Surd) and surd.sign_of(base) < 0:
            raise ValueError
        return UNKNOWN
    if exponent in (0, 1):
        return base if exponent else Fraction(1)
    if isinstance(base, Inexact):
        return base if exponent == -1 and base is IRRATIONAL else UNKNOWN
    sign = surd.sign_of(base)
    if sign == 0:
        if exponent < 0:
            raise ZeroDivisionError
        return Fraction(0)
    if sign < 0 and exponent.denominator > 1:
        raise ValueError
    exactly = surd.raise_to(base, exponent)
    return UNKNOWN if exactly is None else exactly


def compare(relation: Relation, left: Real, right: Real) -> bool | None:
    """Return whether `left relation right`, None where it cannot be said.

    >>> one = Fraction(1)
    >>> compare("<", Surd(1, Fraction(1, 2), 2), one), compare("==", IRRATIONAL, one)
    (True, False)
    """
    if not isinstance(left, Inexact) and not isinstance(right, Inexact):
        sign = surd.difference_sign(left, right)
        return None if sign is None else hold(relation, sign, 0)
    kinds = {type(left), type(right)}
    if relation in ("==", "!=") and IRRATIONAL in (left, right) and Fraction in kinds:
        return relation == "!="
    return None


def extreme(name: str, operands: Sequence[Real]) -> Real:
    """Return the `min` or `max` of the operands.

    >>> extreme("max", [Surd(1, Fraction(2), 2), Fraction(1)])
    Surd(sign=1, radicand=Fraction(2, 1), degree=2)
    """
    best = operands[0]
    for operand in operands[1:]:
        better = compare("<" if name == "min" else ">", operand, best)
        if better is None:
            return UNKNOWN
        if better:
            best = operand
    return best


def apply(name: str, operands: Sequence[Real]) -> Real | bool:
    """Return a function of an expression at numbers.

    >>> apply("log2", [Fraction(8)]), apply("floor", [Surd(1, Fraction(120), 2)])
    (Fraction(3, 1), Fraction(10, 1))
    """
    operand = operands[0]
    if name in ("min", "max"):
        return extreme(name, operands)
    if name == "is_integer":
        if operand is UNKNOWN:
            return UNKNOWN
        return isinstance(operand, Fraction) and operand.denominator == 1
    if name == "log":
        return logarithm(operand, operands[1])
    if isinstance(operand, Inexact):
        return IRRATIONAL if name == "abs" and operand is IRRATIONAL else UNKNOWN
    match name:
        case "abs":
            return multiply([Fraction(surd.sign_of(operand)), operand])
        case "floor":
            return Fraction(surd.floor(operand))
        case "ceil":
            return Fraction(surd.ceil(operand))
        case "log2":
            return logarithm(operand, Fraction(2))
        case "log10":
            return logarithm(operand, Fraction(10))
        case "ln":
            if surd.sign_of(operand) <= 0:
                raise ValueError
            return Fraction(0) if operand == 1 else IRRATIONAL
        case "exp":
            # e^x is transcendental for every algebraic x ≠ 0, and so is ln x for x ≠ 1
            # (Hermite and Lindemann).
            return IRRATIONAL if operand else Fraction(1)
        case "lambertw":
            return _lambertw(operand, operands[1])
    raise TypeError(name)


def logarithm(operand: Real, base: Real) -> Real:
    """Return a logarithm: of an algebraic number it is irrational unless it is rational.

    >>> logarithm(Surd(1, Fraction(2), 2), Fraction(2))
    Fraction(1, 2)
    """
    for number in (operand, base):
        if not isinstance(number, Inexact) and surd.sign_of(number) <= 0:
            raise ValueError
    if base == 1:
        raise ValueError
    if isinstance(operand, Inexact) or isinstance(base, Inexact):
        return UNKNOWN
    # log_b a of rational a and b is rational only if a^q = b^p for whole p, q; else it is even
    # transcendental, by Gelfond and Schneider, so that a root in either changes only the factor.
    value, degree = _radicand(operand)
    foot, foot_degree = _radicand(base)
    quotient = rational_logarithm(value, foot)
    return IRRATIONAL if quotient is None else quotient * foot_degree / degree


def _radicand(number: Fraction | Surd) -> tuple[Fraction, int]:
    return (number.radicand, number.degree) if isinstance(number, Surd) else (number, 1)


def _lambertw(operand: Fraction | Surd, branch: Real) -> Real:
    if not isinstance(branch, Fraction):
        return UNKNOWN
    if not operand and branch == 0:
        return Fraction(0)
    try:
        lambertw(as_float(Fraction(approximate(operand))), int(branch))
    except OverflowError:
        return UNKNOWN
    return IRRATIONAL


def approximate(number: Real) -> float | Fraction:
    """Return a number as it can be shown: a root as a float; NaN for an `Inexact`.

    >>> approximate(Surd(1, Fraction(4, 9), 2))
    0.6666666666666666
    """
    if isinstance(number, Inexact):
        return math.nan
    if isinstance(number, Fraction):
        return number
    radicand = as_float(number.radicand)
    if 0 < radicand < math.inf:
        return number.sign * math.pow(radicand, 1 / number.degree)
    if radicand:
        return Fraction(surd.floor(number))
    return 1 / Fraction(surd.floor(number._replace(radicand=1 / number.radicand)))
