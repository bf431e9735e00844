"""The key below a figure: what colours, shapes and dashes mean, where labels did not say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.figures.lettering import extent, shortened
from roofdsl.figures.look import Look

_SAMPLE = 18.0
_GAP = 5.0
_BETWEEN = 14.0
LINE_HEIGHT = 12.0


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a key: a sample (a line, a marker on it, a patch, or nothing) and its text.

    `edge` is the colour of a patch's edge, if it has one of its own; `face` that inside a marker
    which is not filled.
    """

    text: str
    colour: str = ""
    dash: tuple[float, ...] = ()
    marker: str = ""
    filled: bool = True
    line: bool = False
    patch: bool = False
    edge: str = ""
    face: str = ""

    @property
    def sample(self) -> float:
        """The width of its sample in points, with the gap behind it."""
        if self.line or self.patch:
            return _SAMPLE + _GAP
        return 8.0 + _GAP if self.marker else 0.0


def resource_entry(text: str, resource: str, look: Look, order: tuple[str, ...]) -> Entry:
    """Return the patch of a resource, in its fill and its edge."""
    fill, edge = look.palette.fill(resource, order), look.palette.edge(resource, order)
    return Entry(text, fill, patch=True, edge=edge)


class PlacedEntry(NamedTuple):
    """An entry, where its sample begins, its text; how far below the key's top its row's ends are.

    `down` is the row's middle, `foot` its end.
    """

    entry: Entry
    x: float
    down: float
    text: str
    foot: float


def arrange(entries: Sequence[Entry], width: float) -> list[PlacedEntry]:
    """Return the entries set in rows of at most `width` points; markers' long names are shortened.

    >>> rows = arrange([Entry("fft", marker="o"), Entry("dot", marker="o")], 200.0)
    >>> [(row.text, row.down) for row in rows]
    [('fft', 6.0), ('dot', 6.0)]
    """
    rows: list[list[tuple[Entry, float, str]]] = [[]]
    x = 0.0
    for entry in entries:
        room = width - entry.sample
        if entry.marker or entry.patch:  # a line's text may be a sentence
            room = min(room, max(150.0, width / 3))
        text = shortened(entry.text, room)
        length = entry.sample + extent(text)[0]
        if x and x + length > width:
            x = 0.0
            rows.append([])
        rows[-1].append((entry, x, text))
        x += length + _BETWEEN
    placed: list[PlacedEntry] = []
    top = 0.0
    for row in rows:
        # A formula may be higher than a line.
        tall = max([LINE_HEIGHT, *(extent(text)[1] + 2.0 for _, _, text in row)])
        placed += [PlacedEntry(*each[:2], top + tall / 2, each[2], top + tall) for each in row]
        top += tall
    return placed


def height(placed: Sequence[PlacedEntry]) -> float:
    """Return how high the rows are together, in points."""
    return placed[-1].foot if placed else 0.0
