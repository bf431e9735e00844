"""How the resources' times compare along a parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture, rows_of
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale


@dataclass(frozen=True, slots=True)
class Shares:
    """How long each resource is busy [s] at each value of a parameter."""

    parameter: str
    values: NDArray[np.float64]
    labels: tuple[str, ...]
    busy: dict[str, NDArray[np.float64]]


@in_its_look
def shares(data: Shares, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return how the resources' times compare along a parameter: columns that add to 100 %.

    The share of the network is what Cardwell 2019, Fig. 2.4, measures.
    """
    page = Page(look, 5.0, title, subtitle)
    resources = tuple(name for name, times in data.busy.items() if np.any(times > 0))
    total = np.sum([data.busy[name] for name in resources], axis=0)
    widest = max(extent(text, TICK_SIZE)[0] for text in data.labels)
    plan = PanelPlan(
        CategoryScale(data.labels),
        LinearScale(0.0, 100.0),
        data.parameter,
        "Share of the resources' times [%]",
        turned=widest * len(data.labels) > page.width - 70,
    )

    def draw(panel: Panel) -> list[Entry]:
        foot = np.zeros(len(data.values))
        for resource in resources:
            with np.errstate(invalid="ignore"):
                part = np.nan_to_num(100 * data.busy[resource] / total)
            for index, (low, high) in enumerate(zip(foot, foot + part, strict=True)):
                _column(panel, index, low, high, resource, resources)
            foot = foot + part
        entries = [resource_entry(name, name, look, resources) for name in resources]
        idle = [
            f"{data.parameter} = {text}"
            for text, spent in zip(data.labels, np.broadcast_to(total, foot.shape), strict=True)
            if not spent > 0
        ]
        return entries + undrawn_entries(idle, "nothing is busy")

    columns = (data.parameter, *(f"{name} busy [s]" for name in data.busy))
    table = FigureTable(columns, rows_of(data.values, *data.busy.values()))
    return page.single(plan, max(120.0, 0.5 * page.width), draw, table)


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
