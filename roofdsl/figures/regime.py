"""The plane of two parameters, coloured by what binds, with the boundaries between."""

from __future__ import annotations

from functools import partial

import numpy as np

from roofdsl.answer.regime_map import NO_VALUE, NOTHING, OUTSIDE, UNDECIDED, Boundary, RegimeMap
from roofdsl.figures.axis_unit import AxisName
from roofdsl.figures.formula import formula
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, wrapped
from roofdsl.figures.look import LABEL_SIZE, NOTE_SIZE, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture, rows_of
from roofdsl.figures.placement import along, around, within
from roofdsl.figures.polygon import area
from roofdsl.figures.scale import LogScale
from roofdsl.units.dimension import Dimension

_HATCHED = {UNDECIDED: "not decided", NO_VALUE: "no value", NOTHING: "no time"}
_TITLES = {**_HATCHED, OUTSIDE: OUTSIDE}


@in_its_look
def regime(data: RegimeMap, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the map: a region for each bound, its name in it, the boundaries' formulas on them."""
    page = Page(look, 4.6, title, subtitle)
    bounds = tuple(dict.fromkeys(region.bound for region in data.regions))
    x_label, x = _axis(data.x_label, data.dimensions[0], data.x_range, look)
    y_label, y = _axis(data.y_label, data.dimensions[1], data.y_range, look)
    said = wrapped(data.claim, 0.92 * page.inner_width, NOTE_SIZE)
    claim = [Entry(line) for line in said if line]

    def draw(panel: Panel) -> list[Entry]:
        ink = panel.palette.ink
        palette = panel.palette
        fills = {b: palette.faint if b in _HATCHED else palette.fill(b, bounds) for b in bounds}
        fills |= {b: palette.paper for b in bounds if b == OUTSIDE}
        for number, region in enumerate(data.regions):
            fill = fills[region.bound]
            polygon = panel.area(region.corners, fill, name=f"region:{number}:{region.bound}")
            # A hair of its own colour closes the seam between two regions of one bound.
            polygon.set(edgecolor=fill, linewidth=0.4)
            if region.bound in _HATCHED:
                polygon.set(hatch="////", edgecolor=panel.palette.muted, linewidth=0.0)
        for number, line in enumerate(data.boundaries):
            panel.line(line.x, line.y, ink, name=f"boundary:{number}", width=1.6)
        named_as: set[tuple[str, str, str]] = set()
        places = [panel.at(line.x, line.y) for line in data.boundaries]
        longest = sorted(enumerate(places), key=lambda each: -np.ptp(each[1], axis=0).sum())
        for number in (number for number, _ in longest):
            line = data.boundaries[number]
            what = line.below, line.above, line.formula
            # One that goes on where others meet it is named once.
            if line.root is None or what in named_as:
                continue
            # Typeset, or as a line of text where there is no room for that.
            for said_as in (formula(line.formula, line.root.equation), str(line.formula)):
                if _name_boundary(panel, line, said_as, readable_on(fills[line.above]), number):
                    named_as.add(what)
                    break
        named = [_name_regions(panel, bound, data, fill) for bound, fill in fills.items()]
        entries = [Entry(_title(b), fill, patch=True, edge=ink) for b, fill in fills.items()]
        return claim if all(named) else [*entries, *claim]

    plan = PanelPlan(x, y, x_label, y_label, grid=False)
    return page.single(plan, 0.72 * page.width, draw, _table(data))


def _axis(
    name: str, dimension: Dimension, ends: tuple[float, float], look: Look
) -> tuple[str, LogScale]:
    """Return the name of an axis with the unit that fits, and its scale from end to end."""
    label, unit = AxisName(name, dimension).fitting(ends, look.base)
    first, last = (np.log(np.array(ends) / unit) / np.log(look.base)).tolist()
    return label, LogScale(look.base, first, last, unit)


def _title(bound: str) -> str:
    if bound in _TITLES:
        return _TITLES[bound]
    return "compute-bound" if bound == "flops" else f"{bound}-bound"


def _name_regions(panel: Panel, bound: str, data: RegimeMap, fill: str) -> bool:
    """Write a bound's name in the largest of its regions that has room for it."""
    places = [panel.at(*region.corners.T) for region in data.regions if region.bound == bound]
    places.sort(key=area, reverse=True)
    size = extent(_title(bound), LABEL_SIZE)
    boxes = [box for polygon in places for box in within(polygon, size)]
    name, colour = f"label:region:{bound}", readable_on(fill)
    # Letters on hatching have a ground of their own.
    write = partial(panel.write, grounded=bound in _HATCHED, size=LABEL_SIZE, dearest=1.0)
    return write(_title(bound), boxes, colour, name=name)


def _name_boundary(panel: Panel, line: Boundary, text: str, ink: str, number: int) -> bool:
    """Write a boundary's closed form along it, where it is straight enough, else beside it."""
    if len(line.x) < 2:
        return False
    places = panel.at(line.x, line.y)
    size = extent(text)
    boxes = []
    for part in (0.5, 0.35, 0.65, 0.2, 0.8):
        reach = np.hypot(*(places - places[int(part * (len(places) - 1))]).T)
        inside = np.flatnonzero(reach <= size[0] / 2 + 4)
        boxes += along(places[inside[[0, -1]]], size, (0.5,), (2.0,))
    boxes += around(places[len(places) // 2], size, 6.0, "NW")
    return panel.write(text, boxes, ink, name=f"label:boundary:{number}", dearest=0.5)


def _table(data: RegimeMap) -> FigureTable:
    rows: list[tuple[FigureCell, ...]] = []
    for line in data.boundaries:
        rows += rows_of("boundary", f"{line.below} → {line.above}", line.x, line.y, None)
    for region in (region for region in data.regions if region.bound != OUTSIDE):
        rows += rows_of("region", region.bound, region.x, region.low, region.high)
    x, y = map(AxisName, (data.x_label, data.y_label), data.dimensions)
    columns = ("what", "name", x.in_base_units, f"{y.in_base_units}, from", "to")
    return FigureTable(columns, rows)
