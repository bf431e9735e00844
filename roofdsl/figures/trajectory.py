"""One trajectory in a panel: its line, its markers, and the labels of its ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.chart import Point, Trajectory
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.marks import Mark
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import Subject, around
from roofdsl.figures.points import Style, sides
from roofdsl.figures.scale import Array, drawable

_GRAIN = 0.7
_MARKER_GAP = 9.0
_NAME_WIDTH = 140.0
_SAME_PLACE = 12.0
# How far off a trajectory its labels may be.
_REACH = 45.0


class Run(NamedTuple):
    """Consecutive points of a trajectory of one kind: their name, how many, and the first."""

    name: str
    points: int
    first: int = 0


def spots_of(panel: Panel, path: Trajectory, unit: float) -> Array:
    """Return the values (n × 2) at which a trajectory's points stand; NaN beyond the frame."""
    spots = np.stack([path.x, path.y / unit], axis=1)
    spots[sides(panel, *spots.T) != ""] = np.nan
    return spots


def draw_trajectory(panel: Panel, path: Trajectory, mark: Mark, unit: float) -> None:
    """Draw the line of a trajectory, as far as a logarithmic frame can show it."""
    shown = drawable(path.x) & drawable(path.y)
    if not shown.any():
        return
    points = np.stack([path.x, path.y], axis=1)[shown] if path.path is None else path.path
    xs, ys = points[:, 0], points[:, 1] / unit
    kept = _apart(panel.at(xs, ys), _GRAIN)
    name = path.label
    panel.line(xs[kept], ys[kept], mark.colour, name=name, width=1.1, dash=mark.dash, order=3.0)


def draw_along(
    panel: Panel, path: Trajectory, spots: Array, style: Callable[[Point], Style]
) -> list[int]:
    """Draw markers at the spots of a trajectory as far as they do not touch.

    Returns which of its points have one.
    """
    inside = np.flatnonzero(np.isfinite(spots).all(axis=1))
    if not len(inside):
        return []
    kept = inside[spaced(panel.at(*spots[inside].T))]
    drawn: list[int] = kept.tolist()
    styles = [style(path.point(index)) for index in drawn]
    faces = np.array([each.face for each in styles])
    for face in dict.fromkeys(faces.tolist()):
        xs, ys = spots[kept[faces == face]].T
        panel.markers(
            xs,
            ys,
            styles[0].mark.colour,
            name=f"{path.label}:markers",
            shape=styles[0].shape,
            filled=False,
            face=face,
            size=4.5,
        )
    return drawn


def runs(path: Trajectory, kinds: Sequence[str]) -> Iterator[tuple[str, Run]]:
    """Yield what of a trajectory has a kind other than "", each run of points at once."""
    for kind, group in groupby(range(len(kinds)), key=kinds.__getitem__):
        first, *others = group
        if kind:
            last = others[-1] if others else first
            yield kind, Run(path.run_name(first, last), 1 + len(others), first)


def name_trajectory(
    panel: Panel,
    path: Trajectory,
    spots: Array,
    mark: Mark,
    nameless: bool = False,
    compass: str = "SEN",
    dearest: float = 0.5,
) -> bool:
    """Write the parameter's values at a trajectory's ends, and the kernel's name beside it.

    `compass` has the sides tried first: for the first value, the name and the last value. Returns
    whether the name found a place; `nameless` ones need none.
    """
    inside = np.flatnonzero(np.isfinite(spots).all(axis=1))
    places = panel.at(*spots[inside].T)
    if not len(places):
        return True  # its badge names it
    name = f"label:{path.label}"
    first, last = path.end_texts(int(inside[0]), int(inside[-1]))
    if last and np.hypot(*(places[-1] - places[0])) < _SAME_PLACE:
        first, last = f"{first} … {last.rpartition(' = ')[2]}", ""
    for end, text, side in ((0, first, compass[0]), (-1, last, compass[2])):
        if text and not panel.says(text, places[end]):
            panel.label(
                text,
                places[end],
                mark.colour,
                name=f"{name}:{end}",
                side=side,
                dearest=0.0,
                about=Subject(path.label, tuple(places[end].tolist()), reach=_REACH, radius=2.4),
            )
    if nameless:
        return True
    text = shortened(path.kernel, _NAME_WIDTH)
    size = extent(text, bold=True)
    middles = places[[int(part * (len(places) - 1)) for part in (0.5, 0.35, 0.65, 0.2, 0.8)]]
    boxes = [box for place in middles for box in around(place, size, 6.0, compass[1])]
    about = Subject(path.label, reach=_REACH)
    return panel.write(text, boxes, mark.colour, name=name, bold=True, dearest=dearest, about=about)


def _apart(places: Array, grain: float) -> NDArray[np.intp]:
    """Return which points to draw so that no two in a row share a grain of the page."""
    cells = np.floor(places / grain)
    changed = np.any(cells[1:] != cells[:-1], axis=1)
    kept = np.flatnonzero(np.concatenate([[True], changed]))
    return kept if kept[-1] == len(places) - 1 else np.append(kept, len(places) - 1)


def spaced(places: Array) -> list[int]:
    """Return which points get a marker: the ends, and others so far apart that they can be told."""
    kept = [0]
    last = len(places) - 1
    for index in _apart(places, _MARKER_GAP / 3):
        if np.hypot(*(places[index] - places[kept[-1]])) >= _MARKER_GAP:
            kept.append(int(index))
    if kept[-1] == last:
        return kept
    if np.hypot(*(places[last] - places[kept[-1]])) < _MARKER_GAP and len(kept) > 1:
        kept.pop()
    return [*kept, last]
