"""Conditions: those that always or never hold, and choosing by them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from roofdsl.expression import tree as trees
from roofdsl.expression.order import fold
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Relation


def truth(value: bool) -> trees.Comparison:
    """Return the condition `true` or `false`, which is `1 == 1` or `1 == 0` as a tree.

    >>> decided(truth(True)), decided(truth(False))
    (True, False)
    """
    return trees.Comparison("==", ONE, ONE if value else ZERO)


def is_condition(tree: Expression) -> bool:
    """Whether an expression is a truth value by its form: a boolean parameter's name is not.

    >>> is_condition(truth(True)), is_condition(ONE)
    (True, False)
    """
    if isinstance(tree, trees.Function):
        return tree.name == "is_integer"
    return isinstance(tree, trees.Comparison | trees.Logic)


def decided(condition: Expression) -> bool | None:
    """Return what a condition amounts to where its numbers settle it, else None.

    >>> decided(trees.Logic("or", (truth(False), truth(True))))
    True
    """
    return fold(
        condition, _decided, lambda node: node.operands if isinstance(node, trees.Logic) else ()
    )


def _decided(node: Expression, operands: tuple[bool | None, ...]) -> bool | None:
    match node:
        case trees.Comparison(relation, Number(left), Number(right)):
            return compare(relation, left, right)
        case trees.Function("is_integer", (Number(value),)):
            return value.denominator == 1
        case trees.Logic(operator, _):
            return join(operator, operands)
    return None


def join(operator: Literal["and", "or", "not"], operands: Sequence[bool | None]) -> bool | None:
    """Return what `and`, `or` or `not` makes of truth values, read from the left; None: not known.

    >>> join("and", [True, None, False]), join("or", [True, None])
    (None, True)
    """
    if operator == "not":
        return None if operands[0] is None else not operands[0]
    settling = operator == "or"
    for operand in operands:
        if operand is None or operand is settling:
            return operand
    return not settling


def compare(relation: Relation, left: Fraction | float, right: Fraction | float) -> bool:
    """Return whether `left relation right` holds.

    >>> compare("<=", 2, 2)
    True
    """
    match relation:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right


def conditional(
    condition: Expression, consequence: Expression, alternative: Expression
) -> Expression:
    """Return `if condition then consequence else alternative`, or the branch it amounts to.

    >>> conditional(truth(False), ZERO, ONE)
    Number(value=Fraction(1, 1))
    """
    known = decided(condition)
    if known is None:
        return trees.Conditional(condition, consequence, alternative)
    return consequence if known else alternative
