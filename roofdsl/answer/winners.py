"""Which machine does most of a mix in an hour, for a unit of money, and with a joule."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.analysis.tariff import spending_unit
from roofdsl.answer.cells import NOTHING, Cell
from roofdsl.answer.plain import Json
from roofdsl.numeric.decision import NEARLY
from roofdsl.units.quantity import show_number

_Name = TypeVar("_Name")
PER = {"time": "per hour", "cost": "per {}", "energy": "per joule"}
"""What the least of each means: the same work in less time is more work in an hour."""


def winner_values(results: Sequence[Result], predictions: Sequence[Prediction]) -> dict[str, Json]:
    """Return for time, cost and energy the machines that take least, null if not answered."""
    return {
        name: None if isinstance(taken, str) else [*nearly_least(taken)]
        for name, taken in _taken(results, predictions).items()
    }


def winner_rows(results: Sequence[Result], predictions: Sequence[Prediction]) -> list[list[Cell]]:
    """Return a row for each of time, cost and energy: who wins, and by how much."""
    rows: list[list[Cell]] = [["", "most is done by", ""]]
    for name, taken in _taken(results, predictions).items():
        per = PER[name].format(_currency(predictions))
        if isinstance(taken, str):
            rows.append([per, NOTHING, taken])
            continue
        best = nearly_least(taken)
        least = min(taken.values())
        behind = sorted((value, each) for each, value in taken.items() if each not in best)
        ahead = [f"{show_number(value / least)} × {each}" for value, each in behind if least]
        rows.append([per, " and ".join(best), ", ".join(ahead)])
    return rows


def _taken(
    results: Sequence[Result], predictions: Sequence[Prediction]
) -> dict[str, Mapping[str, float] | str]:
    """Return what each machine takes of time, money and energy, or why that is not known."""
    found: dict[str, Mapping[str, float] | str] = {
        "time": {result.machine: result.time for result in results}
    }
    for name in ("cost", "energy"):
        lacking = [result.unanswered[name] for result in results if name in result.unanswered]
        units = {spending_unit(name, each.tariff) for each in predictions}
        if lacking:
            found[name] = lacking[0]
        elif len(units) > 1:
            found[name] = f"the prices are in {' and '.join(sorted(map(str, units)))}"
        else:
            found[name] = {result.machine: result.spending[name] for result in results}
    return found


def nearly_least(taken: Mapping[_Name, float]) -> dict[_Name, float]:
    """Return what has the least number, what rounding may hide among it.

    >>> nearly_least({"a": 2.0, "b": 1.0, "c": 1.0})
    {'b': 1.0, 'c': 1.0}
    """
    least = min(taken.values())
    limit = least + abs(least) * NEARLY if math.isfinite(least) else least
    return {name: value for name, value in taken.items() if value <= limit}


def _currency(predictions: Sequence[Prediction]) -> str:
    units = dict.fromkeys(str(spending_unit("cost", each.tariff)) for each in predictions)
    known = [unit for unit in units if unit != "1"]
    return known[0] if len(known) == 1 else "unit of money"
