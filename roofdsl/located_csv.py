"""CSV with places: every cell knows its line and column, so that a message can point at it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.inert import read_csv_cell
from roofdsl.source import Source, Span

MOST_CELLS = 1000

# Possessive, so that no text takes more than one pass.
_CELL = re.compile(r'[ \t]*+(?:("(?:[^"]|"")*+")[ \t]*+|([^",]*+))(,|\Z)')


class LocatedCell(NamedTuple):
    """A cell: its text, without quotes and the spaces around it."""

    text: str
    span: Span


class LocatedRow(NamedTuple):
    """A line of cells; `broken` is where it stops being CSV, `span` is all of it."""

    cells: tuple[LocatedCell, ...]
    span: Span
    broken: Span | None = None


def rows(source: Source, most: int = MOST_CELLS) -> Iterator[LocatedRow]:
    """Read the rows of a table; empty lines and those that begin with `#` are left out.

    A cell stands on one line; a quote inside a quoted cell is doubled. Of a row of more than
    `most` cells the rest is not read.

    >>> found = rows(Source("demo.csv", 'group,time\\n# made up\\n"a, b", 3\\n'))
    >>> [[cell.text for cell in row.cells] for row in found]
    [['group', 'time'], ['a, b', '3']]
    """
    start = 0
    for line in source.text.split("\n"):
        if line.strip(" \t,") and not line.lstrip().startswith("#"):
            yield _row(source, start, line, most)
        start += len(line) + 1


def _row(source: Source, start: int, line: str, most: int) -> LocatedRow:
    whole = Span(source, start, start + len(line))
    cells: list[LocatedCell] = []
    at, more = 0, True
    while more and len(cells) <= most:
        match = _CELL.match(line, at)
        if match is None:
            return LocatedRow(tuple(cells), whole, Span(source, start + at, whole.end))
        cells.append(_cell(source, start, match))
        at, more = match.end(), match[3] == ","
    return LocatedRow(tuple(cells), whole)


def _cell(source: Source, start: int, match: re.Match[str]) -> LocatedCell:
    if match[1] is not None:
        begin, end = match.span(1)
        text = match[1][1:-1].replace('""', '"').strip()
        return LocatedCell(read_csv_cell(text), Span(source, start + begin, start + end))
    text = match[2].rstrip()
    begin = start + match.start(2)
    return LocatedCell(read_csv_cell(text), Span(source, begin, begin + max(1, len(text))))
