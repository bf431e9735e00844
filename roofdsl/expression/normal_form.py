"""Sums of products, in which equal terms cancel exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import gcd, lcm
from typing import TypeAlias

from roofdsl.expression.construct import FOLD_BITS, add
from roofdsl.expression.product import (
    NO_POWERS,
    UNIT,
    Powers,
    Product,
    Rational,
    TooLong,
    is_positive,
    plain,
    powers_of,
)
from roofdsl.expression.tree import Add, Expression, Function, Symbol

Terms: TypeAlias = dict[Powers, Rational]
MOST_TERMS = 400
MOST_BITS = 4 * FOLD_BITS


class NormalForm:
    """A sum of products with different powers; empty when it is 0. It compares by value.

    >>> n = symbol_form(Symbol("N"))
    >>> (n + n) * n - n * n - n * n == NormalForm({})
    True
    """

    __slots__ = ("_product", "terms")

    def __init__(self, terms: Terms) -> None:
        self.terms: Terms = terms
        self._product: Product | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NormalForm) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __repr__(self) -> str:
        return f"NormalForm({self.terms!r})"

    def __add__(self, other: NormalForm) -> NormalForm:
        if not self.terms or not other.terms:  # in half of the sums there are
            return self if self.terms else other
        return collected((*self.products(), *other.products()))

    def __neg__(self) -> NormalForm:
        return NormalForm({powers: -coefficient for powers, coefficient in self.terms.items()})

    def __sub__(self, other: NormalForm) -> NormalForm:
        return self + -other if other.terms else self

    def __mul__(self, other: NormalForm) -> NormalForm:
        if len(self.terms) * len(other.terms) > MOST_TERMS:
            raise TooLong
        return collected(
            left.times(right) for left in self.products() for right in other.products()
        )

    @property
    def constant(self) -> Rational | None:
        """The value, where it is a rational number."""
        if not self.terms:
            return 0
        return self.terms.get(NO_POWERS) if len(self.terms) == 1 else None

    @property
    def product(self) -> Product:
        """The whole as one product: a sum becomes an atom, without its certain common factors."""
        if self._product is None:
            if len(self.terms) > 1:
                self._product = self._factored(certain=True)
            else:
                self._product = next(self.products(), Product(0, NO_POWERS))
        return self._product

    @property
    def is_whole(self) -> bool:
        """Whether only whole values come out: of whole names, `ceil` and `floor` by + and ·.

        >>> [symbol_form(each).is_whole for each in (Symbol("N", integer=True), Symbol("t"))]
        [True, False]
        """
        return all(
            coefficient.denominator == 1
            and all(
                exponent > 0 and exponent.denominator == 1 and _is_whole_atom(atom)
                for atom, exponent in powers
            )
            for powers, coefficient in self.terms.items()
        )

    def divisors(self) -> dict[Expression, int]:
        """Return the sums it is divided by, each with its greatest exponent there."""
        found: dict[Expression, int] = {}
        for powers in self.terms:
            for atom, exponent in powers:
                if type(atom) is Add and exponent < 0 and exponent.denominator == 1:
                    found[atom] = max(found.get(atom, 0), -exponent.numerator)
        return found

    def products(self) -> Iterator[Product]:
        """Return the terms."""
        return (Product(coefficient, powers) for powers, coefficient in self.terms.items())

    def factored(self) -> Product:
        """Return one product, as `product`, but with all common factors, positive or not.

        Whole powers of it may be taken apart, roots and logarithms may not.
        """
        return self._factored(certain=False) if len(self.terms) > 1 else self.product

    def _factored(self, *, certain: bool) -> Product:
        """Return `common factor · (sum)^1`; `certain`: only factors whose sign is known."""
        common = self.common_factor(certain=certain)
        rest = self if common == UNIT else self * product_form(common.inverse())
        atom = add(*(term.tree() for term in sorted(rest.products(), key=Product.order)))
        return common.times(Product(1, powers_of((atom, 1))))

    def common_factor(self, *, certain: bool) -> Product:
        """Return what divides every term: numbers, and each atom to its least exponent.

        It is negative where all terms are. `certain`: only atoms that are positive, so that
        logarithms and roots may be taken apart.
        """
        numerator = gcd(*(each.numerator for each in self.terms.values()))
        denominator = lcm(*(each.denominator for each in self.terms.values()))
        first, *others = (dict(powers) for powers in self.terms or [NO_POWERS])
        for exponents in others:
            for atom in {*first, *exponents}:
                first[atom] = min(first.get(atom, 0), exponents.get(atom, 0))
        kept = frozenset(
            (atom, exponent)
            for atom, exponent in first.items()
            if exponent and not (certain and not is_positive(atom))
        )
        if all(coefficient < 0 for coefficient in self.terms.values()):
            numerator = -numerator
        return Product(plain(Fraction(numerator, denominator)), kept)

    def tree(self) -> Expression:
        """Return the expression: terms of high degree first, common factors outside.

        >>> p = symbol_form(Symbol("P"))
        >>> (p * p - p).tree().factors[1].terms[0]
        Symbol(name='P', integer=False, positive=True)
        """
        return self.factored().tree()


def symbol_form(symbol: Expression) -> NormalForm:
    """Return the normal form of an atom."""
    return NormalForm({powers_of((symbol, 1)): 1})


def number_form(value: Rational) -> NormalForm:
    """Return the normal form of a number."""
    return NormalForm({NO_POWERS: plain(value)} if value else {})


def product_form(product: Product) -> NormalForm:
    """Return the normal form of one product, its sums not multiplied out."""
    return NormalForm({product.powers: product.coefficient} if product.coefficient else {})


def collected(terms: Iterable[Product]) -> NormalForm:
    """Return the sum of products, those with equal powers added."""
    sums: Terms = {}
    for coefficient, powers in terms:
        if powers in sums:
            coefficient = plain(sums[powers] + coefficient)
            if not coefficient:
                del sums[powers]
                continue
        sums[powers] = coefficient
    if len(sums) > MOST_TERMS or any(_is_long(each) for each in sums.values()):
        raise TooLong
    return NormalForm(sums)


def _is_long(value: Rational) -> bool:
    return value.numerator.bit_length() + value.denominator.bit_length() > MOST_BITS


def _is_whole_atom(atom: Expression) -> bool:
    if isinstance(atom, Symbol):
        return atom.integer
    return isinstance(atom, Function) and atom.name in ("ceil", "floor")
