"""What stands around the three-dimensional roofline: walls, floor, axes and their ticks."""

from __future__ import annotations

import math

import numpy as np

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures.chart import Axis
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, TICK_SIZE
from roofdsl.figures.panel import Panel
from roofdsl.figures.placement import Box
from roofdsl.figures.space import SLOPE, Perspective

COMM = "Comm. arithmetic intensity [flop/B]"


def across_labels(axis: Axis) -> tuple[str, ...]:
    """Return the labels of the axis across that of OI, from the longest."""
    shortest = f"{axis.symbol} [{axis.unit}]"
    return (COMM, shortest) if axis.symbol == "CAI" else (axis.label, shortest)


def draw_walls(panel: Panel, view: Perspective) -> None:
    """Draw the floor's edges, the walls behind, their grid, and the axes with their labels."""
    palette = panel.palette
    for scale, wall in ((view.oi, "x"), (view.cai, "y")):
        for value, _ in scale.ticks(150.0, 20.0):
            at = float(scale.place(value))
            ends = [(at, 1.0), (at, 1.0)] if wall == "x" else [(1.0, at), (1.0, at)]
            across, deep = np.array(ends).T
            places = view.inside(across, deep, [0.0, 1.0])
            panel.through(places, palette.faint, name=f"grid:{wall}")
    for value, _ in view.performance.ticks(120.0, 16.0):
        z = float(view.performance.place(value))
        places = view.inside([0.0, 1.0, 1.0], [1.0, 1.0, 0.0], z)
        panel.through(places, palette.faint, name="grid:z")
    edges = view.inside([0.0, 0.0, 1.0], [1.0, 0.0, 0.0], 0.0)
    panel.through(edges, palette.muted, name="edge:floor", width=0.7, order=1.4)
    upright = view.inside([0.0, 0.0], [1.0, 1.0], [0.0, 1.0])
    panel.through(upright, palette.muted, name="edge:z", width=0.7, order=0.4)
    _ticks(panel, view)


def _ticks(panel: Panel, view: Perspective) -> None:
    colour = panel.palette.ink
    slope, across = SLOPE, view.space.roofs.across
    corner = view.inside(0.0, 0.0, 0.0)
    for name, scale, step, labels in (
        ("x", view.oi, (1.0, 0.0), (axis_label("OI"), "OI [flop/B]")),
        (
            "y",
            view.cai,
            (0.0, 1.0),
            tuple(dict.fromkeys((view.space.roofs.across.label, *across_labels(across)))),
        ),
    ):
        side = 1.0 if name == "x" else -1.0
        end = view.inside(step[0], step[1], 0.0)
        length = float(np.hypot(*(end - corner)))
        for value, text in scale.ticks(length, 18.0):
            at = float(scale.place(value))
            place = view.inside(step[0] * at, step[1] * at, 0.0)
            size = extent(text, TICK_SIZE)
            box = Box(place[0] + side * (size[0] / 2 + 1.5), place[1] - size[1] / 2 - 0.5, *size)
            panel.write(text, [box], colour, name=f"tick:{name}:{text}", size=TICK_SIZE, dearest=99)
        middle = (corner + end) / 2
        away = (
            np.array([side * math.sin(math.radians(SLOPE)), -math.cos(math.radians(SLOPE))]) * 25.0
        )
        for label in labels:
            size = extent(label, LABEL_SIZE)
            box = Box(middle[0] + away[0], middle[1] + away[1], *size, angle=side * slope)
            if size[0] < 1.05 * length and panel.write(
                label, [box], colour, name=f"label:{name}", size=LABEL_SIZE, dearest=99
            ):
                break
    foot, top = view.inside(0.0, 1.0, 0.0), view.inside(0.0, 1.0, 1.0)
    widest = 0.0
    for value, text in view.performance.ticks(float(top[1] - foot[1]), 14.0):
        place = view.inside(0.0, 1.0, float(view.performance.place(value)))
        size = extent(text, TICK_SIZE)
        widest = max(widest, size[0])
        box = Box(place[0] - size[0] / 2 - 4.0, place[1], *size)
        panel.write(text, [box], colour, name=f"tick:z:{text}", size=TICK_SIZE, dearest=99)
    text = f"Attainable performance [{view.unit}]"
    size = extent(text, LABEL_SIZE)
    x = max(foot[0] - widest - 12.0, size[1] / 2 + 0.5)
    panel.write(
        text,
        [Box(x, (foot[1] + top[1]) / 2, *size, angle=90.0)],
        colour,
        name="label:z",
        size=LABEL_SIZE,
        dearest=99,
    )
