"""Points in a panel: where they stand, their markers, their names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from roofdsl.figures.chart import Point
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import NOTE_SIZE
from roofdsl.figures.marks import SHAPES, Mark, diameter
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import around

# Beyond this many, points are not labelled one by one any more: trying alone would take long.
MOST_LABELS = 150
# A name beside one of more than these would mislead: the key says it.
MOST_ALIKE = 6
_NAME_WIDTH = 110.0
_EDGE_SHAPES = {"W": "<", "E": ">", "S": "v", "N": "^"}


class Stand(NamedTuple):
    """Where a point stands in the frame; `edge` is the side it was moved to, or ""."""

    x: float
    y: float
    edge: str


def stand(
    panel: Panel, point: Point, unit: float, at_edge: Callable[[Point], float]
) -> Stand | None:
    """Return where a point stands; outside the frame, at the edge it left by."""
    x, y = point.x, point.y / unit
    if np.isnan(x) or np.isnan(y):
        return None
    across, up = panel.plan.x, panel.plan.y
    if x == 0:
        y = at_edge(point) / unit
    edge = ""
    if not across.low <= x <= across.high:
        edge = "W" if x < across.low else "E"
    elif not up.low <= y <= up.high:
        edge = "S" if y < up.low else "N"
    return Stand(
        float(np.clip(x, across.low, across.high)), float(np.clip(y, up.low, up.high)), edge
    )


def draw_markers(
    panel: Panel,
    points: Sequence[Point],
    stands: Sequence[Stand | None],
    marks: Sequence[Mark],
    levels: Mapping[str, str] | None,
) -> list[Stand | None]:
    """Draw the points, those that look alike at once; return where they stand.

    `levels` gives shapes; without it shapes are free to tell a colour's second round.
    """
    groups: dict[tuple[str, str, bool], list[int]] = defaultdict(list)
    moved = _unstacked(panel, stands)
    for index, (point, place) in enumerate(zip(points, moved, strict=True)):
        if place is not None:
            mark = marks[index]
            shape = levels[point.level] if levels else SHAPES[mark.round % len(SHAPES)]
            shape = _EDGE_SHAPES.get(place.edge, shape)
            groups[mark.colour, shape, point.measured].append(index)
    many = len(points)
    # Those in colour stand before the many in grey.
    ordered = sorted(groups.items(), key=lambda group: group[0][0] != panel.palette.muted)
    for number, ((colour, shape, measured), indices) in enumerate(ordered):
        members = [place for index in indices if (place := moved[index]) is not None]
        panel.markers(
            [place.x for place in members],
            [place.y for place in members],
            colour,
            name=f"points:{number}:{'measured' if measured else 'predicted'}",
            shape=shape,
            filled=measured,
            size=np.array([diameter(points[index].share, many) for index in indices]),
            opacity=1.0 if many < 100 else 0.7,
        )
    return moved


def _unstacked(panel: Panel, stands: Sequence[Stand | None]) -> list[Stand | None]:
    """Move points that stand on one spot of a side apart, along it to where there is more room."""
    seen: Counter[tuple[float, float]] = Counter()
    moved: list[Stand | None] = []
    for place in stands:
        if place is not None and place.edge in ("W", "E"):
            ((x, y),) = panel.at(place.x, place.y)
            spot = (round(x), round(y))
            away = 11.0 * seen[spot] * (1 if y < panel.height / 2 else -1)
            seen[spot] += 1
            up = min(max(y + away, 0.0), panel.height)
            place = Stand(place.x, panel.value(x, up)[1], place.edge)
        moved.append(place)
    return moved


def name_points(
    panel: Panel,
    points: Sequence[Point],
    stands: Sequence[Stand | None],
    marks: Sequence[Mark],
) -> dict[str, bool]:
    """Write kernels' names beside points, the largest shares of time first.

    Returns for each kernel whether it is named somewhere.
    """
    named = {point.kernel: False for point in points}
    counts = Counter(point.kernel for point in points)
    order = sorted(range(len(points)), key=lambda index: (-(points[index].share or 0.0), index))
    tries = 0
    for index in order:
        point, place = points[index], stands[index]
        done = named[point.kernel] and not point.note
        if place is None or done or counts[point.kernel] > MOST_ALIKE or tries >= MOST_LABELS:
            continue
        tries += 1
        text = f"{shortened(point.kernel, _NAME_WIDTH, NOTE_SIZE)} {point.note}".rstrip()
        ((x, y),) = panel.at(place.x, place.y)
        distance = diameter(point.share, len(points)) / 2 + 2.5
        side = "W" if place.edge == "E" else "E"
        boxes = around((x, y), extent(text, NOTE_SIZE), distance, side)
        label = f"label:point:{index}"
        # Off the frame a label says what the place does not.
        dearest = 2.5 if place.edge else 0.9
        done = panel.write(text, boxes, marks[index].colour, name=label, dearest=dearest)
        named[point.kernel] = named[point.kernel] or done
    return named
