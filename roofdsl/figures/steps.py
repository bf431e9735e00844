"""Steps and their times, as figures of a breakdown show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar


@dataclass(frozen=True, slots=True)
class TimedStep:
    """A step over all its runs: its time [s], what binds it, how long each resource is busy [s].

    `arrangement` says how its children run: a "sequence", an "overlap", or it is a "kernel".
    """

    name: str
    time: float
    bound: str
    busy: dict[str, float]
    arrangement: str = "kernel"
    count: float = 1.0
    children: tuple[TimedStep, ...] = ()


def resources_of(parts: Sequence[TimedStep]) -> tuple[str, ...]:
    """Return the resources that are busy, in the order they turn up."""
    return tuple(
        dict.fromkeys(name for part in parts for name, spent in part.busy.items() if spent > 0)
    )


class Tree(Protocol):
    """A step as an answer or a figure has it."""

    @property
    def name(self) -> str: ...

    @property
    def count(self) -> float: ...

    @property
    def children(self) -> Sequence[Self]: ...


T = TypeVar("T", bound=Tree)


def leaves(part: T, runs: float = 1.0, path: str = "") -> Iterator[tuple[str, T, float]]:
    """Yield each kernel below a step: its path, itself, and how often what holds it runs."""
    if not part.children:
        yield path or part.name, part, runs
    for child in part.children:
        # A repeat is no name that anyone gave.
        below = path if child.name == "repeat" else f"{path}.{child.name}".lstrip(".")
        yield from leaves(child, runs * part.count, below)
