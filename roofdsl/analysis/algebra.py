"""What the law of composition computes with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias, TypeVar

from roofdsl.expression.tree import Expression, Symbol

V = TypeVar("V")
C = TypeVar("C")
ByName: TypeAlias = dict[str, V]


class Algebra(Protocol[V, C]):
    """The arithmetic of the fold; C is the form in which `choice` hands a choice to `chosen`."""

    zero: V

    def of(self, tree: Expression) -> V:
        """Return the value of an amount that a model states: work, a count, a time, a tally."""

    def rate(self, symbol: Symbol) -> V: ...

    def add(self, values: Sequence[V]) -> V: ...

    def multiply(self, count: V, value: V) -> V: ...

    def divide(self, work: V, rate: V) -> V: ...

    def largest(self, values: Sequence[V]) -> V: ...

    def choice(self, values: Sequence[V], tables: Sequence[ByName[V]]) -> C:
        """Return which value is the largest, the first of equals; it picks one of the tables."""

    def chosen(self, choice: C, tables: Sequence[ByName[V]]) -> ByName[V]:
        """Return the table that was chosen; what only others hold counts 0."""

    def ties(self, table: ByName[V]) -> tuple[str, ...]:
        """Return the names of the largest of a table's values, () where all are 0."""


class Telling(Algebra[V, C], Protocol[V, C]):
    """The arithmetic of energy, too, which hangs on whether there is any work."""

    def is_nothing(self, value: V) -> bool:
        """Whether a value is 0; of many points whether it is at all, those where it is in doubt."""
