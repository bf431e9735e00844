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
from roofdsl.numeric.search import Place

MOST_TRIED = 20_000


def conditions_on(prediction: Prediction, unknown: Unknown) -> list[Expression]:
    """Return what the model and its steps require of the unknown."""
    return [
        condition
        for condition in prediction.checks.values()
        if unknown.name in {symbol.name for symbol in free_symbols(condition)}
    ]


def first_valid(prediction: Prediction, unknown: Unknown, start: int, step: int = 1) -> int | None:
    """Return the first number from `start` on that the model allows, None if none was found.

    With a `step` of -1 the search goes downwards, to 1.
    """
    conditions = conditions_on(prediction, unknown)
    _, most = bounds(unknown)
    for candidate in _candidates(conditions, unknown.name, start, step):
        if candidate > (LARGEST if most is None else most) or (step < 0 and candidate < 1):
            return None
        if all(_holds(tree, unknown.name, candidate) for tree in conditions):
            return candidate
    return None


def first_valid_of(
    prediction: Prediction, unknown: Unknown, stretch: tuple[Place, Place]
) -> int | None:
    """Return the first whole number of a stretch that the model allows, None if none was found."""
    found = first_valid(prediction, unknown, int(stretch[0]))
    return found if found is not None and found <= stretch[1] else None


def _candidates(conditions: list[Expression], name: str, start: int, step: int) -> Iterator[int]:
    """Yield whole numbers from `start` on; only powers where a whole root is required."""
    for condition in conditions:
        match condition:
            case Function("is_integer", (Power(Symbol(name=other), Number(exponent)),)):
                if other == name and exponent.numerator == 1:
                    degree = exponent.denominator
                    root = integer_root(max(0, start - 1), degree) + 1
                    if step < 0 and root**degree > start:
                        root -= 1
                    for count in range(MOST_TRIED):
                        yield max(0, root + step * count) ** degree
                    return
    yield from range(start, start + step * MOST_TRIED, step)


def _holds(condition: Expression, name: str, value: int) -> bool:
    try:
        return exact(substitute(condition, {name: Number(Fraction(value))}), {}) is True
    except EvaluationError:
        return False
