"""Which step reads what: by the names it gives, else what the step before it makes.

A part is given tensors: those of the step before it, by place, and after these what steps inside
an overlap or a repeat read by a name from outside it (`Given.names`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.node import Node
from roofdsl.expression.tree import Number

Key: TypeAlias = tuple[Literal["in", "out"], int]
"""A tensor in a composition: by its place among what it reads, or by the part that makes it."""


class Given(NamedTuple):
    """How many tensors a part is given by place, and where those are that it reads by name."""

    places: int
    names: tuple[tuple[str, tuple[int, ...]], ...] = ()


class Reading(NamedTuple):
    """What the parts of a composition are given (`uses`), of that `reads`, and what `leaves` it.

    `missing` are tensors it reads by name that nothing around it makes, by their places.
    """

    uses: tuple[tuple[Key, ...], ...]
    given: tuple[Given, ...]
    reads: tuple[frozenset[Key], ...]
    leaves: tuple[Key, ...]
    missing: dict[str, int]


class Readings:
    """What parts read; each is asked about again by all around it, and is looked at once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, Given], tuple[Node, Reading]] = {}
        self._makes: dict[int, tuple[Node, bool]] = {}

    def of(self, node: Node, given: Given) -> Reading:
        """Return what the parts of a composition read that is given some tensors."""
        found = self._found.get((id(node), given))
        if found is None:
            found = self._found[id(node), given] = node, self._reading(node, given)
        return found[1]

    def read(self, node: Node, given: Given) -> frozenset[int]:
        """Return the places of what a part reads of what it is given."""
        if node.arrangement in ("wait", "recompute") or never(node):
            return frozenset()
        if not node.children:
            own = sum(1 for each in node.tensors if each.stated.word == "in")
            return frozenset(range(min(own, given.places)))
        keys = frozenset[Key]().union(*self.of(node, given).reads)
        return frozenset(place for sort, place in keys if sort == "in")

    def makes(self, node: Node) -> bool:
        """Whether a part makes a tensor."""
        found = self._makes.get(id(node))
        if found is None:
            found = self._makes[id(node)] = node, self._made(node)
        return found[1]

    def _made(self, node: Node) -> bool:
        if node.arrangement in ("wait", "recompute") or never(node):
            return False
        if not node.children:
            return any(x.stated.word == "out" for x in node.tensors)
        return any(map(self.makes, node.children))

    def _reading(self, node: Node, given: Given) -> Reading:
        named: dict[str, tuple[Key, ...]] = {
            name: tuple(("in", place) for place in places) for name, places in given.names
        }
        missing: dict[str, int] = {}
        own = [each.stated.name for each in node.tensors if each.stated.word == "in"]
        for place, name in enumerate(own):
            named[name] = (("in", place),)
            if place >= given.places:
                missing[name] = place
        chain: tuple[Key, ...] = tuple(("in", at) for at in range(max(given.places, len(own))))
        first, together = chain, node.arrangement == "overlap"
        uses, told, reads = list[tuple[Key, ...]](), list[Given](), list[frozenset[Key]]()
        for place, child in enumerate(node.children):
            keys = chain
            if child.sources:
                keys = tuple(key for name in child.sources for key in named.get(name, ()))
            of_child = Given(len(keys))
            if not child.model:
                for name in dict.fromkeys(_from_outside(child)):
                    start, more = len(keys), named.get(name, ())
                    keys += more
                    names = (*of_child.names, (name, tuple(range(start, len(keys)))))
                    of_child = of_child._replace(names=names)
            uses.append(keys)
            told.append(of_child)
            own_reads = (at for at in self.read(child, of_child) if at < len(keys))
            reads.append(frozenset(keys[at] for at in own_reads))
            if self.makes(child):
                chain = (("out", place),)
            for name in _names(child):
                named[name] = chain
            if together:
                chain = first
        if together:
            making = [at for at, child in enumerate(node.children) if self.makes(child)]
            chain = (("out", making[-1]),) if making else first
        leaves = chain if chain != first else ()
        return Reading(tuple(uses), tuple(told), tuple(reads), leaves, missing)


def never(node: Node) -> bool:
    """Whether a part runs 0 times: then the steps around it are as if it were not there."""
    return isinstance(node.count, Number) and node.count.value == 0


def _from_outside(node: Node) -> Iterator[str]:
    """Yield the names that steps of an overlap or a repeat read that none before them has there."""
    if node.arrangement == "wait" or never(node):
        return
    known = set[str]()
    for child in node.children:
        inside = child.sources if child.model else tuple(_from_outside(child))
        yield from (name for name in inside if name not in known)
        known |= {*_names(child)}


def _names(node: Node) -> Iterator[str]:
    """Yield the names of a part: its own, or those of the steps in it."""
    if node.model:
        yield node.name
    else:
        for child in node.children:
            yield from _names(child)
