"""Elasticities: by how many percent a result changes when one number grows by 1 %."""

from __future__ import annotations

import math

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.threshold import quantity_formula
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression
from roofdsl.figures.sensitivity import Elasticities
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate

_STEP = 1e-5


def elasticities(
    prediction: Prediction, values: dict[str, float], of: str = "time"
) -> Elasticities:
    """Return ∂ ln(result)/∂ ln(x) for each number x that a prediction stands on.

    `prediction` has the parameters in `values` free; they and the machine's rates are the numbers.
    Differences are central, so where two resources tie the two sides are averaged.
    """
    tree = quantity_formula(prediction, of)
    rates = {name: evaluate(rate, {}) for name, rate in prediction.rates.items()}
    known = {**values, **rates}
    used = {symbol.name for symbol in free_symbols(tree)}
    missing = used - known.keys()
    if missing:
        message = f"'{prediction.model.name}' needs a value for {', '.join(sorted(missing))}"
        raise RoofError([Diagnostic("R0406", message)])
    here = {name: value for name, value in known.items() if value > 0 and math.isfinite(value)}
    return Elasticities(
        of, {name: _elasticity(tree, known, name) for name in here if name in used}
    )


def _elasticity(tree: Expression, known: dict[str, float], name: str) -> float:
    try:
        above, below = (
            evaluate(tree, {**known, name: known[name] * factor})
            for factor in (1 + _STEP, 1 - _STEP)
        )
        slope = math.log(above / below) / math.log((1 + _STEP) / (1 - _STEP))
    except (EvaluationError, ValueError, ZeroDivisionError):
        return math.nan
    # What is below the differences' own error is no change at all.
    return 0.0 if abs(slope) < 1e-6 else round(slope, 6)
