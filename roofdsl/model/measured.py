"""Measured operations: tables of times in CSV files, and the operation a kernel says it is."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.tree import Expression
from roofdsl.model.elaborate import plain
from roofdsl.model.neighbours import Report
from roofdsl.model.scope import Scope
from roofdsl.model.types import Operation, Table
from roofdsl.reading import read_source, real_path
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import MeasuredStatement, OperationStatement
from roofdsl.units.dimension import SECOND
from roofdsl.units.unit import UnknownUnit, read_unit

SUFFIX = ".csv"
_TIME = re.compile(r"time\s*\[\s*([^\]]+?)\s*\]")
_NUMBER = re.compile(r"\d+(\.\d+)?([eE][+-]?\d{1,3})?")


def operation(statement: OperationStatement, scope: Scope) -> Operation | None:
    """Return the operation a kernel says it is; its arguments are plain numbers, by name."""
    arguments: dict[str, Expression] = {}
    for argument in statement.arguments:
        if argument.name is None or argument.name.name in arguments:
            what = "is given twice" if argument.name else "has no name"
            message = f"an argument of `as {statement.name.name}` {what}"
            hint = f"write `as {statement.name.name}(name = value, …)`"
            scope.report(Diagnostic("R0205", message, (Label(argument.span),), hint))
            return None
        tree = plain(argument.value, scope, "an argument of an operation")
        if tree is None:
            return None
        arguments[argument.name.name] = tree
    return Operation(statement.name.name, arguments, statement.span)


def table(statement: MeasuredStatement, folder: Path, report: Report) -> Table | None:
    """Read the table of a measured operation; report every row that is wrong."""
    file, place = statement.file.value, Label(statement.file.span)
    path = folder / file
    if path.suffix != SUFFIX or real_path(path).suffix != SUFFIX:
        message, hint = f"'{file}' is not a {SUFFIX} file", f"`from` reads {SUFFIX} files"
        report(Diagnostic("R0004", message, (place,), hint))
        return None
    source = read_source(path, file, place)
    if isinstance(source, Diagnostic):
        report(source)
        return None
    names = tuple(parameter.name for parameter in statement.parameters)
    times = _Reader(source, names, place, report).times()
    if times is None:
        return None
    return Table(statement.name.name, names, times, statement.interpolate, file, statement.span)


class _Reader:
    """Reads rows of plain numbers: one column for each parameter, and `time [unit]`."""

    def __init__(
        self, source: Source, names: tuple[str, ...], place: Label, report: Report
    ) -> None:
        self._source = source
        self._names = names
        self._place = place
        self._report = report
        self._failed = False

    def times(self) -> dict[tuple[Fraction, ...], Fraction] | None:
        rows = list(csv.reader(self._source.text.splitlines()))
        numbered = [
            (line, [cell.strip() for cell in row])
            for line, row in enumerate(rows, start=1)
            if any(cell.strip() for cell in row) and not row[0].lstrip().startswith("#")
        ]
        if not numbered:
            self._fail("R0901", "the table is empty", 1, hint=self._wanted())
            return None
        columns = self._header(*numbered[0])
        if columns is None:
            return None
        factor, places, width = columns
        found: dict[tuple[Fraction, ...], Fraction] = {}
        for line, row in numbered[1:]:
            if len(row) != width:
                message = f"this row has {len(row)} of the {width} cells of the header"
                self._fail("R0902", message, line)
                continue
            values = [self._number(row, place, line) for place in places]
            if any(value is None for value in values):
                continue
            *key, time = (value for value in values if value is not None)
            if tuple(key) in found:
                self._fail("R0903", "these arguments stand in an earlier row too", line)
            found[tuple(key)] = time * factor
        if not found and not self._failed:
            self._fail("R0901", "the table has a header and no rows", 1)
        return None if self._failed else found

    def _header(self, line: int, row: Sequence[str]) -> tuple[Fraction, list[int], int] | None:
        """Return the factor of the time's unit, the columns to read, and how many there are."""
        missing = [name for name in self._names if name not in row]
        time = [(place, m) for place, cell in enumerate(row) if (m := _TIME.fullmatch(cell))]
        if missing or len(time) != 1:
            what = f"column {', '.join(missing)}" if missing else "column `time [unit]`"
            self._fail("R0904", f"the table has no {what}", line, hint=self._wanted())
            return None
        unit = read_unit(time[0][1][1])
        if isinstance(unit, UnknownUnit) or unit.dimension != SECOND:
            message = f"'{time[0][1][1]}' is not a unit of time"
            self._fail("R0904", message, line, hint="write s, ms, us or ns")
            return None
        return unit.factor, [*(row.index(n) for n in self._names), time[0][0]], len(row)

    def _number(self, row: Sequence[str], place: int, line: int) -> Fraction | None:
        cell = row[place]
        if _NUMBER.fullmatch(cell) and Fraction(cell) > 0:
            return Fraction(cell)
        message = f"'{cell[:30]}' is not a number above 0 (column {place + 1})"
        self._fail("R0905", message, line)
        return None

    def _fail(self, code: str, message: str, line: int, hint: str | None = None) -> None:
        start = self._source.offset(line)
        span = Span(self._source, start, start + max(1, len(self._source.line(line))))
        labels = (Label(span), Label(self._place.span, "the table is used here"))
        self._failed = True
        self._report(Diagnostic(code, message, labels, hint))

    def _wanted(self) -> str:
        return f"its first row names the columns: {','.join(self._names)},time [ms]"


def nearest(entries: Table, asked: tuple[Fraction, ...]) -> list[tuple[Fraction, ...]]:
    """Return the two entries of a table that are nearest in ratio to what was asked.

    What is asked may be 0 or less, which no entry is; it is then nearest to the smallest.
    """

    def distance(key: tuple[Fraction, ...]) -> Fraction:
        return sum(
            (
                max(a, b) / min(a, b) if b > 0 else 1 + a - b
                for a, b in zip(key, asked, strict=True)
            ),
            start=Fraction(0),
        )

    return sorted(entries.times, key=distance)[:2]
