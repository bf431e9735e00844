"""Conditions: those that always or never hold, and choosing by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.order import fold
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Relation

_Number: TypeAlias = Fraction | float
OPPOSITE: dict[Relation, Relation] = {
    "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
}  # fmt: skip


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
    if not isinstance(condition, trees.Logic):
        return _decided(condition, ())
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


def join(operator: trees.Operator, operands: Sequence[bool | None]) -> bool | None:
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


def compare(relation: Relation, left: _Number, right: _Number) -> bool:
    """Return whether `left relation right` holds.

    >>> compare("<=", 2, 2)
    True
    """
    return RELATIONS[relation](left, right)


RELATIONS: dict[Relation, Callable[[_Number, _Number], bool]] = {
    "==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


def compare_ranges(
    relation: Relation, left: tuple[_Number, _Number], right: tuple[_Number, _Number]
) -> bool | None:
    """Return whether `left relation right` for all numbers of two ranges, None: not for all alike.

    >>> compare_ranges("<=", (1, 2), (2, 3)), compare_ranges("<", (1, 2), (2, 3))
    (True, None)
    """
    (low, high), (other_low, other_high) = left, right
    if relation in ("==", "!="):
        apart = high < other_low or low > other_high
        alike = apart or low == high == other_low == other_high
        return apart == (relation == "!=") if alike else None
    # Hardest for one pair of ends, easiest for the other.
    extremes = {compare(relation, low, other_high), compare(relation, high, other_low)}
    return extremes.pop() if len(extremes) == 1 else None


def conditional(
    condition: Expression, consequence: Expression, alternative: Expression
) -> Expression:
    """Return `if condition then consequence else alternative`, or the branch it amounts to.

    >>> conditional(truth(False), ZERO, ONE)
    Number(value=Fraction(1, 1))
    """
    known = decided(condition)
    if known is None:
        return trees.Conditional(_open(condition), consequence, alternative)
    return consequence if known else alternative


def _open(condition: Expression) -> Expression:
    """Return what of a condition is not known: in `and` what holds anyhow is left out."""
    if not isinstance(condition, trees.Logic) or condition.operator == "not":
        return condition
    neutral = condition.operator == "and"
    left = tuple(each for each in condition.operands if decided(each) is not neutral)
    return left[0] if len(left) == 1 else trees.Logic(condition.operator, left)
