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
from roofdsl.expression.logarithm import LN2
from roofdsl.expression.normal_form import NormalForm, number_form, product_form
from roofdsl.expression.order import weight
from roofdsl.expression.product import UNIT, Product, Rational, is_positive, plain, powers_of
from roofdsl.expression.rational import rational_power
from roofdsl.expression.sign import known_bounds, sign
from roofdsl.expression.tree import Expression


def quotient(above: NormalForm, below: NormalForm) -> NormalForm:
    """Return `above / below`, common factors divided out; `below` is not 0."""
    mixed = any(each < 0 for each in below.terms.values())
    if mixed and above.factored().coefficient < 0:
        above, below = -above, -below
    divisor = below.factored()
    if divisor.coefficient < 0:
        above, divisor = -above, Product(-divisor.coefficient, divisor.powers)
    return product_form(above.factored().times(divisor.inverse()))


def ratio(above: NormalForm, below: NormalForm) -> Expression:
    """Return `above / below` as one quotient or as a sum of quotients, whichever is shorter.

    >>> from roofdsl.expression.normalise import normal_form
    >>> from roofdsl.expression.tree import Symbol
    >>> from roofdsl.typeset.text import text
    >>> n, p = Symbol("N"), Symbol("P")
    >>> text(ratio(normal_form(add(n, multiply(number(-2), p))), normal_form(multiply(n, p))))
    '1/P - 2/N'
    """
    whole = quotient(above, below).product.tree()
    if len(above.terms) == 1 or len(below.terms) > 1:
        return whole
    divisor = below.factored().inverse()
    ordered = sorted(above.products(), key=Product.order)
    terms = add(*(term.times(divisor).tree() for term in ordered))
    return terms if weight(terms) <= weight(whole) else whole


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
        return product.tree()
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
        outside.append((power(rest.tree(), number(exponent)), 1))
    return Product(1 if coefficient is None else coefficient, frozenset(outside)).tree()


def quadratic_roots(a: NormalForm, b: NormalForm, c: NormalForm) -> list[Expression]:
    """Return the roots of a·u² + b·u + c = 0 that may be real and positive, the smaller first."""
    if sign(a) == -1:
        a, b, c = -a, -b, -c
    # With b = 2h the roots are (-h ± √(h² - ac))/a; where h has fractions, all is doubled.
    scale = 1 if all(Fraction(each) % 2 == 0 for each in b.terms.values()) else 2
    half = b * number_form(Fraction(scale, 2))
    a, c = number_form(scale) * a, number_form(scale) * c
    discriminant = half * half - a * c
    signs = sign(a), sign(b), sign(c)
    positive = sign(discriminant)
    if positive == -1:
        return []
    if positive == 0:
        double = quotient(-half, a)
        return [] if sign(double) == -1 else [double.tree()]
    smaller, larger = _two_roots(a, half, c, signs[1], radical(discriminant, Fraction(1, 2)))
    if signs[0] is None or signs[2] is None:
        return [smaller, larger]
    if signs[0] != signs[2]:
        return [larger]
    return [] if signs[0] == signs[1] else [smaller, larger]


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
    ln2 = Product(1, powers_of((LN2, 1)))
    argument = factor.factored().inverse().times(ln2)
    if exponent:
        argument = argument.times(Product(1, powers_of((power(number(2), exponent.tree()), 1))))
    outer = factor.factored().times(ln2.inverse())
    branches = _branches(sign(factor), argument.tree())
    return [
        _raised(outer.times(Product(1, powers_of((each, 1)))), 1 / Fraction(a)) for each in branches
    ]


def _raised(product: Product, exponent: Fraction) -> Expression:
    if exponent < 0:
        product, exponent = product.inverse(), -exponent
    return power(product.tree(), number(exponent))


def lambert_roots_of_power(gamma: Rational, kappa: Expression) -> list[Expression]:
    """Return the roots of x^gamma · log2 x = kappa > 0 that may be real.

    x^gamma = s/W(s) with s = gamma·kappa·ln 2.
    """
    argument = multiply(number(gamma), kappa, LN2)
    return [
        power(divide(argument, each), number(1 / Fraction(gamma)))
        for each in _branches(1 if gamma > 0 else -1, argument)
    ]


def _branches(above_zero: int | None, argument: Expression) -> list[Expression]:
    """Return W(argument) on the branches that may be real: both from -1/e to 0, one above 0."""
    if above_zero != 1:
        known = known_bounds(argument)
        if known and known[1] < -1 / math.e * (1 + 1e-12):
            return []
    first = call("lambertw", argument, number(0))
    return [first] if above_zero == 1 else [first, call("lambertw", argument, number(-1))]
