"""Sums up to an unknown, as formulas without a sum."""

from __future__ import annotations

from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import rewritten
from roofdsl.expression.tree import Expression, Sum


def added_up(tree: Expression, name: str) -> Expression:
    """Return a formula in which sums are polynomials in their upper bounds, where they are any.

    >>> from fractions import Fraction
    >>> from roofdsl.expression.tree import ONE, Function, Number, Symbol
    >>> n, k = Symbol("N", integer=True), Symbol("k", integer=True)
    >>> added_up(Function("max", (ONE, Sum(Number(Fraction(7)), k, ONE, n))), "N").arguments[1]
    Multiply(factors=(Number(value=Fraction(7, 1)), Symbol(name='N', integer=True, positive=True)))
    """
    if not has_sums(tree):
        return tree

    def closed(node: Expression, _: tuple[Expression, ...]) -> Expression | None:
        form = normal_form(node, name) if isinstance(node, Sum) else None
        found = None if form is None else form.tree()
        return None if found is None or has_sums(found) else found

    return rewritten(tree, closed)


def has_sums(tree: Expression) -> bool:
    """Whether there is a sum in a formula."""
    return any(isinstance(node, Sum) for node in bottom_up(tree))
