"""Quotients taken apart, so that what stands above and below cancels."""

from __future__ import annotations

from collections.abc import Callable

from roofdsl.expression.construct import add, divide, maximum, minimum, multiply
from roofdsl.expression.tree import ONE, Add, Divide, Expression, Function, Multiply


def apart(tree: Expression, is_positive: Callable[[Expression], bool]) -> Expression:
    """Return a formula whose last step is a quotient in another form that is equal to it.

    Each term above is divided by itself: a / max(b, c) is min(a/b, a/c), max(a, b) / c is
    max(a/c, b/c), and a / (b + c) is 1 / (b/a + c/a), where a, b and c are above 0, as
    `is_positive` says. Other formulas come back as they are.

    >>> from roofdsl.expression.construct import maximum
    >>> from roofdsl.expression.tree import Symbol
    >>> work, rate, other = Symbol("work"), Symbol("rate"), Symbol("other")
    >>> speed = divide(work, maximum(divide(work, rate), other))
    >>> apart(speed, lambda _: True) == minimum(rate, divide(work, other))
    True
    """
    if isinstance(tree, Function) and tree.name in ("min", "max"):
        choose = minimum if tree.name == "min" else maximum
        return choose(*(apart(each, is_positive) for each in tree.arguments))
    if not isinstance(tree, Divide):
        return tree
    above = tree.numerator
    terms = above.terms if isinstance(above, Add) else (above,)
    return add(*(_quotient(term, tree.denominator, is_positive) for term in terms))


def _quotient(
    term: Expression, below: Expression, is_positive: Callable[[Expression], bool]
) -> Expression:
    if isinstance(term, Function) and term.name == "max" and is_positive(below):
        return maximum(*(_quotient(each, below, is_positive) for each in term.arguments))
    short = _cancelled(term, below)
    if not isinstance(short, Divide) or not is_positive(short.numerator):
        return short
    above, rest = short.numerator, short.denominator
    match rest:
        case Function("max", options) if all(map(is_positive, options)):
            return minimum(*(_quotient(above, each, is_positive) for each in options))
        case Add(terms) if all(map(is_positive, terms)):
            return divide(ONE, add(*(_quotient(each, above, is_positive) for each in terms)))
    return short


def _cancelled(above: Expression, below: Expression) -> Expression:
    """Return a quotient without the factors that stand above and below."""
    top, bottom = _factors(above)
    under, over = _factors(below)
    top, bottom = [*top, *over], [*bottom, *under]
    for each in [*bottom]:
        if each in top:
            top.remove(each)
            bottom.remove(each)
    return divide(multiply(*top), multiply(*bottom))


def _factors(tree: Expression) -> tuple[list[Expression], list[Expression]]:
    """Return what a formula is a product of, above and below."""
    if isinstance(tree, Divide):
        top, bottom = _factors(tree.numerator)
        under, over = _factors(tree.denominator)
        return [*top, *over], [*bottom, *under]
    if isinstance(tree, Multiply):
        pairs = [_factors(each) for each in tree.factors]
        return [x for top, _ in pairs for x in top], [x for _, bottom in pairs for x in bottom]
    return [tree], []
