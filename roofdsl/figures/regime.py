"""The plane of two parameters, coloured by what binds, with the boundaries between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, NOTE_SIZE, Look, readable_on, resource_colour
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Cell, Picture, Table, rows_of
from roofdsl.figures.placement import Box, along, around, within
from roofdsl.figures.polygon import area
from roofdsl.figures.scale import Array, RangeScale

DEFAULT_WIDTH = 4.6
UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Region:
    """Where one resource binds: between `low` and `high` over `x`. Without proof: `UNDECIDED`."""

    bound: str
    x: Array
    low: Array
    high: Array


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where the bound changes from one resource to another; `formula` is its closed form."""

    below: str
    above: str
    x: Array
    y: Array
    formula: str = ""


@dataclass(frozen=True, slots=True)
class RegimeMap:
    """The regimes over a range of two parameters, in the order of the solver's proof."""

    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    regions: tuple[Region, ...]
    boundaries: tuple[Boundary, ...] = ()


def regime(data: RegimeMap, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the map: a region for each bound, its name in it, the boundaries' formulas on them."""
    width = 72 * (look.width or DEFAULT_WIDTH)
    bounds = tuple(dict.fromkeys(region.bound for region in data.regions))

    def draw(height: float) -> Picture:
        page = Page(look, width)
        plan = PanelPlan(
            RangeScale(look.base, *data.x_range),
            RangeScale(look.base, *data.y_range),
            data.x_label,
            data.y_label,
            grid=False,
        )
        (panel,) = page.panels([plan], height)
        for number, region in enumerate(data.regions):
            corners = _corners(region)
            fill = _fill(look, region.bound, bounds)
            polygon = panel.area(corners, fill, name=f"region:{number}:{region.bound}")
            # A hair of its own colour closes the seam between two regions of one bound.
            polygon.set(edgecolor=fill, linewidth=0.4)
            if region.bound == UNDECIDED:
                polygon.set(hatch="////", edgecolor=look.palette.muted, linewidth=0.0)
        ink = readable_on(_fill(look, bounds[0], bounds))
        for number, line in enumerate(data.boundaries):
            panel.line(line.x, line.y, look.palette.ink, name=f"boundary:{number}", width=1.6)
        for number, line in enumerate(data.boundaries):
            _name_boundary(panel, line, ink, number)
        named = [_name_regions(panel, bound, data, look, bounds) for bound in bounds]
        entries = [
            Entry(_title(bound), _fill(look, bound, bounds), patch=True, edge=look.palette.ink)
            for bound in bounds
            if not all(named)
        ]
        return page.finish(title, entries, _table(data), subtitle)

    return fitted(look, 0.72 * width, draw)


def _corners(region: Region) -> Array:
    below = np.stack([region.x, region.low], axis=1)
    above = np.stack([region.x, region.high], axis=1)
    return np.concatenate([below, above[::-1]])


def _fill(look: Look, bound: str, bounds: tuple[str, ...]) -> str:
    if bound == UNDECIDED:
        return look.palette.faint
    return resource_colour(look.palette.fills, bound, bounds)


def _title(bound: str) -> str:
    if bound == UNDECIDED:
        return "not decided"
    return "compute-bound" if bound == "flops" else f"{bound}-bound"


def _name_regions(
    panel: Panel, bound: str, data: RegimeMap, look: Look, bounds: tuple[str, ...]
) -> bool:
    """Write a bound's name in the largest of its regions that has room for it."""
    polygons = [_corners(region) for region in data.regions if region.bound == bound]
    places = [panel.at(corners[:, 0], corners[:, 1]) for corners in polygons]
    text = _title(bound)
    size = extent(text, LABEL_SIZE)
    boxes: list[Box] = []
    for polygon in sorted(places, key=lambda corners: -area(corners)):
        boxes += within(polygon, size)
    colour = readable_on(_fill(look, bound, bounds))
    name = f"label:region:{bound}"
    return panel.write(text, boxes, colour, name=name, size=LABEL_SIZE, dearest=1.0)


def _name_boundary(panel: Panel, line: Boundary, ink: str, number: int) -> None:
    """Write a boundary's closed form along it, where it is straight enough, else beside it."""
    if not line.formula or len(line.x) < 2:
        return
    places = panel.at(line.x, line.y)
    size = extent(line.formula, NOTE_SIZE)
    boxes: list[Box] = []
    for part in (0.5, 0.35, 0.65, 0.2, 0.8):
        reach = np.hypot(*(places - places[int(part * (len(places) - 1))]).T)
        inside = np.flatnonzero(reach <= size[0] / 2 + 4)
        boxes += along(places[inside[[0, -1]]], size, (0.5,), (2.0, -3.0))
    boxes += around(places[len(places) // 2], size, 6.0, "SE")
    panel.write(line.formula, boxes, ink, name=f"label:boundary:{number}", dearest=0.5)


def _table(data: RegimeMap) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for line in data.boundaries:
        rows += rows_of("boundary", f"{line.below} → {line.above}", line.x, line.y, None)
    for region in data.regions:
        rows += rows_of("region", region.bound, region.x, region.low, region.high)
    return Table(("what", "name", data.x_label, f"{data.y_label}, from", "to"), tuple(rows))
