"""Bounds over a list of configurations: compute, bandwidth, the estimate, what was measured.

Kong, Pouchet and Sadayappan, Fig. 13–20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roofdsl.figures.axis_unit import unit_between
from roofdsl.figures.edges import off_scale_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import GIGA, Array, CategoryScale, drawable, ends, snapped
from roofdsl.units.dimension import FLOP, SECOND

_NAME_WIDTH = 90.0
# How far a line reaches to both sides of a configuration by itself.
_HALF = 0.3
# What the line of a resource is called, and its dashes.
_LINES: dict[str, tuple[str, tuple[float, ...]]] = {
    "flops": ("compute bound", ()),
    "memory": ("memory bandwidth bound", (1.5, 1.5)),
    "network": ("network bandwidth bound", (5.0, 2.0)),
}


@dataclass(frozen=True, slots=True)
class PerformanceBounds:
    """Configurations and their performances [flop/s]: NaN where there is none.

    `bounds` are upper bounds by the resource that sets them, in the order to draw them. A line
    joins a configuration with the next one unless that `begins` anew: it differs in several
    parameters.
    """

    configurations: tuple[str, ...]
    bounds: dict[str, Array]
    estimate: Array | None = None
    measured: Array | None = None
    what: str = "Configuration"
    begins: frozenset[int] = frozenset()


@in_its_look
def perfbound(data: PerformanceBounds, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the bounds over the configurations; the ground shows which one is the lowest."""
    page = Page(look, 5.0, title, subtitle)
    series = [*data.bounds.values()]
    series += [values for values in (data.estimate, data.measured) if values is not None]
    low, high = ends(*series) or (GIGA, GIGA)
    least, most = 0.9 * low / GIGA, 1.1 * high / GIGA
    unit, size = unit_between(least, most, FLOP / SECOND, per=GIGA)
    y = snapped(look.base, least, most, unit=size)
    names = tuple(shortened(name, _NAME_WIDTH, TICK_SIZE) for name in data.configurations)
    turned = max(extent(name, TICK_SIZE)[0] for name in names) * len(names) > page.width - 80
    label = f"Performance [{unit}]"
    plan = PanelPlan(CategoryScale(names), y, data.what, label, turned=turned)

    def draw(panel: Panel) -> list[Entry]:
        _ground(panel, data)
        return [*_series(panel, data), *_left_out(data)]

    return page.single(plan, max(130.0, 0.45 * page.width), draw, _table(data))


def _ground(panel: Panel, data: PerformanceBounds) -> None:
    """Shade each configuration, up to its lowest bound, in the tint of what sets it."""
    stacked = np.stack([np.where(values > 0, values, np.inf) for values in data.bounds.values()])
    low = panel.plan.y.low
    for index in range(len(data.configurations)):
        column = stacked[:, index]
        if not np.isfinite(column).any():
            continue
        resource = list(data.bounds)[int(np.nanargmin(column))]
        top = min(float(np.nanmin(column)) / GIGA, panel.plan.y.high)
        tint = panel.palette.tints.get(resource, panel.palette.faint)
        ground = rectangle((index - 0.5, low), (index + 0.5, top))
        panel.area(ground, tint, name=f"ground:{index}:{resource}")


def _series(panel: Panel, data: PerformanceBounds) -> Iterator[Entry]:
    places = np.arange(len(data.configurations), dtype=float)
    for resource, values in data.bounds.items():
        colour = panel.palette.strong.get(resource, panel.palette.muted)
        shown = np.where(drawable(values), values, np.nan) / GIGA
        text, dash = _LINES.get(resource, (f"{resource} bound", (6.0, 1.5, 1.5, 1.5)))
        xs, ys = _parted(data, shown)
        panel.line(xs, ys, colour, name=f"bound:{resource}", width=1.5, dash=dash)
        yield Entry(text, colour, dash, line=True)
    ink = panel.palette.ink
    for name, series, shape in (("estimate", data.estimate, "o"), ("measured", data.measured, "D")):
        if series is None:
            continue
        kept = drawable(series)
        xs, ys, filled = places[kept], series[kept] / GIGA, shape == "D"
        if not filled:
            line = _parted(data, np.where(kept, series, np.nan) / GIGA)
            panel.line(*line, ink, name=f"line:{name}", width=0.8, order=2.5)
        panel.markers(xs, ys, ink, name=name, filled=filled, shape=shape)
        yield Entry(name, ink, (), shape, filled=filled, line=not filled)


def _parted(data: PerformanceBounds, heights: Array) -> tuple[Array, Array]:
    """Return a line with a gap before each configuration that begins anew.

    One that is joined with none of its neighbours is a level line as long as its ground.
    """
    count = len(heights)
    starts = sorted({0, *data.begins})
    xs: list[float] = []
    ys: list[float] = []
    for start, end in zip(starts, [*starts[1:], count], strict=True):
        alone = end - start == 1 < count
        xs += [start - _HALF, start + _HALF] if alone else range(start, end)
        ys += [float(heights[start])] * 2 if alone else heights[start:end].tolist()
        xs.append(float(end))
        ys.append(np.nan)
    return np.array(xs[:-1], dtype=float), np.array(ys[:-1], dtype=float)


def _left_out(data: PerformanceBounds) -> list[Entry]:
    """Return which bounds and estimates have no place: a resource without work sets none."""
    series = dict(data.bounds) | ({} if data.estimate is None else {"estimate": data.estimate})
    names = [f"{what}, {name}" for what in series for name in data.configurations]
    return off_scale_entries(names, np.concatenate([*series.values()])) if names else []


def _table(data: PerformanceBounds) -> FigureTable:
    columns = (
        data.what,
        *(f"{name} bound [flop/s]" for name in data.bounds),
        "estimate [flop/s]",
        "measured [flop/s]",
    )
    found = [np.nan if values is None else values for values in (data.estimate, data.measured)]
    return FigureTable(columns, rows_of(data.configurations, *data.bounds.values(), *found))
