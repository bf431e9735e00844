"""Measured operations: tables of times in CSV files, and the operation a kernel says it is."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.expression.tree import Expression
from roofdsl.model.elaborate import plain
from roofdsl.model.scope import Scope
from roofdsl.model.types import MeasuredTable, Operation
from roofdsl.reading import read_source, real_path
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import MeasuredStatement, OperationStatement
from roofdsl.units.dimension import SECOND
from roofdsl.units.unit import UnknownUnit, read_unit

if TYPE_CHECKING:
    from roofdsl.located_csv import LocatedCell, LocatedRow

SUFFIX = ".csv"
_TIME = re.compile(r"time\s*\[\s*([^\]]+?)\s*\]")
_NUMBER = re.compile(r"\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?", re.ASCII)
"""With at most two digits in the exponent: such a number has a place among floats."""


def operation(statement: OperationStatement, scope: Scope) -> Operation | None:
    """Return the operation a kernel says it is; its arguments are plain numbers, by name."""
    arguments: dict[str, Expression] = {}
    for argument in statement.arguments:
        if argument.name is None or argument.name.name in arguments:
            what = "is given twice" if argument.name else "has no name"
            message = f"an argument of `as {statement.name.name}` {what}"
            hint = f"write `as {statement.name.name}(name = value, …)`"
            scope.refuse("R0205", message, argument.span, hint=hint)
            return None
        tree = plain(argument.value, scope, "an argument of an operation")
        if tree is None:
            return None
        arguments[argument.name.name] = tree
    return Operation(statement.name.name, arguments, statement.span)


def table(statement: MeasuredStatement, folder: Path, report: Reporter) -> MeasuredTable | None:
    """Read the table of a measured operation; report every row that is wrong."""
    file, place = statement.file.value, Label(statement.file.span)
    path = folder / file
    if path.suffix != SUFFIX or real_path(path).suffix != SUFFIX:
        message, hint = f"'{file}' is not a {SUFFIX} file", f"`from` reads {SUFFIX} files"
        report(Diagnostic.at("R0004", message, place, hint=hint))
        return None
    source = read_source(path, file, place)
    if isinstance(source, Diagnostic):
        report(source)
        return None
    statement.span.source.uses.append(source.digest)
    names = tuple(parameter.name for parameter in statement.parameters)
    times = _TableReader(source, names, place, report).times()
    if times is None:
        return None
    return MeasuredTable(
        statement.path.text, names, times, statement.interpolate, file, statement.span
    )


class _TableReader:
    """Reads rows of plain numbers: one column for each parameter, and `time [unit]`."""

    def __init__(
        self, source: Source, names: tuple[str, ...], place: Label, report: Reporter
    ) -> None:
        self._source = source
        self._names = names
        self._place = place
        self._report = report
        self._failed = False
        self._found: dict[tuple[Fraction, ...], Fraction] = {}
        self._places: dict[tuple[Fraction, ...], Span] = {}

    def times(self) -> dict[tuple[Fraction, ...], Fraction] | None:
        from roofdsl.located_csv import rows  # few machines have a table

        columns: tuple[Fraction, list[int], list[str]] | None = None
        last = Span(self._source, 0, 1)
        for row in rows(self._source):
            last = row.span
            if row.broken is not None:
                self._fail("R0905", "these quotes do not match", row.broken, "leave them out")
            elif columns is None:
                columns = self._header(row)
            else:
                self._row(row, *columns)
            if columns is None:
                return None
        if columns is None:
            self._fail("R0901", "the table is empty", last, self._wanted())
        elif not self._found and not self._failed:
            self._fail("R0901", "the table has a header and no rows", last)
        return None if self._failed else self._found

    def _header(self, row: LocatedRow) -> tuple[Fraction, list[int], list[str]] | None:
        """Return the factor of the time's unit, the columns to read, and what all are called."""
        names = [cell.text for cell in row.cells]
        time = [(place, m) for place, cell in enumerate(names) if (m := _TIME.fullmatch(cell))]
        for name in self._names:
            if names.count(name) != 1:
                what = "has no" if name not in names else "has more than one"
                self._fail("R0904", f"the table {what} column {name}", row.span, self._wanted())
                return None
        if len(time) != 1:
            what = "has more than one" if time else "has no"
            message = f"the table {what} column `time [unit]`"
            self._fail("R0904", message, row.span, self._wanted())
            return None
        place, match = time[0]
        unit = read_unit(match[1])
        if isinstance(unit, UnknownUnit) or unit.dimension != SECOND:
            message = f"'{match[1]}' is not a unit of time"
            self._fail("R0904", message, row.cells[place].span, "write s, ms, us or ns")
            return None
        return unit.factor, [*(names.index(name) for name in self._names), place], names

    def _row(self, row: LocatedRow, factor: Fraction, columns: list[int], names: list[str]) -> None:
        if len(row.cells) != len(names):
            message = f"this row has {len(row.cells)} of the {len(names)} cells of the header"
            self._fail("R0902", message, row.span)
            return
        numbers = [self._number(row.cells[column], names[column]) for column in columns]
        values = [value for value in numbers if value is not None]
        if len(values) < len(numbers):
            return
        key, time = tuple(values[:-1]), values[-1]
        first = self._places.setdefault(key, row.span)
        if first is not row.span:
            message = "these arguments stand in an earlier row too"
            self._fail("R0903", message, row.span, other=first)
        self._found.setdefault(key, time * factor)

    def _number(self, cell: LocatedCell, column: str) -> Fraction | None:
        if _NUMBER.fullmatch(cell.text) and Fraction(cell.text) > 0:
            return Fraction(cell.text)
        message = f"'{cell.text[:30]}' in column '{column[:30]}' is not a number above 0"
        hint = "write it as 120, 0.5 or 1.2e-5"
        self._fail("R0905", message, cell.span, hint)
        return None

    def _fail(
        self,
        code: str,
        message: str,
        place: Span,
        hint: str | None = None,
        other: Span | None = None,
    ) -> None:
        labels = [Label(place), Label(self._place.span, "the table is used here")]
        if other is not None:
            labels.insert(1, Label(other, "first here"))
        self._failed = True
        self._report(Diagnostic(code, message, tuple(labels), hint))

    def _wanted(self) -> str:
        return f"its first row names the columns: {','.join(self._names)},time [ms]"


def nearest(entries: MeasuredTable, asked: tuple[Fraction, ...]) -> list[tuple[Fraction, ...]]:
    """Return the two entries of a table that are nearest in ratio to what was asked.

    What is asked may be 0 or less, which no entry is; it is then nearest to the smallest.
    """

    def distance(key: tuple[Fraction, ...]) -> Fraction:
        pairs = zip(key, asked, strict=True)
        ratios = (max(a, b) / min(a, b) if b > 0 else 1 + a - b for a, b in pairs)
        return sum(ratios, start=Fraction(0))

    return sorted(entries.times, key=distance)[:2]
