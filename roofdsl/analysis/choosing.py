"""What an `if` does not run: nothing is asked of it, and nothing is wrong with it.

It is placed only where a step of it is asked of by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from roofdsl.analysis.asking import LONGEST_KEY
from roofdsl.analysis.measuring import Measuring
from roofdsl.analysis.node import Node
from roofdsl.expression.order import weight
from roofdsl.expression.tree import ONE, ZERO, Conditional, Expression, Logic
from roofdsl.model.types import MachineDefinition, Part, Step


class Choosing(Measuring):
    """Knows whether what is placed runs: surely not (`_idle`), or where conditions are met."""

    def __init__(self, machine: MachineDefinition) -> None:
        super().__init__(machine)
        self._placed: dict[object, Node] = {}
        self._lacking: set[tuple[str, str | None]] = set()
        self._idle = False
        self._unless: tuple[Expression, ...] = ()  # what is placed does not run where one holds

    @contextmanager
    def _chosen(self, count: Expression) -> Iterator[None]:
        """While the parts of an `if` are placed, which runs so often."""
        around = self._unless
        if isinstance(count, Conditional):
            condition = count.condition
            skipped = Logic("not", (condition,)) if count.consequence == ONE else condition
            self._unless = (*around, skipped)
        yield
        self._unless = around

    @contextmanager
    def _unasked(self) -> Iterator[None]:
        """While what does not run is placed all the same: nothing is left of it here."""
        problems, notes, tabled = len(self.problems), len(self.notes), len(self.tabled)
        around, unmeasured = self._idle, self.unmeasured
        placed, lacking = {**self._placed}, {*self._lacking}
        self._idle = True
        yield
        self._idle, self.unmeasured, self._lacking = around, unmeasured, lacking
        # Elsewhere equal calls are placed anew: there they are asked.
        self._placed.clear()
        self._placed.update(placed)
        del self.problems[problems:], self.tabled[tabled:]
        for note in [*self.notes][notes:]:
            del self.notes[note]

    def _check(self, text: str, name: str, condition: Expression) -> None:
        if self._idle:
            return
        asked = Logic("or", (*self._unless, condition)) if self._unless else condition
        super()._check(text, name, asked)

    def _where(self, key: object | None) -> object | None:
        """Return a key of what equal calls share: their checks hang on where they run."""
        if not self.asking or not self._unless or key is None:
            return key
        long = any(weight(each, LONGEST_KEY) == LONGEST_KEY for each in self._unless)
        return None if long else (key, self._unless)


def settled(count: Expression) -> Expression:
    """Return how often what an `if` chooses runs, as one object where it is known.

    >>> from fractions import Fraction
    >>> from roofdsl.expression.tree import Number
    >>> settled(Number(Fraction(0))) is ZERO
    True
    """
    return ONE if count == ONE else ZERO if count == ZERO else count


def names_of(parts: Iterable[Part]) -> Iterator[Node]:
    """Yield what is left of parts that do not run: steps with a name, which others read."""
    for part in parts:
        if isinstance(part, Step):
            yield Node(part.name, "sequence", part.span, model=part.model.name)
        else:
            yield from names_of(part.parts)
