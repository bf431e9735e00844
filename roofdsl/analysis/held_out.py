"""Which runs are held out of a fit: those of whole sizes, so that none is known from its like."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from roofdsl.analysis.validation import Asked


class Sized(NamedTuple):
    """A run with its values, the name of its model, and how long it took [s]."""

    asked: Asked
    model: str
    time: float


def sizes_of(runs: Sequence[Sized]) -> list[list[frozenset[int]]]:
    """Return for each model the places of its runs of one size, the shortest first.

    A size is the values of all parameters but numbers of processes; where a model ran in one size
    alone, the numbers of processes tell its runs apart, too.
    """
    found: dict[str, dict[Hashable, list[int]]] = {}
    whole: dict[str, dict[Hashable, list[int]]] = {}
    for place, (asked, model, _) in enumerate(runs):
        counts = {item.name for item in asked.model.parameters if item.kind == "processes"}
        values = {name: value for name, (value, _) in asked.arguments.items()}
        size = frozenset(pair for pair in values.items() if pair[0] not in counts)
        found.setdefault(model, {}).setdefault(size, []).append(place)
        whole.setdefault(model, {}).setdefault(frozenset(values.items()), []).append(place)
    groups = []
    for name, sizes in found.items():
        kept = sizes if len(sizes) > 1 else whole[name]
        ordered = sorted(kept.values(), key=lambda places: min(runs[x].time for x in places))
        groups.append([frozenset(places) for places in ordered])
    return groups


def in_folds(sizes: Sequence[Sequence[frozenset[int]]], folds: int) -> list[frozenset[int]]:
    """Return the runs of each fold: sizes go to them in turn. [] where there is one size alone.

    >>> in_folds([[frozenset({0}), frozenset({1}), frozenset({2})]], 2)
    [frozenset({0, 2}), frozenset({1})]
    """
    several = max((len(each) for each in sizes), default=0)
    if several < 2:
        return []
    found: list[set[int]] = [set() for _ in range(min(folds, several))]
    for each in sizes:
        for place, size in enumerate(each if len(each) > 1 else ()):
            found[place % len(found)] |= size
    return [frozenset(fold) for fold in found]


def in_halves(sizes: Sequence[Sequence[frozenset[int]]]) -> frozenset[int]:
    """Return the runs of every other size, from the second one on.

    >>> sorted(in_halves([[frozenset({0}), frozenset({1}), frozenset({2})]]))
    [1]
    """
    return frozenset(place for each in sizes for size in each[1::2] for place in size)
