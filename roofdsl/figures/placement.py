"""Places for labels: beside points, along lines, inside areas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.scale import Array

# What it costs a label to lie on a line, on a fine one, or on a marker; a label that would cost
# more than `DEAREST` is left out.
LINE_COST = 1.0
FINE_COST = 0.4
MARKER_COST = 3.0
DEAREST = 1.5
# How the name of the part of a line ends that counts, from where its label is led to.
MAIN = ":main"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the page in points: its centre, its size, and the angle of its base."""

    x: float
    y: float
    width: float
    height: float
    angle: float = 0.0


@dataclass(frozen=True, slots=True)
class Subject:
    """What a label is about: a line, by its name, or a point of the panel, in points.

    A label is never nearer another line whose name begins with `rivals`, nor, if it is a point's,
    another marker. Where it has no such place, a thin line leads to it from up to `reach` points
    away, from anywhere in the panel where that is infinite; that of a point begins `radius` points
    from it.
    """

    line: str = ""
    point: tuple[float, float] | None = None
    rivals: str = ""
    reach: float = 0.0
    radius: float = 0.0


def around(
    point: ArrayLike, size: tuple[float, float], distance: float, first: str = "E"
) -> list[Box]:
    """Return places for a label of a point: beside, above and below, at its corners; farther off.

    `first` is the side tried first, a compass direction.

    >>> [(box.x, box.y) for box in around((0, 0), (10, 4), 3)][:2]
    [(8.0, 0.0), (-8.0, 0.0)]
    """
    x, y = np.asarray(point, dtype=float).tolist()
    width, height = size
    sides = {
        "E": (1.0, 0.0),
        "W": (-1.0, 0.0),
        "N": (0.0, 1.0),
        "S": (0.0, -1.0),
        "NE": (0.8, 0.8),
        "NW": (-0.8, 0.8),
        "SE": (0.8, -0.8),
        "SW": (-0.8, -0.8),
    }
    order = [first, *(side for side in sides if side != first)]
    return [
        Box(
            x + sides[side][0] * (away + width / 2),
            y + sides[side][1] * (away + height / 2),
            width,
            height,
        )
        for away in (distance, distance + 5.0)
        for side in order
    ]


def along(
    ends: ArrayLike,
    size: tuple[float, float],
    fractions: Sequence[float] = (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9),
    distances: Sequence[float] = (0.5, -2.0, 3.5, -5.0),
) -> list[Box]:
    """Return places for a label along a line between two `ends`, at fractions of its length.

    Distances are from the line to the label's edge, negative ones below it. The label stays within
    the line's ends.
    """
    start, end = np.asarray(ends, dtype=float).tolist()
    run, rise = end[0] - start[0], end[1] - start[1]
    length = math.hypot(run, rise)
    if length == 0:
        return []
    angle = math.degrees(math.atan2(rise, run))
    margin = min(0.5, size[0] / 2 / length)
    found = []
    for distance, fraction in product(distances, fractions):
        shift = distance + math.copysign(size[1] / 2, distance)
        at = min(max(fraction, margin), 1 - margin)
        x = start[0] + at * run - shift * rise / length
        y = start[1] + at * rise + shift * run / length
        found.append(Box(x, y, *size, angle))
    return found


def above_or_below(ends: ArrayLike, size: tuple[float, float], steps: int = 8) -> list[Box]:
    """Return places for a label on a level line between two `ends`, at the right first.

    One that is longer than the line begins before it does.

    >>> [(box.x, box.y) for box in above_or_below([(0, 10), (50, 10)], (29, 8))][:2]
    [(34.5, 14.5), (34.5, 5.0)]
    """
    (start, height), (end, _) = np.asarray(ends, dtype=float).tolist()
    half = size[1] / 2
    lefts = np.linspace(end - size[0] - 1.0, min(end - size[0] - 1.0, start), steps)
    return [
        Box(float(left) + size[0] / 2, height + offset, *size)
        for left in dict.fromkeys(lefts.tolist())
        for offset in (half + 0.5, -half - 1.0, -half - 0.6)
    ]


def within(corners: ArrayLike, size: tuple[float, float], margin: float = 2.0) -> list[Box]:
    """Return places for a label inside a polygon (n × 2, in points), the most central first.

    >>> first, *_ = within([(0, 0), (40, 0), (40, 40), (0, 40)], (9, 9))
    >>> first.x, first.y
    (20.0, 20.0)
    """
    polygon = np.asarray(corners, dtype=float)
    low, high = polygon.min(axis=0), polygon.max(axis=0)
    half = np.array(size) / 2 + margin
    grid = np.stack(np.meshgrid(*(np.linspace(0.0, 1.0, 21),) * 2, indexing="ij"), axis=-1)
    centres = low + grid.reshape(-1, 2) * (high - low)
    kept = centres[_holds(polygon, centres, half)]
    if not len(kept):
        return []
    distance = np.hypot(*((kept - kept.mean(axis=0)).T))
    order = np.argsort(np.round(distance, 6), kind="stable")
    return [Box(float(x), float(y), *size) for x, y in kept[order]]


def inside(corners: ArrayLike, boxes: Sequence[Box]) -> list[Box]:
    """Return which level places lie inside a polygon (n × 2, in points).

    >>> [box.x for box in inside([(0, 0), (40, 0), (0, 40)], [Box(9, 9, 9, 9), Box(30, 30, 9, 9)])]
    [9]
    """
    polygon = np.asarray(corners, dtype=float)
    centres = np.array([(box.x, box.y) for box in boxes]).reshape(-1, 2)
    halves = np.array([(box.width, box.height) for box in boxes]).reshape(-1, 2) / 2
    held = _holds(polygon, centres, halves)
    return [box for box, fits in zip(boxes, held, strict=True) if fits]


def _holds(polygon: Array, centres: Array, half: Array) -> NDArray[np.bool_]:
    """Return which level rectangles, `half` as large on each side, lie inside a polygon."""
    fits = np.ones(len(centres), dtype=bool)
    for sign in np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
        fits &= Path(polygon).contains_points(centres + sign * half)
    return fits
