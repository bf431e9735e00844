"""Expressions that are a rational number."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.expression.order import fold
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import Expression, Number


def constant(tree: Expression) -> Fraction | None:
    """Return the number an expression folds to, or None if it does not: it has a name in it, say.

    >>> from roofdsl.expression.tree import HALF, ONE, Divide
    >>> constant(Divide(ONE, HALF))
    Fraction(2, 1)
    """
    result = fold(tree, rebuild)
    return result.value if isinstance(result, Number) else None
