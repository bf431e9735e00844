"""After how many whole numbers a condition repeats itself, read off its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from roofdsl.expression import tree as trees
from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number

_HIGHEST = 64
_MOST_PARTS = 2000  # of a formula as written out, to be taken apart


def period(tree: Expression, name: str) -> int | None:
    """Return a number after which a condition repeats itself for whole n; None: none is known.

    >>> from roofdsl.expression.construct import divide, number
    >>> eighth = trees.Function("floor", (divide(trees.Symbol("N", integer=True), number(8)),))
    >>> period(trees.Function("is_integer", (divide(eighth, number(3)),)), "N")
    24
    """
    if weight(tree, _MOST_PARTS) == _MOST_PARTS:
        return None
    match tree:
        case trees.Function("is_integer", (argument,)):
            return _repeating(argument, name, 1)
        case trees.Logic(_, operands):
            return _common(period(each, name) for each in operands)
        case trees.Comparison(_, left, right):
            one, other = _drift(left, name), _drift(right, name)
            if one is None or other is None or one[0] != other[0]:
                return None
            return lcm(one[1], other[1])
    return None


def _common(periods: Iterator[int | None]) -> int | None:
    found = 1
    for each in periods:
        if each is None:
            return None
        found = lcm(found, each)
    return found


def _repeating(tree: Expression, name: str, modulus: int) -> int | None:
    """Return a number after which the formula's rest modulo a whole number repeats itself.

    A product a·b, with da·a and db·b always whole, keeps its rest modulo m where a keeps that
    modulo m·db and b that modulo m·da: a·b changes by m·db·t·b, which m divides.
    """
    match tree:
        case Number():
            return 1
        case trees.Symbol():
            return modulus if tree.name == name else None
        case trees.Add(terms):
            return _common(_repeating(each, name, modulus) for each in terms)
        case trees.Multiply(factors_):
            whole = [_denominator(each) for each in factors_]
            known = [each for each in whole if each is not None]
            if len(known) < len(whole):
                return None
            everything = _product(known)
            return _common(
                _repeating(each, name, modulus * everything // own)
                for each, own in zip(factors_, known, strict=True)
            )
        case trees.Divide(above, Number(value)) if value:
            return _repeating(above, name, modulus * abs(value.numerator))
        case trees.Power(base, Number(value)) if value.denominator == 1 and 0 < value <= _HIGHEST:
            own = _denominator(base)
            if own is None:
                return None
            return _repeating(base, name, modulus * own ** (value.numerator - 1))
        case trees.Function("floor" | "ceil", (argument,)):
            return _repeating(argument, name, modulus)
    return None


def _denominator(tree: Expression) -> int | None:
    """Return a whole number that makes every value of a formula of whole n whole."""
    match tree:
        case Number(value):
            return value.denominator
        case trees.Symbol() | trees.Function("floor" | "ceil", _):
            return 1
        case trees.Add(parts) | trees.Multiply(parts):
            known = [_denominator(each) for each in parts]
            whole = [each for each in known if each is not None]
            if len(whole) < len(known):
                return None
            return lcm(*whole) if isinstance(tree, trees.Add) else _product(whole)
        case trees.Divide(above, Number(value)) if value:
            own = _denominator(above)
            return None if own is None else own * abs(value.numerator)
        case trees.Power(base, Number(value)) if value.denominator == 1 and 0 < value <= _HIGHEST:
            own = _denominator(base)
            return None if own is None else own**value.numerator
    return None


def _product(numbers: Sequence[int]) -> int:
    found = 1
    for each in numbers:
        found *= each
    return found


def _drift(tree: Expression, name: str) -> tuple[Fraction, int] | None:
    """Return s and L with f(n + L) = f(n) + s·L for all n; None where the form does not say.

    Of `ceil u` and `floor u` it is that of u, where L makes s·L whole.
    """
    match tree:
        case Number():
            return Fraction(0), 1
        case trees.Symbol():
            return (Fraction(1), 1) if tree.name == name else None
        case trees.Add(terms):
            found = [_drift(each, name) for each in terms]
            known = [each for each in found if each is not None]
            if len(known) < len(found):
                return None
            return sum((each for each, _ in known), Fraction(0)), lcm(*(own for _, own in known))
        case trees.Multiply((Number(value), rest)) | trees.Multiply((rest, Number(value))):
            inner = _drift(rest, name)
            return None if inner is None else (value * inner[0], inner[1])
        case trees.Divide(rest, Number(value)) if value:
            inner = _drift(rest, name)
            return None if inner is None else (inner[0] / value, inner[1])
        case trees.Function("floor" | "ceil", (argument,)):
            inner = _drift(argument, name)
            return None if inner is None else (inner[0], lcm(inner[1], inner[0].denominator))
    return None
