"""After how many whole numbers a condition repeats itself, read off its form."""

from __future__ import annotations

from fractions import Fraction
from math import lcm, prod

from roofdsl.expression import tree as trees
from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number

_HIGHEST = 64
_MOST_PARTS = 2000  # of a formula as written out, to be taken apart


class _NotTold(Exception):
    """A form does not say what is asked of it."""


def period(tree: Expression, name: str) -> int | None:
    """Return a number after which a condition repeats itself for whole n; None: none is known.

    >>> from roofdsl.expression.construct import divide, number
    >>> eighth = trees.Function("floor", (divide(trees.Symbol("N", integer=True), number(8)),))
    >>> period(trees.Function("is_integer", (divide(eighth, number(3)),)), "N")
    24
    """
    try:
        return None if weight(tree, _MOST_PARTS) == _MOST_PARTS else _period(tree, name)
    except _NotTold:
        return None


def _period(tree: Expression, name: str) -> int:
    match tree:
        case trees.Function("is_integer", (argument,)):
            return _repeating(argument, name, 1)
        case trees.Logic(_, operands):
            return lcm(*(_period(each, name) for each in operands))
        case trees.Comparison(_, left, right):
            (slope, one), (other_slope, other) = _drift(left, name), _drift(right, name)
            if slope == other_slope:
                return lcm(one, other)
    raise _NotTold


def _repeating(tree: Expression, name: str, modulus: int) -> int:
    """Return a number after which the formula's rest modulo a whole number repeats itself.

    A product a·b, with da·a and db·b always whole, keeps its rest modulo m where a keeps that
    modulo m·db and b that modulo m·da: a·b changes by m·db·t·b, which m divides.
    """
    match tree:
        case Number():
            return 1
        case trees.Symbol() if tree.name == name:
            return modulus
        case trees.Add(terms):
            return lcm(*(_repeating(each, name, modulus) for each in terms))
        case trees.Multiply(factors):
            whole = [_denominator(each) for each in factors]
            moduli = [modulus * prod(whole) // own for own in whole]
            pairs = zip(factors, moduli, strict=True)
            return lcm(*(_repeating(each, name, own) for each, own in pairs))
        case trees.Divide(above, Number(value)) if value:
            return _repeating(above, name, modulus * abs(value.numerator))
        case trees.Power(base, Number(value)) if value.denominator == 1 and 0 < value <= _HIGHEST:
            return _repeating(base, name, modulus * _denominator(base) ** (value.numerator - 1))
        case trees.Function("floor" | "ceil", (argument,)):
            return _repeating(argument, name, modulus)
    raise _NotTold


def _denominator(tree: Expression) -> int:
    """Return a whole number that makes every value of a formula of whole n whole."""
    match tree:
        case Number(value):
            return value.denominator
        case trees.Symbol() | trees.Function("floor" | "ceil", _):
            return 1
        case trees.Add(terms):
            return lcm(*(_denominator(each) for each in terms))
        case trees.Multiply(factors):
            return prod(_denominator(each) for each in factors)
        case trees.Divide(above, Number(value)) if value:
            return _denominator(above) * abs(value.numerator)
        case trees.Power(base, Number(value)) if value.denominator == 1 and 0 < value <= _HIGHEST:
            return int(_denominator(base) ** value.numerator)
    raise _NotTold


def _drift(tree: Expression, name: str) -> tuple[Fraction, int]:
    """Return s and L with f(n + L) = f(n) + s·L for all n.

    Of `ceil u` and `floor u` it is that of u, where L makes s·L whole.
    """
    match tree:
        case Number():
            return Fraction(0), 1
        case trees.Symbol() if tree.name == name:
            return Fraction(1), 1
        case trees.Add(terms):
            found = [_drift(each, name) for each in terms]
            return sum((slope for slope, _ in found), Fraction(0)), lcm(*(own for _, own in found))
        case trees.Multiply((Number(value), rest)) | trees.Multiply((rest, Number(value))):
            slope, own = _drift(rest, name)
            return value * slope, own
        case trees.Divide(rest, Number(value)) if value:
            slope, own = _drift(rest, name)
            return slope / value, own
        case trees.Function("floor" | "ceil", (argument,)):
            slope, own = _drift(argument, name)
            return slope, lcm(own, slope.denominator)
    raise _NotTold
