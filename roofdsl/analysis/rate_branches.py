"""The law of composition over a range and over all machines of a box at once.

Every value is two formulas piece by piece: what it is not less than, and not more than, on any of
the machines. Times fall as rates grow and grow with work, which is not below 0, so the ends come
from those of others. Where machines differ in what is the longest, the ends are those of all cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.branches import Branch, Branched, Branching, joined
from roofdsl.expression.construct import maximum, minimum, multiply
from roofdsl.expression.tree import ZERO, Expression, Number, Symbol
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import refined


class Between(NamedTuple):
    """What a value is not less than, and what it is not more than."""

    least: Branched
    most: Branched


class Possible(NamedTuple):
    """The places of values that may be the longest, on some machine, from `first` to `last`."""

    first: Place
    last: Place
    places: tuple[int, ...]


class RateBranching:
    """The algebra of ends, over the pieces of one range; `factors` are those of a box of rates."""

    def __init__(self, pieces: Branching, factors: Mapping[str, tuple[Fraction, Fraction]]) -> None:
        self.pieces = pieces
        self.factors = factors
        self.zero = Between(pieces.zero, pieces.zero)
        self._rates: dict[str, Between] = {}

    def of(self, tree: Expression) -> Between:
        value = self.pieces.of(tree)
        return Between(value, value)

    def rate(self, symbol: Symbol) -> Between:
        found = self._rates.get(symbol.name)
        if found is None:
            # A rate that is solved for is what it is.
            ends = self.factors.get(symbol.name)
            if ends is None or symbol.name == self.pieces.unknown.name:
                found = self.of(symbol)
            else:
                slow, fast = (self.pieces.of(multiply(Number(end), symbol)) for end in ends)
                found = Between(slow, fast)
            self._rates[symbol.name] = found
        return found

    def add(self, values: Sequence[Between]) -> Between:
        add = self.pieces.add
        return Between(add([x.least for x in values]), add([x.most for x in values]))

    def multiply(self, count: Between, value: Between) -> Between:
        multiplied = self.pieces.multiply
        return Between(multiplied(count.least, value.least), multiplied(count.most, value.most))

    def divide(self, work: Between, rate: Between) -> Between:
        divided = self.pieces.divide
        return Between(divided(work.least, rate.most), divided(work.most, rate.least))

    def largest(self, values: Sequence[Between]) -> Between:
        largest = self.pieces.largest
        return Between(largest([x.least for x in values]), largest([x.most for x in values]))

    def choice(self, values: Sequence[Between], _: Sequence[ByName[Between]]) -> Sequence[Possible]:
        """Return which values may be the first of the largest on some machine, part by part."""
        found: list[Possible] = []
        places = range(len(values))
        ends = [*(x.least for x in values), *(x.most for x in values)]
        for first, last, trees in self.pieces.overlaid(ends):
            least, most = trees[: len(values)], trees[len(values) :]
            # One at its most, all others at their least.
            rows = [
                [*self._may_be(p, [*least[:p], most[p], *least[p + 1 :]], first, last)]
                for p in places
            ]
            for begin, end, possible in refined(rows):
                if begin < end or self.pieces.step or first == last:
                    may = tuple(place for place in places if possible[place])
                    found.append(Possible(begin, end, may or tuple(places)))
        return found

    def _may_be(
        self, place: int, trees: Sequence[Expression], first: Place, last: Place
    ) -> Iterator[tuple[Place, Place, bool]]:
        """Yield where one of some formulas may be the first of the largest, and where it is not."""
        for regime in self.pieces.everywhere(trees, first, last):
            sure = regime.labels[:1] if regime.certain else regime.labels
            yield regime.first, regime.last, not sure or str(place) in sure

    def chosen(
        self, choice: Sequence[Possible], tables: Sequence[ByName[Between]]
    ) -> ByName[Between]:
        names = dict.fromkeys(name for table in tables for name in table)
        found: ByName[Between] = {}
        for name in names:
            least: list[Branch] = []
            most: list[Branch] = []
            for part in choice:
                cases = [tables[place].get(name, self.zero) for place in part.places]
                for branches, values, extreme in (
                    (least, [x.least for x in cases], minimum),
                    (most, [x.most for x in cases], maximum),
                ):
                    for first, last, trees in self.pieces.within(values, part.first, part.last):
                        different = [*dict.fromkeys(trees)]
                        if extreme is maximum and len(different) > 1:
                            different = [tree for tree in different if tree != ZERO]
                        elif ZERO in different:
                            different = [ZERO]
                        branches.append(Branch(first, last, extreme(*different)))
            found[name] = Between(joined(least), joined(most))
        return found

    def ties(self, _: ByName[Between]) -> tuple[str, ...]:
        return ()
