"""What a model works: work, rate and time of each resource, and whose time is charged."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from roofdsl.analysis.bound_kind import holders_of
from roofdsl.analysis.load import Load, rate_key
from roofdsl.analysis.node import is_startup
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Table, label, tabular
from roofdsl.answer.cells import Cell, Printed, Quantity
from roofdsl.answer.rates import rate_cell
from roofdsl.answer.result_cells import percent
from roofdsl.answer.titles import on
from roofdsl.model.types import Rate
from roofdsl.roles import Binding
from roofdsl.units.dimension import DIMENSIONLESS, SECOND
from roofdsl.units.quantity import show_quantity

if TYPE_CHECKING:
    from roofdsl.analysis.result import Result


def load_table(result: Result, prediction: Prediction) -> Table:
    """Return work, rate and time of each resource; the rows of what binds are emphasised.

    In a composition, how long a resource is busy does not say what binds: the bound is what most
    of the time is charged to, so that share stands beside it. Several rows may have it together.
    """
    kernel = prediction.is_roofline
    busy: list[Cell] = ["time"] if kernel else ["busy", "share of the time"]
    rows: list[list[Cell]] = [["", "work", "rate", *busy, ""]]
    bound: set[int] = set()
    served = [(load, _busy(load, result, prediction)) for load in prediction.served]
    holders = {load.name: holders_of(prediction, load.name) for load, _ in served}
    working = Counter(group for load, spent in served if spent for group in holders[load.name])
    for place, (load, spent) in enumerate(served):
        rate = result.rates.get(rate_name(load))
        work = result.work.get(load.name, 0.0)
        groups = holders[load.name]
        binds = result.bound in groups and spent > 0
        if binds:
            bound.add(place)
        cells: list[Cell] = [
            load.name,
            Quantity(work, load.resource.dimension),
            _at_this_work(load, rate, result, prediction)
            or _speed(load, work, spent, rate, prediction),
            Quantity(spent, SECOND),
        ]
        if not kernel:
            charged = math.fsum(result.shares.get(group, 0.0) for group in groups)
            share = percent(charged if spent else 0.0)
            several = spent > 0 and any(working[group] > 1 for group in groups)
            cells.append(Printed(f"{share.text} together") if several else share)
        rows.append([*cells, Binding("← bound") if binds else ""])
    for start, spent in result.times.items():
        if is_startup(start):
            part = [] if kernel else [percent(result.shares.get(start, 0.0))]
            if start == result.bound:
                bound.add(len(rows) - 1)
            last = Binding("← bound") if start == result.bound else ""
            rows.append([start, "", "", Quantity(spent, SECOND), *part, last])
    name = on(prediction)
    caption = f"Work and time of {name}"
    return tabular(
        caption,
        label(name, "loads"),
        rows,
        emphasised=frozenset(bound),
        head="",
        spare=("rate", "work", "busy"),
    )


def _busy(load: Load, result: Result, prediction: Prediction) -> float:
    """Return how long a resource is busy [s], of what shares only its own part if that is known."""
    if not prediction.by_rates:
        return result.times.get(load.group, 0.0)
    work = result.work.get(load.name, 0.0)
    return work / result.rates[rate_name(load)] if work and load.rate is not None else 0.0


def rate_name(load: Load) -> str:
    """Return the name of a load's rate among those of a result: `memory.DRAM`, `gpu.flops`."""
    return "" if load.rate is None else rate_key(load.rate.name)


def _rate_of(load: Load, prediction: Prediction) -> Rate | None:
    """Return the rate of the machine, or of its device, that a load is done at."""
    name = rate_name(load)
    if load.device is None:
        return prediction.machine.rate(name)
    return prediction.machine.devices[load.device].rate(name.removeprefix(f"{load.device}."))


def _at_this_work(
    load: Load, most: float | None, result: Result, prediction: Prediction
) -> Cell | None:
    """Return the rate at which a kernel's work is done, None where that does not depend on it."""
    if load.rate is None or not prediction.is_kernel or result.rivalry is None:
        return None
    together = [x for x in prediction.root.loads if x.rate == load.rate]
    amounts = [result.rivalry.amounts.get(x.needed, 0.0) for x in together if x.needed is not None]
    needed = math.fsum(amounts)
    if not needed or most is None:
        return None
    stated, unit = _rate_of(load, prediction), load.resource.dimension / SECOND
    here = math.fsum(result.work.get(x.name, 0.0) for x in together) / needed * most
    if stated is not None and stated.inverse:
        here, most, unit = 1 / here, 1 / most, DIMENSIONLESS / unit
    return Quantity(here, unit, remark=f"of {show_quantity(most, unit)}")


def _speed(
    load: Load, work: float, spent: float, rate: float | None, prediction: Prediction
) -> Cell:
    if load.spent is not None:
        unit = load.resource.dimension / SECOND
        return Quantity(work / spent, unit, remark="(measured)") if spent else "(measured)"
    stated = _rate_of(load, prediction)
    if stated is None:  # where no work is done, none is needed
        measured = "(measured)" if load.roof is not None else "unlimited"
        return measured if work else ""
    return rate_cell(stated, rate)
