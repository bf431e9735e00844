"""The times of a prediction while its rates change: sums of multiples of factors, and choices.

A resource with 1/s of its rate takes s times as long for all that is done on it. So every time is a
sum of such factors, one for each rate, each times a number; where the law of composition asks which
of several times is the longest, what follows from the answer stays a choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.algebra import ByName
from roofdsl.expression.tree import Expression, Symbol

Amount: TypeAlias = float | Fraction
Multiples: TypeAlias = tuple[Amount, ...]
"""How much there is of each factor; the last is what no rate changes."""


@dataclass(frozen=True, eq=False)  # no slots: differences are made once
class Choice:
    """Which of several times is the longest, the first of equals."""

    values: tuple[RateSum, ...]

    @cached_property
    def differences(self) -> dict[tuple[int, int], RateSum]:
        """What each of the times is more than each other one."""
        places = range(len(self.values))
        return {
            (p, q): difference(self.values[p], self.values[q])
            for p in places
            for q in places
            if p != q
        }


class Chosen(NamedTuple):
    """One of several options: that at the place which is chosen.

    `longest` says that the options are the times that are compared, all equally often, so that the
    term is the largest of them.
    """

    choice: Choice
    options: tuple[RateSum, ...]
    longest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RateSum:
    """A sum of the factors and of terms that hang on choices."""

    multiples: Multiples
    terms: tuple[Chosen, ...] = ()

    @property
    def is_zero(self) -> bool:
        return not self.terms and not any(self.multiples)

    def times(self, count: Amount) -> RateSum:
        if count == 1:
            return self
        terms = (
            Chosen(
                term.choice,
                tuple(option.times(count) for option in term.options),
                term.longest and count > 0,
            )
            for term in self.terms
        )
        return RateSum(tuple(count * each for each in self.multiples), tuple(terms))


def added(one: Multiples, other: Multiples) -> Multiples:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def total(values: Sequence[RateSum]) -> RateSum:
    """Return a sum, in which all that hangs on one choice is one term."""
    multiples = values[0].multiples
    for value in values[1:]:
        multiples = added(multiples, value.multiples)
    held: dict[int, list[Chosen]] = {}
    for value in values:
        for term in value.terms:
            held.setdefault(id(term.choice), []).append(term)
    terms = [group[0] if len(group) == 1 else _joined(group) for group in held.values()]
    return RateSum(
        multiples, tuple(t for t in terms if not all(each.is_zero for each in t.options))
    )


def _joined(terms: Sequence[Chosen]) -> Chosen:
    options = tuple(map(total, zip(*(term.options for term in terms), strict=True)))
    return Chosen(terms[0].choice, options, all(term.longest for term in terms))


def difference(one: RateSum, other: RateSum) -> RateSum:
    return total([one, other.times(-1)])


class OverFactors:
    """What the law of composition computes with: sums of the factors of some rates.

    `amounts` are the values of what a model states, by the formulas; `rates` those of
    the rates that change, in the order of the factors.
    """

    def __init__(self, amounts: Mapping[Expression, Amount], rates: Mapping[str, Amount]) -> None:
        self.amounts = amounts
        self.rates = rates
        self.places = {name: place for place, name in enumerate(rates)}
        self.zero = RateSum((0,) * (len(rates) + 1))

    def _only(self, value: Amount, place: int = -1) -> RateSum:
        multiples: list[Amount] = [*self.zero.multiples]
        multiples[place] = value
        return RateSum(tuple(multiples))

    def of(self, tree: Expression) -> RateSum:
        return self._only(self.amounts[tree])

    def rate(self, symbol: Symbol) -> RateSum:
        return self._only(self.rates[symbol.name], self.places[symbol.name])

    def add(self, values: Sequence[RateSum]) -> RateSum:
        return total(values)

    def multiply(self, count: RateSum, value: RateSum) -> RateSum:
        return value.times(count.multiples[-1])

    def divide(self, work: RateSum, rate: RateSum) -> RateSum:
        place, speed = next((p, each) for p, each in enumerate(rate.multiples) if each)
        return self._only(work.multiples[-1] / speed, place)

    def largest(self, values: Sequence[RateSum]) -> RateSum:
        kept = tuple(values[place] for place in _undominated(values))
        if len(kept) == 1:
            return kept[0]
        return RateSum(self.zero.multiples, (Chosen(Choice(kept), kept, longest=True),))

    def choice(
        self, values: Sequence[RateSum], _: Sequence[ByName[RateSum]]
    ) -> tuple[list[int], Choice]:
        """Return the places that may be chosen, and the choice among them."""
        kept = _undominated(values)
        return kept, Choice(tuple(values[place] for place in kept))

    def chosen(
        self, choice: tuple[list[int], Choice], tables: Sequence[ByName[RateSum]]
    ) -> ByName[RateSum]:
        kept, among = choice
        cases = [tables[place] for place in kept]
        if len(cases) == 1:
            return cases[0]
        names = dict.fromkeys(name for case in cases for name in case)
        options = {name: tuple(case.get(name, self.zero) for case in cases) for name in names}
        return {
            name: RateSum(self.zero.multiples, (Chosen(among, options[name]),)) for name in names
        }

    def ties(self, table: ByName[RateSum]) -> tuple[str, ...]:
        """Say whether there is anything at all; what is largest, the rates decide."""
        return tuple(table) if any(not value.is_zero for value in table.values()) else ()


def _undominated(values: Sequence[RateSum]) -> list[int]:
    """Return the places of what may be the first of the largest, at some factors."""
    places = range(len(values))
    return [
        place
        for place in places
        if not any(
            _dominates(values[other], values[place], first=other < place)
            for other in places
            if other != place
        )
    ] or [0]


def _dominates(one: RateSum, other: RateSum, *, first: bool) -> bool:
    """Whether a time is the larger one at all factors, or of equals the first."""
    # Factors are above 0, and terms of times are not below 0.
    if other.terms:
        return False
    for multiples in _not_above(one):
        pairs = [*zip(multiples, other.multiples, strict=True)]
        if all(a >= b for a, b in pairs) and (first or any(a > b for a, b in pairs)):
            return True
    return False


def _not_above(value: RateSum) -> Iterator[Multiples]:
    """Yield sums of factors that a time is never less than."""
    yield value.multiples
    for term in value.terms:
        if term.longest:
            for option in term.options:
                yield from (added(value.multiples, multiples) for multiples in _not_above(option))
