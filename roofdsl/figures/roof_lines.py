"""The lines of a roofline chart: bandwidth lines, ceilings and ridge points, with their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from roofdsl.figures.chart import Chart, Line, Roof
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.marks import Mark
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import MAIN, Subject, above_or_below, along
from roofdsl.figures.scale import GIGA

THICK, THIN = 1.8, 0.8
FEW = 4
# How far off a line that does not count its label may be, in points.
_REACH = 60.0
# A name takes at most so much of the panel's width, less where there is little room.
_NAME_SHARES = (0.45, 0.3, 0.2, 0.1)


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
    width, name = (THICK, f"{name}{MAIN}") if main else (THIN, name)
    panel.line(*ends, mark.colour, name=name, width=width, dash=mark.dash)


class _Named(NamedTuple):
    """A line of a machine that is to have a label, of kind `ceiling` or `slope`.

    `names` are its own and those of lines of the same height, which lie on it.
    """

    roof: Roof
    kind: str
    line: Line
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.roof.machine}:{self.line.name}"

    def text(self, width: float, several: bool) -> str:
        """Return its label, with names at most so wide: of several machines, with the machine's."""
        own, *others = self.names
        family = own.rpartition(".")[0]
        others = [name.removeprefix(f"{family}.") for name in others]
        if not several:
            return f"{shortened(', '.join([own, *others]), width)} {self.line.text}"
        machine = shortened(self.roof.machine, width)
        if self.line.main:
            also = f" and its {', '.join(self.names[1:])}" if others else ""
            return f"{machine}{also} {self.line.text}"
        return f"{machine} {', '.join([shortened(own, width), *others])} {self.line.text}"


def _named_lines(roofs: Sequence[Roof]) -> list[_Named]:
    """Return the lines to label, those that count first: among many machines, those alone."""
    found = []
    for roof, kind in product(roofs, ("ceiling", "slope")):
        lines = roof.ceilings if kind == "ceiling" else roof.slopes
        alike: dict[float, list[Line]] = {}
        for line in sorted(lines, key=lambda line: (-line.value, not line.main)):
            if line.main or len(roofs) <= FEW:
                alike.setdefault(line.value, []).append(line)
        found += [
            _Named(roof, kind, same[0], tuple(x.name for x in same)) for same in alike.values()
        ]
    return sorted(found, key=lambda each: not each.line.main)


def name_roofs(panel: Panel, roofs: Sequence[Roof], roof_marks: Mapping[str, Mark]) -> list[Entry]:
    """Label the machines' lines; return what the key must say of those that count.

    A label that has no place beside its line is led to: that of a line that counts from anywhere in
    the panel, if need be with a shorter name, any other from nearby.
    """
    missing, several = [], len(roofs) > 1
    for each in sorted(_named_lines(roofs), key=lambda each: each.name not in panel.urgent):
        shares = _NAME_SHARES if each.line.main else _NAME_SHARES[:1]
        texts = dict.fromkeys(each.text(share * panel.width, several) for share in shares)
        mark = roof_marks[each.roof.machine]
        if not any(_write(panel, each, text, mark) for text in texts) and each.line.main:
            panel.missing.append(each.name)
            text = each.roof.machine if several else next(iter(texts))
            missing.append(Entry(text, mark.colour, mark.dash, line=True))
    return missing


def _write(panel: Panel, named: _Named, text: str, mark: Mark) -> bool:
    """Write the label of a line beside it, or off it; return whether there was room."""
    roof, kind, line, _ = named
    size = extent(text)
    if kind == "ceiling":
        boxes = above_or_below(panel.at(*_ceiling_ends(panel, roof, line)), size)
    else:
        ends = panel.at(*slope_ends(panel, line, roof.top))
        boxes = along(ends, size, distances=(0.5, -2.0)) if math.dist(*ends) > size[0] else []
    about = Subject(named.name, reach=math.inf if line.main else _REACH)
    name = f"label:{named.name}"
    return panel.write(text, boxes, mark.colour, name=name, dearest=0.0, about=about)


def draw_ridges(panel: Panel, chart: Chart, roof_marks: Mapping[str, Mark]) -> None:
    """Drop a dotted line from each ridge point to the axis, with its value at the foot.

    Where the value has no room, there is no line either.
    """
    drawn = []
    for roof in chart.roofs:
        colour = roof_marks[roof.machine].colour
        for slope, ridge, height in _ridges(panel, roof):
            name = f"ridge:{roof.machine}:{slope.name}"
            ends = [panel.plan.y.low, height]
            guide = panel.guide([ridge, ridge], ends, colour, name=name)
            drawn.append((guide, name, ridge, colour))
    (first, *others) = chart.roofs
    alone = not others and len(first.slopes) == len(first.peaks) == 1
    for guide, name, ridge, colour in drawn:
        text = f"{chart.axis.symbol}* {three_digits(ridge)}" if alone else three_digits(ridge)
        boxes = panel.at_foot(ridge, extent(text), (2.0, 12.0, 22.0))
        label, about = f"label:{name}", Subject(name)
        done = panel.write(text, boxes, colour, name=label, dearest=0.0, about=about)
        if guide is not None and not done:
            guide.remove()


def _ridges(panel: Panel, roof: Roof) -> Iterator[tuple[Line, float, float]]:
    """Yield each bandwidth line with its ridge points, where those lie in the frame."""
    for slope, peak in product(roof.slopes, roof.peaks):
        ridge = peak.value / slope.value
        if panel.plan.x.low < ridge < panel.plan.x.high:
            yield slope, ridge, peak.value / GIGA
