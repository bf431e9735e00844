"""Peaks of memory where it is open how often something is repeated: of one, two and more rounds.

The round that runs first may read something else than those after it, and the last one free what
they do not. Where that changes what the rounds reach, few of them are looked at by themselves, and
the peak is `if layers == 1 then … else if layers == 2 then … else …`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from roofdsl.analysis.level import form_of, largest
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import add, maximum, number, subtract
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ZERO, Comparison, Expression, Symbol

_MOST_SPLITS = 3
"""So many counts are told apart, or one after it has been told apart already."""
_FEW = 2
"""So many rounds may differ from the others: the one that runs first, and the last."""


class Reached(NamedTuple):
    """What a walk over a tree of steps comes to: by name sums, of which the largest counts.

    `uneven` are names in counts of rounds, which may be so few that this is no more than a bound;
    `bounded`: it is one in any case.
    """

    sums: Mapping[str, tuple[NormalForm, ...]]
    uneven: frozenset[Symbol]
    bounded: bool

    def told(self) -> Told:
        trees = {name: maximum(*(each.tree() for each in sums)) for name, sums in self.sums.items()}
        return Told(trees, self.bounded or bool(self.uneven))

    def put_in(self, name: str, value: Expression) -> Reached:
        """Return the same with something put in for a name."""
        sums = {
            key: largest([form_of(substitute(x.tree(), {name: value})) for x in each])
            for key, each in self.sums.items()
        }
        return self._replace(sums=sums)

    def is_as(self, other: Reached, name: str) -> bool:
        """Whether the same is certainly reached of a name."""
        return {*self.sums.get(name, ())} == {*other.sums.get(name, ())}


class Told(NamedTuple):
    """Formulas by name; `bounded`: they may be less."""

    trees: Mapping[str, Expression]
    bounded: bool


Walk = Callable[[Mapping[str, Expression]], Reached]
"""Walks over a tree of steps in which names stand for other formulas."""


def by_count(walk: Walk) -> Told:
    """Return what a tree of steps comes to, few rounds told apart where that makes a difference."""
    return _told(walk({}), walk, {}, _MOST_SPLITS)


def _told(found: Reached, walk: Walk, known: Mapping[str, Expression], splits: int) -> Told:
    if not found.uneven or not splits:
        return found.told()
    symbol = min(found.uneven, key=lambda each: each.name)
    more_known = _with(known, symbol, add(symbol, number(_FEW)))
    more, back = walk(more_known), subtract(symbol, number(_FEW))
    if more.uneven:
        rest = _told(more, walk, more_known, splits - 1)
        trees = {name: substitute(tree, {symbol.name: back}) for name, tree in rest.trees.items()}
    else:
        more = more.put_in(symbol.name, back)
        rest = more.told()
        trees = {**rest.trees}
    bounded = rest.bounded
    for count in range(_FEW, 0, -1):
        value = number(count)
        few_known = _with(known, symbol, value)
        few = walk(few_known)
        some, uneven = more.put_in(symbol.name, value), few.uneven or more.uneven
        differ = {name for name in trees if uneven or not few.is_as(some, name)}
        if differ:
            here, first = Comparison("==", symbol, value), _told(few, walk, few_known, splits - 1)
            for name in differ:
                trees[name] = conditional(here, first.trees.get(name, ZERO), trees[name])
            bounded |= first.bounded
    return Told(trees, bounded)


def _with(
    known: Mapping[str, Expression], symbol: Symbol, value: Expression
) -> dict[str, Expression]:
    """Return what names stand for, with one more, which may be in those that are known."""
    inside = {name: substitute(tree, {symbol.name: value}) for name, tree in known.items()}
    return {symbol.name: value, **inside}
