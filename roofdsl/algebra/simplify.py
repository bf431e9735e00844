"""Shorter formulas: common factors cancelled, sums factored or multiplied out."""

from __future__ import annotations

from functools import lru_cache
from math import comb, prod

from roofdsl.algebra.quotient import quotients
from roofdsl.algebra.readable import arrangements, effort
from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, fold, operands_of, weight
from roofdsl.expression.product import TooLong
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import Expression, Number

LONGEST = 300
MOST_PARTS = 40
MOST_HELD = 400
MOST_TERMS = 40
_MANY = 10**6
_ARITHMETIC = (trees.Add, trees.Multiply, trees.Divide, trees.Power)


@lru_cache(maxsize=256)
def simplify_ratio(tree: Expression) -> Expression:
    """Return `tree` in the form that is easiest to read: never harder than it is.

    Fractions are brought to one, common factors cancelled, roots and logarithms of products taken
    apart. What stands in `min`, `max`, `if` and the like is simplified on its own, each as one name
    to the formula around it. Long formulas are left as they are.

    >>> n, p = trees.Symbol("N"), trees.Symbol("P")
    >>> product, root = trees.Multiply((n, p)), trees.Power(p, trees.HALF)
    >>> simplify_ratio(trees.Divide(trees.Divide(product, root), n))
    Power(base=Symbol(name='P', integer=False, positive=True), exponent=Number(...))
    """
    parts = trees.Function | trees.Conditional | trees.Sum
    held = [len(operands_of(each)) for each in bottom_up(tree) if isinstance(each, parts)]
    if len(held) > MOST_PARTS or sum(held) > MOST_HELD:
        return tree
    return _shortest(fold(tree, _simplified))


def _simplified(node: Expression, parts: tuple[Expression, ...]) -> Expression:
    if _holds_formulas(node):
        parts = tuple(_shortest(part) for part in parts)
    same = all(old is new for old, new in zip(operands_of(node), parts, strict=True))
    return node if same else rebuild(node, parts)


def _holds_formulas(node: Expression) -> bool:
    """Whether the operands of a node are formulas of their own; conditions stay as written."""
    if isinstance(node, trees.Function):
        return node.name in ("min", "max", "ceil", "floor", "abs")
    return isinstance(node, trees.Conditional | trees.Sum)


def _terms(node: Expression, parts: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """Return at most how many terms numerator and denominator have when multiplied out."""
    above, below = 1, 1
    match node:
        case trees.Add():
            for numerator, denominator in parts:
                above, below = above * denominator + numerator * below, below * denominator
            above -= below  # the sum began as 1 / 1
        case trees.Multiply():
            above, below = prod(part[0] for part in parts), prod(part[1] for part in parts)
        case trees.Divide():
            above, below = parts[0][0] * parts[1][1], parts[0][1] * parts[1][0]
        case trees.Power(_, Number(exponent)) if exponent.denominator == 1:
            times = min(abs(exponent.numerator), MOST_TERMS)
            above, below = (comb(count + times - 1, times) for count in parts[0])
            if exponent < 0:
                above, below = below, above
    return min(above, _MANY), min(below, _MANY)


def _shortest(tree: Expression) -> Expression:
    """Return the easiest way to write one quotient, what is not arithmetic as it is."""
    if not isinstance(tree, _ARITHMETIC) or weight(tree, LONGEST) >= LONGEST:
        return tree
    above, below = fold(tree, _terms)
    if max(above, below) > MOST_TERMS:
        return tree
    best: Expression = tree
    least = effort(tree)
    try:
        for quotient in quotients(tree):
            for candidate in arrangements(quotient):
                if effort(candidate) < least:
                    best, least = candidate, effort(candidate)
    except TooLong:
        return best
    return best
