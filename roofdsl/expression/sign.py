"""Signs of normal forms: of numbers by their value, of formulas where all names allow only one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import fold
from roofdsl.expression.product import is_positive
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, Expression, Number, Symbol

_ROUNDING = 2.0**-50


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
    common = _common_sign(form)
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
        common = None if shifted is None else _common_sign(shifted) or _sign_of_number(shifted)
        if common is None:
            return None
        signs.append(common)
    return math.prod(signs)


def _sign_of_number(form: NormalForm) -> int | None:
    tree = form.tree()
    if free_symbols(tree):
        return None
    value, error = approximation(tree)
    return None if not abs(value) > error else 1 if value > 0 else -1


def _common_sign(form: NormalForm) -> int | None:
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


class Approximation(NamedTuple):
    """A value, and a bound of how far the exact one is away."""

    value: float
    error: float


_UNKNOWN = Approximation(0.0, math.inf)


def approximation(tree: Expression) -> Approximation:
    """Return a number expression's value; the error is infinite where it has none or a name in it.

    >>> approximation(trees.Function("log2", (Number(ONE.value * 8),))).value
    3.0
    """
    return fold(tree, _approximated)


def _approximated(node: Expression, operands: Sequence[Approximation]) -> Approximation:
    if any(not math.isfinite(operand.error) for operand in operands):
        return _UNKNOWN
    try:
        value, error = _apply(node, operands)
    except (OverflowError, ValueError, ZeroDivisionError):
        return _UNKNOWN
    if not (math.isfinite(value) and math.isfinite(error)):
        return _UNKNOWN
    return Approximation(value, error + abs(value) * _ROUNDING)


def _apply(node: Expression, operands: Sequence[Approximation]) -> tuple[float, float]:
    match node:
        case Number(exact):
            return float(exact), 0.0
        case trees.Add():
            size = math.fsum(abs(value) for value, _ in operands)
            error = math.fsum(error for _, error in operands)
            return math.fsum(value for value, _ in operands), error + size * _ROUNDING
        case trees.Multiply():
            value = math.prod((each.value for each in operands), start=1.0)
            return value, abs(value) * sum(map(_relative, operands)) * (1 + 1e-3)
        case trees.Divide():
            (above, _), (below, _) = operands
            value = above / below
            return value, abs(value) * sum(map(_relative, operands)) * (1 + 1e-3)
        case trees.Power():
            (base, _), (exponent, exponent_error) = operands
            value = math.pow(base, exponent)
            spread = abs(exponent) * _relative(operands[0])
            if exponent_error:
                spread += abs(math.log(base)) * exponent_error
            return value, abs(value) * math.expm1(2 * spread)
        case trees.Function(name, _):
            return _apply_function(name, operands)
        case _:
            raise ValueError("not a number")


def _relative(operand: Approximation) -> float:
    """Return the relative error, and refuse one that is not small."""
    if not operand.error:
        return 0.0
    relative = operand.error / abs(operand.value)
    if relative > 1e-4:
        raise ValueError("too uncertain to go on with")
    return relative


def _apply_function(name: str, operands: Sequence[Approximation]) -> tuple[float, float]:
    value, error = operands[0]
    match name:
        case "log2":
            return math.log2(value), 2 * _relative(operands[0])
        case "ln":
            return math.log(value), 2 * _relative(operands[0])
        case "log10":
            return math.log10(value), 2 * _relative(operands[0])
        case "exp":
            return math.exp(value), math.exp(value) * math.expm1(2 * error)
        case "abs":
            return abs(value), error
        case "min":
            return min(each.value for each in operands), max(each.error for each in operands)
        case "max":
            return max(each.value for each in operands), max(each.error for each in operands)
        case "ceil" if math.ceil(value - error) == math.ceil(value + error):
            return math.ceil(value), 0.0
        case "floor" if math.floor(value - error) == math.floor(value + error):
            return math.floor(value), 0.0
        case _:
            raise ValueError("not a function of numbers")
