"""Where the time goes: the tree of steps over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.listed import listed
from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import shortened
from roofdsl.figures.look import EDGE_WIDTH, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import LinearScale
from roofdsl.figures.steps import Timed


@in_its_look
def timeline(whole: Timed, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the tree of steps over time: what runs in sequence side by side, overlaps stacked.

    Blocks are coloured by what binds them; a repeated step is one block, as long as all its runs.
    """
    unit, factor = in_unit(whole.time)
    blocks = list(_blocks(whole, 0.0, 0, 1.0))
    lanes = 1 + max(block.lane for block in blocks)
    bounds = tuple(dict.fromkeys(block.bound for block in blocks if block.bound))
    plan = PanelPlan(
        LinearScale(0.0, whole.time * factor or 1.0),
        LinearScale(float(lanes), 0.0),
        f"Time [{unit}]",
        "",
        grid=False,
        no_y=True,
    )

    def draw(panel: Panel) -> list[Entry]:
        for block in blocks:
            _draw_block(panel, block, factor, bounds)
        return [resource_entry(f"bound by {name}", name, look, bounds) for name in bounds]

    rows = [(b.path, b.start, b.time, b.lane, b.bound) for b in blocks]
    table = FigureTable(("step", "start [s]", "time [s]", "lane", "bound"), rows)
    return Page(look, 5.0, title, subtitle).single(plan, max(50.0, 20.0 * lanes), draw, table)


@dataclass(frozen=True, slots=True)
class Bar:
    """A step on the timeline: when it starts, how long it takes, and its lane."""

    part: Timed
    path: str
    start: float
    time: float
    lane: int

    @property
    def bound(self) -> str:
        """What binds it, "" where nothing does."""
        return self.part.bound or ""


def _blocks(part: Timed, start: float, lane: int, runs: float, path: str = "") -> Iterator[Bar]:
    where = f"{path}.{part.name}" if path else part.name
    time = part.time * runs
    yield Bar(part, where, start, time, lane)
    at, below = start, lane + 1
    for child in listed(part):
        inner = list(_blocks(child, at, below, runs * part.count, where))
        yield from inner
        if part.arrangement == "overlap":
            below = 1 + max(block.lane for block in inner)
        else:
            at += child.time * runs * part.count


def _draw_block(panel: Panel, block: Bar, factor: float, bounds: tuple[str, ...]) -> None:
    start, end = block.start * factor, (block.start + block.time) * factor
    corners = rectangle((start, block.lane), (end, block.lane + 1))
    bound, palette = block.bound, panel.palette
    fill = palette.fill(bound, bounds) if bound else palette.faint
    polygon = panel.area(corners, fill, name=f"block:{block.path}", order=2.0)
    places = panel.at(*corners.T)
    room = float(places[1, 0] - places[0, 0]) - 6.0
    if room > -2.0:
        edge = palette.edge(bound, bounds) if bound else palette.muted
        polygon.set(edgecolor=edge, linewidth=EDGE_WIDTH)
    if room < 14.0:
        return
    name = block.part.name
    if block.part.count != 1:
        name = f"{name} × {block.part.count:g}"
    text = shortened(name, room)
    panel.centred(text, places.mean(axis=0), readable_on(fill), name=f"label:{block.path}")
