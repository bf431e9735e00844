"""Peaks of memory where it is open what an `if` runs: of each of its two ways by itself.

A step reads what is made before it, and that hangs on what runs: so the peak is
`if experts > 1 then … else …`, each exact, rather than a bound for both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofdsl.analysis.by_count import Told
from roofdsl.analysis.node import Node
from roofdsl.expression.condition import conditional, truth
from roofdsl.expression.tree import ONE, ZERO, Conditional, Expression
from roofdsl.model.loop import CHOICES

_MOST_CHOICES = 4
"""So many conditions are told apart; beyond, what an `if` runs counts as often as it says."""


def by_choice(root: Node, told: Callable[[Node], Told], most: int = _MOST_CHOICES) -> Told:
    """Return what a tree of steps comes to; `told` says it of one in which choices are made."""
    condition = _open_choice(root) if most else None
    if condition is None:
        return told(root)
    first, second = (
        by_choice(_made(root, condition, holds), told, most - 1) for holds in (True, False)
    )
    trees = {
        name: _either(condition, first.trees.get(name, ZERO), second.trees.get(name, ZERO))
        for name in (*first.trees, *second.trees)
    }
    return Told(trees, first.bounded or second.bounded)


def _either(condition: Expression, one: Expression, other: Expression) -> Expression:
    return one if one == other else conditional(condition, one, other)


def _open_choice(root: Node) -> Expression | None:
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
            found = known[id(node)] = node, replace(node, children=children, count=count)
        return found[1]

    return of(root)


def _is_choice(node: Node) -> bool:
    return not node.model and node.name in CHOICES
