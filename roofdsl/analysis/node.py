"""A composed prediction as a tree: kernels at its leaves, sequences and overlaps above them.

Every node has a time, and for each resource a busy time (work / rate). In a sequence both add; in
an overlap busy times add, and the time is the largest of the longest child and of each summed busy
time, so that two children cannot use one resource at once. A kernel is an overlap of one-resource
steps; one that states its time keeps each resource it names busy for that long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.load import Load, grouped
from roofdsl.expression.construct import add, maximum, multiply
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.source import Span
from roofdsl.units.dimension import Dimension

Arrangement: TypeAlias = Literal["kernel", "sequence", "overlap"]
STATED = "time"
"""What a kernel is bound by that states its time and names no resource.

No two kernels share it: of several, the longest counts as busy.
"""


class Tallied(NamedTuple):
    """What a model, or all of it, tallies; `span` is where it was first stated."""

    name: str
    dimension: Dimension
    amount: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a prediction; `times` says how often it runs, one run after another.

    `tallies` are what the model of this part states itself, for one run; `model` is its name.
    """

    name: str
    arrangement: Arrangement
    span: Span
    loads: tuple[Load, ...] = ()
    stated: Expression | None = None
    children: tuple[Node, ...] = ()
    times: Expression = ONE
    tallies: tuple[Tallied, ...] = ()
    model: str = ""


def busy(node: Node) -> dict[str, Expression]:
    """Return the busy time of each resource over all runs of a node."""
    if node.arrangement == "kernel":
        found = _kernel_busy(node)
    else:
        parts: dict[str, list[Expression]] = {}
        for child in node.children:
            for name, time in busy(child).items():
                parts.setdefault(name, []).append(time)
        found = {
            name: _largest(times) if name == STATED else add(*times)
            for name, times in parts.items()
        }
    return {name: _times(node, time) for name, time in found.items()}


def time(node: Node) -> Expression:
    """Return the time of all runs of a node: sums and maxima, never folded into pieces."""
    match node.arrangement:
        case "kernel":
            once = node.stated or _largest(list(_kernel_busy(node).values()))
        case "sequence":
            once = add(*(time(child) for child in node.children)) if node.children else ZERO
        case "overlap":
            children = [time(child) for child in node.children]
            shared = _shared_busy(node)
            once = _largest([*children, *shared])
    return _times(node, once)


def kernels(node: Node) -> list[tuple[Node, Expression]]:
    """Return the kernels below a node, each with how often it runs in all."""
    found: list[tuple[Node, Expression]] = []
    waiting: list[tuple[Node, Expression]] = [(node, ONE)]
    while waiting:
        current, count = waiting.pop()
        runs = multiply(count, current.times) if current.times is not ONE else count
        if current.arrangement == "kernel":
            found.append((current, runs))
        waiting += [(child, runs) for child in reversed(current.children)]
    return found


def overlaps(node: Node) -> list[Node]:
    """Return the overlaps at and below a node, in the order written."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if current.arrangement == "overlap":
            found.append(current)
        waiting += reversed(current.children)
    return found


def total_loads(node: Node) -> tuple[Load, ...]:
    """Return the work of all kernels by resource, as loads of the whole."""
    if node.arrangement == "kernel" and node.times is ONE:
        return node.loads
    sums: dict[str, list[Expression]] = {}
    first: dict[str, Load] = {}
    for kernel, runs in kernels(node):
        for load in kernel.loads:
            work = load.work if runs is ONE else multiply(runs, load.work)
            sums.setdefault(load.name, []).append(work)
            first.setdefault(load.name, load)
    return tuple(replace(load, work=add(*sums[name]), spent=None) for name, load in first.items())


def tallied(root: Node) -> tuple[Tallied, ...]:
    """Return the tallies of a node and of all below it, each times how often it runs.

    A tally of a step adds to that of the same name of the model that it is a step of.
    """
    sums: dict[str, list[Expression]] = {}
    first: dict[str, Tallied] = {}
    waiting: list[tuple[Node, Expression]] = [(root, ONE)]
    while waiting:
        node, count = waiting.pop()
        runs = count if node.times is ONE else multiply(count, node.times)
        for item in node.tallies:
            amount = item.amount if runs is ONE else multiply(runs, item.amount)
            sums.setdefault(item.name, []).append(amount)
            first.setdefault(item.name, item)
        waiting += [(child, runs) for child in reversed(node.children)]
    return tuple(item._replace(amount=add(*sums[name])) for name, item in first.items())


def walk(node: Node, visit: Callable[[Node, int], None], depth: int = 0) -> None:
    """Visit every node from the top, in the order written, with its depth."""
    visit(node, depth)
    for child in node.children:
        walk(child, visit, depth + 1)


def _kernel_busy(node: Node) -> dict[str, Expression]:
    if node.stated is not None:
        named = {load.group: node.stated for load in node.loads}
        return named or {STATED: node.stated}
    return {
        name: add(*(load.time for load in loads)) for name, loads in grouped(node.loads).items()
    }


def _shared_busy(node: Node) -> list[Expression]:
    """Return the summed busy time of each resource that more than one child uses.

    One that a single child uses is busy for no longer than that child takes.
    """
    parts: dict[str, list[Expression]] = {}
    for child in node.children:
        for name, spent in busy(child).items():
            if name != STATED:
                parts.setdefault(name, []).append(spent)
    return [add(*times) for times in parts.values() if len(times) > 1]


def _times(node: Node, once: Expression) -> Expression:
    return once if node.times is ONE else multiply(node.times, once)


def _largest(times: list[Expression]) -> Expression:
    return maximum(*times) if times else ZERO
