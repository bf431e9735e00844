"""Runs of an `iterate` of which several are kept at once, unrolled as in a stage of a pipeline.

Each run is cut where the first step begins that ends what it keeps: what is before goes forward,
the rest back. With k in flight the first k go forward; then one goes back and one forward in turn,
until all are back (1F1B; with as many as there are, GPipe). What a run keeps is there meanwhile.
What it does not keep and still needs is sent away at the cut, and comes back before it goes on. Of
what no step makes there is one all the time, in which the run is that goes on; of what of it the
others keep they have a copy each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.rules.timeline import (
    Around,
    AtOnce,
    Event,
    Group,
    IterateRun,
    Kept,
    Model,
    Run,
    RunDone,
    Storage,
)


class Segment(NamedTuple):
    """What a run does forward, or back: what is on the line, between two moments."""

    begin: Event
    inside: Sequence[Event | AtOnce]
    end: Event

    def line(self) -> list[Event | AtOnce]:
        return [self.begin, *self.inside, self.end]


class Flights(Run):
    """A program that is run; `loose` where a run keeps something else once it was to be cut.

    With `as_many` it runs as often as it says, where at least a run more than are kept at once.
    """

    def __init__(self, main: Model, *, as_many: bool = False) -> None:
        self.as_many = as_many
        self.cuts: dict[IterateRun, Event] = {}
        self.places: dict[IterateRun, tuple[tuple[AtOnce, int], ...]] = {}
        self.between: set[tuple[IterateRun, Kept]] = set()
        self.loose = False
        super().__init__(main)

    def runs_of(self, group: Group) -> int:
        more = 0 if self.as_many or group.keeping == 1 else group.keeping + 1
        return max(group.count, more)

    def iterate_run(self, group: Group, around: Around, after: int) -> Around:
        inside = super().iterate_run(group, around, after)
        self.places[inside.runs[-1]] = self.where
        return inside

    def is_kept(self, storage: Storage) -> bool:
        return any(
            kept.counts and all(self.is_there(run, kept) for run in storage.runs)
            for kept, _, _ in storage.keepers
        )

    def is_there(self, run: IterateRun, kept: Kept) -> bool:
        """Whether what a run keeps counts: of the last one, or of those that are with it."""
        return not run.after or (run.after < run.keeping and (run, kept) in self.between)

    def outermost(self, kept: Kept, around: Around) -> Iterator[IterateRun]:
        """Yield the runs in which this is kept, and not while they go forward or back."""
        over = [under[0] for under in (around.keeping, around.freeing) if under]
        for run in kept.inside if not around.again else ():
            if not any(run in each.inside for each in over):
                yield run

    def begins(self, kept: Kept, around: Around) -> None:
        for run in self.outermost(kept, around):
            self.between.add((run, kept))
            self.loose |= run in self.cuts or self.where != self.places[run]

    def ends(self, kept: Kept, around: Around) -> None:
        for run in self.outermost(kept, around):
            if run not in self.cuts:
                self.cuts[run] = self.event()

    def all_done(self, done: list[RunDone]) -> None:
        if not any(each.run in self.cuts for each in done) or done[0].run.keeping == 1:
            return
        base, keeping = done[0].start, done[0].run.keeping
        there: list[Segment] = []
        back: list[Segment] = []
        for each in done:
            line = self.line[each.start : each.stop]
            cut = self.cuts.get(each.run)
            at = line.index(cut) if cut in line else len(line)
            there.append(Segment(Event(0, self.where), line[:at], Event(0, self.where)))
            back.append(Segment(Event(0, self.where), line[at:], Event(0, self.where)))
        order: list[Segment] = []
        for place, forward in enumerate(there):
            order.append(forward)
            order += back[place - keeping + 1 : place - keeping + 2] if place >= keeping - 1 else []
        order += back[len(there) - keeping + 1 :]
        self.line[base:] = [each for segment in order for each in segment.line()]
        first = min(each.order for each in flat(self.line[base:]) if each.order)
        for number, event in enumerate(flat(self.line[base:]), first):
            event.order = self.events = number
        for each, forward, backward in zip(done, there, back, strict=True):
            self.part(each, forward, backward)
            a, b = order.index(forward), order.index(backward)
            self.copy(each, order[a + 1 : b])

    def part(self, done: RunDone, forward: Segment, back: Segment) -> None:
        """Send away at the cut what a run does not keep, and have it come back."""
        for each in self.storages[done.held :]:
            kept = [
                *(keeper[0] for keeper in each.keepers),
                *([each.stated] if each.stated else []),
            ]
            if each.born is None or any((done.run, one) in self.between for one in kept):
                continue
            later = [use for use in each.uses if is_in(use, back)]
            ends = [self.kept_until(keeper) for keeper in each.keepers]
            stays = later or any(end is None or end.order > forward.end.order for end in ends)
            if stays and is_in(each.born, forward) and done.run in each.runs:
                before = [use for use in each.uses if use not in later]
                self.storages.append(Storage(each.size, each.born, [*before, forward.end]))
                each.born, each.uses = back.begin, later

    def copy(self, done: RunDone, others: Sequence[Segment]) -> None:
        """Have copies of what no step makes, while others are where it lies."""
        for each in [*self.storages]:
            keepers = [x for x in each.keepers if (done.run, x[0]) in self.between]
            if each.born is not None or not keepers:
                continue
            if others:
                self.storages.append(Storage(each.size, others[0].begin, [others[-1].end]))
            if done.run.after and done.run not in each.runs:
                runs = keepers[0][0].inside
                self.storages.append(Storage(each.size, None, [], keepers, runs))


def flat(line: Sequence[Event | AtOnce]) -> Iterator[Event]:
    for each in line:
        if isinstance(each, AtOnce):
            for branch in each.branches:
                yield from flat(branch)
        else:
            yield each


def is_in(event: Event, segment: Segment) -> bool:
    return segment.begin.order <= event.order <= segment.end.order
