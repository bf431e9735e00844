"""Peaks of memory where it is open what an `if` runs: of each of its two ways by itself.

A step reads what is made before it, and that hangs on what runs: so the peak is
`if experts > 1 then … else …`, each exact, rather than a bound for both. So it is where an
`iterate` runs as often as a formula says: once is not as several times (of a name: `by_count`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofdsl.analysis.by_count import Told
from roofdsl.analysis.node import Node
from roofdsl.expression.condition import conditional, truth
from roofdsl.expression.tree import (
    ONE,
    ZERO,
    Comparison,
    Conditional,
    Expression,
    Number,
    Symbol,
)
from roofdsl.model.loop import CHOICES

_MOST_CHOICES = 4
"""So many conditions are told apart; beyond, what an `if` runs counts as often as it says."""


def by_choice(
    root: Node,
    told: Callable[[Node], Told],
    most: int = _MOST_CHOICES,
    several: frozenset[Expression] = frozenset(),
) -> Told:
    """Return what a tree of steps comes to; `told` says it of one in which choices are made.

    `several` are the counts that are not one.
    """
    condition = _open_choice(root, several) if most else None
    if condition is None:
        return told(root)
    first, second = (
        by_choice(_made(root, condition, holds), told, most - 1, several | more)
        for holds, more in ((True, frozenset[Expression]()), (False, _count_in(condition)))
    )
    trees = {
        name: _either(condition, first.trees.get(name, ZERO), second.trees.get(name, ZERO))
        for name in (*first.trees, *second.trees)
    }
    return Told(trees, first.bounded or second.bounded)


def _either(condition: Expression, one: Expression, other: Expression) -> Expression:
    return one if one == other else conditional(condition, one, other)


def _count_in(condition: Expression) -> frozenset[Expression]:
    """Return the count that is one where a condition holds, which is of an `iterate`."""
    if isinstance(condition, Comparison) and condition.right == ONE:
        return frozenset((condition.left,))
    return frozenset()


def _open_choice(root: Node, several: frozenset[Expression]) -> Expression | None:
    """Return the first condition of an `if` that is open; parts that never run hold none."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node.children) in seen or node.count is ZERO:
            continue
        seen.add(id(node.children))
        if _is_choice(node) and isinstance(node.count, Conditional):
            return node.count.condition
        if _is_formula(node) and node.count not in several:
            return Comparison("==", node.count, ONE)
        waiting += reversed(node.children)
    return None


def _made(root: Node, condition: Expression, holds: bool) -> Node:
    """Return a tree in which a condition holds, or does not; what was placed once stays one."""
    known = dict[int, tuple[Node, Node]]()

    def of(node: Node) -> Node:
        if not node.children:
            return node
        found = known.get(id(node))
        if found is None:
            children, count = tuple(map(of, node.children)), node.count
            if _is_choice(node) and isinstance(count, Conditional) and count.condition == condition:
                made = conditional(truth(holds), count.consequence, count.alternative)
                count = ONE if made == ONE else ZERO
            elif holds and _is_formula(node) and count in _count_in(condition):
                count = ONE
            found = known[id(node)] = node, replace(node, children=children, count=count)
        return found[1]

    return of(root)


def _is_choice(node: Node) -> bool:
    return not node.model and node.name in CHOICES


def _is_formula(node: Node) -> bool:
    """Whether a part is an `iterate` whose count is open, and no name alone."""
    return node.arrangement == "iterate" and not isinstance(node.count, Number | Symbol)
