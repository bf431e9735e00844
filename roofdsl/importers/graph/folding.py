"""Blocks of steps that stand several times after one another, as a model that is repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.importers.graph.composer import Step
from roofdsl.importers.graph.naming import Names

READ = "x"
"""What a block calls the tensor that it reads."""

_MOST_STEPS = 2000
_LONGEST = 100
_SHORTEST = 3
_LEAST_SAVED = 6


class Block(NamedTuple):
    """Steps of one round, which read `READ` and one another, and how often they run.

    `name` is that of the step that stands for a round.
    """

    name: str
    rounds: int
    steps: tuple[Step, ...]


class _Run(NamedTuple):
    """Rounds of so many steps from a place on, and how much of their names is common to a round."""

    saved: int
    alike: int
    start: int
    length: int
    rounds: int


def folded(
    steps: Sequence[Step], names: Names, whole: Sequence[int] = ()
) -> list[tuple[int, Step | Block]]:
    """Return steps with the same rounds put together, each with its place among the steps.

    No round goes across a place of `whole`. Of a round only the last result is read outside, by the
    round that follows and by all after it.
    """
    if len(steps) > _MOST_STEPS:
        return list(enumerate(steps))
    places = {step.name: place for place, step in enumerate(steps)}
    runs = list(_chosen(steps, places, 1, len(steps), set(whole)))
    found: list[tuple[int, Step | Block]] = []
    renamed: dict[str, str] = {}
    place = 0
    for run in [*sorted(runs, key=lambda run: run.start), None]:
        end = len(steps) if run is None else run.start
        for at in range(place, end):
            sources = tuple(renamed.get(each, each) for each in steps[at].sources)
            found.append((at, steps[at]._replace(sources=sources)))
        if run is not None:
            block = _block(steps, run, names)
            found.append((run.start, block))
            place = run.start + run.length * run.rounds
            renamed[steps[place - 1].name] = block.name
    return found


def _chosen(
    steps: Sequence[Step], places: dict[str, int], start: int, end: int, whole: set[int]
) -> Iterator[_Run]:
    """Yield the run that saves most between two places, and those before and behind it."""
    best = None
    for length in range(_SHORTEST, min(_LONGEST, (end - start) // 2) + 1):
        for run in _runs(steps, places, (start, end, length), best.saved if best else 0):
            if not whole.intersection(range(run.start + 1, run.start + run.length * run.rounds)):
                best = max(best, run) if best else run
    if best is None or best.saved < _LEAST_SAVED:
        return
    yield best
    yield from _chosen(steps, places, start, best.start, whole)
    yield from _chosen(steps, places, best.start + best.length * best.rounds, end, whole)


def _runs(
    steps: Sequence[Step], places: dict[str, int], where: tuple[int, int, int], least: int
) -> Iterator[_Run]:
    """Yield runs of rounds of one length that save at least so much."""
    start, end, length = where
    place = start
    while place + 2 * length <= end:
        alike = 0
        while place + length + alike < end and _same(steps, place + alike, length):
            alike += 1
        for first in range(place, place + min(length, alike - length + 1)):
            count = (alike - (first - place)) // length + 1
            for rounds in (count, count - 1):
                saved = length * (rounds - 1)
                if rounds > 1 and saved >= max(least, 1):
                    run = _Run(saved, _common(steps, first, length), first, length, rounds)
                    if _holds(steps, places, run):
                        yield run
        place += alike + 1


def _same(steps: Sequence[Step], place: int, length: int) -> bool:
    one, other = steps[place], steps[place + length]
    return one.layer == other.layer and one.arguments == other.arguments


def _common(steps: Sequence[Step], start: int, length: int) -> int:
    return len(_beginning([step.name for step in steps[start : start + length]]))


def _beginning(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    first, last = min(names), max(names)
    alike = 0
    while alike < len(first) and first[alike] == last[alike]:
        alike += 1
    return first[:alike]


def _holds(steps: Sequence[Step], places: dict[str, int], run: _Run) -> bool:
    """Whether all rounds read alike, and nothing outside reads what is inside one."""
    first = [_read(steps, places, run.start, place) for place in range(run.length)]
    if any(None in each for each in first):
        return False
    for round_ in range(1, run.rounds):
        base = run.start + round_ * run.length
        if any(_read(steps, places, base, place) != first[place] for place in range(run.length)):
            return False
    end = run.start + run.length * run.rounds
    inside = {step.name for step in steps[run.start : end - 1]}
    return not any(inside.intersection(step.sources) for step in steps[end:])


def _read(
    steps: Sequence[Step], places: dict[str, int], base: int, place: int
) -> tuple[int | None, ...]:
    """Return what a step of a round reads, by its place in the round; −1 is what is before it."""
    found = []
    for source in steps[base + place].sources:
        offset = places.get(source, -2) - base
        found.append(offset if source in places and offset >= -1 else None)
    return tuple(found)


def _block(steps: Sequence[Step], run: _Run, names: Names) -> Block:
    own = steps[run.start : run.start + run.length]
    common = _beginning([step.name for step in own])
    common = common[: common.rfind("_") + 1]
    called = re.sub(r"[\d_]+$", "", common) or "block"
    inside = Names([READ])
    renamed = {steps[run.start - 1].name: READ}
    made = []
    for step in own:
        renamed[step.name] = inside.take(step.name.removeprefix(common), step.layer)
        sources = tuple(renamed[each] for each in step.sources)
        made.append(step._replace(name=renamed[step.name], sources=sources))
    return Block(names.take(called, "block"), run.rounds, tuple(made))
