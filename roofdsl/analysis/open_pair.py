"""How two times lie to one another over a range of one name, while another name is open too.

The difference is taken apart as Σ c·x^a·L^b in the name x, L = log2 x; the signs of the c, and of
the difference at both ends of the range, are proven over stretches of the other name by
`sign_runs`. Within a stretch on which none of them changes, the signs of the c tell how often the
order may change at most: see `direction` and `_changes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias, TypeGuard

from roofdsl.algebra.closed_form import closed_form
from roofdsl.allowance import Budget
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import add, multiply, number, power, subtract
from roofdsl.expression.order import bottom_up
from roofdsl.expression.polynomial import Degree, GeneralisedPolynomial, of_one_sign, polynomial
from roofdsl.expression.product import is_positive
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Function, Number, Power, Symbol
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.place import Place
from roofdsl.numeric.run import ORDERS
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import sign_runs

CLOSE = 1e-9
_HIGHEST = 12  # degree
_SOLVED = 100.0
"""What it takes to solve an equation in closed form, in units of work."""
Stretch: TypeAlias = tuple[Place, Place]
Signs: TypeAlias = list[tuple[Place, Place, int | None]]
"""A sign for each stretch of a name, None where it is not known or changes too often to be told."""


@dataclass(frozen=True, slots=True)
class OpenRanges:
    """The ranges of two names, and the work that may be done there."""

    unknown: Unknown
    low: Place
    high: Place
    other: Unknown
    first: Place
    last: Place
    budget: Budget

    def signs(self, left: Expression, right: Expression, stretch: Stretch | None = None) -> Signs:
        """Return the sign of `left - right`, free of the unknown, over the other name."""
        first, last = stretch or (self.first, self.last)
        integer = self.other.integer
        if self.budget.left <= 0:
            return [(first, last, None)]
        budget = self.budget.share(1 / 4)
        found = sign_runs(left, right, self.other.name, first, last, integer=integer, budget=budget)
        return [(run.first, run.last, ORDERS.get(run.state)) for run in found.runs]

    def at(self, tree: Expression, place: Place) -> Expression:
        """Return a formula with a number put in for the unknown."""
        return substitute(tree, {self.unknown.name: Number(Fraction(place))})


@dataclass(frozen=True, slots=True)
class PairOrder:
    """The sign of `left - right` behind the low end of a range; `turns`: the other beyond a root.

    `tied`: at the low end itself the two are equal.
    """

    sign: int
    turns: bool = False
    tied: bool = False

    @property
    def overtaken(self) -> bool:
        """Whether the left one is above, and is not any more beyond the root."""
        return self.sign == 1 and self.turns

    def turned(self) -> PairOrder:
        return replace(self, sign=-self.sign)


@dataclass(frozen=True)  # no slots: what is derived is kept
class OpenPair:
    """Two times over two ranges, in numbers and with the names left in."""

    ranges: OpenRanges
    left: Expression
    right: Expression
    symbols: tuple[Expression, Expression]
    known: Mapping[str, Expression]
    _roots: dict[Stretch, tuple[Expression, Expression] | None] = field(default_factory=dict)

    @cached_property
    def difference(self) -> GeneralisedPolynomial | None:
        return of_one_sign(subtract(self.left, self.right), self.ranges.unknown.name)

    @cached_property
    def ends(self) -> tuple[Signs, Signs]:
        """The signs at both ends of the range, over the other name."""
        ranges = self.ranges
        low, high = (
            ranges.signs(ranges.at(self.left, place), ranges.at(self.right, place))
            for place in (ranges.low, ranges.high)
        )
        return low, high

    @cached_property
    def signs(self) -> dict[Degree, Signs]:
        """The signs of the coefficients over the other name."""
        return self._signs(self.difference)

    @cached_property
    def signs_between(self) -> dict[Degree, Signs]:
        """The signs of the coefficients of a polynomial in y, x = (low + high·y)/(1 + y).

        For y from 0 to ∞ it is that in x over the range, times a power of 1 + y.
        """
        ranges = self.ranges
        form = None if self.difference is None else self.difference.stripped()[1]
        if form is None or any(
            degree.log or degree.x.denominator != 1 or degree.x > _HIGHEST for degree in form.terms
        ):
            return {}
        y = Symbol(ranges.unknown.name)
        low, high = (Number(Fraction(place)) for place in (ranges.low, ranges.high))
        place, scale = add(low, multiply(high, y)), add(ONE, y)
        most = max(degree.x for degree in form.terms)
        terms = (
            multiply(
                each.tree(), power(place, number(degree.x)), power(scale, number(most - degree.x))
            )
            for degree, each in form.terms.items()
        )
        return self._signs(polynomial(add(*terms), y.name))

    def _signs(self, form: GeneralisedPolynomial | None) -> dict[Degree, Signs]:
        terms = {} if form is None else form.terms
        return {key: self.ranges.signs(each.tree(), ZERO) for key, each in terms.items()}

    def order(self, stretch: Stretch) -> PairOrder | None:
        """Return the order on a stretch within which no sign changes, None if it is not known."""
        at_low, at_high = (_within(signs, stretch) for signs in self.ends)
        if self.difference is None or at_low is None or at_high is None:
            return None
        own = _signs_on(self.signs, stretch)
        if own is not None and not own:
            return PairOrder(0, tied=True)
        if not at_high:
            return None  # what is tied at the high end is not told
        found = _ordered(own, at_low, at_high, self.ranges.low) if own else None
        between = None if found else _signs_on(self.signs_between, stretch)
        if between:
            first, roots, _ = _changes(between)
            found = PairOrder(first, turns=roots == 1, tied=at_low == 0) if roots <= 1 else None
        return found

    def root(self, stretch: Stretch) -> tuple[Expression, Expression] | None:
        """Return the closed form of the one root on a stretch, and it with numbers put in."""
        if stretch not in self._roots:
            proven = (
                (root, numbers)
                for roots in self._closed_forms
                for root, numbers in roots
                if self._is_root(numbers, stretch, [each for _, each in roots])
            )
            self._roots[stretch] = next(proven, None)
        return self._roots[stretch]

    @cached_property
    def _closed_forms(self) -> list[list[tuple[Expression, Expression]]]:
        """What solves for the unknown: as formulas, and with numbers put in."""
        found = []
        for (left, right), known in ((self.symbols, self.known), ((self.left, self.right), {})):
            if self.ranges.budget.left > 0:
                self.ranges.budget.spend(_SOLVED)
                roots = closed_form(left, right, self.ranges.unknown.name).roots
                found.append([(root, substitute(root, known)) for root in roots])
        return found

    def _is_root(self, root: Expression, stretch: Stretch, others: list[Expression]) -> bool:
        """Whether a closed form is the one root within the range, all over a stretch.

        What solves the equation and lies in the range is that root, as there is one alone. A closed
        form in W has one branch or two, on each of which x^a = s·W(z) solves the equation. Which of
        the two is the larger depends on the signs of a and s alone, which do not change on a
        stretch; so the one that is the root at its beginning is so everywhere on it.
        """
        ranges = self.ranges
        if any(symbol.name != ranges.other.name for symbol in free_symbols(root)):
            return False
        if has_lambert(root):
            return [each for each in others if self._lies_beyond(each, stretch) is not False] == [
                root
            ]
        low, high = (Number(Fraction(place)) for place in (ranges.low, ranges.high))
        # A square solves the equation only where what is squared is positive.
        squared = (node for node in bottom_up(root) if is_square(node))
        above = [(root, low), *((node.base, ZERO) for node in squared)]
        asked = [*((pair, (1,)) for pair in above), ((high, root), (0, 1))]
        return all(
            sign in signs for pair, signs in asked for *_, sign in ranges.signs(*pair, stretch)
        )

    def _lies_beyond(self, root: Expression, stretch: Stretch) -> bool | None:
        """Whether a closed form lies beyond the low end, None where floats leave it open."""
        low = float(self.ranges.low)
        try:
            value = evaluate(root, {self.ranges.other.name: float(stretch[0])})
        except EvaluationError:
            return False  # this branch of W is not real
        except OverflowError:
            return None
        return None if abs(value - low) <= CLOSE * abs(low) else value > low


def _ordered(
    signs: Mapping[Degree, int], at_low: int, at_high: int, low: Place
) -> PairOrder | None:
    """Return the order of a difference by the signs of its coefficients, and those at both ends.

    `low`: where the range begins. None if the order is not known.
    """
    if any(degree.log for degree in signs):
        way = direction(signs) if low >= 1 else None
        if not way:
            sign = next(iter(signs.values()))
            return None if way is None else PairOrder(sign, tied=at_low == 0)
        return PairOrder(at_low or way, turns=at_low == -at_high, tied=at_low == 0)
    # Where the sign at an end of the range is not the one beyond it, a root lies there.
    first, roots, last = _changes(signs)
    roots -= (at_low != first) + (at_high != last)
    if roots > (at_low != 0):
        return None
    behind = at_low or at_high
    return PairOrder(behind, turns=behind != at_high, tied=at_low == 0)


def _changes(signs: Mapping[Degree, int]) -> tuple[int, int, int]:
    """Return the sign of Σ c·x^a next to 0, how many roots x > 0 it may have, and its sign far out.

    There are at most as many as changes of sign: Descartes' rule, which holds for real exponents,
    too. They are counted as often as they are one: if it is not as many, it is an even number less.
    """
    ordered = [signs[degree] for degree in sorted(signs)]
    roots = sum(one != other for one, other in pairwise(ordered))
    return ordered[0], roots, ordered[-1]


def _signs_on(signs: Mapping[Degree, Signs], stretch: Stretch) -> dict[Degree, int] | None:
    """Return the signs on a stretch without those that are 0, None where one is not known."""
    found = {degree: _within(each, stretch) for degree, each in signs.items()}
    known = {degree: sign for degree, sign in found.items() if sign}
    return None if None in found.values() else known


def is_square(node: Expression) -> TypeGuard[Power]:
    """Whether a node is an even power of what may be below 0: a root only where that is above 0."""
    return (
        isinstance(node, Power)
        and isinstance(node.exponent, Number)
        and node.exponent.value.numerator % 2 == 0
        and not is_positive(node.base)
    )


def direction(signs: Mapping[Degree, int]) -> int | None:
    """Return how Σ c·x^a·L^b may change its sign as x grows, by the signs of the c, none 0.

    0: not at all; 1 or -1: at most once, to above or below 0; None: not known. For x > 0, and where
    there are logarithms for x > 1.

    >>> direction({Degree(3, 0): -1, Degree(2, 1): 1, Degree(0, 0): 1})
    >>> direction({Degree(3, 1): -1, Degree(2, 1): 1, Degree(0, 0): 1})
    -1
    """
    if len({*signs.values()}) == 1:
        return 0
    # If a monomial m lies between those of one sign and those of the other, in the exponents of
    # both x and L, then all terms of the one divided by m never fall and those of the other never
    # grow in absolute value, as neither x nor L falls. They are different, so one at least is not
    # constant: the quotient is strictly monotone, and m > 0. Without logarithms this is Descartes'
    # rule for one change of sign.
    for sign in (1, -1):
        above = [degree for degree, each in signs.items() if each == sign]
        below = [degree for degree, each in signs.items() if each != sign]
        if all(max(d[i] for d in below) <= min(d[i] for d in above) for i in (0, 1)):
            return sign
    return None


def _within(signs: Signs, stretch: Stretch) -> int | None:
    """Return the sign on a stretch that lies within one of those told."""
    return next(
        (sign for one, other, sign in signs if one <= stretch[0] and stretch[1] <= other), None
    )


def has_lambert(tree: Expression) -> bool:
    """Whether there is a W in a formula."""
    return any(isinstance(node, Function) and node.name == "lambertw" for node in bottom_up(tree))
