"""A prediction in formulas: each quantity in full, its leading term, with the numbers put in."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from roofdsl.algebra.leading import leading, spend_on_forms
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.allowance import computing
from roofdsl.analysis.asymptotic import eventual_bound
from roofdsl.analysis.convention import Convention, check_counted, count_formula
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import metric_formula
from roofdsl.analysis.tariff import spending_unit
from roofdsl.diagnostic import RoofError
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Function
from roofdsl.model.types import Metric
from roofdsl.numeric.approximate import approximate
from roofdsl.units.dimension import FLOP, SECOND, Dimension


@dataclass(frozen=True, slots=True)
class Derived:
    """One quantity as formulas in SI base units.

    `full` is in the model's parameters and the machine's rates; `leading` is its leading term as
    the parameter `growing` grows; `numbers` has every known value put in, constants rounded.
    """

    name: str
    dimension: Dimension
    full: Expression
    leading: Expression | None
    numbers: Expression
    leading_numbers: Expression | None
    growing: str | None


@dataclass(frozen=True, slots=True)
class PredictionFormulas:
    """A model on a machine in formulas.

    `eventual_bound` is what binds as the parameter `growing` grows without end, None where that
    depends on the other free parameters or is not known.
    """

    work: tuple[Derived, ...]
    intensities: tuple[Derived, ...]
    times: tuple[Derived, ...]
    time: Derived
    attainable: Derived
    tallies: tuple[Derived, ...]
    spending: tuple[Derived, ...]
    metrics: tuple[Derived, ...]
    growing: str | None
    eventual_bound: str | None

    def all(self) -> tuple[Derived, ...]:
        found = (*self.work, *self.intensities, *self.times, self.time, self.attainable)
        return (*found, *self.tallies, *self.spending, *self.metrics)


def formulas(opened: Prediction, prediction: Prediction) -> PredictionFormulas:
    """Derive the formulas of a prediction; `opened`, with no parameter bound, has the full ones."""
    growing = next((parameter.name for parameter in prediction.free), None)
    timed = None if prediction.is_tabled(growing) else growing

    def derived(
        name: str, dimension: Dimension, tree: Expression, growing: str | None = timed
    ) -> Derived:
        with computing(f"{name} of '{prediction.model.name}'", prediction.root.span):
            return _derived(name, dimension, tree, prediction, growing)

    loads, times, tallies = opened.loads, opened.times(), opened.tallies()
    return PredictionFormulas(
        tuple(derived(load.name, load.resource.dimension, load.work, growing) for load in loads),
        tuple(
            derived(name, unit, simplify_ratio(tree), growing)
            for name, unit in opened.intensity_units.items()
            if (tree := opened.intensity(name)) is not None
        ),
        tuple(derived(name, SECOND, simplify_ratio(tree)) for name, tree in times.items()),
        derived("time", SECOND, opened.time()),
        derived("attainable", FLOP / SECOND, opened.attainable()),
        tuple(derived(item.name, item.dimension, item.amount, growing) for item in tallies),
        tuple(
            derived(name, spending_unit(name, opened.tariff), opened.spending.amounts[name])
            for name in ("energy.work", "energy.constant", "energy", "cost")
            if name in opened.spending.amounts
        ),
        tuple(_metric(item, prediction) for item in prediction.model.metrics),
        growing,
        None if growing is None else _eventual_bound(prediction, growing),
    )


def _metric(metric: Metric, prediction: Prediction) -> Derived:
    """Return a metric in the names of results, and with the numbers put in where it has any."""
    full = numbers = substitute(metric.formula.tree, prediction.model.numbers)
    if not metric.formula.truth:
        with suppress(RoofError):  # it is infinite, or not answered
            numbers = substitute(metric_formula(prediction, metric), prediction.rates)
            spend_on_forms(numbers)
            numbers = approximate(numbers)
    return Derived(metric.name, metric.formula.dimension, full, None, numbers, None, None)


def _eventual_bound(prediction: Prediction, growing: str) -> str | None:
    with computing(f"what binds '{prediction.model.name}' in the end", prediction.root.span):
        return eventual_bound(prediction, growing)


def counted_formulas(
    opened: Prediction, prediction: Prediction, conventions: Sequence[Convention]
) -> tuple[Derived, ...]:
    """Derive what a model costs by some conventions; see `formulas`.

    Raises RoofError (R0709) where the model lacks the tally that one needs.
    """
    growing = next((parameter.name for parameter in prediction.free), None)
    tallies, flops = opened.tallies(), opened.work("flops")
    dimensions = {item.name: item.dimension for item in tallies}
    amounts = {item.name: item.amount for item in tallies}
    found: list[Derived] = []
    for item in conventions:
        check_counted(item, prediction.model.name, dimensions)
        tree = simplify_ratio(count_formula(item, flops, amounts))
        found.append(_derived(item.name, Dimension.base(item.unit), tree, prediction, growing))
    return tuple(found)


def _derived(
    name: str, dimension: Dimension, full: Expression, prediction: Prediction, growing: str | None
) -> Derived:
    known = {**prediction.binding.trees, **prediction.rates, **prediction.tariff.formulas}
    spend_on_forms(full)
    numbers = substitute(full, known)
    # Each branch of a `min` or `max` stands above, simplified, as a quantity of its own.
    simple = numbers if isinstance(numbers, Function) else simplify_ratio(numbers)
    depends = growing is not None and any(s.name == growing for s in free_symbols(full))
    lead = leading(full, growing) if growing is not None and depends else None
    lead_numbers = None if lead is None else approximate(substitute(lead, known))
    grows = growing if depends else None
    return Derived(name, dimension, full, lead, approximate(simple), lead_numbers, grows)
