"""A prediction in numbers, as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from roofdsl.analysis.binding import show_value
from roofdsl.analysis.convention import Convention
from roofdsl.analysis.load import Load
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.expression.tree import Number
from roofdsl.model.types import Rate
from roofdsl.report.breakdown import By, breakdown_json, breakdown_text
from roofdsl.report.columns import aligned, indented
from roofdsl.report.convention import counts_json, counts_text
from roofdsl.report.json_value import SCHEMA, Json, number, plain
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity, show_uncertain

INTENSITY_UNITS: dict[str, Dimension] = {
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}


def numeric_text(
    result: Result,
    prediction: Prediction,
    by: By = "step",
    top: int | None = None,
    conventions: Sequence[Convention] = (),
) -> str:
    """Return the answer as a page of text; of a composition, with its breakdown."""
    rows = [["", "work", "rate", "time" if prediction.is_kernel else "busy", ""]]
    for load in prediction.served:
        rate = None if load.rate is None else result.rates[rate_name(load)]
        work = result.work.get(load.name, 0.0)
        alone = work / rate if rate else result.times.get(load.group, 0.0)
        spent = alone if prediction.is_kernel else result.times.get(load.group, alone)
        rows.append(
            [
                load.name,
                show_quantity(work, load.resource.dimension),
                _speed(load, work, spent, rate, prediction),
                show_quantity(spent, SECOND),
                "← bound" if load.group == result.bound else "",
            ]
        )
    corners = [["", "here", "ridge"]]
    for name, unit in INTENSITY_UNITS.items():
        corner = getattr(result.ridge, name)
        ridge = "–" if corner is None else show_quantity(corner, unit)
        corners.append([name, show_quantity(getattr(result, name), unit), ridge])
    blocks = [
        f"{result.model} on {result.machine}   {parameters_text(prediction)}".rstrip(),
        indented(aligned(rows)),
        indented(aligned(corners)),
        indented(aligned(_verdict(result, prediction))),
    ]
    if conventions:
        blocks.append(counts_text(result, conventions))
    if not prediction.is_kernel:
        blocks.append(indented(breakdown_text(result, by, top, conventions)))
    notes = [f"  note: {note}" for note in result.notes]
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


def rate_name(load: Load) -> str:
    """Return the name of a load's rate among those of a result: `memory.DRAM`, `gpu.flops`."""
    return "" if load.rate is None else load.rate.name.split(".", 1)[1]


def rate_of(load: Load, prediction: Prediction) -> Rate | None:
    """Return the rate of the machine, or of its device, that a load is done at."""
    name = rate_name(load)
    if load.device is None:
        return prediction.machine.rate(name)
    return prediction.machine.devices[load.device].rate(name.removeprefix(f"{load.device}."))


def _speed(
    load: Load, work: float, spent: float, rate: float | None, prediction: Prediction
) -> str:
    if load.spent is None:
        return show_rate(rate_of(load, prediction), rate)
    shown = show_quantity(work / spent, load.resource.dimension / SECOND) if spent else ""
    return f"{shown} (measured)"


def show_rate(rate: Rate | None, value: float | None) -> str:
    """Return a rate as the machine's file has it: `1.2 GB/s`, or as a latency, `2 µs/message`."""
    if rate is None:
        return ""
    if value is None:
        return "unlimited"
    unit = rate.resource.dimension / SECOND
    if rate.inverse:
        value, unit = 1 / value, DIMENSIONLESS / unit
    if isinstance(rate.uncertainty, Number):
        return show_uncertain(value, float(rate.uncertainty.value), unit)
    return show_quantity(value, unit)


def _verdict(result: Result, prediction: Prediction) -> list[list[str]]:
    rows = [
        ["bound", _bound(result, prediction)],
        ["time", show_quantity(result.time, SECOND)],
        ["attainable", _attainable(result)],
    ]
    margin = result.margin
    if margin is not None:
        verdict = "holds" if margin.holds else "may not hold"
        rows.append(
            [
                "margin",
                f"{margin.ratio:.3g} × {margin.next}; {verdict} with ±10 % on every rate",
            ]
        )
    if result.processes != 1 and result.total_attainable is not None:
        count = show_number(result.processes)
        whole = show_quantity(result.total_attainable, FLOP / SECOND)
        flops = show_quantity(result.totals["flops"], FLOP)
        rows.append(["in total", f"{whole}, {flops} on {count} processes"])
    return [*rows, *_tallies(result, prediction)]


def _bound(result: Result, prediction: Prediction) -> str:
    if not result.ties:
        return "none: there is no work"
    if prediction.is_kernel:
        return " and ".join(result.ties)
    shares = sorted(result.shares.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {100 * share:.3g} %" for name, share in shares[:4])
    return f"{shown} of the time"


def _tallies(result: Result, prediction: Prediction) -> list[list[str]]:
    rows: list[list[str]] = []
    for tally in prediction.tallies():
        shown = show_quantity(result.tallies[tally.name], tally.dimension)
        fits = result.fits.get(tally.name)
        verdict = "" if fits is None else "  (fits)" if fits else "  (does not fit)"
        rows.append([tally.name, shown + verdict])
    return rows


def _attainable(result: Result) -> str:
    shown = show_quantity(result.attainable, FLOP / SECOND)
    if not result.peak or not math.isfinite(result.attainable):
        return shown
    return f"{shown}  ({100 * result.attainable / result.peak:.3g} % of the peak)"


def parameters_text(prediction: Prediction, without: str = "") -> str:
    """Return the values of the parameters that have one: `N = 4096, word = 8 B`."""
    return ", ".join(
        f"{parameter.name} = {show_value(prediction.binding.values[parameter.name], parameter)}"
        for parameter in prediction.model.parameters
        if parameter.name in prediction.binding.values and parameter.name != without
    )


def numeric_json(result: Result, conventions: Sequence[Convention] = ()) -> str:
    """Return the answer as JSON in SI base units; infinite is "inf", undefined is null."""
    answer = document(result, conventions)
    return json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False)


def document(result: Result, conventions: Sequence[Convention] = ()) -> dict[str, Json]:
    """Return the answer as the value that `numeric_json` writes."""
    values: dict[str, Json] = {
        name: number(getattr(result, name))
        for name in ("flops", "memory", "network", *INTENSITY_UNITS, "time", "attainable")
    }
    values["bound"] = result.bound
    total: dict[str, Json] = {"processes": number(result.processes)}
    total |= {name: number(done) for name, done in result.totals.items()}
    if result.total_attainable is not None:
        total["attainable"] = number(result.total_attainable)
    answer: dict[str, Json] = {
        "schema": SCHEMA,
        "model": result.model,
        "machine": result.machine,
        "params": {name: plain(value) for name, value in result.parameters.items()},
        "values": values,
        "work": _numbers(result.work),
        "times": _numbers(result.times),
        "rates": _numbers(result.rates),
        "ridge": {name: number(getattr(result.ridge, name)) for name in INTENSITY_UNITS},
        "total": total,
    }
    if result.breakdown.children:
        answer["shares"] = _numbers(result.shares)
        answer["breakdown"] = breakdown_json(result.breakdown, result.time, conventions)
    margin = result.margin
    if margin is not None:
        answer["slack"] = {
            "next": margin.next,
            "ratio": number(margin.ratio),
            "firm": margin.holds,
        }
    if result.tallies:
        answer["tallies"] = _numbers(result.tallies)
        answer["fits"] = dict(result.fits)
    if conventions:
        answer["counts"] = counts_json(result, conventions)
    if result.notes:
        answer["notes"] = list(result.notes)
    return answer


def _numbers(table: dict[str, float]) -> Json:
    return {name: number(value) for name, value in table.items()}
