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
            return _denominator(argument, name)
        case trees.Logic(_, operands):
            return lcm(*(_period(each, name) for each in operands))
        case trees.Comparison(_, left, right) if _slope(left) == _slope(right):
            sides = (side for side in (left, right) if not isinstance(side, Number))
            return lcm(*(_denominator(side, name) for side in sides))
    raise _NotTold


def _denominator(tree: Expression, name: str) -> int:
    """Return P such that P·f is whole for whole n, and for each m f(n + m·P) - f(n) is m·whole.

    Of a product a·b, with A and B those of its factors, n + m·A·B makes of a a + m·B·i, of b
    b + m·A·j, and of a·b a·b + m·(B·b·i + (a + m·B·i)·A·j), in which A·a and B·b are whole. What
    is added to u in `ceil u` or `floor u` is m·whole, and so it is outside.
    """
    match tree:
        case Number(value):
            return value.denominator
        case trees.Symbol() if tree.name == name:
            return 1
        case trees.Add(terms):
            return lcm(*(_denominator(each, name) for each in terms))
        case trees.Multiply(factors):
            return prod(_denominator(each, name) for each in factors)
        case trees.Divide(above, Number(value)) if value:
            return _denominator(above, name) * abs(value.numerator)
        case trees.Power(base, Number(value)) if value.denominator == 1 and 0 < value <= _HIGHEST:
            return int(_denominator(base, name) ** value.numerator)
        case trees.Function("floor" | "ceil", (argument,)):
            return _denominator(argument, name)
    raise _NotTold


def _slope(tree: Expression) -> Fraction:
    """Return s with f(n + P) = f(n) + s·P, P as `_denominator` has it: it makes s·P whole, too."""
    match tree:
        case Number():
            return Fraction(0)
        case trees.Symbol():
            return Fraction(1)
        case trees.Add(terms):
            return sum((_slope(each) for each in terms), Fraction(0))
        case trees.Multiply((Number(value), rest)) | trees.Multiply((rest, Number(value))):
            return value * _slope(rest)
        case trees.Divide(rest, Number(value)) if value:
            return _slope(rest) / value
        case trees.Function("floor" | "ceil", (argument,)):
            return _slope(argument)
    raise _NotTold
