"""What stands in a panel, and which places it leaves for labels.

A label lies inside the panel, on no other label, and nearer what it is about than anything it could
be taken for. Where no place beside its line or point is left, it goes further off, and a thin line
leads to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import NamedTuple

import numpy as np
from matplotlib.path import Path
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.clearance import apart, crossing, from_points, meets, struck, turned
from roofdsl.figures.leading import Leads, anchors, fanned, spread
from roofdsl.figures.placement import DEAREST, LINE_COST, MAIN, MARKER_COST, Box, Subject
from roofdsl.figures.scale import Array

# By so much is a label nearer its own line than another: letters are not as wide as they say.
_NEARER = 0.8
# Distances that differ by less are the same.
_ALIKE = 0.05
# A label that is led to keeps so far off lines; a line leads from where no other is as near.
_KEPT_OFF, _CLEAR = 1.5, 2.5
# Labels side by side keep as far apart as two words of one do.
_WORDS_APART = np.array([2.0, 0.0])
# Guides end so far from labels.
_GUIDED = 5.0
# What a crossing of the line that leads to a label costs, in points of its length.
_CROSSING = 15.0
# What is off a line by less, in points, is no corner of it.
_STRAIGHT = 0.1
_LEADER = "leader"
_LEADER_COST = 4.0
_AT_ONCE = 400
# A guide's part that is shorter is left out.
_SHORTEST = 9.0


class Led(NamedTuple):
    """A label that a line leads to: its place, and where that line begins and ends."""

    box: Box
    start: tuple[float, float]
    end: tuple[float, float]
    dotted: bool
    """Whether the line begins on another, with a dot."""

    @property
    def aside(self) -> int:
        """Which way from the line's end the label is: 1 to the right, -1 to the left, else 0."""
        off = self.box.x - self.end[0]
        return int(np.sign(off)) if abs(off) > self.box.width / 2 else 0


class Crowd:
    """What already stands in a frame of `width` × `height` points: labels, lines and markers.

    >>> crowd = Crowd(100.0, 50.0)
    >>> crowd.add_line([(0, 20), (100, 20)], "roof")
    >>> crowd.add_line([(0, 29), (100, 29)], "other")
    >>> above, below = Box(50, 25.5, 30, 8), Box(50, 15, 30, 8)
    >>> crowd.place([above, below], about=Subject("roof")) == below
    True
    >>> crowd.lead((30, 8), Subject("other", reach=60.0)).box.y > 33
    True
    """

    def __init__(self, width: float, height: float) -> None:
        self.size = np.array([width, height])
        self.boxes: list[Box] = []
        self._segments: Array = np.empty((0, 4))
        self._line: NDArray[np.intp] = np.empty(0, dtype=int)
        self._names: list[str] = []
        self._costs: list[float] = []
        self._markers: Array = np.empty((0, 3))

    def add_line(self, points: ArrayLike, name: str = "", cost: float = LINE_COST) -> None:
        """Note a line through points (n × 2), and what it costs a label to lie on it."""
        line = np.asarray(points, dtype=float)
        if len(line) < 2 or cost == 0:
            return
        if len(line) > 2:
            line = _straightened(line)
        segments = np.concatenate([line[:-1], line[1:]], axis=1)
        self._segments = np.concatenate([self._segments, segments])
        self._line = np.append(self._line, np.full(len(segments), len(self._names)))
        self._names.append(name)
        self._costs.append(cost)

    def add_markers(self, points: ArrayLike, radius: ArrayLike) -> None:
        """Note round markers at points (n × 2)."""
        centres = np.asarray(points, dtype=float).reshape(-1, 2)
        radii = np.broadcast_to(np.asarray(radius, dtype=float), (len(centres),))
        markers = np.concatenate([centres, radii[:, None]], axis=1)
        self._markers = np.concatenate([self._markers, markers])

    def place(
        self, candidates: Iterable[Box], dearest: float = DEAREST, about: Subject | None = None
    ) -> Box | None:
        """Return the first candidate that costs nothing, else the cheapest; None if all are bad.

        A candidate outside the frame, on another label or nearer what it is not about is bad; so
        is one that would lie on more lines and markers than `dearest` allows. The place returned is
        taken from then on.
        """
        best: Box | None = None
        for (_, angle), group in groupby(
            candidates, lambda box: ((box.width, box.height), box.angle)
        ):
            boxes = list(group)
            costs = self._cost(boxes, angle, about)
            least = int(np.argmin(costs))
            if costs[least] <= dearest and (best is None or costs[least] < dearest):
                best, dearest = boxes[least], float(costs[least])
            if dearest == 0 and best is not None:
                break
        if best is not None:
            self.boxes.append(best)
        return best

    def gaps(self, line: ArrayLike) -> list[Array]:
        """Return the parts (2 × 2) of a line between two points that no label covers."""
        start, end = np.asarray(line, dtype=float)
        parts = np.linspace(0.0, 1.0, max(2, int(np.hypot(*(end - start)))))
        places = start + parts[:, None] * (end - start)
        covered = np.zeros(len(places), dtype=bool)
        for box in self.boxes:
            (middle,), half = _centres([box], box.angle)
            covered |= (np.abs(turned(places, box.angle) - middle) <= half + _GUIDED).all(axis=1)
        edges = np.flatnonzero(np.diff(np.r_[True, covered, True]))
        found = [places[[first, last - 1]] for first, last in edges.reshape(-1, 2)]
        return [part for part in found if np.hypot(*(part[1] - part[0])) >= _SHORTEST]

    def cost(self, box: Box) -> float:
        """Return what it costs to lie there: the lines crossed and markers covered."""
        centres, half = _centres([box], box.angle)
        met = struck(
            centres, half, turned(self._segments.reshape(-1, 2, 2), box.angle).reshape(-1, 4)
        )
        return float(self._on_lines(met)[0] + self._on_markers(centres, half, box.angle)[0])

    def lead(self, size: tuple[float, float], about: Subject) -> Led | None:
        """Return the best place off the subject of a label, and the line there; None without one.

        Neither is on a label or a marker, and the label on no line. The line is short and crosses
        few others. Both are taken from then on.
        """
        places = self._anchors(about)
        if not len(places):
            return None
        found = self._best(fanned(places, size, about.radius, about.reach), size, about)
        if found is None and about.reach == np.inf:
            found = self._best(spread(places, size, about.radius, self.size), size, about)
        if found is not None:
            self.boxes.append(found.box)
            self.add_line([found.start, found.end], _LEADER, _LEADER_COST)
        return found

    def _best(self, leads: Leads, size: tuple[float, float], about: Subject) -> Led | None:
        """Return the cheapest of the leads; the shortest are asked first, for few need asking."""
        free = np.flatnonzero(~self._taken(leads.centre, np.array(size) / 2))
        order = free[np.argsort(leads.length[free], kind="stable")]
        found, lowest = None, np.inf
        for part in (order[first : first + _AT_ONCE] for first in range(0, len(order), _AT_ONCE)):
            some = leads.some(part)
            if lowest <= some.length[0]:
                break
            costs = self._lead_cost(some, np.array(size) / 2, about)
            place = int(np.argmin(costs))
            if costs[place] < lowest:
                lowest = float(costs[place])
                (x, y), start, end = (_pair(each[place]) for each in some)
                found = Led(Box(x, y, *size), start, end, about.point is None)
        return found

    def _anchors(self, about: Subject) -> Array:
        """Return where a line to a label may begin: where its own line is alone."""
        if about.point is not None:
            return np.array([about.point])
        own = self._own(about)
        if not own.any():
            return np.empty((0, 2))
        main = self._named(lambda name: name == f"{about.line}{MAIN}")
        places = anchors(self._segments[main if main.any() else own])
        places = places[((places >= 0) & (places <= self.size)).all(axis=1)]
        if not len(places) or own.all():
            return places
        clear = from_points(places, self._segments[~own]).min(axis=1)
        to_markers = np.hypot(*(places[:, None] - self._markers[:, :2]).transpose(2, 0, 1))
        clear = np.minimum(clear, (to_markers - self._markers[:, 2]).min(axis=1, initial=np.inf))
        return np.asarray(places[clear >= min(_CLEAR, float(clear.max()))])

    def _lead_cost(self, leads: Leads, half: Array, about: Subject) -> Array:
        """Return what each place that is led to costs, in points; infinite for a bad one."""
        costs = np.full(len(leads.centre), np.inf)
        free = np.arange(len(costs))
        # What is cheap to ask comes first, so that few are left for what is not.
        for bad in (self._covers, self._on_a_line, self._runs_over):
            free = free[~bad(leads.some(free), half, about)]
        lines = leads.some(free).lines
        crossed = crossing(lines, self._segments)
        costs[free] = _CROSSING * (crossed @ np.array(self._costs)[self._line])
        return np.asarray(costs + leads.length)

    def _covers(self, leads: Leads, half: Array, _: Subject) -> NDArray[np.bool_]:
        """Return which labels lie on a marker."""
        off = self._to_markers(leads.centre, half, 0.0)
        return np.asarray((off < self._markers[:, 2] + 1.0).any(axis=1))

    def _on_a_line(self, leads: Leads, half: Array, _: Subject) -> NDArray[np.bool_]:
        """Return which labels lie on a line, or close to one."""
        return np.asarray(struck(leads.centre, half + _KEPT_OFF, self._segments).any(axis=1))

    def _runs_over(self, leads: Leads, _: Array, about: Subject) -> NDArray[np.bool_]:
        """Return which lines run over a label, or over a marker that is not their own."""
        bad = np.zeros(len(leads.centre), dtype=bool)
        standing = self._standing()
        for angle in np.unique(standing[:, 4]):
            boxes = standing[standing[:, 4] == angle]
            ends = turned(leads.lines.reshape(-1, 2, 2), angle).reshape(-1, 4)
            bad |= struck(turned(boxes[:, :2], angle), boxes[:, 2:4] + 0.5, ends).any(axis=0)
        markers = self._markers
        if about.point is not None:
            markers = markers[np.hypot(*(markers[:, :2] - about.point).T) > _NEARER]
        return bad | (from_points(markers[:, :2], leads.lines) < markers[:, 2:]).any(axis=0)

    def _cost(self, boxes: list[Box], angle: float, about: Subject | None) -> Array:
        """Return what each place costs, all of one size and angle; infinite for a bad one."""
        centres, half = _centres(boxes, angle)
        segments = turned(self._segments.reshape(-1, 2, 2), angle).reshape(-1, 4)
        away = apart(centres, half, segments)
        costs = self._on_lines(away == 0) + self._on_markers(centres, half, angle)
        bad = self._taken(turned(centres, -angle), half, angle)
        if about is not None:
            bad |= self._misleading(away, centres, half, angle, about)
        return np.where(bad, np.inf, costs)

    def _taken(self, centres: Array, half: Array, angle: float = 0.0) -> NDArray[np.bool_]:
        """Return which rectangles leave the frame or lie on a label."""
        reach = np.abs(turned(np.array([half, half * (1, -1)]), -angle)).max(axis=0)
        bad = ((centres < reach) | (centres > self.size - reach)).any(axis=1)
        return np.asarray(
            bad | meets(centres, half + _WORDS_APART, angle, self._standing()).any(axis=1)
        )

    def _standing(self) -> Array:
        rows = [(box.x, box.y, box.width / 2, box.height / 2, box.angle) for box in self.boxes]
        return np.array(rows, dtype=float).reshape(-1, 5)

    def _on_lines(self, met: NDArray[np.bool_]) -> Array:
        """Return what the lines cost that rectangles lie on, from the segments they meet, k × s."""
        total = np.zeros(len(met))
        if self._names:
            starts = np.flatnonzero(np.diff(self._line, prepend=-1))
            total += np.logical_or.reduceat(met, starts, axis=1) @ np.array(self._costs)
        return total

    def _on_markers(self, centres: Array, half: Array, angle: float = 0.0) -> Array:
        covered = self._to_markers(centres, half, angle) < self._markers[:, 2]
        return np.asarray(MARKER_COST * covered.sum(axis=1))

    def _to_markers(self, centres: Array, half: Array, angle: float) -> Array:
        """Return how far rectangles are from the centres of markers, k × m."""
        places = turned(self._markers[:, :2], angle)
        beyond = np.maximum(np.abs(places[None] - centres[:, None]) - half, 0.0)
        return np.asarray(np.hypot(beyond[..., 0], beyond[..., 1]))

    def _misleading(
        self, away: Array, centres: Array, half: Array, angle: float, about: Subject
    ) -> NDArray[np.bool_]:
        """Return which rectangles are nearer something else than what they are about."""
        own = away[:, self._own(about)].min(axis=1, initial=np.inf)
        bad = np.zeros(len(centres), dtype=bool)
        if about.point is not None:
            off = np.maximum(np.abs(turned(np.array(about.point), angle) - centres) - half, 0.0)
            to_point = np.hypot(off[:, 0], off[:, 1])
            others = np.hypot(*(self._markers[:, :2] - about.point).T) > _NEARER
            to_markers = self._to_markers(centres, half, angle)[:, others]
            bad |= (to_markers < to_point[:, None] + _NEARER).any(axis=1)
            own = np.minimum(own, to_point)
        rivals = self._rivals(about)
        margin = self._margins(self._own(about), rivals)
        return np.asarray(bad | (away[:, rivals] < own[:, None] + margin).any(axis=1))

    def _margins(self, mine: NDArray[np.bool_], rivals: NDArray[np.bool_]) -> Array:
        """Return for each rival how much farther than its own line a label is from it.

        Where one begins at that line, or they are closer than this, no more can be asked than that
        the own one is the nearer; which of two it is that lie on each other, no place can say.
        """
        own, others = self._segments[mine], self._segments[rivals]
        gap = from_points(_middles(own), others).min(axis=0, initial=_NEARER)
        for places in (_middles(others), others[:, :2], others[:, 2:]):
            gap = np.minimum(gap, from_points(places, own).min(axis=1, initial=_NEARER))
        return np.asarray(gap - _ALIKE)

    def _own(self, about: Subject) -> NDArray[np.bool_]:
        """Return which segments are those of a label's own line."""
        return self._named(lambda name: name in (about.line, f"{about.line}{MAIN}"))

    def _rivals(self, about: Subject) -> NDArray[np.bool_]:
        """Return which segments are those of lines that a label could be taken for."""
        return self._named(lambda name: name.startswith(about.rivals)) & ~self._own(about)

    def _named(self, wanted: Callable[[str], bool]) -> NDArray[np.bool_]:
        return np.array([wanted(name) for name in self._names], dtype=bool)[self._line]


def _centres(boxes: list[Box], angle: float) -> tuple[Array, Array]:
    """Return the centres of boxes of one size and angle along their axes, and half their size."""
    centres = np.array([(box.x, box.y) for box in boxes], dtype=float)
    return turned(centres, angle), np.array([boxes[0].width, boxes[0].height]) / 2


def _middles(segments: Array) -> Array:
    return np.asarray((segments[:, :2] + segments[:, 2:]) / 2)


def _straightened(line: Array) -> Array:
    """Return a line without the points that lie straight between others."""
    path = Path(line)
    path.should_simplify = True
    path.simplify_threshold = _STRAIGHT
    return np.asarray(path.cleaned(simplify=True).vertices)[:-1]


def _pair(place: Array) -> tuple[float, float]:
    x, y = place.tolist()
    return x, y
