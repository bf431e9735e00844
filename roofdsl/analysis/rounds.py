"""Parts that run one round after another: what the first and the last of the rounds reach."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.ledger import (
    Flight,
    Keeping,
    Ledger,
    Live,
    Mark,
    Under,
    enclosed,
    freed,
    named_steps,
)
from roofdsl.analysis.level import (
    FLAT,
    NOTHING,
    ONCE,
    Level,
    adds_nothing,
    has_any,
    level_of,
    product,
    raised,
    repeated,
    same_again,
    stacked,
    total,
)
from roofdsl.analysis.liveness import Given, Readings
from roofdsl.analysis.node import Node
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ONE, Expression, Symbol

_DEEPEST_ROUNDS = 4
"""Repeats nested deeper are taken to begin as they go on, which counts no less."""


class Around(NamedTuple):
    """What a part is among: what it is given, what of that it reads last, who keeps, who frees.

    `apart` is of how many flights around what is kept here is not there from there to back.
    """

    reads: tuple[Live, ...]
    given: Given
    last: frozenset[int]
    keeping: Under | None
    freeing: Under | None
    marks: tuple[Mark, ...]
    apart: int = 0


class After(NamedTuple):
    """What the next round is among, and what of the one before it nothing reads."""

    around: Around
    unread: NormalForm


class Repeating(Keeping):
    """A walk over parts, of which some run in rounds."""

    def __init__(self, known: Mapping[str, Expression]) -> None:
        super().__init__(known)
        self._readings = Readings()
        self.uneven: set[Symbol] = set()
        self.bounded = False
        self.kept = NOTHING

    @abstractmethod
    def _parts(self, node: Node, around: Around) -> tuple[Level, Live | None]:
        """Return the level of parts one after another, or at once, and what they make."""

    def rounds_of(self, node: Node, around: Around) -> tuple[Level, Live | None]:
        """Return the level of parts that run one round after another.

        What every round reads, as none makes another or as it reads it by name from outside, is
        there until all are done.
        """
        count = self.form(node.count)
        if count.constant == 0:
            return FLAT, None
        if not has_any(count):
            self._hangs_on(count)
        once = replace(node, count=ONE)
        chained = self._readings.makes(once) and node.arrangement != "iterate"
        by_place = around.reads[: around.given.places] if chained else ()
        throughout = {id(x) for x in around.reads} - {id(x) for x in by_place}
        named = {id(x) for x in around.reads[around.given.places :]}
        throughout |= named
        inside = around._replace(last=around.last - throughout)
        self._frames.append((dict.fromkeys(throughout, 1), 0, -1))  # no round is done with these
        if node.arrangement == "iterate":
            level, out = self._iterated(once, inside, count)
        elif count.constant == 1:  # as if there were no repeat around it
            level, out = self._parts(once, inside)
        elif len(self._rounds) >= _DEEPEST_ROUNDS:
            level, out = self._alike(once, inside, count)
        elif around.freeing is not None or self._goes_back(once, around):
            level, out = self._backwards(once, inside, count - ONCE)
        else:
            first, out = self._round(once, inside, (True, ONCE))
            after = self._after(once, inside, out)
            first = first._replace(left=first.left - after.unread)
            later, out = self._round(once, after.around, (False, count - ONCE))
            later_left = later.left - after.unread
            # What is unread in a round is gone when it ends; that of the last round is not.
            later = later._replace(left=later_left)
            level = stacked([first, repeated(later, count - ONCE)])
            if not adds_nothing(later, count - ONCE, raised(first, -first.left)):
                self._hangs_on(count)
            level = level._replace(left=level.left + after.unread)
        self._frames.pop()
        read = self._readings.read(node, around.given)
        ends = {id(around.reads[at]): around.reads[at] for at in read if at < len(around.reads)}
        over = [
            x
            for key, x in ends.items()
            if key in throughout and key in around.last and x is not out
        ]
        return level._replace(left=level.left - freed(over)), out

    def _iterated(self, once: Node, around: Around, count: NormalForm) -> tuple[Level, Live | None]:
        """Return the level of a round that runs while what others keep is there."""
        keeping = self.form(once.keeping)
        flight = None if keeping == ONCE else self._takes_off(once, around, keeping)
        first, out = self._parts(once, around)
        level = first if count.constant == 1 else same_again(first)
        if (
            isinstance(count.tree(), Symbol)
            and level.peaks != first.peaks
            and not has_any(count - ONCE)
        ):
            self._hangs_on(count)  # of formulas `by_choice` tells one and several apart
        if flight is None:
            return level, out
        self._flights.pop()
        others, rounds = keeping - ONCE, product(count for _, count in self._rounds)
        self.kept += others * flight.activations * rounds
        return raised(level, others * flight.kept), out

    def _takes_off(self, once: Node, around: Around, keeping: NormalForm) -> Flight:
        """Note that rounds begin of which several are kept at once."""
        shared = frozenset(id(x) for x in around.reads if not x.lasting)
        flight = Flight(keeping, len(self._rounds), shared)
        self._flights.append(flight)
        names = {step.name for step in named_steps(once.children)}
        for what in enclosed(around.marks, names):
            what.flights = what.flights[0], len(self._flights)
        return flight

    def _goes_back(self, node: Node, around: Around) -> bool:
        """Whether steps in a repeat free what those of another part keep."""
        ends = {x.path[0] for x in around.marks if not x.begins and isinstance(x.what, Ledger)}
        return bool(ends) and any(step.name in ends for step in named_steps(node.children))

    def _backwards(self, once: Node, around: Around, rest: NormalForm) -> tuple[Level, Live | None]:
        """Return the level of rounds that go back: the last first, and the first round last.

        The one that runs first reads what the repeat reads, those after it what one before makes.
        """
        by_place = around.reads[: around.given.places]
        same = rest.constant is None and all(
            id(x) in around.last and not (x.kept or x.lasting) and x.size == size
            for x in by_place
            for size in self._made(once)
        )
        some = rest if same else ONCE
        levels: list[tuple[Level, NormalForm]] = []
        after = After(around, NOTHING)
        out: Live | None = None
        for which in ((False, some), (False, rest - some), (True, ONCE)):
            if which[1].constant == 0:
                continue
            level, out = self._round(once, after.around, which)
            after = self._after(once, after.around, out)
            levels.append((level._replace(left=level.left - after.unread), which[1]))
        enough = adds_nothing(levels[0][0], rest, levels[-1][0]) if same else has_any(rest - ONCE)
        if rest.constant is None and not enough:
            self._hangs_on(rest)
        found = stacked([repeated(*each) for each in levels])
        return found._replace(left=found.left + after.unread), out

    def _hangs_on(self, count: NormalForm) -> None:
        """Say that what is told of a count of rounds may be more than what so few of them reach."""
        names = {x for x in free_symbols(count.tree()) if x.integer and x.positive}
        self.uneven |= names
        self.bounded |= not names

    def _alike(self, once: Node, around: Around, count: NormalForm) -> tuple[Level, Live | None]:
        """Return a level that is no less than that of rounds, of which one is looked at.

        What they are given is there until they are done, and what each makes until the next is.
        """
        self.bounded = True
        reads = tuple(Live(x.size) for x in around.reads)
        each, out = self._round(
            once, around._replace(reads=reads, last=frozenset()), (False, count)
        )
        own = out is not None and not any(out is x for x in reads)
        result = out.size if out is not None and own and not out.kept else NOTHING
        given_size = total(x.size for x in reads)
        more = level_of(result + given_size, result)
        rounds = repeated(each._replace(left=each.left - result), count)
        # Kernels may say that they read more than what they are given, in each round anew.
        level = stacked([more, raised(rounds, given_size)])
        given = {id(x): x for x in around.reads if id(x) in around.last}
        gone = freed(given.values())
        if out is not None and not own:
            out = Live(out.size)
            level = stacked([level, level_of(out.size, out.size)])
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

    def _after(self, node: Node, around: Around, out: Live | None) -> After:
        """Return what a round is among that follows one which made `out`."""
        if out is None:
            return After(around, NOTHING)
        named = around.reads[around.given.places :]
        names = tuple(
            (n, tuple(x - around.given.places + 1 for x in at)) for n, at in around.given.names
        )
        given = Given(1, names)
        again = any(out is x for x in around.reads)
        # Else a tensor of its own, with the bytes of that of the round before.
        read = out if again else Live(out.size, out.kept, out.lasting)
        last = around.last if again else frozenset((*around.last, id(read)))
        found = around._replace(reads=(read, *named), given=given, last=last)
        if 0 in self._readings.read(node, given) or out.kept or out.lasting:
            return After(found, NOTHING)
        return After(found, out.size if not again or id(out) in around.last else NOTHING)

    def _round(
        self, node: Node, around: Around, which: tuple[bool, NormalForm]
    ) -> tuple[Level, Live | None]:
        self._rounds.append(which)
        found = self._parts(node, around)
        self._rounds.pop()
        return found
