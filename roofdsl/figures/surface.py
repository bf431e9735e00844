"""The roofline in three dimensions: performance over operational and communication intensity.

Cardwell 2019, §2.7. With logarithmic axes the surface is three planes, one for each bound. It is
drawn from the corner where both intensities are low, so that no part hides another.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from roofdsl.figures import scatter
from roofdsl.figures.chart import Trajectory
from roofdsl.figures.chart_table import Row, standing_rows, table_of
from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import LABEL_SIZE, NOTE_SIZE, Look, readable_on, resource_colour
from roofdsl.figures.marks import Mark, marks
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Picture, Table
from roofdsl.figures.placement import LINE_COST, Box, around, within
from roofdsl.figures.points import draw_ceiling
from roofdsl.figures.scale import GIGA, Array, LinearScale
from roofdsl.figures.space import Space, View, planes, section, view_of
from roofdsl.figures.trajectory import draw_faces, spaced
from roofdsl.figures.walls import COMM, draw_walls

DEFAULT_WIDTH = 7.16
NARROW = 5.0
# The cut along OI shows where memory binds, that along CAI where the network does.
_CUT_COLOURS = {"x": "memory", "y": "network"}
_PERFORMANCE = "Performance [GFLOP/s]"


def surface(space: Space, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the surface, and beside it, where there is room, two slices through it."""
    width = 72 * (look.width or DEFAULT_WIDTH)
    wide = width >= 72 * NARROW
    part = 0.64 * width if wide else width - 12.0

    def draw(height: float) -> Picture:
        page = Page(look, width)
        flat = PanelPlan(LinearScale(0, part), LinearScale(0, height), "", "", bare=True)
        (panel,) = page.row([flat], 0.0, part, 0.0, height)
        view = view_of(space, look, part, height)
        _draw(panel, space, view, look, cuts=wide)
        entries = _paths(panel, space, view, look)
        _name_planes(panel, space, view, look)
        if wide:
            _slices(page, space, view, look, part, height)
        return page.finish(title, entries, _table(space), subtitle)

    return fitted(look, 0.84 * part, draw)


def _draw(panel: Panel, space: Space, view: View, look: Look, *, cuts: bool) -> None:
    palette = look.palette
    draw_walls(panel, view, look)
    for resource, corners in planes(space, view.oi, view.cai).items():
        if len(corners) > 2:
            places = view.on_surface(space, *corners.T)
            panel.area(places, palette.fills[resource], name=f"plane:{resource}", order=1.0)
    _skirts(panel, space, view, look)
    _drape(panel, space, view, look)
    _ridges(panel, space, view, look)
    if cuts:
        for name in ("x", "y"):
            places = view.on_surface(space, *_cut(space, view, name))
            colour = look.palette.strong[_CUT_COLOURS[name]]
            look_of = {"width": 1.6, "order": 2.5, "cost": LINE_COST}
            panel.through(places, colour, name=f"cut:{name}", dash=(4.0, 1.5), **look_of)


def _cut(space: Space, view: View, name: str) -> tuple[Array, Array]:
    """Return the intensities of a cut through the surface, along OI (x) or CAI (y)."""
    oi, cai = space.at or space.ridge
    return section(space, name, *((cai, view.oi) if name == "x" else (oi, view.cai)))


def _name_planes(panel: Panel, space: Space, view: View, look: Look) -> None:
    palette = look.palette
    for resource, corners in planes(space, view.oi, view.cai).items():
        if len(corners) > 2:
            places = view.on_surface(space, *corners.T)
            text = scatter.BOUNDS[resource]
            size = extent(text, LABEL_SIZE)
            boxes = within(places, size, margin=0.0)
            if resource == "flops" and not boxes:
                boxes = around(places[np.argmax(places[:, 1])], size, 2.0, "N")
            colour = readable_on(palette.fills[resource])
            panel.write(
                text, boxes, colour, name=f"label:plane:{resource}", size=LABEL_SIZE, dearest=0.9
            )


def _skirts(panel: Panel, space: Space, view: View, look: Look) -> None:
    """Draw the cuts through the block below the surface, at the two front faces."""
    for name, fixed, along in (("x", view.cai.low, view.oi), ("y", view.oi.low, view.cai)):
        oi, cai = section(space, name, fixed, along)
        top = view.on_surface(space, oi, cai)
        foot = view.project(oi, cai, view.performance.low * GIGA)
        corners = np.concatenate([top, foot[::-1]])
        panel.area(corners, look.palette.faint, name=f"skirt:{name}", order=1.2)


def _drape(panel: Panel, space: Space, view: View, look: Look) -> None:
    """Draw the decades of both intensities as lines on the surface."""
    for name, scale, along in (("y", view.oi, view.cai), ("x", view.cai, view.oi)):
        for value, _ in scale.ticks(150.0, 20.0):
            places = view.on_surface(space, *section(space, name, value, along))
            drawn = panel.through(places, look.palette.paper, name=f"drape:{name}", order=1.3)
            drawn.set_alpha(0.75)


def _ridges(panel: Panel, space: Space, view: View, look: Look) -> None:
    """Draw where the planes meet, and the ridge points' values on the floor's edges."""
    ridge_x, ridge_y = space.ridge
    ink = look.palette.ink
    ratio = space.roofs.memory / space.roofs.network
    first = max(view.oi.low, view.cai.low / ratio)
    lines = {
        "memory:network": ([first, ridge_x], [first * ratio, ridge_y]),
        "memory:flops": ([ridge_x, ridge_x], [ridge_y, view.cai.high]),
        "network:flops": ([ridge_x, view.oi.high], [ridge_y, ridge_y]),
    }
    for name, (oi, cai) in lines.items():
        places = view.on_surface(space, oi, cai)
        panel.through(places, ink, name=f"ridge:{name}", width=1.4, order=1.6, cost=LINE_COST)
    for symbol, value, end in (
        ("OI", ridge_x, (ridge_x, view.cai.high)),
        ("CAI", ridge_y, (view.oi.high, ridge_y)),
    ):
        place = view.project(*end, space.roofs.flops)
        text = f"{symbol}* {three_digits(value)}"
        panel.label(text, place, ink, name=f"label:ridge:{symbol}", away=2.5, side="N")


def _paths(panel: Panel, space: Space, view: View, look: Look) -> list[Entry]:
    found = marks([path.kernel for path in space.trajectories], look.palette)
    entries: list[Entry] = []
    seen: dict[str, str] = {}
    undefined: list[str] = []
    for path, cai in zip(space.trajectories, space.cai, strict=True):
        mark = Mark(look.palette.ink) if len(space.trajectories) == 1 else found[path.kernel]
        name = f"trajectory:{path.machine}:{path.kernel}"
        inside = view.holds(path.x, cai, path.y)
        entries += _beyond(panel, space, view, path, cai, mark, undefined)
        shown = np.flatnonzero(inside)
        if not len(shown):
            continue
        places = view.project(path.x[shown], cai[shown], path.y[shown])
        drawn = {"width": 1.1, "order": 3.0, "cost": LINE_COST}
        panel.through(places, mark.colour, name=name, dash=mark.dash, **drawn)
        marked = shown[spaced(places)]
        seen |= _markers(panel, space, view, path, cai, marked.tolist(), mark)
        ends = path.end_texts(int(shown[0]), int(shown[-1]))
        for end, text, side in ((0, ends[0], "W"), (-1, ends[1], "N")):
            if text and not panel.says(text, places[end]):
                panel.label(text, places[end], mark.colour, name=f"label:{name}:{end}", side=side)
        text = shortened(path.kernel, 90.0, NOTE_SIZE)
        middle, label = places[len(places) // 2], f"label:{name}"
        if not panel.label(
            text, middle, mark.colour, name=label, away=6.0, side="W", bold=True, dearest=1.0
        ):
            entries.append(Entry(path.kernel, mark.colour, mark.dash, "o", False, True))
    entries += scatter.bound_entries(panel, [b for p in space.trajectories for b in p.bounds])
    for text, colour in seen.items():
        entries.append(Entry(text, colour, line=True))
    entries += [Entry(space.roofs.note)] * bool(space.roofs.note)
    return entries + undrawn_entries(undefined, scatter.UNDEFINED)


def _markers(
    panel: Panel,
    space: Space,
    view: View,
    path: Trajectory,
    cai: Array,
    shown: list[int],
    mark: Mark,
) -> dict[str, str]:
    """Draw points, with a ceiling of its own where the plane above is not that of a point's bound.

    Returns what the key must say of those ceilings, with their colours.
    """
    name = f"trajectory:{path.machine}:{path.kernel}"
    places = view.project(path.x[shown], cai[shown], path.y[shown])
    points = [path.point(index) for index in shown]
    faces = [scatter.face(panel, point.bound) for point in points]
    draw_faces(panel, places, faces, mark.colour, name)
    seen = {}
    for point, height, (x, y) in zip(points, cai[shown].tolist(), places, strict=True):
        if not space.roofs.says(point.bound, point.x, height):
            seen[point.ceiling] = resource_colour(panel.palette.strong, point.bound, ())
            draw_ceiling(panel, x, y, seen[point.ceiling], f"bound:{name}:{point.bound}")
    return seen


def _beyond(
    panel: Panel,
    space: Space,
    view: View,
    path: Trajectory,
    cai: Array,
    mark: Mark,
    undefined: list[str],
) -> list[Entry]:
    """Mark what of a kernel the frame does not hold, where it leaves it; each run of points once.

    Notes in `undefined` what has no place. Returns what the key must say of marks without a label.
    """
    entries: list[Entry] = []
    unknown = np.isnan(path.x) | np.isnan(cai) | np.isnan(path.y)
    kinds = np.where(unknown, "?", np.where(view.holds(path.x, cai, path.y), "", "edge")).tolist()
    for kind, group in groupby(range(len(kinds)), key=kinds.__getitem__):
        indices = list(group)
        first = indices[0]
        name = path.run_name(first, indices[-1])
        if kind == "?":
            undefined.append(name)
        if kind != "edge":
            continue
        oi = np.clip(path.x[first], view.oi.low, view.oi.high)
        across = np.clip(cai[first], view.cai.low, view.cai.high)
        x, y = view.on_surface(space, oi, across).ravel().tolist()
        nothing = path.x[first] == 0 or cai[first] == 0
        shape = "<" if nothing else ">"
        panel.markers(
            [x],
            [y],
            mark.colour,
            name=f"badge:{path.machine}:{path.kernel}:{len(indices)}",
            shape=shape,
            filled=False,
            face=scatter.face(panel, path.point(first).bound),
            size=6.0,
        )
        values = f"OI {three_digits(path.x[first])}, CAI {three_digits(cai[first])}"
        text = f"{shortened(name, 160.0, NOTE_SIZE)} ({'0 flop' if nothing else values})"
        label = f"label:badge:{path.machine}:{path.kernel}:{first}"
        side = "W" if nothing else "E"
        if not panel.label(text, (x, y), mark.colour, name=label, away=5.0, side=side, dearest=2.5):
            entries.append(Entry(text, mark.colour, marker=shape, filled=False))
    return entries


def _slices(page: Page, space: Space, view: View, look: Look, left: float, height: float) -> None:
    """Draw the two cuts through the surface at one point as charts of their own."""
    oi, cai = space.at or space.ridge
    half = (height - 62.0) / 2
    y_label = _PERFORMANCE if extent(_PERFORMANCE, LABEL_SIZE)[0] < half - 14.0 else "[GFLOP/s]"
    right = page.inner_width
    # What the y axis leaves of the width; the label may be a little longer than its axis.
    room = right - left - 45.0
    plans = [
        PanelPlan(view.oi, view.performance, "Operational intensity [flop/B]", y_label),
        PanelPlan(
            view.cai,
            view.performance,
            COMM if extent(COMM, LABEL_SIZE)[0] < room else "CAI [flop/B]",
            y_label,
        ),
    ]
    for number, (plan, name) in enumerate(zip(plans, ("x", "y"), strict=True)):
        up = 28.0 if number else half + 62.0
        (panel,) = page.row([plan], left + 6.0, right, up - 4.0, half - 14.0)
        along = _cut(space, view, name)
        line, heights = along[name == "y"], space.height(*along)
        colour = look.palette.strong[_CUT_COLOURS[name]]
        panel.line(line, heights / GIGA, colour, name=f"slice:{name}", width=1.6)
        here = oi if name == "x" else cai
        panel.markers(
            [here],
            [float(space.height(oi, cai)) / GIGA],
            colour,
            name=f"slice:{name}:here",
            filled=False,
        )
        other, symbol = (cai, "CAI") if name == "x" else (oi, "OI")
        text = f"at {symbol} = {three_digits(other)} flop/B"
        size = extent(text, NOTE_SIZE)
        boxes = [
            Box(panel.width - size[0] / 2 - 2.0, size[1] / 2 + 3.0, *size),
            Box(size[0] / 2 + 2.0, panel.height - size[1] / 2, *size),
        ]
        panel.write(text, boxes, colour, name=f"label:slice:{name}")


def _table(space: Space) -> Table:
    x, y, z = "OI [flop/B]", "CAI [flop/B]", "performance [flop/s]"
    oi, cai = space.ridge
    rows: list[Row] = [
        {"what": "ridge point", "machine": space.roofs.machine, "name": ""}
        | {x: oi, y: cai, z: space.roofs.flops}
    ]
    for path, heights in zip(space.trajectories, space.cai, strict=True):
        along = standing_rows((), [path], (x, z))
        rows += [row | {y: each} for row, each in zip(along, heights.tolist(), strict=True)]
    return table_of(("what", "machine", "name", x, y, z, "parameter", "value", "bound"), rows)
