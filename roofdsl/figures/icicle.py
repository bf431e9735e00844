"""Where the time goes, from the whole down to its kernels: a row for each depth of the steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from roofdsl.figures.axis_unit import in_unit
from roofdsl.figures.key import Entry, resource_entry
from roofdsl.figures.lettering import extent, three_digits
from roofdsl.figures.look import Look, in_its_look, readable_on
from roofdsl.figures.page import Page
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.polygon import rectangle
from roofdsl.figures.scale import LinearScale
from roofdsl.figures.step_table import draw_table, height
from roofdsl.figures.steps import over_time
from roofdsl.units.quantity import show_percent

_ROW = 16.0
_MOST_ROWS = 12
# Parts of one step that are narrower than this are joined: a reader could not tell them apart.
_NARROWEST = 3.0
_MOST_LISTED = 8
_HEADS = ("step", "runs", "share", "time", "bound")
_GAP = 14.0


@dataclass(frozen=True, slots=True)
class Part:
    """A step over all its runs, `runs` of them, and how long they take [s].

    `bound` is what binds it, "" where nothing does. `parts` are the steps inside in their order,
    `hidden` of them behind a longer one that runs at the same time. A part of several, `joined`,
    has their names' number.
    """

    name: str
    path: str
    runs: float
    time: float
    bound: str
    parts: tuple[Part, ...] = ()
    hidden: bool = False
    joined: int = 0

    def all_parts(self, depth: int = 0) -> Iterator[tuple[int, Part]]:
        """Yield it and all that is inside, each with its depth."""
        yield depth, self
        for part in self.parts:
            yield from part.all_parts(depth + 1)

    @property
    def seen(self) -> list[Part]:
        """The parts that have a width of their own: those that nothing hides."""
        return [part for part in self.parts if not part.hidden]


@dataclass(frozen=True, slots=True)
class _Block:
    """A part as it is drawn: from where on [s], and in which row."""

    part: Part
    start: float
    row: int


@in_its_look
def icicle(
    wholes: Sequence[Part],
    look: Look,
    title: str = "",
    subtitle: str = "",
    names: Sequence[str] = ("",),
) -> Picture:
    """Return the tree of steps: each as wide as it takes long, below the step that it is part of.

    Colours say what binds. Of steps that run at once the longest is shown. Small ones are joined.
    Beneath is a table of the steps that take longest. Several trees, each with its name, stand one
    above another over the same time, without that table.
    """
    page = Page(look, 5.0, title, subtitle)
    longest = max(whole.time for whole in wholes)
    least = _NARROWEST / page.inner_width * longest
    drawn = [list(_blocks(whole, 0.0, 0, least)) for whole in wholes]
    blocks = [block for each in drawn for block in each]
    rows = 1 + max(block.row for block in blocks)
    bounds = tuple(dict.fromkeys(block.part.bound for block in blocks if block.part.bound))
    plan, factor = over_time(longest, rows)

    def draw(high: float) -> list[Entry]:
        if len(wholes) > 1:
            panels = page.column([replace(plan, caption=name) for name in names], high)
        else:
            panels = [_above_a_table(page, plan, high, wholes[0])]
        for panel, whole, shown in zip(panels, wholes, drawn, strict=True):
            for block in shown:
                _draw(panel, block, factor, whole.time, bounds)
        return _key(blocks, wholes, look, bounds)

    return page.drawn(_ROW * rows, draw, _table(wholes, names))


def _above_a_table(page: Page, plan: PanelPlan, high: float, whole: Part) -> Panel:
    """Draw the table of the steps that take longest, and return the panel above it."""
    longest = _longest(whole)
    foot = height(len(longest))
    (panel,) = page.panels([plan], high, up=foot + _GAP + plan.below)
    unit = LinearScale(0.0, 1.0)
    beneath = PanelPlan(unit, unit, "", "", bare=True, caption="what takes longest")
    (table,) = page.panels([beneath], foot)
    draw_table(table, [_HEADS, *(_cells(part, whole.time) for part in longest)], (1, 2, 3))
    return panel


def _key(
    blocks: Sequence[_Block], wholes: Sequence[Part], look: Look, bounds: tuple[str, ...]
) -> list[Entry]:
    entries = [resource_entry(f"bound by {name}", name, look, bounds) for name in bounds]
    if any(block.part.joined and not block.part.bound for block in blocks):
        palette = look.palette
        several = Entry("bound by several", palette.faint, patch=True, edge=palette.muted)
        entries.append(several)
    seen = (part for whole in wholes for _, part in _shown(whole))
    hidden = sum(inner.hidden for part in seen for inner in part.parts)
    if hidden:
        noun = "step runs" if hidden == 1 else "steps run"
        entries.append(Entry(f"{hidden} {noun} behind a longer one"))
    if any(block.row + 1 == _MOST_ROWS and block.part.parts for block in blocks):
        entries.append(Entry("what is inside the lowest row is not drawn"))
    return entries


def _blocks(part: Part, start: float, row: int, least: float) -> Iterator[_Block]:
    yield _Block(part, start, row)
    if row + 1 == _MOST_ROWS:
        return
    for inner in _joined(part, least):
        yield from _blocks(inner, start, row + 1, least)
        start += inner.time


def _joined(part: Part, least: float) -> list[Part]:
    """Return the parts of a part that are seen: those shorter than `least` [s] as one, the last."""
    shown = [each for each in part.seen if each.time >= least]
    small = [each for each in part.seen if 0 < each.time < least]
    if len(small) < 2:
        return shown + small
    bounds = {each.bound for each in small}
    return [
        *shown,
        Part(
            f"{len(small)} more",
            f"{part.path}.more",
            sum(each.runs for each in small),
            sum(each.time for each in small),
            bounds.pop() if len(bounds) == 1 else "",
            joined=len(small),
        ),
    ]


def _draw(
    panel: Panel, block: _Block, factor: float, total: float, bounds: tuple[str, ...]
) -> None:
    part, palette = block.part, panel.palette
    ends = block.start * factor, (block.start + part.time) * factor
    corners = rectangle((ends[0], block.row), (ends[1], block.row + 1))
    fill = palette.fill(part.bound, bounds) if part.bound else palette.faint
    edge = palette.edge(part.bound, bounds) if part.bound else palette.muted
    panel.area(corners, fill, name=f"block:{part.path}", order=2.0, edge=edge)
    places = panel.at(*corners.T)
    room = float(places[1, 0] - places[0, 0]) - 5.0
    share = f"{part.name}, {_percent(part.time, total)}"
    text = next((text for text in (share, part.name) if extent(text)[0] <= room), "")
    if text:
        panel.centred(text, places.mean(axis=0), readable_on(fill), name=f"label:{part.path}")


def _longest(whole: Part) -> list[Part]:
    """Return the kernels that take longest, of equal ones the first."""
    kernels = [part for _, part in _shown(whole) if not part.parts]
    return sorted(kernels, key=lambda part: -part.time)[:_MOST_LISTED]


def _shown(part: Part, depth: int = 0) -> Iterator[tuple[int, Part]]:
    yield depth, part
    for inner in part.seen:
        yield from _shown(inner, depth + 1)


def _cells(part: Part, total: float) -> tuple[str, ...]:
    share = _percent(part.time, total)
    return part.path, three_digits(part.runs), share, _seconds(part.time), part.bound


def _percent(time: float, total: float) -> str:
    return show_percent(time / total) if total else "0 %"


def _seconds(time: float) -> str:
    unit, factor = in_unit(time)
    return f"{three_digits(time * factor)} {unit}"


def _table(wholes: Sequence[Part], names: Sequence[str]) -> FigureTable:
    """Return all steps, those too that are joined or hidden."""
    columns = ("step", "depth", "runs", "time [s]", "share", "bound", "hidden", "of")
    rows = [
        (
            part.path,
            depth,
            part.runs,
            part.time,
            part.time / whole.time if whole.time else None,
            part.bound or None,
            part.hidden,
            name,
        )
        for whole, name in zip(wholes, names, strict=True)
        for depth, part in whole.all_parts()
    ]
    return FigureTable(columns, rows)
