"""CSV whose first row names the columns as `name [unit]`: its columns, and its rows with places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, listing
from roofdsl.located_csv import LocatedCell, LocatedRow, rows
from roofdsl.reading import read_source
from roofdsl.source import Source, Span
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

MOST_PROBLEMS = 20
_LARGEST = 10**300  # so that it is a double
_HEADING = re.compile(r"([^\[\]]*?) *(?:\[([^\[\]]*)\])?")
_LEVEL = re.compile(r"\w+\.[A-Za-z]\w*")
_NUMBER = re.compile(r"-?[0-9]{1,300}(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")


class Column(NamedTuple):
    """A column: its name, how many SI base units its unit is, and where its name stands.

    Without a unit its numbers are in SI base units, and `dimension` is None where `Layout` does
    not know it.
    """

    name: str
    dimension: Dimension | None
    factor: Fraction
    span: Span


class HeadedRow(NamedTuple):
    """A row: its cells by the names of their columns, all of them, the empty ones too."""

    cells: Mapping[str, LocatedCell]
    span: Span


@dataclass(frozen=True, slots=True)
class Layout:
    """What a table is called, `this profile`, and which columns it has.

    `needed` are the columns without which it means nothing; of names in one tuple any will do.
    `known` are those that mean something, with their dimensions; a time must say its unit. Others
    are left aside, unless they are `open`. `header` is an example of a first row; `larger` says
    what to do with a file that is too large. Those in `levels` may be of one: `memory.L2`. With
    `bare_times` a time without unit is in seconds, as other numbers are in theirs.
    """

    what: str
    needed: tuple[tuple[str, ...], ...]
    known: Mapping[str, Dimension | None]
    header: str
    larger: str = "split it"
    open: bool = False
    levels: frozenset[str] = frozenset()
    bare_times: bool = False

    @property
    def example(self) -> str:
        return f"its first row names the columns: {self.header}"


class HeadedTable:
    """A table that is read row by row; what is wrong with it is added to `problems`.

    >>> layout = Layout("this profile", (("time",),), {"time": SECOND}, "group,time [s]")
    >>> table = HeadedTable(Source("demo.csv", "group,time [ms]\\na,250\\n"), layout)
    >>> [float(table.number(row, "time")) for row in table.rows()], table.problems
    ([0.25], [])
    """

    def __init__(self, source: Source, layout: Layout) -> None:
        self.problems: list[Diagnostic] = []
        self.layout = layout
        self._rows = rows(source)
        self._headings: tuple[str, ...] = ()
        first = next(self._rows, None)
        end = len(source.text)
        self.span = first.span if first else Span(source, 0, min(1, end))
        self.empty = first is None
        self.columns: dict[str, Column] = {}
        if first is not None and not self._broken(first):
            self._read_header(first)

    def rows(self) -> Iterator[HeadedRow]:
        """Yield the rows that are as long as the first one, up to a number of problems."""
        if self.problems:
            return
        for row in self._rows:
            if len(self.problems) >= MOST_PROBLEMS:
                return
            if self._broken(row):
                continue
            if len(row.cells) != len(self._headings):
                count = f"{len(row.cells)} cell{'s' * (len(row.cells) != 1)}"
                message = f"this row has {count}, and the first row {len(self._headings)}"
                hint = "a name with a comma stands in quotes; a number has a point, not a comma"
                self.fail("R0913", message, row.span, hint)
                continue
            pairs = zip(self._headings, row.cells, strict=True)
            yield HeadedRow({name: cell for name, cell in pairs if name in self.columns}, row.span)

    def text(self, row: HeadedRow, name: str) -> str:
        """Return what a row has in a column, "" for nothing, or where there is no such column."""
        return row.cells[name].text if name in row.cells else ""

    def number(self, row: HeadedRow, name: str, *, signed: bool = False) -> Fraction | None:
        """Return a number in SI base units; None, and a problem, for what is none or below 0.

        It has at most 300 digits, and an exponent of at most three; `nan` and `inf` are none.
        """
        cell, column = row.cells[name], self.columns[name]
        a_time = column.dimension == SECOND
        if not _NUMBER.fullmatch(cell.text):
            shown = f"'{cell.text[:40]}' is not a number"
            message = shown if cell.text else f"the {name} is missing"
            self.fail("R0914", message, cell.span, "write digits and a point, such as 997.6")
            return None
        value = Fraction(cell.text) * column.factor
        if abs(value) > _LARGEST:
            self.fail("R0914", f"{cell.text[:40]} is too large", cell.span, "up to 1e300 is read")
            return None
        if value >= 0 or signed:
            return value
        message = f"{'a time of' if a_time else f'{name} ='} {cell.text[:40]} is below 0"
        self.fail("R0914", message, cell.span, "write a number of 0 or more")
        return None

    def fail(
        self, code: str, message: str, place: Span, hint: str | None, first: Span | None = None
    ) -> None:
        """Add a problem; `first` is where the same stood first."""
        labels = (Label(place), *((Label(first, "first here"),) if first else ()))
        self.problems.append(Diagnostic(code, message, labels, hint))

    def _read_header(self, row: LocatedRow) -> None:
        """Note the columns; report those that are missing, there twice, or in no unit."""
        found: list[str] = []
        for cell in row.cells:
            match = _HEADING.fullmatch(cell.text)
            found.append(match[1] if match else cell.text)
        self._headings = tuple(found)
        self._report_missing(row)
        for name in dict.fromkeys(found):
            if found.count(name) > 1 and self._means_something(name):
                message = (
                    f"{self.layout.what} has {found.count(name)} columns `{self._shown(name)}`"
                )
                self.fail("R0912", message, row.span, "keep one of them")
        if self.problems:
            return
        for name, cell in zip(found, row.cells, strict=True):
            if self._means_something(name):
                column = self._column(name, cell)
                if column is not None:
                    self.columns[name] = column

    def _report_missing(self, row: LocatedRow) -> None:
        missing = [
            f"`{self._shown(names[0])}`"
            for names in self.layout.needed
            if not any(name in self._headings for name in names)
        ]
        if missing:
            message = f"{self.layout.what} has no column {', '.join(missing)}"
            hint = f"{self.layout.example}; here they are {listing(c.text for c in row.cells)}"
            if len(row.cells) == 1:
                hint = f"its columns are separated by commas, and {self.layout.example}"
            self.fail("R0912", message, row.span, hint)

    def _column(self, name: str, cell: LocatedCell) -> Column | None:
        """Read the unit of a column; report one that is unknown, or of something else."""
        match = _HEADING.fullmatch(cell.text)
        text = None if match is None or match[2] is None else match[2].strip()
        if self._known(name) != name and not _LEVEL.fullmatch(name):
            message = f"'{name[:40]}' is no name of a level"
            self.fail("R0912", message, cell.span, f"such as `{self._known(name)}.L2`")
            return None
        wanted = self.layout.known.get(self._known(name))
        if text is None and wanted == SECOND and not self.layout.bare_times:
            message = f"the column `{name}` does not say its unit"
            self.fail("R0912", message, cell.span, f"write `{name} [s]`, or ms, min, h")
            return None
        if not text:
            return Column(name, wanted, Fraction(1), cell.span)
        unit = read_unit(text)
        if isinstance(unit, UnknownUnit):
            message = f"'{text[:40]}' is not a unit"
            self.fail("R0912", message, cell.span, unit.hint or self._unit_hint(name, wanted))
            return None
        if wanted is not None and unit.dimension != wanted:
            kind = "of time" if wanted == SECOND else f"of {name}"
            message = f"'{text[:40]}' is not a unit {kind}"
            self.fail("R0912", message, cell.span, self._unit_hint(name, wanted))
            return None
        return Column(name, unit.dimension, unit.factor, cell.span)

    def _unit_hint(self, name: str, wanted: Dimension | None) -> str:
        if wanted == SECOND:
            return f"write `{name} [s]`, or ms, min, h"
        if wanted is None or wanted == DIMENSIONLESS:
            return f"a plain number has none: write `{name}`"
        return f"write `{name} [{wanted}]`"

    def _means_something(self, name: str) -> bool:
        return self._known(name) in self.layout.known or (self.layout.open and bool(name))

    def _known(self, name: str) -> str:
        """Return the column under whose name another is known: `memory` for `memory.L2`."""
        stem = name.partition(".")[0]
        return stem if stem in self.layout.levels else name

    def _shown(self, name: str) -> str:
        """Return a column's name as a first row has it."""
        a_time = self.layout.known.get(name) == SECOND and not self.layout.bare_times
        return f"{name} [s]" if a_time else name

    def _broken(self, row: LocatedRow) -> bool:
        if row.broken is None:
            return False
        hint = 'a quote inside quotes is doubled: `"say ""this"""`'
        self.fail("R0913", "these quotes do not match", row.broken, hint)
        return True


def read_headed(path: Path, layout: Layout, shown: str | None = None) -> HeadedTable | Diagnostic:
    """Read a file of bounded size as a table with a header; or return why it cannot be read."""
    source = read_source(path, shown)
    if isinstance(source, Diagnostic):
        # The hints of the reader are about .roof files.
        return replace(source, hint=layout.larger if " bytes;" in source.message else None)
    return HeadedTable(source, layout)
