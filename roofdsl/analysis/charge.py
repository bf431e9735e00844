"""What the time of a composition is charged to, as formulas: the numbers are in `breakdown`."""

from __future__ import annotations

from roofdsl.analysis.node import STATED, Node, busy, time
from roofdsl.expression.construct import add, maximum, multiply
from roofdsl.expression.tree import ONE, ZERO, Comparison, Conditional, Expression, Logic


def charges(node: Node) -> dict[str, Expression]:
    """Return the time charged to each resource: a kernel's whole time goes to its bound.

    Of equal times the first counts, as it is named first.
    """
    if node.arrangement == "kernel":
        found = _kernel(node)
    elif node.arrangement == "sequence":
        found = _summed([charges(child) for child in node.children])
    else:
        found = _overlap(node)
    if node.times is ONE:
        return found
    return {name: multiply(node.times, tree) for name, tree in found.items()}


def _kernel(node: Node) -> dict[str, Expression]:
    once = Node(node.name, "kernel", node.span, node.loads, node.stated)
    times = busy(once)
    if node.stated is not None:
        return {next(iter(times)): node.stated}
    return _first_largest(times)


def _overlap(node: Node) -> dict[str, Expression]:
    """Charge the longest child's charges, or a resource that children share and that is longer."""
    lengths = [time(child) for child in node.children]
    shared = _shared(node)
    everything = [*lengths, *shared.values()]
    parts: list[dict[str, Expression]] = []
    for place, child in enumerate(node.children):
        condition = _is_first_largest(place, everything)
        parts.append({n: _when(condition, tree) for n, tree in charges(child).items()})
    for place, (name, tree) in enumerate(shared.items(), start=len(lengths)):
        parts.append({name: _when(_is_first_largest(place, everything), tree)})
    return _summed(parts)


def _shared(node: Node) -> dict[str, Expression]:
    parts: dict[str, list[Expression]] = {}
    for child in node.children:
        for name, spent in busy(child).items():
            if name != STATED:
                parts.setdefault(name, []).append(spent)
    return {name: add(*times) for name, times in parts.items() if len(times) > 1}


def _first_largest(times: dict[str, Expression]) -> dict[str, Expression]:
    trees = list(times.values())
    return {
        name: _when(_is_first_largest(place, trees), tree)
        for place, (name, tree) in enumerate(times.items())
    }


def _is_first_largest(place: int, trees: list[Expression]) -> Expression | None:
    """Return the condition that one time is the largest, and the first of those equal to it."""
    conditions: list[Expression] = []
    if place:
        conditions.append(Comparison(">", trees[place], _largest(trees[:place])))
    if place + 1 < len(trees):
        conditions.append(Comparison(">=", trees[place], _largest(trees[place + 1 :])))
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return Logic("and", tuple(conditions))


def _when(condition: Expression | None, tree: Expression) -> Expression:
    return tree if condition is None else Conditional(condition, tree, ZERO)


def _largest(trees: list[Expression]) -> Expression:
    return trees[0] if len(trees) == 1 else maximum(*trees)


def _summed(tables: list[dict[str, Expression]]) -> dict[str, Expression]:
    parts: dict[str, list[Expression]] = {}
    for table in tables:
        for name, tree in table.items():
            parts.setdefault(name, []).append(tree)
    return {name: add(*trees) for name, trees in parts.items()}
