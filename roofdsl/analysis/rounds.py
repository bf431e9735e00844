"""Parts that run one round after another: what the first and the last of the rounds reach."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.ledger import Keeping, Ledger, Live, Mark, Under, freed, named_steps
from roofdsl.analysis.level import (
    FLAT,
    NOTHING,
    ONCE,
    Level,
    level_of,
    raised,
    repeated,
    same_again,
    stacked,
    total,
)
from roofdsl.analysis.liveness import Given, Readings
from roofdsl.analysis.node import Node
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.tree import ONE

_DEEPEST_ROUNDS = 4
"""Repeats nested deeper are taken to begin as they go on, which counts no less."""


class Around(NamedTuple):
    """What a part is among: what it is given, what of that it reads last, who keeps, who frees."""

    reads: tuple[Live, ...]
    given: Given
    last: frozenset[int]
    keeping: Under | None
    freeing: Under | None
    marks: tuple[Mark, ...]


class After(NamedTuple):
    """What the next round is among, and what of the one before it nothing reads."""

    around: Around
    unread: NormalForm


class Repeating(Keeping):
    """A walk over parts, of which some run in rounds."""

    def __init__(self) -> None:
        super().__init__()
        self._readings = Readings()

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
        once = replace(node, count=ONE)
        chained = self._readings.makes(once) and node.arrangement != "iterate"
        by_place = around.reads[: around.given.places] if chained else ()
        throughout = {id(x) for x in around.reads} - {id(x) for x in by_place}
        named = {id(x) for x in around.reads[around.given.places :]}
        throughout |= named
        inside = around._replace(last=around.last - throughout)
        if node.arrangement == "iterate":
            level, out = self._parts(once, inside)
            level = same_again(level)
        elif count.constant == 1:
            level, out = self._round(once, inside, (False, count))
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
            level = level._replace(left=level.left + after.unread)
        read = self._readings.read(node, around.given)
        ends = {id(around.reads[at]): around.reads[at] for at in read if at < len(around.reads)}
        over = [
            x
            for key, x in ends.items()
            if key in throughout and key in around.last and x is not out
        ]
        return level._replace(left=level.left - freed(over)), out

    def _goes_back(self, node: Node, around: Around) -> bool:
        """Whether steps in a repeat free what those of another part keep."""
        ends = {x.path[0] for x in around.marks if not x.begins and isinstance(x.what, Ledger)}
        return bool(ends) and any(step.name in ends for step in named_steps(node.children))

    def _backwards(self, once: Node, around: Around, rest: NormalForm) -> tuple[Level, Live | None]:
        """Return the level of rounds that go back: the last first, and the first round last.

        The one that runs first reads what the repeat reads, those after it what one before makes.
        """
        if rest.constant is not None:
            levels: list[Level] = []
            after = After(around, NOTHING)
            out: Live | None = None
            for which in ((False, ONCE), (False, rest - ONCE), (True, ONCE)):
                if which[1].constant == 0:
                    continue
                level, out = self._round(once, after.around, which)
                after = self._after(once, after.around, out)
                levels.append(repeated(level._replace(left=level.left - after.unread), which[1]))
            found = stacked(levels)
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
            later = repeated(later, rest)
        else:
            later, out = self._alike(once, around, rest)
        after = self._after(once, around, out)
        first, out = self._round(once, after.around, (True, ONCE))
        return stacked([later, first]), out

    def _alike(self, once: Node, around: Around, count: NormalForm) -> tuple[Level, Live | None]:
        """Return a level that is no less than that of rounds, of which one is looked at.

        What they are given is there until they are done, and what each makes until the next is.
        """
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
