"""Where the time goes: a row of bars for each step, in one panel or one for each prediction."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count

from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.busy_rows import (
    LABEL,
    ROW,
    BusyRow,
    busy_entries,
    draw_busy,
    lacking_entries,
    write_behind,
)
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.scale import CategoryScale, LinearScale
from roofdsl.figures.steps import Timed, leaves
from roofdsl.units.quantity import show_percent

MOST_ROWS = 24
"""How many steps are shown; of panels one above another at least `_FEWEST` each."""
_FEWEST = 8

_Step = tuple[str, int]
"""A step's path, and the how manyth of that path it is."""


@in_its_look
def step_bars(
    wholes: Sequence[Timed],
    look: Look,
    title: str = "",
    subtitle: str = "",
    names: Sequence[str] = ("",),
) -> Picture:
    """Return each kernel as a row: how long every resource is busy, and the time it takes.

    The longest are shown where there are many; the rest is summed up in a last row. Several trees,
    each with its name, have a panel each, with the same rows over the same time.
    """
    found = [dict(_rows(whole)) for whole in wholes]
    page = Page(look, 7.16 if len(wholes) > 1 else 5.0, title, subtitle)
    stacked = math.ceil(len(wholes) / page.across(len(wholes)))
    shown, rest = _longest(found, max(_FEWEST, MOST_ROWS // stacked))
    labels = [path for path, _ in shown] + ([f"{len(rest)} more"] if rest else [])
    rows = [row for each in found for row in each.values()]
    resources = tuple(dict.fromkeys(name for row in rows for name in row.working))
    longest = max(
        [each[step].time for each in found for step in shown if step in each], default=0.0
    )
    unit, factor = in_unit(longest)
    known = [{name for row in each.values() for name in row.busy} for each in found]
    labels = [shortened(name, min(LABEL, page.width / 3), TICK_SIZE) for name in labels]
    scale = LinearScale(0.0, 1.32 * longest * factor or 1.0)
    names_down = CategoryScale(tuple(labels), downwards=True)
    plans = [PanelPlan(scale, names_down, f"Time [{unit}]", "", caption=name) for name in names]

    def fill(panel: Panel, whole: Timed, own: dict[_Step, BusyRow]) -> None:
        for place, step in enumerate(shown):
            if step not in own:
                write_behind(panel, 0.0, place, "no such step", panel.palette.muted, "label:none")
                continue
            row = own[step]
            draw_busy(panel, place, row, _share(row.time, whole.time), factor, resources)
        left = [own[step] for step in rest if step in own]
        if left:
            _sum(panel, len(shown), sum(row.time for row in left), whole.time)

    def draw(height: float) -> list[Entry]:
        panels = page.grid(plans, height)
        for panel, whole, own in zip(panels, wholes, found, strict=True):
            fill(panel, whole, own)
        said = [*busy_entries(look, resources), Entry("| time and its share of the whole")]
        return said + lacking_entries(zip(names, known, strict=True), resources)

    table = _table(wholes, names, found, resources)
    return page.drawn(max(60.0, ROW * len(labels)), draw, table)


def _rows(whole: Timed) -> Iterator[tuple[_Step, BusyRow]]:
    """Yield each kernel of a tree over all its runs."""
    seen: dict[str, count[int]] = {}
    for path, part, runs in leaves(whole):
        busy = {name: time * runs for name, time in part.busy.items()}
        number = next(seen.setdefault(path, count()))
        yield (path, number), BusyRow(path, part.time * runs, part.bound, busy, runs)


def _longest(found: Sequence[dict[_Step, BusyRow]], most: int) -> tuple[list[_Step], list[_Step]]:
    """Return the steps that have a row, in their order, and the rest, which shares one."""
    times: dict[_Step, float] = {}
    for step, row in (item for each in found for item in each.items()):
        times[step] = max(row.time, times.get(step, 0.0))
    if len(times) <= most:
        return [*times], []
    kept = {*sorted(times, key=lambda step: -times[step])[: most - 1]}
    return [step for step in times if step in kept], [step for step in times if step not in kept]


def _sum(panel: Panel, place: int, time: float, total: float) -> None:
    """Say in a row of its own what the steps not shown take together."""
    unit, factor = in_unit(time)
    share = _share(time, total)
    text = f"{three_digits(time * factor)} {unit}{share and f', {share}'}"
    write_behind(panel, 0.0, place, text, panel.palette.muted, "label:more")


def _share(time: float, total: float) -> str:
    return show_percent(time / total) if total else ""


def _table(
    wholes: Sequence[Timed],
    names: Sequence[str],
    found: Sequence[dict[_Step, BusyRow]],
    resources: tuple[str, ...],
) -> FigureTable:
    several = len(wholes) > 1
    columns = ("step", "runs", "time [s]", "share", "bound", *(f"{r} busy [s]" for r in resources))
    rows: list[tuple[FigureCell, ...]] = []
    for whole, name, own in zip(wholes, names, found, strict=True):
        for row in own.values():
            share, times = (
                row.time / whole.time if whole.time else None,
                map(row.busy.get, resources),
            )
            cells = row.name, row.runs, row.time, share, row.bound, *(t or 0.0 for t in times)
            rows.append((name, *cells) if several else cells)
    return FigureTable(("name", *columns) if several else columns, rows)
