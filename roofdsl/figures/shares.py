"""How the resources' times compare along a parameter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.edges import undrawn_entries
from roofdsl.figures.key import resource_entry
from roofdsl.figures.lettering import extent
from roofdsl.figures.look import NOTE_SIZE, TICK_SIZE, Look, readable_on, resource_colour
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Picture, Table, rows_of
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale

DEFAULT_WIDTH = 5.0


@dataclass(frozen=True, slots=True)
class Shares:
    """How long each resource is busy [s] at each value of a parameter."""

    parameter: str
    values: NDArray[np.float64]
    labels: tuple[str, ...]
    busy: dict[str, NDArray[np.float64]]


def shares(data: Shares, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return how the resources' times compare along a parameter: columns that add to 100 %.

    The share of the network is what Cardwell 2019, Fig. 2.4, measures.
    """
    width = 72 * (look.width or DEFAULT_WIDTH)
    resources = tuple(name for name, times in data.busy.items() if np.any(times > 0))
    total = np.sum([data.busy[name] for name in resources], axis=0)
    turned = max(extent(text, TICK_SIZE)[0] for text in data.labels) * len(data.labels) > width - 70

    def draw(height: float) -> Picture:
        page = Page(look, width)
        plan = PanelPlan(
            CategoryScale(data.labels),
            LinearScale(0.0, 100.0),
            data.parameter,
            "Share of the resources' times [%]",
            turned=turned,
        )
        (panel,) = page.panels([plan], height)
        foot = np.zeros(len(data.values))
        for resource in resources:
            with np.errstate(invalid="ignore"):
                part = np.nan_to_num(100 * data.busy[resource] / total)
            fill = resource_colour(look.palette.fills, resource, resources)
            edge = resource_colour(look.palette.strong, resource, resources)
            for index, (low, high) in enumerate(zip(foot, foot + part, strict=True)):
                column = rectangle((index - 0.42, low), (index + 0.42, high))
                name = f"share:{resource}:{index}"
                panel.area(column, fill, name=name, order=2.0, edge=edge)
                _percent(panel, index, low, high, fill, resource)
            foot = foot + part
        entries = [resource_entry(name, name, look, resources) for name in resources]
        idle = [
            f"{data.parameter} = {text}"
            for text, spent in zip(data.labels, np.broadcast_to(total, foot.shape), strict=True)
            if not spent > 0
        ]
        entries += undrawn_entries(idle, "nothing is busy")
        return page.finish(title, entries, _shares_table(data), subtitle)

    return fitted(look, max(120.0, 0.5 * width), draw)


def _percent(panel: Panel, index: int, low: float, high: float, fill: str, resource: str) -> None:
    places = panel.at([index - 0.42, index + 0.42], [low, high])
    text = f"{high - low:.0f}"
    size = extent(text, NOTE_SIZE)
    if places[1, 0] - places[0, 0] > size[0] + 2 and places[1, 1] - places[0, 1] > size[1] + 1:
        name = f"label:share:{resource}:{index}"
        panel.centred(text, places.mean(axis=0), readable_on(fill), name=name)


def _shares_table(data: Shares) -> Table:
    columns = (data.parameter, *(f"{name} busy [s]" for name in data.busy))
    return Table(columns, tuple(rows_of(data.values, *data.busy.values())))
