"""Points in a panel: where they stand, their markers, their names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.chart import Point
from roofdsl.figures.lettering import shortened
from roofdsl.figures.marks import Mark, diameter
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import Subject
from roofdsl.figures.scale import Array

# Beyond this many, points are not labelled one by one any more: trying alone would take long.
MOST_LABELS = 150
# A name beside one of more than these would mislead: the key says it.
MOST_ALIKE = 6
# Among no more than so many a name may be led to from so far off.
MOST_LED, _LED = 40, 42.0
_NAME_WIDTH = 110.0
# How far a point's own ceiling reaches on either side of it.
_REACH = 9.0


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
        text = point.ceiling.text
        if (point.kernel, text) in said or not text:
            continue
        said.add((point.kernel, text))
        (place,) = panel.at(point.x, point.y / unit)
        colour = panel.palette.edge(point.bound, binding)
        name = f"label:bound:{point.machine}:{point.kernel}"
        panel.label(text, place, colour, name=name, away=_REACH + 2.0, dearest=0.9)


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
        text = f"{shortened(point.kernel, _NAME_WIDTH)} {point.note}".rstrip()
        (spot,) = panel.at(place.x, place.y)
        away = diameter(point.share, len(points)) / 2 + 2.5
        label = f"label:point:{index}"
        reach = _LED if len(inside) <= MOST_LED else 0.0
        about = Subject("", tuple(spot.tolist()), "trajectory:", reach, away - 2.0)
        done = panel.label(
            text, spot, marks[index].colour, name=label, away=away, dearest=0.0, about=about
        )
        named[point.kernel] = named[point.kernel] or done
    return named
