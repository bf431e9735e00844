"""The roofline in three dimensions: performance over operational and communication intensity.

Cardwell 2019, §2.7. With logarithmic axes the surface is three planes, one for each bound. It is
drawn from the corner where both intensities are low, so that no part hides another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.chart import Trajectory
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import LABEL_SIZE, NOTE_SIZE, Look, readable_on
from roofdsl.figures.marks import Mark, marks
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Cell, Picture, Table
from roofdsl.figures.placement import Box, around, within
from roofdsl.figures.scale import LinearScale
from roofdsl.figures.space import Space, View, bends, planes, view_of
from roofdsl.figures.walls import COMM, draw_walls

Array = NDArray[np.float64]
GIGA = 1e9
DEFAULT_WIDTH = 7.16
NARROW = 5.0
# The cut along OI shows where memory binds, that along CAI where the network does.
_CUT_COLOURS = {"x": "memory", "y": "network"}
_PERFORMANCE = "Performance [GFLOP/s]"
REGIONS = {"memory": "memory-bound", "network": "network-bound", "flops": "compute-bound"}


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
            heights = space.height(corners[:, 0], corners[:, 1])
            places = view.project(corners[:, 0], corners[:, 1], heights)
            panel.area(places, palette.fills[resource], name=f"plane:{resource}", order=1.0)
    _skirts(panel, space, view, look)
    _drape(panel, space, view, look)
    _ridges(panel, space, view, look)
    if cuts:
        for name in ("x", "y"):
            along, heights, _ = _cut(space, view, name)
            places = view.project(*along, heights)
            panel.line(
                places[:, 0],
                places[:, 1],
                look.palette.strong[_CUT_COLOURS[name]],
                name=f"cut:{name}",
                width=1.6,
                order=2.5,
                dash=(4.0, 1.5),
            )


def _cut(space: Space, view: View, name: str) -> tuple[tuple[Array, Array], Array, Array]:
    """Return a cut through the surface: its intensities, its heights, and the one that moves."""
    oi, cai = space.at or space.ridge
    if name == "x":
        line = bends(space, name, cai, view.oi)
        along = (line, np.full_like(line, cai))
    else:
        line = bends(space, name, oi, view.cai)
        along = (np.full_like(line, oi), line)
    return along, space.height(*along), line


def _name_planes(panel: Panel, space: Space, view: View, look: Look) -> None:
    palette = look.palette
    for resource, corners in planes(space, view.oi, view.cai).items():
        if len(corners) > 2:
            heights = space.height(corners[:, 0], corners[:, 1])
            places = view.project(corners[:, 0], corners[:, 1], heights)
            text = REGIONS[resource]
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
    for name, fixed in (("x", view.cai.low), ("y", view.oi.low)):
        along = view.oi if name == "x" else view.cai
        line = bends(space, name, fixed, along)
        oi, cai = (
            (line, np.full_like(line, fixed)) if name == "x" else (np.full_like(line, fixed), line)
        )
        top = view.project(oi, cai, space.height(oi, cai))
        foot = view.project(oi, cai, view.performance.low * GIGA)
        panel.area(
            np.concatenate([top, foot[::-1]]), look.palette.faint, name=f"skirt:{name}", order=1.2
        )


def _drape(panel: Panel, space: Space, view: View, look: Look) -> None:
    """Draw the decades of both intensities as lines on the surface."""
    for name, scale, along in (("y", view.oi, view.cai), ("x", view.cai, view.oi)):
        for value, _ in scale.ticks(150.0, 20.0):
            line = bends(space, name, value, along)
            oi, cai = (
                (np.full_like(line, value), line)
                if name == "y"
                else (line, np.full_like(line, value))
            )
            places = view.project(oi, cai, space.height(oi, cai))
            drawn = panel.line(
                places[:, 0],
                places[:, 1],
                look.palette.paper,
                name=f"drape:{name}",
                width=0.5,
                order=1.3,
                cost=0,
            )
            drawn.set_alpha(0.75)


def _ridges(panel: Panel, space: Space, view: View, look: Look) -> None:
    """Draw where the planes meet, and the ridge points' values on the floor's edges."""
    ridge_x, ridge_y = space.ridge
    ink = look.palette.ink
    ratio = space.memory / space.network
    first = max(view.oi.low, view.cai.low / ratio)
    lines = {
        "memory:network": ([first, ridge_x], [first * ratio, ridge_y]),
        "memory:flops": ([ridge_x, ridge_x], [ridge_y, view.cai.high]),
        "network:flops": ([ridge_x, view.oi.high], [ridge_y, ridge_y]),
    }
    for name, (oi, cai) in lines.items():
        places = view.project(oi, cai, space.height(oi, cai))
        panel.line(places[:, 0], places[:, 1], ink, name=f"ridge:{name}", width=1.4, order=1.6)
    for symbol, value, end in (
        ("OI", ridge_x, (ridge_x, view.cai.high)),
        ("CAI", ridge_y, (view.oi.high, ridge_y)),
    ):
        place = view.project(*end, space.flops)
        text = f"{symbol}* {three_digits(value)}"
        boxes = around(place, extent(text, NOTE_SIZE), 2.5, "N")
        panel.write(text, boxes, ink, name=f"label:ridge:{symbol}")


def _paths(panel: Panel, space: Space, view: View, look: Look) -> list[Entry]:
    found = marks([path.kernel for path in space.trajectories], look.palette)
    entries: list[Entry] = []
    for path, cai in zip(space.trajectories, space.cai, strict=True):
        mark = Mark(look.palette.ink) if len(space.trajectories) == 1 else found[path.kernel]
        name = f"trajectory:{path.machine}:{path.kernel}"
        finite = path.shown & np.isfinite(cai) & (cai > 0)
        if not finite.any():
            entries += _at_edge(panel, space, view, path, cai, mark)
            continue
        places = view.project(path.x[finite], cai[finite], path.y[finite])
        panel.line(
            places[:, 0], places[:, 1], mark.colour, name=name, width=1.1, dash=mark.dash, order=3.0
        )
        panel.markers(
            places[:, 0], places[:, 1], mark.colour, name=f"{name}:markers", filled=False, size=4.0
        )
        for end, text, side in ((0, path.ends[0], "W"), (-1, path.ends[1], "N")):
            if text and not panel.says(text, places[end]):
                boxes = around(places[end], extent(text, NOTE_SIZE), 4.5, side)
                panel.write(text, boxes, mark.colour, name=f"label:{name}:{end}")
        text = shortened(path.kernel, 90.0, NOTE_SIZE)
        size = extent(text, NOTE_SIZE, bold=True)
        boxes = around(places[len(places) // 2], size, 6.0, "W")
        if not panel.write(text, boxes, mark.colour, name=f"label:{name}", bold=True, dearest=1.0):
            entries.append(Entry(path.kernel, mark.colour, mark.dash, "o", False, True))
    return entries


def _at_edge(
    panel: Panel, space: Space, view: View, path: Trajectory, cai: Array, mark: Mark
) -> list[Entry]:
    """Mark a kernel without flops, or with an infinite intensity, where it leaves the frame."""
    known = ~(np.isnan(path.x) | np.isnan(cai))
    if not known.any():
        return [Entry(f"not drawn: {path.kernel} (its intensities are undefined)")]
    oi = np.clip(path.x[known][:1], view.oi.low, view.oi.high)
    across = np.clip(cai[known][:1], view.cai.low, view.cai.high)
    places = view.project(oi, across, space.height(oi, across))
    shape = "<" if path.x[known][0] == 0 or cai[known][0] == 0 else ">"
    name = f"edge:{path.machine}:{path.kernel}"
    panel.markers(
        places[:, 0], places[:, 1], mark.colour, name=name, shape=shape, filled=False, size=5.0
    )
    text = f"{shortened(path.kernel, 90.0, NOTE_SIZE)}{' (0 flop)' * (shape == '<')}"
    boxes = around(places[0], extent(text, NOTE_SIZE), 5.0, "W" if shape == "<" else "E")
    if panel.write(text, boxes, mark.colour, name=f"label:{name}", dearest=2.5):
        return []
    return [Entry(text, mark.colour, marker=shape, filled=False)]


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
        _, heights, line = _cut(space, view, name)
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
    columns = (
        "what",
        "machine",
        "name",
        "OI [flop/B]",
        "CAI [flop/B]",
        "performance [flop/s]",
        "parameter",
        "value",
    )
    rows: list[tuple[Cell, ...]] = [
        ("ridge point", space.machine, "", *space.ridge, space.flops, None, None)
    ]
    for path, cai in zip(space.trajectories, space.cai, strict=True):
        rows += [
            (
                "trajectory",
                space.machine,
                path.kernel,
                float(x),
                float(y),
                float(z),
                path.parameter,
                float(value),
            )
            for x, y, z, value in zip(path.x, cai, path.y, path.values, strict=True)
        ]
    return Table(columns, tuple(rows))
