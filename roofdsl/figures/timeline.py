"""Where the time goes: the tree of steps over time, of one prediction or of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from roofdsl.analysis.listed import listed
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import EDGE_WIDTH, Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.placement import Box
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.steps import Timed, over_time
from roofdsl.units.quantity import show_number

# Of what is shorter there is no room for a name, in points; and about how long a group is then.
_NARROW, _GROUP = 14.0, 44.0
# What a panel has beside its axes, at most.
_MARGIN = 12.0


@in_its_look
def timeline(
    wholes: Sequence[Timed],
    look: Look,
    title: str = "",
    subtitle: str = "",
    names: Sequence[str] = ("",),
) -> Picture:
    """Return the tree of steps over time: what runs in sequence side by side, overlaps stacked.

    Blocks are coloured by what binds them; a repeated step is one block, as long as all its runs.
    Neighbours too short to be named one by one are a group, in bands: the shares of its time by
    what binds. Several trees, each with its name, stand one above another over the same time.
    """
    page = Page(look, 5.0, title, subtitle)
    longest = max(whole.time for whole in wholes)
    point = (page.inner_width - _MARGIN) / (longest or 1)
    drawn = [list(_blocks(whole, 0.0, 0, 1.0, "", point)) for whole in wholes]
    blocks = [block for each in drawn for block in each]
    lanes = 1 + max(block.lane for block in blocks)
    bars = [list(_bars(whole, 0.0, 0, 1.0)) for whole in wholes]
    bounds = tuple(dict.fromkeys(bar.bound for each in bars for bar in each if bar.bound))
    plan, factor = over_time(longest, lanes)

    def draw(height: float) -> list[Entry]:
        panels = page.column([replace(plan, caption=name) for name in names], height)
        for panel, own in zip(panels, drawn, strict=True):
            for block in own:
                _draw_block(panel, block, factor, bounds)
        entries = [resource_entry(f"bound by {name}", name, look, bounds) for name in bounds]
        grouped = sum(len(block.members) for block in blocks if block.is_group)
        return [*entries, *[Entry(f"in groups, {grouped} further steps")] * bool(grouped)]

    rows: list[tuple[FigureCell, ...]] = []
    for name, own in zip(names, bars, strict=True):
        cells = [(b.path, b.start, b.time, b.lane, b.bound) for b in own]
        rows += [(name, *each) for each in cells] if len(names) > 1 else cells
    columns = ("step", "start [s]", "time [s]", "lane", "bound")
    table = FigureTable(("name", *columns) if len(names) > 1 else columns, rows)
    return page.drawn(max(50.0, 20.0 * lanes), draw, table)


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

    @property
    def label(self) -> str:
        """Its name, and how often it is repeated."""
        count = self.part.count
        return self.part.name if count == 1 else f"{self.part.name} × {show_number(count)}"


@dataclass(frozen=True, slots=True)
class Block:
    """What is drawn as one: a step, or a group of steps that follow one another in a lane."""

    members: tuple[Bar, ...]

    @property
    def is_group(self) -> bool:
        return len(self.members) > 1

    @property
    def lane(self) -> int:
        return self.members[0].lane

    @property
    def time(self) -> float:
        return sum(bar.time for bar in self.members)

    def shares(self, bounds: Sequence[str]) -> dict[str, float]:
        """Return the shares of its time by what binds, each 0 to 1, in the order of `bounds`."""
        found = dict.fromkeys([*bounds, ""], 0.0)
        for bar in self.members:
            found[bar.bound] += bar.time / self.time if self.time else 1.0
        return {bound: share for bound, share in found.items() if share}

    @property
    def labels(self) -> tuple[str, ...]:
        """What to write in it, where there is room, the longest first."""
        first, last, count = self.members[0], self.members[-1], len(self.members)
        if not self.is_group:
            return (first.label,)
        kinds = {bar.part.name.rstrip("0123456789") for bar in self.members}
        named = f"{first.part.name} … {last.part.name}"
        return (
            f"{count} × {kinds.pop()}" if len(kinds) == 1 else named,
            f"{count} steps",
            f"{count}",
        )


def _bars(part: Timed, start: float, lane: int, runs: float, path: str = "") -> Iterator[Bar]:
    """Yield a part and all parts in it."""
    where = f"{path}.{part.name}" if path else part.name
    yield Bar(part, where, start, part.time * runs, lane)
    at, below = start, lane + 1
    for child in listed(part):
        inner = list(_bars(child, at, below, runs * part.count, where))
        yield from inner
        if part.arrangement == "overlap":
            below = 1 + max(bar.lane for bar in inner)
        else:
            at += child.time * runs * part.count


def _blocks(
    part: Timed, start: float, lane: int, runs: float, path: str, point: float
) -> Iterator[Block]:
    """Yield what is drawn of a part, where a second is `point` points long."""
    where = f"{path}.{part.name}" if path else part.name
    yield Block((Bar(part, where, start, part.time * runs, lane),))
    inside = runs * part.count
    at, below = start, lane + 1
    if part.arrangement == "overlap":
        for child in (child for child in listed(part) if child.time):
            inner = list(_blocks(child, start, below, inside, where, point))
            yield from inner
            below = 1 + max(block.lane for block in inner)
        return
    row: list[Bar] = []
    for child in listed(part):
        row.append(Bar(child, f"{where}.{child.name}", at, child.time * inside, below))
        at += child.time * inside
    for short, found in groupby(row, lambda bar: bar.time * point < _NARROW):
        members = list(found)
        if short:
            yield from _groups(members, point)
        else:
            for bar in members:
                yield from _blocks(bar.part, bar.start, below, inside, where, point)


def _groups(members: Sequence[Bar], point: float) -> Iterator[Block]:
    """Yield steps in groups of about the same length, each with room for a label if it can be."""
    start, length = members[0].start, sum(bar.time for bar in members)
    count = max(1, int(length * point / _GROUP))

    def place(bar: Bar) -> int:
        middle = (bar.start + bar.time / 2 - start) / length if length else 0.0
        return min(count - 1, int(middle * count))

    for _, found in groupby(members, place):
        yield Block(tuple(found))


def _draw_block(panel: Panel, block: Block, factor: float, bounds: tuple[str, ...]) -> None:
    palette, lane = panel.palette, block.lane
    start = block.members[0].start * factor
    end = start + block.time * factor
    places = panel.at([start, end], [lane, lane + 1])
    room = float(places[1, 0] - places[0, 0]) - 6.0
    kind, path = "group" if block.is_group else "block", block.members[0].path
    name = f"{kind}:{path}:{len(block.members)}" if block.is_group else f"{kind}:{path}"
    top, fill = float(lane), palette.faint
    shares = block.shares(bounds)
    for bound, share in shares.items():
        fill = palette.fill(bound, bounds) if bound else palette.faint
        edge = palette.edge(bound, bounds) if bound else palette.muted
        band = rectangle((start, top), (end, top + share))
        part = f"{name}:{bound}" if block.is_group else name
        drawn = panel.area(band, fill, name=part, order=2.0)
        if room > -2.0:
            drawn.set(edgecolor=edge, linewidth=EDGE_WIDTH)
        top += share
    mixed = len(shares) > 1
    for text in block.labels if room >= 8.0 else ():
        fits = extent(text)[0] <= room
        if fits or (not block.is_group and room >= 14.0):
            label = panel.palette.ink if mixed else readable_on(fill)
            x, y = places.mean(axis=0).tolist()
            shown = shortened(text, room)
            box = Box(x, y, *extent(shown))
            panel.write(shown, [box], label, name=f"label:{path}", dearest=9.0, grounded=mixed)
            break
