"""What a panel is to be, and how much room its axes need."""

from __future__ import annotations

from dataclasses import dataclass

from roofdsl.figures.lettering import extent
from roofdsl.figures.look import LABEL_SIZE, TICK_SIZE
from roofdsl.figures.scale import CategoryScale, Scale

_X_GAP, _Y_GAP, _NAME_GAP = 26.0, 15.0, 8.5
_TICK_PAD = 4.0


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """What a panel is to be: its scales, its axis labels, and its share of the width.

    `turned` sets the x ticks' labels upright; `bare_y` leaves those of the y axis out, for a panel
    beside one with the same axis; a `bare` panel has no axes at all. Of several panels on a page,
    `caption` stands behind the letter.
    """

    x: Scale
    y: Scale
    x_label: str
    y_label: str
    share: float = 1.0
    grid: bool = True
    bare_y: bool = False
    bare: bool = False
    turned: bool = False
    no_y: bool = False
    caption: str = ""

    @property
    def gaps(self) -> tuple[float, float]:
        """How far apart the ticks of both axes are at least, in points."""
        across = _NAME_GAP if self.turned or isinstance(self.x, CategoryScale) else _X_GAP
        return across, _NAME_GAP if isinstance(self.y, CategoryScale) else _Y_GAP

    @property
    def below(self) -> float:
        """The room its tick labels and axis label need below it, in points."""
        if self.bare:
            return 0.0
        labels = TICK_SIZE * 1.2
        if self.turned:
            labels = max(extent(text, TICK_SIZE)[0] for _, text in self.x.ticks(1e6, 1.0)) + 1.0
        return (
            _TICK_PAD
            + 1.5
            + labels
            + (extent(self.x_label, LABEL_SIZE)[1] + 4.0) * bool(self.x_label)
        )

    def right(self, width: float) -> float:
        """Return the room the last tick label of a panel `width` points wide needs beside it."""
        if self.bare or isinstance(self.x, CategoryScale):
            return 0.0 if self.bare else 2.0
        ticks = self.x.ticks(width, _X_GAP)
        at_end = ticks and self.x.place(ticks[-1][0]) > 0.95
        return extent(ticks[-1][1], TICK_SIZE)[0] / 2 if at_end else 2.0

    def left(self, height: float) -> float:
        """Return the room the y axis of a panel `height` points high needs beside it."""
        if self.bare or self.no_y or self.bare_y:
            return 0.0 if self.bare else 4.0 if self.no_y else 6.0
        labels = [extent(label, TICK_SIZE)[0] for _, label in self.y.ticks(height, self.gaps[1])]
        room = max(labels, default=0.0) + _TICK_PAD + 2.0
        return room + (extent(self.y_label, 1.08 * LABEL_SIZE)[1] + 3.0) * bool(self.y_label)
