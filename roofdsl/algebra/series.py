"""What a formula is for a large unknown x: terms c·2^E·x^a·L^b·M^d, and how small the rest is.

L = log2 x, M = log2 L; E is a sum of such terms that grow. The terms stand largest first.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import operations
from roofdsl.expression.logarithm import LN2
from roofdsl.expression.normal_form import NormalForm, number_form, product_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import Rational, TooLong, plain
from roofdsl.expression.sign import sign
from roofdsl.expression.tree import Expression, Function, Number, Power

MOST_TERMS = 60
MOST_WORK = 5000
"""What one series may take: a unit for each node, and for each product of two terms."""
_UNIT = 100
"""Operations of a command that a unit is charged as."""


class Undecided(Exception):
    """How something grows cannot be told; never leaves the package."""


class Work:
    """What is left to make one series with; `length`: how many terms of a binomial one to take."""

    __slots__ = ("left", "length")

    def __init__(self, length: int) -> None:
        self.length = length
        self.left = MOST_WORK

    def spend(self, work: int) -> None:
        """Charge some units; raise TooLong if they are too many."""
        self.left -= work
        if self.left < 0:
            raise TooLong
        operations().spend(_UNIT * work)


class Degrees(NamedTuple):
    """The exponents of x, L and M; they compare as the powers grow."""

    x: Rational = 0
    log: Rational = 0
    loglog: Rational = 0


class Order(NamedTuple):
    """What a term grows like: 2^E · x^a · L^b · M^d, with E as degrees and their coefficients."""

    degrees: Degrees = Degrees()
    exponential: tuple[tuple[Degrees, NormalForm], ...] = ()

    @classmethod
    def of(cls, x: Rational, log: Rational) -> Order:
        """Return the order of x^a·L^b."""
        return cls(Degrees(x, log))


CONSTANT = Order()
TermsByOrder: TypeAlias = dict[Order, NormalForm]


def joined(left: Order, right: Order) -> Order:
    """Return the order of a product."""
    degrees = Degrees(*(plain(a + b) for a, b in zip(left.degrees, right.degrees, strict=True)))
    if not (left.exponential and right.exponential):
        return Order(degrees, left.exponential or right.exponential)
    exponents = dict(left.exponential)
    for degree, coefficient in right.exponential:
        exponents[degree] = exponents.get(degree, NormalForm({})) + coefficient
    return Order(degrees, _exponential(exponents))


def _exponential(exponents: dict[Degrees, NormalForm]) -> tuple[tuple[Degrees, NormalForm], ...]:
    return tuple((degree, exponents[degree]) for degree in sorted(exponents) if exponents[degree])


def to_power(order: Order, exponent: Rational) -> Order:
    """Return the order of a power."""
    degrees = Degrees(*(plain(each * exponent) for each in order.degrees))
    factor = number_form(exponent)
    return Order(degrees, tuple((degree, each * factor) for degree, each in order.exponential))


def compare(left: Order, right: Order) -> int:
    """Return -1, 0 or 1 as `left` grows slower, the same or faster; may raise `Undecided`."""
    if left.exponential != right.exponential:
        difference = joined(left, to_power(right, -1)).exponential
        if difference:
            found = sign(difference[-1][1])
            if not found:
                raise Undecided
            return found
    return (left.degrees > right.degrees) - (left.degrees < right.degrees)


order_key = cmp_to_key(compare)


@dataclass(frozen=True, slots=True)
class AsymptoticSeries:
    """Terms by order, none of them 0; what is left out grows no faster than `rest`, if any."""

    terms: TermsByOrder
    rest: Order | None = None

    def orders(self) -> list[Order]:
        """Return the orders of the terms, the largest first."""
        if len(self.terms) == 1:
            return list(self.terms)
        return sorted(self.terms, key=order_key, reverse=True)

    def lead(self) -> tuple[Order, NormalForm]:
        """Return the largest term; raises `Undecided` where none is known, or all is 0."""
        if not self.terms:
            raise Undecided
        order = self.orders()[0]
        return order, self.terms[order]

    @property
    def is_zero(self) -> bool:
        """Whether it is exactly 0."""
        return not self.terms and self.rest is None

    @property
    def size(self) -> Order:
        """What it grows no faster than; it is not 0."""
        size = self.orders()[0] if self.terms else self.rest
        assert size is not None
        return size

    def __neg__(self) -> AsymptoticSeries:
        return AsymptoticSeries({order: -each for order, each in self.terms.items()}, self.rest)

    def __sub__(self, other: AsymptoticSeries) -> AsymptoticSeries:
        return total((self, -other))

    def times(self, other: AsymptoticSeries, work: Work) -> AsymptoticSeries:
        """Return a product; may raise TooLong."""
        if self.is_zero or other.is_zero:
            return AsymptoticSeries({})
        terms: TermsByOrder = {}
        for order, coefficient in self.terms.items():
            for another, factor in other.terms.items():
                work.spend(len(coefficient.terms) * len(factor.terms))
                both = joined(order, another)
                found = coefficient * factor
                terms[both] = terms[both] + found if both in terms else found
        rest: Order | None = None
        for one, factors in ((self, other), (other, self)):
            if one.rest is not None:
                rest = _larger(rest, joined(one.rest, factors.size))
        return _cut(terms, rest)


def constant_series(coefficient: NormalForm) -> AsymptoticSeries:
    """Return what does not depend on x."""
    return AsymptoticSeries({CONSTANT: coefficient} if coefficient else {})


def term_series(order: Order, coefficient: NormalForm | None = None) -> AsymptoticSeries:
    """Return a single term."""
    return AsymptoticSeries({order: number_form(1) if coefficient is None else coefficient})


def total(series: Iterable[AsymptoticSeries]) -> AsymptoticSeries:
    """Return a sum."""
    terms: TermsByOrder = {}
    rest: Order | None = None
    for each in series:
        rest = _larger(rest, each.rest)
        for order, coefficient in each.terms.items():
            terms[order] = terms[order] + coefficient if order in terms else coefficient
    return _cut(terms, rest)


def _larger(left: Order | None, right: Order | None) -> Order | None:
    if left is None or right is None:
        return left or right
    return left if compare(left, right) >= 0 else right


def _cut(terms: TermsByOrder, rest: Order | None) -> AsymptoticSeries:
    """Drop terms that are 0, lost in the rest, or more than are worth keeping."""
    kept = {order: coefficient for order, coefficient in terms.items() if coefficient}
    if rest is not None:
        kept = {order: each for order, each in kept.items() if compare(order, rest) > 0}
    if len(kept) > MOST_TERMS:
        orders = sorted(kept, key=order_key, reverse=True)
        rest = orders[MOST_TERMS]
        kept = {order: kept[order] for order in orders[:MOST_TERMS]}
    return AsymptoticSeries(kept, rest)


def power(base: AsymptoticSeries, exponent: Rational, work: Work) -> AsymptoticSeries:
    """Return `base ^ exponent`, by a binomial series where it is needed."""
    if base.is_zero and exponent > 0:
        return base
    order, coefficient = base.lead()
    leading = coefficient.product.raised(exponent)
    if leading is None:
        found = sign(coefficient)
        if found is None or found <= 0:
            raise Undecided
        tree: Expression = Power(coefficient.tree(), Number(Fraction(exponent)))
        root = normal_form(tree) or symbol_form(tree)
    else:
        root = product_form(leading)
    result = term_series(to_power(order, exponent), root)
    if len(base.terms) == 1 and base.rest is None:
        return result
    if exponent.denominator == 1 and 0 < exponent <= 3 and base.rest is None:
        result = base
        for _ in range(exponent.numerator - 1):
            result = result.times(base, work)
        return result
    small = _small_part(base, work)
    factors = [Fraction(1)]
    for count in range(work.length):
        factors.append(factors[-1] * (exponent - count) / (count + 1))
    return result.times(_expanded(small, factors, work), work)


def logarithm(argument: AsymptoticSeries, work: Work) -> AsymptoticSeries:
    """Return log2 of a series."""
    order, coefficient = argument.lead()
    if sign(coefficient) == -1:
        raise Undecided
    constant = normal_form(Function("log2", (coefficient.tree(),)))
    if constant is None or order.degrees.loglog:
        raise Undecided
    terms: TermsByOrder = {Order(degree): each for degree, each in order.exponential}
    for degree, factor in (
        (Degrees(0, 1, 0), order.degrees.x),
        (Degrees(0, 0, 1), order.degrees.log),
    ):
        if factor:
            terms[Order(degree)] = terms.get(Order(degree), NormalForm({})) + number_form(factor)
    parts = [AsymptoticSeries(terms), constant_series(constant)]
    if len(argument.terms) > 1 or argument.rest is not None:
        factors = [Fraction(0)] + [Fraction((-1) ** (k + 1), k) for k in range(1, work.length + 1)]
        natural = _expanded(_small_part(argument, work), factors, work)
        parts.append(natural.times(constant_series(PER_LN2), work))
    return total(parts)


PER_LN2 = product_form(symbol_form(LN2).product.inverse())


def exponential(exponent: AsymptoticSeries, work: Work) -> AsymptoticSeries:
    """Return 2 to the power of a series."""
    if exponent.rest is not None and compare(exponent.rest, CONSTANT) >= 0:
        raise Undecided
    degrees = Degrees()
    growing: dict[Degrees, NormalForm] = {}
    factor = number_form(1)
    small: TermsByOrder = {}
    for order, coefficient in exponent.terms.items():
        if order.exponential and compare(order, CONSTANT) > 0:
            raise Undecided
        value = coefficient.constant
        if order == CONSTANT:
            factor = power_of_2(coefficient)
        elif compare(order, CONSTANT) < 0:
            small[order] = coefficient
        elif order.degrees in (Degrees(0, 1, 0), Degrees(0, 0, 1)) and value is not None:
            degrees = (
                degrees._replace(x=value) if order.degrees.log else degrees._replace(log=value)
            )
        else:
            growing[order.degrees] = coefficient
    result = term_series(Order(degrees, _exponential(growing)), factor)
    if not small and exponent.rest is None:
        return result
    natural = AsymptoticSeries(small, exponent.rest)
    natural = natural.times(constant_series(symbol_form(LN2)), work)
    factors = [Fraction(1)]
    for count in range(work.length):
        factors.append(factors[-1] / (count + 1))
    return result.times(_expanded(natural, factors, work), work)


def power_of_2(exponent: NormalForm) -> NormalForm:
    """Return 2^exponent, as a power of e where ln 2 divides out."""
    natural = exponent * symbol_form(LN2)
    if natural and not any(atom == LN2 for powers in natural.terms for atom, _ in powers):
        return symbol_form(Function("exp", (natural.tree(),)))
    tree = Power(Number(Fraction(2)), exponent.tree())
    return normal_form(tree) or symbol_form(tree)


def _small_part(series: AsymptoticSeries, work: Work) -> AsymptoticSeries:
    """Return `series / lead - 1`, which vanishes as x grows."""
    order, coefficient = series.lead()
    inverted = term_series(to_power(order, -1), product_form(coefficient.product.inverse()))
    rest = {each: factor for each, factor in series.terms.items() if each != order}
    return AsymptoticSeries(rest, series.rest).times(inverted, work)


def _expanded(small: AsymptoticSeries, factors: list[Fraction], work: Work) -> AsymptoticSeries:
    """Return Σ factor·small^k for k = 0, 1, …, with what comes after them as the rest."""
    result = constant_series(number_form(factors[0]))
    term = constant_series(number_form(1))
    for factor in factors[1:]:
        term = term.times(small, work)
        result = total((result, term.times(constant_series(number_form(factor)), work)))
    return total((result, AsymptoticSeries({}, to_power(small.size, len(factors)))))
