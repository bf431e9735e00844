"""One trajectory in a panel: its line, its markers, and the labels of its ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.chart import Point, Trajectory
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import NOTE_SIZE
from roofdsl.figures.marks import Mark
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import around
from roofdsl.figures.points import Style, sides

_GRAIN = 0.7
_MARKER_GAP = 9.0
_NAME_WIDTH = 140.0
_SAME_PLACE = 12.0


class Run(NamedTuple):
    """Consecutive points of a trajectory that lie beyond one side: their name, and how many."""

    name: str
    points: int


def draw_trajectory(
    panel: Panel, path: Trajectory, style: Callable[[Point], Style], unit: float
) -> list[Point]:
    """Draw a trajectory: its line, and markers as far as they do not touch.

    Returns the points that have a marker.
    """
    xs, ys = _finite(path, unit)
    if not len(xs):
        return []
    mark, shape, _ = style(path.point(0))
    name = f"trajectory:{path.machine}:{path.kernel}"
    line_x, line_y = (xs, ys) if path.path is None else (path.path[:, 0], path.path[:, 1] / unit)
    kept = _apart(panel.at(line_x, line_y), _GRAIN)
    panel.line(
        line_x[kept], line_y[kept], mark.colour, name=name, width=1.1, dash=mark.dash, order=3.0
    )
    inside = np.flatnonzero(sides(panel, path.x, path.y / unit) == "")
    if not len(inside):
        return []
    places = panel.at(path.x[inside], path.y[inside] / unit)
    drawn = [path.point(int(inside[index])) for index in spaced(places)]
    spots = np.array([(point.x, point.y / unit) for point in drawn])
    draw_faces(panel, spots, [style(point).face for point in drawn], mark.colour, name, shape)
    return drawn


def draw_faces(
    panel: Panel,
    spots: NDArray[np.float64],
    faces: Sequence[str],
    colour: str,
    name: str,
    shape: str = "o",
) -> None:
    """Draw markers along a trajectory at values (n × 2), each with the colour inside it."""
    for face in dict.fromkeys(faces):
        xs, ys = spots[[each == face for each in faces]].T
        kind = f"{name}:markers"
        panel.markers(xs, ys, colour, name=kind, shape=shape, filled=False, face=face, size=4.5)


def runs_beyond(panel: Panel, path: Trajectory, unit: float) -> list[tuple[Run, Point]]:
    """Return what of a trajectory the frame does not show, each run with its first point."""
    found = []
    beyond = sides(panel, path.x, path.y / unit).tolist()
    for side, group in groupby(range(len(beyond)), key=beyond.__getitem__):
        if not side:
            continue
        indices = list(group)
        name = path.run_name(indices[0], indices[-1])
        found.append((Run(name, len(indices)), path.point(indices[0])))
    return found


def name_trajectory(
    panel: Panel, path: Trajectory, mark: Mark, unit: float, nameless: bool
) -> bool:
    """Write the parameter's values at a trajectory's ends, and the kernel's name beside it.

    Returns whether the name found a place; `nameless` ones need none.
    """
    inside = np.flatnonzero(sides(panel, path.x, path.y / unit) == "")
    places = panel.at(path.x[inside], path.y[inside] / unit)
    if not len(places):
        return True  # its badge names it
    name = f"label:trajectory:{path.machine}:{path.kernel}"
    first, last = path.end_texts(int(inside[0]), int(inside[-1]))
    if last and np.hypot(*(places[-1] - places[0])) < _SAME_PLACE:
        first, last = f"{first} … {last.rpartition(' = ')[2]}", ""
    for end, text, side in ((0, first, "S"), (-1, last, "N")):
        if text and not panel.says(text, places[end]):
            panel.label(text, places[end], mark.colour, name=f"{name}:{end}", side=side)
    if nameless:
        return True
    text = shortened(path.kernel, _NAME_WIDTH, NOTE_SIZE)
    size = extent(text, NOTE_SIZE, bold=True)
    middles = places[[int(part * (len(places) - 1)) for part in (0.5, 0.35, 0.65, 0.2, 0.8)]]
    boxes = [box for place in middles for box in around(place, size, 6.0, "E")]
    return panel.write(text, boxes, mark.colour, name=name, bold=True, dearest=0.5)


def _finite(path: Trajectory, unit: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points a logarithmic frame can show."""
    return path.x[path.shown], path.y[path.shown] / unit


def _apart(places: NDArray[np.float64], grain: float) -> NDArray[np.intp]:
    """Return which points to draw so that no two in a row share a grain of the page."""
    cells = np.floor(places / grain)
    changed = np.any(cells[1:] != cells[:-1], axis=1)
    kept = np.flatnonzero(np.concatenate([[True], changed]))
    return kept if kept[-1] == len(places) - 1 else np.append(kept, len(places) - 1)


def spaced(places: NDArray[np.float64], gap: float = _MARKER_GAP) -> list[int]:
    """Return which points get a marker: the ends, and between them one every `gap` points."""
    kept = [0]
    last = len(places) - 1
    for index in _apart(places, gap / 3):
        if np.hypot(*(places[index] - places[kept[-1]])) >= gap:
            kept.append(int(index))
    if kept[-1] == last:
        return kept
    if np.hypot(*(places[last] - places[kept[-1]])) < gap and len(kept) > 1:
        kept.pop()
    return [*kept, last]
