"""The time of a prediction over a range, cut into pieces in which it is a plain formula.

A composition's time is full of choices: which resource binds a kernel, which child of an overlap
takes longest. Put into one formula they make a nest that no search sees through. Here the range is
cut where a choice changes instead, with proof: in each piece every choice is known, and what is
left are sums of products, in which equal terms cancel.

The law is the one of `composition`; this is one more algebra for it. Its values are formulas piece
by piece. Where a choice stays undecided, or changes by jumps too dense to be listed, the piece
keeps it as `max` and `if`: it is right all the same, but not plain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import Budget, operations
from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import add, divide, multiply
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import TooLong
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.numeric.crossover import largest
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import around
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.regime import Regime, is_point

# Operations that it takes to bring one term of a sum to the tree of its normal form.
_OF_A_TERM = 400


class Branch(NamedTuple):
    """A formula and where it holds, ends included."""

    first: Place
    last: Place
    tree: Expression


Branched: TypeAlias = tuple[Branch, ...]
"""One value over a whole range: branches in order, without gaps.

Those of a whole unknown follow one another; those of a real one share their ends.
"""


class Candidates(NamedTuple):
    """Which of some values may be the largest from `first` to `last`; `[i]`: value i is."""

    first: Place
    last: Place
    places: tuple[int, ...]
    values: tuple[Expression, ...]


class Branching:
    """The algebra of values that are formulas piece by piece, over one range of one unknown.

    `shares`: what each comparison may use, one after the other.
    """

    def __init__(
        self,
        unknown: Unknown,
        rates: Mapping[str, Expression],
        low: Place,
        high: Place,
        shares: Iterator[Budget],
    ) -> None:
        self.unknown = unknown
        self.known = unknown.known(rates)
        self.low, self.high = (low, high) if unknown.integer else (float(low), float(high))
        self.step = 1 if unknown.integer else 0
        self.shares = shares
        self.zero: Branched = (Branch(self.low, self.high, ZERO),)
        # Where a choice was left open, there the pieces are not plain; of a real unknown, where it
        # lies in the enclosure of a change.
        self.open: list[tuple[Place, Place]] = []
        self.gaps: list[tuple[Place, Place]] = []
        self._values: dict[Expression, Branched] = {}
        self._quotients: dict[tuple[int, int], tuple[Branched, Branched, Branched]] = {}
        self._forms: dict[int, tuple[Expression, NormalForm | None]] = {}
        self._regimes: dict[tuple[object, ...], tuple[Regime, ...]] = {}
        self._choices: dict[tuple[int, ...], tuple[Sequence[Branched], list[Candidates]]] = {}

    def of(self, tree: Expression) -> Branched:
        # Many steps of a network are alike: of equal formulas there is one value, and so one
        # quotient and one choice.
        found = self._values.get(tree)
        if found is None:
            value = self.simple(substitute(tree, self.known))
            found = self._values[tree] = (Branch(self.low, self.high, value),)
        return found

    def rate(self, symbol: Symbol) -> Branched:
        return self.of(symbol)

    def add(self, values: Sequence[Branched]) -> Branched:
        return self._each(values, self._sum)

    def multiply(self, count: Branched, value: Branched) -> Branched:
        return self._each([count, value], lambda trees: self.simple(multiply(*trees)))

    def divide(self, work: Branched, rate: Branched) -> Branched:
        key = id(work), id(rate)
        found = self._quotients.get(key)
        if found is None:  # both are kept too: an id is unique only as long as they live
            value = self._each([work, rate], lambda trees: self.simple(divide(*trees)))
            found = self._quotients[key] = work, rate, value
        return found[2]

    def largest(self, values: Sequence[Branched]) -> Branched:
        if len(values) == 1:
            return values[0]
        formulas = Formulas()
        return joined(
            Branch(
                part.first,
                part.last,
                formulas.largest([part.values[place] for place in part.places]),
            )
            for part in self.choice(values, ())
        )

    def choice(
        self, values: Sequence[Branched], _: Sequence[ByName[Branched]]
    ) -> Sequence[Candidates]:
        key = tuple(map(id, values))
        found = self._choices.get(key)
        if found is None:  # the values are kept too: an id is unique only as long as they live
            found = self._choices[key] = values, [*self._candidates(values)]
        return found[1]

    def chosen(
        self, choice: Sequence[Candidates], tables: Sequence[ByName[Branched]]
    ) -> ByName[Branched]:
        names = dict.fromkeys(name for table in tables for name in table)
        formulas = Formulas()
        found: ByName[Branched] = {}
        for name in names:
            branches: list[Branch] = []
            for part in choice:
                values = [tables[place].get(name, self.zero) for place in part.places]
                conditions = formulas.choice([part.values[place] for place in part.places], ())
                for first, last, trees in self.within(values, part.first, part.last):
                    picked = formulas.chosen(conditions, [{name: tree} for tree in trees])
                    branches.append(Branch(first, last, picked[name]))
            found[name] = joined(branches)
        return found

    def ties(self, _: ByName[Branched]) -> tuple[str, ...]:
        return ()

    def regimes(
        self, values: Sequence[Expression], first: Place, last: Place
    ) -> tuple[Regime, ...]:
        """Return which of some formulas is the largest from `first` to `last`, by their places."""
        if not self.is_plain(first, last):
            across = self.across(values, first, last)
            gap = any(start <= first and last <= end for start, end in self.gaps)
            if gap or across.certain:
                return (across,)
        key = (*values, first, last)
        found = self._regimes.get(key)
        if found is None:
            labelled = [(str(place), tree) for place, tree in enumerate(values)]
            name, integer, share = self.unknown.name, self.unknown.integer, next(self.shares)
            found = largest(labelled, name, first, last, integer=integer, budget=share)
            self._regimes[key] = found
        return found

    def everywhere(
        self, values: Sequence[Expression], first: Place, last: Place
    ) -> Iterable[Regime]:
        """Return the same without gaps: in the enclosure of a change any may be the largest."""
        found = self.regimes(values, first, last)
        return found if self.unknown.integer else _without_gaps(found, first, last)

    def across(self, values: Sequence[Expression], first: Place, last: Place) -> Regime:
        """Return what may be the largest in one piece, by bounds of the values.

        That holds whatever is chosen. In the enclosure of a change, hardly wider than a point, a
        search among the floats would only tell on which side of the change each lies.
        """
        ends = around(Fraction(first))[0], around(Fraction(last))[1]
        bounds = [Enclosure(tree, self.unknown.name).over(*ends) for tree in values]
        most = max(each[0] for each in bounds)
        labels = tuple(str(place) for place, each in enumerate(bounds) if not each[1] < most)
        return Regime(first, last, labels, "largest" if len(labels) == 1 else "undecided")

    def is_plain(self, first: Place, last: Place) -> bool:
        """Whether every choice is decided in a part of the range."""
        if first == last:
            return not any(start <= first <= end for start, end in self.open)
        step = self.step
        return not any(start < last + step and end > first - step for start, end in self.open)

    def simple(self, tree: Expression) -> Expression:
        """Return a formula in its normal form, or as it is where that grows too long."""
        form = self._form(tree)
        return tree if form is None else self._tree(form)

    def overlaid(self, values: Sequence[Branched]) -> Iterator[Overlaid]:
        """Cut values into parts in which none of them changes its formula."""
        return self.within(values, self.low, self.high)

    def within(self, values: Sequence[Branched], low: Place, high: Place) -> Iterator[Overlaid]:
        """Cut a part of the range, as `overlaid` does the whole."""
        if all(len(value) == 1 for value in values):
            yield low, high, tuple(value[0].tree for value in values)
            return
        for first, last, (_, *trees) in refined([((low, high, ZERO),), *values]):
            if first < last or self.step or low == high:  # not the end that two branches share
                yield first, last, tuple(trees)

    def _sum(self, trees: Sequence[Expression]) -> Expression:
        # Forms are added, not trees: those of long sums are not worked out anew in each piece.
        forms = [form for tree in trees if (form := self._form(tree)) is not None]
        if len(forms) < len(trees):
            return add(*trees)
        try:
            return self._tree(collected(term for form in forms for term in form.products()))
        except TooLong:
            return add(*trees)

    def _form(self, tree: Expression) -> NormalForm | None:
        found = self._forms.get(id(tree))
        if found is None:
            found = self._forms[id(tree)] = tree, normal_form(tree, self.unknown.name)
        return found[1]

    def _tree(self, form: NormalForm) -> Expression:
        operations().spend(_OF_A_TERM * len(form.terms))
        tree = form.tree()
        self._forms[id(tree)] = tree, form
        return tree

    def _each(self, values: Sequence[Branched], compute: _Compute) -> Branched:
        pieces = self.overlaid(values)
        return joined(Branch(first, last, compute(trees)) for first, last, trees in pieces)

    def _candidates(self, values: Sequence[Branched]) -> Iterator[Candidates]:
        every = tuple(range(len(values)))
        for first, last, trees in self.overlaid(values):
            for regime in self.everywhere(trees, first, last):
                places = tuple(map(int, regime.labels)) or every
                if regime.certain:
                    places = places[:1]  # of equals the first is chosen
                else:
                    self.open.append((regime.first, regime.last))
                    if not regime.labels:
                        self.gaps.append((regime.first, regime.last))
                yield Candidates(regime.first, regime.last, places, trees)


Overlaid: TypeAlias = tuple[Place, Place, tuple[Expression, ...]]
_Compute: TypeAlias = Callable[[Sequence[Expression]], Expression]


def _without_gaps(regimes: Sequence[Regime], low: Place, high: Place) -> Iterator[Regime]:
    """Yield regimes of a real unknown without gaps between them.

    In the enclosure of a change any value may be the largest, and at a single point they are one.
    """
    end = low
    for regime in regimes:
        if regime.first == regime.last or (regime.kind == "tie" and is_point(regime)):
            continue
        if end < regime.first:
            yield Regime(end, regime.first, (), "undecided")
        yield regime
        end = regime.last
    if end < high or low == high:
        yield Regime(end, high, (), "undecided")


def joined(branches: Iterable[Branch]) -> Branched:
    """Put neighbours of one formula together."""
    return tuple(Branch(*run) for run in merged(branches))
