"""Where labels go: beside what they name, inside the frame, on no other label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress, product

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


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on the page in points: its centre, its size, and the angle of its base.

    >>> Box(0, 0, 10, 4).overlaps(Box(9, 0, 10, 4)), Box(0, 0, 10, 4).overlaps(Box(11, 0, 10, 4))
    (True, False)
    >>> Box(0, 0, 10, 2, 45).overlaps(Box(4, -4, 3, 3))
    False
    """

    x: float
    y: float
    width: float
    height: float
    angle: float = 0.0

    def axes(self) -> Array:
        """Return the directions of the base and of the height, as rows."""
        turn = math.radians(self.angle)
        return np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])

    def spans(self, angle: float) -> tuple[float, float]:
        """Return half of its extent along axes that are turned by an angle, across and up."""
        turn = math.radians(self.angle - angle)
        cosine, sine = abs(math.cos(turn)), abs(math.sin(turn))
        width, height = self.width / 2, self.height / 2
        return width * cosine + height * sine, width * sine + height * cosine

    def overlaps(self, other: Box) -> bool:
        """Whether the two share any point: no side of either separates them."""
        return self._meets(other) and other._meets(self)

    def _meets(self, other: Box) -> bool:
        """Whether another box reaches this one, seen along its base and along its height."""
        turn = math.radians(self.angle)
        cosine, sine = math.cos(turn), math.sin(turn)
        x, y = other.x - self.x, other.y - self.y
        across, up = other.spans(self.angle)
        return (
            abs(x * cosine + y * sine) <= self.width / 2 + across
            and abs(y * cosine - x * sine) <= self.height / 2 + up
        )

    def inside(self, width: float, height: float) -> bool:
        """Whether it lies in the rectangle from (0, 0) to (width, height)."""
        across, up = self.spans(0)
        return across <= self.x <= width - across and up <= self.y <= height - up

    def local(self, points: Array) -> Array:
        """Return points in this box's own axes, its centre at (0, 0)."""
        return np.asarray((points - np.array([self.x, self.y])) @ self.axes().T)


@dataclass(slots=True)
class Crowd:
    """What already stands in a frame of `width` × `height` points: labels, lines and markers."""

    width: float
    height: float
    boxes: list[Box] = field(default_factory=list)
    _segments: Array = field(default_factory=lambda: np.empty((0, 4)))
    _lines: list[tuple[int, float]] = field(default_factory=list)
    """Of each line where its segments begin, and what it costs."""
    _markers: Array = field(default_factory=lambda: np.empty((0, 3)))

    def add_line(self, points: ArrayLike, cost: float = LINE_COST) -> None:
        """Note a line through points (n × 2), and what it costs a label to lie on it."""
        line = np.asarray(points, dtype=float)
        if len(line) > 1:
            self._lines.append((len(self._segments), cost))
            segments = np.concatenate([line[:-1], line[1:]], axis=1)
            self._segments = np.concatenate([self._segments, segments])

    def add_markers(self, points: ArrayLike, radius: ArrayLike) -> None:
        """Note round markers at points (n × 2)."""
        centres = np.asarray(points, dtype=float).reshape(-1, 2)
        radii = np.broadcast_to(np.asarray(radius, dtype=float), (len(centres),))
        markers = np.concatenate([centres, radii[:, None]], axis=1)
        self._markers = np.concatenate([self._markers, markers])

    def place(self, candidates: Iterable[Box], dearest: float = DEAREST) -> Box | None:
        """Return the first candidate that costs nothing, else the cheapest; None if all are bad.

        A candidate outside the frame or on another label is bad; so is one that would lie on more
        lines and markers than `dearest` allows. The place returned is taken from then on.
        """
        best: Box | None = None
        lowest = dearest
        for candidate in candidates:
            if not candidate.inside(self.width, self.height):
                continue
            if any(candidate.overlaps(box) for box in self.boxes):
                continue
            cost = self.cost(candidate)
            if cost < lowest or (best is None and cost <= lowest):
                best, lowest = candidate, cost
            if cost == 0:
                break
        if best is not None:
            self.boxes.append(best)
        return best

    def cost(self, box: Box) -> float:
        """Return what it costs to lie there: the lines crossed and markers covered."""
        half = np.array([box.width, box.height]) / 2
        lines = 0.0
        if self._lines:
            starts, costs = zip(*self._lines, strict=True)
            met = _crosses(box.local(self._segments[:, :2]), box.local(self._segments[:, 2:]), half)
            lines = sum(compress(costs, np.logical_or.reduceat(met, starts)))
        beyond = np.maximum(np.abs(box.local(self._markers[:, :2])) - half, 0.0)
        covered = int((np.hypot(beyond[:, 0], beyond[:, 1]) < self._markers[:, 2]).sum())
        return lines + MARKER_COST * covered


def _crosses(start: Array, end: Array, half: Array) -> NDArray[np.bool_]:
    """Return which segments meet the rectangle from −half to half (Liang and Barsky 1984)."""
    direction = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        first = (-half - start) / direction
        second = (half - start) / direction
    still = direction == 0
    outside = still & (np.abs(start) > half)
    enter = np.where(still, -np.inf, np.minimum(first, second)).max(axis=1)
    leave = np.where(still, np.inf, np.maximum(first, second)).min(axis=1)
    hit = (enter <= leave) & (leave >= 0) & (enter <= 1)
    return np.asarray(hit & ~outside.any(axis=1))


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
    distances: Sequence[float] = (0.5, 3.5, -2.0, -5.0),
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
    fits = np.ones(len(centres), dtype=bool)
    for sign in np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
        fits &= Path(polygon).contains_points(centres + sign * half)
    kept = centres[fits]
    if not len(kept):
        return []
    distance = np.hypot(*((kept - kept.mean(axis=0)).T))
    order = np.argsort(np.round(distance, 6), kind="stable")
    return [Box(float(x), float(y), *size) for x, y in kept[order]]
