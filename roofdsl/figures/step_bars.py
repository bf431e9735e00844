"""Where the time goes: a row of bars for each step."""

from __future__ import annotations

from typing import TypeAlias

from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import NOTE_SIZE, TICK_SIZE, Look, resource_colour
from roofdsl.figures.page import Page, fitted
from roofdsl.figures.panel import Panel, PanelPlan
from roofdsl.figures.picture import Cell, Picture, Table
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale
from roofdsl.figures.seconds import in_unit
from roofdsl.figures.steps import TimedStep, leaves, resources_of

Leaf: TypeAlias = tuple[str, TimedStep, float]
"""A kernel: its path, itself, and how often what holds it runs."""
DEFAULT_WIDTH = 5.0
MOST_ROWS = 24
_ROW = 17.0
_LABEL = 130.0


def step_bars(whole: TimedStep, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return each kernel as a row: how long every resource is busy, and the time it takes.

    The longest are shown where there are many; the rest is summed up in a last row.
    """
    found = list(leaves(whole))
    shown, rest = _longest(found)
    names = [f"{path}" for path, _, _ in shown] + ([f"{len(rest):,} more"] if rest else [])
    resources = resources_of([part for _, part, _ in found])
    longest = max([part.time * runs for _, part, runs in shown], default=0.0)
    width = 72 * (look.width or DEFAULT_WIDTH)
    unit, factor = in_unit(longest)
    labels = tuple(shortened(name, min(_LABEL, width / 3), TICK_SIZE) for name in names)

    def draw(height: float) -> Picture:
        page = Page(look, width)
        plan = PanelPlan(
            LinearScale(0.0, 1.32 * longest * factor or 1.0),
            CategoryScale(labels, downwards=True),
            f"Time [{unit}]",
            "",
        )
        (panel,) = page.panels([plan], height)
        for row, (path, part, runs) in enumerate(shown):
            spent = {name: busy * runs for name, busy in part.busy.items()}
            _bar(panel, row, path, spent, part.time * runs, whole.time, factor, look, resources)
        if rest:
            _rest(panel, len(shown), rest, whole.time, look)
        entries = _key(resources, look)
        return page.finish(title, entries, _bars_table(found, resources, whole.time), subtitle)

    return fitted(look, max(60.0, _ROW * len(names)), draw)


def _longest(found: list[Leaf]) -> tuple[list[Leaf], list[Leaf]]:
    if len(found) <= MOST_ROWS:
        return found, []
    order = sorted(range(len(found)), key=lambda index: -found[index][1].time * found[index][2])
    kept = set(order[: MOST_ROWS - 1])
    rest = [item for index, item in enumerate(found) if index not in kept]
    return [found[index] for index in sorted(kept)], rest


def _bar(
    panel: Panel,
    row: int,
    name: str,
    spent: dict[str, float],
    time: float,
    total: float,
    factor: float,
    look: Look,
    resources: tuple[str, ...],
) -> None:
    """Draw one row: a thin bar for each resource, a mark at the time, its share behind it."""
    busy = [resource for resource in resources if spent.get(resource, 0.0) > 0]
    room = 0.76
    thick = room / max(1, len(busy))
    for number, resource in enumerate(busy):
        top = row - room / 2 + number * thick
        long = spent[resource] * factor
        bar = rectangle((0.0, top), (long, top + 0.86 * thick))
        fill = resource_colour(look.palette.fills, resource, resources)
        edge = resource_colour(look.palette.strong, resource, resources)
        panel.area(bar, fill, name=f"bar:{name}:{resource}", order=2.0, edge=edge)
    panel.line(
        [time * factor] * 2,
        [row - room / 2, row + room / 2 - 0.05],
        look.palette.ink,
        name=f"time:{name}",
        width=1.2,
        order=3.0,
    )
    ((x, y),) = panel.at(time * factor, row)
    longest = max([time, *spent.values()])
    ((right, _),) = panel.at(longest * factor, row)
    share = f"{100 * time / total:.3g} %" if total else ""
    middle = max(x, right) + 4.0 + extent(share, NOTE_SIZE)[0] / 2
    panel.centred(share, (middle, y), look.palette.ink, name=f"label:{name}")


def _rest(panel: Panel, row: int, rest: list[Leaf], total: float, look: Look) -> None:
    """Say in a row of its own what the steps not shown take together."""
    time = sum(part.time * runs for _, part, runs in rest)
    unit, factor = in_unit(time)
    share = f", {100 * time / total:.3g} %" if total else ""
    text = f"{three_digits(time * factor)} {unit}{share}"
    ((x, y),) = panel.at(0.0, row)
    middle = x + 4.0 + extent(text, NOTE_SIZE)[0] / 2
    panel.centred(text, (middle, y), look.palette.muted, name="label:more")


def _key(resources: tuple[str, ...], look: Look) -> list[Entry]:
    entries = [resource_entry(f"{name} busy", name, look, resources) for name in resources]
    return [*entries, Entry("│ time and its share of the whole")]


def _bars_table(found: list[Leaf], resources: tuple[str, ...], total: float) -> Table:
    columns = ("step", "runs", "time [s]", "share", "bound", *(f"{r} busy [s]" for r in resources))
    rows: list[tuple[Cell, ...]] = [
        (
            path,
            runs,
            part.time * runs,
            part.time * runs / total if total else None,
            part.bound,
            *(part.busy.get(name, 0.0) * runs for name in resources),
        )
        for path, part, runs in found
    ]
    return Table(columns, tuple(rows))
