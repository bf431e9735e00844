"""Sums with exponentials, as one exponential times a sum that floats can hold.

2^N and 3^N/1000 are both beyond every float soon, and nothing can be said of ∞ and ∞. Divided by
3^N, which is above 0, they are (2/3)^N and 1/1000, whose order is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression.construct import add, call, divide, multiply, number, subtract
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.polynomial import grouped
from roofdsl.expression.product import Product, is_positive
from roofdsl.expression.substitute import free_symbols, rewritten
from roofdsl.expression.tree import ZERO, Expression, Function, Number, Power
from roofdsl.numeric.enclosure import Enclosure

# Where it is asked which exponential outgrows the others. Any answer would do: it is divided out.
_FAR = 1e18
_SMALL = 500.0


class Scaled(NamedTuple):
    """`exp(logarithm) · (positive - negative)`."""

    logarithm: Expression
    positive: Expression
    negative: Expression


def scaled(form: NormalForm, name: str) -> Scaled | None:
    """Return a sum without its largest exponential in a name > 0, None where it has none.

    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> difference = subtract(Power(number(3), n), Power(number(2), n))
    >>> scaled(normal_form(difference, "N"), "N").positive
    Number(value=Fraction(1, 1))
    """
    found = _divided([form], name)
    if found is None:
        return None
    largest, [(positive, negative)] = found
    return Scaled(largest, positive, negative)


def _divided(
    forms: Sequence[NormalForm], name: str
) -> tuple[Expression, list[tuple[Expression, Expression]]] | None:
    """Return the logarithm of the largest exponential in several sums, and each divided by it.

    Of each, what is added and what is subtracted.
    """
    rows = [[(each, _logarithm(each, name)) for each in form.products()] for form in forms]
    logarithms = {own for row in rows for _, own in row}
    if logarithms <= {ZERO}:
        return None
    largest, *others = sorted(logarithms, key=repr)
    for each in others:
        if _outgrows(each, largest, name):
            largest = each
    result = []
    for row in rows:
        sides: tuple[list[Expression], list[Expression]] = [], []
        for product, own in row:
            left = _plain(subtract(own, largest), name)
            rest = _without(product, name)
            term = rest if left == ZERO else multiply(rest, call("exp", left))
            sides[product.coefficient < 0].append(term)
        result.append((add(*sides[0]), add(*sides[1])))
    return _plain(largest, name), result


def tamed(tree: Expression, name: str) -> Expression:
    """Return an equal formula, with the exponentials taken out of logarithms, `max` and `min`.

    log2(2^N + 1) becomes N + log2(1 + 2^-N), and max(2^N, 3^N) 3^N·max((2/3)^N, 1).
    """
    if not has_exponentials(tree, name):
        return tree

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        match node:
            case Function("log2" | "ln" | "log10" | "max" | "min" as function, _):
                return _taken_out(function, operands, name)
        return None

    return rewritten(tree, made)


def _taken_out(function: str, operands: tuple[Expression, ...], name: str) -> Expression | None:
    forms = [normal_form(each, name) for each in operands]
    found = _divided([form for form in forms if form is not None], name)
    if found is None or None in forms:
        return None
    size, parts = found
    rest = call(function, *(subtract(*each) for each in parts))
    if function in ("max", "min"):
        return multiply(call("exp", size), rest)
    if function != "ln":
        size = divide(size, call("ln", number(2 if function == "log2" else 10)))
    return add(_plain(size, name), rest)


def has_exponentials(tree: Expression, name: str) -> bool:
    """Whether a name stands in an exponent.

    >>> from roofdsl.expression.tree import Symbol
    >>> has_exponentials(Power(number(2), Symbol("N")), "N")
    True
    """
    return any(_exponent(node, name) is not None for node in bottom_up(tree, outside_sums))


def _exponent(atom: Expression, name: str) -> Expression | None:
    """Return the logarithm of an exponential in a name, None where it is none."""
    match atom:
        case Function("exp", (exponent,)):
            logarithm = exponent
        case Power(base, exponent) if not isinstance(exponent, Number) and is_positive(base):
            logarithm = multiply(exponent, call("ln", base))
        case _:
            return None
    if all(symbol.name != name for symbol in free_symbols(exponent)):
        return None
    # What never gets near the end of the floats, as (1 + 1/N)^N, is better left as it is.
    low, high, _, _ = Enclosure(logarithm, name).over(_FAR, _FAR)
    return None if -_SMALL < low <= high < _SMALL else logarithm


def _logarithm(product: Product, name: str) -> Expression:
    """Return the logarithm of the exponentials in a product, 0 where there are none."""
    parts = ((_exponent(atom, name), power) for atom, power in product.powers)
    return add(*(multiply(Number(Fraction(power)), each) for each, power in parts if each))


def _without(product: Product, name: str) -> Expression:
    """Return the size of a product without its exponentials."""
    rest = frozenset(item for item in product.powers if _exponent(item[0], name) is None)
    coefficient = product.coefficient
    return Product(coefficient if coefficient > 0 else -coefficient, rest).tree()


def _plain(tree: Expression, name: str) -> Expression:
    """Return an equal formula that floats hold better: equal powers together, or `scaled`."""
    form = normal_form(tree, name)
    if form is None:
        return tree
    powers = grouped(form, name)
    if powers is not None:
        return powers.tree()
    found = scaled(form, name)
    if found is None:
        return form.tree()
    rest = subtract(found.positive, found.negative)
    return multiply(call("exp", found.logarithm), rest)


def _outgrows(one: Expression, other: Expression, name: str) -> bool:
    return Enclosure(_plain(subtract(one, other), name), name).over(_FAR, _FAR)[0] > 0
