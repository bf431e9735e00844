"""Tables of counters as other tools write them: a header that is found, and rows that fit it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.located_csv import LocatedCell, LocatedRow, rows
from roofdsl.source import Source, Span

MOST_CELLS = 20_000
LARGEST = 32_000_000
"""Bytes; a launch may have a thousand metrics."""


class Table(NamedTuple):
    """A header, each name with where it stands, and the rows below it."""

    header: LocatedRow
    rows: Iterator[LocatedRow]

    @property
    def names(self) -> list[str]:
        return [cell.text for cell in self.header.cells]

    def by_name(self, row: LocatedRow) -> dict[str, LocatedCell]:
        """Return the cells of a row that fits; of columns by one name the first counts."""
        found: dict[str, LocatedCell] = {}
        for name, cell in zip(self.names, row.cells, strict=True):
            found.setdefault(name, cell)
        return found

    def misfit(self, row: LocatedRow) -> Diagnostic | None:
        """Return what is wrong with a row that is not one of the table."""
        if row.broken is not None:
            hint = "is the file whole?"
            return Diagnostic.at("R1235", "these quotes do not match", row.broken, hint=hint)
        if len(row.cells) == len(self.header.cells):
            return None
        count = f"{len(row.cells)} cell{'s' * (len(row.cells) != 1)}"
        message = f"this row has {count}, and the header {len(self.header.cells)}"
        return Diagnostic.at("R1235", message, row.span, hint="is the file whole?")


def find_table(source: Source, is_header: Callable[[list[str]], bool]) -> Table | None:
    """Return the table below the first row that is its header; what stands before is left aside."""
    lines = rows(source, MOST_CELLS)
    for row in lines:
        if row.broken is None and is_header([cell.text for cell in row.cells]):
            return Table(row, lines)
    return None


def no_table(source: Source, tool: str, wanted: str) -> Diagnostic:
    """Return the problem of a file without the table that is looked for."""
    message = f"this file has no table of {tool}"
    hint = f"its header has the columns {wanted}"
    return Diagnostic.at("R1231", message, beginning(source), hint=hint)


def beginning(source: Source) -> Span:
    """Return where a file begins, to point at what it is as a whole."""
    return Span(source, 0, min(len(source.text), max(1, source.text.find("\n"))))


def cut_off(source: Source) -> Diagnostic | None:
    """Return the problem of a text whose last line does not end: a number may be half of one."""
    text = source.text
    if not text or text.endswith("\n"):
        return None
    start = text.rfind("\n") + 1
    hint = "is the file whole? If it is, end its last line"
    return Diagnostic.at(
        "R1235", "the last line does not end", Span(source, start, len(text)), hint=hint
    )


def first_with(names: Mapping[str, LocatedCell], *spellings: str) -> LocatedCell | None:
    """Return the cell of the first of several spellings of a column that is there."""
    return next((names[each] for each in spellings if each in names), None)
