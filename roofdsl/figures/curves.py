"""Curves along a parameter: the share of one resource for several machines, busy times, quantities.

The network's share is what Cardwell 2019, Fig. 2.4, measures; times of computing and communicating
are those of Kong, Pouchet and Sadayappan, Fig. 5 to 12; an intensity over the batch is Checconi,
Tithi and Petrini, Fig. 4a.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

import numpy as np

from roofdsl.figures.axis_unit import AxisName, in_unit, unit_between, with_unit
from roofdsl.figures.edges import off_scale_entries, undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, raised, shortened
from roofdsl.figures.look import Look, in_its_look
from roofdsl.figures.marks import DASHES, SHAPES, Mark, marks
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.placement import Subject, around
from roofdsl.figures.scale import POSITIVE, Array, LinearScale, LogScale, Scale, ends, fitting
from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.quantity import show_number

MOST_MARKERS = 40
# How far off a curve its name may be.
_REACH = 60.0


@dataclass(frozen=True, slots=True)
class Curve:
    """One machine, model or resource: what it has at each value; NaN where there is nothing."""

    name: str
    values: Array
    heights: Array
    panel: str = ""
    """The panel that it stands in, where there are several."""


@in_its_look
def share_lines(
    lines: Sequence[Curve],
    resource: str,
    parameter: AxisName,
    look: Look,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """Return a line for each machine or model: the share, 0 to 1, of a resource."""
    page = Page(look, 4.6, title, subtitle)
    found = marks([line.name for line in lines], look.palette)
    what = f"share of the {resource}"
    table = _table(lines, parameter, what)
    labels = parameter, f"Share of the {resource} [%]"
    return _figure(page, _scaled(lines, 100), found, "share", LinearScale(0, 105), labels, table)


@in_its_look
def busy_lines(
    lines: Sequence[Curve],
    resource: str,
    parameter: AxisName,
    look: Look,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """Return a line for each machine, model or resource: how long [s] it is busy.

    `resource` is the one that all lines are of; "" where each line is a resource.
    """
    names = tuple(dict.fromkeys(line.name for line in lines))
    found = None
    if not resource:
        dashes = zip(names, cycle(DASHES), strict=False)
        found = {name: Mark(look.palette.edge(name, names), dash) for name, dash in dashes}
    what = f"{resource} busy".strip()
    table = _table(lines, parameter, f"{what} [s]")
    data = Quantities(lines, f"{what[0].upper()}{what[1:]}", SECOND, parameter, table)
    return quantity_lines(data, look, title, subtitle, kind="busy", found=found)


@dataclass(frozen=True, slots=True)
class Quantities:
    """Quantities of one unit, in SI base units, along a parameter; `label` says what they are."""

    lines: Sequence[Curve]
    label: str
    dimension: Dimension
    parameter: AxisName
    table: FigureTable
    unit: tuple[str, float] | None = None
    """The unit that the axis is in, and how much of SI base units it is; else one that fits."""


@in_its_look
def quantity_lines(
    data: Quantities,
    look: Look,
    title: str = "",
    subtitle: str = "",
    *,
    kind: str = "curve",
    found: Mapping[str, Mark] | None = None,
) -> Picture:
    """Return a line for each quantity; both axes are logarithmic, but for values below 0."""
    several = len({line.panel for line in data.lines}) > 1
    page = Page(look, 7.16 if several else 4.6, title, subtitle)
    heights = np.concatenate([line.heights for line in data.lines])
    unit, factor = _unit(heights, data)
    scale = fitting(look.base, factor * heights, low=0.0)
    labels = data.parameter, with_unit(data.label, raised(unit))
    found = found or marks([line.name for line in data.lines], look.palette)
    return _figure(page, _scaled(data.lines, factor), found, kind, scale, labels, data.table)


def _unit(heights: Array, data: Quantities) -> tuple[str, float]:
    """Return the unit of the axis, and what to multiply by to get to it."""
    if data.unit is not None:
        return data.unit[0], 1 / data.unit[1]
    finite = heights[np.isfinite(heights)]
    span = ends(finite)
    if span and (finite >= 0).all():
        unit, size = unit_between(*span, data.dimension)
        return unit, 1 / size
    return in_unit(float(np.abs(finite).max(initial=0.0)), data.dimension)


def _scaled(lines: Iterable[Curve], factor: float) -> list[Curve]:
    return [replace(line, heights=factor * line.heights) for line in lines]


def _figure(
    page: Page,
    lines: Sequence[Curve],
    found: Mapping[str, Mark],
    what: str,
    scale: Scale,
    labels: tuple[AxisName, str],
    table: FigureTable,
) -> Picture:
    values = [line.values for line in lines]
    across, unit = labels[0].fitting(ends(*values), page.look.base)
    x = fitting(page.look.base, *values, low=POSITIVE, unit=unit)
    logarithmic = isinstance(scale, LogScale)
    shapes = dict(zip(found, cycle(SHAPES), strict=False))
    # A logarithmic axis has no 0.
    least = 0.0 if logarithmic else -np.inf
    shown = [
        replace(line, heights=np.where(line.heights > least, line.heights, np.nan))
        for line in lines
    ]

    def gid(line: Curve) -> str:
        return f"{what}:{line.name}" + (f":{line.panel}" if line.panel else "")

    def curves(panel: Panel, own: Sequence[Curve]) -> list[Entry]:
        for line in own:
            draw_curve(panel, line, found[line.name], gid(line), shapes[line.name])
        seen = [line for line in own if np.isfinite(line.heights).any()]
        named = [name_curve(panel, line, found[line.name], gid(line)) for line in seen]
        marked = {line.name: found[line.name] for line in seen}
        return [
            Entry(name, mark.colour, mark.dash, shapes[name], False, True)
            for name, mark in marked.items()
            if not all(named)
        ]

    captions = [*dict.fromkeys(line.panel for line in lines)]
    plans = [PanelPlan(x, scale, across, labels[1], caption=caption) for caption in captions]

    def draw(height: float) -> list[Entry]:
        entries: list[Entry] = []
        for caption, panel in zip(captions, page.grid(plans, height), strict=True):
            entries += curves(panel, [line for line in shown if line.panel == caption])
        known = [line for line in lines if not np.isnan(line.heights).all()]
        base = labels[0].in_base_units
        places = [(line.name, show_number(v, 6)) for line in known for v in line.values]
        where = [f"{name}, {base} = {value}" for name, value in places]
        heights = np.concatenate([np.empty(0), *(line.heights for line in known)])
        unknown = [
            f"{line.name} of {line.panel}" if line.panel else line.name
            for line in lines
            if np.isnan(line.heights).all()
        ]
        return [
            *dict.fromkeys(entries),
            *undrawn_entries(unknown, "none there"),
            *off_scale_entries(where, heights, logarithmic=logarithmic),
        ]

    return page.drawn(max(110.0, 0.6 * page.width / min(len(plans), 2)), draw, table)


def draw_curve(panel: Panel, line: Curve, mark: Mark, name: str, shape: str = "o") -> None:
    """Draw a curve, with markers where they are few."""
    kept = np.isfinite(line.heights)
    xs, ys = line.values[kept], line.heights[kept]
    panel.line(xs, ys, mark.colour, name=name, width=1.2, dash=mark.dash)
    if kept.sum() <= MOST_MARKERS:
        panel.markers(
            xs, ys, mark.colour, name=f"{name}:markers", shape=shape, filled=False, size=3.5
        )


def name_curve(
    panel: Panel,
    line: Curve,
    mark: Mark,
    name: str,
    parts: tuple[float, ...] = (0.5, 0.35, 0.65, 0.2, 0.8),
    side: str = "NE",
) -> bool:
    """Write a curve's name beside one of its `parts`; return whether there was room.

    `name` is that of its line in the figure.
    """
    kept = np.flatnonzero(np.isfinite(line.heights))
    text = shortened(line.name, 90.0)
    size = extent(text)
    boxes = [
        box
        for part in parts
        for index in kept[[int(part * (len(kept) - 1))] if len(kept) else []]
        for box in around(panel.at(line.values[index], line.heights[index])[0], size, 4.5, side)
    ]
    about = Subject(name, reach=_REACH)
    return panel.write(
        text, boxes, mark.colour, name=f"label:{line.name}", dearest=0.0, about=about
    )


def _table(lines: Sequence[Curve], parameter: AxisName, what: str) -> FigureTable:
    several = any(line.panel for line in lines)
    rows = [
        row
        for line in lines
        for row in rows_of(*[line.panel] * several, line.name, line.values, line.heights)
    ]
    return FigureTable((*["panel"] * several, "name", parameter.in_base_units, what), rows)
