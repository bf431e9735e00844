"""What must hold for a formula to have a value, or not to be below 0, and is not so by its form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor, prod
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up_each, operands_of
from roofdsl.expression.rational import bits
from roofdsl.expression.tree import ZERO, Expression, Number

_LONGEST = 200  # bits


class Least(NamedTuple):
    """A number that a formula's values are never below, by its form.

    They are `above` it, or may reach it.
    """

    value: Fraction
    above: bool = False

    @property
    def positive(self) -> bool:
        return self.value > 0 or (self.value == 0 and self.above)

    @property
    def not_negative(self) -> bool:
        return self.value >= 0


_ANY = Least(Fraction(-(10**400)))  # in place of -∞: no sum brings it near 0
_ZERO, _POSITIVE, _ONE = Least(Fraction(0)), Least(Fraction(0), True), Least(Fraction(1))


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
                self._least[id(node)] = _ONE if whole else _POSITIVE
            else:
                self._least[id(node)] = _short(_least(node, below))

    def may_be_negative(self, formula: Expression) -> bool:
        """Whether the form of one of the formulas admits values below 0."""
        return not self._least[id(formula)].not_negative

    def needed(self) -> list[Expression]:
        """Return conditions that hold wherever all the formulas have values.

        They need not suffice: terms of sums, and what is only computed where something holds that
        stands before it, ask for nothing here.
        """
        asked: dict[int, tuple[Expression, ...]] = {}
        for node in self._nodes:
            # Told apart by identity: compared as written out, trees may be long.
            asked[id(node)] = tuple({id(each): each for each in self._of(node, asked)}.values())
        every = {id(each): each for tree in self._formulas for each in asked[id(tree)]}
        return list(every.values())

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
            case trees.Divide(_, below) if not self._least[id(below)].positive:
                yield trees.Comparison("!=", below, ZERO)
            case trees.Power(base, Number(value)) if value.denominator != 1 or value < 0:
                least = self._least[id(base)]
                if value < 0 and not least.positive:
                    yield trees.Comparison("!=", base, ZERO)
                if value.denominator != 1 and not least.not_negative:
                    yield trees.Comparison(">=", base, ZERO)
            case trees.Function("log2" | "ln" | "log10" | "log", arguments):
                for argument in arguments:
                    if not self._least[id(argument)].positive:
                        yield trees.Comparison(">", argument, ZERO)


def _short(least: Least) -> Least:
    """Return a lower bound that is no longer to write than is worth it."""
    if least is _ANY or bits(least.value) <= _LONGEST:
        return least
    if least.value >= 1:
        return _ONE
    return _POSITIVE if least.positive else _ANY


def _least(node: Expression, below: Sequence[Least]) -> Least:
    match node:
        case Number(value):
            return Least(value)
        case trees.Symbol():
            return _POSITIVE if node.positive else _ANY
        case trees.Add():
            return _sum(below)
        case trees.Multiply():
            if not all(each.not_negative for each in below):
                return _ANY
            # A product of numbers > 0 may be above its bound wherever one of them is.
            above = all(each.positive for each in below) and any(each.above for each in below)
            return Least(Fraction(prod(each.value for each in below)), above)
        case trees.Divide(_, divisor):
            if not (below[0].not_negative and below[1].positive):
                return _ANY
            if isinstance(divisor, Number):
                return Least(below[0].value / divisor.value, below[0].above)
            return _POSITIVE if below[0].positive else _ZERO
        case trees.Power(_, Number(value)) if value > 0:
            if value % 2 == 0 and not below[0].not_negative:
                return _ZERO
            if not below[0].not_negative:
                return _ANY
            return _ONE if below[0].value >= 1 else _POSITIVE if below[0].positive else _ZERO
        case trees.Power():
            return _POSITIVE if below[0].positive else _ANY
        case trees.Function(name, _):
            return _least_function(name, below)
        case trees.Conditional():
            return min(below[1:])
        case trees.Sum():
            return _ZERO if below[0].not_negative else _ANY
    return _ZERO  # a truth value


def _sum(below: Sequence[Least]) -> Least:
    if _ANY in below:
        return _ANY
    return Least(sum((each.value for each in below), Fraction(0)), any(x.above for x in below))


def _least_function(name: str, below: Sequence[Least]) -> Least:
    first = below[0]
    match name:
        case "min":
            return min(below)
        case "max":
            return max(below)
        case "ceil" | "floor" if first is _ANY:
            return _ANY
        case "ceil":
            return Least(Fraction(floor(first.value) + 1 if first.above else ceil(first.value)))
        case "floor":
            return Least(Fraction(floor(first.value)))
        case "exp":
            return _POSITIVE
        case "log2" | "ln" | "log10":
            return _ZERO if first.value >= 1 else _ANY
        case "abs" | "is_integer":
            return _ZERO
    return _ANY
