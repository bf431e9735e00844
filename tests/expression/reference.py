"""Expressions computed with many digits by mpmath, and which of them floats can compute well."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

from roofdsl.expression import tree as trees
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.scalar import evaluate

DIGITS = 60
# Two numbers this close are one and the same, computed in two ways.
SAME = mpf(10) ** -40
# Results that differ by less than this, relative to their size, may fall on either side of a jump.
CLOSE = mpf(10) ** -9


class Undefined(Exception):
    """The expression has no real value."""


class Reference:
    """The value of an expression at a point, and what happened on the way.

    `cancelled`: a sum lost digits. `delicate`: it lost too many, or a jump was too close to tell,
    or a number was too large or too small for a float. `touched`: a value lay exactly on a jump.
    """

    def __init__(self, tree: Expression, values: Mapping[str, object]) -> None:
        self.cancelled = self.delicate = self.touched = False
        with mpmath.workdps(DIGITS):
            self.value = self.compute(tree, dict(values))

    def compute(self, node: Expression, names):
        value = self.operate(node, names)
        if not isinstance(value, bool) and value and not -280 < mpmath.log10(abs(value)) < 280:
            self.delicate = True
        return value

    def operate(self, node: Expression, names):
        def of(part: Expression):
            return self.compute(part, names)

        match node:
            case Number(value):
                return mpf(value.numerator) / value.denominator
            case Symbol(name):
                value = names[name]
                if isinstance(value, bool | mpf):
                    return value
                return mpf(value.numerator) / value.denominator
            case trees.Add(terms):
                return self.total([of(term) for term in terms])
            case trees.Multiply(factors):
                return mpmath.fprod([of(factor) for factor in factors])
            case trees.Divide(above, below):
                numerator, denominator = of(above), of(below)
                if not denominator:
                    raise Undefined
                return numerator / denominator
            case trees.Power(base, exponent):
                return self.power(of(base), of(exponent))
            case trees.Comparison(relation, left, right):
                return self.compare(relation, of(left), of(right))
            case trees.Logic("not", (operand,)):
                return not of(operand)
            case trees.Logic("and", operands):
                return all(of(operand) for operand in operands)
            case trees.Logic("or", operands):
                return any(of(operand) for operand in operands)
            case trees.Conditional(condition, consequence, alternative):
                return of(consequence) if of(condition) else of(alternative)
            case trees.Sum(body, index, low, high):
                first, last = mpmath.ceil(of(low)), mpmath.floor(of(high))
                summands = [
                    self.compute(body, {**names, index.name: mpf(k)})
                    for k in range(int(first), int(last) + 1)
                ]
                return self.total(summands) if summands else mpf(0)
            case trees.Function(name, arguments):
                return self.function(name, [of(argument) for argument in arguments])
        raise TypeError(node)

    def total(self, terms: list[mpf]) -> mpf:
        value = mpmath.fsum(terms)
        size = mpmath.fsum(abs(term) for term in terms)
        if abs(value) < SAME * size:
            value = mpf(0)
        if abs(value) < size / 2:
            self.cancelled = True
        if abs(value) < size / 1000:
            self.delicate = True
        return value

    def power(self, base: mpf, exponent: mpf) -> mpf:
        if not base:
            if exponent < 0:
                raise Undefined
            return mpf(0) if exponent else mpf(1)
        if base < 0 and exponent != mpmath.nint(exponent):
            raise Undefined
        return mpmath.power(base, exponent)

    def compare(self, relation: str, left: mpf, right: mpf) -> bool:
        gap = left - right
        size = max(abs(left), abs(right))
        if abs(gap) <= SAME * size:
            gap, self.touched = mpf(0), True
        elif abs(gap) < CLOSE * size:
            self.delicate = True
        answers = {"==": gap == 0, "!=": gap != 0, "<": gap < 0, "<=": gap <= 0}
        return bool({**answers, ">": gap > 0, ">=": gap >= 0}[relation])

    def function(self, name: str, arguments: list[mpf]) -> mpf:
        x = arguments[0]
        match name:
            case "log2" | "ln" | "log10" | "log":
                base = {"log2": 2, "ln": mpmath.e, "log10": 10}.get(name) or arguments[1]
                if x <= 0 or base <= 0 or base == 1:
                    raise Undefined
                value = mpmath.log(x) / mpmath.log(base)
                if (x != 1 and abs(mpmath.log(x)) < 0.01) or abs(mpmath.log(base)) < 0.01:
                    self.delicate = True
                return value
            case "exp":
                if abs(x) > 600:
                    self.delicate = True
                    return mpf(1)
                return mpmath.exp(x)
            case "abs":
                return abs(x)
            case "min":
                return min(arguments)
            case "max":
                return max(arguments)
            case "lambertw":
                if x < -1 / mpmath.e or (arguments[1] == -1 and x >= 0):
                    raise Undefined
                if x < -0.36:
                    self.delicate = True
                return mpmath.lambertw(x, int(arguments[1])).real
            case "ceil" | "floor" | "is_integer":
                nearest = mpmath.nint(x)
                if abs(x - nearest) <= SAME * max(1, abs(x)):
                    self.touched = True
                    return True if name == "is_integer" else nearest
                if abs(x - nearest) <= CLOSE * max(1, abs(x)):
                    self.delicate = True
                if name == "is_integer":
                    return False
                return mpmath.ceil(x) if name == "ceil" else mpmath.floor(x)
        raise TypeError(name)


def check_same_value(tree: Expression, other: Expression, point: Mapping[str, Fraction]) -> None:
    """Assert that another form of a formula has its value, where it has one that floats know."""
    try:
        expected = Reference(tree, point)
    except Undefined:
        return
    if expected.touched or expected.delicate:
        return
    values = {name: float(value) for name, value in point.items()}
    again = Reference(other, point)
    assert again.value == pytest.approx(expected.value, rel=1e-30)
    if not again.delicate:
        assert evaluate(other, values) == pytest.approx(float(expected.value), rel=1e-8)
