"""Signs of normal forms: of numbers by their value, of formulas where all names allow only one."""

from __future__ import annotations

import math
from fractions import Fraction

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import is_positive
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, Expression, Symbol

_PRECISION = 100  # bits


def sign(form: NormalForm) -> int | None:
    """Return -1, 0 or 1, or None where it is not certain.

    A name that is a positive whole number is at least 1; what is 0 only at such a bound (P - 1,
    log2 P at P = 1) counts by its sign elsewhere.

    >>> from roofdsl.expression.construct import number, subtract
    >>> sign(normal_form(subtract(trees.Function("log2", (number(9),)), number(3))))
    1
    >>> p, rate = Symbol("P", integer=True), Symbol("rate")
    >>> sign(normal_form(subtract(p, ONE))), sign(normal_form(subtract(rate, ONE)))
    (1, None)
    """
    if not form:
        return 0
    common = common_sign(form)
    if common is not None:
        return common
    symbols = free_symbols(form.tree())
    if not symbols:
        return _sign_of_number(form)
    shifts = {
        symbol.name: add(symbol, ONE) for symbol in symbols if symbol.integer and symbol.positive
    }
    if not shifts:
        return None
    product = form.product
    if not all(is_positive(atom) or type(atom) is trees.Add for atom, _ in product.powers):
        return None
    signs = [1 if product.coefficient > 0 else -1]
    for atom, exponent in product.powers:
        if is_positive(atom) or exponent.numerator % 2 == 0:
            continue
        shifted = normal_form(substitute(atom, shifts))
        common = None if shifted is None else common_sign(shifted) or _sign_of_number(shifted)
        if common is None:
            return None
        signs.append(common)
    return math.prod(signs)


def _sign_of_number(form: NormalForm) -> int | None:
    tree = form.tree()
    if free_symbols(tree):
        return None
    from roofdsl.expression.bounds import sign_by_bounds  # mpmath takes its time to import

    try:
        return sign_by_bounds(tree, _PRECISION) or None
    except (ArithmeticError, ValueError):
        return None


def common_sign(form: NormalForm) -> int | None:
    """Return the sign all terms have, None where they differ or a factor's is not known."""
    signs = {coefficient > 0 for coefficient in form.terms.values()}
    if len(signs) == 1 and all(
        exponent.numerator % 2 == 0 or is_positive(atom) or _is_logarithm_from_1(atom)
        for powers in form.terms
        for atom, exponent in powers
    ):
        return 1 if signs.pop() else -1
    return None


def _is_logarithm_from_1(atom: Expression) -> bool:
    match atom:
        case trees.Function("log2", (Symbol() as argument,)):
            return argument.integer and argument.positive
        case trees.Function("log2", (trees.Add(operands),)):
            # An integer ≥ 1 and something positive.
            return all(is_positive(operand) for operand in operands) and any(
                isinstance(operand, Symbol) and operand.integer for operand in operands
            )
        case _:
            return False


def known_bounds(tree: Expression) -> tuple[Fraction, Fraction] | None:
    """Return bounds of a number close together; None where it has no value, or a name in it.

    >>> low, high = known_bounds(trees.Function("exp", (ONE,)))
    >>> low < high and float(low) == float(high)
    True
    """
    if free_symbols(tree):
        return None
    from roofdsl.expression.bounds import bounds  # mpmath takes its time to import

    try:
        return bounds(tree, _PRECISION)
    except (ArithmeticError, ValueError):
        return None
