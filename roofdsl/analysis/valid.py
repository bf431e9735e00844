"""The first whole number that a model and its steps allow."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import LARGEST, Unknown, bounds
from roofdsl.expression.rational import integer_root
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Function, Number, Power, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError

MOST_TRIED = 20_000


def first_valid(prediction: Prediction, unknown: Unknown, start: int) -> int | None:
    """Return the first number from `start` on that the model allows, None if none was found."""
    conditions = [
        condition
        for condition in prediction.checks.values()
        if unknown.name in {symbol.name for symbol in free_symbols(condition)}
    ]
    _, most = bounds(unknown)
    for candidate in _candidates(conditions, unknown.name, start):
        if candidate > (LARGEST if most is None else most):
            return None
        if all(_holds(tree, unknown.name, candidate) for tree in conditions):
            return candidate
    return None


def _candidates(conditions: list[Expression], name: str, start: int) -> Iterator[int]:
    """Yield whole numbers from `start` on; only powers where a whole root is required."""
    for condition in conditions:
        match condition:
            case Function("is_integer", (Power(Symbol(name=other), Number(exponent)),)):
                if other == name and exponent.numerator == 1:
                    degree = exponent.denominator
                    root = integer_root(max(0, start - 1), degree)
                    for step in range(1, MOST_TRIED):
                        yield (root + step) ** degree
                    return
    yield from range(start, start + MOST_TRIED)


def _holds(condition: Expression, name: str, value: int) -> bool:
    try:
        return exact(substitute(condition, {name: Number(Fraction(value))}), {}) is True
    except EvaluationError:
        return False
