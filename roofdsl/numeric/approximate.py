"""Formulas for reading, with what is known put in: constants worked out and rounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import is_condition, truth
from roofdsl.expression.construct import divide, multiply
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.rational import bits
from roofdsl.expression.substitute import free_symbols, rebuild
from roofdsl.expression.tree import ZERO, Expression, Number, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate

LARGEST_WHOLE = 10**6
LARGEST_DENOMINATOR = 1000


class Approximation(NamedTuple):
    """A formula with its constants worked out, and whether it still means exactly the same."""

    tree: Expression
    exact: bool


def approximate(tree: Expression, digits: int = 4) -> Approximation:
    """Return `tree` with constants worked out, to `digits` significant digits.

    The numbers of a product or quotient become one. Whole numbers below `LARGEST_WHOLE`, fractions
    of short ones, exponents and the bounds of sums stay as they are. So does a constant that has no
    value. What always or never holds decides an `if`.

    >>> two, rate = Number(Fraction(2)), Number(Fraction(22_345_000_000))
    >>> approximate(trees.Divide(trees.Multiply((two, Symbol("N"))), rate), 3)
    Approximation(tree=Divide(numerator=Symbol(name='N', ...),
        denominator=Number(value=Fraction(11200000000, 1))), exact=False)
    """
    rounding = _Rounding(digits)
    found = rounding.rounded(rounding.worked_out(tree))
    return Approximation(found, rounding.exact)


@dataclass(slots=True)
class _Rounding:
    """Constants of a formula worked out and rounded; `exact` until one is not what it was."""

    digits: int
    exact: bool = True

    def worked_out(self, tree: Expression) -> Expression:
        """Replace constant parts by their values, as precisely as floats are."""
        done: dict[int, Expression] = {}
        constant: set[int] = set()
        for node in bottom_up(tree):
            parts = operands_of(node)
            if _is_constant(node, parts, constant):
                constant.add(id(node))
                done[id(node)] = rebuild(node, tuple(done[id(part)] for part in parts))
                continue
            known = [
                self._value(done[id(part)]) if id(part) in constant else done[id(part)]
                for part in parts
            ]
            done[id(node)] = self._one_coefficient(rebuild(node, tuple(known)))
        return self._value(done[id(tree)]) if id(tree) in constant else done[id(tree)]

    def _value(self, tree: Expression) -> Expression:
        """Return a constant as a number or truth, or as it is where it has no value."""
        if isinstance(tree, Number):
            return tree
        try:
            value = evaluate(tree, {})
        except EvaluationError:
            return tree
        if is_condition(tree):
            return truth(bool(value))
        number = Number(Fraction(repr(value)))
        self.exact = self.exact and _is_exactly(tree, number)
        return number

    def _one_coefficient(self, tree: Expression) -> Expression:
        """Write a product or quotient as one fraction, the numbers in it as one coefficient."""
        if not isinstance(tree, trees.Multiply | trees.Divide):
            return tree
        sides: tuple[list[Expression], list[Expression]] = ([], [])
        coefficient = Fraction(1)
        waiting: list[tuple[Expression, int]] = [(tree, 0)]
        while waiting:
            node, side = waiting.pop()
            if isinstance(node, trees.Multiply):
                waiting += [(factor, side) for factor in reversed(node.factors)]
            elif isinstance(node, trees.Divide) and node.denominator != ZERO:
                waiting += [(node.denominator, 1 - side), (node.numerator, side)]
            elif isinstance(node, Number) and (node.value or side == 0):
                coefficient = coefficient / node.value if side else coefficient * node.value
            else:
                sides[side].append(node)
        above, below = self._fraction(coefficient)
        return divide(multiply(above, *sides[0]), multiply(below, *sides[1]))

    def _fraction(self, value: Fraction) -> tuple[Number, Number]:
        """Return what to write above and below a fraction bar: a coefficient stands on one side."""
        short = value.denominator <= LARGEST_DENOMINATOR and abs(value.numerator) < LARGEST_WHOLE
        if short or abs(value.numerator) == 1:
            return Number(Fraction(value.numerator)), Number(Fraction(value.denominator))
        if bits(value) > 1000:
            value = self._cut(value, 17)
        return Number(value), Number(Fraction(1))

    def rounded(self, tree: Expression) -> Expression:
        done: dict[int, Expression] = {}
        for node in bottom_up(tree):
            parts = list(operands_of(node))
            for place, part in enumerate(parts):
                fixed = isinstance(node, trees.Sum) or (
                    isinstance(node, trees.Power) and place == 1
                )
                parts[place] = done[id(part)]
                if isinstance(part, Number) and not (fixed and part.value.denominator < 1000):
                    parts[place] = self._short(part)
            done[id(node)] = rebuild(node, tuple(parts))
        result = done[id(tree)]
        return self._short(result) if isinstance(result, Number) else result

    def _short(self, number: Number) -> Number:
        value = number.value
        if value.denominator == 1 and abs(value) < LARGEST_WHOLE:
            return number
        return Number(self._cut(value, self.digits))

    def _cut(self, value: Fraction, digits: int) -> Fraction:
        rounded = _to_digits(value, digits)
        self.exact = self.exact and rounded == value
        return rounded


def _is_constant(node: Expression, parts: tuple[Expression, ...], constant: set[int]) -> bool:
    if isinstance(node, trees.Sum):  # its index is a name that it does not depend on
        return not free_symbols(node)
    return all(id(part) in constant for part in parts) and not isinstance(node, Symbol)


def _is_exactly(tree: Expression, number: Number) -> bool:
    try:
        return exact(tree, {}) == number.value
    except EvaluationError:  # it has no value: what floats make of it is their rounding
        return False


def _to_digits(value: Fraction, digits: int) -> Fraction:
    """Return the nearest decimal with so many significant digits.

    >>> _to_digits(Fraction(2, 3), 3)
    Fraction(667, 1000)
    """
    context = Context(prec=digits)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
