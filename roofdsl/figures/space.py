"""The space of the three-dimensional roofline: its surface, its walls, and where they stand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.chart import ThreeRoofs, Trajectory
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, TICK_SIZE, Look
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import Box
from roofdsl.figures.regions import regions
from roofdsl.figures.scale import GIGA, Array, LogScale, snapped, widened

SLOPE = 24.0
_SIN, _COS = math.sin(math.radians(SLOPE)), math.cos(math.radians(SLOPE))
_RISE = 0.85
_SIDE, _FOOT, _HEAD = 34.0, 34.0, 4.0


@dataclass(frozen=True, slots=True)
class Space:
    """A machine's three roofs, and what moves below the surface they make.

    Each trajectory has `x` OI and `y` performance; `cai` holds its CAI. `at` is where the slices
    cut, an OI and a CAI [flop/B].
    """

    roofs: ThreeRoofs
    trajectories: tuple[Trajectory, ...] = ()
    cai: tuple[Array, ...] = ()
    at: tuple[float, float] | None = None

    @property
    def ridge(self) -> tuple[float, float]:
        """The ridge points OI* and CAI* [flop/B]."""
        return self.roofs.flops / self.roofs.memory, self.roofs.flops / self.roofs.network

    def planes(self, oi: LogScale, cai: LogScale) -> dict[str, Array]:
        """Return the three regions of the (OI, CAI) frame as polygons of values."""
        return regions(self.roofs, oi, cai, {"memory": (1, 0), "network": (0, 1)})

    def height(self, oi: ArrayLike, cai: ArrayLike) -> Array:
        """Return the attainable performance [flop/s]."""
        below = np.minimum(self.roofs.memory * np.asarray(oi), self.roofs.network * np.asarray(cai))
        return np.asarray(np.minimum(self.roofs.flops, below))


@dataclass(frozen=True, slots=True)
class Perspective:
    """The frame in three dimensions, and where its points come to stand on the page."""

    space: Space
    oi: LogScale
    cai: LogScale
    performance: LogScale
    width: float
    height: float

    def project(self, oi: ArrayLike, cai: ArrayLike, performance: ArrayLike) -> Array:
        """Return places in points (n × 2) of points with performance in flop/s."""
        x, y = self.oi.place(oi), self.cai.place(cai)
        z = self.performance.place(np.asarray(performance) / GIGA)
        return self.inside(x, y, z)

    def holds(self, oi: Array, cai: Array, performance: Array) -> NDArray[np.bool_]:
        """Return which points with performance in flop/s lie inside the frame."""
        inside = np.ones(len(oi), dtype=bool)
        for scale, values in (
            (self.oi, oi),
            (self.cai, cai),
            (self.performance, performance / GIGA),
        ):
            inside &= (values >= scale.low) & (values <= scale.high)
        return inside

    def on_surface(self, oi: ArrayLike, cai: ArrayLike) -> Array:
        """Return places in points of the surface's points at some intensities."""
        return self.project(oi, cai, self.space.height(oi, cai))

    def section(self, name: str, fixed: float) -> tuple[Array, Array]:
        """Return OI and CAI along a line over the frame, at each place where the surface may bend.

        `name` is the axis it runs along: x for OI, y for CAI; the other intensity is `fixed`.
        """
        ridge_x, ridge_y = self.space.ridge
        ratio = self.space.roofs.memory / self.space.roofs.network
        along = self.oi if name == "x" else self.cai
        found = [ridge_x, fixed / ratio] if name == "x" else [ridge_y, fixed * ratio]
        inside = [value for value in found if along.low < value < along.high]
        line = np.array(sorted([along.low, *inside, along.high]))
        still = np.full_like(line, fixed)
        return (line, still) if name == "x" else (still, line)

    def inside(self, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> Array:
        """Return places in points of points of the unit cube: x to the right, y to the left."""
        across = (np.asarray(x) - np.asarray(y)) * _COS
        up = (np.asarray(x) + np.asarray(y)) * _SIN + np.asarray(z) * _RISE
        broad, tall = 2 * _COS, 2 * _SIN + _RISE
        room_x, room_y = self.width - 2 * _SIDE, self.height - _FOOT - _HEAD
        scale = min(room_x / broad, room_y / tall)
        return np.stack(
            np.broadcast_arrays(self.width / 2 + scale * across, _FOOT + scale * up),
            axis=-1,
        )


def view_of(space: Space, look: Look, width: float, height: float) -> Perspective:
    oi, cai = space.ridge
    x = widened(snapped(look.base, oi, oi, margin=1), *(path.x for path in space.trajectories))
    y = widened(snapped(look.base, cai, cai, margin=1), *space.cai)
    lowest = float(space.height(x.low, y.low)) / GIGA
    z = snapped(look.base, lowest, 1.05 * space.roofs.flops / GIGA)
    return Perspective(space, x, y, z, width, height)


COMM = "Comm. arithmetic intensity [flop/B]"


def draw_walls(panel: Panel, view: Perspective) -> None:
    """Draw the floor's edges, the walls behind, their grid, and the axes with their labels."""
    palette = panel.palette
    for scale, wall in ((view.oi, "x"), (view.cai, "y")):
        for value, _ in scale.ticks(150.0, 20.0):
            at = float(scale.place(value))
            ends = [(at, 1.0), (at, 1.0)] if wall == "x" else [(1.0, at), (1.0, at)]
            across, deep = np.array(ends).T
            places = view.inside(across, deep, [0.0, 1.0])
            panel.through(places, palette.faint, name=f"grid:{wall}")
    for value, _ in view.performance.ticks(120.0, 16.0):
        z = float(view.performance.place(value))
        places = view.inside([0.0, 1.0, 1.0], [1.0, 1.0, 0.0], z)
        panel.through(places, palette.faint, name="grid:z")
    edges = view.inside([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 0.0)
    panel.through(edges, palette.muted, name="edge:floor", width=0.7, order=1.4)
    upright = view.inside([0.0, 0.0], [1.0, 1.0], [0.0, 1.0])
    panel.through(upright, palette.muted, name="edge:z", width=0.7, order=0.4)
    _ticks(panel, view)


def _ticks(panel: Panel, view: Perspective) -> None:
    colour = panel.palette.ink
    slope = SLOPE
    corner = view.inside(0.0, 0.0, 0.0)
    for name, scale, step, labels in (
        ("x", view.oi, (1.0, 0.0), ("Operational intensity [flop/B]", "OI [flop/B]")),
        (
            "y",
            view.cai,
            (0.0, 1.0),
            ("Communication arithmetic intensity [flop/B]", COMM, "CAI [flop/B]"),
        ),
    ):
        side = 1.0 if name == "x" else -1.0
        end = view.inside(step[0], step[1], 0.0)
        length = float(np.hypot(*(end - corner)))
        for value, text in scale.ticks(length, 18.0):
            at = float(scale.place(value))
            place = view.inside(step[0] * at, step[1] * at, 0.0)
            size = extent(text, TICK_SIZE)
            box = Box(place[0] + side * (size[0] / 2 + 1.5), place[1] - size[1] / 2 - 0.5, *size)
            panel.write(text, [box], colour, name=f"tick:{name}:{text}", size=TICK_SIZE, dearest=99)
        middle = (corner + end) / 2
        away = (
            np.array([side * math.sin(math.radians(SLOPE)), -math.cos(math.radians(SLOPE))]) * 25.0
        )
        for label in labels:
            size = extent(label, LABEL_SIZE)
            box = Box(middle[0] + away[0], middle[1] + away[1], *size, angle=side * slope)
            if size[0] < 1.05 * length and panel.write(
                label, [box], colour, name=f"label:{name}", size=LABEL_SIZE, dearest=99
            ):
                break
    foot, top = view.inside(0.0, 1.0, 0.0), view.inside(0.0, 1.0, 1.0)
    widest = 0.0
    for value, text in view.performance.ticks(float(top[1] - foot[1]), 14.0):
        place = view.inside(0.0, 1.0, float(view.performance.place(value)))
        size = extent(text, TICK_SIZE)
        widest = max(widest, size[0])
        box = Box(place[0] - size[0] / 2 - 4.0, place[1], *size)
        panel.write(text, [box], colour, name=f"tick:z:{text}", size=TICK_SIZE, dearest=99)
    text = "Attainable performance [GFLOP/s]"
    size = extent(text, LABEL_SIZE)
    x = max(foot[0] - widest - 12.0, size[1] / 2 + 0.5)
    panel.write(
        text,
        [Box(x, (foot[1] + top[1]) / 2, *size, angle=90.0)],
        colour,
        name="label:z",
        size=LABEL_SIZE,
        dearest=99,
    )
