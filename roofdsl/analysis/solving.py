"""What is asked of an unknown: in numbers, or for all values of what else has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofdsl.analysis.crossover import Crossovers, find_crossovers
from roofdsl.analysis.open_machine import open_unknowns
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import RoofError
from roofdsl.numeric.place import Place
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.analysis.open_orders import OpenOrders
    from roofdsl.analysis.open_regimes import OpenRegions
    from roofdsl.analysis.such_that import Condition
    from roofdsl.analysis.threshold import Thresholds


def find_changes(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    between: Sequence[Source] = (),
) -> Crossovers | OpenRegions | OpenOrders:
    """Return every change of the bound over a range, or of the larger of what lies `between`.

    Raises RoofError for what cannot be compared (R0301, R0707), and where nothing depends on the
    unknown (R0704).
    """
    others = _others(prediction, unknown)
    if len(others) > 1:
        from roofdsl.analysis.open_orders import find_open_orders

        return find_open_orders(prediction, unknown, others, between)
    if others:
        from roofdsl.analysis.open_regimes import find_open_regimes

        return find_open_regimes(prediction, unknown, low, high, others[0], between)
    if not between:
        return find_crossovers(prediction, unknown, low, high)
    from roofdsl.analysis.larger import find_between

    return find_between(prediction, unknown, low, high, between)


def find_holding(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds | OpenRegions:
    """Return where a condition holds over a range.

    Raises RoofError where nothing depends on the unknown (R0704), or where other names have no
    value, unless it is one and the condition one comparison (R0406).
    """
    others = _others(prediction, unknown)
    if len(others) == 1:
        from roofdsl.analysis.open_regimes import find_open_regimes, is_one_comparison

        if is_one_comparison(condition):
            return find_open_regimes(prediction, unknown, low, high, others[0], condition)
    from roofdsl.analysis.threshold import find_thresholds

    try:
        return find_thresholds(prediction, condition, unknown, low, high)
    except RoofError as error:
        if len(others) != 1 or error.diagnostics[0].code != "R0406":
            raise
        hint = f"with {others[0].name} open, one comparison is solved, without `and` or `or`; "
        hint += error.diagnostics[0].hint or ""
        raise RoofError([replace(error.diagnostics[0], hint=hint)]) from None


def _others(prediction: Prediction, unknown: Unknown) -> list[Unknown]:
    return [each for each in open_unknowns(prediction) if each.name != unknown.name]
