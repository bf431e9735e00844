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

from roofdsl.analysis.liveness import Key, reading_of
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
        level, _ = walk.part(root, _Around((), frozenset(), None, None, ()))
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

    `open`: it has no size before the first step has read it, which says so.
    """

    size: NormalForm
    kept: bool = False
    lasting: bool = False
    open: bool = False


class _Level(NamedTuple):
    """What the steps of a part reach above where it begins, and what is left after it."""

    peaks: tuple[NormalForm, ...]
    left: NormalForm


_FLAT = _Level((_NOTHING,), _NOTHING)
_Path = tuple[str, ...]
_Rounds = tuple[bool, ...]
"""Of each repeat around a step whether it is in its first round."""


@dataclass(slots=True, eq=False)
class _Ledger:
    """What the steps of one part keep, by path and round, until those of another are done.

    `again` are the steps that are computed again for their gradients, which keep what they read.
    """

    again: frozenset[_Path]
    paid: dict[tuple[_Path, _Rounds], NormalForm] = field(default_factory=dict)
    total: NormalForm = _NOTHING
    freed: NormalForm = _NOTHING


class _Under(NamedTuple):
    """The part of a path that is inside a ledger's part, and the repeats outside it."""

    ledger: _Ledger
    path: _Path
    rounds: int


class _Mark(NamedTuple):
    """Where, below here, a ledger's part or a tensor that is kept begins or ends."""

    path: _Path
    begins: bool
    what: _Ledger | NormalForm


class _Around(NamedTuple):
    """What a part is among: what it reads, what of that it reads last, who keeps, who frees."""

    reads: tuple[_Live, ...]
    last: frozenset[int]
    keeping: _Under | None
    freeing: _Under | None
    marks: tuple[_Mark, ...]


class _Walk:
    def __init__(self) -> None:
        self.outside = self.kept = _NOTHING
        self.keeps = False
        self._exist = False  # gradients are there already, and are added to
        self._again = 0  # how many parts around are computed again
        self._rounds: list[tuple[bool, NormalForm]] = []
        self._forms: dict[Expression, NormalForm] = {}

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
        """Return the level of a part, and what it makes."""
        if node.arrangement == "wait":
            return _FLAT, None
        if not node.children:
            return self._kernel(node, around)
        if node.count is not ONE:
            return self._rounds_of(node, around)
        if node.arrangement != "recompute":
            return self._parts(node, around)
        self._again += 1
        found = self._parts(node, around._replace(reads=(), last=frozenset()))
        self._again -= 1
        return found

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
        for each in kept if around.keeping else ():
            live = named[each.name]
            if each.word == "keep":
                made += live.size
            self._keep(live, around.keeping)
        left = made if self._exist else made + since
        dying = {id(x): x for x in reads if id(x) in around.last and x is not out}
        left -= _sum(x.size for x in dying.values() if not (x.kept or x.lasting))
        return _Level((_NOTHING, made + since + more), left), out

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
        if keeping is None or live.kept:
            return
        live.kept = True
        ledger, rounds = keeping.ledger, self._rounds[keeping.rounds :]
        key = keeping.path, tuple(first for first, _ in rounds)
        ledger.paid[key] = ledger.paid.get(key, _NOTHING) + live.size
        ledger.total += live.size * _product(count for _, count in rounds)
        if live.lasting:  # it is there before and after: nothing is freed with it
            self._free(keeping._replace(path=()), key)

    def _free(self, under: _Under, key: tuple[_Path, _Rounds]) -> NormalForm:
        found = under.ledger.paid.get(key, _NOTHING)
        counts = (count for _, count in self._rounds[under.rounds :])
        under.ledger.freed += found * _product(counts)
        return found

    def _rounds_of(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of parts that run one round after another."""
        count = self.form(node.count)
        if count.constant == 0:
            return _FLAT, None
        once = replace(node, count=ONE)
        if node.arrangement == "iterate":
            return self._same_again(once, around)
        rest = count - _ONCE
        backwards = around.freeing is not None
        if count.constant == 1 or len(self._rounds) >= _DEEPEST_ROUNDS:
            self._rounds.append((False, count))
            level, out = self._parts(once, around)
            self._rounds.pop()
            return _repeated(level, count), out
        if backwards:
            later, out = self._round(once, around, (False, rest))
            first, out = self._round(once, _after(around, out), (True, _ONCE))
            return _stacked([_repeated(later, rest), first]), out
        first, out = self._round(once, around, (True, _ONCE))
        later, out = self._round(once, _after(around, out), (False, rest))
        return _stacked([first, _repeated(later, rest)]), out

    def _round(
        self, node: Node, around: _Around, which: tuple[bool, NormalForm]
    ) -> tuple[_Level, _Live | None]:
        self._rounds.append(which)
        found = self._parts(node, around)
        self._rounds.pop()
        return found

    def _same_again(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        level, out = self._parts(node, around)
        if self._exist:
            return level, out
        outside, kept = self.outside, self.kept
        self._exist = True
        again, _ = self._parts(node, around)
        self._exist = False
        self.outside, self.kept = outside, kept
        peaks = (*level.peaks, *(level.left + each for each in again.peaks))
        return _Level(_largest(peaks), level.left), out

    def _parts(self, node: Node, around: _Around) -> tuple[_Level, _Live | None]:
        """Return the level of parts one after another, or at once."""
        around = around._replace(marks=(*around.marks, *self._marks(node)))
        reading = reading_of(node, len(around.reads))
        lives: dict[Key, _Live] = {("in", at): x for at, x in enumerate(around.reads)}
        for name, place in reading.missing.items():
            held = next(x for x in node.tensors if x.stated.name == name)
            if held.stated.size is None:
                lives["in", place] = _Live(_NOTHING, lasting=True, open=True)
            else:
                lives["in", place], _ = self._read(self.form(held.size), ())
        together = node.arrangement == "overlap"
        levels: list[_Level] = []
        for place, child in enumerate(node.children):
            reads = tuple(lives[key] for key in reading.uses[place] if key in lives)
            last = reading.last(place, lives, around.last) if not together else frozenset[int]()
            level, out = self._step(child, around._replace(reads=reads, last=last))
            if out is not None:
                lives["out", place] = out
                unread = ("out", place) not in reading.used
                if unread and not (out.kept or out.lasting or any(out is x for x in reads)):
                    level = level._replace(left=level.left - out.size)
            levels.append(level)
        found = _at_once(levels) if together else _stacked(levels)
        if together:
            dying = {id(lives[k]): lives[k] for uses in reading.uses for k in uses if k in lives}
            gone = [x for key, x in dying.items() if key in around.last]
            gone = [x for x in gone if not (x.kept or x.lasting)]
            found = found._replace(left=found.left - _sum(x.size for x in gone))
        return found, next((lives[key] for key in reading.leaves if key in lives), None)

    def _marks(self, node: Node) -> Iterator[_Mark]:
        for keep, size in node.kept:
            if size is not None:
                what: _Ledger | NormalForm = self.form(size)
            else:
                what = _Ledger(frozenset(_computed_again(_at(node, keep.ends), ())))
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
                under = _Under(mark.what, (), len(self._rounds))
                keeping, freeing = (under, freeing) if mark.begins else (keeping, under)
        marks = tuple(mark for mark in below if mark.path)
        if keeping and keeping.path in keeping.ledger.again:
            for live in around.reads[:1]:
                self._keep(live, keeping)
            keeping = None
        level, out = self.part(child, _Around(around.reads, around.last, keeping, freeing, marks))
        sizes = [mark.what for mark in here if mark.begins]
        levels = [_Level((each,), each) for each in sizes if isinstance(each, NormalForm)]
        levels.append(level)
        if freeing:
            rounds = tuple(first for first, _ in self._rounds[freeing.rounds :])
            levels.append(_less(self._free(freeing, (freeing.path, rounds))))
        for mark in here:
            if isinstance(mark.what, NormalForm):
                levels += [] if mark.begins else [_less(mark.what)]
            elif mark.begins:
                self.keeps = self.keeps or around.freeing is None
                self.kept += mark.what.total if around.freeing is None else _NOTHING
            else:
                levels.append(_less(mark.what.total - mark.what.freed))
        return _stacked(levels) if len(levels) > 1 else level, out


def _inside(under: _Under | None, child: Node) -> _Under | None:
    return under and under._replace(path=(*under.path, child.name))


def _over(node: Node, reads: Sequence[_Live]) -> bool:
    return node.overwrites and bool(reads) and not reads[0].lasting


def _after(around: _Around, out: _Live | None) -> _Around:
    """Return what a round is among that follows one which made `out`."""
    if out is None or not around.reads:
        return around
    # A tensor of its own, with the bytes of that of the round before.
    read = _Live(out.size, out.kept, out.lasting)
    return around._replace(reads=(read,), last=frozenset((id(read),)))


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
    return _Level((_NOTHING,), -size)


def _stacked(levels: Sequence[_Level]) -> _Level:
    peaks: list[NormalForm] = []
    left = _NOTHING
    for level in levels:
        peaks += [left + each for each in level.peaks]
        left = left + level.left
    return _Level(_largest(peaks), left)


def _at_once(levels: Sequence[_Level]) -> _Level:
    reached = [level.peaks for level in levels if level != _FLAT]
    left = _sum(level.left for level in levels)
    if len(reached) < 2:
        return _Level(reached[0] if reached else _FLAT.peaks, left)
    together = [symbol_form(maximum(*(x.tree() for x in peaks))) for peaks in reached]
    return _Level((_sum(together),), left)


def _repeated(level: _Level, count: NormalForm) -> _Level:
    before = level.left * (count - _ONCE)
    last = tuple(before + each for each in level.peaks)
    return _Level(_largest((*level.peaks, *last)), level.left * count)


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
