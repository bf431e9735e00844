"""Sums up to an unknown, as formulas without a sum."""

from __future__ import annotations

from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, fold, outside_sums
from roofdsl.expression.substitute import rebuild
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

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression:
        if isinstance(node, Sum):
            form = normal_form(node, name)
            closed = node if form is None else form.tree()
            return node if has_sums(closed) else closed
        same = all(old is new for old, new in zip(outside_sums(node), operands, strict=True))
        return node if same else rebuild(node, operands)

    return fold(tree, made, outside_sums)


def has_sums(tree: Expression) -> bool:
    """Whether there is a sum in a formula."""
    return any(isinstance(node, Sum) for node in bottom_up(tree))
