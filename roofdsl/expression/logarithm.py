"""Logarithms in normal forms: log2 of names and primes is all there is."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.expression.normal_form import NormalForm, collected, number_form
from roofdsl.expression.product import NO_POWERS, UNIT, Powers, Product, plain, powers_of
from roofdsl.expression.rational import factors
from roofdsl.expression.tree import Function, Number

_TWO = Number(Fraction(2))
LN2 = Function("ln", (_TWO,))
LOG10_2 = Function("log10", (_TWO,))
_LOG2_5 = Function("log2", (Number(Fraction(5)),))


def exponents(form: NormalForm) -> tuple[Product, NormalForm]:
    """Split `2^form` into a product of powers and the exponent that is left.

    >>> exponents(log2_of_whole(12))
    (Product(coefficient=12, powers=frozenset()), NormalForm({}))
    """
    taken = UNIT
    rest = {}
    for powers, coefficient in form.terms.items():
        base = _power_of_2(powers)
        power = None if base is None else base.raised(coefficient)
        if power is None:
            rest[powers] = coefficient
        else:
            taken = taken.times(power)
    return taken, NormalForm(rest)


def _power_of_2(exponent: Powers) -> Product | None:
    """Return 2^1 or 2^(log2 x), None for any other exponent."""
    match [*exponent]:
        case []:
            return Product(2, NO_POWERS)
        case [(Function("log2", (Number(value),)), 1)]:
            return Product(plain(value), NO_POWERS)
        case [(Function("log2", (argument,)), 1)]:
            return Product(1, powers_of((argument, 1)))
    return None


def log2_of_whole(value: int) -> NormalForm:
    """Return log2 of a whole number ≥ 1.

    >>> log2_of_whole(8).constant
    3
    """
    terms: NormalForm = NormalForm({})
    for base, exponent in factors(value):
        if base == 2:
            terms = terms + number_form(exponent)
        else:
            atom = Function("log2", (Number(Fraction(base)),))
            terms = terms + NormalForm({powers_of((atom, 1)): exponent})
    return terms


def decimal(form: NormalForm) -> NormalForm:
    """Put 1 - log10 2 for log2 5 · log10 2, which is log10 5.

    >>> log10_2 = NormalForm({powers_of((LOG10_2, 1)): 1})
    >>> decimal((log2_of_whole(5) + log2_of_whole(2)) * log10_2).constant
    1
    """
    both = powers_of((_LOG2_5, 1), (LOG10_2, 1))
    terms = []
    for term in form.products():
        if both <= term.powers:
            rest = Product(term.coefficient, term.powers - both)
            terms.append(rest)
            terms.append(rest.times(Product(-1, powers_of((LOG10_2, 1)))))
        else:
            terms.append(term)
    return collected(terms)
