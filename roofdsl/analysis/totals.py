"""The work of all processes, where a model says what it is.

A model states the work of one process, the busiest. What all do together is known

- of a model that states it, `total flops = …`: that;
- of one that says `total even`: the work of one process, times their number;
- of other steps: the sum of theirs, where each is known, for as many processes.

Jobs of a mix have processes of their own: of the whole nothing is said. In a wait nothing is done.
Where nothing is done, nothing is done by all. Else it is not known, and nothing is said of it.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from roofdsl.analysis.algebra import Algebra
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.node import Node
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.tree import Expression
from roofdsl.model.types import Work
from roofdsl.numeric.decision import NEARLY
from roofdsl.units.quantity import show_number, show_quantity

V = TypeVar("V")
C = TypeVar("C")


class Claim(NamedTuple, Generic[V]):
    """A stated total to be checked: `processes` reach it, and each does at most `work`."""

    stated: Work
    total: V
    processes: V
    work: V


class Totals(NamedTuple, Generic[V]):
    """The work of all processes on each resource where it is known, and the claims that say so."""

    work: dict[str, V]
    claims: tuple[Claim[V], ...]


def totals(root: Node, parts: Composed[V], algebra: Algebra[V, C]) -> Totals[V]:
    """Return the work of all processes of a model, whose tree of steps was composed as `parts`."""
    if root.arrangement == "mix":
        pairs = zip(root.children, parts.children, strict=True)
        jobs = (totals(job.children[0], each.children[0], algebra) for job, each in pairs)
        return Totals({}, tuple(claim for job in jobs for claim in job.claims))
    law = _Law(algebra)
    found: dict[str, V] = {}
    if root.together is not None and root.together.processes is not None:
        for resource in parts.counted:
            total = law.total(root, parts, resource, root.together.processes)
            if total is not None:
                found[resource] = total
    return Totals(found, tuple(law.claims))


def refuted(claim: Claim[float]) -> Diagnostic | None:
    """Return what is wrong with a total: less than the busiest process does, or more than all can.

    What lies within rounding is right.
    """
    stated, total, processes, work = claim
    if work * (1 - NEARLY) <= total <= processes * work * (1 + NEARLY):
        return None
    name, unit = stated.key, stated.resource.dimension
    less = total < work
    limit = work if less else processes * work
    for digits in (4, 12):  # as many as tell the two apart
        shown, allowed = show_quantity(total, unit, digits), show_quantity(limit, unit, digits)
        if shown != allowed:
            break
    if less:
        message = f"total {name} is {shown}, less than the {allowed} of the busiest process"
    else:
        each, count = show_quantity(work, unit), show_number(processes)
        message = f"total {name} is {shown}, more than {count} × {each} = {allowed}"
    hint = f"`{name}` is the work of the busiest process, `total {name}` that of all of them"
    return Diagnostic("R0411", message, (Label(stated.span),), hint)


class _Law(Generic[V, C]):
    def __init__(self, algebra: Algebra[V, C]) -> None:
        self.algebra = algebra
        self.claims: list[Claim[V]] = []

    def total(
        self, node: Node, part: Composed[V], resource: str, processes: Expression
    ) -> V | None:
        """Return what so many processes do in all runs of a node, None where it is not known."""
        a, own = self.algebra, node.together
        if node.arrangement == "wait":
            return a.zero
        if own is not None and own.processes not in (processes, None):
            return self._nothing(node, resource)  # as many take part in it as it says itself
        if own is not None and (own.even or resource in own.work):
            work, count = part.counted.get(resource, a.zero), a.of(processes)
            if own.even:
                return a.multiply(count, work)
            total, stated = own.work[resource]
            claim = Claim(stated, a.of(total), count, work)
            self.claims.append(claim)
            return claim.total
        if node.arrangement == "kernel":
            return self._nothing(node, resource)
        inner = [
            self.total(child, composed, resource, processes)
            for child, composed in zip(node.children, part.children, strict=True)
        ]
        known = [each for each in inner if each is not None]
        if len(known) < len(inner):
            return None
        return a.multiply(part.count, a.add(known)) if known else a.zero

    def _nothing(self, node: Node, resource: str) -> V | None:
        """Return 0 where a part does nothing on a resource, else None."""
        return self.algebra.zero if _idle(node, resource) else None


def _idle(node: Node, resource: str) -> bool:
    if node.arrangement == "wait":
        return True
    done = [load.work for load in node.loads if load.resource.name == resource]
    return all(map(is_zero, done)) and all(_idle(child, resource) for child in node.children)
