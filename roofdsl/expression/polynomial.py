"""Generalised polynomials in one unknown: Σ c·x^a·L^b with L = log2 x."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from roofdsl.expression.construct import add, multiply
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import cleared, normal_form
from roofdsl.expression.product import (
    Powers,
    Product,
    Rational,
    TooLong,
    is_positive,
    plain,
    powers_of,
)
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Function, Symbol


class Degree(NamedTuple):
    """The exponents of x and of L = log2 x; they compare as the terms grow."""

    x: Rational
    log: Rational


class GeneralisedPolynomial:
    """Σ c·x^a·L^b, L = log2 x: `terms` has c, free of x and not 0, for each (a, b).

    For x > 0; the exponents are rational.
    """

    __slots__ = ("terms", "unknown")

    def __init__(self, unknown: Symbol, terms: Mapping[Degree, NormalForm]) -> None:
        self.unknown = unknown
        self.terms = dict(terms)

    def __sub__(self, other: GeneralisedPolynomial) -> GeneralisedPolynomial:
        """Return the difference; equal terms cancel exactly."""
        terms = dict(self.terms)
        for degree, coefficient in other.terms.items():
            rest = terms[degree] - coefficient if degree in terms else -coefficient
            if rest:
                terms[degree] = rest
            else:
                del terms[degree]
        return GeneralisedPolynomial(self.unknown, terms)

    @property
    def degree(self) -> Degree:
        """The exponents of the term that outgrows the others; raises ValueError for 0."""
        return max(self.terms)

    def stripped(self) -> tuple[Degree, GeneralisedPolynomial]:
        """Return the largest common x^a·L^b and what is left when it is divided out.

        >>> n = Symbol("N")
        >>> square = polynomial(add(multiply(n, n), n), "N")
        >>> common, rest = square.stripped()
        >>> common, sorted(rest.terms)
        (Degree(x=1, log=0), [Degree(x=0, log=0), Degree(x=1, log=0)])
        """
        x = min((degree.x for degree in self.terms), default=0)
        log = min((degree.log for degree in self.terms), default=0)
        rest = {
            Degree(plain(degree.x - x), plain(degree.log - log)): coefficient
            for degree, coefficient in self.terms.items()
        }
        return Degree(x, log), GeneralisedPolynomial(self.unknown, rest)

    def tree(self) -> Expression:
        """Return the polynomial as an expression, the fastest growing term first."""
        return add(*(self.term(degree) for degree in sorted(self.terms, reverse=True)))

    def term(self, degree: Degree) -> Expression:
        """Return one term as an expression."""
        x = self.unknown
        powers = powers_of((x, degree.x), (Function("log2", (x,)), degree.log))
        monomial: Powers = frozenset(item for item in powers if item[1])
        coefficient = self.terms[degree]
        if len(coefficient.terms) == 1:
            ((own, number),) = coefficient.terms.items()
            return Product(number, own | monomial).tree()
        return multiply(coefficient.tree(), Product(1, monomial).tree())


def polynomial(tree: Expression, name: str) -> GeneralisedPolynomial | None:
    """Return an expression as a generalised polynomial in the name, or None if it is none.

    Products, quotients by one term, rational powers of one term and logarithms of one term are
    multiplied out and taken apart; the name is taken for positive.

    >>> n, p = Symbol("N"), Symbol("P")
    >>> found = polynomial(Function("log2", (multiply(n, n, p),)), "N")
    >>> {tuple(degree): coefficient.tree() for degree, coefficient in found.terms.items()}[(0, 1)]
    Number(value=Fraction(2, 1))
    """
    form = normal_form(tree, name)
    return None if form is None else grouped(form, name)


def of_one_sign(tree: Expression, name: str) -> GeneralisedPolynomial | None:
    """Return a generalised polynomial of the sign that an expression has, or None.

    It is the expression times the sums that it is divided by, as long as these are above 0.

    >>> n, p = Symbol("N"), Symbol("P")
    >>> from roofdsl.expression.construct import divide
    >>> of_one_sign(divide(p, add(n, p)), "N").tree() == p
    True
    """
    form = normal_form(tree, name)
    if form is None or not all(
        is_positive(atom) or all(symbol.name != name for symbol in free_symbols(atom))
        for atom in form.divisors()
    ):
        return None
    try:
        return grouped(cleared(form, name), name)
    except TooLong:
        return None


def grouped(form: NormalForm, name: str) -> GeneralisedPolynomial | None:
    """Return a normal form sorted by the powers of a name, or None if it holds it otherwise."""
    unknown = Symbol(name)
    groups: dict[Degree, list[Product]] = {}
    free: dict[Expression, bool] = {}
    for coefficient, powers in form.products():
        x: Rational = 0
        log: Rational = 0
        own = []
        for atom, exponent in powers:
            match atom:
                case Symbol(other) if other == name:
                    unknown, x = atom, exponent
                case Function("log2", (Symbol(other) as argument,)) if other == name:
                    unknown, log = argument, exponent
                case _:
                    if atom not in free:
                        free[atom] = all(symbol.name != name for symbol in free_symbols(atom))
                    if not free[atom]:
                        return None
                    own.append((atom, exponent))
        rest = Product(coefficient, frozenset(own))
        groups.setdefault(Degree(x, log), []).append(rest)
    sums = {degree: collected(terms) for degree, terms in groups.items()}
    return GeneralisedPolynomial(unknown, sums)
