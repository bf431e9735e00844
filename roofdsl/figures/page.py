"""A page: panels side by side, a title above, a key below, all measured in points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.transforms import Affine2D, Transform

from roofdsl.figures import key
from roofdsl.figures.key import Entry
from roofdsl.figures.lettering import extent, printable, shortened
from roofdsl.figures.look import EDGE_WIDTH, NOTE_SIZE, TITLE_SIZE, Look, settings
from roofdsl.figures.panel import Panel, PanelPlan, below, left_margin, right_margin
from roofdsl.figures.picture import Picture, Table

POINTS = 72.0
_EDGE = 6.0
_TITLE_GAP = 8.0
_SUBTITLE = NOTE_SIZE * 1.4
_KEY_GAP = 8.0
_BETWEEN = 8.0
_PANEL_GAP = 9.0


@dataclass(slots=True)
class Page:
    """A figure being made: `panels` puts panels on it, `finish` sets title, key and size."""

    look: Look
    width: float
    picture: Picture = field(init=False)
    _panels: list[tuple[Panel, float, float]] = field(default_factory=list)
    _below: float = 0.0

    def __post_init__(self) -> None:
        with settings():
            self.picture = Picture(
                self.width / POINTS, self.width / POINTS, self.look.palette.paper
            )

    @property
    def inner_width(self) -> float:
        """The width between the page's edges, in points."""
        return self.width - 2 * _EDGE

    def panels(self, plans: Sequence[PanelPlan], height: float) -> list[Panel]:
        """Return panels side by side over the whole width, each `height` points high."""
        return self.row(plans, 0.0, self.inner_width, 0.0, height)

    def column(self, plans: Sequence[PanelPlan], height: float) -> list[Panel]:
        """Return panels one above the other, the first on top, each `height` points high."""
        step = height + max(below(plan) for plan in plans) + _BETWEEN
        return [
            self.row([plan], 0.0, self.inner_width, step * (len(plans) - 1 - number), height)[0]
            for number, plan in enumerate(plans)
        ]

    def row(
        self, plans: Sequence[PanelPlan], left: float, right: float, up: float, height: float
    ) -> list[Panel]:
        """Return panels side by side between two places of the page, their axes `height` high.

        `up` is how far their axes' feet stand above those of the lowest panel.
        """
        with settings():
            margins = [
                left_margin(plan, height) + _PANEL_GAP * (number > 0)
                for number, plan in enumerate(plans)
            ]
            rights = [right_margin(plan, (right - left) / len(plans)) for plan in plans]
            free = right - left - sum(margins) - sum(rights)
            shares = sum(plan.share for plan in plans)
            x = _EDGE + left
            found = []
            for plan, margin, beyond in zip(plans, margins, rights, strict=True):
                width = free * plan.share / shares
                panel = Panel(self.picture, self.look, plan, width, height)
                self._panels.append((panel, x + margin, up))
                found.append(panel)
                x += margin + width + beyond
            if up == 0:
                self._below = max(self._below, *(below(plan) for plan in plans))
            return found

    def finish(
        self, title: str, entries: Sequence[Entry], table: Table, subtitle: str = ""
    ) -> Picture:
        """Return the figure with its title and key, its size fitted to them."""
        if self.look.title is not None:
            title, subtitle = self.look.title, ""
        with settings():
            placed = key.arrange(entries, self.width - 2 * _EDGE)
            below = key.height(placed) + (_KEY_GAP if placed else 0.0)
            bottom = _EDGE + below + self._below
            tall = max(up + panel.height for panel, _, up in self._panels)
            above = TITLE_SIZE * 1.2 + _TITLE_GAP if title else 2.0
            if title and subtitle and not self._beside(title, subtitle):
                above += _SUBTITLE
            total = bottom + tall + above + _EDGE
            self.picture.set_size_inches(self.width / POINTS, total / POINTS)
            for panel, left, up in self._panels:
                panel.axes.set_position(
                    (
                        left / self.width,
                        (bottom + up) / total,
                        panel.width / self.width,
                        panel.height / total,
                    )
                )
            if title:
                self._write_title(title, subtitle, total)
            self._draw_key(placed, _EDGE + key.height(placed))
        self.picture.title = printable(f"{title} {subtitle}".strip())
        self.picture.table = table
        return self.picture

    def _write_title(self, title: str, subtitle: str, total: float) -> None:
        palette, room = self.look.palette, self.width - 2 * _EDGE
        # Letters set to whole pixels run a little wider than they are.
        title = shortened(printable(title), 0.92 * room, TITLE_SIZE, bold=True)
        y = total - _EDGE - TITLE_SIZE * 0.6
        self._text(_EDGE, y, title, palette.ink, TITLE_SIZE, bold=True, name="title")
        after = extent(title, TITLE_SIZE, bold=True)[0] + _TITLE_GAP
        if subtitle and self._beside(title, subtitle):
            text = printable(subtitle)
            self._text(_EDGE + after, y, text, palette.muted, NOTE_SIZE, name="subtitle")
        elif subtitle:
            text = shortened(printable(subtitle), 0.94 * room, NOTE_SIZE)
            self._text(_EDGE, y - _SUBTITLE, text, palette.muted, NOTE_SIZE, name="subtitle")

    def _beside(self, title: str, subtitle: str) -> bool:
        """Whether the subtitle has room behind the title; else it stands below."""
        after = extent(printable(title), TITLE_SIZE, bold=True)[0] + _TITLE_GAP
        return after + extent(printable(subtitle), NOTE_SIZE)[0] <= self.width - 2 * _EDGE

    def _draw_key(self, placed: Sequence[key.Placed], top: float) -> None:
        palette = self.look.palette
        for number, (entry, x, down, text) in enumerate(placed):
            left, y = _EDGE + x, top - down
            if entry.patch:
                edge = entry.edge or entry.colour
                patch = Rectangle((left, y - 3.5), 16.0, 7.0, facecolor=entry.colour)
                patch.set(edgecolor=edge, linewidth=EDGE_WIDTH)
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
                )
                if entry.dash:
                    sample.set_dashes(entry.dash)
                self._add(sample)
            self._text(left + entry.sample, y, text, palette.ink, NOTE_SIZE, name=f"key:{number}")

    def _add(self, artist: Line2D | Rectangle) -> None:
        artist.set_transform(self._transform())
        self.picture.add_artist(artist)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        colour: str,
        size: float,
        *,
        name: str,
        bold: bool = False,
    ) -> None:
        label = self.picture.text(
            x,
            y,
            printable(text),
            color=colour,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            ha="left",
            va="center_baseline",
            transform=self._transform(),
            parse_math=False,
        )
        label.set_gid(name)

    def _transform(self) -> Transform:
        return Affine2D().scale(1 / POINTS) + self.picture.dpi_scale_trans


def fitted(look: Look, height: float, draw: Callable[[float], Picture]) -> Picture:
    """Return a figure drawn with panels `height` points high, or as high as `look.height` asks.

    The title and the key take what they need, so the panels' height is found by trying.
    """
    picture = draw(height)
    if not look.height:
        return picture
    for _ in range(3):
        over = picture.get_figheight() * POINTS - look.height * POINTS
        if abs(over) < 0.5:
            break
        height = max(60.0, height - over)
        picture = draw(height)
    return picture
