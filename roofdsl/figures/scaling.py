"""Strong and weak scaling: speed-up, efficiency, and the sizes that keep efficiency."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle

import numpy as np

from roofdsl.figures.curves import Curve, draw_curve, name_curve
from roofdsl.figures.edges import off_scale_entries, undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import Look, in_its_look
from roofdsl.figures.marks import DASHES, Mark, marks, shapes
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture, rows_of
from roofdsl.figures.placement import FINE_COST, along, around
from roofdsl.figures.scale import Array, LinearScale, LogScale, drawable, ends, snapped, spanning
from roofdsl.units.quantity import show_number, show_percent

NARROWEST = 140.0
# Where along a speed-up its name may stand.
_ENDS = (1.0, 0.75, 0.5)


@dataclass(frozen=True, slots=True)
class Series:
    """One problem size: speed-up and efficiency (1 is perfect) over process counts."""

    name: str
    processes: Array
    speedup: Array
    efficiency: Array


@dataclass(frozen=True, slots=True)
class Isoline:
    """The problem size that keeps an efficiency, over process counts."""

    efficiency: float
    processes: Array
    size: Array


@dataclass(frozen=True, slots=True)
class ScalingCurves:
    """What the figure shows; `size` names the parameter of the isoefficiency lines."""

    series: tuple[Series, ...]
    isolines: tuple[Isoline, ...] = ()
    size: str = ""
    kind: str = "strong"


@in_its_look
def scaling(data: ScalingCurves, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return speed-up and efficiency side by side, and isoefficiency lines where given."""
    page = Page(look, 7.16, title, subtitle)
    found = marks([series.name for series in data.series], look.palette)
    count = 2 + bool(data.isolines)
    stacked = page.width / count < NARROWEST
    plans = _plans(data, look)

    def draw(height: float) -> list[Entry]:
        panels = page.column(plans, height) if stacked else page.panels(plans, height)
        named = _speedup(panels[0], data, found)
        _efficiency(panels[1], data, found)
        if data.isolines:
            _isolines(panels[2], data)
        entries = [
            Entry(series.name, mark.colour, mark.dash, shape, False, True)
            for series, shape in _shaped(data)
            for mark in (found[series.name],)
            if not named
        ]
        return entries + _left_out(data)

    each = page.width if stacked else page.width / count
    return page.drawn(max(110.0, min(0.75 * (each - 40), 150.0)), draw, _table(data))


def _plans(data: ScalingCurves, look: Look) -> list[PanelPlan]:
    curves: list[Series | Isoline] = [*data.series, *data.isolines]
    x = spanning(look.base, *(each.processes for each in curves))
    low, high = ends(1.0, *(series.speedup for series in data.series)) or (1.0, 1.0)
    best = max(ends(1.0, *(series.efficiency for series in data.series)))
    label = "Scaled speed-up" if data.kind == "weak" else "Speed-up"
    plans = [
        PanelPlan(x, snapped(look.base, low, max(high, x.high)), "Processes P", label),
        PanelPlan(x, LinearScale(0.0, 105.0 * best), "Processes P", "Efficiency [%]"),
    ]
    if data.isolines:
        y = spanning(look.base, *(line.size for line in data.isolines))
        # A power more at the left, for the labels.
        wider = LogScale(x.base, x.first - (2 if look.log2 else 1), x.last)
        plans.append(PanelPlan(wider, y, "Processes P", data.size))
    return plans


def _speedup(panel: Panel, data: ScalingCurves, found: dict[str, Mark]) -> bool:
    """Draw speed-ups below the ideal line; return whether all names found a place."""
    ends = [panel.plan.x.low, min(panel.plan.x.high, panel.plan.y.high)]
    muted = panel.palette.muted
    panel.line(ends, ends, muted, name="ideal", width=0.9, dash=(1.5, 1.5), cost=FINE_COST)
    for series, shape in _shaped(data):
        line = _shown(series, series.speedup)
        draw_curve(panel, line, found[series.name], f"speedup:{series.name}", shape)
    boxes = along(panel.at(ends, ends), extent("ideal"))
    panel.write("ideal", boxes, muted, name="label:ideal")
    named = [
        name_curve(panel, _shown(series, series.speedup), found[series.name], name, _ENDS, "SE")
        for series in data.series
        for name in (f"speedup:{series.name}",)
    ]
    return all(named)


def _efficiency(panel: Panel, data: ScalingCurves, found: dict[str, Mark]) -> None:
    ends, muted = [panel.plan.x.low, panel.plan.x.high], panel.palette.muted
    panel.line(ends, [100, 100], muted, name="perfect", width=0.9, dash=(1.5, 1.5), cost=0.0)
    for series, shape in _shaped(data):
        line = _shown(series, 100 * series.efficiency)
        draw_curve(panel, line, found[series.name], f"efficiency:{series.name}", shape)


def _isolines(panel: Panel, data: ScalingCurves) -> None:
    ink = panel.palette.ink
    for line, dash in zip(data.isolines, cycle(DASHES[:3]), strict=False):
        name = f"isoline:{line.efficiency:g}"
        kept = drawable(line.size)
        xs, ys = line.processes[kept], line.size[kept]
        panel.line(xs, ys, ink, name=name, width=1.2, dash=dash)
        places = panel.at(xs, ys)
        if len(places) < 2:
            continue
        text = show_percent(line.efficiency, 6)
        size = extent(text)
        boxes = [*around(places[0], size, 2.5, "W"), *around(places[-1], size, 2.5, "E")]
        panel.write(text, boxes, ink, name=f"label:{name}")


def _left_out(data: ScalingCurves) -> list[Entry]:
    """Return what has no place on the axes: speed-ups of 0 or none, sizes that nothing keeps."""
    names = [f"{s.name}, P = {show_number(p)}" for s in data.series for p in s.processes]
    entries = off_scale_entries(names, np.concatenate([s.speedup for s in data.series]))
    unkept = [
        f"{show_percent(line.efficiency, 6)} at P = {show_number(count)}"
        for line in data.isolines
        for count, size in zip(line.processes, line.size, strict=True)
        if not drawable(size)
    ]
    return entries + undrawn_entries(unkept, "no size is known to keep")


def _shaped(data: ScalingCurves) -> list[tuple[Series, str]]:
    """Return each series with the shape of its markers."""
    found = shapes(series.name for series in data.series)
    return [(series, found[series.name]) for series in data.series]


def _shown(series: Series, values: Array) -> Curve:
    return Curve(series.name, series.processes, np.where(drawable(values), values, np.nan))


def _table(data: ScalingCurves) -> FigureTable:
    rows: list[tuple[FigureCell, ...]] = []
    for each in data.series:
        rows += rows_of(data.kind, each.name, each.processes, each.speedup, each.efficiency, None)
    for line in data.isolines:
        rows += rows_of("isoefficiency", "", line.processes, None, line.efficiency, line.size)
    size = data.size or "size"
    return FigureTable(("what", "name", "processes", "speed-up", "efficiency", size), rows)
