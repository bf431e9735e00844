"""The order in which readers visit a tree: operands first, each node once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TypeVar

from roofdsl.expression import tree as trees
from roofdsl.expression.tree import Expression, Number, Symbol

Operands = Callable[[Expression], tuple[Expression, ...]]
_Result = TypeVar("_Result")


def _none(_: Expression) -> tuple[Expression, ...]:
    return ()


# By type and not by a `match`: visiting a tree is most of the time of a numeric answer.
_OPERANDS: dict[type[Expression], Operands] = {
    Number: _none,
    Symbol: _none,
    trees.Add: attrgetter("terms"),
    trees.Multiply: attrgetter("factors"),
    trees.Divide: attrgetter("numerator", "denominator"),
    trees.Power: attrgetter("base", "exponent"),
    trees.Function: attrgetter("arguments"),
    trees.Comparison: attrgetter("left", "right"),
    trees.Logic: attrgetter("operands"),
    trees.Conditional: attrgetter("condition", "consequence", "alternative"),
    trees.Sum: attrgetter("body", "index", "low", "high"),
}
_OUTSIDE_SUMS: dict[type[Expression], Operands] = {
    **_OPERANDS,
    trees.Sum: attrgetter("low", "high"),
}


def operands_of(node: Expression) -> tuple[Expression, ...]:
    """Return the operands of a node, in reading order.

    >>> operands_of(trees.Divide(trees.ZERO, trees.ONE)) == (trees.ZERO, trees.ONE)
    True
    """
    return _OPERANDS[type(node)](node)


def outside_sums(node: Expression) -> tuple[Expression, ...]:
    """Return the operands of a node that do not see the index of a sum: only bounds of a `Sum`.

    >>> n, k = Symbol("N"), Symbol("k")
    >>> outside_sums(trees.Sum(k, k, n, n)) == (n, n)
    True
    """
    return _OUTSIDE_SUMS[type(node)](node)


def bottom_up(tree: Expression, below: Operands = operands_of) -> list[Expression]:
    """Return every node of `tree` once, each behind its operands; the root is the last.

    Nodes are told apart by identity, so a subtree used in many places is listed once: a formula
    built of `let`s would be exponentially long if it were walked as written. No recursion, so a
    deep tree cannot exhaust the stack.

    >>> from roofdsl.expression.construct import add, multiply, number
    >>> n = Symbol("N")
    >>> square = multiply(n, n)
    >>> [type(node).__name__ for node in bottom_up(add(square, square, number(1)))]
    ['Symbol', 'Multiply', 'Number', 'Add']
    """
    order: list[Expression] = []
    opened: set[int] = set()
    done: set[int] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        key = id(node)
        if key not in opened:
            opened.add(key)
            waiting = below(node)
            if waiting:
                stack.append(node)
                stack += waiting[::-1]
                continue
        if key not in done:
            done.add(key)
            order.append(node)
    return order


def bottom_up_each(
    expressions: Sequence[Expression], below: Operands = operands_of
) -> list[Expression]:
    """Return every node of several trees once, each behind its operands.

    >>> n = Symbol("N")
    >>> bottom_up_each((n, n)) == [n]
    True
    """
    if len(expressions) == 1:
        return bottom_up(expressions[0], below)
    return bottom_up(trees.Add(tuple(expressions)), below)[:-1]


def fold(
    tree: Expression,
    combine: Callable[[Expression, tuple[_Result, ...]], _Result],
    below: Operands = operands_of,
) -> _Result:
    """Return what `combine` makes of a tree: of each node, and of what it made of its operands.

    >>> n = Symbol("N")
    >>> fold(trees.Add((n, n)), lambda node, depths: 1 + max(depths, default=0))
    2
    """
    done: dict[int, _Result] = {}
    for node in bottom_up(tree, below):
        done[id(node)] = combine(node, tuple([done[id(operand)] for operand in below(node)]))
    return done[id(tree)]


def weight(tree: Expression, limit: int = 10**6) -> int:
    """Return how many nodes `tree` has as written out, or `limit` when there are more.

    >>> weight(trees.ONE)
    1
    """
    return fold(tree, lambda _, sizes: min(limit, 1 + sum(sizes)))


def sum_levels(tree: Expression) -> int:
    """Return how many sums there are inside each other.

    >>> n = Symbol("N")
    >>> sum_levels(trees.Sum(trees.Sum(n, n, n, n), n, n, n))
    2
    """
    return fold(tree, lambda node, inside: isinstance(node, trees.Sum) + max(inside, default=0))


class Sizes:
    """Counts the parts of expressions, those used twice counted twice.

    What is used twice is stored once, so a hundred doublings are a small tree that nobody could
    print. Sizes are remembered: an expression made of known ones costs only its own parts.

    >>> tree = Symbol("N")
    >>> for _ in range(100):
    ...     tree = trees.Add((tree, tree))
    >>> Sizes().of(tree) == 2**101 - 1
    True
    """

    def __init__(self) -> None:
        # The expression is kept beside its size, so that no other can take over its identity.
        self._known: dict[int, tuple[Expression, int]] = {}

    def of(self, tree: Expression) -> int:
        """Return how many parts an expression has."""
        known = self._known
        for node in bottom_up(tree, lambda node: () if id(node) in known else operands_of(node)):
            if id(node) not in known:
                known[id(node)] = node, 1 + sum(known[id(part)][1] for part in operands_of(node))
        return known[id(tree)][1]
