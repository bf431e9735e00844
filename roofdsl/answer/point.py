"""A prediction in numbers: work and time by resource, intensities, the bound, the breakdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.analysis.convention import Convention
from roofdsl.analysis.intensity import intensity_units, quantities
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Block, Table, Text, label, tabular
from roofdsl.answer.breakdown import By, breakdown_table, breakdown_values
from roofdsl.answer.cells import NOTHING, Cell, Quantity
from roofdsl.answer.head import opening, parameter_units, rate_units, units
from roofdsl.answer.loads import load_table
from roofdsl.answer.margins import (
    has_latencies,
    margin_text,
    margin_values,
    near_values,
    turned_values,
    verdict_text,
)
from roofdsl.answer.plain import Json, number, numbers
from roofdsl.answer.result_cells import (
    count_cell,
    metric_cell,
    own_of,
    result_cell,
    ridge_cell,
    tally_cell,
    unanswered_metrics,
)
from roofdsl.answer.spending import (
    BALANCES,
    balance_cell,
    energies_of,
    energy_table,
    spending_units,
    spending_values,
    verdict_rows,
)
from roofdsl.answer.titles import notes_blocks, on, title_text, with_uncertainty
from roofdsl.answer.uncertainties import (
    uncertainty_notes,
    uncertainty_table,
    uncertainty_values,
    with_half,
    within_rows,
)
from roofdsl.model.results import BOUND_KIND
from roofdsl.roles import Binding
from roofdsl.units.dimension import DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_percent, show_quantity

if TYPE_CHECKING:
    from roofdsl.analysis.rate_box import RatesVerdict
    from roofdsl.analysis.result import Result
    from roofdsl.analysis.ridge import Ridge
    from roofdsl.answer.columns import Entry


class PointAnswer(NamedTuple):
    """A model on a machine with a value for every parameter; `rates`: on all machines near it.

    `lets` are those of the model, where they are asked for.
    """

    result: Result
    prediction: Prediction
    by: By = "step"
    top: int | None = None
    conventions: tuple[Convention, ...] = ()
    rates: Sequence[RatesVerdict] = ()
    lets: Mapping[str, Entry] = {}

    def values(self) -> dict[str, Json]:
        margin = self.result.margin
        return {
            **opening("point"),
            **result_values(self.result, self.conventions),
            "margin": margin and {**margin_values(margin), "turned": turned_values(margin.turned)},
            **near_values(self.rates),
            **uncertainty_values(self.result),
            **({"lets": {name: x.plain for name, x in self.lets.items()}} if self.lets else {}),
            "units": result_units([self.prediction], [self.result]),
        }

    def blocks(self) -> list[Block]:
        result, prediction = self.result, self.prediction
        found: list[Block] = [
            Text(title_text(prediction)),
            *work_tables(result, prediction),
            verdict_table(result, prediction, self.rates),
            *uncertainty_table(result),
            *energy_table(result, prediction),
        ]
        if self.lets:
            rows: list[list[Cell]] = [["let", ""], *([k, x.cell] for k, x in self.lets.items())]
            place = label(result.model, "lets")
            found.append(tabular(f"Lets of {result.model}", place, rows, head=""))
        if self.conventions:
            found.append(self._counts())
        if not prediction.is_kernel:
            found.append(breakdown_table(result, self.by, self.top, self.conventions))
        notes = [*result.notes, *uncertainty_notes(result)]
        others = with_uncertainty(prediction, rates=False)
        if others and any(each.box.change is None for each in self.rates):
            notes.append(f"within the ± of its rates: others are as stated: {others}")
        return [*found, *notes_blocks(notes)]

    def _counts(self) -> Table:
        model = self.result.model
        rows: list[list[Cell]] = [["counted as", "", ""]]
        for item in self.conventions:
            cost = count_cell(self.result.count(item.name), item)
            rows.append([item.name, cost, item.meaning])
        return tabular(f"Operations of {model}", label(model, "counts"), rows, head="")


def work_tables(result: Result, prediction: Prediction) -> tuple[Table, ...]:
    """Return what the model works and its intensities; each job of a mix has its own."""
    if prediction.is_mix:
        return ()
    return load_table(result, prediction), intensity_table(result)


def intensity_table(result: Result) -> Table:
    """Return the intensities here beside the machine's ridge points."""
    rows: list[list[Cell]] = [["", "here", "ridge", *BALANCES.values()]]
    for name in intensity_units(result.own):
        corner = ridge_cell(result.ridge, name, result.own)
        points = (getattr(result.ridge, which) for which in BALANCES)
        balances = [balance_cell(each, name, result.own) for each in points]
        rows.append([name, result_cell(result, name), corner, *balances])
    name = f"{result.model} on {result.machine}"
    spare = tuple(BALANCES.values())
    place = label(name, "intensities")
    return tabular(f"Intensities of {name}", place, rows, head="", spare=spare)


def verdict_table(
    result: Result, prediction: Prediction, rates: Sequence[RatesVerdict] = ()
) -> Table:
    """Return what comes of it: the bound, time, attainable performance, totals, tallies."""
    share = peak_share(result)
    peak = "" if share is None else f"({show_percent(share)} of the peak)"
    rows: list[list[Cell]] = [
        ["", ""],
        ["bound", Binding(bound_text(result, prediction))],
        *_kind_row(result, prediction),
        ["time", with_half(result, "time", result_cell(result, "time"))],
    ]
    if not prediction.is_mix:
        speed = Quantity(result.attainable, FLOP / SECOND, remark=peak)
        rows.append(["attainable", with_half(result, "attainable", speed)])
    margin = result.margin
    if margin is not None:
        rows.append(["margin", margin_text(margin, latencies=has_latencies(prediction))])
    rows += within_rows(result)
    rows += [[each.box.words, verdict_text(each)] for each in rates]
    if result.processes != 1 and result.total_attainable is not None:
        count = show_number(result.processes)
        whole = show_quantity(result.total_attainable, FLOP / SECOND)
        flops = show_quantity(result.totals["flops"], FLOP)
        rows.append(["in total", f"{whole}, {flops} on {count} processes"])
    rows += [
        [name, with_half(result, str(name), cell)]
        for name, cell in verdict_rows(result, prediction)
    ]
    rows += [[name, tally_cell(result, name)] for name in result.tallies]
    rows += [[name, with_half(result, name, metric_cell(result, name))] for name in result.metrics]
    unanswered = unanswered_metrics(result)
    rows += [[name, f"{NOTHING} ({why})"] for name, why in unanswered.items()]
    name = on(prediction)
    return tabular(f"Prediction of {name}", label(name, "prediction"), rows, head="")


def verdict(result: Result, prediction: Prediction) -> str:
    """Return the bound, the time and the attainable performance in a sentence."""
    time = show_quantity(result.time, SECOND)
    if not result.ties:
        return f"Nothing binds: {_idle(result)}."
    bound = f"Bound by {bound_text(result, prediction)}"
    if not result.flops or prediction.is_mix:
        return f"{bound}: {time}."
    speed = show_quantity(result.attainable, FLOP / SECOND)
    share = peak_share(result)
    peak = "" if share is None else f", {show_percent(share)} of the peak"
    return f"{bound}: {time}, {speed}{peak}."


def _idle(result: Result) -> str:
    return "no work takes time" if any(result.work.values()) else "there is no work"


def bound_text(result: Result, prediction: Prediction) -> str:
    """Return what binds; of a composition, the largest shares of its time."""
    if not result.ties:
        return f"none: {_idle(result)}"
    if prediction.is_roofline:
        return " and ".join(result.ties)
    shares = sorted(result.shares.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {show_percent(share)}" for name, share in shares[:4])
    more = f" and {len(shares) - 4} more" if len(shares) > 4 else ""
    return f"{shown}{more} of the time"


def _kind_row(result: Result, prediction: Prediction) -> list[list[Cell]]:
    """Return which kind of flops takes most of the bound, where it does several."""
    kinds = {
        load.name
        for load in prediction.placed
        if load.group == result.bound and load.resource.name == "flops"
    }
    doing = [name for name in kinds if result.work.get(name)]
    return [[BOUND_KIND, Binding(result.bound_kind)]] if len(doing) > 1 else []


def peak_share(result: Result) -> float | None:
    """Return the attainable performance as a part of the peak, None where there is no peak."""
    if not result.peak or not math.isfinite(result.attainable):
        return None
    return result.attainable / result.peak


def result_values(result: Result, conventions: Sequence[Convention] = ()) -> dict[str, Json]:
    """Return a result in plain values of SI base units."""
    total = {"processes": result.processes, **result.totals}
    attainable = result.total_attainable
    if attainable is not None:
        total["attainable"] = attainable
    return {
        "model": result.model,
        "machine": result.machine,
        "varied": {name: item.value for name, item in result.varied.items()},
        "params": {**result.parameters},
        "values": {
            **quantity_values(result),
            "peak": number(result.peak),
        },
        "bound": result.bound,
        "bound_kind": result.bound_kind,
        "ties": [*result.ties],
        "work": numbers(result.work),
        "times": numbers(result.times),
        "rates": numbers(result.rates),
        "ridge": ridge_values(result.ridge, result.own),
        "total": numbers(total),
        "shares": numbers(result.shares),
        "margin": result.margin and margin_values(result.margin),
        "tallies": numbers(result.tallies),
        "within_capacity": dict(result.fits),
        "metrics": numbers({**dict.fromkeys(unanswered_metrics(result)), **result.metrics}),
        "counts": {item.name: number(result.count(item.name)) for item in conventions},
        "breakdown": breakdown_values(
            result.breakdown, result.time, conventions, energies_of(result)
        )
        if result.breakdown.children
        else None,
        **spending_values(result),
        "notes": list(result.notes),
    }


def quantity_values(result: Result) -> dict[str, Json]:
    """Return the numbers that a result has beside its tables, by name, in the order shown."""
    found = result.quantities
    return numbers({name: found[name] for name in quantities(result.own)})


def ridge_values(ridge: Ridge, own: Mapping[str, Dimension]) -> dict[str, Json]:
    """Return ridge points in plain values, by the names of the intensities; None where none is."""
    return {name: ridge.of(name) for name in intensity_units(own)}


def result_units(predictions: Sequence[Prediction], results: Sequence[Result]) -> dict[str, Json]:
    """Return the units of the numbers of results: of one model, on a machine each."""
    work = {load.name: load.resource.dimension for each in predictions for load in each.loads}
    own = own_of(results)
    values = {**quantities(own), "peak": FLOP / SECOND}
    totals = dict.fromkeys(name for result in results for name in result.totals)
    return units(
        {
            "varied": {k: x.dimension for each in results for k, x in each.varied.items()},
            "params": parameter_units(predictions[0]),
            "values": values,
            "work": work,
            "times": {name: SECOND for result in results[:1] for name in result.times},
            "rates": rate_units(each.machine for each in predictions),
            "ridge": intensity_units(own),
            "total": {"processes": DIMENSIONLESS, "attainable": FLOP / SECOND}
            | {name: values.get(name, work.get(name, DIMENSIONLESS)) for name in totals},
            "tallies": {tally.name: tally.dimension for tally in predictions[0].tallied},
            **spending_units(predictions),
            "metrics": {x.name: x.formula.dimension for x in predictions[0].model.metrics},
        }
    )
