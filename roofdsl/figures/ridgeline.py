"""The ridgeline: operational against memory intensity, the plane coloured by what binds.

Checconi, Tithi and Petrini, *Ridgeline*, Fig. 2 and 6. Where the network binds, performance is the
same along each line x·y = k, since x·y is the communication arithmetic intensity.
"""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures import scatter
from roofdsl.figures.chart import Point, ThreeRoofs, Trajectory
from roofdsl.figures.chart_table import ChartRow, standing_rows, table_of
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, three_digits
from roofdsl.figures.look import Look, in_its_look, readable_on
from roofdsl.figures.marks import Mark, marks
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.placement import Box, Subject, along
from roofdsl.figures.regions import draw_regions, name_regions, regions
from roofdsl.figures.scale import Array, LogScale, snapped, widened

X_LABEL = axis_label("MI")
Y_LABEL = axis_label("OI")


@dataclass(frozen=True, slots=True)
class Plane:
    """A machine's three roofs, and what stands on the plane of its regions.

    Points and trajectories have MI [B/B] as `x` and OI [flop/B] as `y`.
    """

    roofs: ThreeRoofs
    points: tuple[Point, ...] = ()
    trajectories: tuple[Trajectory, ...] = ()

    @property
    def ridge(self) -> tuple[float, float]:
        """The ridge point (MI*, OI*)."""
        return self.roofs.memory / self.roofs.network, self.roofs.flops / self.roofs.memory

    def regions(self, x: LogScale, y: LogScale) -> dict[str, Array]:
        """Return the three regions of a frame as polygons of values (MI, OI).

        Memory allows its rate · OI, the network its rate · MI · OI.
        """
        powers = {"memory": (0, 1), self.roofs.across.resource: (1, 1)}
        return regions(self.roofs, x, y, powers)

    @property
    def x_label(self) -> str:
        symbol, unit = self.roofs.across.memory
        return X_LABEL if symbol == "MI" else f"Intensity {symbol} [{unit}]"

    def says(self, point: Point) -> bool:
        """Whether the region a point lies in is that of what it is bound by."""
        if point.y == 0:  # no flops: their roofs are all 0, and what moves decides
            return self.roofs.says(point.bound, 1e-300, point.x * 1e-300)
        return self.roofs.says(point.bound, point.y, point.x * point.y)


@in_its_look
def ridgeline(plane: Plane, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the plane of one machine with its three regions, ridge lines and points."""
    page = Page(look, 4.6, title, subtitle)
    x, y = (snapped(look.base, value, value, margin=1) for value in plane.ridge)
    standing: list[Point | Trajectory] = [*plane.points, *plane.trajectories]
    x = widened(x, *(each.x for each in standing))
    y = widened(y, *(each.y for each in standing))
    found = marks(scatter.by_share(plane.points, plane.trajectories), look.palette)
    if len(found) == 1:
        found = dict.fromkeys(found, Mark(look.palette.ink))
    areas = plane.regions(x, y)

    def draw(panel: Panel) -> list[Entry]:
        draw_regions(panel, areas, "region", 0.2)
        items = scatter.Scatter(
            panel,
            plane.points,
            plane.trajectories,
            found,
            (plane.roofs.across.memory[0], "OI"),
            ink=readable_on(look.palette.fills["flops"]),
            says=plane.says,
        )
        _draw_ridges(panel, plane)
        items.draw()
        _name_ridges(panel, plane)
        entries = items.name()
        name_regions(panel, areas, "region")
        return [Entry(plane.roofs.note)] * bool(plane.roofs.note) + entries

    plan = PanelPlan(x, y, plane.x_label, Y_LABEL, grid=False)
    return page.single(plan, 0.78 * page.width, draw, _table(plane))


def _draw_ridges(panel: Panel, plane: Plane) -> None:
    """Draw the lines between the regions, and dotted ones from the ridge point to the axes."""
    x, y, ink = panel.plan.x, panel.plan.y, panel.palette.ink
    ridge_x, ridge_y = plane.ridge
    across = plane.roofs.across.resource
    product = ridge_x * ridge_y
    left = max(x.low, product / y.high)
    lines = {
        "memory:flops": ([ridge_x, x.high], [ridge_y, ridge_y]),
        f"{across}:memory": ([ridge_x, ridge_x], [y.low, ridge_y]),
        f"{across}:flops": ([left, ridge_x], [product / left, ridge_y]),
    }
    for name, ends in lines.items():
        panel.line(*ends, ink, name=f"ridge:{name}", width=1.6)
    panel.guide([x.low, ridge_x], [ridge_y, ridge_y], ink, name="guide:OI")
    panel.guide([ridge_x, ridge_x], [ridge_y, y.high], ink, name="guide:MI")


def _name_ridges(panel: Panel, plane: Plane) -> None:
    ridge_x, ridge_y = plane.ridge
    x, y = panel.plan.x, panel.plan.y
    ink = readable_on(panel.palette.fills["flops"])
    product = ridge_x * ridge_y
    left = max(x.low, product / y.high)
    ends = panel.at([left, ridge_x], [product / left, ridge_y])
    text = f"x·y = {three_digits(product)} {plane.roofs.across.unit}"
    boxes = along(ends, extent(text))
    name = f"ridge:{plane.roofs.across.resource}:flops"
    panel.write(text, boxes, ink, name=f"label:{name}", about=Subject(name))
    ((across, up),) = panel.at(ridge_x, ridge_y)
    text = f"{plane.roofs.across.memory[0]}* {three_digits(ridge_x)}"
    size = extent(text)
    boxes = [
        Box(across + side * (size[0] / 2 + 2.5), panel.height - down - size[1] / 2, *size)
        for down in (2.0, 12.0, 22.0)
        for side in (1, -1)
    ]
    panel.write(text, boxes, ink, name="label:ridge:MI", dearest=0.5)
    text = f"OI* {three_digits(ridge_y)} flop/B"
    size = extent(text)
    boxes = [
        Box(panel.width - size[0] / 2 - 2.0, up + size[1] / 2 + 1.0, *size),
        Box(panel.width - size[0] / 2 - 2.0, up - size[1] / 2 - 1.5, *size),
        Box(across + size[0] / 2 + 8.0, up + size[1] / 2 + 1.0, *size),
    ]
    panel.write(text, boxes, ink, name="label:ridge:OI", dearest=0.9)


def _table(plane: Plane) -> FigureTable:
    symbol, unit = plane.roofs.across.memory
    x, y = names = f"{symbol} [{unit}]", "OI [flop/B]"
    ridge: ChartRow = {"what": "ridge point", "machine": plane.roofs.machine, "name": ""}
    ridge |= dict(zip(names, plane.ridge, strict=True))
    columns = ("what", "machine", "name", x, y, "parameter", "value", "measured", "bound")
    return table_of(columns, [ridge, *standing_rows(plane.points, plane.trajectories, names)])
