"""Where the time goes: a row of bars for each step."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent, shortened, three_digits
from roofdsl.figures.look import TICK_SIZE, Look, in_its_look
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureCell, FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import CategoryScale, LinearScale
from roofdsl.figures.steps import Timed, leaves
from roofdsl.units.quantity import show_percent

MOST_ROWS = 24
_ROW = 17.0
_LABEL = 130.0


class _StepRow(NamedTuple):
    """A kernel over all its runs: its time, what binds it, how long each resource is busy."""

    path: str
    runs: float
    time: float
    bound: str | None
    busy: dict[str, float]


@in_its_look
def step_bars(whole: Timed, look: Look, title: str = "", subtitle: str = "") -> Picture:
    """Return each kernel as a row: how long every resource is busy, and the time it takes.

    The longest are shown where there are many; the rest is summed up in a last row.
    """
    found = [
        _StepRow(
            path, runs, part.time * runs, part.bound, {n: t * runs for n, t in part.busy.items()}
        )
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
        return [*entries, Entry("| time and its share of the whole")]

    columns = ("step", "runs", "time [s]", "share", "bound", *(f"{r} busy [s]" for r in resources))
    rows: list[tuple[FigureCell, ...]] = []
    for row in found:
        share, times = row.time / whole.time if whole.time else None, map(row.busy.get, resources)
        rows.append((row.path, row.runs, row.time, share, row.bound, *(t or 0.0 for t in times)))
    return page.single(plan, max(60.0, _ROW * len(names)), draw, FigureTable(columns, rows))


def _longest(found: list[_StepRow]) -> tuple[list[_StepRow], list[_StepRow]]:
    if len(found) <= MOST_ROWS:
        return found, []
    order = sorted(range(len(found)), key=lambda index: -found[index].time)
    kept = set(order[: MOST_ROWS - 1])
    rest = [row for index, row in enumerate(found) if index not in kept]
    return [found[index] for index in sorted(kept)], rest


def _bar(
    panel: Panel, place: int, row: _StepRow, total: float, factor: float, resources: tuple[str, ...]
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
    return show_percent(time / total) if total else ""


def _behind(panel: Panel, value: float, place: int, text: str, colour: str, name: str) -> None:
    """Write a text in a row, behind what ends at a value."""
    ((x, y),) = panel.at(value, place)
    panel.centred(text, (x + 4.0 + extent(text)[0] / 2, y), colour, name=name)
