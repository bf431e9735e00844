"""Two formulas between which fractions lie, from above and from below, by formulas without jumps.

Where even the upper bound of a difference is below 0, the difference is, whatever the fractions
are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, lcm, log
from operator import add, mul
from typing import NamedTuple, TypeAlias

from roofdsl.expression.construct import subtract
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.polynomial import Degree, GeneralisedPolynomial, grouped
from roofdsl.expression.product import NO_POWERS, Powers, Product, TooLong, is_positive
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ZERO, Expression, Number, Symbol
from roofdsl.numeric.fraction_bounds import FractionBounds
from roofdsl.numeric.pair import Pair, cleared_form, total_of
from roofdsl.numeric.place import Place
from roofdsl.numeric.rounding import Opened

# From where to where each coordinate lies, both included, in units of 1/scale.
CoordinateBox: TypeAlias = Sequence[tuple[int, int]]


class Envelope(NamedTuple):
    """Pairs of formulas between which two formulas lie; one and the same where nothing is open.

    Where `most` is below, so are they; where `least` is above, so are they.
    """

    most: Pair
    least: Pair


class Coordinate(NamedTuple):
    """A number that depends on the fractions: Σ weight·Π fraction^exponent / scale.

    It is the coefficient of x^a·L^b times a product of `powers`, or just one of the fractions where
    they do not stand in coefficients alone. The fractions count in units of 1/lattice.
    """

    degree: Degree
    powers: Powers
    scale: int
    terms: tuple[tuple[int, tuple[tuple[int, int], ...]], ...]

    def column(
        self, fractions: Sequence[Sequence[int]], others: Sequence[Sequence[int]]
    ) -> list[int]:
        """Return its values: `fractions` for what adds to them, `others` for what takes away."""
        size = len(fractions[0])
        total = [0] * size
        for weight, factors in self.terms:
            # No fraction is below 0: a product with a positive weight grows with each of them.
            values = [weight] * size
            for place, exponent in factors:
                for _ in range(exponent):
                    values = [*map(mul, values, (fractions if weight > 0 else others)[place])]
            total = [*map(add, total, values)]
        return total

    def reach(self, width: int, x: int) -> float:
        """Return about how far the formulas are apart at x for such a width, as a logarithm."""
        if not width:
            return -inf
        growth = float(self.degree.x) * log(x) + float(self.degree.log) * log(max(2.0, log(x)))
        return log(width) - log(self.scale) + growth


class Envelopes:
    """The envelopes of two formulas, over x from `low` to `high`, for any box of `coordinates`.

    `widest`: the one that holds whatever the fractions are. Raises ValueError where it is not
    known how the formulas grow with the fractions.
    """

    def __init__(self, found: Opened, name: str, low: Place, high: Place, *, integer: bool) -> None:
        self._name = name
        self._integer = integer
        self._range = low, high
        self._sides = found.left, found.right
        self._fractions = [each.fraction.name for each in found.roundings]
        units = [each.units for each in found.roundings]
        self.coordinates = [
            Coordinate(_CONSTANT, NO_POWERS, unit, ((1, ((place, 1),)),))
            for place, unit in enumerate(units)
        ]
        form = normal_form(subtract(found.left, found.right), name)
        try:
            form = None if form is None else cleared_form(form, name)
        except TooLong:
            form = None
        self._polynomial = None if form is None else _coefficients(form, name, found, units)
        if self._polynomial is not None:
            self.coordinates = self._polynomial
        elif form is not None:
            self._sides = total_of(form.products(), 1), total_of(form.products(), -1)

        # What one envelope costs, beside the pairs: trees have to be walked for it.
        size = (
            0 if self._polynomial is not None else sum(len(bottom_up(each)) for each in self._sides)
        )
        self.cost = 2.0 * size
        least, most = ([[each.widest[end]] for each in found.roundings] for end in (0, 1))
        lows = (each.column(least, most)[0] for each in self.coordinates)
        highs = (each.column(most, least)[0] for each in self.coordinates)
        self.widest = self._within([*zip(lows, highs, strict=True)])

    def within(self, box: CoordinateBox) -> Envelope:
        """Return the envelope where each coordinate lies within its part of a box."""
        try:
            return self._within(box)
        except ValueError:  # what bounds the fractions anywhere does so in a box, too
            return self.widest

    def _within(self, box: CoordinateBox) -> Envelope:
        exact = all(low == high for low, high in box)
        if self._polynomial is not None:
            most = self._with_coefficients(high for _, high in box)
            return Envelope(most, most if exact else self._with_coefficients(low for low, _ in box))
        ends = {
            name: (Fraction(low, each.scale), Fraction(high, each.scale))
            for name, each, (low, high) in zip(self._fractions, self.coordinates, box, strict=True)
        }
        if exact:
            values = {name: Number(value) for name, (value, _) in ends.items()}
            pair = self._pair(*(substitute(side, values) for side in self._sides))
            return Envelope(pair, pair)
        bounds = FractionBounds(ends, self._name, *self._range)
        (low, high), (other_low, other_high) = map(bounds.of, self._sides)
        return Envelope(self._pair(high, other_low), self._pair(low, other_high))

    def _pair(self, left: Expression, right: Expression) -> Pair:
        return Pair(left, right, self._name, integer=self._integer)

    def _with_coefficients(self, values: Iterable[int]) -> Pair:
        """Return the difference with values as its coefficients, against 0."""
        # x^a·L^b and the powers are > 0: with each coefficient at its greatest it is an upper
        # bound, and with each at its least a lower one.
        sums: dict[Degree, list[Product]] = {}
        for each, value in zip(self.coordinates, values, strict=True):
            product = Product(Fraction(value, each.scale), each.powers)
            sums.setdefault(each.degree, []).append(product)
        forms = {degree: collected(each for each in sums[degree] if each[0]) for degree in sums}
        unknown = Symbol(self._name, integer=self._integer)
        found = GeneralisedPolynomial(unknown, {key: form for key, form in forms.items() if form})
        return Pair(found.tree(), ZERO, self._name, integer=self._integer, powers=found)


_CONSTANT = Degree(0, 0)


def _coefficients(
    form: NormalForm, name: str, opened: Opened, units: Sequence[int]
) -> list[Coordinate] | None:
    """Return the coefficients of a difference, None if fractions stand elsewhere in it, too."""
    found = grouped(form, name)
    if found is None:
        return None
    places = {each.fraction: place for place, each in enumerate(opened.roundings)}
    sums: dict[tuple[Degree, Powers], list[tuple[Fraction, tuple[tuple[int, int], ...]]]] = {}
    for degree, coefficient in found.terms.items():
        for weight, powers in coefficient.products():
            rest: list[tuple[Expression, Fraction | int]] = []
            factors: list[tuple[int, int]] = []
            value = Fraction(weight)
            for atom, exponent in powers:
                if isinstance(atom, Symbol) and atom in places:
                    if exponent < 0 or exponent.denominator != 1:
                        return None
                    factors.append((places[atom], int(exponent)))
                    value /= units[places[atom]] ** int(exponent)
                elif free_symbols(atom) or not is_positive(atom):
                    return None
                else:
                    rest.append((atom, exponent))
            sums.setdefault((degree, frozenset(rest)), []).append((value, tuple(factors)))
    coordinates = []
    for (degree, powers), terms in sums.items():
        scale = lcm(*(value.denominator for value, _ in terms))
        whole = tuple((int(value * scale), factors) for value, factors in terms)
        coordinates.append(Coordinate(degree, powers, scale, whole))
    return coordinates
