"""Rows of how long each resource is busy: as bars over time, or as shares of the busy times."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale

ROW = 17.0
LABEL = 130.0
"""How wide a row's name may be, in points."""
_THICK = 0.76


class BusyRow(NamedTuple):
    """A kernel over all its runs, or a prediction: its time [s], what binds it, and busy times.

    `busy` says how long [s] each resource is busy; it lacks those that there are none of.
    """

    name: str
    time: float
    bound: str | None
    busy: dict[str, float]
    runs: float = 1.0

    @property
    def working(self) -> list[str]:
        """The resources that are busy at all."""
        return [name for name, spent in self.busy.items() if spent > 0]


@in_its_look
def busy_times(rows: Sequence[BusyRow], look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return a row for each prediction: how long every resource is busy, and the time it takes."""
    resources = _resources(rows)
    longest = max(max([row.time, *row.busy.values()]) for row in rows)
    unit, factor = in_unit(longest)
    page = Page(look, 5.0, title, subtitle)
    scale = LinearScale(0.0, 1.32 * longest * factor or 1.0)

    def draw(panel: Panel) -> list[Entry]:
        for place, row in enumerate(rows):
            draw_busy(panel, place, row, _time(row), factor, resources)
        entries = [*busy_entries(look, resources), Entry("| time")]
        return entries + _lacking(rows, resources)

    plan = PanelPlan(scale, _names(rows, page), f"Time [{unit}]", "")
    high = max(60.0, (ROW + 3.0 * len(resources)) * len(rows))
    return page.single(plan, high, draw, _table(rows, resources))


@in_its_look
def busy_shares(
    rows: Sequence[BusyRow], look: Look, title: str = "", subtitle: str = ""
) -> Picture:
    """Return a row for each prediction: the resources' shares of their busy times, to 100 %.

    Behind it stands how long it takes.
    """
    resources = _resources(rows)
    page = Page(look, 5.0, title, subtitle)
    scale = LinearScale(0.0, 100.0)
    room = max(extent(_time(row))[0] for row in rows) + 8.0

    def draw(panel: Panel) -> list[Entry]:
        for place, row in enumerate(rows):
            total = math.fsum(row.busy.values())
            foot = 0.0
            for resource in (each for each in resources if row.busy.get(each, 0.0) > 0):
                share = 100 * row.busy[resource] / total
                _part(panel, place, (foot, foot + share), resource, resources)
                foot += share
            y = float(panel.at(100.0, place)[0, 1])
            panel.beside(_time(row), y, room, panel.palette.ink, name=f"label:time:{place}")
        entries = [resource_entry(name, name, look, resources) for name in resources]
        idle = [row.name for row in rows if not row.working]
        at_right = Entry("at the right: the time")
        idle_entries = undrawn_entries(idle, "nothing is busy")
        return [*entries, at_right, *_lacking(rows, resources), *idle_entries]

    plan = PanelPlan(scale, _names(rows, page), "Share of the busy times [%]", "")
    high = max(60.0, 1.2 * ROW * len(rows))
    return page.single(plan, high, draw, _table(rows, resources), right=room)


def busy_entries(look: Look, resources: tuple[str, ...]) -> list[Entry]:
    """Return what the key says of the bars of resources."""
    return [resource_entry(f"{name} busy", name, look, resources) for name in resources]


def lacking_entries(
    busy: Iterable[tuple[str, Container[str]]], resources: Sequence[str]
) -> list[Entry]:
    """Return what the key says of resources that only others have: what is not there is not 0.

    `busy` are the predictions' names, each with the resources that it has.

    >>> found = lacking_entries([("a", {"memory"}), ("b", {"memory", "disk"})], ["memory", "disk"])
    >>> [entry.text for entry in found]
    ['not drawn, none there:', 'disk of a']
    """
    lacking = [f"{each} of {name}" for name, own in busy for each in resources if each not in own]
    return undrawn_entries(lacking, "none there")


def _lacking(rows: Sequence[BusyRow], resources: Sequence[str]) -> list[Entry]:
    return lacking_entries([(row.name, row.busy) for row in rows], resources)


def draw_busy(
    panel: Panel, place: int, row: BusyRow, text: str, factor: float, resources: tuple[str, ...]
) -> None:
    """Draw one row: a thin bar for each resource, a mark at the time, a text behind it."""
    busy = [resource for resource in resources if row.busy.get(resource, 0.0) > 0]
    palette = panel.palette
    thick = _THICK / max(1, len(busy))
    for number, resource in enumerate(busy):
        top = place - _THICK / 2 + number * thick
        bar = rectangle((0.0, top), (row.busy[resource] * factor, top + 0.86 * thick))
        fill, edge = palette.fill(resource, resources), palette.edge(resource, resources)
        panel.area(bar, fill, name=f"bar:{row.name}:{resource}", order=2.0, edge=edge)
    xs, ys = [row.time * factor] * 2, [place - _THICK / 2, place + _THICK / 2 - 0.05]
    panel.line(xs, ys, palette.ink, name=f"time:{row.name}", width=1.2, order=3.0)
    longest = max([row.time, *row.busy.values()]) * factor
    write_behind(panel, longest, place, text, palette.ink, f"label:{row.name}")


def write_behind(panel: Panel, value: float, place: int, text: str, colour: str, name: str) -> None:
    """Write a text in a row, behind what ends at a value."""
    ((x, y),) = panel.at(value, place)
    panel.centred(text, (x + 4.0 + extent(text)[0] / 2, y), colour, name=name)


def _part(
    panel: Panel, place: int, ends: tuple[float, float], resource: str, resources: tuple[str, ...]
) -> None:
    """Draw a resource's part of a row, and its share in it where there is room."""
    fill, edge = (of(resource, resources) for of in (panel.palette.fill, panel.palette.edge))
    corners = rectangle((ends[0], place - _THICK / 2), (ends[1], place + _THICK / 2))
    panel.area(corners, fill, name=f"share:{resource}:{place}", order=2.0, edge=edge)
    places = panel.at(*corners[[0, 2]].T)
    text = f"{ends[1] - ends[0]:.0f}"
    if abs(places[1, 0] - places[0, 0]) > extent(text)[0] + 2:
        name = f"label:share:{resource}:{place}"
        panel.centred(text, places.mean(axis=0), readable_on(fill), name=name)


def _resources(rows: Sequence[BusyRow]) -> tuple[str, ...]:
    """Return the resources that are busy somewhere, in the order they turn up."""
    return tuple(dict.fromkeys(name for row in rows for name in row.working))


def _time(row: BusyRow) -> str:
    unit, factor = in_unit(row.time)
    return f"{three_digits(row.time * factor)} {unit}"


def _names(rows: Sequence[BusyRow], page: Page) -> CategoryScale:
    room = min(LABEL, page.width / 3)
    return CategoryScale(
        tuple(shortened(row.name, room, TICK_SIZE) for row in rows), downwards=True
    )


def _table(rows: Sequence[BusyRow], resources: tuple[str, ...]) -> FigureTable:
    columns = ("name", "time [s]", "bound", *(f"{name} busy [s]" for name in resources))
    found: list[tuple[FigureCell, ...]] = [
        (row.name, row.time, row.bound, *map(row.busy.get, resources)) for row in rows
    ]
    return FigureTable(columns, found)
