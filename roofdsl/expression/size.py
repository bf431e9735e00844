"""How large an expression is when it is written out."""

from __future__ import annotations

from roofdsl.expression.order import operands_of
from roofdsl.expression.tree import Expression


class Sizes:
    """Counts the parts of expressions, those used twice counted twice.

    What is used twice is stored once, so a hundred doublings are a small tree that nobody could
    print. Sizes are remembered: an expression made of known ones costs only its own parts.

    >>> from roofdsl.expression.tree import Add, Symbol
    >>> tree = Symbol("N")
    >>> for _ in range(100):
    ...     tree = Add((tree, tree))
    >>> Sizes().of(tree) == 2**101 - 1
    True
    """

    def __init__(self) -> None:
        # The expression is kept beside its size, so that no other can take over its identity.
        self._known: dict[int, tuple[Expression, int]] = {}

    def of(self, tree: Expression) -> int:
        """Return how many parts an expression has."""
        known, waiting = self._known, [tree]
        while waiting:
            node = waiting[-1]
            if id(node) in known:
                waiting.pop()
                continue
            operands = operands_of(node)
            missing = [operand for operand in operands if id(operand) not in known]
            if missing:
                waiting += missing
            else:
                known[id(node)] = node, 1 + sum(known[id(operand)][1] for operand in operands)
                waiting.pop()
        return known[id(tree)][1]
