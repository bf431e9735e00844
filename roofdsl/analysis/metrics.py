"""The metrics of a result: what its model works out of it, in numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.machine_values import machine_value
from roofdsl.analysis.members import Unanswered, step_asked, value_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import metric_formula, quantity
from roofdsl.analysis.result import Result
from roofdsl.diagnostic import RoofError
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import is_condition
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.results import BOUND_KIND
from roofdsl.model.types import Metric
from roofdsl.numeric.extended import extended
from roofdsl.numeric.scalar import EvaluationError, evaluate


class Worked(NamedTuple):
    """The metrics that have a number, or are true or false, and why others have none."""

    values: dict[str, float]
    unanswered: dict[str, str]


def with_metrics(result: Result) -> Result:
    """Return a result with the metrics of its model, by their names too."""
    values, unanswered = _worked(result)
    return replace(
        result,
        named={**result.named, **values},
        metrics=values,
        shown_in=_units_of_files(result),
        unanswered={**result.unanswered, **unanswered},
    )


def _units_of_files(result: Result) -> dict[str, tuple[str, float]]:
    assert result.rivalry is not None
    metrics = result.rivalry.prediction.model.metrics
    units = ((metric.name, unit_of_file(metric)) for metric in metrics)
    return {name: unit for name, unit in units if unit is not None}


def unit_of_file(metric: Metric) -> tuple[str, float] | None:
    """Return the unit that a metric is declared in, and its factor, where its file defines it."""
    unit = metric.statement.unit
    if unit is None:
        return None
    names = re.findall(r"[^\W\d]\w*", unit.name)
    own = [metric.units[name] for name in names if name in metric.units]
    factor = float(metric.factor)
    # `euro/TB` is of no unit with a factor, and no prefix of `euro/B` says it.
    odd = own and factor != 1
    return (unit.name, factor) if odd or any(each.factor != 1 for each in own) else None


def metric_formulas(prediction: Prediction) -> tuple[dict[str, Expression], dict[str, str]]:
    """Return the metrics as formulas in what is open and the rates, and why others have none."""
    found: dict[str, Expression] = {}
    unanswered: dict[str, str] = {}
    for metric in prediction.model.metrics:
        try:
            found[metric.name] = metric_formula(prediction, metric)
        except RoofError as error:
            unanswered[metric.name] = why_unanswered(error)
    return found, unanswered


def why_unanswered(error: RoofError) -> str:
    """Return the reason for which there is no number."""
    problem, *_ = error.diagnostics
    return problem.message.rpartition(" is not answered: ")[2]


def metric_parts(prediction: Prediction) -> list[Expression]:
    """Return the results that metrics are made of as formulas, without which they have no value."""
    known = {*prediction.binding.trees, *(each.name for each in prediction.free)}
    found: dict[str, Expression] = {}
    for metric in prediction.model.metrics:
        for symbol in free_symbols(metric.formula.tree):
            if symbol.name not in known:
                with suppress(RoofError):  # it is infinite, or not answered
                    found[symbol.name] = quantity(prediction, symbol.name)
    return [tree for tree in found.values() if not is_condition(tree)]


def _worked(result: Result) -> Worked:
    assert result.rivalry is not None  # a result in outline has none
    prediction, found = result.rivalry.prediction, Worked({}, {})
    for metric in prediction.model.metrics:
        value = _value(metric, result, prediction)
        if isinstance(value, Unanswered):
            found.unanswered[metric.name] = value.reason
        else:
            found.values[metric.name] = value
    return found


def _value(metric: Metric, result: Result, prediction: Prediction) -> float | Unanswered:
    assert result.rivalry is not None
    rivalry, tree = result.rivalry, metric.formula.tree
    names = {symbol.name for symbol in free_symbols(tree)}
    own = {name: each for name, each in prediction.binding.trees.items() if name in names}
    values: dict[str, float] = {}
    for name in sorted(names - own.keys()):
        value = _named(result, prediction, name)
        if isinstance(value, Unanswered):
            return value
        values[name] = value
    own_trees = {name: substitute(each, rivalry.known) for name, each in own.items()}
    if not all(map(math.isfinite, values.values())):
        # As formulas are built a product with the factor 0 is 0, whatever the other is.
        return _of_kind(metric, extended(tree, {**values, **_in_numbers(own_trees)}))
    if rivalry.composing == "written" and _jumps(tree):
        # Where floats are nearly equal, only formulas tell what is.
        formula = metric_formula(prediction, metric)
        known = {**prediction.rates, **rivalry.known}
        try:
            return _of_kind(metric, evaluate(substitute(formula, known), {}))
        except (EvaluationError, RoofError):
            pass  # it is infinite or undefined
    return _of_kind(metric, extended(substitute(tree, own_trees), values))


def _in_numbers(trees: Mapping[str, Expression]) -> dict[str, float]:
    return {name: extended(tree, {}) for name, tree in trees.items()}


def _of_kind(metric: Metric, value: float) -> float:
    return bool(value) if metric.formula.truth and value == value else float(value)


def _named(result: Result, prediction: Prediction, name: str) -> float | Unanswered:
    if " is " in name:
        path, _, resource = name.partition(" is ")
        holder, asked = step_asked(result, path.split("."))
        return (holder.bound_kind if asked == BOUND_KIND else holder.bound) == resource
    if name.startswith("machine."):
        value = machine_value(prediction, name.removeprefix("machine."))
        if isinstance(value, Unanswered):
            return value
        return evaluate(value, prediction.rate_values)
    holder, key = step_asked(result, name.split("."))
    found = value_of(holder, key, own_first=True)
    if found is None:
        return Unanswered(f"'{holder.model}' on '{holder.machine}' has no {key}")
    return found if isinstance(found, Unanswered) else found[0]


def _jumps(tree: Expression) -> bool:
    """Whether a formula compares, or jumps at whole numbers."""
    return any(
        isinstance(node, trees.Comparison)
        or (isinstance(node, trees.Function) and node.name in ("ceil", "floor", "is_integer"))
        for node in bottom_up(tree)
    )
