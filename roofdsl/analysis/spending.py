"""Energy and money of a prediction in numbers, and the units that they have."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.analysis.algebras import Floats
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.energy import Spending, StepEnergy, spending, step_energies
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ratio import quotient
from roofdsl.expression.tree import Expression
from roofdsl.units.dimension import DIMENSIONLESS, JOULE, SECOND, Dimension


def spending_at(
    prediction: Prediction, parts: Composed[float], amounts: Mapping[Expression, float]
) -> Spending[float]:
    """Return energy, power and cost of a prediction composed in numbers."""
    stated = prediction.tariff
    algebra = Floats(amounts, {**prediction.rate_values, **prediction.prices})
    found = spending(prediction.root, parts, algebra, prediction.machine, stated)
    if "energy" in found.amounts:
        found.amounts["power"] = quotient(found.amounts["energy"], parts.time)
    return found


def steps_at(
    prediction: Prediction, parts: Composed[float], amounts: Mapping[Expression, float]
) -> StepEnergy[float]:
    """Return the energy of each part of a prediction composed in numbers."""
    stated = prediction.tariff
    algebra = Floats(amounts, {**prediction.rate_values, **prediction.prices})
    return step_energies(prediction.root, parts, algebra, prediction.machine, stated)


def spending_unit(name: str, prediction: Prediction) -> Dimension:
    """Return the unit of what a prediction takes: J, W, or that of its machine's prices."""
    if name == "power":
        return JOULE / SECOND
    if name != "cost":
        return JOULE
    currencies = prediction.tariff.currencies
    return currencies[0] if currencies else DIMENSIONLESS
