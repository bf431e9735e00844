"""Which step reads what: by the names it gives, else what the step before it makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.node import Node

Key: TypeAlias = tuple[Literal["in", "out"], int]
"""A tensor in a composition: by its place among what it reads, or by the part that makes it."""


class Reading(NamedTuple):
    """What the parts of a composition read (`uses`, by place), and what `leaves` it.

    `missing` are tensors it reads by name that nothing around it makes, by their places.
    """

    uses: tuple[tuple[Key, ...], ...]
    leaves: tuple[Key, ...]
    missing: dict[str, int]

    @property
    def used(self) -> frozenset[Key]:
        """What any part reads, or leaves the whole."""
        return frozenset((*self.leaves, *(key for keys in self.uses for key in keys)))

    def last(
        self, place: int, lives: Mapping[Key, object], around: frozenset[int]
    ) -> frozenset[int]:
        """Return the ids of what no part after this one reads, of what may end here at all."""
        later = {key for keys in self.uses[place + 1 :] for key in keys} | {*self.leaves}
        still = {id(lives[key]) for key in later if key in lives}
        ending = {id(lives[key]): key for key in self.uses[place] if key in lives}
        return frozenset(
            each
            for each, key in ending.items()
            if each not in still and (key[0] == "out" or each in around)
        )


def reading_of(node: Node, given: int) -> Reading:
    """Return what the parts of a composition read that is given so many tensors."""
    named: dict[str, tuple[Key, ...]] = {}
    missing: dict[str, int] = {}
    own = [each.stated.name for each in node.tensors if each.stated.word == "in"]
    for place, name in enumerate(own):
        named[name] = (("in", place),)
        if place >= given:
            missing[name] = place
    chain: tuple[Key, ...] = tuple(("in", place) for place in range(max(given, len(own))))
    first, uses = chain, list[tuple[Key, ...]]()
    for place, child in enumerate(node.children):
        sources = [key for name in child.sources for key in named.get(name, ())]
        found = tuple(sources) if child.sources else chain
        uses.append(found if reads(child) else ())
        if makes(child):
            chain = (("out", place),)
        for name in _names(child):
            named[name] = chain
        if node.arrangement == "overlap":
            chain = first
    leaves = chain if node.arrangement != "overlap" else _of_overlap(node, first)
    return Reading(tuple(uses), leaves if leaves != first else (), missing)


def _of_overlap(node: Node, first: tuple[Key, ...]) -> tuple[Key, ...]:
    making = [place for place, child in enumerate(node.children) if makes(child)]
    return (("out", making[-1]),) if making else first


def reads(node: Node) -> bool:
    """Whether a part reads a tensor that is made before it."""
    if node.arrangement == "recompute":
        return False
    if not node.children:
        return any(held.stated.word == "in" for held in node.tensors)
    return any(key[0] == "in" for keys in reading_of(node, 1).uses for key in keys)


def makes(node: Node) -> bool:
    """Whether a part makes a tensor."""
    if node.arrangement in ("wait", "recompute"):
        return False
    return any(x.stated.word == "out" for x in node.tensors) or any(map(makes, node.children))


def _names(node: Node) -> Iterator[str]:
    """Yield the names of a part: its own, or those of the steps in it."""
    if node.model:
        yield node.name
    else:
        for child in node.children:
            yield from _names(child)
