"""Roots of the few equations that have a formula, built from normal forms of their coefficients."""

from __future__ import annotations

import math
from fractions import Fraction

from roofdsl.expression.construct import (
    FOLD_BITS,
    add,
    call,
    divide,
    multiply,
    negate,
    number,
    power,
)
from roofdsl.expression.normal_form import NormalForm, factored, number_form, product_form
from roofdsl.expression.product import (
    UNIT,
    Product,
    Rational,
    inverse,
    is_positive,
    plain,
    powers_of,
    product_tree,
    times,
)
from roofdsl.expression.rational import rational_power
from roofdsl.expression.sign import approximation, sign
from roofdsl.expression.tree import Expression

_LN2 = call("ln", number(2))


def quotient(above: NormalForm, below: NormalForm) -> NormalForm:
    """Return `above / below`, common factors divided out; `below` is not 0."""
    return product_form(times(factored(above), inverse(factored(below))))


def radical(base: NormalForm, exponent: Rational) -> Expression:
    """Return `base ^ exponent` for a base > 0; what has a whole exponent stands outside the root.

    >>> from roofdsl.expression.normalise import normal_form
    >>> from roofdsl.expression.tree import Symbol
    >>> p = Symbol("P")
    >>> radical(normal_form(multiply(number(4), p, p)), Fraction(1, 2)) == multiply(number(2), p)
    True
    """
    product = base.product
    if exponent == 1:
        return product_tree(product)
    outside: list[tuple[Expression, Rational]] = []
    inside: list[tuple[Expression, Rational]] = []
    for atom, old in product.powers:
        if is_positive(atom) and (old * exponent).denominator == 1:
            outside.append((atom, plain(old * exponent)))
        else:
            inside.append((atom, old))
    coefficient = rational_power(Fraction(product.coefficient), Fraction(exponent), FOLD_BITS)
    if coefficient is None:
        rest = Product(product.coefficient, frozenset(inside))
    else:
        rest = Product(1, frozenset(inside))
    if rest != UNIT:
        outside.append((power(product_tree(rest), number(exponent)), 1))
    return product_tree(Product(1 if coefficient is None else coefficient, frozenset(outside)))


def quadratic_roots(a: NormalForm, b: NormalForm, c: NormalForm) -> list[Expression]:
    """Return the roots of a·u² + b·u + c = 0 that may be real and positive, the smaller first."""
    half = b * number_form(Fraction(1, 2))
    discriminant = half * half - a * c
    signs = sign(a), sign(b), sign(c)
    positive = sign(discriminant)
    if positive == -1:
        return []
    if positive == 0:
        double = quotient(-half, a)
        return [] if sign(double) == -1 else [double.tree()]
    first, second = _two_roots(a, half, c, signs[1], radical(discriminant, Fraction(1, 2)))
    if signs[0] is None or signs[2] is None:
        return [first, second]
    if signs[0] != signs[2]:
        return [second] if signs[0] == 1 else [first]
    if signs[0] == signs[1]:
        return []
    return [first, second] if signs[0] == 1 else [second, first]


def _two_roots(
    a: NormalForm, half: NormalForm, c: NormalForm, sign_of_half: int | None, root: Expression
) -> tuple[Expression, Expression]:
    """Return (-h - √D)/a and (-h + √D)/a; where h cancels against the root, c over the other."""
    lower = add((-half).tree(), negate(root))
    upper = add((-half).tree(), root)
    first = divide(c.tree(), upper) if sign_of_half == -1 else divide(lower, a.tree())
    second = divide(c.tree(), lower) if sign_of_half == 1 else divide(upper, a.tree())
    return first, second


def lambert_roots(
    a: Rational, slope: NormalForm, shift: NormalForm, scale: NormalForm
) -> list[Expression]:
    """Return the roots of scale·x^a + slope·log2 x + shift = 0 that may be real.

    x^a = s·W(z) with s = slope/(a·scale·ln 2) and z = 2^(-a·shift/slope)/s, on both branches of W.
    """
    factor = quotient(slope, number_form(a) * scale)
    exponent = quotient(number_form(-a) * shift, slope) if shift else NormalForm({})
    ln2 = Product(1, powers_of((_LN2, 1)))
    argument = times(inverse(factored(factor)), ln2)
    if exponent:
        argument = times(argument, Product(1, powers_of((power(number(2), exponent.tree()), 1))))
    outer = times(factored(factor), inverse(ln2))
    branches = _branches(sign(factor), product_tree(argument))
    return [
        power(product_tree(times(outer, Product(1, powers_of((each, 1))))), number(1 / Fraction(a)))
        for each in branches
    ]


def lambert_roots_of_power(gamma: Rational, kappa: Expression) -> list[Expression]:
    """Return the roots of x^gamma · log2 x = kappa > 0 that may be real.

    x^gamma = s/W(s) with s = gamma·kappa·ln 2.
    """
    argument = multiply(number(gamma), kappa, _LN2)
    return [
        power(divide(argument, each), number(1 / Fraction(gamma)))
        for each in _branches(1 if gamma > 0 else -1, argument)
    ]


def _branches(above_zero: int | None, argument: Expression) -> list[Expression]:
    """Return W(argument) on the branches that may be real: both from -1/e to 0, one above 0."""
    if above_zero != 1:
        value, error = approximation(argument)
        if value + error < -1 / math.e * (1 + 1e-12):
            return []
    first = call("lambertw", argument, number(0))
    return [first] if above_zero == 1 else [first, call("lambertw", argument, number(-1))]
