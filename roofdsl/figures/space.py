"""The space of the three-dimensional roofline: its surface, and how it stands on the page."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.axis_unit import unit_between
from roofdsl.figures.chart import ThreeRoofs, Trajectory
from roofdsl.figures.look import Look
from roofdsl.figures.regions import regions
from roofdsl.figures.scale import GIGA, Array, LogScale, snapped, widened
from roofdsl.units.dimension import FLOP, SECOND

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
        return regions(self.roofs, oi, cai, {"memory": (1, 0), self.roofs.across.resource: (0, 1)})

    def height(self, oi: ArrayLike, cai: ArrayLike) -> Array:
        """Return the attainable performance [flop/s]."""
        below = np.minimum(self.roofs.memory * np.asarray(oi), self.roofs.network * np.asarray(cai))
        return np.asarray(np.minimum(self.roofs.flops, below))


@dataclass(frozen=True, slots=True)
class Perspective:
    """The frame in three dimensions, and where its points come to stand on the page.

    `unit` is that of the axis of performance.
    """

    space: Space
    oi: LogScale
    cai: LogScale
    performance: LogScale
    unit: str
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
    at_oi, at_cai = np.array([space.at or space.ridge]).T
    paths = [path.x for path in space.trajectories]
    x = widened(snapped(look.base, oi, oi, margin=1), *paths, at_oi)
    y = widened(snapped(look.base, cai, cai, margin=1), *space.cai, at_cai)
    lowest = float(space.height(x.low, y.low)) / GIGA
    highest = 1.05 * space.roofs.flops / GIGA
    unit, size = unit_between(lowest, highest, FLOP / SECOND, per=GIGA)
    z = snapped(look.base, lowest, highest, unit=size)
    return Perspective(space, x, y, z, unit, width, height)
