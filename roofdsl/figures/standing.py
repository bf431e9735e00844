"""Points and trajectories in a panel: where they stand, their lines, markers and names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.chart import Point, Trajectory
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import Mark, diameter
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import around
from roofdsl.figures.scale import Array, drawable

# Beyond this many, points are not labelled one by one any more: trying alone would take long.
MOST_LABELS = 150
# A name beside one of more than these would mislead: the key says it.
MOST_ALIKE = 6
_POINT_NAME_WIDTH = 110.0
# How far a point's own ceiling reaches on either side of it.
_REACH = 9.0
_GRAIN = 0.7
_MARKER_GAP = 9.0
_NAME_WIDTH = 140.0
_SAME_PLACE = 12.0


class Stand(NamedTuple):
    """Where a point stands in the frame; `edge` is the side it was moved to, or ""."""

    x: float
    y: float
    edge: str


class Style(NamedTuple):
    """How a point's marker looks; `face` is the colour inside, "" for one that was measured."""

    mark: Mark
    shape: str
    face: str


def sides(panel: Panel, x: Array, y: Array) -> NDArray[np.str_]:
    """Return the side of the frame beyond which each point lies: W, E, S or N.

    It is "" for one inside, and "?" for one that has no place: 0/0.
    """
    across, up = panel.plan.x, panel.plan.y
    unknown = np.isnan(x) | np.isnan(y)
    beyond = [unknown, x < across.low, x > across.high, y < up.low, y > up.high]
    return np.select(beyond, ["?", "W", "E", "S", "N"], "")


def stands_of(
    panel: Panel, points: Sequence[Point], unit: float, at_edge: Callable[[Point], float]
) -> list[Stand | None]:
    """Return where points stand; those outside the frame at the side they left by."""
    x = np.array([point.x for point in points])
    heights = [at_edge(point) if point.x == 0 else point.y for point in points]
    y = np.array(heights) / unit
    beyond = sides(panel, x, y).tolist()
    x = np.clip(x, panel.plan.x.low, panel.plan.x.high)
    y = np.clip(y, panel.plan.y.low, panel.plan.y.high)
    return [
        None if side == "?" else Stand(across, up, side)
        for across, up, side in zip(x.tolist(), y.tolist(), beyond, strict=True)
    ]


def draw_markers(
    panel: Panel,
    points: Sequence[Point],
    stands: Sequence[Stand | None],
    styles: Sequence[Style],
) -> None:
    """Draw the points that stand inside the frame, those that look alike at once."""
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, place in enumerate(stands):
        if place is not None and not place.edge:
            mark, shape, face = styles[index]
            groups[mark.colour, shape, face].append(index)
    many = len(points)
    # Those in colour stand before the many in grey.
    ordered = sorted(groups.items(), key=lambda group: group[0][0] != panel.palette.muted)
    for number, ((colour, shape, face), indices) in enumerate(ordered):
        members = [place for index in indices if (place := stands[index]) is not None]
        panel.markers(
            [place.x for place in members],
            [place.y for place in members],
            colour,
            name=f"points:{number}:{'predicted' if face else 'measured'}",
            shape=shape,
            filled=not face,
            face=face,
            size=np.array([diameter(points[index].share, many) for index in indices]),
            opacity=1.0 if many < 100 else 0.7,
        )


def draw_ceiling(panel: Panel, x: float, y: float, colour: str, name: str) -> None:
    """Draw a short ceiling through a point: what binds it is no line of the roof."""
    ((across, up),) = panel.at(x, y)
    ends = [max(across - _REACH, 0.0), min(across + _REACH, panel.width)]
    xs = [panel.value(end, up)[0] for end in ends]
    panel.line(xs, [y, y], colour, name=name, width=1.8, order=3.5)


def name_ceilings(
    panel: Panel, points: Sequence[Point], unit: float, binding: tuple[str, ...]
) -> None:
    """Write why points end where they do, beside the first of those that say the same."""
    said: set[tuple[str, str]] = set()
    for point in points:
        if (point.kernel, point.ceiling) in said or not point.ceiling:
            continue
        said.add((point.kernel, point.ceiling))
        (place,) = panel.at(point.x, point.y / unit)
        colour = panel.palette.edge(point.bound, binding)
        name = f"label:bound:{point.machine}:{point.kernel}"
        panel.label(point.ceiling, place, colour, name=name, away=_REACH + 2.0, dearest=0.9)


def name_points(
    panel: Panel, points: Sequence[Point], stands: Sequence[Stand | None], marks: Sequence[Mark]
) -> dict[str, bool]:
    """Write kernels' names beside points in the frame, the largest shares of time first.

    Returns for each kernel whether it is named somewhere.
    """
    inside = [index for index, place in enumerate(stands) if place is not None and not place.edge]
    named = {points[index].kernel: False for index in inside}
    counts = Counter(points[index].kernel for index in inside)
    tries = 0
    for index in sorted(inside, key=lambda index: (-(points[index].share or 0.0), index)):
        point, place = points[index], stands[index]
        done = named[point.kernel] and not point.note
        if place is None or done or counts[point.kernel] > MOST_ALIKE or tries >= MOST_LABELS:
            continue
        tries += 1
        text = f"{shortened(point.kernel, _POINT_NAME_WIDTH)} {point.note}".rstrip()
        (spot,) = panel.at(place.x, place.y)
        away = diameter(point.share, len(points)) / 2 + 2.5
        label = f"label:point:{index}"
        done = panel.label(text, spot, marks[index].colour, name=label, away=away, dearest=0.9)
        named[point.kernel] = named[point.kernel] or done
    return named


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
            panel.label(text, places[end], mark.colour, name=f"{name}:{end}", side=side)
    if nameless:
        return True
    text = shortened(path.kernel, _NAME_WIDTH)
    size = extent(text, bold=True)
    middles = places[[int(part * (len(places) - 1)) for part in (0.5, 0.35, 0.65, 0.2, 0.8)]]
    boxes = [box for place in middles for box in around(place, size, 6.0, compass[1])]
    return panel.write(text, boxes, mark.colour, name=name, bold=True, dearest=dearest)


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
