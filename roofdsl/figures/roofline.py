"""The roofline: attainable performance over an intensity, for one machine or several.

Williams, Waterman and Patterson 2009; over communication intensity, Cardwell 2019, §2.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roofdsl.analysis.intensity import ATTAINABLE
from roofdsl.figures import roof_lines, scatter
from roofdsl.figures.axis_unit import unit_between
from roofdsl.figures.chart import Chart, Point
from roofdsl.figures.chart_table import chart_table
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, Look, in_its_look, root_of
from roofdsl.figures.marks import MOST_COLOURED, Mark, marks
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import Picture
from roofdsl.figures.placement import Box, inside, within
from roofdsl.figures.scale import GIGA, LogScale, snapped, widened
from roofdsl.units.dimension import FLOP, SECOND

DEFAULT_WIDTH = 5.0
PAIR_WIDTH = 7.16
NARROWEST = 200.0
# The least width of one of many charts.
MULTIPLE = 150.0
# A frame is so high for each machine, which has two labels.
_ROOM = 22.0


@in_its_look
def charts(shown: Sequence[Chart], look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return one or more charts of the same models and machines side by side.

    Where the page is narrow they stand one above the other.
    """
    page = Page(look, DEFAULT_WIDTH if len(shown) == 1 else PAIR_WIDTH, title, subtitle)
    if len(shown) > 1 and len({chart.axis for chart in shown}) == 1:
        return _multiples(page, shown)
    stacked = page.width / len(shown) < NARROWEST
    each = page.width - 40.0 if stacked else (page.width - 40.0) / len(shown)
    y, unit = _shared_y(shown, look)
    labels = f"{ATTAINABLE} [{unit}]", f"[{unit}]"
    colours = _marks(shown, look)

    def draw(height: float) -> list[Entry]:
        plans = [
            PanelPlan(
                _frame_x(chart, look),
                y,
                _fitting((chart.axis.label, f"{chart.axis.symbol} [{chart.axis.unit}]"), each),
                _fitting(labels, height) if stacked or number == 0 else "",
                bare_y=number > 0 and not stacked,
            )
            for number, chart in enumerate(shown)
        ]
        panels = page.column(plans, height) if stacked else page.panels(plans, height)
        entries: list[Entry] = []
        for chart, panel in zip(shown, panels, strict=True):
            entries += _draw(panel, chart, colours, unit)
        return list(dict.fromkeys(entries))

    machines = max(len(chart.roofs) for chart in shown)
    height = max(130.0, min(0.72 * each, 240.0), min(_ROOM * machines, 400.0))
    return page.drawn(height, draw, chart_table(shown))


def _multiples(page: Page, shown: Sequence[Chart]) -> Picture:
    """Return a panel for each machine, in rows and all with the same axes."""
    look = page.look
    y, unit = _shared_y(shown, look)
    frames = [_frame_x(chart, look) for chart in shown]
    ends = min(frame.low for frame in frames), max(frame.high for frame in frames)
    x, axis, colours = snapped(look.base, *ends), shown[0].axis, _marks(shown, look, apart=True)
    across = page.across(len(shown), MULTIPLE)
    label = _fitting((axis.label, f"{axis.symbol} [{axis.unit}]"), page.inner_width / across - 30.0)

    def draw(height: float) -> list[Entry]:
        performance = _fitting((f"{ATTAINABLE} [{unit}]", f"[{unit}]"), height)
        # Of the devices of a machine, their machine.
        names = [chart.roofs[0].machine.partition(".")[0] for chart in shown]
        plans = [PanelPlan(x, y, label, performance, caption=name) for name in names]
        panels = page.grid(plans, height, MULTIPLE)
        drawn = zip(panels, shown, strict=True)
        entries = [entry for panel, chart in drawn for entry in _draw(panel, chart, colours, unit)]
        return list(dict.fromkeys(entries))

    return page.drawn(max(140.0, 0.5 * page.inner_width / across), draw, chart_table(shown))


def _fitting(labels: tuple[str, str], room: float) -> str:
    """Return the first of two axis labels where there is room for it, else the second."""
    return labels[0] if extent(labels[0], LABEL_SIZE)[0] < room else labels[1]


def _frame_x(chart: Chart, look: Look) -> LogScale:
    """Return the frame's intensities: from the ridge points, snapped, wide enough for points."""
    ridges = [
        ceiling.value / slope.value
        for roof in chart.roofs
        for ceiling in roof.ceilings
        for slope in roof.slopes
        if (ceiling.main or slope.main)
    ]
    scale = snapped(look.base, min(ridges, default=1.0), max(ridges, default=1.0), margin=1)
    return widened(scale, *(each.x for each in chart.standing))


def _shared_y(shown: Sequence[Chart], look: Look) -> tuple[LogScale, str]:
    """Return the frame's performance [GFLOP/s], and the unit that its axis is in.

    It is that of the ceilings and slopes of all charts.
    """
    highest: list[float] = []
    lowest: list[float] = []
    for chart in shown:
        bare = _frame_x(Chart(chart.axis, chart.roofs), look)
        for roof in chart.roofs:
            bandwidths = [slope.value for slope in roof.slopes]
            top = roof.top or (max(bandwidths) * bare.high if bandwidths else GIGA)
            # Room for the ceiling's label above it.
            highest.append(1.6 * top / GIGA)
            lowest.append(min([bandwidth * bare.low for bandwidth in bandwidths] + [top]) / GIGA)
    heights = [each.y / GIGA for chart in shown for each in chart.standing]
    frame = widened(snapped(look.base, min(lowest), max(highest)), *heights)
    unit, size = unit_between(frame.low, frame.high, FLOP / SECOND, per=GIGA)
    return widened(snapped(look.base, min(lowest), max(highest), unit=size), *heights), unit


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of machines, and those of what stands in the charts: by kernel, or by machine.

    `binding` is what binds somewhere in them.
    """

    roofs: dict[str, Mark]
    standing: dict[str, Mark]
    by_machine: bool
    binding: tuple[str, ...]

    def order(self, chart: Chart) -> tuple[str, ...]:
        """Return the order in which a chart's resource has its colour, where a file declares it."""
        resource = chart.axis.resource
        return () if root_of(resource) else tuple(dict.fromkeys([*self.binding, resource]))


def _marks(shown: Sequence[Chart], look: Look, *, apart: bool = False) -> Marks:
    """Return the marks for all charts, so that a colour means the same in each.

    Colour tells kernels apart; machines, where there is at most one kernel, unless they stand
    `apart` anyway.
    """
    points = [point for chart in shown for point in chart.points]
    paths = [path for chart in shown for path in chart.trajectories]
    kernels = scatter.by_share(points, paths)
    told_by_shape = len(set(scatter.shape_keys([*points, *paths]))) > 1
    most = len(look.palette.series) if told_by_shape else MOST_COLOURED
    machines = [roof.machine for chart in shown for roof in chart.roofs]
    several = len(set(machines)) > 1 and not apart
    by_machine = several and len(kernels) < 2
    roofs = {
        name: Mark(mark.colour if by_machine else look.palette.ink, mark.dash if several else ())
        for name, mark in marks(machines, look.palette).items()
    }
    standing = roofs if by_machine else marks(kernels, look.palette, most)
    return Marks(roofs, standing, by_machine, scatter.bounds_of(points, paths))


def _draw(panel: Panel, chart: Chart, colours: Marks, unit: str) -> list[Entry]:
    several = len(chart.roofs) > 1
    if not several:
        _shade(panel, chart, colours.order(chart))
    for roof in chart.roofs:
        roof_lines.draw_roof(panel, roof, colours.roofs[roof.machine])
    standing = scatter.Scatter(
        panel,
        chart.points,
        chart.trajectories,
        colours.standing,
        (chart.axis.symbol, unit),
        colours.by_machine,
        chart.undrawn,
        GIGA,
        at_edge=lambda point: _bandwidth(chart, point) * panel.plan.x.low,
        says=chart.says,
        binding=colours.binding,
    )
    standing.draw()
    missing = roof_lines.name_roofs(panel, chart.roofs, colours.roofs)
    entries = standing.name()
    if not several:
        _name_regions(panel, chart, colours.order(chart))
    # Last, for labels interrupt what drops from ridge points.
    if len(chart.roofs) <= roof_lines.FEW:
        roof_lines.draw_ridges(panel, chart, colours.roofs)
    if several and missing:  # then all of them
        found = [(roof.machine, colours.roofs[roof.machine]) for roof in chart.roofs]
        return [Entry(name, mark.colour, mark.dash, line=True) for name, mark in found] + entries
    return [*missing, *entries]


def _bandwidth(chart: Chart, point: Point) -> float:
    """Return the bandwidth [B/s] of a point's level on its machine.

    A kernel without flops stands at the frame's edge where that line comes in.
    """
    roof = next((roof for roof in chart.roofs if roof.machine == point.machine), chart.roofs[0])
    named = [slope for slope in roof.slopes if slope.name == point.level]
    slope = named[0] if named else roof.slope
    return slope.value if slope is not None else 0.0


def _areas(panel: Panel, chart: Chart) -> dict[str, list[tuple[float, float]]]:
    """Return the corners of the two regions below the main roof, by what binds there."""
    (roof,) = chart.roofs
    ceiling, slope, ridge = roof.ceiling, roof.slope, roof.ridge
    if ceiling is None or slope is None or ridge is None:
        return {}
    x, y = panel.plan.x, panel.plan.y
    knee = min(max(ridge, x.low), x.high)
    (left, _), (start, _) = roof_lines.slope_ends(panel, slope, ceiling.value)
    height = ceiling.value / GIGA
    return {
        chart.axis.resource: [(left, y.low), (left, start), (knee, height), (knee, y.low)],
        "flops": [(knee, y.low), (knee, height), (x.high, height), (x.high, y.low)],
    }


def _shade(panel: Panel, chart: Chart, order: tuple[str, ...]) -> None:
    """Shade the two regions below the main roof."""
    for resource, corners in _areas(panel, chart).items():
        panel.area(corners, panel.palette.tint(resource, order), name=f"region:{resource}")


def _name_regions(panel: Panel, chart: Chart, order: tuple[str, ...]) -> None:
    """Write in each region what binds there, at its foot if it can be."""
    for resource, corners in _areas(panel, chart).items():
        places = panel.at(*np.array(corners).T)
        text = scatter.bound_name(resource, region=True)
        wide, high = extent(text, LABEL_SIZE)
        left, right = places[:, 0].min(), places[:, 0].max()
        at_foot = [
            Box(left + part * (right - left), up + high / 2, wide, high)
            for up in (15.0, 2.0, 27.0, 39.0, 60.0)
            for part in (0.5, 0.6, 0.4, 0.7, 0.3)
        ]
        boxes = [*inside(places, at_foot), *within(places, (wide, high))]
        colour, name = panel.palette.edge(resource, order), f"label:region:{resource}"
        panel.write(text, boxes, colour, name=name, size=LABEL_SIZE, dearest=0.5)
