"""The share of one resource in the resources' times, along a parameter, for several machines.

The network's share is what Cardwell 2019, Fig. 2.4, measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import NOTE_SIZE, Look
from roofdsl.figures.marks import SHAPES, marks
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import PanelPlan
from roofdsl.figures.picture import Picture, Table
from roofdsl.figures.placement import around
from roofdsl.figures.scale import LinearScale, snapped

Array = NDArray[np.float64]
DEFAULT_WIDTH = 4.6


@dataclass(frozen=True, slots=True)
class ShareLine:
    """One machine or model: the share, 0 to 1, at each value; NaN where nothing takes time."""

    name: str
    values: Array
    share: Array


def share_lines(
    lines: tuple[ShareLine, ...],
    resource: str,
    parameter: str,
    look: Look,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """Return a line for each machine or model."""
    width = 72 * (look.width or DEFAULT_WIDTH)
    found = marks([line.name for line in lines], look.palette)
    values = np.concatenate([line.values for line in lines])

    def draw(height: float) -> Picture:
        page = Page(look, width)
        x = snapped(look.base, float(values.min()), float(values.max()))
        label = f"Share of the {resource} [%]"
        (panel,) = page.panels([PanelPlan(x, LinearScale(0.0, 105.0), parameter, label)], height)
        for line in lines:
            mark = found[line.name]
            kept = np.isfinite(line.share)
            xs, ys = line.values[kept], 100 * line.share[kept]
            panel.line(xs, ys, mark.colour, name=f"share:{line.name}", width=1.2, dash=mark.dash)
            if kept.sum() <= 40:
                panel.markers(
                    xs,
                    ys,
                    mark.colour,
                    name=f"share:{line.name}:markers",
                    shape=SHAPES[list(found).index(line.name) % len(SHAPES)],
                    filled=False,
                    size=3.5,
                )
        named = []
        for line in lines:
            kept = np.flatnonzero(np.isfinite(line.share))
            text = shortened(line.name, 90.0, NOTE_SIZE)
            size = extent(text, NOTE_SIZE)
            boxes = [
                box
                for part in (0.5, 0.35, 0.65, 0.2, 0.8)
                for index in kept[[int(part * (len(kept) - 1))] if len(kept) else []]
                for box in around(
                    panel.at(line.values[index], 100 * line.share[index])[0], size, 4.5, "NE"
                )
            ]
            colour = found[line.name].colour
            named.append(panel.write(text, boxes, colour, name=f"label:{line.name}", dearest=0.5))
        entries = [
            Entry(name, mark.colour, mark.dash, SHAPES[number % len(SHAPES)], False, True)
            for number, (name, mark) in enumerate(found.items())
        ]
        return page.finish(
            title, [] if all(named) else entries, _table(lines, resource, parameter), subtitle
        )

    return fitted(look, max(110.0, 0.6 * width), draw)


def _table(lines: tuple[ShareLine, ...], resource: str, parameter: str) -> Table:
    rows = tuple(
        (line.name, float(value), float(share))
        for line in lines
        for value, share in zip(line.values, line.share, strict=True)
    )
    return Table(("name", parameter, f"share of the {resource}"), rows)
