"""How the resources' times compare along a parameter, in one panel or one for each prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.busy_rows import lacking_entries
from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture, rows_of
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale


@dataclass(frozen=True, slots=True)
class Shares:
    """How long each resource is busy [s] at each value of a parameter.

    `busy` lacks the resources that there are none of; `name` is the prediction's, of several.
    """

    parameter: str
    values: NDArray[np.float64]
    labels: tuple[str, ...]
    busy: dict[str, NDArray[np.float64]]
    name: str = ""

    @property
    def working(self) -> list[str]:
        """The resources that are busy at all."""
        return [name for name, times in self.busy.items() if np.any(times > 0)]


@in_its_look
def shares(data: Sequence[Shares], look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return how the resources' times compare along a parameter: columns that add to 100 %.

    The share of the network is what Cardwell 2019, Fig. 2.4, measures. Several predictions have a
    panel each.
    """
    page = Page(look, 7.16 if len(data) > 1 else 5.0, title, subtitle)
    resources = tuple(dict.fromkeys(name for each in data for name in each.working))
    across = page.across(len(data))
    room = (page.width - 70) / across
    plans = [_plan(each, room) for each in data]

    def draw(height: float) -> list[Entry]:
        panels = page.grid(plans, height)
        idle: list[str] = []
        for panel, each in zip(panels, data, strict=True):
            idle += _fill(panel, each, resources)
        entries = [resource_entry(name, name, look, resources) for name in resources]
        lacking = lacking_entries([(each.name, each.busy) for each in data], resources)
        return [*entries, *lacking, *undrawn_entries(idle, "nothing is busy")]

    least = 140.0 if len(data) > 1 else 120.0  # a letter above has its room too
    high = max(least, 0.5 * page.width / across)
    return page.drawn(high, draw, _table(data, resources))


def _plan(data: Shares, room: float) -> PanelPlan:
    widest = max(extent(text, TICK_SIZE)[0] for text in data.labels)
    return PanelPlan(
        CategoryScale(data.labels),
        LinearScale(0.0, 100.0),
        data.parameter,
        "Share of the resources' times [%]",
        turned=widest * len(data.labels) > room,
        caption=data.name,
    )


def _fill(panel: Panel, data: Shares, resources: tuple[str, ...]) -> list[str]:
    """Draw the columns of a prediction; return the names of those in which nothing is busy."""
    foot = np.zeros(len(data.values))
    total = np.sum([np.broadcast_to(each, foot.shape) for each in data.busy.values()], axis=0)
    for resource in (each for each in resources if each in data.busy):
        with np.errstate(invalid="ignore"):
            part = np.nan_to_num(100 * data.busy[resource] / total)
        for index, (low, high) in enumerate(zip(foot, foot + part, strict=True)):
            _column(panel, index, low, high, resource, resources)
        foot = foot + part
    of = f" of {data.name}" if data.name else ""
    return [
        f"{data.parameter} = {text}{of}"
        for text, spent in zip(data.labels, np.broadcast_to(total, foot.shape), strict=True)
        if not spent > 0
    ]


def _table(data: Sequence[Shares], resources: tuple[str, ...]) -> FigureTable:
    if len(data) == 1:
        (one,) = data
        columns = (one.parameter, *(f"{name} busy [s]" for name in one.busy))
        return FigureTable(columns, rows_of(one.values, *one.busy.values()))
    parameters = ", ".join(dict.fromkeys(each.parameter for each in data))
    rows: list[tuple[FigureCell, ...]] = []
    for each in data:
        rows += rows_of(each.name, each.values, *map(each.busy.get, resources))
    return FigureTable(("name", parameters, *(f"{name} busy [s]" for name in resources)), rows)


def _column(
    panel: Panel, index: int, low: float, high: float, resource: str, resources: tuple[str, ...]
) -> None:
    """Draw a resource's part of a column, and its share in it where there is room."""
    fill, edge = (of(resource, resources) for of in (panel.palette.fill, panel.palette.edge))
    corners = rectangle((index - 0.42, low), (index + 0.42, high))
    panel.area(corners, fill, name=f"share:{resource}:{index}", order=2.0, edge=edge)
    places = panel.at(*corners[[0, 2]].T)
    text = f"{high - low:.0f}"
    room = places[1] - places[0] - extent(text)
    if room[0] > 2 and room[1] > 1:
        name = f"label:share:{resource}:{index}"
        panel.centred(text, places.mean(axis=0), readable_on(fill), name=name)
