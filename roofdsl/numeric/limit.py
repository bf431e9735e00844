"""What comparisons linear in a name say of it: the least and the largest value that it may have."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import divide, negate, number, subtract
from roofdsl.expression.normal_form import number_form
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.tree import Expression

_PRECISION = 200  # bits


class RationalLimits(NamedTuple):
    """The least and the largest value of a name, None where nothing is said.

    A name that is not whole may have to be above the least, or below the largest.
    """

    low: Fraction | None = None
    high: Fraction | None = None

    @classmethod
    def of(cls, several: Iterable[RationalLimits]) -> RationalLimits:
        """Return what several leave together.

        >>> below = RationalLimits(high=Fraction(9))
        >>> RationalLimits.of([below, RationalLimits(Fraction(1), Fraction(8))])
        RationalLimits(low=Fraction(1, 1), high=Fraction(8, 1))
        """
        each = [*several]
        return cls(
            max((low for low, _ in each if low is not None), default=None),
            min((high for _, high in each if high is not None), default=None),
        )


def limits_of(condition: Expression, name: str, *, whole: bool) -> RationalLimits | None:
    """Return what a comparison linear in a name says of it; None where it is no such comparison.

    Those of a whole number are whole. Of an irrational number the next one inside is taken that has
    so many bits, if no whole number lies between the two.

    >>> from roofdsl.expression.construct import add
    >>> n = trees.Symbol("N")
    >>> limits_of(trees.Comparison("<", number(7), add(n, n)), "N", whole=True)
    RationalLimits(low=Fraction(4, 1), high=None)
    """
    if not isinstance(condition, trees.Comparison) or condition.relation == "!=":
        return None
    form = polynomial(subtract(condition.left, condition.right), name)
    if form is None or not {*form.terms} <= {Degree(1, 0), Degree(0, 0)}:
        return None
    slope, constant = (form.terms.get(Degree(x, 0), number_form(0)) for x in (1, 0))
    if not slope.constant:
        return None
    if constant.constant is not None:
        low = high = -Fraction(constant.constant) / slope.constant
    else:
        from roofdsl.expression.bounds import bounds  # few conditions need it, and mpmath

        try:
            low, high = bounds(divide(negate(constant.tree()), number(slope.constant)), _PRECISION)
        except (ArithmeticError, ValueError):
            return None
        if condition.relation == "==" or not floor(low) < low <= high < floor(low) + 1:
            return None
    if whole:
        strict = condition.relation in ("<", ">")
        low, high = (
            Fraction(ceil(low) - 1 if strict else floor(low)),
            Fraction(floor(high) + 1 if strict else ceil(high)),
        )
    if condition.relation == "==":
        return RationalLimits(high, low)
    above = (condition.relation in (">", ">=")) == (slope.constant > 0)
    return RationalLimits(low=high) if above else RationalLimits(high=low)
