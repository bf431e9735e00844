"""Choices a formula makes, made once and for all where an interval decides them."""

from __future__ import annotations

from roofdsl.expression.construct import negate
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import Conditional, Expression, Function, Sum
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import Bounds


def has_choices(tree: Expression) -> bool:
    """Whether there is any `if`, `min`, `max` or `abs`.

    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> has_choices(Function("max", (ONE, Symbol("N"))))
    True
    """
    return any(_is_choice(node) for node in bottom_up(tree, outside_sums))


def _is_choice(node: Expression) -> bool:
    return isinstance(node, Conditional) or (
        isinstance(node, Function) and node.name in ("min", "max", "abs")
    )


def settled(side: Enclosure) -> Expression:
    """Return a tree with its choices made, where the last interval decides them.

    It is the same tree if none is decided.

    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> side = Enclosure(Function("max", (ONE, Symbol("N"))), "N")
    >>> side.over(2.0, 9.0)
    (2.0, 9.0, 1.0, 1.0)
    >>> settled(side)
    Symbol(name='N', integer=False, positive=True)
    """
    new: dict[int, Expression] = {}
    for node in bottom_up(side.tree, outside_sums):
        operands = outside_sums(node)
        replaced = tuple(new[id(each)] for each in operands)
        if all(old is now for old, now in zip(operands, replaced, strict=True)) or isinstance(
            node, Sum
        ):
            result = node
        else:
            result = rebuild(node, replaced)
        match node:
            case Conditional(condition, _, _):
                low, high, _, _ = side.of(condition)
                if low == high:
                    result = replaced[1 if low else 2]
            case Function("abs", (argument,)):
                low, high, _, _ = side.of(argument)
                if low >= 0 or high <= 0:
                    result = replaced[0] if low >= 0 else negate(replaced[0])
            case Function("min" | "max" as name, arguments):
                result = _extreme(name, [side.of(each) for each in arguments], replaced, result)
        new[id(node)] = result
    return new[id(side.tree)]


def _extreme(
    name: str, bounds: list[Bounds], operands: tuple[Expression, ...], whole: Expression
) -> Expression:
    """Return the operands that may be chosen, and `whole` if all may."""
    if name == "max":
        best = max(each[0] for each in bounds)
        kept = [tree for tree, each in zip(operands, bounds, strict=True) if each[1] >= best]
    else:
        best = min(each[1] for each in bounds)
        kept = [tree for tree, each in zip(operands, bounds, strict=True) if each[0] <= best]
    if len(kept) == len(operands) or not kept:
        return whole
    return kept[0] if len(kept) == 1 else Function(name, tuple(kept))
