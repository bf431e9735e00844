"""Where the time goes: a row of bars for each step, or the tree of steps over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.analysis.composition import Composed
from roofdsl.figures.lettering import extent, in_unit, shortened, three_digits
from roofdsl.figures.look import EDGE_WIDTH, TICK_SIZE, Look, readable_on
from roofdsl.figures.page import Entry, Page, resource_entry
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale

Timed = Composed[float]
MOST_ROWS = 24
_ROW = 17.0
_LABEL = 130.0


def leaves(part: Timed, runs: float = 1.0, path: str = "") -> Iterator[tuple[str, Timed, float]]:
    """Yield each kernel below a step: its path, itself, and how often what holds it runs."""
    if not part.children:
        yield path or part.name, part, runs
    for child in part.children:
        # A repeat is no name that anyone gave.
        below = path if child.name == "repeat" else f"{path}.{child.name}".lstrip(".")
        yield from leaves(child, runs * part.count, below)


class _Row(NamedTuple):
    """A kernel over all its runs: its time, what binds it, how long each resource is busy."""

    path: str
    runs: float
    time: float
    bound: str | None
    busy: dict[str, float]


def step_bars(whole: Timed, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return each kernel as a row: how long every resource is busy, and the time it takes.

    The longest are shown where there are many; the rest is summed up in a last row.
    """
    found = [
        _Row(path, runs, part.time * runs, part.bound, {n: t * runs for n, t in part.busy.items()})
        for path, part, runs in leaves(whole)
    ]
    shown, rest = _longest(found)
    names = [row.path for row in shown] + ([f"{len(rest):,} more"] if rest else [])
    busy = [name for row in found for name, spent in row.busy.items() if spent > 0]
    resources = tuple(dict.fromkeys(busy))
    longest = max([row.time for row in shown], default=0.0)
    unit, factor = in_unit(longest)
    page = Page(look, 5.0, title, subtitle)
    labels = tuple(shortened(name, min(_LABEL, page.width / 3), TICK_SIZE) for name in names)
    scale = LinearScale(0.0, 1.32 * longest * factor or 1.0)
    plan = PanelPlan(scale, CategoryScale(labels, downwards=True), f"Time [{unit}]", "")

    def draw(panel: Panel) -> list[Entry]:
        for place, row in enumerate(shown):
            _bar(panel, place, row, whole.time, factor, resources)
        if rest:
            _sum(panel, len(shown), sum(row.time for row in rest), whole.time)
        entries = [resource_entry(f"{name} busy", name, look, resources) for name in resources]
        return [*entries, Entry("│ time and its share of the whole")]

    columns = ("step", "runs", "time [s]", "share", "bound", *(f"{r} busy [s]" for r in resources))
    rows: list[tuple[FigureCell, ...]] = []
    for row in found:
        share, times = row.time / whole.time if whole.time else None, map(row.busy.get, resources)
        rows.append((row.path, row.runs, row.time, share, row.bound, *(t or 0.0 for t in times)))
    return page.single(plan, max(60.0, _ROW * len(names)), draw, FigureTable(columns, rows))


def _longest(found: list[_Row]) -> tuple[list[_Row], list[_Row]]:
    if len(found) <= MOST_ROWS:
        return found, []
    order = sorted(range(len(found)), key=lambda index: -found[index].time)
    kept = set(order[: MOST_ROWS - 1])
    rest = [row for index, row in enumerate(found) if index not in kept]
    return [found[index] for index in sorted(kept)], rest


def _bar(
    panel: Panel, place: int, row: _Row, total: float, factor: float, resources: tuple[str, ...]
) -> None:
    """Draw one row: a thin bar for each resource, a mark at the time, its share behind it."""
    busy = [resource for resource in resources if row.busy.get(resource, 0.0) > 0]
    room, palette = 0.76, panel.palette
    thick = room / max(1, len(busy))
    for number, resource in enumerate(busy):
        top = place - room / 2 + number * thick
        bar = rectangle((0.0, top), (row.busy[resource] * factor, top + 0.86 * thick))
        fill, edge = palette.fill(resource, resources), palette.edge(resource, resources)
        panel.area(bar, fill, name=f"bar:{row.path}:{resource}", order=2.0, edge=edge)
    xs, ys = [row.time * factor] * 2, [place - room / 2, place + room / 2 - 0.05]
    panel.line(xs, ys, palette.ink, name=f"time:{row.path}", width=1.2, order=3.0)
    longest = max([row.time, *row.busy.values()]) * factor
    _behind(panel, longest, place, _share(row.time, total), palette.ink, f"label:{row.path}")


def _sum(panel: Panel, place: int, time: float, total: float) -> None:
    """Say in a row of its own what the steps not shown take together."""
    unit, factor = in_unit(time)
    share = _share(time, total)
    text = f"{three_digits(time * factor)} {unit}{share and f', {share}'}"
    _behind(panel, 0.0, place, text, panel.palette.muted, "label:more")


def _share(time: float, total: float) -> str:
    return f"{100 * time / total:.3g} %" if total else ""


def _behind(panel: Panel, value: float, place: int, text: str, colour: str, name: str) -> None:
    """Write a text in a row, behind what ends at a value."""
    ((x, y),) = panel.at(value, place)
    panel.centred(text, (x + 4.0 + extent(text)[0] / 2, y), colour, name=name)


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
    for child in part.children:
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
