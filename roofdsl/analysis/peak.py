"""The peak of memory: the most bytes of tensors that are there at once, as formulas.

A tensor is there from the step that makes it to the last one that reads it; what is kept for
gradients, until the step that needs it is done (`keep forward to backward` pairs steps of one name,
in each round of a repeat, the last round first). What no step makes is there from the beginning.

Each part of a model has a `Level`: what its steps reach above where it begins, and what is left
after it. One after another, levels stack. A repeat reaches its most in its first or its last round,
for what is left grows, or shrinks, by the same in each: so nothing is written out, and the peak is
the largest of as many sums as there are steps at most. Of parts that run at once the sum of what
each reaches is taken, which is no less than what they reach together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from roofdsl.analysis.liveness import Given, Key, Readings
from roofdsl.analysis.node import Node, Tallied
from roofdsl.expression.construct import maximum
from roofdsl.expression.normal_form import NormalForm, number_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import TooLong, is_positive
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.model.tally import ACTIVATIONS, FOOTPRINT, PEAK_MEMORY, models_in
from roofdsl.model.tensor import has_tensors
from roofdsl.units.dimension import BYTE

_NOTHING = number_form(0)
_ONCE = number_form(1)
_DEEPEST_ROUNDS = 4
"""Repeats nested deeper are taken to begin as they go on, which counts no less."""


def with_peaks(root: Node) -> Node:
    """Return a tree that tallies what its tensors come to; of a mix each job does.

    `peak_memory` is the most there is at once, of all that is held and every tensor, and
    `activations` what is kept for gradients in all.
    """
    if root.site is None or not has_tensors(models_in([root.site.model])):
        return root
    if root.arrangement == "mix":
        return replace(root, children=tuple(map(_job, root.children)))
    return replace(root, tallies=(*root.tallies, *_tallied(root)))


def _job(job: Node) -> Node:
    return replace(job, children=tuple(map(with_peaks, job.children)))


def _tallied(root: Node) -> Iterator[Tallied]:
    try:
        walk = _Walk()
        level, _ = walk.part(root, _Around((), Given(0), frozenset(), None, None, ()))
        peaks = [each + walk.outside + walk.held(root) for each in level.peaks]
        found = {PEAK_MEMORY: maximum(*(each.tree() for each in peaks))}
    except TooLong:
        return
    if walk.keeps:
        found = {ACTIVATIONS: walk.kept.tree(), **found}
    yield from (Tallied(name, BYTE, tree, root.span) for name, tree in found.items())


@dataclass(slots=True, eq=False)
class _Live:
    """A tensor that is there; `lasting`: it was there before, and no step is its last.

    `held` is how it is kept, by steps of the same rounds; in other rounds it is only `kept`.
    """

    size: NormalForm
    kept: bool = False
    lasting: bool = False
    open: bool = False
    held: _Held | None = None
    counted: bool = False  # among what is kept in all


class _Level(NamedTuple):
    """What the steps of a part reach above where it begins, and what is left after it.

    Of what is left, `since` are gradients. `again` is what is reached where they are there already:
    what is added to them is there for a step alone.
    """

    peaks: tuple[NormalForm, ...]
    left: NormalForm
    since: NormalForm
    again: tuple[NormalForm, ...]


def _level(peak: NormalForm, left: NormalForm) -> _Level:
    peaks = (_NOTHING, peak)
    return _Level(peaks, left, _NOTHING, peaks)


_FLAT = _Level((_NOTHING,), _NOTHING, _NOTHING, (_NOTHING,))
_Path = tuple[str, ...]
_Rounds = tuple[bool, ...]
"""Of each repeat around a step whether it is in its first round."""
_Key = tuple[_Path, _Rounds]


@dataclass(slots=True, eq=False)
class _Held:
    """A tensor that is kept until the steps that keep it have all been gone back over.

    `waiting` says in how many rounds a step has still to be.
    """

    live: _Live
    ledger: _Ledger
    waiting: dict[_Key, NormalForm]


@dataclass(slots=True, eq=False)
class _Ledger:
    """What the steps of one part keep, by path and round, until those of another are done.

    `again` are the steps that are computed again for their gradients, which keep what they read.
    `rounds` is how many repeats are around the model that says so; `left` is what is still kept.
    """

    again: frozenset[_Path]
    rounds: int
    held: dict[_Key, list[_Held]] = field(default_factory=dict)
    total: NormalForm = _NOTHING
    left: NormalForm = _NOTHING


@dataclass(slots=True, eq=False)
class _Stated:
    """A tensor stated with the steps it is kept from and to; `left` is what of it is there."""

    size: NormalForm
    rounds: int
    left: NormalForm = _NOTHING


class _Under(NamedTuple):
    """The part of a path that is inside a ledger's part."""

    ledger: _Ledger
    path: _Path


class _Mark(NamedTuple):
    """Where, below here, a ledger's part or a tensor that is kept begins or ends."""

    path: _Path
    begins: bool
    what: _Ledger | _Stated


class _Around(NamedTuple):
    """What a part is among: what it is given, what of that it reads last, who keeps, who frees."""

    reads: tuple[_Live, ...]
    given: Given
    last: frozenset[int]
    keeping: _Under | None
    freeing: _Under | None
    marks: tuple[_Mark, ...]


class _Walk:
    def __init__(self) -> None:
        self.outside = self.kept = _NOTHING
        self.keeps = False
        self._again = 0  # how many parts around are computed again
        self._rounds: list[tuple[bool, NormalForm]] = []
        self._forms: dict[Expression, NormalForm] = {}
        self._readings = Readings()
        # Of each composition around, until which of its parts tensors are read, and which runs.
        self._frames: list[tuple[dict[int, int], int]] = []

    def form(self, tree: Expression) -> NormalForm:
        found = self._forms.get(tree)
        if found is None:
            made = normal_form(tree)
            found = self._forms[tree] = symbol_form(tree) if made is None else made
        return found

    def held(self, node: Node) -> NormalForm:
        """Return what is held all the time: the footprint, but for what is held from here on."""
        if node.arrangement in ("wait", "recompute"):
            return _NOTHING
        own = [self.form(each.amount) for each in node.tallies if each.name == FOOTPRINT]
        since = [self.form(x.size) for x in node.tensors if x.stated.here]
        once = _sum(own) - _sum(since) + _sum(map(self.held, node.children))
        many = node.count is not ONE and node.arrangement != "iterate"
        return once * self.form(node.count) if many else once

    def part(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of a part, and what it makes.

        What it reads last is gone after it, but for what it makes of it: in place, or a view.
        """
        if node.arrangement == "wait":
            return _FLAT, None
        if not node.children:
            return self._kernel(node, around)
        if node.count is not ONE:
            return self._rounds_of(node, around)
        if node.arrangement != "recompute":
            return self._parts(node, around)
        self._again += 1
        # It goes forward: no round of a repeat in it frees what another keeps.
        nothing = around._replace(reads=(), given=Given(0), last=frozenset(), freeing=None)
        level, out = self._parts(node, nothing)
        self._again -= 1
        gone = _NOTHING if out is None or out.kept or out.lasting else out.size
        return level._replace(left=level.left - gone), None  # no step reads it: it is there already

    def _kernel(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        named: dict[str, _Live] = {}
        more = made = since = _NOTHING
        reads: list[_Live] = []
        for place, held in enumerate(x for x in node.tensors if x.stated.word == "in"):
            found, over = self._read(self.form(held.size), around.reads[place : place + 1])
            named[held.stated.name] = found
            reads.append(found)
            more += over
        out: _Live | None = None
        for held in node.tensors:
            size, stated = self.form(held.size), held.stated
            if stated.word == "out":
                taken = named[stated.of] if stated.of else reads[0] if _over(node, reads) else None
                found = named[stated.name] = taken or _Live(size)
                out = out or found
                made += _NOTHING if taken else size
            elif stated.word == "hold" and stated.here:
                since += size
            elif stated.word == "keep":
                named[stated.name] = _Live(size)
        kept = [each.stated for each in node.tensors if each.stated.kept]
        gone = _NOTHING
        for each in kept if around.keeping else ():
            live = named[each.name]
            if each.word == "keep":
                made += live.size
            self._keep(live, around.keeping)
        for held in node.tensors:  # of several results no step reads the others
            other = named.get(held.stated.name)
            if other is None or other is out or held.stated.word != "out" or other.kept:
                continue
            gone += _NOTHING if any(other is x for x in reads) else other.size
        dying = {id(x): x for x in reads if id(x) in around.last and x is not out}
        gone += _sum(x.size for x in dying.values() if not (x.kept or x.lasting))
        peaks = (_NOTHING, made + since + more)
        return _Level(peaks, made + since - gone, since, peaks), out

    def _read(self, size: NormalForm, found: Sequence[_Live]) -> tuple[_Live, NormalForm]:
        """Return what is read, and how many bytes of it no step before makes."""
        if not found or found[0].open:
            if not self._again:
                self.outside += size * _product(count for _, count in self._rounds)
            live = found[0] if found else _Live(size, lasting=True)
            live.size, live.open = size, False
            return live, _NOTHING
        over = size - found[0].size
        if over.constant is None:
            return found[0], self.form(maximum(ZERO, over.tree()))
        return found[0], over if over.constant > 0 else _NOTHING

    def _keep(self, live: _Live, keeping: _Under | None) -> None:
        if keeping is None:
            return
        ledger, rounds = keeping.ledger, self._rounds[keeping.ledger.rounds :]
        key = keeping.path, tuple(first for first, _ in rounds)
        count = _product(count for _, count in rounds)
        if live.kept:
            held = live.held
            if held is not None and held.ledger is ledger and key not in held.waiting:
                held.waiting[key] = count
                ledger.held.setdefault(key, []).append(held)
            return
        live.kept = True
        ledger.total += _NOTHING if live.counted else live.size * count
        live.counted = True
        if not live.lasting:  # else it is there before and after: nothing is freed with it
            live.held = _Held(live, ledger, {key: count})
            ledger.held.setdefault(key, []).append(live.held)
            ledger.left += live.size * count

    def _free(self, under: _Under) -> NormalForm:
        ledger = under.ledger
        rounds = self._rounds[ledger.rounds :]
        key, freed = (under.path, tuple(first for first, _ in rounds)), _NOTHING
        count = _product(count for _, count in rounds)
        for held in ledger.held.get(key, ()):
            rest = held.waiting[key] = held.waiting[key] - count
            # Each of these rounds has its own: gone once all that keep it have been there.
            if all(x == (rest if at[1] == key[1] else _NOTHING) for at, x in held.waiting.items()):
                freed += held.live.size if self._gone(held.live) else _NOTHING
                ledger.left -= held.live.size * count
        return freed

    def _gone(self, live: _Live) -> bool:
        """Whether no step will read what is kept no more; else it is as what was never kept."""
        if any(until.get(id(live), -1) > place for until, place in self._frames):
            live.kept, live.held = False, None
            return False
        return True

    def _rounds_of(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of parts that run one round after another.

        What every round reads, as none makes another or as it reads it by name from outside, is
        there until all are done.
        """
        count = self.form(node.count)
        if count.constant == 0:
            return _FLAT, None
        once = replace(node, count=ONE)
        chained = self._readings.makes(once) and node.arrangement != "iterate"
        by_place = around.reads[: around.given.places] if chained else ()
        throughout = {id(x) for x in around.reads} - {id(x) for x in by_place}
        named = {id(x) for x in around.reads[around.given.places :]}
        throughout |= named
        inside = around._replace(last=around.last - throughout)
        if node.arrangement == "iterate":
            level, out = self._parts(once, inside)
            level = _same_again(level)
        elif count.constant == 1:
            level, out = self._round(once, inside, (False, count))
        elif len(self._rounds) >= _DEEPEST_ROUNDS:
            level, out = self._alike(once, inside, count)
        elif around.freeing is not None or self._goes_back(once, around):
            level, out = self._backwards(once, inside, count - _ONCE)
        else:
            first, out = self._round(once, inside, (True, _ONCE))
            after = self._after(once, inside, out)
            first = first._replace(left=first.left - after.unread)
            later, out = self._round(once, after.around, (False, count - _ONCE))
            later_left = later.left - after.unread
            # What is unread in a round is gone when it ends; that of the last round is not.
            later = later._replace(left=later_left)
            level = _stacked([first, _repeated(later, count - _ONCE)])
            level = level._replace(left=level.left + after.unread)
        read = self._readings.read(node, around.given)
        ends = {id(around.reads[at]): around.reads[at] for at in read if at < len(around.reads)}
        over = [
            x
            for key, x in ends.items()
            if key in throughout and key in around.last and x is not out
            if not (x.kept or x.lasting)
        ]
        return level._replace(left=level.left - _sum(x.size for x in over)), out

    def _goes_back(self, node: Node, around: _Around) -> bool:
        """Whether steps in a repeat free what those of another part keep."""
        ends = {x.path[0] for x in around.marks if not x.begins and isinstance(x.what, _Ledger)}
        return bool(ends) and any(step.name in ends for step in _named(node.children))

    def _backwards(
        self, once: Node, around: _Around, rest: NormalForm
    ) -> tuple[_Level, _Live | None]:
        """Return the level of rounds that go back: the last first, and the first round last.

        The one that runs first reads what the repeat reads, those after it what one before makes.
        """
        if rest.constant is not None:
            levels: list[_Level] = []
            after = _After(around, _NOTHING)
            out: _Live | None = None
            for which in ((False, _ONCE), (False, rest - _ONCE), (True, _ONCE)):
                if which[1].constant == 0:
                    continue
                level, out = self._round(once, after.around, which)
                after = self._after(once, after.around, out)
                levels.append(_repeated(level._replace(left=level.left - after.unread), which[1]))
            found = _stacked(levels)
            return found._replace(left=found.left + after.unread), out
        # How many rounds there are is open: each is as the next, or is taken to begin with more.
        by_place = around.reads[: around.given.places]
        same = all(
            id(x) in around.last and not (x.kept or x.lasting) and x.size == size
            for x in by_place
            for size in self._made(once)
        )
        if same:
            later, out = self._round(once, around, (False, rest))
            later = _repeated(later, rest)
        else:
            later, out = self._alike(once, around, rest)
        after = self._after(once, around, out)
        first, out = self._round(once, after.around, (True, _ONCE))
        return _stacked([later, first]), out

    def _alike(self, once: Node, around: _Around, count: NormalForm) -> tuple[_Level, _Live | None]:
        """Return a level that is no less than that of rounds, of which one is looked at.

        What they are given is there until they are done, and what each makes until the next is.
        """
        reads = tuple(_Live(x.size) for x in around.reads)
        each, out = self._round(
            once, around._replace(reads=reads, last=frozenset()), (False, count)
        )
        own = out is not None and not any(out is x for x in reads)
        result = out.size if out is not None and own and not out.kept else _NOTHING
        given_size = _sum(x.size for x in reads)
        more = _level(result + given_size, result)
        rounds = _repeated(each._replace(left=each.left - result), count)
        # Kernels may say that they read more than what they are given, in each round anew.
        level = _stacked([more, _raised(rounds, given_size)])
        given = {id(x): x for x in around.reads if id(x) in around.last}
        gone = _sum(x.size for x in given.values() if not (x.kept or x.lasting))
        if out is not None and not own:
            out = _Live(out.size)
            level = _stacked([level, _level(out.size, out.size)])
        return level._replace(left=level.left - gone), out

    def _made(self, node: Node) -> list[NormalForm]:
        """Return the bytes of what a part makes, by what its last kernel says that makes any."""
        while node.children:
            making = [child for child in node.children if self._readings.makes(child)]
            if not making:
                return []
            node = making[-1]
        outs = [x for x in node.tensors if x.stated.word == "out"]
        return [self.form(x.size) for x in outs[:1]]

    def _after(self, node: Node, around: _Around, out: _Live | None) -> _After:
        """Return what a round is among that follows one which made `out`."""
        if out is None:
            return _After(around, _NOTHING)
        named = around.reads[around.given.places :]
        names = tuple(
            (n, tuple(x - around.given.places + 1 for x in at)) for n, at in around.given.names
        )
        given = Given(1, names)
        again = any(out is x for x in around.reads)
        # Else a tensor of its own, with the bytes of that of the round before.
        read = out if again else _Live(out.size, out.kept, out.lasting)
        last = around.last if again else frozenset((*around.last, id(read)))
        found = around._replace(reads=(read, *named), given=given, last=last)
        if 0 in self._readings.read(node, given) or out.kept or out.lasting:
            return _After(found, _NOTHING)
        return _After(found, out.size if not again or id(out) in around.last else _NOTHING)

    def _round(
        self, node: Node, around: _Around, which: tuple[bool, NormalForm]
    ) -> tuple[_Level, _Live | None]:
        self._rounds.append(which)
        found = self._parts(node, around)
        self._rounds.pop()
        return found

    def _parts(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of parts one after another, or at once."""
        own = tuple(self._marks(node))
        around = around._replace(marks=(*around.marks, *own))
        reading = self._readings.of(node, around.given)
        lives: dict[Key, _Live] = {("in", at): x for at, x in enumerate(around.reads)}
        given = {id(x) for x in around.reads}
        for name, place in reading.missing.items():
            held = next(x for x in node.tensors if x.stated.name == name)
            if held.stated.size is None:
                lives["in", place] = _Live(_NOTHING, lasting=True, open=True)
            else:
                lives["in", place], _ = self._read(self.form(held.size), ())
        together, parts = node.arrangement == "overlap", len(node.children)
        # The place of the last part that reads what a key stands for; of what is left, after all.
        ends = {key: place for place, keys in enumerate(reading.reads) for key in keys}
        if together:
            ends = dict.fromkeys(ends, parts - 1)
        ends |= dict.fromkeys(reading.leaves, parts)
        until: dict[int, int] = {}
        there: dict[int, _Live] = {}
        for key, live in lives.items():
            until[id(live)] = max(until.get(id(live), -1), ends.get(key, -1))
            there[id(live)] = live

        def ending(live: _Live) -> bool:
            return id(live) not in given or id(live) in around.last

        levels: list[_Level] = []
        for place, child in enumerate(node.children):
            reads = tuple(lives[key] for key in reading.uses[place] if key in lives)
            touched = [lives[key] for key in reading.reads[place] if key in lives]
            last = frozenset(id(x) for x in touched if until[id(x)] == place and ending(x))
            last = frozenset() if together else last
            inside = around._replace(reads=reads, given=reading.given[place], last=last)
            self._frames.append((until, place))
            level, out = self._step(child, inside)
            self._frames.pop()
            if out is not None:
                key = ("out", place)
                lives[key], there[id(out)] = out, out
                until[id(out)] = max(until.get(id(out), -1), ends.get(key, -1))
                fresh = not any(out is x for x in reads)
                unread = until[id(out)] <= place and (fresh or id(out) in last)
                if unread and not (out.kept or out.lasting) and not (together and not fresh):
                    level = level._replace(left=level.left - out.size)
                    until[id(out)] = parts + 1
            levels.append(level)
        found = _at_once(levels) if together else _stacked(levels)
        if together:
            read = {id(lives[key]) for keys in reading.reads for key in keys if key in lives}
            gone = [x for key, x in there.items() if key in read and until[key] < parts]
            gone = [x for x in gone if ending(x) and not (x.kept or x.lasting)]
            found = found._replace(left=found.left - _sum(x.size for x in gone))
        left = _NOTHING
        for mark in own:
            if mark.begins:
                left += mark.what.left - self._still(
                    mark.what
                )  # its end is in a repeat, or it was not gone back over
                if isinstance(mark.what, _Ledger) and not (around.freeing or self._again):
                    self.keeps = True
                    self.kept += mark.what.total * _product(count for _, count in self._rounds)
        found = found._replace(left=found.left - left)
        return found, next((lives[key] for key in reading.leaves if key in lives), None)

    def _marks(self, node: Node) -> Iterator[_Mark]:
        for keep, size in node.kept:
            rounds = len(self._rounds)
            if size is not None:
                what: _Ledger | _Stated = _Stated(self.form(size), rounds)
            else:
                again = frozenset(_computed_again(_at(node, keep.ends), ()))
                what = _Ledger(again, rounds)
            yield _Mark(keep.begins, True, what)
            yield _Mark(keep.ends, False, what)

    def _step(self, child: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of a part, with what begins to be kept before it, and ends after it."""
        if not child.model:
            return self.part(child, around)
        keeping, freeing = _inside(around.keeping, child), _inside(around.freeing, child)
        below = [x._replace(path=x.path[1:]) for x in around.marks if x.path[0] == child.name]
        here = [mark for mark in below if not mark.path]
        for mark in here:
            if isinstance(mark.what, _Ledger):
                under = _Under(mark.what, ())
                keeping, freeing = (under, freeing) if mark.begins else (keeping, under)
        marks = tuple(mark for mark in below if mark.path)
        if keeping and keeping.path in keeping.ledger.again:
            for live in around.reads[:1]:
                self._keep(live, keeping)
            keeping = None
        inside = around._replace(keeping=keeping, freeing=freeing, marks=marks)
        level, out = self.part(child, inside)
        levels = [level]
        for mark in here:
            if mark.begins and isinstance(mark.what, _Stated):
                rounds = self._rounds[mark.what.rounds :]
                mark.what.left += mark.what.size * _product(count for _, count in rounds)
                levels.insert(0, _level(mark.what.size, mark.what.size))
        if freeing:
            levels.append(_less(self._free(freeing)))
        for mark in here:
            if not mark.begins:
                levels.append(_less(self._ended(mark.what)))
        return _stacked(levels) if len(levels) > 1 else level, out

    def _ended(self, what: _Ledger | _Stated) -> NormalForm:
        """Return what is gone once the step is done to which it is kept."""
        rounds = self._rounds[what.rounds :]
        if not rounds:
            gone, what.left = what.left, _NOTHING
            return gone - self._still(what)
        if isinstance(what, _Ledger) or what.left == what.size:
            return _NOTHING  # a round of many: it is gone when all are done
        what.left -= what.size * _product(count for _, count in rounds)
        return what.size

    def _still(self, what: _Ledger | _Stated) -> NormalForm:
        """Return what is kept no more, but is still to be read."""
        if not isinstance(what, _Ledger):
            return _NOTHING
        held = {id(x): x for each in what.held.values() for x in each}
        what.held.clear()
        lives = [x.live for x in held.values()]
        return _sum(x.size for x in lives if x.kept and not self._gone(x))


class _After(NamedTuple):
    """What the next round is among, and what of the one before it nothing reads."""

    around: _Around
    unread: NormalForm


def _inside(under: _Under | None, child: Node) -> _Under | None:
    return under and under._replace(path=(*under.path, child.name))


def _over(node: Node, reads: Sequence[_Live]) -> bool:
    return node.overwrites and bool(reads) and not reads[0].lasting


def _at(node: Node, path: _Path) -> Node:
    """Return the step of a path."""
    for name in path:
        node = next(step for step in _named(node.children) if step.name == name)
    return node


def _named(nodes: Iterable[Node]) -> Iterator[Node]:
    for node in nodes:
        if node.model:
            yield node
        else:
            yield from _named(node.children)


def _computed_again(node: Node, path: _Path) -> Iterator[_Path]:
    if any(child.arrangement == "recompute" for child in node.children):
        yield path
    else:
        for step in _named(node.children):
            yield from _computed_again(step, (*path, step.name))


def _sum(forms: Iterable[NormalForm]) -> NormalForm:
    total = _NOTHING
    for form in forms:
        total = total + form
    return total


def _product(forms: Iterable[NormalForm]) -> NormalForm:
    total = _ONCE
    for form in forms:
        total = total * form
    return total


def _less(size: NormalForm) -> _Level:
    return _FLAT._replace(left=-size)


def _stacked(levels: Sequence[_Level]) -> _Level:
    peaks: list[NormalForm] = []
    again: list[NormalForm] = []
    left = since = _NOTHING
    for level in levels:
        peaks += [left + each for each in level.peaks]
        again += [left - since + each for each in level.again]
        left, since = left + level.left, since + level.since
    return _both(peaks, again, left, since)


def _both(
    peaks: Sequence[NormalForm], again: Sequence[NormalForm], left: NormalForm, since: NormalForm
) -> _Level:
    most = _largest(peaks)
    return _Level(most, left, since, most if since == _NOTHING else _largest(again))


def _at_once(levels: Sequence[_Level]) -> _Level:
    left, since = _sum(x.left for x in levels), _sum(x.since for x in levels)
    peaks = _together([x.peaks for x in levels])
    return _Level(peaks, left, since, _together([x.again for x in levels]))


def _together(levels: Sequence[tuple[NormalForm, ...]]) -> tuple[NormalForm, ...]:
    reached = [peaks for peaks in levels if peaks != (_NOTHING,)]
    if len(reached) < 2:
        return reached[0] if reached else (_NOTHING,)
    one = [x[0] if len(x) == 1 else symbol_form(maximum(*(y.tree() for y in x))) for x in reached]
    return (_sum(one),)


def _repeated(level: _Level, count: NormalForm) -> _Level:
    before = level.left * (count - _ONCE)
    last = tuple(before + each for each in level.peaks)
    before -= level.since * (count - _ONCE)
    again = tuple(before + each for each in level.again)
    left, since = level.left * count, level.since * count
    return _both((*level.peaks, *last), (*level.again, *again), left, since)


def _raised(level: _Level, by: NormalForm) -> _Level:
    peaks = tuple(by + each for each in level.peaks)
    return level._replace(peaks=peaks, again=tuple(by + each for each in level.again))


def _same_again(level: _Level) -> _Level:
    """Return the level of runs of the same: gradients are there from the first on, and added to.

    It is taken to run more than once: what a run makes is gone when the next begins.
    """
    if level.since == _NOTHING:
        return level
    peaks = (*level.peaks, *(level.since + each for each in level.again))
    return level._replace(peaks=_largest(peaks))


def _largest(peaks: Sequence[NormalForm]) -> tuple[NormalForm, ...]:
    """Return those of some sums that are not certainly at most another."""
    kept: list[NormalForm] = []
    for peak in dict.fromkeys(peaks):
        if any(_is_least(other - peak) for other in kept):
            continue
        kept = [other for other in kept if not _is_least(peak - other)]
        kept.append(peak)
    return tuple(kept)


def _is_least(difference: NormalForm) -> bool:
    """Whether a sum is 0 or more, by its terms alone: of positive names, none is taken away."""
    return all(
        coefficient >= 0 and all(is_positive(atom) for atom, _ in powers)
        for powers, coefficient in difference.terms.items()
    )
