"""The regions of a logarithmic plane in which each of three roofs is the lowest."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from roofdsl.figures.chart import ThreeRoofs
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, readable_on
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import around, within
from roofdsl.figures.polygon import cut, rectangle
from roofdsl.figures.scale import Array, LogScale
from roofdsl.figures.scatter import bound_name


def regions(
    roofs: ThreeRoofs, x: LogScale, y: LogScale, powers: Mapping[str, tuple[int, int]]
) -> dict[str, Array]:
    """Return for each resource the polygon of values (n × 2) where it allows the least.

    What memory and network, or what is in its place, allow is their rate times `powers` of x and of
    y.
    """
    heights = [
        (name, math.log(rate, x.base), np.array(powers.get(name, (0, 0))))
        for name, rate in (
            ("memory", roofs.memory),
            (roofs.across.resource, roofs.network),
            ("flops", roofs.flops),
        )
    ]
    found = {}
    for name, height, slopes in heights:
        corners = rectangle((x.first, y.first), (x.last, y.last))
        for _, other, others in heights:
            along_x, along_y = others - slopes
            corners = cut(corners, along_x, along_y, height - other)
        found[name] = float(x.base) ** corners
    return found


def draw_regions(panel: Panel, found: Mapping[str, Array], prefix: str, order: float) -> None:
    """Colour the regions, polygons of the panel's values, whose names begin with `prefix`."""
    for resource, corners in found.items():
        if len(corners) > 2:
            fill = panel.palette.fill(resource)
            panel.area(corners, fill, name=f"{prefix}:{resource}", order=order)


def name_regions(
    panel: Panel,
    found: Mapping[str, Array],
    prefix: str,
    margin: float = 2.0,
    dearest: float = 1.0,
    above: str = "",
) -> None:
    """Write in each region what binds there; that of `above`, where it has no room, beyond it."""
    for resource, corners in found.items():
        if len(corners) < 3:
            continue
        places = panel.at(*corners.T)
        text = bound_name(resource, region=True)
        size = extent(text, LABEL_SIZE)
        boxes = within(places, size, margin)
        if resource == above and not boxes:
            boxes = around(places[np.argmax(places[:, 1])], size, 2.0, "N")
        colour, name = readable_on(panel.palette.fill(resource)), f"label:{prefix}:{resource}"
        panel.write(text, boxes, colour, name=name, size=LABEL_SIZE, dearest=dearest)
