"""The roofline in three dimensions: performance over operational and communication intensity.

Cardwell 2019, §2.7. With logarithmic axes the surface is three planes, one for each bound. It is
drawn from the corner where both intensities are low, so that no part hides another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
        entries = _draw(panel, space, view, look)
        if wide:
            entries += _slices(page, space, view, look, part, height)
        return page.finish(title, entries, _table(space), subtitle)

    return fitted(look, 0.84 * part, draw)


def _draw(panel: Panel, space: Space, view: View, look: Look) -> list[Entry]:
    palette = look.palette
    draw_walls(panel, view, look)
    regions = planes(space, view.oi, view.cai)
    for resource, corners in regions.items():
        if len(corners) > 2:
            heights = space.height(corners[:, 0], corners[:, 1])
            places = view.project(corners[:, 0], corners[:, 1], heights)
            panel.area(places, palette.fills[resource], name=f"plane:{resource}", order=1.0)
    _skirts(panel, space, view, look)
    _drape(panel, space, view, look)
    _ridges(panel, space, view, look)
    entries = _paths(panel, space, view, look)
    for resource, corners in regions.items():
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
                text, boxes, colour, name=f"label:plane:{resource}", size=LABEL_SIZE, dearest=2.5
            )
    return entries


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
        finite = np.isfinite(path.x) & np.isfinite(cai) & (path.y > 0) & (path.x > 0) & (cai > 0)
        if not finite.any():
            continue
        places = view.project(path.x[finite], cai[finite], path.y[finite])
        name = f"trajectory:{path.machine}:{path.kernel}"
        panel.line(
            places[:, 0], places[:, 1], mark.colour, name=name, width=1.1, dash=mark.dash, order=3.0
        )
        panel.markers(
            places[:, 0], places[:, 1], mark.colour, name=f"{name}:markers", filled=False, size=4.0
        )
        for end, text, side in ((0, path.ends[0], "W"), (-1, path.ends[1], "N")):
            if text:
                size = extent(text, NOTE_SIZE)
                boxes = around(places[end], size, 4.5, side)
                panel.write(text, boxes, mark.colour, name=f"label:{name}:{end}", dearest=3.0)
        text = shortened(path.kernel, 90.0, NOTE_SIZE)
        size = extent(text, NOTE_SIZE, bold=True)
        boxes = around(places[len(places) // 2], size, 6.0, "W")
        if not panel.write(text, boxes, mark.colour, name=f"label:{name}", bold=True, dearest=1.0):
            entries.append(Entry(path.kernel, mark.colour, mark.dash, "o", False, True))
    return entries


def _slices(
    page: Page, space: Space, view: View, look: Look, left: float, height: float
) -> list[Entry]:
    """Draw the two cuts through the surface at one point, and mark them on it."""
    oi, cai = space.at or space.ridge
    half = (height - 62.0) / 2
    plans = [
        PanelPlan(view.oi, view.performance, "Operational intensity [flop/B]", "GFLOP/s"),
        PanelPlan(view.cai, view.performance, COMM, "GFLOP/s"),
    ]
    surface_panel = page.first
    right = page.inner_width
    for number, (plan, name, fixed, moving) in enumerate(
        zip(plans, ("x", "y"), (cai, oi), (view.oi, view.cai), strict=True)
    ):
        up = 28.0 if number else half + 62.0
        (panel,) = page.row([plan], left + 6.0, right, up - 4.0, half - 14.0)
        line = bends(space, name, fixed, moving)
        along = (
            (line, np.full_like(line, fixed)) if name == "x" else (np.full_like(line, fixed), line)
        )
        heights = space.height(*along)
        resource = "memory" if name == "x" else "network"
        colour = look.palette.strong[resource]
        panel.line(line, heights / GIGA, colour, name=f"slice:{name}", width=1.6)
        places = view.project(*along, heights)
        surface_panel.line(
            places[:, 0],
            places[:, 1],
            colour,
            name=f"cut:{name}",
            width=1.6,
            order=2.5,
            dash=(4.0, 1.5),
        )
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
    return []


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
