"""Expressions as quotients of two sums of products, without common factors.

What is not taken apart any further (a name's root, a logarithm, a maximum) is the variable of a
polynomial. SymPy's polynomials do the cancelling and factoring of those that may have factors.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from roofdsl.expression.normal_form import NormalForm, collected, number_form, product_form
from roofdsl.expression.normalise import Normaliser
from roofdsl.expression.product import UNIT, Product, Rational, TooLong, plain, powers_of
from roofdsl.expression.tree import Expression

if TYPE_CHECKING:
    from sympy.polys.rings import PolyRing

Polynomial: TypeAlias = Mapping[tuple[int, ...], int]
"""Whole coefficients by the exponents of the variables."""

# Beyond these, factoring could take longer than a reader waits.
MOST_VARIABLES = 10
LARGEST_TO_FACTOR = 40  # terms times variables
LARGEST_DEGREE = 24
LARGEST_COEFFICIENT = 10**30


class Factor(NamedTuple):
    """A sum and its exponent in a product, below 0 in a denominator."""

    form: NormalForm
    exponent: int


class Quotient(NamedTuple):
    """`common · Π form^exponent`; the same value in one or more ways, fully factored first."""

    common: Product
    factors: tuple[Factor, ...]


def atom_order(atom: Expression) -> tuple[Rational, list[tuple[int, str, Rational]]]:
    """Return a key that puts atoms in an order that is always the same.

    >>> from roofdsl.expression.tree import Symbol
    >>> [atom.name for atom in sorted([Symbol("P"), Symbol("N")], key=atom_order)]
    ['N', 'P']
    """
    return Product(1, powers_of((atom, 1))).order()


def quotients(tree: Expression) -> list[Quotient]:
    """Return a tree as a quotient in lowest terms, numerator and denominator factored or not.

    Nothing if it grows too long.

    >>> from roofdsl.expression.tree import Add, Divide, Number, Power, Symbol
    >>> n, one, two = Symbol("N"), Number(Fraction(1)), Number(Fraction(2))
    >>> square = Add((Power(n, two), n))
    >>> (found,) = quotients(Divide(square, Add((n, one))))
    >>> found.common.powers, found.factors
    (frozenset({(Symbol(name='N', integer=False, positive=True), 1)}), ())
    """
    try:
        normaliser = Normaliser()
        above, below = _cleared(normaliser.form(tree), normaliser)
        if not above:
            return [Quotient(Product(0, UNIT.powers), ())]
        return _lowest(above, below) if below else []
    except (TooLong, RecursionError):
        return []


def _cleared(form: NormalForm, normaliser: Normaliser) -> tuple[NormalForm, NormalForm]:
    """Return numerator and denominator of a form, sums multiplied out in both."""
    sums = form.divisors()
    if not sums:
        return form, number_form(1)
    parts = {atom: _cleared(normaliser.form(atom), normaliser) for atom in sums}
    numerator = NormalForm({})
    for term in form.products():
        exponents = {a: -e.numerator for a, e in term.powers if a in sums and e.denominator == 1}
        own = frozenset(item for item in term.powers if item[0] not in exponents)
        cleared = product_form(Product(term.coefficient, own))
        for atom, most in sums.items():
            above, below = parts[atom]
            times_below = exponents.get(atom, 0)
            cleared = cleared * _raised(below, times_below) * _raised(above, most - times_below)
        numerator = numerator + cleared
    denominator = number_form(1)
    for atom, most in sums.items():
        denominator = denominator * _raised(parts[atom][0], most)
    return numerator, denominator


def _raised(form: NormalForm, exponent: int) -> NormalForm:
    if exponent > LARGEST_DEGREE:
        raise TooLong
    result = number_form(1)
    for _ in range(exponent):
        result = result * form
    return result


def _lowest(above: NormalForm, below: NormalForm) -> list[Quotient]:
    common = above.common_factor(certain=False).times(below.common_factor(certain=False).inverse())
    variables = _Variables(above, below)
    first, second = variables.polynomial(above), variables.polynomial(below)
    if len(first) > 1 and len(second) > 1 and not _are_coprime(first, second):
        first, second = variables.cancelled(first, second)
    sides: list[list[list[Factor]]] = []
    for polynomial, sign in ((first, 1), (second, -1)):
        parts = variables.factors(polynomial)
        factored = [Factor(variables.form(part), sign * exponent) for part, exponent in parts]
        ways = [factored]
        if sum(exponent for part, exponent in parts if len(part) > 1) > 1:
            ways.append([Factor(variables.form(polynomial), sign)])
        sides.append(ways)
    return [_normalised(common, [*top, *bottom]) for top in sides[0] for bottom in sides[1]]


def _are_coprime(first: Polynomial, second: Polynomial) -> bool:
    """Whether two polynomials have no factor in common, where that is seen at once."""
    differ = first not in (second, _negated(second))
    return differ and _is_irreducible(first) and _is_irreducible(second)


def _is_irreducible(polynomial: Polynomial) -> bool:
    """Whether a variable stands in one term alone, to the first power: then nothing factors.

    Of two factors one would be without that variable. So it would divide that term's coefficient,
    which is a product, and all other terms; but what all terms have in common is divided out.
    """
    return any(sorted(exponents)[-2:] == [0, 1] for exponents in zip(*polynomial, strict=True))


def _is_long(polynomial: Polynomial) -> bool:
    degrees = [max(exponents) for exponents in zip(*polynomial, strict=True)]
    size = len(polynomial) * sum(degree > 0 for degree in degrees)
    coefficient = max(map(abs, polynomial.values()))
    too_high = max(degrees) > LARGEST_DEGREE or coefficient > LARGEST_COEFFICIENT
    return too_high or size > LARGEST_TO_FACTOR


def _negated(polynomial: Polynomial) -> Polynomial:
    return {exponents: -coefficient for exponents, coefficient in polynomial.items()}


def _normalised(common: Product, factors: list[Factor]) -> Quotient:
    """Make single products part of the common one, and prefer sums to begin with a plus."""
    kept: list[Factor] = []
    for form, exponent in factors:
        if len(form.terms) == 1:
            product = form.product if exponent > 0 else form.product.inverse()
            for _ in range(abs(exponent)):
                common = common.times(product)
        elif all(coefficient < 0 for coefficient in form.terms.values()):
            common = Product(common.coefficient * (-1 if exponent % 2 else 1), common.powers)
            kept.append(Factor(-form, exponent))
        else:
            kept.append(Factor(form, exponent))
    for place, (form, exponent) in enumerate(kept):
        mixed = min(form.terms.values()) < 0
        if common.coefficient < 0 and exponent % 2 and mixed:
            common = Product(-common.coefficient, common.powers)
            kept[place] = Factor(-form, exponent)
    return Quotient(common, tuple(kept))


class _Variables:
    """The atoms of two forms, each to a fraction of its power, as variables of polynomials."""

    def __init__(self, *forms: NormalForm) -> None:
        roots: dict[Expression, int] = {}
        for form in forms:
            for powers in form.terms:
                for atom, exponent in powers:
                    roots[atom] = lcm(roots.get(atom, 1), exponent.denominator)
        if len(roots) > MOST_VARIABLES:
            raise TooLong
        # Sets have no order; factors would come out in another one each time.
        self.roots = {atom: roots[atom] for atom in sorted(roots, key=atom_order)}

    @cached_property
    def _ring(self) -> PolyRing:
        from sympy import ZZ  # SymPy takes its time to import
        from sympy.polys.rings import PolyRing

        return PolyRing([f"x{place}" for place in range(max(1, len(self.roots)))], ZZ)

    def cancelled(self, first: Polynomial, second: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Return two polynomials without the factors that both have."""
        above, below = self._ring.from_dict(first).cancel(self._ring.from_dict(second))
        return dict(above), dict(below)

    def factors(self, polynomial: Polynomial) -> list[tuple[Polynomial, int]]:
        """Return the factors of a polynomial with their exponents, if they are soon found."""
        if len(polynomial) == 1:
            return [(polynomial, 1)]
        if _is_irreducible(polynomial):
            first = max(polynomial)
            if polynomial[first] > 0:
                return [(polynomial, 1)]
            # As factors do, it begins with a plus; its sign is a factor of its own.
            return [(_negated(polynomial), 1), ({tuple(0 for _ in first): -1}, 1)]
        if _is_long(polynomial):
            return [(polynomial, 1)]
        coefficient, parts = self._ring.from_dict(polynomial).factor_list()
        found: list[tuple[Polynomial, int]] = [(dict(part), exponent) for part, exponent in parts]
        return [*found, ({self._ring.zero_monom: coefficient}, 1)] if coefficient != 1 else found

    def polynomial(self, form: NormalForm) -> Polynomial:
        """Return a form without its common factors, its coefficients whole."""
        inverted = form.common_factor(certain=False).inverse()
        terms = {}
        for term in form.products():
            coefficient, powers = term.times(inverted)
            exponents = dict(powers)
            monomial = tuple(
                (exponents.pop(atom, 0) * root).numerator for atom, root in self.roots.items()
            )
            terms[monomial or (0,)] = coefficient.numerator
        return terms

    def form(self, polynomial: Polynomial) -> NormalForm:
        terms = []
        for monomial, coefficient in sorted(polynomial.items(), reverse=True):
            powers = frozenset(
                (atom, plain(Fraction(exponent, root)))
                for (atom, root), exponent in zip(self.roots.items(), monomial, strict=False)
                if exponent
            )
            terms.append(Product(int(coefficient), powers))
        return collected(terms)
