"""Where the time goes: the tree of steps over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from roofdsl.figures.key import resource_entry
from roofdsl.figures.lettering import shortened
from roofdsl.figures.look import EDGE_WIDTH, NOTE_SIZE, Look, readable_on, resource_colour
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Picture, Table
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import LinearScale
from roofdsl.figures.seconds import in_unit
from roofdsl.figures.steps import TimedStep

DEFAULT_WIDTH = 5.0


def timeline(whole: TimedStep, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return the tree of steps over time: what runs in sequence side by side, overlaps stacked.

    Blocks are coloured by what binds them; a repeated step is one block, as long as all its runs.
    """
    width = 72 * (look.width or DEFAULT_WIDTH)
    unit, factor = in_unit(whole.time)
    blocks = list(_blocks(whole, 0.0, 0, 1.0))
    lanes = 1 + max(block.lane for block in blocks)
    bounds = tuple(dict.fromkeys(block.part.bound for block in blocks if block.part.bound))

    def draw(height: float) -> Picture:
        page = Page(look, width)
        plan = PanelPlan(
            LinearScale(0.0, whole.time * factor or 1.0),
            LinearScale(float(lanes), 0.0),
            f"Time [{unit}]",
            "",
            grid=False,
            no_y=True,
        )
        (panel,) = page.panels([plan], height)
        for block in blocks:
            _draw_block(panel, block, factor, look, bounds)
        entries = [resource_entry(f"bound by {name}", name, look, bounds) for name in bounds]
        return page.finish(title, entries, _blocks_table(blocks), subtitle)

    return fitted(look, max(50.0, 20.0 * lanes), draw)


@dataclass(frozen=True, slots=True)
class Block:
    """A step on the timeline: when it starts, how long it takes, and its lane."""

    part: TimedStep
    path: str
    start: float
    time: float
    lane: int


def _blocks(
    part: TimedStep, start: float, lane: int, runs: float, path: str = ""
) -> Iterator[Block]:
    where = f"{path}.{part.name}" if path else part.name
    time = part.time * runs
    yield Block(part, where, start, time, lane)
    at, below = start, lane + 1
    for child in part.children:
        inner = list(_blocks(child, at, below, runs * part.count, where))
        yield from inner
        if part.arrangement == "overlap":
            below = 1 + max(block.lane for block in inner)
        else:
            at += child.time * runs * part.count


def _fill(look: Look, bound: str, bounds: tuple[str, ...]) -> str:
    return resource_colour(look.palette.fills, bound, bounds) if bound else look.palette.faint


def _edge(look: Look, bound: str, bounds: tuple[str, ...]) -> str:
    strong, muted = look.palette.strong, look.palette.muted
    return resource_colour(strong, bound, bounds) if bound else muted


def _draw_block(
    panel: Panel, block: Block, factor: float, look: Look, bounds: tuple[str, ...]
) -> None:
    start, end = block.start * factor, (block.start + block.time) * factor
    corners = rectangle((start, block.lane), (end, block.lane + 1))
    fill = _fill(look, block.part.bound, bounds)
    polygon = panel.area(corners, fill, name=f"block:{block.path}", order=2.0)
    places = panel.at(corners[:, 0], corners[:, 1])
    room = float(places[1, 0] - places[0, 0]) - 6.0
    if room > -2.0:
        polygon.set(edgecolor=_edge(look, block.part.bound, bounds), linewidth=EDGE_WIDTH)
    name = block.part.name
    if block.part.count != 1:
        name = f"{name} × {block.part.count:g}"
    if room < 14.0:
        return
    text = shortened(name, room, NOTE_SIZE)
    panel.centred(text, places.mean(axis=0), readable_on(fill), name=f"label:{block.path}")


def _blocks_table(blocks: Sequence[Block]) -> Table:
    return Table(
        ("step", "start [s]", "time [s]", "lane", "bound"),
        tuple((b.path, b.start, b.time, b.lane, b.part.bound) for b in blocks),
    )
