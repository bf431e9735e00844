"""Building trees: flattened, without neutral elements, numbers folded exactly.

Everything else stays in the shape it was written in. A number that would grow beyond `FOLD_BITS`
is left as an operation, so that `9^9^9^9` costs nothing. A product with the factor 0 is 0.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from roofdsl.expression import tree as trees
from roofdsl.expression.order import operands_of
from roofdsl.expression.rational import bits, rational_power
from roofdsl.expression.tree import (
    HALF,
    INFINITY,
    MINUS_ONE,
    ONE,
    ZERO,
    Expression,
    Number,
    Symbol,
)

FOLD_BITS = 4096
MOST_FLATTENED = 64
_LITERAL = re.compile(r"[+-]?[0-9]+((\.[0-9]+)?([eE][+-]?[0-9]{1,4})?|/[1-9][0-9]*)")


def number(value: int | Fraction | str) -> Number:
    """Return a number, exactly; a text may be `12`, `13.9`, `1.39e10` or `1/3`.

    Raises ValueError for any other text, and for one with more digits than `FOLD_BITS` hold.

    >>> number("13.9")
    Number(value=Fraction(139, 10))
    """
    if isinstance(value, str):
        if len(value) > FOLD_BITS // 3 or not _LITERAL.fullmatch(value):
            raise ValueError("not a number that can be held exactly")
        value = Fraction(value)
        if bits(value) > 4 * FOLD_BITS:
            raise ValueError("a number with too many digits")
    return Number(Fraction(value))


def add(*terms: Expression) -> Expression:
    """Return the sum: nested short sums flattened, numbers added where the first of them stands.

    >>> add(trees.Symbol("N"), number(2), number(-2))
    Symbol(name='N', integer=False, positive=True)
    """
    flat = _fold(_flat(terms, trees.Add), operator.add, 0) or [ZERO]
    return flat[0] if len(flat) == 1 else trees.Add(tuple(flat))


def plus_first(terms: Sequence[Expression]) -> Expression:
    """Return a sum in the order given, but not beginning with a minus if that can be."""
    first = next((place for place, term in enumerate(terms) if not begins_with_minus(term)), 0)
    return add(terms[first], *terms[:first], *terms[first + 1 :])


def subtract(left: Expression, right: Expression) -> Expression:
    """Return `left - right`, a sum with a term times -1; a sum on the right stays together.

    >>> subtract(number(5), number(7))
    Number(value=Fraction(-2, 1))
    """
    return add(left, negate(right))


def negate(operand: Expression) -> Expression:
    """Return `-operand`.

    >>> negate(number(3))
    Number(value=Fraction(-3, 1))
    """
    return multiply(MINUS_ONE, operand)


def begins_with_minus(term: Expression) -> bool:
    """Whether a term is a number below 0, or a product or quotient that begins with one.

    >>> begins_with_minus(negate(call("ceil", number("1/2"))))
    True
    """
    while not isinstance(term, Number):
        if isinstance(term, trees.Multiply):
            term = term.factors[0]
        elif isinstance(term, trees.Divide):
            term = term.numerator
        else:
            return False
    return term.value < 0


def multiply(*factors: Expression) -> Expression:
    """Return the product: nested short products flattened, numbers multiplied in place.

    >>> multiply(number(2), trees.Symbol("N"), number("1/2"))
    Symbol(name='N', integer=False, positive=True)
    """
    flat = _fold(_flat(factors, trees.Multiply), operator.mul, 1) or [ONE]
    nothing = any(type(each) is Number and not each.value for each in flat)
    if nothing and INFINITY not in flat:
        return ZERO
    return flat[0] if len(flat) == 1 else trees.Multiply(tuple(flat))


def divide(numerator: Expression, denominator: Expression) -> Expression:
    """Return the quotient; one by the number 0 is kept, for a reader to report.

    >>> divide(number(1), number(3))
    Number(value=Fraction(1, 3))
    """
    if isinstance(denominator, Number) and denominator.value:
        if denominator.value == 1:
            return numerator
        if isinstance(numerator, Number):
            quotient = numerator.value / denominator.value
            if bits(quotient) <= FOLD_BITS:
                return Number(quotient)
    elif numerator == ZERO and denominator != ZERO:
        return ZERO
    return trees.Divide(numerator, denominator)


def power(base: Expression, exponent: Expression) -> Expression:
    """Return `base ^ exponent`; `x^0` is 1, also for `x` = 0.

    A number to the power of a rational is folded where the result is rational and not too long.

    >>> power(number(2), number(-3)), power(number(9), HALF)
    (Number(value=Fraction(1, 8)), Number(value=Fraction(3, 1)))
    """
    if not isinstance(exponent, Number):
        return trees.Power(base, exponent)
    if exponent == ONE:
        return base
    if exponent == ZERO:
        return ONE
    if isinstance(base, Number):
        folded = rational_power(base.value, exponent.value, FOLD_BITS)
        if folded is not None:
            return Number(folded)
    return trees.Power(base, exponent)


def square_root(operand: Expression) -> Expression:
    """Return the power 1/2.

    >>> square_root(number(16))
    Number(value=Fraction(4, 1))
    """
    return power(operand, HALF)


def minimum(*operands: Expression) -> Expression:
    """Return the least of the operands: nested minima flattened, numbers folded.

    >>> minimum(number(3), number(2))
    Number(value=Fraction(2, 1))
    """
    return _extreme("min", operands)


def maximum(*operands: Expression) -> Expression:
    """Return the greatest of the operands: nested maxima flattened, numbers folded.

    >>> maximum(number(3), number(2))
    Number(value=Fraction(3, 1))
    """
    return _extreme("max", operands)


def call(name: str, *arguments: Expression) -> Expression:
    """Return a function applied to its arguments.

    `abs`, `ceil`, `floor`, `min` and `max` of numbers are folded.

    >>> call("ceil", number("7/2"))
    Number(value=Fraction(4, 1))
    """
    if name in ("min", "max"):
        return _extreme(name, arguments)
    if name in _OF_NUMBERS and isinstance(arguments[0], Number):
        return number(_OF_NUMBERS[name](arguments[0].value))
    return trees.Function(name, arguments)


_OF_NUMBERS: dict[str, Callable[[Fraction], int | Fraction]] = {
    "abs": abs, "ceil": math.ceil, "floor": math.floor,
}  # fmt: skip


def _extreme(name: str, operands: Iterable[Expression]) -> Expression:
    flat = _flat(operands, trees.Function, name)
    if not flat:
        raise ValueError(f"{name} of nothing")
    flat = _settled(name, _fold(flat, min if name == "min" else max, None))
    return flat[0] if len(flat) == 1 else trees.Function(name, tuple(flat))


def _settled(name: str, operands: list[Expression]) -> list[Expression]:
    """Leave out what a number of 1 or less settles beside whole numbers: those are 1 or more."""
    low = [x for x in operands if isinstance(x, Number) and x.value <= 1]
    whole = [x for x in operands if isinstance(x, Symbol) and x.integer and x.positive]
    if not low or not whole:
        return operands
    needless = whole if name == "min" else low
    return [x for x in operands if x not in needless]


def _flat(
    operands: Iterable[Expression], kind: type[Expression], name: str = ""
) -> list[Expression]:
    """List operands, those of one kind replaced by their own, but not where these are many.

    Without that limit, forty `let`s that each double the one before would have 2^40 terms.
    """
    flat: list[Expression] = []
    for operand in operands:
        if type(operand) is kind and not (type(operand) is trees.Function and operand.name != name):
            nested = operands_of(operand)
            if 0 < len(nested) <= MOST_FLATTENED:
                flat += nested
                continue
        flat.append(operand)
    return flat


def _fold(
    operands: list[Expression],
    combine: Callable[[Fraction, Fraction], Fraction],
    neutral: int | None,
) -> list[Expression]:
    """Combine the numbers among operands into the first of them, as far as they stay short."""
    folded: list[Expression] = []
    place, last = -1, ZERO.value
    for operand in operands:
        if type(operand) is not Number:
            folded.append(operand)
            continue
        value = operand.value
        if neutral is not None and value == neutral:
            continue
        if place >= 0:
            both = combine(last, value)
            if bits(both) <= FOLD_BITS:
                last, folded[place] = both, Number(both)
                continue
        place, last = len(folded), value
        folded.append(operand)
    if place >= 0 and neutral is not None and last == neutral:
        del folded[place]
    return folded
