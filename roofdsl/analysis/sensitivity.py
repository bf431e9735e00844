"""Elasticities: what a change of one per cent of a parameter or rate does to the time."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.algebra.derivative import NotDifferentiable, elasticity
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import evaluated
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate


@dataclass(frozen=True, slots=True)
class Elasticity:
    """∂ ln time / ∂ ln name: its formula, and its value here, None where it has none.

    `rate` says that the name is a machine's rate, not a parameter.
    """

    name: str
    formula: Expression | None
    value: float | None
    rate: bool


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The elasticities of the time at a point, the largest first."""

    elasticities: tuple[Elasticity, ...]
    bound: str | None
    time: float


def sensitivity(prediction: Prediction) -> Sensitivity:
    """Return how the time depends on every parameter and rate, at the values bound.

    A parameter with a default that others follow counts with them: the time is taken in all
    parameters at once, so a change of `word` leaves `M = 16 KiB / word` as it is. Raises RoofError
    where a parameter has no value.
    """
    result = evaluated(prediction)
    time = prediction.opened().time()
    values = dict(prediction.binding.values)
    values.update({name: evaluate(tree, {}) for name, tree in prediction.rates.items()})
    found = [
        _elasticity(time, symbol.name, values, symbol.name in prediction.rates)
        for symbol in free_symbols(time)
    ]
    ranked = sorted(found, key=lambda item: -abs(item.value or 0.0))
    return Sensitivity(tuple(ranked), result.bound, result.time)


def _elasticity(time: Expression, name: str, values: dict[str, float], rate: bool) -> Elasticity:
    try:
        formula = elasticity(time, name)
        return Elasticity(name, formula, evaluate(formula, values), rate)
    except (NotDifferentiable, EvaluationError):
        return Elasticity(name, None, None, rate)
