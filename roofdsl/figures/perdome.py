"""The bound of a workload split between CPU and GPU, over the intensities of the two parts.

Tang, Hu and Barrett, *PerDome*, Fig. 2 and 3. Where both parts would be more, or both less, intense
than the whole there is no split (Lemma 2), and the plane is blank.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.contour import QuadContourSet

from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.edges import Beyond, draw_badges
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.placement import Box
from roofdsl.figures.points import sides
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import Array, CategoryScale, LinearScale, LogScale, round_step
from roofdsl.units.dimension import FLOP, SECOND

NARROW = 72 * 5.0
_NAME_WIDTH = 90.0
# Even in lightness and readable in every sort of colour vision.
COLOURS = "cividis"


@dataclass(frozen=True, slots=True)
class Partition:
    """One way to split the work: its intensities [flop/B] and performances [flop/s]."""

    name: str
    cpu: float
    gpu: float
    bound: float
    measured: float | None = None


@dataclass(frozen=True, slots=True)
class Dome:
    """The bound [flop/s] over the CPU's and the GPU's intensity [flop/B]; NaN where infeasible.

    `bound` has a row for each GPU intensity and a column for each CPU intensity; `whole` is the
    intensity of the whole kernel.
    """

    whole: float
    cpu: Array
    gpu: Array
    bound: Array
    partitions: tuple[Partition, ...] = ()


@in_its_look
def perdome(dome: Dome, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the bound as a map, and the partitions as bars beside it."""
    page = Page(look, 7.16, title, subtitle)
    beside = bool(dome.partitions) and page.width >= NARROW
    x, y = _scale(dome.cpu), _scale(dome.gpu)
    unit, factor = in_unit(float(np.nanmax(dome.bound)), FLOP / SECOND)
    plans = [
        PanelPlan(x, y, "CPU intensity I_C [flop/B]", "GPU intensity I_G [flop/B]", grid=False)
    ]
    if beside:
        names = tuple(shortened(each.name, _NAME_WIDTH, TICK_SIZE) for each in dome.partitions)
        widest = max(extent(name, TICK_SIZE)[0] for name in names)
        turned = (widest + 6.0) * len(names) > 0.32 * page.width
        bars, label = CategoryScale(names), f"Performance [{unit}]"
        scale = _bar_scale(dome, factor)
        plans.append(PanelPlan(bars, scale, "", label, share=0.62, turned=turned))

    def draw(height: float) -> list[Entry]:
        plane, *others = page.panels(plans, height)
        lines = _map(plane, dome, factor)
        badges = _partitions(plane, dome, factor)
        _name_levels(plane, lines)
        entries = [Entry(f"lines: upper bound [{unit}]")]
        if not beside:
            return [*entries, *badges, *_measured(dome, factor, unit)]
        return [*entries, *_bars(others[0], dome, factor), *badges]

    return page.drawn((0.36 if beside else 0.66) * page.width, draw, _table(dome))


def _scale(values: Array) -> LogScale:
    """Return the scale of the intensities, which the paper gives in powers of two."""
    first = math.floor(math.log2(float(values.min())) + 1e-9)
    last = math.ceil(math.log2(float(values.max())) - 1e-9)
    return LogScale(2, first, last)


def _bar_scale(dome: Dome, factor: float) -> LinearScale:
    highest = max(max(each.bound, each.measured or 0.0) for each in dome.partitions)
    step = round_step(highest * 1.15 * factor / 5)
    return LinearScale(0.0, step * math.ceil(highest * 1.15 * factor / step))


def _map(panel: Panel, dome: Dome, factor: float) -> QuadContourSet:
    """Draw the bound with its contours, the whole's intensity, and where there is no split."""
    shown = np.ma.masked_invalid(dome.bound * factor)
    low, high = float(shown.min()), float(shown.max())
    panel.axes.pcolormesh(
        dome.cpu,
        dome.gpu,
        shown,
        cmap=COLOURS,
        norm=LogNorm(low, high),
        shading="nearest",
        rasterized=True,
        zorder=0.5,
        gid="map",
    )
    decades = 10.0 ** np.arange(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    levels = np.outer(decades, (1, 2, 5)).ravel()
    lines = panel.axes.contour(
        dome.cpu,
        dome.gpu,
        shown,
        levels=levels[(low < levels) & (levels < high)],
        colors=panel.palette.paper,
        linewidths=0.6,
        zorder=0.8,
    )
    ink, muted = panel.palette.ink, panel.palette.muted
    for name, xs, ys in (
        ("I_C", [dome.whole] * 2, [panel.plan.y.low, panel.plan.y.high]),
        ("I_G", [panel.plan.x.low, panel.plan.x.high], [dome.whole] * 2),
    ):
        panel.line(xs, ys, ink, name=f"whole:{name}", width=0.9, dash=(1.5, 1.5))
    text = f"I = {three_digits(dome.whole)}"
    (middle,) = panel.at(dome.whole, dome.whole)
    panel.label(text, middle, ink, name="label:whole", away=4.0, side="SW")
    for name, text, cpu, gpu in (
        ("both_below", "both below I:\nno such split", panel.plan.x.low, panel.plan.y.low),
        ("both_above", "both above I:\nno such split", panel.plan.x.high, panel.plan.y.high),
    ):
        (corner,) = panel.at(cpu, gpu)
        centre = (corner + middle) / 2
        panel.centred(text, centre, muted, name=f"label:{name}", dearest=2.0)
    return lines


def _name_levels(panel: Panel, lines: QuadContourSet) -> None:
    """Write each contour's value on it, where there is room."""
    for level, path in zip(lines.levels, lines.get_paths(), strict=True):
        vertices = np.asarray(path.vertices)
        if len(vertices) < 2:
            continue
        places = panel.at(*vertices.T)
        text = three_digits(level)
        size = extent(text)
        picks = places[[int(part * (len(places) - 1)) for part in (0.3, 0.7, 0.5, 0.15, 0.85)]]
        boxes = [Box(x, y, *size) for x, y in picks]
        ink = panel.palette.ink
        panel.write(text, boxes, ink, name=f"label:level:{text}", dearest=0.9, grounded=True)


def _partitions(panel: Panel, dome: Dome, factor: float) -> list[Entry]:
    """Mark the partitions, those beyond the map at its side; return what the key must say.

    CPU-only and GPU-only have an intensity of 0, so they lie beyond it.
    """
    ink, beyond = panel.palette.ink, []
    on_cpu = np.array([partition.cpu for partition in dome.partitions])
    on_gpu = np.array([partition.gpu for partition in dome.partitions])
    for partition, side in zip(dome.partitions, sides(panel, on_cpu, on_gpu), strict=True):
        text = f"{partition.name} {three_digits(partition.bound * factor)}"
        if side:
            x, y = panel.plan.x, panel.plan.y
            across = min(max(partition.cpu, x.low), x.high)
            up = min(max(partition.gpu, y.low), y.high)
            value = f"({three_digits(partition.cpu)}, {three_digits(partition.gpu)})"
            beyond.append(Beyond(str(side), across, up, text, value, ink, ""))
            continue
        name = f"partition:{partition.name}"
        panel.markers(partition.cpu, partition.gpu, ink, name=name, filled=False, size=6.5)
        (place,) = panel.at(partition.cpu, partition.gpu)
        panel.label(
            text,
            place,
            ink,
            name=f"label:{partition.name}",
            away=6.0,
            side="NE",
            bold=True,
            dearest=2.5,
            grounded=True,
        )
    return draw_badges(panel, beyond, grounded=True)


def _measured(dome: Dome, factor: float, unit: str) -> list[Entry]:
    """Return what was measured as text, where there is no room for bars."""
    return [
        Entry(f"{each.name}: measured {three_digits(each.measured * factor)} {unit}")
        for each in dome.partitions
        if each.measured is not None
    ]


def _bars(panel: Panel, dome: Dome, factor: float) -> list[Entry]:
    ink, fill = panel.palette.ink, panel.palette.strong["flops"]
    for index, partition in enumerate(dome.partitions):
        if partition.measured is not None:
            bar = rectangle((index - 0.3, 0.0), (index + 0.3, partition.measured * factor))
            panel.area(bar, fill, name=f"bar:{partition.name}", order=2)
        name, bound = partition.name, partition.bound * factor
        panel.markers(index, bound, ink, name=f"bound:{name}", filled=False, size=6.0, shape="D")
        (place,) = panel.at(index, bound)
        label = f"label:bar:{name}"
        panel.label(three_digits(bound), place, ink, name=label, away=5.0, side="N", dearest=0.9)
    entries = [Entry("upper bound of a partition", ink, marker="D", filled=False)]
    measured = any(partition.measured is not None for partition in dome.partitions)
    return entries + [Entry("measured", fill, patch=True)] * measured


def _table(dome: Dome) -> FigureTable:
    rows: list[tuple[FigureCell, ...]] = [
        ("partition", part.name, part.cpu, part.gpu, part.bound, part.measured)
        for part in dome.partitions
    ]
    rows += [
        ("map", "", float(cpu), float(gpu), float(dome.bound[row, column]), None)
        for row, gpu in enumerate(dome.gpu)
        for column, cpu in enumerate(dome.cpu)
        if np.isfinite(dome.bound[row, column])
    ]
    names = "what", "name", "I_C [flop/B]", "I_G [flop/B]", "bound [flop/s]", "measured [flop/s]"
    return FigureTable(names, rows)
