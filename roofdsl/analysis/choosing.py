"""What an `if` does not run: nothing is asked of it, and nothing is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from roofdsl.analysis.asking import LONGEST_KEY
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.measuring import Measuring
from roofdsl.analysis.node import Node
from roofdsl.expression.order import weight
from roofdsl.expression.tree import ONE, ZERO, Comparison, Conditional, Expression, Logic, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition


class Choosing(Measuring):
    """Knows whether what is placed runs: surely not (`_idle`), or where conditions are met."""

    def __init__(self, machine: MachineDefinition) -> None:
        super().__init__(machine)
        self._placed: dict[object, Node] = {}
        self._lacking: set[tuple[str, str | None]] = set()
        self._idle = False
        self._met: set[Expression] = set()  # conditions that hold, or all of it is refused
        self._unless: tuple[Expression, ...] = ()  # what is placed does not run where one holds

    @contextmanager
    def _chosen(self, count: Expression) -> Iterator[None]:
        """While the parts of an `if` are placed, which runs so often."""
        around = self._idle, self._unless
        problems, notes, tabled = len(self.problems), len(self.notes), len(self.tabled)
        unmeasured = self.unmeasured
        placed, lacking = {**self._placed} if count is ZERO else {}, {*self._lacking}
        if isinstance(count, Conditional):
            condition = count.condition
            skipped = Logic("not", (condition,)) if count.consequence == ONE else condition
            self._unless = (*self._unless, skipped)
        self._idle = self._idle or count is ZERO
        yield
        self._idle, self._unless = around
        if count is ZERO:
            # Elsewhere equal calls are placed anew: there they are asked.
            self._placed.clear()
            self._placed.update(placed)
            self._lacking = lacking
            self.unmeasured = unmeasured
            del self.problems[problems:], self.tabled[tabled:]
            for note in [*self.notes][notes:]:
                del self.notes[note]

    def _check(self, text: str, name: str, condition: Expression) -> None:
        if self._idle:
            return
        asked = Logic("or", (*self._unless, condition)) if self._unless else condition
        super()._check(text, name, asked)
        if not self._unless and (amount := _above_0(condition)) is not None:
            self._met.add(Comparison(">", amount, ZERO))

    def _settled(self, count: Expression) -> Expression:
        """Return how often what an `if` chooses runs, as one object where it is known."""
        if isinstance(count, Conditional) and count.condition in self._met:
            count = count.consequence
        return ONE if count == ONE else ZERO if count == ZERO else count

    def _where(self, key: object | None) -> object | None:
        """Return a key of what equal calls share: their checks hang on where they run."""
        if not self.asking or not self._unless or key is None:
            return key
        long = any(weight(each, LONGEST_KEY) == LONGEST_KEY for each in self._unless)
        return None if long else (key, self._unless)


def _above_0(condition: Expression) -> Expression | None:
    """Return the amount that a condition says is above 0, None where it says nothing like it.

    >>> from roofdsl.expression.tree import Symbol
    >>> _above_0(Comparison(">=", Symbol("N"), ONE)) == Symbol("N")
    True
    """
    if not isinstance(condition, Comparison) or not isinstance(condition.right, Number):
        return None
    above = condition.relation == ">" and condition.right.value >= 0
    above |= condition.relation == ">=" and condition.right.value > 0
    return condition.left if above else None


def key_of(model: ModelDefinition, arguments: Arguments, device: str | None) -> object | None:
    """Return a key that equal calls share, None where an argument is too long to be compared."""
    values: list[tuple[str, Expression]] = []
    for name, (tree, _) in arguments.items():
        # Formulas are compared as written out, which takes too long where they share many parts.
        if weight(tree, LONGEST_KEY) == LONGEST_KEY:
            return None
        values.append((name, tree))
    return id(model), device, tuple(values)
