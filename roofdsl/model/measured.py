"""Measured operations: tables of times in CSV files, and the operation a kernel says it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.expression.tree import Expression
from roofdsl.model.elaborate import plain
from roofdsl.model.resource import resource_named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Resource
from roofdsl.model.varying import MeasuredTable, Operation
from roofdsl.model.work_rate import arguments_of_work
from roofdsl.reading import read_source, real_path
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import MeasuredStatement, OperationStatement
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

if TYPE_CHECKING:
    from roofdsl.located_csv import LocatedCell, LocatedRow

SUFFIX = ".csv"
_MEASURED = re.compile(r"(time|rate)\s*\[\s*([^\]]+?)\s*\]")
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


def table(
    statement: MeasuredStatement,
    folder: Path,
    resources: Mapping[str, Resource],
    scope: Scope,
) -> MeasuredTable | None:
    """Read the table of a measured operation or rate; report every row that is wrong."""
    file, place = statement.file.value, Label(statement.file.span)
    path, report = folder / file, scope.report
    if path.suffix != SUFFIX or real_path(path).suffix != SUFFIX:
        message, hint = f"'{file}' is not a {SUFFIX} file", f"`from` reads {SUFFIX} files"
        report(Diagnostic.at("R0004", message, place, hint=hint))
        return None
    of = resources.get(statement.path.names[0].name)
    columns = _columns(statement, of, resources, scope)
    if columns is None:
        return None
    source = read_source(path, file, place)
    if isinstance(source, Diagnostic):
        report(source)
        return None
    statement.span.source.uses.append(source.digest)
    reader = _TableReader(source, columns, of and of.dimension / SECOND, place, report)
    values = reader.values()
    if values is None:
        return None
    key, operation = statement.path.text, statement.operation
    name = f"{key} as {operation.name}" if operation else key
    whole = MeasuredTable(name, tuple(columns), values, statement.interpolate, file, statement.span)
    if of is None:
        return whole
    called, units = operation.name if operation else "", tuple(columns.values())
    found = whole._replace(key=key, operation=called, units=units)
    return found._replace(measure=of.dimension / SECOND if reader.of_rates else SECOND)


def _columns(
    statement: MeasuredStatement,
    of: Resource | None,
    resources: Mapping[str, Resource],
    scope: Scope,
) -> dict[str, Dimension] | None:
    """Return the arguments of a table with their units; report what they cannot be."""
    if of is None and statement.operation is not None:
        resource_named(statement.path, scope, resources)
        return None
    if of is None or statement.operation is not None:
        return {name.name: DIMENSIONLESS for name in statement.parameters}
    given = arguments_of_work(statement.parameters, of, scope, resources)
    if given is None:
        return None
    return {name: formula.dimension for name, formula in given.items()}


class _TableReader:
    """Reads rows of numbers: a column for each argument, and `time [unit]` or `rate [unit]`."""

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, Dimension],
        speed: Dimension | None,
        place: Label,
        report: Reporter,
    ) -> None:
        self.of_rates = False
        self._source = source
        self._columns = columns
        self._speed = speed
        self._place = place
        self._report = report
        self._failed = False
        self._found: dict[tuple[Fraction, ...], Fraction] = {}
        self._places: dict[tuple[Fraction, ...], Span] = {}

    def values(self) -> dict[tuple[Fraction, ...], Fraction] | None:
        from roofdsl.located_csv import rows  # few machines have a table

        columns: tuple[list[tuple[int, Fraction]], list[str]] | None = None
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

    def _header(self, row: LocatedRow) -> tuple[list[tuple[int, Fraction]], list[str]] | None:
        """Return the columns to read, with the factors of their units, and what all are called."""
        names = [cell.text for cell in row.cells]
        found: list[tuple[int, Fraction]] = []
        for name, dimension in self._columns.items():
            column = self._column(name, dimension, row)
            if column is None:
                return None
            found.append(column)
        known = [(place, m) for place, cell in enumerate(names) if (m := _MEASURED.fullmatch(cell))]
        measured = [(place, m) for place, m in known if m[1] == "time" or self._speed is not None]
        if len(measured) != 1:
            what = "has more than one" if measured else "has no"
            message = f"the table {what} column `time [unit]`"
            self._fail("R0904", message, row.span, self._wanted())
            return None
        place, match = measured[0]
        unit, self.of_rates = read_unit(match[2]), match[1] == "rate"
        wanted = self._speed if self.of_rates and self._speed else SECOND
        if isinstance(unit, UnknownUnit) or unit.dimension != wanted:
            what = f"a unit of {wanted.describe()}" if self.of_rates else "a unit of time"
            hint = f"write it as {wanted}" if self.of_rates else "write s, ms, us or ns"
            self._fail("R0904", f"'{match[2]}' is not {what}", row.cells[place].span, hint)
            return None
        return [*found, (place, unit.factor)], names

    def _column(
        self, name: str, dimension: Dimension, row: LocatedRow
    ) -> tuple[int, Fraction] | None:
        """Return the column of an argument; of one with a unit it may stand behind its name."""
        named = [cell for cell in row.cells if cell.text.partition("[")[0].strip() == name]
        if dimension == DIMENSIONLESS:
            named = [cell for cell in row.cells if cell.text == name]
        if len(named) != 1:
            what = "has more than one" if named else "has no"
            self._fail("R0904", f"the table {what} column {name}", row.span, self._wanted())
            return None
        place = row.cells.index(named[0])
        written = named[0].text.partition("[")[2].rstrip().removesuffix("]").strip()
        if not written:
            return place, Fraction(1)
        unit = read_unit(written)
        if isinstance(unit, UnknownUnit) or unit.dimension != dimension:
            message = f"'{written}' is not a unit of {dimension.describe()}"
            self._fail("R0904", message, named[0].span, f"write {name} [{dimension}]")
            return None
        return place, unit.factor

    def _row(self, row: LocatedRow, columns: list[tuple[int, Fraction]], names: list[str]) -> None:
        if len(row.cells) != len(names):
            message = f"this row has {len(row.cells)} of the {len(names)} cells of the header"
            self._fail("R0902", message, row.span)
            return
        numbers = [self._number(row.cells[column], names[column]) for column, _ in columns]
        factors = (factor for _, factor in columns)
        values = [x * factor for x, factor in zip(numbers, factors, strict=True) if x is not None]
        if len(values) < len(numbers):
            return
        key = tuple(values[:-1])
        first = self._places.setdefault(key, row.span)
        if first is not row.span:
            message = "these arguments stand in an earlier row too"
            self._fail("R0903", message, row.span, other=first)
        self._found.setdefault(key, values[-1])

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
        units = (f" [{unit}]" if unit.powers else "" for unit in self._columns.values())
        names = ",".join(f"{name}{unit}" for name, unit in zip(self._columns, units, strict=True))
        also = f" or `rate [{self._speed}]`" if self._speed else ""
        return f"its first row names the columns: {names},time [ms]{also}"


def nearest(entries: MeasuredTable, asked: Sequence[Fraction | None]) -> list[tuple[Fraction, ...]]:
    """Return the two entries of a table that are nearest in ratio to what was asked.

    What is asked may be 0 or less, which no entry is; it is then nearest to the smallest. What is
    None may be anything.
    """

    def distance(key: tuple[Fraction, ...]) -> Fraction:
        pairs = [(a, b) for a, b in zip(key, asked, strict=True) if b is not None]
        ratios = (max(a, b) / min(a, b) if b > 0 else 1 + a - b for a, b in pairs)
        return sum(ratios, start=Fraction(0))

    return sorted(entries.values, key=distance)[:2]
