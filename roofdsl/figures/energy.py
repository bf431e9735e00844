"""The energy roofline: flops per joule, and power, over operational intensity.

Where times overlap, energies add up: the line is an arch. Both panels are those of Choi, Bedard,
Fowler, Vuduc: A Roofline Model of Energy, IPDPS 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from roofdsl.analysis.intensity import axis_label
from roofdsl.figures.axis_unit import in_unit, unit_between
from roofdsl.figures.curves import Curve, draw_curve, name_curve
from roofdsl.figures.edges import off_scale_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import Look, in_its_look
from roofdsl.figures.marks import Mark, marks, shapes
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture, rows_of
from roofdsl.figures.placement import Subject, around
from roofdsl.figures.scale import (
    POSITIVE,
    Array,
    LinearScale,
    LogScale,
    drawable,
    ends,
    fitting,
    snapped,
    spanning,
)
from roofdsl.units.dimension import FLOP, JOULE, SECOND

NARROWEST = 160.0
_GIGA = 1e9
_X = axis_label("OI")
_DOTTED = (1.5, 1.5)
_WIDE = 30.0


class Balanced(NamedTuple):
    """A balance point: its name, its intensity [flop/B], and the flops per joule there [flop/J].

    Those are of the work alone at the energy balance, which does not count constant power.
    """

    name: str
    intensity: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class Arch:
    """A machine: flops per joule [flop/J], with constant power and without, and its power [W]."""

    name: str
    intensities: Array
    efficiency: Array
    of_work: Array
    power: Array
    balances: tuple[Balanced, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A model on a machine: its intensity, flops per joule, and power of one process [W].

    `arch` is the name of the line of its flops, where that is not the machine's; `text` is what is
    written beside it.
    """

    name: str
    machine: str
    intensity: float
    efficiency: float
    power: float
    arch: str = ""
    text: str = ""


@in_its_look
def energy(
    arches: Sequence[Arch], spots: Sequence[Spot], look: Look, title: str = "", subtitle: str = ""
) -> Picture:
    """Return flops per joule and power side by side; dotted is what it were without power."""
    page = Page(look, 7.16, title, subtitle)
    found = marks([arch.name for arch in arches], look.palette)
    stacked = page.width / 2 < NARROWEST
    x = spanning(look.base, *(arch.intensities for arch in arches), _of(spots, "intensity"))
    lines = [line for arch in arches for line in (arch.efficiency, arch.of_work)]
    low, high = ends(*lines, _of(spots, "efficiency")) or (_GIGA, _GIGA)
    unit, size = unit_between(low / _GIGA, high / _GIGA, FLOP / JOULE, per=_GIGA)
    speeds = snapped(look.base, low / _GIGA, high / _GIGA, unit=size)
    powers, watts = _powers(look, *(arch.power for arch in arches), _of(spots, "power"))
    plans = [
        PanelPlan(x, speeds, _X, f"Flops per joule [{unit}]"),
        PanelPlan(x, powers, _X, f"Power of one process [{watts}]"),
    ]

    def draw(height: float) -> list[Entry]:
        panels = page.column(plans, height) if stacked else page.panels(plans, height)
        entries: list[Entry] = []
        for what, panel in zip(("efficiency", "power"), panels, strict=True):
            factor = _GIGA if what == "efficiency" else 1.0
            curves = [_arch(panel, arch, found[arch.name], what, factor) for arch in arches]
            _spots(panel, spots, found, what, factor)
            if what == "efficiency" and len(arches) == 1:
                _balances(panel, arches[0])
            # Names keep clear of all that is drawn.
            named = [
                name_curve(panel, curve, found[curve.name], f"{what}:{curve.name}")
                for curve in curves
            ]
            _names(panel, spots, found, what, factor)
            if what == "efficiency":
                entries = [
                    Entry(name, mark.colour, mark.dash, line=True)
                    for name, mark in found.items()
                    if not all(named)
                ]
                dotted = "of the work alone, without constant power"
                entries.append(Entry(dotted, panel.palette.ink, _DOTTED, line=True))
                entries += _meanings(spots, found)
        names = [f"{spot.name} on {spot.machine}" for spot in spots]
        return [*entries, *off_scale_entries(names, _of(spots, "intensity"))]

    each = page.width if stacked else page.width / 2
    return page.drawn(max(110.0, min(0.75 * (each - 40), 150.0)), draw, _table(arches, spots))


def _of(spots: Sequence[Spot], field: str) -> Array:
    return np.array([float(getattr(spot, field)) for spot in spots], dtype=float)


def _arch(panel: Panel, arch: Arch, mark: Mark, what: str, factor: float) -> Curve:
    """Draw and return a machine's line."""
    values = getattr(arch, what) / factor
    line = Curve(arch.name, arch.intensities, np.where(drawable(values), values, np.nan))
    draw_curve(panel, line, mark, f"{what}:{arch.name}")
    if what == "efficiency":
        alone = arch.of_work / factor
        kept = drawable(alone)
        xs, ys = arch.intensities[kept], alone[kept]
        panel.line(xs, ys, mark.colour, name=f"work:{arch.name}", width=0.8, dash=_DOTTED)
    return line


def _spots(
    panel: Panel, spots: Sequence[Spot], found: dict[str, Mark], what: str, factor: float
) -> None:
    keys = _keys(spots)
    markers = shapes(keys)
    for spot, key in zip(spots, keys, strict=True):
        if (place := _place(spot, what, factor)) is not None:
            colour, name = found[spot.arch or spot.machine].colour, _name(spot, what)
            panel.markers(*place, colour, name=name, shape=markers[key], size=5.0)


def _keys(spots: Sequence[Spot]) -> list[str]:
    """Return what the shape of each marker stands for: its model, its machine, or both."""
    models, machines = (
        len({getattr(spot, each) for spot in spots}) for each in ("name", "machine")
    )
    if machines < 2:
        return [spot.name for spot in spots]
    return [spot.machine if models < 2 else f"{spot.name} on {spot.machine}" for spot in spots]


def _meanings(spots: Sequence[Spot], found: dict[str, Mark]) -> list[Entry]:
    """Return what the markers' shapes mean, where there are several machines."""
    if len({spot.machine for spot in spots}) < 2:
        return []
    keys = _keys(spots)
    colours = [found[spot.arch or spot.machine].colour for spot in spots]
    drawn = dict(zip(keys, colours, strict=True))
    return [Entry(key, drawn[key], marker=shape) for key, shape in shapes(keys).items()]


def _names(
    panel: Panel, spots: Sequence[Spot], found: dict[str, Mark], what: str, factor: float
) -> None:
    """Write beside points what they are called."""
    for number, spot in enumerate(spots):
        place = _place(spot, what, factor)
        if spot.text and place is not None:
            text = shortened(spot.text, 90.0)
            point = panel.at(*place)[0]
            boxes = around(point, extent(text), 5.0, "NW")
            colour, name = found[spot.arch or spot.machine].colour, f"{_name(spot, what)}:{number}"
            # It stands on its own line, and must not be taken for a point of a dotted one.
            about = Subject(point=(float(point[0]), float(point[1])), rivals="work:")
            panel.write(text, boxes, colour, name=f"label:{name}", about=about)


def _powers(look: Look, *values: Array) -> tuple[LogScale | LinearScale, str]:
    """Return the scale of power and its unit: from 0, where a logarithmic one shows too little."""
    span = ends(*values)
    if span and span[1] > _WIDE * span[0]:
        unit, size = unit_between(*span, JOULE / SECOND)
        return spanning(look.base, *values, unit=size), unit
    unit, factor = in_unit(span[1] if span else 0.0, JOULE / SECOND)
    return fitting(look.base, [0.0], *values, low=POSITIVE, unit=1 / factor), unit


def _balances(panel: Panel, arch: Arch) -> None:
    """Drop a dotted line from each balance point to the axis, and write its value there."""
    for name, intensity, efficiency in arch.balances:
        x = np.array([intensity, intensity])
        low = panel.plan.y.low
        panel.guide(x, [low, efficiency / _GIGA], panel.palette.muted, name=f"balance:{name}")
    for name, intensity, _ in arch.balances:
        text = f"{name} {three_digits(intensity)}"
        boxes = panel.at_foot(intensity, extent(text), (2.0, 11.0, 20.0, 29.0))
        panel.write(text, boxes, panel.palette.muted, name=f"label:balance:{name}", dearest=0.9)


def _place(spot: Spot, what: str, factor: float) -> tuple[Array, Array] | None:
    height = getattr(spot, what) / factor
    if not (np.isfinite(spot.intensity) and spot.intensity > 0 and height > 0):
        return None
    return np.array([spot.intensity]), np.array([height])


def _name(spot: Spot, what: str) -> str:
    return f"{what}:{spot.name}:{spot.machine}"


def _table(arches: Sequence[Arch], spots: Sequence[Spot]) -> FigureTable:
    rows: list[tuple[FigureCell, ...]] = []
    for arch in arches:
        columns = (arch.intensities, arch.efficiency, arch.of_work, arch.power)
        rows += rows_of("machine", arch.name, *columns)
        for name, intensity, height in arch.balances:
            heights = (None, height) if name == "energy balance" else (height, None)
            rows.append((name, arch.name, intensity, *heights, None))
    rows += [
        (spot.name, spot.machine, spot.intensity, spot.efficiency, None, spot.power)
        for spot in spots
    ]
    names = ("what", "machine", "OI [flop/B]", "flop/J", "flop/J of work alone", "power [W]")
    return FigureTable(names, rows)
