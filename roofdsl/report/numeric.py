"""A prediction in numbers, as text and as JSON."""

from __future__ import annotations

import json
import math
from typing import TypeAlias

from roofdsl.analysis.binding import show_value
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_quantity

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
INTENSITY_UNITS: dict[str, Dimension] = {
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}
SCHEMA = 1


def numeric_text(result: Result, prediction: Prediction) -> str:
    """Return the answer as a page of text."""
    lines = [f"{result.model} on {result.machine}   {_parameters(prediction)}".rstrip(), ""]
    lines.append(f"  {'':<11}{'work':<14}{'rate':<14}{'time':<12}")
    for load in prediction.loads:
        work = show_quantity(result.work[load.key], load.resource.dimension)
        rate = result.rates[load.rate.name.split(".", 1)[1]] if load.rate else None
        speed = (
            "unlimited" if rate is None else show_quantity(rate, load.resource.dimension / SECOND)
        )
        time = show_quantity(result.work[load.key] / rate if rate else 0.0, SECOND)
        mark = "  ← bound" if load.key == result.bound else ""
        lines.append(f"  {load.key:<11}{work:<14}{speed:<14}{time:<12}{mark}".rstrip())
    lines += ["", f"  {'':<11}{'here':<14}{'ridge':<14}"]
    for name, unit in INTENSITY_UNITS.items():
        here = show_quantity(getattr(result, name), unit)
        corner = getattr(result.ridge, name)
        ridge = "–" if corner is None else show_quantity(corner, unit)
        lines.append(f"  {name:<11}{here:<14}{ridge:<14}".rstrip())
    bound = " and ".join(result.ties) if result.ties else "none: there is no work"
    lines += [
        "",
        f"  bound       {bound}",
        f"  time        {show_quantity(result.time, SECOND)}",
        f"  attainable  {show_quantity(result.attainable, FLOP / SECOND)}{_share(result)}",
    ]
    return "\n".join(lines)


def _share(result: Result) -> str:
    peak = result.rates.get("flops")
    if not peak or not math.isfinite(result.attainable):
        return ""
    return f"  ({100 * result.attainable / peak:.3g} % of the peak)"


def _parameters(prediction: Prediction) -> str:
    return ", ".join(
        f"{parameter.name} = {show_value(prediction.binding.values[parameter.name], parameter)}"
        for parameter in prediction.model.parameters
    )


def numeric_json(result: Result) -> str:
    """Return the answer as JSON in SI base units; infinite is "inf", undefined is null."""
    values: dict[str, Json] = {key: number(amount) for key, amount in result.work.items()}
    for key in ("flops", "memory", "network"):
        values[key] = number(getattr(result, key))
    for name in INTENSITY_UNITS:
        values[name] = number(getattr(result, name))
    values["time"] = number(result.time)
    values["attainable"] = number(result.attainable)
    values["bound"] = result.bound
    document: dict[str, Json] = {
        "schema": SCHEMA,
        "model": result.model,
        "machine": result.machine,
        "params": {
            name: number(value) if isinstance(value, float) else value
            for name, value in result.parameters.items()
        },
        "values": values,
        "times": {name: number(value) for name, value in result.times.items()},
        "rates": {name: number(value) for name, value in result.rates.items()},
        "ridge": {name: number(getattr(result.ridge, name)) for name in INTENSITY_UNITS},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def number(value: float | None) -> Json:
    """Return a number for JSON, which has neither infinity nor NaN."""
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
