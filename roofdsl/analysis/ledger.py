"""What steps keep for their gradients, until those are done: by path, and by round of a repeat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from roofdsl.analysis.level import NOTHING, ONCE, form_of, product, total
from roofdsl.analysis.liveness import never
from roofdsl.analysis.node import Node
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression

Path = tuple[str, ...]
Rounds = tuple[bool, ...]
"""Of each repeat around a step whether it is in its first round."""
RoundKey = tuple[Path, Rounds]


@dataclass(slots=True, eq=False)
class Live:
    """A tensor that is there; `lasting`: it was there before, and no step is its last.

    `open`: it has no size before the first step has read it, which says so.
    `held` is how it is kept, by steps of the same rounds; in other rounds it is only `kept`.
    """

    size: NormalForm
    kept: bool = False
    lasting: bool = False
    open: bool = False
    held: Kept | None = None
    counted: bool = False  # among what is kept in all


@dataclass(slots=True, eq=False)
class Kept:
    """A tensor that is kept until the steps that keep it have all been gone back over.

    `waiting` says in how many rounds a step has still to be; `bytes` is what it is of all of them.
    """

    live: Live
    ledger: Ledger
    bytes: NormalForm
    waiting: dict[RoundKey, NormalForm]


@dataclass(slots=True, eq=False)
class Ledger:
    """What the steps of one part keep, by path and round, until those of another are done.

    `again` are the steps that are computed again for their gradients, which keep what they read.
    `rounds` is how many repeats are around the model that says so; `left` is what is still kept.
    `ends` orders ledgers by when they end: those of a model further out do later, else by place.
    `flights`: see `Flight`; `counts`: it is of what goes forward, and among what is kept in all.
    """

    again: frozenset[Path]
    rounds: int
    ends: tuple[int, int]
    flights: tuple[int, int]
    counts: bool
    held: dict[RoundKey, list[Kept]] = field(default_factory=dict)
    total: NormalForm = NOTHING
    left: NormalForm = NOTHING


@dataclass(slots=True, eq=False)
class StatedTensor:
    """A tensor stated with the steps it is kept from and to; `left` is what of it is there."""

    size: NormalForm
    rounds: int
    flights: tuple[int, int]
    left: NormalForm = NOTHING


@dataclass(slots=True, eq=False)
class Flight:
    """Rounds of which several are kept at once: `keeping`, with the one that runs.

    `kept` is what one of them keeps from steps of it to others, each tensor once; `activations` of
    that what counts in all. What is `shared` was made before, and is there once for all rounds.

    A part with `flights` (a, b) is kept in the first b of those around it, in the first a of them
    only for as long as it takes to go there, or back: then it is not there between the two.
    """

    keeping: NormalForm
    rounds: int
    shared: frozenset[int]
    kept: NormalForm = NOTHING
    activations: NormalForm = NOTHING
    counted: dict[int, Live] = field(default_factory=dict)


class Under(NamedTuple):
    """The part of a path that is inside a ledger's part."""

    ledger: Ledger
    path: Path


class Mark(NamedTuple):
    """Where, below here, a ledger's part or a tensor that is kept begins or ends."""

    path: Path
    begins: bool
    what: Ledger | StatedTensor


def freed(lives: Iterable[Live]) -> NormalForm:
    """Return the bytes that go with the last readers of some tensors."""
    return total(x.size for x in lives if not (x.kept or x.lasting))


class Keeping:
    """What is kept where a walk over the parts of a model is."""

    def __init__(self, known: Mapping[str, Expression]) -> None:
        self._known = known
        self._rounds: list[tuple[bool, NormalForm]] = []
        self._forms: dict[Expression, NormalForm] = {}
        # Of each composition around: until which of its parts tensors are read, which part runs,
        # and until which what that one makes is read.
        self._frames: list[tuple[dict[int, int], int, int]] = []
        self._flights: list[Flight] = []

    def form(self, tree: Expression) -> NormalForm:
        found = self._forms.get(tree)
        if found is None:
            put_in = substitute(tree, self._known) if self._known else tree
            found = self._forms[tree] = form_of(put_in)
        return found

    def _keep(self, live: Live, keeping: Under | None) -> None:
        if keeping is None:
            return
        ledger, rounds = keeping.ledger, self._rounds[keeping.ledger.rounds :]
        if not live.kept or live.held is not None:  # else it is of a round before
            self._in_flight(live.size, ledger, live)
        key = keeping.path, tuple(first for first, _ in rounds)
        count = product(count for _, count in rounds)
        if live.kept:
            held = live.held
            if held is not None and held.ledger.rounds >= ledger.rounds:
                between = self._rounds[ledger.rounds : held.ledger.rounds]
                _hand_on(held, ledger, product(count for _, count in between))
            if held is not None and held.ledger is ledger and key not in held.waiting:
                held.waiting[key] = count
                ledger.held.setdefault(key, []).append(held)
            return
        live.kept = True
        ledger.total += NOTHING if live.counted else live.size * count
        live.counted = True
        if not live.lasting:  # else it is there before and after: nothing is freed with it
            live.held = Kept(live, ledger, live.size * count, {key: count})
            ledger.held.setdefault(key, []).append(live.held)
            ledger.left += live.size * count

    def _in_flight(
        self, size: NormalForm, what: Ledger | StatedTensor, live: Live | None = None
    ) -> None:
        """Note what is kept among what each of several rounds keeps that are kept at once."""
        first, end = what.flights
        times = ONCE
        for flight in reversed(self._flights[first:end]):
            if live is not None and id(live) in flight.shared:
                continue
            if live is None or id(live) not in flight.counted:
                rounds = product(count for _, count in self._rounds[flight.rounds :])
                kept = size * rounds * times
                flight.kept += kept
                if isinstance(what, Ledger) and what.counts:
                    flight.activations += kept
            if live is not None:
                flight.counted[id(live)] = live
            times = times * flight.keeping

    def _free(self, under: Under) -> NormalForm:
        ledger = under.ledger
        rounds = self._rounds[ledger.rounds :]
        key, freed = (under.path, tuple(first for first, _ in rounds)), NOTHING
        count = product(count for _, count in rounds)
        for held in ledger.held.get(key, ()):
            rest = held.waiting[key] = held.waiting[key] - count
            # Each of these rounds has its own: gone once all that keep it have been there.
            if all(x == (rest if at[1] == key[1] else NOTHING) for at, x in held.waiting.items()):
                freed += held.live.size if self._gone(held.live) else NOTHING
                ledger.left -= held.live.size * count
        return freed

    def _gone(self, live: Live) -> bool:
        """Whether no step will read what is kept no more; else it is as what was never kept."""
        if any(until.get(id(live), -1) > place for until, place, _ in self._frames):
            live.kept, live.held = False, None
            return False
        return True

    def _marks(self, node: Node, apart: int, *, counts: bool) -> Iterator[Mark]:
        flights = apart, len(self._flights)
        for keep, size in node.kept:
            if not _runs(node, keep.begins):
                continue
            rounds = len(self._rounds)
            if size is not None:
                what: Ledger | StatedTensor = StatedTensor(self.form(size), rounds, flights)
            else:
                again = frozenset(_computed_again(_at(node, keep.ends), ()))
                place = next(
                    at
                    for at, child in enumerate(node.children)
                    if any(step.name == keep.ends[0] for step in named_steps([child]))
                )
                what = Ledger(again, rounds, (-len(self._frames), place), flights, counts)
            yield Mark(keep.begins, True, what)
            yield Mark(keep.ends, False, what)

    def _ended(self, what: Ledger | StatedTensor) -> NormalForm:
        """Return what is gone once the step is done to which it is kept."""
        rounds = self._rounds[what.rounds :]
        if not rounds:
            gone, what.left = what.left, NOTHING
            return gone - self._still(what)
        if isinstance(what, Ledger) or what.left == what.size:
            return NOTHING  # a round of many: it is gone when all are done
        what.left -= what.size * product(count for _, count in rounds)
        return what.size

    def _still(self, what: Ledger | StatedTensor) -> NormalForm:
        """Return what is kept no more, but is still to be read."""
        if not isinstance(what, Ledger):
            return NOTHING
        held = {id(x): x for each in what.held.values() for x in each}
        what.held.clear()
        lives = [x.live for x in held.values()]
        return total(x.size for x in lives if x.kept and not self._gone(x))


def _hand_on(held: Kept, ledger: Ledger, runs: NormalForm) -> None:
    """Have a tensor kept by the one of two ledgers that ends later, around `runs` of the other."""
    before = held.ledger
    if before.ends >= ledger.ends:
        return
    for each in before.held.values():
        each[:] = [x for x in each if x is not held]
    before.left -= held.bytes
    held.bytes = held.bytes * runs
    ledger.left += held.bytes
    held.ledger, held.waiting = ledger, {}


def enclosed(marks: Iterable[Mark], names: Collection[str]) -> Iterator[Ledger | StatedTensor]:
    """Yield what begins and ends at or in steps of some names."""
    found: dict[int, Mark] = {}
    for mark in marks:
        if mark.path[0] in names and found.setdefault(id(mark.what), mark) is not mark:
            yield mark.what


def inside(under: Under | None, child: Node) -> Under | None:
    return under and under._replace(path=(*under.path, child.name))


def _at(node: Node, path: Path) -> Node:
    """Return the step of a path."""
    for name in path:
        node = next(step for step in named_steps(node.children) if step.name == name)
    return node


def _runs(node: Node, path: Path) -> bool:
    """Whether a step runs at all: neither it nor a repeat around it has no rounds."""
    running = (child for child in node.children if not never(child))
    for child in running:
        if child.model and child.name == path[0]:
            return len(path) == 1 or _runs(child, path[1:])
        if not child.model and _runs(child, path):
            return True
    return False


def named_steps(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.model:
            yield node
        else:
            yield from named_steps(node.children)


def _computed_again(node: Node, path: Path) -> Iterator[Path]:
    if _recomputes(node):
        yield path
    else:
        for step in named_steps(node.children):
            yield from _computed_again(step, (*path, step.name))


def _recomputes(node: Node) -> bool:
    """Whether a step computes again what it needs, in its own parts or in repeats of them."""
    return any(
        child.arrangement == "recompute"
        or (not (child.model or never(child)) and _recomputes(child))
        for child in node.children
    )
