"""The ridgeline: operational against memory intensity, the plane coloured by what binds.

Checconi, Tithi and Petrini, *Ridgeline*, Fig. 2 and 6. Where the network binds, performance is the
same along each line x·y = k, since x·y is the communication arithmetic intensity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from roofdsl.figures import scatter
from roofdsl.figures.chart import Point, ThreeRoofs, Trajectory
from roofdsl.figures.chart_table import Row, standing_rows, table_of
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, three_digits
from roofdsl.figures.look import LABEL_SIZE, NOTE_SIZE, Look, readable_on
from roofdsl.figures.marks import Mark, marks
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Picture, Table
from roofdsl.figures.placement import Box, along, within
from roofdsl.figures.polygon import cut, rectangle
from roofdsl.figures.scale import Array, LogScale, snapped, widened

DEFAULT_WIDTH = 4.6
X_LABEL = "Memory intensity [memory B / network B]"
Y_LABEL = "Operational intensity [flop/B]"


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

    def says(self, point: Point) -> bool:
        """Whether the region a point lies in is that of what it is bound by."""
        if point.y == 0:  # no flops: their roofs are all 0, and what moves decides
            return self.roofs.says(point.bound, 1e-300, point.x * 1e-300)
        return self.roofs.says(point.bound, point.y, point.x * point.y)


def ridgeline(plane: Plane, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the plane of one machine with its three regions, ridge lines and points."""
    width = 72 * (look.width or DEFAULT_WIDTH)

    def draw(height: float) -> Picture:
        page = Page(look, width)
        (panel,) = page.panels(
            [PanelPlan(*_frame(plane, look), X_LABEL, Y_LABEL, grid=False)], height
        )
        found = marks(scatter.by_share(plane.points, plane.trajectories), look.palette)
        if len(found) == 1:
            found = dict.fromkeys(found, Mark(look.palette.ink))
        standing = scatter.Scatter(
            plane.points,
            plane.trajectories,
            found,
            ("MI", "OI"),
            ink=readable_on(look.palette.fills["flops"]),
            says=plane.says,
        )
        _regions(panel, plane, look)
        stands = scatter.draw(panel, standing)
        _name_ridges(panel, plane, look)
        entries = scatter.name(panel, standing, stands)
        _name_regions(panel, plane, look)
        entries = [Entry(plane.roofs.note)] * bool(plane.roofs.note) + entries
        return page.finish(title, entries, _table(plane), subtitle)

    return fitted(look, 0.78 * width, draw)


def _frame(plane: Plane, look: Look) -> tuple[LogScale, LogScale]:
    x, y = (snapped(look.base, value, value, margin=1) for value in plane.ridge)
    xs = [point.x for point in plane.points]
    ys = [point.y for point in plane.points]
    for path in plane.trajectories:
        xs += path.x.tolist()
        ys += path.y.tolist()
    return widened(x, xs), widened(y, ys)


def regions(plane: Plane, x: LogScale, y: LogScale) -> dict[str, Array]:
    """Return the three regions of the frame as polygons of values (MI, OI)."""
    base = x.base
    ridge_x, ridge_y = (math.log(value, base) for value in plane.ridge)
    frame = rectangle((x.first, y.first), (x.last, y.last))
    left_below = cut(cut(frame, -1, 0, -ridge_x), -1, -1, -ridge_x - ridge_y)
    found = {
        "memory": cut(cut(frame, 1, 0, ridge_x), 0, -1, -ridge_y),
        "network": left_below,
        "flops": cut(cut(frame, 1, 1, ridge_x + ridge_y), 0, 1, ridge_y),
    }
    return {name: float(base) ** corners for name, corners in found.items()}


def _regions(panel: Panel, plane: Plane, look: Look) -> None:
    """Colour the regions and draw the ridge between them."""
    x, y = panel.plan.x, panel.plan.y
    assert isinstance(x, LogScale) and isinstance(y, LogScale)
    for resource, corners in regions(plane, x, y).items():
        if len(corners) > 2:
            panel.area(corners, look.palette.fills[resource], name=f"region:{resource}")
    ridge_x, ridge_y = plane.ridge
    product = ridge_x * ridge_y
    left = max(x.low, product / y.high)
    lines = {
        "memory:flops": ([ridge_x, x.high], [ridge_y, ridge_y]),
        "network:memory": ([ridge_x, ridge_x], [y.low, ridge_y]),
        "network:flops": ([left, ridge_x], [product / left, ridge_y]),
    }
    for name, (xs, ys) in lines.items():
        panel.line(xs, ys, look.palette.ink, name=f"ridge:{name}", width=1.6)
    for name, xs, ys in (
        ("OI", [x.low, ridge_x], [ridge_y, ridge_y]),
        ("MI", [ridge_x, ridge_x], [ridge_y, y.high]),
    ):
        panel.guide(xs, ys, look.palette.ink, name=f"guide:{name}")


def _name_ridges(panel: Panel, plane: Plane, look: Look) -> None:
    ridge_x, ridge_y = plane.ridge
    x, y = panel.plan.x, panel.plan.y
    ink = readable_on(look.palette.fills["flops"])
    product = ridge_x * ridge_y
    left = max(x.low, product / y.high)
    ends = panel.at([left, ridge_x], [product / left, ridge_y])
    text = f"x·y = {three_digits(product)} flop/B"
    boxes = along(ends, extent(text, NOTE_SIZE))
    panel.write(text, boxes, ink, name="label:ridge:network:flops")
    ((across, up),) = panel.at(ridge_x, ridge_y)
    text = f"MI* {three_digits(ridge_x)}"
    size = extent(text, NOTE_SIZE)
    boxes = [
        Box(across + side * (size[0] / 2 + 2.5), panel.height - down - size[1] / 2, *size)
        for down in (2.0, 12.0, 22.0)
        for side in (1, -1)
    ]
    panel.write(text, boxes, ink, name="label:ridge:MI", dearest=0.5)
    text = f"OI* {three_digits(ridge_y)} flop/B"
    size = extent(text, NOTE_SIZE)
    boxes = [
        Box(panel.width - size[0] / 2 - 2.0, up + size[1] / 2 + 1.0, *size),
        Box(panel.width - size[0] / 2 - 2.0, up - size[1] / 2 - 1.5, *size),
        Box(across + size[0] / 2 + 8.0, up + size[1] / 2 + 1.0, *size),
    ]
    panel.write(text, boxes, ink, name="label:ridge:OI", dearest=0.9)


def _name_regions(panel: Panel, plane: Plane, look: Look) -> None:
    x, y = panel.plan.x, panel.plan.y
    assert isinstance(x, LogScale) and isinstance(y, LogScale)
    for resource, corners in regions(plane, x, y).items():
        if len(corners) < 3:
            continue
        text = scatter.BOUNDS[resource]
        size = extent(text, LABEL_SIZE)
        colour = readable_on(look.palette.fills[resource])
        boxes = within(panel.at(corners[:, 0], corners[:, 1]), size)
        name = f"label:region:{resource}"
        panel.write(text, boxes, colour, name=name, size=LABEL_SIZE, dearest=1.0)


def _table(plane: Plane) -> Table:
    x, y = names = "MI [B/B]", "OI [flop/B]"
    ridge: Row = {"what": "ridge point", "machine": plane.roofs.machine, "name": ""}
    ridge |= dict(zip(names, plane.ridge, strict=True))
    columns = ("what", "machine", "name", x, y, "parameter", "value", "measured", "bound")
    return table_of(columns, [ridge, *standing_rows(plane.points, plane.trajectories, names)])
