"""Comparisons, `min`, `max`, `ceil` and `floor` of irrational numbers, decided by bounds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from roofdsl.expression.condition import compare
from roofdsl.expression.construct import subtract
from roofdsl.expression.normalise import constant_value, normal_form
from roofdsl.expression.sign import known_bounds, sign
from roofdsl.expression.tree import Expression, Relation

NEARLY = 1e-12
"""Two times that differ by less, relatively, may be equal: it is below what rounding may do."""


def hold(relation: Relation, left: Expression, right: Expression) -> bool | None:
    """Return whether `left relation right` for two constants, None where it cannot be told.

    >>> from roofdsl.expression.construct import call, number, square_root
    >>> hold("<", square_root(number(2)), call("log2", number(3)))
    True
    """
    order = _order(left, right)
    return None if order is None else compare(relation, order, 0)


def _order(left: Expression, right: Expression) -> int | None:
    # A normal form of 0 is empty, which proves equality; any other sign comes of an approximation
    # with a bound of its error.
    form = normal_form(subtract(left, right))
    return None if form is None else sign(form)


def extreme(name: str, operands: Sequence[Expression]) -> int | None:
    """Return the place of the `min` or `max` of constants, None where it cannot be told.

    >>> from roofdsl.expression.construct import call, number, square_root
    >>> extreme("max", [square_root(number(2)), call("log2", number(3))])
    1
    """
    best = 0
    for place in range(1, len(operands)):
        order = _order(operands[place], operands[best])
        if order is None:
            return None
        if (order < 0) if name == "min" else (order > 0):
            best = place
    return best


def jump(name: str, argument: Expression) -> Fraction | bool | None:
    """Return `ceil`, `floor` or `is_integer` of a constant, None where it cannot be told.

    >>> from roofdsl.expression.construct import call, number
    >>> jump("ceil", call("log2", number(100)))
    Fraction(7, 1)
    """
    known = constant_value(argument)
    if known is not None:
        if name == "is_integer":
            return known.denominator == 1
        return Fraction(math.ceil(known) if name == "ceil" else math.floor(known))
    # Not rational, as far as can be shown: then it is certain to be no whole number only where its
    # bounds lie strictly between two of them.
    low, high = known_bounds(argument) or (0, 0)
    below = math.floor(low)
    if not below < low <= high < below + 1:
        return None
    return False if name == "is_integer" else Fraction(below + (name == "ceil"))
