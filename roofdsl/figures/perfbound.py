"""Bounds over a list of configurations: compute, bandwidth, the estimate, what was measured.

Kong, Pouchet and Sadayappan, Fig. 13–20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roofdsl.figures.edges import off_scale_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import TICK_SIZE, Look
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Picture, Table, rows_of
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import GIGA, Array, CategoryScale, drawable, ends, snapped

DEFAULT_WIDTH = 5.0
_NAME_WIDTH = 90.0
LABEL = "Performance [GFLOP/s]"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Configurations and their performances [flop/s]: NaN where there is none.

    `bounds` are upper bounds by the resource that sets them, in the order to draw them.
    """

    configurations: tuple[str, ...]
    bounds: dict[str, Array]
    estimate: Array | None = None
    measured: Array | None = None
    what: str = "Configuration"


def perfbound(data: Bounds, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the bounds over the configurations; the ground shows which one is the lowest."""
    width = 72 * (look.width or DEFAULT_WIDTH)
    series = [*data.bounds.values()]
    series += [values for values in (data.estimate, data.measured) if values is not None]
    low, high = ends(*series) or (GIGA, GIGA)
    y = snapped(look.base, 0.9 * low / GIGA, 1.1 * high / GIGA)
    names = tuple(shortened(name, _NAME_WIDTH, TICK_SIZE) for name in data.configurations)
    turned = max(extent(name, TICK_SIZE)[0] for name in names) * len(names) > width - 80

    def draw(height: float) -> Picture:
        page = Page(look, width)
        plan = PanelPlan(CategoryScale(names), y, data.what, LABEL, turned=turned)
        (panel,) = page.panels([plan], height)
        _ground(panel, data, look)
        entries = [*_series(panel, data, look), *_left_out(data)]
        return page.finish(title, entries, _table(data), subtitle)

    return fitted(look, max(130.0, 0.45 * width), draw)


def _ground(panel: Panel, data: Bounds, look: Look) -> None:
    """Shade each configuration, up to its lowest bound, in the tint of what sets it."""
    stacked = np.stack([np.where(values > 0, values, np.inf) for values in data.bounds.values()])
    low = panel.plan.y.low
    for index in range(len(data.configurations)):
        column = stacked[:, index]
        if not np.isfinite(column).any():
            continue
        resource = list(data.bounds)[int(np.nanargmin(column))]
        top = min(float(np.nanmin(column)) / GIGA, panel.plan.y.high)
        tint = look.palette.tints.get(resource, look.palette.faint)
        ground = rectangle((index - 0.5, low), (index + 0.5, top))
        panel.area(ground, tint, name=f"ground:{index}:{resource}")


_NAMES = {
    "flops": "compute bound",
    "memory": "memory bandwidth bound",
    "network": "network bandwidth bound",
}


def _series(panel: Panel, data: Bounds, look: Look) -> Iterator[Entry]:
    places = np.arange(len(data.configurations), dtype=float)
    dashes: dict[str, tuple[float, ...]] = {
        "flops": (),
        "memory": (1.5, 1.5),
        "network": (5.0, 2.0),
    }
    for resource, values in data.bounds.items():
        colour = look.palette.strong.get(resource, look.palette.muted)
        shown = np.where(drawable(values), values, np.nan) / GIGA
        dash = dashes.get(resource, (6.0, 1.5, 1.5, 1.5))
        panel.line(places, shown, colour, name=f"bound:{resource}", width=1.5, dash=dash)
        yield Entry(_NAMES.get(resource, f"{resource} bound"), colour, dash, line=True)
    ink = look.palette.ink
    for name, series, filled in (
        ("estimate", data.estimate, False),
        ("measured", data.measured, True),
    ):
        if series is None:
            continue
        kept = drawable(series)
        if not filled:
            panel.line(
                places[kept], series[kept] / GIGA, ink, name=f"line:{name}", width=0.8, order=2.5
            )
        panel.markers(
            places[kept],
            series[kept] / GIGA,
            ink,
            name=name,
            filled=filled,
            size=5.0,
            shape="D" if filled else "o",
        )
        yield Entry(name, ink, (), "D" if filled else "o", filled=filled, line=not filled)


def _left_out(data: Bounds) -> list[Entry]:
    """Return which bounds and estimates have no place: a resource without work sets none."""
    series = dict(data.bounds) | ({} if data.estimate is None else {"estimate": data.estimate})
    names = [f"{what}, {name}" for what in series for name in data.configurations]
    return off_scale_entries(names, np.concatenate([*series.values()])) if names else []


def _table(data: Bounds) -> Table:
    columns = (
        data.what,
        *(f"{name} bound [flop/s]" for name in data.bounds),
        "estimate [flop/s]",
        "measured [flop/s]",
    )
    found = [np.nan if values is None else values for values in (data.estimate, data.measured)]
    return Table(columns, tuple(rows_of(data.configurations, *data.bounds.values(), *found)))
