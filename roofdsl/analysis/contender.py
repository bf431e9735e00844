"""What competes to be the longest of what overlaps: resources, and those that a machine joins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.load import Load

V = TypeVar("V")


class Contender(NamedTuple, Generic[V]):
    """What may be the longest of all that overlaps: a resource, or several that are joined.

    `busy` is for how long each of them is busy; `joined` is what joins them, "" for one resource.
    """

    joined: str
    busy: ByName[V]


def contenders(
    names: Iterable[str], busy: ByName[V], joined: Mapping[str, ByName[V]]
) -> list[Contender[V]]:
    """Return what competes of the resources of these names, and of those that are joined."""
    wide = {name: inside for name, inside in joined.items() if len(inside) > 1}
    alone, found = {*names}, dict[str, Contender[V]]()
    for name in busy:
        among = [joint for joint, inside in wide.items() if name in inside]
        for joint in among:
            found.setdefault(f"joined {joint}", Contender(joint, wide[joint]))
        if not among and name in alone:
            found[name] = Contender("", {name: busy[name]})
    return [*found.values()]


def joints_of(loads: Iterable[Load]) -> dict[str, list[str]]:
    """Return the resources of a kernel by what joins them, in the order declared."""
    found: dict[str, list[str]] = {}
    for load in loads:
        for joint in load.joins:
            names = found.setdefault(joint, [])
            if load.group not in names:
                names.append(load.group)
    return found
