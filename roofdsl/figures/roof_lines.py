"""The lines of a roofline chart: bandwidth lines, ceilings and ridge points, with their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from roofdsl.figures.chart import Chart, Line, Roof
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, three_digits
from roofdsl.figures.look import NOTE_SIZE
from roofdsl.figures.marks import Mark
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import LINE_COST, Box, along
from roofdsl.figures.scale import GIGA

THICK, THIN = 1.8, 0.8
_FEW = 4
# The main ceiling's label may lie on other lines rather than be left out.
_MAIN_DEAREST = 2.5


def slope_ends(panel: Panel, slope: Line, top: float | None) -> tuple[list[float], list[float]]:
    """Return where a bandwidth line enters the frame and where it meets the highest ceiling."""
    bandwidth = slope.value / GIGA
    x, y = panel.plan.x, panel.plan.y
    left = max(x.low, y.low / bandwidth)
    right = min(x.high, (top / GIGA if top else y.high) / bandwidth)
    return [left, right], [left * bandwidth, right * bandwidth]


def _ceiling_ends(panel: Panel, roof: Roof, ceiling: Line) -> tuple[list[float], list[float]]:
    fastest = max((slope.value for slope in roof.slopes), default=math.inf)
    left = max(panel.plan.x.low, ceiling.value / fastest)
    return [left, panel.plan.x.high], [ceiling.value / GIGA] * 2


def draw_roof(panel: Panel, roof: Roof, mark: Mark) -> None:
    """Draw bandwidth lines and ceilings; the main ones are thick up to where they meet."""
    for slope in roof.slopes:
        name = f"slope:{roof.machine}:{slope.name}"
        _draw_line(panel, slope_ends(panel, slope, roof.top), mark, name)
        if slope.main:
            highest = max((peak.value for peak in roof.peaks), default=None)
            _draw_line(panel, slope_ends(panel, slope, highest), mark, name, main=True)
    for ceiling in roof.ceilings:
        name = f"ceiling:{roof.machine}:{ceiling.name}"
        xs, ys = _ceiling_ends(panel, roof, ceiling)
        _draw_line(panel, (xs, ys), mark, name)
        if ceiling.main and roof.slope is not None:
            start = max(panel.plan.x.low, ceiling.value / roof.slope.value)
            _draw_line(panel, ([start, xs[1]], ys), mark, name, main=True)


def _draw_line(
    panel: Panel, ends: tuple[list[float], list[float]], mark: Mark, name: str, main: bool = False
) -> None:
    """Draw a line of the roof, or, thick upon it, the part of a main one that counts."""
    width, cost = (THICK, 0.0) if main else (THIN, LINE_COST)
    name = f"{name}:main" if main else name
    panel.line(*ends, mark.colour, name=name, width=width, dash=mark.dash, cost=cost)


def _name(roof: Roof, line: Line, several: bool) -> str:
    """Return what a line is called: of several machines, the main lines are the machine's."""
    if not several:
        return line.name
    return roof.machine if line.main else f"{roof.machine} {line.name}"


def name_roof(panel: Panel, roof: Roof, roof_marks: dict[str, Mark], several: bool) -> list[Entry]:
    """Label a machine's lines; return what the key must say: of those that count, or of them all.

    Of several machines one label is enough, for they have colours or dashes of their own.
    """
    colour, dash = roof_marks[roof.machine].colour, roof_marks[roof.machine].dash
    found, unnamed = False, []
    # Among many machines only what counts on each is named.
    few = len(roof_marks) <= _FEW
    ceilings = sorted(roof.ceilings, key=lambda line: (not line.main, -line.value))
    slopes = sorted(roof.slopes, key=lambda line: -line.value)
    lines = [("ceiling", line) for line in ceilings] + [("slope", line) for line in slopes]
    for kind, line in lines:
        if not (few or line.main):
            continue
        text = f"{_name(roof, line, several)} {line.text}"
        size, dearest = extent(text), 0.9
        if kind == "ceiling":
            boxes = _ceiling_boxes(panel, roof, line, size)
            dearest = _MAIN_DEAREST if line.main and not several else dearest
        else:
            ends = panel.at(*slope_ends(panel, line, roof.top))
            boxes = along(ends, size) if math.dist(*ends) > size[0] else []
        name = f"label:{kind}:{roof.machine}:{line.name}"
        done = panel.write(text, boxes, colour, name=name, dearest=dearest)
        found |= done
        if kind == "ceiling" and line.main and not several and not done:
            unnamed.append(Entry(text, colour, dash, line=True))
    return unnamed if found else [Entry(roof.machine, colour, dash, line=True), *unnamed]


def _ceiling_boxes(panel: Panel, roof: Roof, ceiling: Line, size: tuple[float, float]) -> list[Box]:
    """Return places for a ceiling's label: above or below its line, at the right first.

    Of two lines that touch, the labels keep the order; beyond another line none would be its own.
    """
    xs, ys = _ceiling_ends(panel, roof, ceiling)
    start, end = panel.at(xs, ys)
    half = size[1] / 2
    above, below = (half + 0.5, half + 4.0), (-half - 1.5, -half - 4.0)
    offsets = [above[0], below[0], above[1], below[1]]
    over, under = _neighbours(panel, roof, ceiling)
    second: tuple[float, ...] = ()
    if over:
        offsets, second = list(below), (below[0] - size[1],)
    elif under:
        second = (above[0] + size[1],)
    boxes = [
        Box(right - size[0] / 2 - 1.0, end[1] + offset, *size)
        for offset in offsets
        for right in (end[0], end[0] - 0.25 * (end[0] - start[0]), (start[0] + end[0]) / 2)
        if right - size[0] >= start[0]
    ]
    boxes += [Box(end[0] - size[0] / 2 - 1.0, end[1] + offset, *size) for offset in second]
    # A short line's label begins before it does.
    boxes = boxes or [Box(end[0] - size[0] / 2 - 1.0, end[1] + offsets[0], *size)]
    others = [panel.at(xs, [line.value / GIGA] * 2)[0][1] for line in roof.ceilings]
    others = [height for height in others if abs(height - end[1]) >= NOTE_SIZE]
    return [
        box
        for box in boxes
        if not any(min(box.y, end[1]) < height < max(box.y, end[1]) for height in others)
    ]


def _neighbours(panel: Panel, roof: Roof, ceiling: Line) -> tuple[bool, bool]:
    """Whether another ceiling lies so close above, or below, that no label fits between."""
    order = sorted(roof.ceilings, key=lambda line: -line.value)
    heights = panel.plan.y.place([line.value / GIGA for line in order]) * panel.height
    place = order.index(ceiling)
    close = np.abs(heights - heights[place]) < NOTE_SIZE
    return bool(close[:place].any()), bool(close[place + 1 :].any())


def draw_ridges(panel: Panel, roof: Roof, mark: Mark) -> None:
    """Drop a dotted line from each ridge point of the main ceiling to the axis."""
    for slope, ridge, height in _ridges(panel, roof):
        name = f"ridge:{roof.machine}:{slope.name}"
        ends = [panel.plan.y.low, height]
        panel.guide([ridge, ridge], ends, mark.colour, name=name)


def name_ridges(panel: Panel, chart: Chart, roof: Roof, mark: Mark, several: bool) -> None:
    """Write the value of each ridge point at the foot of its line."""
    for slope, ridge, _ in _ridges(panel, roof):
        alone = not several and len(roof.slopes) == len(roof.peaks) == 1
        text = f"{chart.axis.symbol}* {three_digits(ridge)}" if alone else three_digits(ridge)
        boxes = panel.at_foot(ridge, extent(text), (2.0, 12.0, 22.0))
        name = f"label:ridge:{roof.machine}:{slope.name}"
        panel.write(text, boxes, mark.colour, name=name, dearest=0.5)


def _ridges(panel: Panel, roof: Roof) -> Iterator[tuple[Line, float, float]]:
    """Yield each bandwidth line with its ridge points, where those lie in the frame."""
    for slope, peak in product(roof.slopes, roof.peaks):
        ridge = peak.value / slope.value
        if panel.plan.x.low < ridge < panel.plan.x.high:
            yield slope, ridge, peak.value / GIGA
