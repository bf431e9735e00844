"""The order in which the nodes of a tree are computed, and where each value is put.

Every node gets a slot and is computed once, however often it or its like is used. Inside a sum,
only what depends on the index is computed anew for each term; the rest stands before the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending
from roofdsl.expression.tree import Comparison, Expression, Function, Logic, Number, Sum, Symbol

DEEPEST_SUMS = 40


class Loop(NamedTuple):
    """The inside of a sum: where the index goes, what to compute for each term, and the term."""

    name: str
    index_slot: int
    steps: tuple[Instruction, ...]
    body: int


class Instruction(NamedTuple):
    """Compute `node` into `slot` from the slots of its operands; of a sum, of its two bounds.

    `loop` is the inside of a sum, None for one within more than `DEEPEST_SUMS` others.
    """

    node: Expression
    slot: int
    operands: tuple[int, ...]
    loop: Loop | None


class Schedule(NamedTuple):
    """All steps in order, how many slots they need, and the slot of the result."""

    steps: tuple[Instruction, ...]
    slots: int
    result: int


def schedule(tree: Expression) -> Schedule:
    """Lay out the computation of a tree.

    >>> n = Symbol("N")
    >>> [step.operands for step in schedule(Function("max", (n, n))).steps]
    [(), (0, 0)]
    """
    counter = _Counter()
    scope = _Scope(counter, None, frozenset())
    result = scope.place(tree)
    return Schedule(tuple(scope.steps), counter.count, result)


# What tells two nodes of one type with equal operands apart; a sum is not compared with others.
_OWN: dict[type[Expression], Callable[[Expression], object]] = {
    Number: attrgetter("value"),
    Symbol: attrgetter("name"),
    Function: attrgetter("name"),
    Comparison: attrgetter("relation"),
    Logic: attrgetter("operator"),
    Sum: id,
}


class _Counter:
    """Numbers the slots, and counts the sums that are being laid out."""

    def __init__(self) -> None:
        self.count = 0
        self.open_sums = 0

    def next(self) -> int:
        self.count += 1
        return self.count - 1


class _Scope:
    """The steps of the whole tree, or of a sum's body; `own` are the nodes that need its index."""

    def __init__(self, counter: _Counter, outer: _Scope | None, own: frozenset[int]) -> None:
        self.counter = counter
        self.outer = outer
        self.own = own
        self.steps: list[Instruction] = []
        self.slots: dict[int, int] = {}
        self.equal: dict[tuple[object, ...], int] = {}
        self.index = counter.next() if outer else -1

    def place(self, root: Expression) -> int:
        """Schedule `root` and return its slot."""
        for node in bottom_up(root, self._operands if self.outer else outside_sums):
            if id(node) in self.slots:
                continue
            if self.outer and id(node) not in self.own:
                self.slots[id(node)] = self.outer.place(node)
            elif self.outer and isinstance(node, Symbol):
                self.slots[id(node)] = self.index
            else:
                self.slots[id(node)] = self._slot(node)
        return self.slots[id(root)]

    def _slot(self, node: Expression) -> int:
        """Return the slot of a node whose operands have theirs: an equal one's, or a new one."""
        places = tuple([self.slots[id(operand)] for operand in outside_sums(node)])
        own = _OWN[type(node)](node) if type(node) in _OWN else None
        key = (type(node), places, own)
        slot = self.equal.get(key)
        if slot is None:
            loop = self._loop(node) if isinstance(node, Sum) else None
            slot = self.equal[key] = self.counter.next()
            self.steps.append(Instruction(node, slot, places, loop))
        return slot

    def _operands(self, node: Expression) -> tuple[Expression, ...]:
        if id(node) in self.slots or id(node) not in self.own:
            return ()
        return outside_sums(node)

    def _loop(self, node: Sum) -> Loop | None:
        if self.counter.open_sums == DEEPEST_SUMS:
            return None
        name = node.index.name
        inner = _Scope(self.counter, self, depending(node.body, name))
        self.counter.open_sums += 1
        body = inner.place(node.body)
        self.counter.open_sums -= 1
        return Loop(name, inner.index, tuple(inner.steps), body)
