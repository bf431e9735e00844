"""What the law of composition computes with: formulas, exact constants, floats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import mul, truediv
from typing import TypeAlias

from roofdsl.analysis.algebra import ByName
from roofdsl.analysis.binding import NOTHING
from roofdsl.analysis.intensity import is_zero
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import add, divide, maximum, multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Symbol
from roofdsl.numeric.decision import NEARLY, hold
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import SMALLEST, EvaluationError, in_range
from roofdsl.numeric.scalar import evaluate

PerPoint: TypeAlias = Sequence[float]
"""A value at each of many points."""


class _Trees:
    """Arithmetic that builds expression trees."""

    zero: Expression = ZERO

    def add(self, values: Sequence[Expression]) -> Expression:
        return add(*values)

    def multiply(self, count: Expression, value: Expression) -> Expression:
        return multiply(count, value)

    def divide(self, work: Expression, rate: Expression) -> Expression:
        return divide(work, rate)


class Formulas(_Trees):
    """Formulas in the rates' symbols: sums and maxima, never folded into pieces."""

    def of(self, tree: Expression) -> Expression:
        return tree

    def rate(self, symbol: Symbol) -> Expression:
        return symbol

    def largest(self, values: Sequence[Expression]) -> Expression:
        return maximum(*values)

    def choice(
        self, values: Sequence[Expression], _: Sequence[ByName[Expression]]
    ) -> list[Expression | None]:
        """Return for each value the condition that it is the largest, and the first of equals."""
        return [is_first_largest(place, values) for place in range(len(values))]

    def chosen(
        self, choice: Sequence[Expression | None], tables: Sequence[ByName[Expression]]
    ) -> ByName[Expression]:
        parts: dict[str, list[Expression]] = {}
        for condition, table in zip(choice, tables, strict=True):
            for name, tree in table.items():
                case = tree if condition is None else conditional(condition, tree, ZERO)
                parts.setdefault(name, []).append(case)
        return {name: add(*values) for name, values in parts.items()}

    def ties(self, _: ByName[Expression]) -> tuple[str, ...]:
        return ()

    def is_nothing(self, value: Expression) -> bool:
        return is_zero(constant(value))


def is_first_largest(place: int, values: Sequence[Expression]) -> Expression | None:
    """Return the condition that a value is the first of the largest, None where it is alone."""
    conditions: list[Expression] = []
    if place:
        conditions.append(trees.Comparison(">", values[place], maximum(*values[:place])))
    if place + 1 < len(values):
        conditions.append(trees.Comparison(">=", values[place], maximum(*values[place + 1 :])))
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return trees.Logic("and", tuple(conditions))


class Constants(_Trees):
    """Exact constants, to decide what floats are too close to decide.

    `known` are the values of names in the formulas. What was decided is kept in order: `Floats`
    asks the same questions in the same order.
    """

    def __init__(
        self, rates: Mapping[str, Expression], known: Mapping[str, Expression] = NOTHING
    ) -> None:
        self.rates = {name: constant(tree) for name, tree in rates.items()}
        self.known = known
        self.choices: list[int] = []
        self.tied: list[tuple[str, ...]] = []

    def of(self, tree: Expression) -> Expression:
        return constant(substitute(tree, self.known))

    def rate(self, symbol: Symbol) -> Expression:
        return self.rates[symbol.name]

    def largest(self, values: Sequence[Expression]) -> Expression:
        return values[_places_of_largest(values)[0]]

    def choice(self, values: Sequence[Expression], _: Sequence[ByName[Expression]]) -> int:
        self.choices.append(_places_of_largest(values)[0])
        return self.choices[-1]

    def chosen(self, choice: int, tables: Sequence[ByName[Expression]]) -> ByName[Expression]:
        return tables[choice]

    def ties(self, table: ByName[Expression]) -> tuple[str, ...]:
        names, values = [*table], [*table.values()]
        places = _places_of_largest(values) if values else []
        positive = [place for place in places if _order(values[place], ZERO) > 0]
        self.tied.append(tuple(names[place] for place in positive))
        return self.tied[-1]


def constant(tree: Expression) -> Expression:
    """Return a formula without names as an exact number where it is a rational one."""
    if isinstance(tree, Number):
        return tree
    try:
        value = exact(tree, {})
    except (EvaluationError, OverflowError):
        return tree
    return tree if value is None else Number(Fraction(value))


def _places_of_largest(values: Sequence[Expression]) -> list[int]:
    best = [0]
    for place in range(1, len(values)):
        order = _order(values[place], values[best[0]])
        if order > 0:
            best = [place]
        elif order == 0:
            best.append(place)
    return best


def _order(one: Expression, other: Expression) -> int:
    """Return the sign of `one - other`, both constants; 0 also where it cannot be told from 0."""
    if isinstance(one, Number) and isinstance(other, Number):
        return _compared(one.value, other.value)
    first, second = evaluate(one, {}), evaluate(other, {})
    if abs(first - second) > NEARLY * max(abs(first), abs(second)):
        return _compared(first, second)
    return bool(hold(">", one, other)) - bool(hold("<", one, other))


def _compared(one: Fraction | float, other: Fraction | float) -> int:
    return (one > other) - (one < other)


class Floats:
    """Floats. `close` tells that a decision hung on what rounding may do; then `decided` helps.

    `values` are those of the formulas that a model states, by formula.
    """

    zero = 0.0

    def __init__(
        self,
        values: Mapping[Expression, float],
        rates: Mapping[str, float],
        decided: Constants | None = None,
    ) -> None:
        self.values = values
        self.rates = rates
        self.close = False
        self._choices: Iterator[int] | None = iter(decided.choices) if decided else None
        self._tied: Iterator[tuple[str, ...]] | None = iter(decided.tied) if decided else None

    def of(self, tree: Expression) -> float:
        return self.values[tree]

    def rate(self, symbol: Symbol) -> float:
        return self.rates[symbol.name]

    def add(self, values: Sequence[float]) -> float:
        """Add up; raise OverflowError where that is beyond what a float holds."""
        try:
            return values[0] if len(values) == 1 else math.fsum(values)
        except ValueError:  # infinite ones of both signs: each was a number before it was repeated
            raise OverflowError from None

    def multiply(self, count: float, value: float) -> float:
        return in_range(count * value, count, value)

    def divide(self, work: float, rate: float) -> float:
        return in_range(work / rate, work, rate)

    def largest(self, values: Sequence[float]) -> float:
        return max(values)

    def choice(self, values: Sequence[float], tables: Sequence[ByName[float]]) -> int:
        if self._choices is not None:
            return next(self._choices)
        places = _nearly_largest(values)
        if len(places) > 1:
            # Tables of one name that is the same say the same, whichever is chosen.
            names = {name for place in places for name in tables[place]}
            self.close = self.close or len(names) > 1
        return max(places, key=values.__getitem__)

    def chosen(self, choice: int, tables: Sequence[ByName[float]]) -> ByName[float]:
        return {name: time for name, time in tables[choice].items() if time}

    def ties(self, table: ByName[float]) -> tuple[str, ...]:
        if self._tied is not None:
            return next(self._tied)
        names = [*table]
        places = _nearly_largest([*table.values()]) if table else []
        positive = [place for place in places if table[names[place]] > 0]
        self.close = self.close or len(positive) > 1
        return tuple(names[place] for place in positive)

    def is_nothing(self, value: float) -> bool:
        return not value


def _nearly_largest(values: Sequence[float]) -> list[int]:
    """Return the places of the largest value and of those that rounding hides; one if all are 0."""
    least = max(values) * (1 - NEARLY)
    if not least:
        return [0]
    return [place for place, value in enumerate(values) if value >= least]


def _in_range(found: PerPoint, one: PerPoint, other: PerPoint) -> PerPoint:
    if SMALLEST <= min(found) and max(found) < math.inf:  # as nearly always
        return found
    return [*map(in_range, found, one, other)]


class Pointwise:
    """Floats of many points at once; at each it gives what `Floats` gives, but for near ties.

    `values` are those of the formulas that a model states, by formula.
    """

    def __init__(
        self, values: Mapping[Expression, PerPoint], rates: Mapping[str, float], points: int
    ) -> None:
        self.zero: PerPoint = [0.0] * points
        self.values = {**values, ONE: [1.0] * points}
        self.rates = rates

    def of(self, tree: Expression) -> PerPoint:
        return self.values[tree]

    def rate(self, symbol: Symbol) -> PerPoint:
        return [self.rates[symbol.name]] * len(self.zero)

    def add(self, values: Sequence[PerPoint]) -> PerPoint:
        return values[0] if len(values) == 1 else [*map(math.fsum, zip(*values, strict=True))]

    def multiply(self, count: PerPoint, value: PerPoint) -> PerPoint:
        return _in_range([*map(mul, count, value)], count, value)

    def divide(self, work: PerPoint, rate: PerPoint) -> PerPoint:
        return _in_range([*map(truediv, work, rate)], work, rate)

    def largest(self, values: Sequence[PerPoint]) -> PerPoint:
        return values[0] if len(values) == 1 else [*map(max, *values)]

    def choice(self, values: Sequence[PerPoint], _: Sequence[ByName[PerPoint]]) -> list[int]:
        """Return the place of the largest value at each point, the first of equals."""
        return [each.index(max(each)) for each in zip(*values, strict=True)]

    def chosen(self, choice: list[int], tables: Sequence[ByName[PerPoint]]) -> ByName[PerPoint]:
        names = dict.fromkeys(name for table in tables for name in table)
        parts = {name: [table.get(name, self.zero) for table in tables] for name in names}
        return {
            name: [columns[place][point] for point, place in enumerate(choice)]
            for name, columns in parts.items()
        }

    def ties(self, _: ByName[PerPoint]) -> tuple[str, ...]:
        return ()
