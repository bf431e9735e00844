"""The formulas a formula may amount to, as its `if`, `min`, `max` and `abs` choose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from math import prod

from roofdsl.expression.construct import negate
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, fold, operands_of, outside_sums, weight
from roofdsl.expression.sign import common_sign
from roofdsl.expression.substitute import free_symbols, rebuild
from roofdsl.expression.tree import Add, Conditional, Divide, Expression, Function, Multiply, Sum

MOST_BRANCHES = 16
_LARGEST = 5000


def branches(tree: Expression, name: str) -> list[Expression]:
    """Return the tree with each way to make the choices that depend on a name.

    Choices by one condition are made alike. Without any it is the tree alone; it is also left alone
    where there are more than `MOST_BRANCHES` ways.

    >>> from roofdsl.expression.construct import number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> [branch == n for branch in branches(Function("max", (n, number(2))), "N")]
    [True, False]
    """
    choices: dict[Expression, int] = {}
    if weight(tree) > _LARGEST:  # choices are compared as written out
        return [tree]
    for node in bottom_up(tree, outside_sums):
        ways = _ways(node)
        if ways and any(symbol.name == name for symbol in free_symbols(node)):
            choices[_decision(node)] = ways
    count = 1
    for ways in choices.values():
        count *= ways
    if count == 1 or count > MOST_BRANCHES:
        return [tree]
    return list(_chosen(tree, choices))


def _ways(node: Expression) -> int:
    match node:
        case Conditional() | Function("abs", _):
            return 2
        case Function("min" | "max", operands):
            return len(operands)
        case _:
            return 0


def _decision(node: Expression) -> Expression:
    """Return what two nodes share if they choose alike."""
    return node.condition if isinstance(node, Conditional) else node


def _chosen(tree: Expression, choices: Mapping[Expression, int]) -> Iterator[Expression]:
    for picks in product(*(range(ways) for ways in choices.values())):
        picked = dict(zip(choices, picks, strict=True))

        def chosen(
            node: Expression,
            operands: tuple[Expression, ...],
            picked: Mapping[Expression, int] = picked,
        ) -> Expression:
            pick = picked.get(_decision(node)) if _ways(node) else None
            if pick is not None:
                return _picked(node, operands, pick)
            return node if isinstance(node, Sum) else rebuild(node, operands)

        yield fold(tree, chosen, outside_sums)


def _picked(node: Expression, operands: tuple[Expression, ...], pick: int) -> Expression:
    match node:
        case Conditional():
            return operands[1 + pick]
        case Function("abs", _):
            return negate(operands[0]) if pick else operands[0]
        case _:
            return operands[pick]


def competing(tree: Expression) -> list[Expression]:
    """Return formulas the largest of which a formula is: each `max` in it is taken apart.

    It is left alone where there are more than `MOST_BRANCHES`, and where a `max` is multiplied by
    what may be below 0.

    >>> from roofdsl.expression.construct import add, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> len(competing(add(n, Function("max", (n, number(2))))))
    2
    """
    found = [tree] if weight(tree) > _LARGEST else _competing(tree)
    return found if len(found) <= MOST_BRANCHES else [tree]


def _competing(tree: Expression) -> list[Expression]:
    match tree:
        case Function("max", operands):
            return [each for operand in operands for each in _competing(operand)]
        case Add() | Multiply():
            ways = [_competing(operand) for operand in operands_of(tree)]
        case Divide(above, below):
            ways = [_competing(above), [below]]
        case _:
            return [tree]
    if prod(map(len, ways)) == 1 or prod(map(len, ways)) > MOST_BRANCHES:
        return [tree]
    if not isinstance(tree, Add):
        forms = [normal_form(each[0]) for each in ways if len(each) == 1]
        certain = [form is not None and common_sign(form) == 1 for form in forms]
        if len(certain) + 1 < len(ways) or not all(certain):
            return [tree]
    return [rebuild(tree, each) for each in product(*ways)]
