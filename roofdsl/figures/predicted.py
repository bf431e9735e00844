"""Measured against predicted, with the errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import cycle
from typing import NamedTuple

import numpy as np

from roofdsl.answer.arrays import array_of
from roofdsl.contract import constructed
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures.axis_unit import unit_between, with_unit
from roofdsl.figures.edges import off_scale_entries
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.marks import SHAPES, diameter, marks
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.placement import FINE_COST, along
from roofdsl.figures.scale import (
    Array,
    CategoryScale,
    LinearScale,
    LogScale,
    Scale,
    drawable,
    ends,
    round_step,
    snapped,
    spanning,
)
from roofdsl.model.given import as_text, each, in_turn
from roofdsl.units.dimension import BYTE, FLOP, JOULE, SECOND
from roofdsl.units.quantity import prefixed_units

MOST_ROWS = 40
_ROW = 13.0
_ERRORS = 44.0
# Values within this factor need no logarithms.
_ALIKE = 8.0
# What may be measured, in units that take a prefix where one fits.
_UNITS = (SECOND, FLOP, BYTE, FLOP / SECOND, BYTE / SECOND, JOULE, JOULE / SECOND)


def _column(name: str, value: object) -> Array:
    """Read numbers in a row; those that are not finite are left out of the figure."""
    found = array_of(name, value)
    if found.ndim == 1 and found.dtype.kind in "iuf":
        return found.astype(float)
    raise TypeError(f"{name} takes a list or an array of numbers")


@constructed(
    names=each(as_text),
    groups=each(as_text),
    measured=_column,
    predicted=_column,
    quantity=as_text,
    unit=as_text,
    called=in_turn(as_text, as_text),
)
@dataclass(frozen=True, slots=True)
class MeasuredAgainstPredicted:
    """Names with a measured and a predicted value each, of a quantity and its unit, "" for none.

    `groups`, if given, has the group of each, such as a machine or a batch size; `called` says what
    the two values are where they are others, such as ("exact", "counted").
    """

    names: tuple[str, ...]
    measured: Array
    predicted: Array
    quantity: str = "Time"
    unit: str = "s"
    groups: tuple[str, ...] = ()
    called: tuple[str, str] = ("measured", "predicted")

    def __post_init__(self) -> None:
        counts = {len(self.names), len(self.measured), len(self.predicted)}
        if len(counts | {len(self.groups)} - {0}) != 1:
            message = "names, groups, measured and predicted values are not equally many"
            raise RoofError([Diagnostic("R0806", message)])

    def labelled(self, text: str) -> str:
        """Return a text with the unit behind it."""
        return with_unit(text, self.unit)

    @property
    def errors(self) -> Array:
        """100·(predicted − measured)/measured [%]."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(100 * (self.predicted - self.measured) / self.measured)


@in_its_look
def predicted(
    data: MeasuredAgainstPredicted, look: Look, title: str = "", subtitle: str = ""
) -> Picture:
    """Return a row for each name where they are few, else a cloud about the diagonal."""
    absolute = np.abs(data.errors[np.isfinite(data.errors)])
    if absolute.size:
        text = f"mean absolute error {three_digits(float(absolute.mean()))} %"
        if len(absolute) < len(data.names):  # what was measured as 0 has none
            text += f", of {len(absolute)} of {len(data.names)}"
        subtitle = f"{subtitle}, {text}" if subtitle else text
    page = Page(look, 5.0, title, subtitle)
    return (_rows if len(data.names) <= MOST_ROWS else _cloud)(data, page)


def _axis_unit(data: MeasuredAgainstPredicted) -> tuple[str, float]:
    """Return the unit for an axis of both values, and how much of theirs it is."""
    span = ends(data.measured, data.predicted)
    same = [each for each in _UNITS if prefixed_units(each)[0] == data.unit]
    return unit_between(*span, same[0]) if span and same else (data.unit, 1.0)


def _scale(low: float, high: float, look: Look, unit: float) -> Scale:
    """Return a scale from 0 where all values are alike, else a logarithmic one."""
    if high < _ALIKE * low:
        step = round_step(high / unit / 5) * unit
        return LinearScale(0.0, step * math.ceil(high / step - 1e-9), unit)
    return snapped(look.base, low, high, unit=unit)


def _rows(data: MeasuredAgainstPredicted, page: Page) -> Picture:
    each = zip(data.names, data.groups or [""] * len(data.names), strict=True)
    names = [f"{name}  {group}" if group else name for name, group in each]
    labels = tuple(shortened(name, page.width / 3, TICK_SIZE) for name in names)
    low, high = ends(data.measured, data.predicted) or (1.0, 10.0)
    unit, size = _axis_unit(data)
    scale = _scale(low, high, page.look, size)
    rows = CategoryScale(labels, downwards=True)
    plan = PanelPlan(scale, rows, with_unit(data.quantity, unit), "")

    def draw(panel: Panel) -> list[Entry]:
        for row in range(len(names)):
            _pair(panel, row, data)
        return [
            Entry(data.called[0], panel.palette.ink, marker="o"),
            Entry(data.called[1], panel.palette.series[1], marker="o", filled=False),
            Entry(f"at the right: how far {data.called[1]} is above {data.called[0]}"),
            *_left_out(data, isinstance(scale, LogScale)),
        ]

    return page.single(plan, max(60.0, _ROW * len(names)), draw, _table(data), right=_ERRORS)


class _Dot(NamedTuple):
    """A marker of a row: what it is, where, and how it looks."""

    name: str
    at: float
    colour: str
    filled: bool
    size: float
    order: float


def _pair(panel: Panel, row: int, data: MeasuredAgainstPredicted) -> None:
    palette = panel.palette
    values = [float(data.measured[row]), float(data.predicted[row])]
    shown = [value for value in values if np.isfinite(value) and value > 0]
    if len(shown) == 2:
        panel.line(
            shown, [row, row], palette.muted, name=f"error:{row}", width=0.9, order=2.0, cost=0
        )
    # The measured one on top of all, and smaller, so that neither hides the other.
    ring = _Dot("predicted", values[1], palette.series[1], False, 8.0, 4.0)
    for dot in (ring, _Dot("measured", values[0], palette.ink, True, 5.5, 5.0)):
        if np.isfinite(dot.at) and (dot.at > 0 or not isinstance(panel.plan.x, LogScale)):
            panel.markers(
                dot.at,
                row,
                dot.colour,
                name=f"{dot.name}:{row}",
                filled=dot.filled,
                size=dot.size,
                order=dot.order,
            )
    error = float(data.errors[row])
    if np.isfinite(error):
        sign = "+" if error > 0 else "−" if error < 0 else ""
        text = f"{sign}{three_digits(float(f'{abs(error):.3g}'))} %"
        ((_, y),) = panel.at(1.0, row)
        panel.beside(text, y, _ERRORS - 4.0, palette.ink, name=f"label:error:{row}")


def _cloud(data: MeasuredAgainstPredicted, page: Page) -> Picture:
    unit, size = _axis_unit(data)
    scale = spanning(page.look.base, data.measured, data.predicted, unit=size)
    groups = data.groups or ("",) * len(data.names)
    found = marks(groups, page.look.palette)
    shapes = dict(zip(found, cycle(SHAPES), strict=False))
    placed = drawable(data.measured) & drawable(data.predicted)
    what = with_unit(data.quantity.lower(), unit)
    across, up = (f"{called.capitalize()} {what}" for called in data.called)
    plan = PanelPlan(scale, scale, across, up)

    def draw(panel: Panel) -> list[Entry]:
        _diagonals(panel)
        for group, mark in found.items():
            kept = np.array([name == group for name in groups]) & placed
            panel.markers(
                data.measured[kept],
                data.predicted[kept],
                mark.colour,
                name=f"points:{group}",
                shape=shapes[group],
                size=diameter(None, len(data.names)),
                opacity=0.75,
            )
        _worst(panel, data)
        told = [(group, mark.colour) for group, mark in found.items() if group]
        entries = [Entry(group, colour, marker=shapes[group]) for group, colour in told]
        return entries + _left_out(data, True)

    return page.single(plan, 0.78 * page.width, draw, _table(data))


def _left_out(data: MeasuredAgainstPredicted, logarithmic: bool) -> list[Entry]:
    names = [f"{name} {what}" for what in data.called for name in data.names]
    values = np.concatenate([data.measured, data.predicted])
    return off_scale_entries(names, values, logarithmic=logarithmic)


def _diagonals(panel: Panel) -> None:
    """Draw where both agree, and where the prediction is off by a factor of two."""
    low, high = panel.plan.x.low, panel.plan.x.high
    for factor, text, width, dash in (
        (1.0, "equal", 1.3, ()),
        (2.0, "2 × too high", 0.7, (1.5, 1.5)),
        (0.5, "2 × too low", 0.7, (1.5, 1.5)),
    ):
        left, right = max(low, low / factor), min(high, high / factor)
        xs, ys = [left, right], [left * factor, right * factor]
        colour = panel.palette.ink if factor == 1 else panel.palette.muted
        name, style = f"diagonal:{factor:g}", {"width": width, "order": 1.5, "cost": FINE_COST}
        panel.line(xs, ys, colour, name=name, dash=dash, **style)
        boxes = along(panel.at(xs, ys), extent(text), (0.1, 0.9, 0.2, 0.8))
        panel.write(text, boxes, colour, name=f"label:{name}", dearest=3.5)


def _worst(panel: Panel, data: MeasuredAgainstPredicted) -> None:
    """Name the points that are farthest off."""
    with np.errstate(divide="ignore", invalid="ignore"):
        off = np.abs(np.log(data.predicted / data.measured))
    off[~np.isfinite(off)] = -1.0
    for index in np.argsort(-off, kind="stable")[:8]:
        if off[index] < 0:
            break
        text = shortened(data.names[index], 90.0)
        (place,) = panel.at(data.measured[index], data.predicted[index])
        name = f"label:point:{index}"
        panel.label(text, place, panel.palette.ink, name=name, away=4.0, dearest=0.9)


def _table(data: MeasuredAgainstPredicted) -> FigureTable:
    groups = data.groups or ("",) * len(data.names)
    values = map(data.labelled, data.called)
    rows = rows_of(data.names, groups, data.measured, data.predicted, data.errors)
    return FigureTable(("name", "group", *values, "error [%]"), rows)
