"""The peak of memory: the most bytes of tensors that are there at once, as formulas.

A tensor is there from the step that makes it to the last one that reads it; what is kept for
gradients, until the step that needs it is done (`keep forward to backward` pairs steps of one name,
in each round of a repeat, the last round first). What no step makes is there from the beginning.

Each part of a model has a `Level`: what its steps reach above where it begins, and what is left
after it. One after another, levels stack. A repeat reaches its most in its first or its last round,
for what is left grows, or shrinks, by the same in each: so nothing is written out, and the peak is
the largest of as many sums as there are steps at most. Of parts that run at once the sum of what
each reaches is taken, which is no less than what they reach together; what several of them read is
there until all are done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from roofdsl.allowance import Exhausted, computing, limited, operations
from roofdsl.analysis.by_choice import by_choice
from roofdsl.analysis.by_count import Reached, by_count
from roofdsl.analysis.ledger import (
    Ledger,
    Live,
    StatedTensor,
    Under,
    enclosed,
    freed,
    inside,
)
from roofdsl.analysis.level import (
    FLAT,
    NOTHING,
    Level,
    at_once,
    is_least,
    less,
    level_of,
    product,
    stacked,
    total,
)
from roofdsl.analysis.liveness import Given, Key, Reading
from roofdsl.analysis.node import Node, Tallied, working
from roofdsl.analysis.rounds import Around, Repeating
from roofdsl.expression.construct import maximum
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.product import TooLong
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.model.tally import ACTIVATIONS, FOOTPRINT, PEAK_MEMORY, has_tensors, models_in
from roofdsl.units.dimension import BYTE

_IN_SHORT = 2_000_000
"""What a peak may take where no parameter has a value."""
_OPERATIONS = 100
"""What a part takes, each time it is looked at."""
NOT_KEPT = (
    "what gradients need is not in the peak of memory: "
    "no step is said to keep it, as in `keep forward to backward`"
)
TOO_MANY_SUMS = "with so much open it is the largest of too many sums"
BOUND = "peak_memory is a bound, and may be less: some repeats are not told apart by their rounds"


def with_peaks(root: Node, notes: dict[str, None], *, in_short: bool = False) -> Node:
    """Return a tree that tallies what its tensors come to; of a mix each job does.

    `in_short`: without, where nothing has a value and it is the largest of too many sums.

    `peak_memory` is the most there is at once, of all that is held and every tensor, and
    `activations` what is kept for gradients in all. `notes` takes what has to be said with them.
    """
    if in_short:
        with suppress(Exhausted), limited(_IN_SHORT):
            return with_peaks(root, notes)
        return root
    if not _states_tensors(root):
        return root
    if _keeps_nothing(root):
        notes[NOT_KEPT] = None
    if root.arrangement == "mix":
        jobs = (
            replace(job, children=tuple(with_peaks(each, notes) for each in job.children))
            for job in root.children
        )
        return replace(root, children=tuple(jobs))
    return replace(root, tallies=(*root.tallies, *_tallied(root, notes)))


def lacks_peak(root: Node) -> bool:
    """Whether there is a peak, and no formula of it: `with_peaks` left it out."""
    if root.arrangement == "mix":
        return any(lacks_peak(each) for job in root.children for each in job.children)
    return _states_tensors(root) and all(each.name != PEAK_MEMORY for each in root.tallies)


def _keeps_nothing(root: Node) -> bool:
    """Whether gradients are computed, and nothing of what they need is kept."""
    nodes = [*working(root, jobs=True)]
    gradients = any(held.stated.here for node in nodes for held in node.tensors)
    needed = any(held.stated.kept for node in nodes for held in node.tensors)
    kept = any(size is None for node in nodes for _, size in node.kept)
    return gradients and needed and not kept


def _states_tensors(root: Node) -> bool:
    return root.site is not None and has_tensors(models_in([root.site.model]))


def _tallied(root: Node, notes: dict[str, None]) -> Iterator[Tallied]:
    try:
        with computing(f"'{root.name}'", root.span):
            trees, bounded = by_choice(
                root, lambda made: by_count(lambda known: _Walk(known).reached(made))
            )
    except TooLong:
        return
    if bounded:
        notes[BOUND] = None
    yield from (Tallied(name, BYTE, tree, root.span) for name, tree in trees.items())


class _Walk(Repeating):
    def __init__(self, known: Mapping[str, Expression]) -> None:
        super().__init__(known)
        self.outside = NOTHING
        self.keeps = False
        self._again = 0  # how many parts around are computed again

    def reached(self, root: Node) -> Reached:
        level, _ = self.part(root, Around((), Given(0), frozenset(), None, None, ()))
        peaks = tuple(each + self.outside + self.held(root) for each in level.peaks)
        kept = {ACTIVATIONS: (self.kept,)} if self.keeps else {}
        return Reached({**kept, PEAK_MEMORY: peaks}, frozenset(self.uneven), self.bounded)

    def held(self, node: Node) -> NormalForm:
        """Return what is held all the time: the footprint, but for what is held from here on."""
        if node.arrangement in ("wait", "recompute"):
            return NOTHING
        own = [self.form(each.amount) for each in node.tallies if each.name == FOOTPRINT]
        since = [self.form(x.size) for x in node.tensors if x.stated.here]
        once = total(own) - total(since) + total(map(self.held, node.children))
        many = node.count is not ONE and node.arrangement != "iterate"
        return once * self.form(node.count) if many else once

    def part(self, node: Node, around: Around) -> tuple[Level, Live | None]:
        """Return the level of a part, and what it makes.

        What it reads last is gone after it, but for what it makes of it: in place, or a view.
        """
        operations().spend(_OPERATIONS)
        if node.arrangement == "wait":
            return FLAT, None
        if not node.children:
            return self._kernel(node, around)
        if node.count is not ONE:
            return self.rounds_of(node, around)
        if node.arrangement != "recompute":
            return self._parts(node, around)
        self._again += 1
        # It goes forward: no round of a repeat in it frees what another keeps.
        nothing = around._replace(
            reads=(), given=Given(0), last=frozenset(), freeing=None, apart=len(self._flights)
        )
        level, out = self._parts(node, nothing)
        self._again -= 1
        gone = NOTHING if out is None else freed([out])
        return level._replace(left=level.left - gone), None  # no step reads it: it is there already

    def _kernel(self, node: Node, around: Around) -> tuple[Level, Live | None]:
        named: dict[str, Live] = {}
        more = made = since = NOTHING
        reads: list[Live] = []
        for place, held in enumerate(x for x in node.tensors if x.stated.word == "in"):
            found, over = self._read(self.form(held.size), around.reads[place : place + 1])
            named[held.stated.name] = found
            reads.append(found)
            more += over
        out: Live | None = None
        for held in node.tensors:
            size, stated = self.form(held.size), held.stated
            if stated.word == "out":
                taken = named[stated.of] if stated.of else reads[0] if _over(node, reads) else None
                found = named[stated.name] = taken or Live(size)
                out = out or found
                made += NOTHING if taken else size
            elif stated.word == "hold" and stated.here:
                since += size
            elif stated.word == "keep":
                named[stated.name] = Live(size)
        kept = [each.stated for each in node.tensors if each.stated.kept]
        gone = NOTHING
        for each in kept if around.keeping else ():
            live = named[each.name]
            if each.word == "keep":
                made += live.size
            self._keep(live, around.keeping)
        for held in node.tensors:  # of several results no step reads the others
            other = named.get(held.stated.name)
            if other is None or other is out or held.stated.word != "out" or other.kept:
                continue
            gone += NOTHING if any(other is x for x in reads) else other.size
        dying = {id(x): x for x in reads if id(x) in around.last and x is not out}
        gone += freed(dying.values())
        peaks = (NOTHING, made + since + more)
        return Level(peaks, made + since - gone, since, peaks), out

    def _read(self, size: NormalForm, found: Sequence[Live]) -> tuple[Live, NormalForm]:
        """Return what is read, and how many bytes of it no step before makes."""
        if not found or found[0].open:
            if not self._again:
                self.outside += size * product(count for _, count in self._rounds)
            live = found[0] if found else Live(size, lasting=True)
            live.size, live.open = size, False
            return live, NOTHING
        over = size - found[0].size
        if is_least(-over):
            return found[0], NOTHING
        return found[0], over if is_least(over) else self.form(maximum(ZERO, over.tree()))

    def _parts(self, node: Node, around: Around) -> tuple[Level, Live | None]:
        """Return the level of parts one after another, or at once."""
        counts = not (around.freeing or self._again)
        own = tuple(self._marks(node, around.apart, counts=counts))
        around = around._replace(marks=(*around.marks, *own))
        reading = self._readings.of(node, around.given)
        lives, given = self._given(node, reading, around), {id(x) for x in around.reads}
        together, parts = node.arrangement == "overlap", len(node.children)
        # The place of the last part that reads what a key stands for; of what is left, after all.
        ends = {key: place for place, keys in enumerate(reading.reads) for key in keys}
        shared = _shared(reading, lives) if together else frozenset[int]()
        ends |= {key: parts - 1 for key in ends if key in lives and id(lives[key]) in shared}
        ends |= dict.fromkeys(reading.leaves, parts)
        until: dict[int, int] = {}
        there: dict[int, Live] = {}
        for key, live in lives.items():
            until[id(live)] = max(until.get(id(live), -1), ends.get(key, -1))
            there[id(live)] = live

        def ending(live: Live) -> bool:
            return id(live) not in given or id(live) in around.last

        levels: list[Level] = []
        for place, child in enumerate(node.children):
            reads = tuple(lives[key] for key in reading.uses[place] if key in lives)
            touched = [lives[key] for key in reading.reads[place] if key in lives]
            last = frozenset(id(x) for x in touched if until[id(x)] == place and ending(x)) - shared
            inside = around._replace(reads=reads, given=reading.given[place], last=last)
            self._frames.append((until, place, ends.get(("out", place), -1)))
            level, out = self._step(child, inside)
            self._frames.pop()
            if out is not None:
                key = ("out", place)
                lives[key], there[id(out)] = out, out
                fresh = not any(out is x for x in reads)
                unread = until[id(out)] <= place and (fresh or id(out) in last)
                if unread and not (out.kept or out.lasting):
                    level = level._replace(left=level.left - out.size)
                    until[id(out)] = parts + 1
            levels.append(level)
        found = at_once(levels) if together else stacked(levels)
        if together:
            gone = [x for key, x in there.items() if key in shared and until[key] < parts]
            found = found._replace(left=found.left - freed(filter(ending, gone)))
        left = NOTHING
        for mark in own:
            if mark.begins:
                # Its end is in a repeat, or it was not gone back over.
                left += mark.what.left - self._still(mark.what)
                if isinstance(mark.what, Ledger) and mark.what.counts:
                    self.keeps = True
                    self.kept += mark.what.total * product(count for _, count in self._rounds)
        found = found._replace(left=found.left - left)
        return found, next((lives[key] for key in reading.leaves if key in lives), None)

    def _given(self, node: Node, reading: Reading, around: Around) -> dict[Key, Live]:
        """Return what a composition is given, and what is there from the beginning."""
        lives: dict[Key, Live] = {("in", at): x for at, x in enumerate(around.reads)}
        for name, place in reading.missing.items():
            held = next(x for x in node.tensors if x.stated.name == name)
            if held.stated.size is None:
                lives["in", place] = Live(NOTHING, lasting=True, open=True)
            else:
                lives["in", place], _ = self._read(self.form(held.size), ())
        return lives

    def _step(self, child: Node, around: Around) -> tuple[Level, Live | None]:
        """Return the level of a part, with what begins to be kept before it, and ends after it."""
        if not child.model:
            level, out = self.part(child, around)
            self._until_read(out)
            return level, out
        keeping, freeing = inside(around.keeping, child), inside(around.freeing, child)
        below = [x._replace(path=x.path[1:]) for x in around.marks if x.path[0] == child.name]
        here = [mark for mark in below if not mark.path]
        apart = around.apart
        for mark in here:
            if isinstance(mark.what, Ledger):
                under = Under(mark.what, ())
                keeping, freeing = (under, freeing) if mark.begins else (keeping, under)
                apart = max(apart, mark.what.flights[1])
        marks = tuple(mark for mark in below if mark.path)
        for what in enclosed(marks, {mark.path[0] for mark in marks}):
            what.flights = max(apart, what.flights[0]), what.flights[1]
        if keeping and keeping.path in keeping.ledger.again:
            # What is there from the beginning is kept like any other, and stays.
            began = (Live(self.form(x), lasting=True) for x in _first_read(child))
            for live in around.reads[:1] or [*began]:
                self._keep(live, keeping)
            keeping = None
        within = around._replace(keeping=keeping, freeing=freeing, marks=marks, apart=apart)
        level, out = self.part(child, within)
        self._until_read(out)  # it may be what was kept until here
        levels = [level]
        for mark in here:
            if mark.begins and isinstance(mark.what, StatedTensor):
                rounds = self._rounds[mark.what.rounds :]
                mark.what.left += mark.what.size * product(count for _, count in rounds)
                self._in_flight(mark.what.size, mark.what)
                levels.insert(0, level_of(mark.what.size, mark.what.size))
        if freeing:
            levels.append(less(self._free(freeing)))
        for mark in here:
            if not mark.begins:
                levels.append(less(self._ended(mark.what)))
        return stacked(levels) if len(levels) > 1 else level, out

    def _until_read(self, out: Live | None) -> None:
        """Note until which part what the one that runs makes is read."""
        if out is not None:
            until, _, after = self._frames[-1]
            until[id(out)] = max(until.get(id(out), -1), after)


def _shared(reading: Reading, lives: Mapping[Key, Live]) -> frozenset[int]:
    """Return what several of the parts read that run at once: it is there until all are done."""
    places: dict[int, set[int]] = {}
    for place, keys in enumerate(reading.reads):
        for key in keys & lives.keys():
            places.setdefault(id(lives[key]), set()).add(place)
    return frozenset(live for live, found in places.items() if len(found) > 1)


def _first_read(node: Node) -> list[Expression]:
    """Return the bytes of what the first step reads that reads any."""
    if node.children:
        found = (size for child in node.children for size in _first_read(child))
        return [*islice(found, 1)]
    return [held.size for held in node.tensors if held.stated.word == "in"][:1]


def _over(node: Node, reads: Sequence[Live]) -> bool:
    return node.overwrites and bool(reads) and not reads[0].lasting
