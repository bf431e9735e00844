"""What is left of an `if` that does not run: names, so that all that is asked by them is 0.

Most steps of a network that is one of a family do not run. Each answer is worked out many times,
over all steps: those are placed once, and a few without work stand there for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from roofdsl.analysis.convention import products_in
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import STATED, Node, Tallied, first_of_each, working
from roofdsl.expression.tree import ZERO


def unrun(choice: Node) -> Node:
    """Return an `if` that does not run with its steps as `unrun`, and their names as its parts.

    These are the steps by name, which others read, kernels with all the loads among them, and the
    tallies, all of them 0. A fold over them makes the same names as one over all the steps.
    """
    return replace(
        choice,
        tallies=tuple(each._replace(amount=ZERO) for each in first_of_each(_tallied(choice))),
        children=(*_named(choice), *_idle(choice)),
        unrun=choice.children,
    )


def _tallied(node: Node) -> Iterator[Tallied]:
    """Yield the tallies of a part and of all inside, as the law of composition adds them up."""
    if node.arrangement == "wait":
        return
    found = [*node.tallies, *chain.from_iterable(map(_tallied, node.children))]
    named = {each.name: each for each in found}
    yield from products_in(named).values() if node.arrangement == "recompute" else found


def _named(around: Node) -> Iterator[Node]:
    for node in around.children:
        if node.model:
            yield Node(node.name, "sequence", node.span, model=node.model)
        else:
            yield from _named(node)


def _idle(choice: Node) -> Iterator[Node]:
    """Yield kernels that do nothing, with what others before them do not have."""
    seen: set[str] = set()
    for node in working(choice):
        if node.arrangement != "kernel":
            continue
        start = node.start and node.start._replace(time=ZERO)
        stated = None if node.stated is None else ZERO
        names = {load.name for load in node.loads}
        names |= {start.name} if start else set()
        names |= {STATED} if stated else set()
        if not names <= seen:
            seen |= names
            loads = tuple(map(_without_work, node.loads))
            yield Node("", "kernel", node.span, loads=loads, stated=stated, start=start)


def _without_work(load: Load) -> Load:
    spent = None if load.spent is None else ZERO
    return replace(load, work=ZERO, spent=spent, needed=None, start=None)
