"""What must hold for a formula to have a value, or not to be below 0, and is not so by its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from fractions import Fraction

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up_each, operands_of
from roofdsl.expression.tree import ZERO, Expression, Number


class Least(IntEnum):
    """What a formula certainly is, by its form: any number, ≥ 0, > 0, ≥ 1."""

    ANY = 0
    ZERO = 1
    ABOVE_ZERO = 2
    ONE = 3


class Definedness:
    """Several formulas of one name: what they need. The name stands for a number > 0.

    `whole`: for a whole number ≥ 1.

    >>> from roofdsl.expression.construct import number, square_root, subtract
    >>> n = trees.Symbol("N", integer=True)
    >>> root = square_root(subtract(n, number(9)))
    >>> [each.relation for each in Definedness([root], "N", whole=True).needed()]
    ['>=']
    """

    def __init__(self, formulas: Sequence[Expression], name: str, *, whole: bool) -> None:
        self._formulas = formulas
        self._least: dict[int, Least] = {}
        self._nodes = bottom_up_each(formulas) if formulas else []
        for node in self._nodes:
            below = [self._least[id(each)] for each in operands_of(node)]
            if isinstance(node, trees.Symbol) and node.name == name:
                self._least[id(node)] = Least.ONE if whole else Least.ABOVE_ZERO
            else:
                self._least[id(node)] = _least(node, below)

    def may_be_negative(self, formula: Expression) -> bool:
        """Whether the form of one of the formulas admits values below 0."""
        return self._least[id(formula)] is Least.ANY

    def needed(self) -> list[Expression]:
        """Return conditions that hold wherever all the formulas have values.

        They need not suffice: terms of sums, and what is only computed where something holds that
        stands before it, ask for nothing here.
        """
        asked: dict[int, tuple[Expression, ...]] = {}
        for node in self._nodes:
            asked[id(node)] = tuple(dict.fromkeys(self._of(node, asked)))
        return list(dict.fromkeys(each for tree in self._formulas for each in asked[id(tree)]))

    def _of(
        self, node: Expression, asked: dict[int, tuple[Expression, ...]]
    ) -> Iterator[Expression]:
        match node:
            case trees.Conditional(condition, consequence, alternative):
                yield from asked[id(condition)]
                otherwise = trees.Logic("not", (condition,))
                for each in asked[id(consequence)]:
                    yield trees.Logic("or", (otherwise, each))
                for each in asked[id(alternative)]:
                    yield trees.Logic("or", (condition, each))
                return
            case trees.Logic(_, operands):
                yield from asked[id(operands[0])]
                return
            case trees.Sum(_, _, low, high):
                yield from (*asked[id(low)], *asked[id(high)])
                return
        for each in operands_of(node):
            yield from asked[id(each)]
        match node:
            case trees.Divide(_, below) if self._least[id(below)] < Least.ABOVE_ZERO:
                yield trees.Comparison("!=", below, ZERO)
            case trees.Power(base, Number(value)) if value.denominator != 1 or value < 0:
                least = self._least[id(base)]
                if value < 0 and least < Least.ABOVE_ZERO:
                    yield trees.Comparison("!=", base, ZERO)
                if value.denominator != 1 and least < Least.ZERO:
                    yield trees.Comparison(">=", base, ZERO)
            case trees.Function("log2" | "ln" | "log10" | "log", arguments):
                for argument in arguments:
                    if self._least[id(argument)] < Least.ABOVE_ZERO:
                        yield trees.Comparison(">", argument, ZERO)


def _least(node: Expression, below: Sequence[Least]) -> Least:
    match node:
        case Number(value):
            return _least_number(value)
        case trees.Symbol():
            return Least.ABOVE_ZERO if node.positive else Least.ANY
        case trees.Add():
            return max(below) if min(below) > Least.ANY else Least.ANY
        case trees.Multiply():
            return min(below)
        case trees.Divide():
            above, divisor = below
            return min(above, Least.ABOVE_ZERO) if divisor >= Least.ABOVE_ZERO else Least.ANY
        case trees.Power(_, Number(value)):
            if value > 0:
                return max(below[0], Least.ZERO if value % 2 == 0 else Least.ANY)
            return Least.ABOVE_ZERO if below[0] >= Least.ABOVE_ZERO else Least.ANY
        case trees.Power():
            return Least.ABOVE_ZERO if below[0] >= Least.ABOVE_ZERO else Least.ANY
        case trees.Function(name, _):
            return _least_function(name, below)
        case trees.Conditional():
            return min(below[1:])
        case trees.Sum():
            return Least.ZERO if below[0] > Least.ANY else Least.ANY
    return Least.ZERO  # a truth value


def _least_number(value: Fraction) -> Least:
    if value >= 1:
        return Least.ONE
    return Least.ABOVE_ZERO if value > 0 else Least.ZERO if value == 0 else Least.ANY


def _least_function(name: str, below: Sequence[Least]) -> Least:
    match name:
        case "min":
            return min(below)
        case "max":
            return max(below)
        case "ceil":
            return Least.ONE if below[0] >= Least.ABOVE_ZERO else below[0]
        case "floor":
            return below[0] if below[0] in (Least.ONE, Least.ANY) else Least.ZERO
        case "exp":
            return Least.ABOVE_ZERO
        case "log2" | "ln" | "log10":
            return Least.ZERO if below[0] is Least.ONE else Least.ANY
        case "abs" | "is_integer":
            return Least.ZERO
    return Least.ANY
