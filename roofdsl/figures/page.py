"""A page: panels side by side, a title above, a key below, all measured in points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import NamedTuple

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D, Transform

from roofdsl.figures import key
from roofdsl.figures.formula import math_of
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, printable, shortened, typeset, wrapped
from roofdsl.figures.look import EDGE_WIDTH, NOTE_SIZE, TITLE_SIZE, Look
from roofdsl.figures.panel import Panel
from roofdsl.figures.panel_plan import PanelPlan
from roofdsl.figures.picture import FigureTable, Picture
from roofdsl.figures.style import resize

POINTS = 72.0
NARROWEST = 140.0
"""Of several panels with the same axes, each is as wide at least, in points."""
_EDGE = 6.0
_TITLE_GAP = 8.0
_SUBTITLE = NOTE_SIZE * 1.4
_KEY_GAP = 8.0
_BETWEEN = 8.0
_PANEL_GAP = 9.0
_HIGHER = 1.2
_TRIES = 6
# Above each of several panels: its letter.
_LETTER = 12.0
_LINE = TITLE_SIZE * 1.3


class _Placed(NamedTuple):
    """A panel; where its axes and its own room begin, and how far up from the lowest it stands."""

    panel: Panel
    left: float
    start: float
    up: float


@dataclass(slots=True)
class Page:
    """A figure being made, `inches` wide where its look says nothing else."""

    look: Look
    inches: float
    title: str
    subtitle: str
    picture: Picture = field(init=False)
    _panels: list[_Placed] = field(default_factory=list)
    _urgent: set[str] = field(default_factory=set)
    _below: float = 0.0

    @property
    def width(self) -> float:
        """The width of the page, in points of its own: its style's scale comes last."""
        style = self.look.styled
        return POINTS * (self.look.width or style.width(self.inches)) / style.scale

    @property
    def inner_width(self) -> float:
        """The width between the page's edges, in points."""
        return self.width - 2 * _EDGE

    def single(
        self,
        plan: PanelPlan,
        height: float,
        draw: Callable[[Panel], Iterable[Entry]],
        table: FigureTable,
        right: float = 0.0,
    ) -> Picture:
        """Return the figure of one panel that `draw` fills; `right` of it so many points are free.

        Otherwise like `drawn`.
        """

        def fill(height: float) -> Iterable[Entry]:
            (panel,) = self.panels([plan], height, right=self.inner_width - right)
            return draw(panel)

        return self.drawn(height, fill, table)

    def drawn(
        self, height: float, draw: Callable[[float], Iterable[Entry]], table: FigureTable
    ) -> Picture:
        """Return the figure; `draw` puts panels on it and returns what the key says.

        They are `height` points high, or as `look.height` or its style ask: the title and the key
        take what they need, so the panels' height is found by trying. Where nothing is asked, and
        a label that is not to be left out has no room, they are higher, and it is placed first.
        """
        inches, limited = self.width / POINTS, bool(self.look.height)
        # By how much the page grows with the panels' height: twice as much where two are stacked.
        growth, before = 1.0, (0.0, 0.0)
        for _ in range(_TRIES):
            self.picture = Picture(inches, inches, self.look.palette.paper)
            self._panels, self._below = [], 0.0
            self._finish(list(draw(height)))
            found = self.picture.get_figheight() * POINTS
            over = found - self._height
            missing = {name for each in self._panels for name in each.panel.missing}
            if abs(over) < 0.5 and not missing:
                break
            self._urgent |= missing
            limited = limited or abs(over) >= 0.5
            if before[0] and abs(height - before[0]) > 1.0:
                growth = max(1.0, (found - before[1]) / (height - before[0]))
            before = (height, found)
            height = max(60.0, height - over / growth) if limited else _HIGHER * height
        if self.look.style:
            resize(self.picture, self.look.styled)
        self.picture.table = table
        return self.picture

    @property
    def _height(self) -> float:
        """How high the page is to be, in points of its own, once its parts are on it."""
        style = self.look.styled
        found = self.picture.get_figheight() * POINTS
        tallest = style.tallest * POINTS / style.scale or found
        return self.look.height * POINTS / style.scale or min(found, tallest)

    def column(self, plans: Sequence[PanelPlan], height: float) -> list[Panel]:
        """Return panels one above the other, the first on top, each `height` points high.

        Their axes begin and end at the same places.
        """
        step = height + max(plan.below for plan in plans) + _BETWEEN + _LETTER
        sides = sides_of(plans, self.inner_width, height)
        return [
            self.panels([plan], height, up=step * (len(plans) - 1 - number), sides=sides)[0]
            for number, plan in enumerate(plans)
        ]

    def across(self, count: int, narrowest: float = NARROWEST) -> int:
        """Return how many of some panels stand in a row, each about `narrowest` points wide."""
        return max(1, min(count, int(self.inner_width // narrowest)))

    def grid(
        self, plans: Sequence[PanelPlan], height: float, narrowest: float = NARROWEST
    ) -> list[Panel]:
        """Return panels of the same axes in rows, each about `narrowest` points wide or wider.

        The y axis stands at the left of each row.
        """
        across = self.across(len(plans), narrowest)
        plans = [
            replace(plan, bare_y=True, y_label="") if number % across else plan
            for number, plan in enumerate(plans)
        ]
        rows = [plans[start : start + across] for start in range(0, len(plans), across)]
        left, right = sides_of(plans, self.inner_width / across, height)
        between = 6.0 + _PANEL_GAP + right
        width = (self.inner_width - left - right - (across - 1) * between) / across
        step = height + plans[0].below + _BETWEEN + _LETTER
        found: list[Panel] = []
        for number, row in enumerate(rows):
            end = left + right + len(row) * width + (len(row) - 1) * between
            up = step * (len(rows) - 1 - number)
            found += self.panels(row, height, right=end, up=up, sides=(0.0, right))
        return found

    def panels(
        self,
        plans: Sequence[PanelPlan],
        height: float,
        left: float = 0.0,
        right: float = 0.0,
        up: float = 0.0,
        sides: tuple[float, float] = (0.0, 0.0),
    ) -> list[Panel]:
        """Return panels side by side between two places of the page, their axes `height` high.

        `right` is the page's own where it is 0; `up` is how far the axes' feet stand above those of
        the lowest panel; `sides` is the room that is kept beside each, at least.
        """
        right = right or self.inner_width
        margins = [
            max(plan.left(height), sides[0]) + _PANEL_GAP * (number > 0)
            for number, plan in enumerate(plans)
        ]
        rights = [max(plan.right((right - left) / len(plans)), sides[1]) for plan in plans]
        free = right - left - sum(margins) - sum(rights)
        shares = sum(plan.share for plan in plans)
        x = _EDGE + left
        found: list[Panel] = []
        for plan, margin, beyond in zip(plans, margins, rights, strict=True):
            width = free * plan.share / shares
            panel = Panel(self.picture, self.look, plan, width, height, self._urgent)
            gap = _PANEL_GAP * bool(found)
            self._panels.append(_Placed(panel, x + margin, x + gap, up))
            found.append(panel)
            x += margin + width + beyond
        if up == 0:
            self._below = max(self._below, *(plan.below for plan in plans))
        return found

    def _finish(self, entries: Sequence[Entry]) -> None:
        """Set the title and the key, and fit the page's size to them."""
        look, room = self.look, self.inner_width
        title, subtitle = (self.title, self.subtitle) if look.title is None else (look.title, "")
        self.picture.title = printable(f"{title} {subtitle}".strip())
        # Letters set to whole pixels run a little wider than they are.
        lines = wrapped(printable(title), 0.92 * room, TITLE_SIZE, bold=True)
        subtitle = printable(subtitle)
        after = extent(lines[-1], TITLE_SIZE, bold=True)[0] + _TITLE_GAP
        # Where the subtitle has no room behind the title it stands below.
        beside = len(lines) == 1 and after + extent(subtitle)[0] <= room
        placed = key.arrange(entries, room)
        bottom = _EDGE + key.height(placed) + (_KEY_GAP if placed else 0.0) + self._below
        above = TITLE_SIZE * 1.2 + (len(lines) - 1) * _LINE + _TITLE_GAP if title else 2.0
        above += _SUBTITLE if title and subtitle and not beside else 0.0
        several = len(self._panels) > 1
        tall = max(each.up + each.panel.height for each in self._panels) + _LETTER * several
        total = bottom + tall + above + _EDGE
        self.picture.set_size_inches(self.width / POINTS, total / POINTS)
        for number, (panel, left, start, up) in enumerate(self._panels):
            foot, wide = (bottom + up) / total, panel.width / self.width
            panel.axes.set_position((left / self.width, foot, wide, panel.height / total))
            if several:
                self._letter(number, panel, start, bottom + up + panel.height)
        y, palette = total - _EDGE - TITLE_SIZE * 0.6, look.palette
        for line in lines if title else ():
            self._text(_EDGE, y, line, palette.ink, "title", TITLE_SIZE, bold=True)
            y -= _LINE
        y += _LINE
        if title and subtitle and beside:
            self._text(_EDGE + after, y, subtitle, palette.muted, "subtitle")
        elif title and subtitle:
            subtitle = shortened(subtitle, 0.94 * room)
            self._text(_EDGE, y - _SUBTITLE, subtitle, palette.muted, "subtitle")
        self._draw_key(placed, _EDGE + key.height(placed))

    def _letter(self, number: int, panel: Panel, start: float, top: float) -> None:
        """Write a panel's letter above it, where its own room begins, and its caption."""
        letter, ink = f"({ascii_lowercase[number % 26]})", self.look.palette.ink
        y = top + _LETTER / 2 + 1.0
        self._text(start, y, letter, ink, f"letter:{number}", bold=True)
        after = start + extent(letter, bold=True)[0] + 3.0
        room = start + panel.width - after
        caption = shortened(printable(panel.plan.caption), room)
        if caption:
            self._text(after, y, caption, ink, f"caption:{number}")

    def _draw_key(self, placed: Sequence[key.PlacedEntry], top: float) -> None:
        palette = self.look.palette
        for number, (entry, x, down, text, _) in enumerate(placed):
            left, y = _EDGE + x, top - down
            if entry.patch:
                patch = Rectangle((left, y - 3.5), 16.0, 7.0, facecolor=entry.colour)
                patch.set(edgecolor=entry.edge or entry.colour, linewidth=EDGE_WIDTH)
                self._add(patch)
            if entry.line or entry.marker:
                middle = left + (9.0 if entry.line else 4.0)
                sample = Line2D(
                    [left, middle, left + 18.0] if entry.line else [middle],
                    [y] * (3 if entry.line else 1),
                    color=entry.colour,
                    linewidth=1.3 if entry.line else 0.0,
                    marker=entry.marker or "None",
                    markevery=[1] if entry.line else [0],
                    markersize=5.0,
                    markerfacecolor=entry.colour if entry.filled else entry.face or palette.paper,
                    markeredgecolor=entry.colour,
                    markeredgewidth=1.0,
                    dashes=entry.dash,
                )
                self._add(sample)
            self._text(left + entry.sample, y, text, palette.ink, f"key:{number}")

    def _add(self, artist: Line2D | Rectangle) -> None:
        artist.set_transform(self._transform())
        self.picture.add_artist(artist)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str,
        name: str,
        size: float = NOTE_SIZE,
        bold: bool = False,
    ) -> None:
        written = self.picture.text(
            x,
            y,
            "",
            color=colour,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            ha="left",
            va="center" if math_of(text) else "center_baseline",
            transform=self._transform(),
            gid=name,
        )
        written.set(**typeset(text))

    def _transform(self) -> Transform:
        return Affine2D().scale(self.look.styled.scale / POINTS) + self.picture.dpi_scale_trans


def sides_of(plans: Sequence[PanelPlan], width: float, height: float) -> tuple[float, float]:
    """Return the room that each of some panels needs beside it, at its left and at its right."""
    lefts = max(plan.left(height) for plan in plans)
    return lefts, max(plan.right(width) for plan in plans)
