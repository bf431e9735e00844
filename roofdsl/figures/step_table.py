"""A table in a figure: rows of short texts below a rule, aligned as in print."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.figures.lettering import extent, printable, shortened
from roofdsl.figures.look import NOTE_SIZE
from roofdsl.figures.panel import Panel

_LINE = 11.0
_BETWEEN = 10.0


def height(rows: int) -> float:
    """Return how high a table of so many rows and its headings is, in points."""
    return _LINE * (rows + 1)


def draw_table(panel: Panel, rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> None:
    """Write rows of texts, headings first; the columns of `numbers` end at one place.

    Where they are wider than the panel, the first column is shortened.
    """
    widths = [max(extent(text)[0] for text in column) for column in zip(*rows, strict=True)]
    others = sum(widths[1:]) + _BETWEEN * (len(widths) - 1)
    widths[0] = min(widths[0], panel.width - others)
    lefts = [sum(widths[:n]) + _BETWEEN * n for n in range(len(widths))]
    for row, line in enumerate(rows):
        up = panel.height - (row + 0.5) * _LINE
        colour = panel.palette.ink if row else panel.palette.muted
        for column, (text, left, width) in enumerate(zip(line, lefts, widths, strict=True)):
            at_right = column in numbers
            panel.axes.text(
                *panel.value(left + width * at_right, up),
                printable(shortened(text, width)),
                ha="right" if at_right else "left",
                va="center_baseline",
                color=colour,
                fontsize=NOTE_SIZE,
                gid=f"cell:{row}:{column}",
            )
    ends = [panel.value(x, panel.height - _LINE) for x in (0.0, lefts[-1] + widths[-1])]
    xs, ys = zip(*ends, strict=True)
    panel.line(xs, ys, panel.palette.muted, name="rule", width=0.5, cost=0.0)
