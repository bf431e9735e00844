"""The roofline in three dimensions: performance over operational and communication intensity.

Cardwell 2019, §2.7. With logarithmic axes the surface is three planes, one for each bound. It is
drawn from the corner where both intensities are low, so that no part hides another.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures import scatter
from roofdsl.figures.chart import ALIKE, Point, Trajectory
from roofdsl.figures.chart_table import PERFORMANCE, ChartRow, standing_rows, table_of
from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import LABEL_SIZE, Look, in_its_look, mixed
from roofdsl.figures.marks import Mark, marks
from roofdsl.figures.page import Page, sides_of
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.placement import LINE_COST, Box
from roofdsl.figures.points import Style, draw_ceiling
from roofdsl.figures.regions import draw_regions, name_regions
from roofdsl.figures.scale import GIGA, Array, LinearScale
from roofdsl.figures.space import Perspective, Space, view_of
from roofdsl.figures.trajectory import draw_along, name_trajectory, runs
from roofdsl.figures.walls import across_labels, draw_walls

NARROW = 72 * 5.0


@in_its_look
def surface(space: Space, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the surface, and beside it, where there is room, two slices through it."""
    page = Page(look, 7.16, title, subtitle)
    wide = page.width >= NARROW
    part = 0.64 * page.width if wide else page.width - 12.0

    def draw(height: float) -> list[Entry]:
        flat = PanelPlan(LinearScale(0, part), LinearScale(0, height), "", "", bare=True)
        (panel,) = page.panels([flat], height, right=part)
        view = view_of(space, look, part, height)
        areas = {
            name: view.on_surface(*corners.T)
            for name, corners in space.planes(view.oi, view.cai).items()
        }
        draw_walls(panel, view)
        draw_regions(panel, areas, "plane", 1.0)
        _skirts(panel, view)
        _drape(panel, view)
        _ridges(panel, view)
        for name, resource in _cuts(space).items() if wide else ():
            places = view.on_surface(*_cut(view, name))
            # On planes of their own colour and another: with ink in it, it is seen on both.
            colour = mixed(look.palette.edge(resource), look.palette.ink, 0.5)
            style = {"width": 1.6, "order": 2.5, "cost": LINE_COST}
            panel.through(places, colour, name=f"cut:{name}", dash=(4.0, 1.5), **style)
        entries = _paths(panel, view)
        name_regions(panel, areas, "plane", margin=0.0, dearest=0.9, above="flops")
        if wide:
            _slices(page, view, part, height)
        return entries

    return page.drawn(0.84 * part, draw, _table(space))


def _cuts(space: Space) -> dict[str, str]:
    """Return what binds along each cut: memory along OI, the network along CAI."""
    return {"x": "memory", "y": space.roofs.across.resource}


def _cut(view: Perspective, name: str) -> tuple[Array, Array]:
    """Return the intensities of a cut through the surface, along OI (x) or CAI (y)."""
    oi, cai = view.space.at or view.space.ridge
    return view.section(name, cai if name == "x" else oi)


def _skirts(panel: Panel, view: Perspective) -> None:
    """Draw the cuts through the block below the surface, at the two front faces."""
    for name, fixed in (("x", view.cai.low), ("y", view.oi.low)):
        oi, cai = view.section(name, fixed)
        top = view.on_surface(oi, cai)
        foot = view.project(oi, cai, view.performance.low * GIGA)
        corners = np.concatenate([top, foot[::-1]])
        panel.area(corners, panel.palette.faint, name=f"skirt:{name}", order=1.2)


def _drape(panel: Panel, view: Perspective) -> None:
    """Draw the decades of both intensities as lines on the surface."""
    for name, scale in (("y", view.oi), ("x", view.cai)):
        for value, _ in scale.ticks(150.0, 20.0):
            places = view.on_surface(*view.section(name, value))
            drawn = panel.through(places, panel.palette.paper, name=f"drape:{name}", order=1.3)
            drawn.set_alpha(0.75)


def _ridges(panel: Panel, view: Perspective) -> None:
    """Draw where the planes meet, and the ridge points' values on the floor's edges."""
    space, ink = view.space, panel.palette.ink
    ridge_x, ridge_y = space.ridge
    ratio = space.roofs.memory / space.roofs.network
    first = max(view.oi.low, view.cai.low / ratio)
    across = space.roofs.across
    lines = {
        f"memory:{across.resource}": ([first, ridge_x], [first * ratio, ridge_y]),
        "memory:flops": ([ridge_x, ridge_x], [ridge_y, view.cai.high]),
        f"{across.resource}:flops": ([ridge_x, view.oi.high], [ridge_y, ridge_y]),
    }
    for name, (oi, cai) in lines.items():
        places = view.on_surface(oi, cai)
        panel.through(places, ink, name=f"ridge:{name}", width=1.4, order=1.6, cost=LINE_COST)
    for symbol, value, end in (
        ("OI", ridge_x, (ridge_x, view.cai.high)),
        (across.symbol, ridge_y, (view.oi.high, ridge_y)),
    ):
        place = view.project(*end, space.roofs.flops)
        text = f"{symbol}* {three_digits(value)}"
        panel.label(text, place, ink, name=f"label:ridge:{symbol}", away=2.5, side="N")


def _paths(panel: Panel, view: Perspective) -> list[Entry]:
    space = view.space
    found = marks([path.kernel for path in space.trajectories], panel.palette)
    if len(space.trajectories) == 1:
        found = dict.fromkeys(found, Mark(panel.palette.ink))
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    undefined: list[str] = []
    for path, cai in zip(space.trajectories, space.cai, strict=True):
        mark = found[path.kernel]
        held = view.holds(path.x, cai, path.y)
        unknown = np.isnan(path.x) | np.isnan(cai) | np.isnan(path.y)
        kinds = np.where(unknown, "?", np.where(held, "", "beyond")).tolist()
        undefined += [run.name for kind, run in runs(path, kinds) if kind == "?"]
        entries += _beyond(panel, view, path, cai, mark, kinds)
        if not held.any():
            continue
        spots = view.project(path.x, cai, path.y)
        spots[~held] = np.nan
        drawn = {"width": 1.1, "order": 3.0, "cost": LINE_COST}
        panel.through(spots[held], mark.colour, name=path.label, dash=mark.dash, **drawn)
        for index in draw_along(panel, path, spots, partial(_style, panel, mark)):
            point = path.point(index)
            # What binds is not always the plane above it, nor does it always reach that.
            above = float(space.height(point.x, cai[index]))
            said = space.roofs.says(point.bound, point.x, float(cai[index]))
            if not said or (point.ceiling.lowered and point.y < (1 - ALIKE) * above):
                seen[point.ceiling.text] = panel.palette.edge(point.bound)
                name = f"bound:{path.label}:{point.bound}"
                x, y = spots[index].tolist()
                draw_ceiling(panel, x, y, seen[point.ceiling.text], name)
        if not name_trajectory(panel, path, spots, mark, compass="WWN", dearest=1.0):
            entries.append(Entry(path.kernel, mark.colour, mark.dash, "o", False, True))
    entries += scatter.bound_entries(panel, scatter.bounds_of((), space.trajectories))
    entries += [Entry(text, colour, line=True) for text, colour in seen.items()]
    entries += [Entry(space.roofs.note)] * bool(space.roofs.note)
    return entries + undrawn_entries(undefined, scatter.UNDEFINED)


def _style(panel: Panel, mark: Mark, point: Point) -> Style:
    return Style(mark, "o", scatter.face(panel, point.bound))


def _beyond(
    panel: Panel,
    view: Perspective,
    path: Trajectory,
    cai: Array,
    mark: Mark,
    kinds: list[str],
) -> list[Entry]:
    """Mark what of a kernel the frame does not hold, where it leaves it; each run of points once.

    Returns what the key must say of marks without a label.
    """
    entries = []
    for kind, run in runs(path, kinds):
        if kind != "beyond":
            continue
        oi, across = float(path.x[run.first]), float(cai[run.first])
        spot = np.clip((oi, across), (view.oi.low, view.cai.low), (view.oi.high, view.cai.high))
        x, y = view.on_surface(*spot).tolist()
        nothing, symbol = oi == 0 or across == 0, view.space.roofs.across.symbol
        shape, side = ("<", "W") if nothing else (">", "E")
        panel.markers(
            x,
            y,
            mark.colour,
            name=f"badge:{path.machine}:{path.kernel}:{run.points}",
            shape=shape,
            filled=False,
            face=scatter.face(panel, path.point(run.first).bound),
            size=6.0,
        )
        value = "0 flop" if nothing else f"OI {three_digits(oi)}, {symbol} {three_digits(across)}"
        text = f"{shortened(run.name, 160.0)} ({value})"
        label = f"label:badge:{path.machine}:{path.kernel}:{run.first}"
        if not panel.label(text, (x, y), mark.colour, name=label, away=5.0, side=side, dearest=2.5):
            entries.append(Entry(text, mark.colour, marker=shape, filled=False))
    return entries


def _slices(page: Page, view: Perspective, left: float, height: float) -> None:
    """Draw the two cuts through the surface at one point as charts of their own."""
    oi, cai = view.space.at or view.space.ridge
    half = (height - 62.0) / 2
    y_label = f"Performance [{view.unit}]"
    if extent(y_label, LABEL_SIZE)[0] >= half - 14.0:
        y_label = f"[{view.unit}]"
    # What the y axis leaves of the width; the label may be a little longer than its axis.
    room = page.inner_width - left - 45.0
    axis = view.space.roofs.across
    x_label = next(text for text in across_labels(axis) if extent(text, LABEL_SIZE)[0] < room)
    plans = [
        PanelPlan(view.oi, view.performance, axis_label("OI"), y_label),
        PanelPlan(view.cai, view.performance, x_label, y_label),
    ]
    places = {
        "x": (half + 58.0, oi, cai, f"{axis.symbol} = {three_digits(cai)} {axis.unit}"),
        "y": (24.0, cai, oi, f"OI = {three_digits(oi)} flop/B"),
    }
    sides = sides_of(plans, page.inner_width - left, half)
    for plan, (name, (up, here, _, said)) in zip(plans, places.items(), strict=True):
        (panel,) = page.panels([plan], half - 14.0, left + 6.0, up=up, sides=sides)
        along = _cut(view, name)
        line, heights = along[name == "y"], view.space.height(*along)
        colour = panel.palette.edge(_cuts(view.space)[name])
        panel.line(line, heights / GIGA, colour, name=f"slice:{name}", width=1.6)
        height = float(view.space.height(oi, cai)) / GIGA
        panel.markers(here, height, colour, name=f"slice:{name}:here", filled=False)
        text = f"at {said}"
        size = extent(text)
        boxes = [
            Box(panel.width - size[0] / 2 - 2.0, size[1] / 2 + 3.0, *size),
            Box(size[0] / 2 + 2.0, panel.height - size[1] / 2, *size),
        ]
        panel.write(text, boxes, colour, name=f"label:slice:{name}")


def _table(space: Space) -> FigureTable:
    axis = space.roofs.across
    x, y, z = "OI [flop/B]", f"{axis.symbol} [{axis.unit}]", PERFORMANCE
    oi, cai = space.ridge
    rows: list[ChartRow] = [
        {"what": "ridge point", "machine": space.roofs.machine, "name": ""}
        | {x: oi, y: cai, z: space.roofs.flops}
    ]
    for path, heights in zip(space.trajectories, space.cai, strict=True):
        along = standing_rows((), [path], (x, z))
        rows += [row | {y: each} for row, each in zip(along, heights.tolist(), strict=True)]
    return table_of(("what", "machine", "name", x, y, z, "parameter", "value", "bound"), rows)
