"""A prediction in numbers as tables: work and time by resource, intensities, the breakdown."""

from __future__ import annotations

import math
from collections.abc import Iterator

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.load import Load
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result, ratio
from roofdsl.report.document.content import Cell, Column, Quantity, Table, label
from roofdsl.report.document.rates import rate_cell
from roofdsl.report.numeric import INTENSITY_UNITS, rate_name, rate_of
from roofdsl.units.dimension import DIMENSIONLESS, FLOP, SECOND
from roofdsl.units.quantity import show_number, show_quantity

MOST_ROWS = 30


def load_table(result: Result, prediction: Prediction) -> Table:
    """Return work, rate and time of each resource; the row of what binds is emphasised."""
    rows: list[tuple[Cell, ...]] = []
    bound: set[int] = set()
    for place, load in enumerate(prediction.served):
        rate = None if load.rate is None else result.rates[rate_name(load)]
        work = result.work.get(load.name, 0.0)
        alone = work / rate if rate else result.times.get(load.group, 0.0)
        spent = alone if prediction.is_kernel else result.times.get(load.group, alone)
        if load.group == result.bound:
            bound.add(place)
        rows.append(
            (
                load.name,
                Quantity(work, load.resource.dimension),
                _speed(load, work, spent, rate, prediction),
                Quantity(spent, SECOND),
                "← bound" if load.group == result.bound else "",
            )
        )
    columns = (
        Column("Resource"),
        Column("Work", align="right"),
        Column("Rate", align="right"),
        Column("Time" if prediction.is_kernel else "Busy", align="right"),
        Column(""),
    )
    name = f"{result.model} on {result.machine}"
    return Table(
        f"Work and time of {name}",
        label(name, "loads"),
        columns,
        tuple(rows),
        emphasised=frozenset(bound),
    )


def _speed(
    load: Load, work: float, spent: float, rate: float | None, prediction: Prediction
) -> Cell:
    if load.spent is not None:
        return "measured" if not spent else Quantity(work / spent, load.resource.dimension / SECOND)
    stated = rate_of(load, prediction)
    return "" if stated is None else rate_cell(stated, rate)


def intensity_table(result: Result) -> Table:
    """Return the intensities here beside the machine's ridge points."""
    rows: list[tuple[Cell, ...]] = []
    for name, unit in INTENSITY_UNITS.items():
        corner = getattr(result.ridge, name)
        ridge: Cell = "–" if corner is None else Quantity(corner, unit)
        rows.append((name, Quantity(getattr(result, name), unit), ridge))
    columns = (
        Column("Intensity"),
        Column("Here", align="right"),
        Column("Ridge point", align="right"),
    )
    name = f"{result.model} on {result.machine}"
    return Table(f"Intensities of {name}", label(name, "intensities"), columns, tuple(rows))


def verdict_rows(result: Result, prediction: Prediction) -> list[tuple[Cell, Cell]]:
    """Return what comes of it: the bound, time, attainable performance, totals, tallies."""
    rows: list[tuple[Cell, Cell]] = [
        ("Bound", bound_text(result, prediction)),
        ("Time", Quantity(result.time, SECOND)),
        ("Attainable", Quantity(result.attainable, FLOP / SECOND)),
    ]
    share = peak_share(result)
    if share is not None:
        rows.append(("Share of the peak", f"{100 * share:.3g} %"))
    margin = result.margin
    if margin is not None:
        holds = "holds" if margin.holds else "may not hold"
        text = f"{margin.ratio:.3g} × {margin.next}; {holds} with ±10 % on every rate"
        rows.append(("Margin", text))
    if result.processes != 1 and result.total_attainable is not None:
        count = show_number(result.processes)
        whole = show_quantity(result.total_attainable, FLOP / SECOND)
        flops = show_quantity(result.totals["flops"], FLOP)
        rows.append(("In total", f"{whole}, {flops} on {count} processes"))
    for tally in prediction.tallies():
        shown = Quantity(result.tallies[tally.name], tally.dimension)
        rows.append((tally.name, shown))
        fits = result.fits.get(tally.name)
        if fits is not None:
            rows.append((f"{tally.name} fits", "yes" if fits else "no"))
    return rows


def verdict_table(result: Result, prediction: Prediction) -> Table:
    """Return the same as a table."""
    name = f"{result.model} on {result.machine}"
    columns = (Column("Result"), Column("Value"))
    rows = tuple(verdict_rows(result, prediction))
    return Table(f"Prediction of {name}", label(name, "prediction"), columns, rows)


def bound_text(result: Result, prediction: Prediction) -> str:
    """Return what binds; of a composition, the largest shares of its time."""
    if not result.ties:
        return "none: there is no work"
    if prediction.is_kernel:
        return " and ".join(result.ties)
    shares = sorted(result.shares.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {100 * share:.3g} %" for name, share in shares[:4])
    return f"{shown} of the time"


def peak_share(result: Result) -> float | None:
    """Return the attainable performance as a part of the peak, None where there is no peak."""
    if not result.peak or not math.isfinite(result.attainable):
        return None
    return result.attainable / result.peak


def breakdown_table(result: Result) -> Table | None:
    """Return the steps of a composition with time and share, the deepest that fit; else None."""
    if not result.breakdown.children:
        return None
    deepest = _deepest(result.breakdown)
    rows: list[tuple[Cell, ...]] = []
    left = 0
    for depth, runs, step in _walk(result.breakdown):
        if depth > deepest or len(rows) == MOST_ROWS:
            left += 1
            continue
        count = "" if step.times == 1 else f" × {show_number(step.times)}"
        flops = math.fsum(v for name, v in step.work.items() if "flops" in name.split("."))
        rows.append(
            (
                "\u2003" * depth + step.name + count,
                Quantity(step.time * runs, SECOND),
                Quantity(100 * ratio(step.time * runs, result.time), DIMENSIONLESS, 3),
                step.bound or "–",
                Quantity(flops * runs, FLOP),
            )
        )
    columns = (
        Column("Step"),
        Column("Time", align="right"),
        Column("Share", "%", align="right"),
        Column("Bound"),
        Column("Flops", align="right"),
    )
    name = f"{result.model} on {result.machine}"
    notes = (f"{left:,} more steps are not shown.",) if left else ()
    return Table(
        f"Breakdown of {name}", label(name, "breakdown"), columns, tuple(rows), notes=notes
    )


def _walk(root: Composed[float]) -> Iterator[tuple[int, float, Composed[float]]]:
    """Yield each node below the root with its depth, and how often what holds it runs."""
    waiting = [(0, root.times, child) for child in reversed(root.children)]
    while waiting:
        depth, runs, step = waiting.pop()
        yield depth, runs, step
        waiting += [(depth + 1, runs * step.times, child) for child in reversed(step.children)]


def _deepest(root: Composed[float]) -> int:
    """Return how deep the tree can be shown in so many rows: at its top at least."""
    counts: dict[int, int] = {}
    for depth, _, _ in _walk(root):
        counts[depth] = counts.get(depth, 0) + 1
    deepest, total = 0, counts.get(0, 0)
    while deepest + 1 in counts and total + counts[deepest + 1] <= MOST_ROWS:
        deepest += 1
        total += counts[deepest]
    return deepest
