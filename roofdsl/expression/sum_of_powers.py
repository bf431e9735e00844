"""Sums over whole numbers as polynomials in their upper bound."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb

from roofdsl.expression.normal_form import NormalForm, number_form, product_form
from roofdsl.expression.product import Product, is_positive, powers_of
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Function, Symbol

HIGHEST = 12


@lru_cache(maxsize=HIGHEST + 1)
def sum_of_powers(exponent: int) -> tuple[Fraction, ...]:
    """Return c with 1^m + 2^m + … + n^m = Σ c[k]·n^k, for every whole n ≥ 0.

    >>> [str(each) for each in sum_of_powers(2)]
    ['0', '1/6', '1/2', '1/3']
    """
    # (n+1)^(m+1) - 1 = Σ_k C(m+1, k)·(sum of k-th powers up to n), solved for the m-th.
    result = [Fraction(comb(exponent + 1, power)) for power in range(exponent + 2)]
    result[0] = Fraction(0)
    for lower in range(exponent):
        factor = comb(exponent + 1, lower)
        for power, coefficient in enumerate(sum_of_powers(lower)):
            result[power] -= factor * coefficient
    return tuple(each / (exponent + 1) for each in result)


def summed(body: NormalForm, index: Symbol, low: int, high: NormalForm) -> NormalForm | None:
    """Return the sum of `body` for a whole index from `low` to `high`, as a polynomial in `high`.

    None, where the body is no polynomial in the index of a degree up to `HIGHEST`, or the upper
    bound not certain to be a whole number, and no less than `low - 1`.

    >>> from roofdsl.expression.normal_form import symbol_form
    >>> n, k = Symbol("N", integer=True), Symbol("k", integer=True)
    >>> summed(symbol_form(k), k, 1, symbol_form(n)).tree().denominator
    Number(value=Fraction(2, 1))
    """
    if not high.is_whole or _least(high) is None or (_least(high) or 0) < low - 1:
        return None
    by_power: dict[int, NormalForm] = {}
    for coefficient, powers in body.products():
        exponent = dict(powers).get(index, 0)
        rest = powers.difference(powers_of((index, exponent)))
        if exponent.denominator != 1 or not 0 <= exponent <= HIGHEST:
            return None
        if any(symbol == index for atom, _ in rest for symbol in free_symbols(atom)):
            return None
        found = by_power.get(exponent.numerator, NormalForm({}))
        by_power[exponent.numerator] = found + product_form(Product(coefficient, rest))
    result = NormalForm({})
    before = number_form(low - 1)
    for power, factor in by_power.items():
        result = result + factor * (_value(power, high) - _value(power, before))
    return result


def _least(form: NormalForm) -> int | None:
    """Return a number that a sum of whole atoms is certainly not below, None if there is none."""
    total = 0
    for powers, coefficient in form.terms.items():
        if powers and coefficient < 0:
            return None
        # What is whole and above 0 is at least 1; `floor` of what is above 0 may be 0.
        if all(is_positive(atom) for atom, _ in powers):
            total += coefficient.numerator
        elif not all(is_positive(_argument(atom)) for atom, _ in powers):
            return None
    return total


def _argument(atom: Expression) -> Expression:
    return atom.arguments[0] if isinstance(atom, Function) and atom.name == "floor" else atom


def _value(power: int, bound: NormalForm) -> NormalForm:
    result = NormalForm({})
    for coefficient in reversed(sum_of_powers(power)):
        result = result * bound + number_form(coefficient)
    return result
