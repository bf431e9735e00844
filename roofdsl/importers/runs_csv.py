"""Read runs: a row for each setting that was measured, with its parameters and its time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roofdsl.analysis.runs import Given, Run, Runs
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Expression, Number
from roofdsl.importers.headed_csv import Column, HeadedRow, HeadedTable, Layout, read_headed
from roofdsl.located_csv import LocatedCell
from roofdsl.model.precision import PRECISIONS, code
from roofdsl.source import Span
from roofdsl.units.dimension import (
    BYTE,
    DIMENSIONLESS,
    FLOP,
    MESSAGE,
    SECOND,
    Dimension,
)

TIMES = ("time", "compute", "communication", "time_low", "time_high")
WORK: Mapping[str, Dimension] = {
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    "messages": MESSAGE,
}
"""What is counted while a kernel runs; `memory.L2` is what goes to that level."""
RESERVED: Mapping[str, Dimension | None] = {
    **dict.fromkeys(("kernel", "machine", "level", "kind", "bound", "group")),
    **dict.fromkeys(TIMES, SECOND),
    **WORK,
    "performance": FLOP / SECOND,
    **dict.fromkeys(("OI", "CAI"), FLOP / BYTE),
    **dict.fromkeys(("repeats", "calls", "share"), DIMENSIONLESS),
}
"""Columns that mean the same in every table of measurements. All others are parameters."""

_LAYOUT = Layout(
    "this file of runs",
    needed=(("time", "performance"),),
    known=RESERVED,
    header="kernel,N,P,time [s]",
    larger="keep one row a setting, the median of its repeats",
    open=True,
    levels=frozenset(WORK),
)
_TRUTHS = {"true": True, "false": False}


def read_runs(path: Path, shown: str | None = None) -> tuple[Runs | None, tuple[Diagnostic, ...]]:
    """Read a CSV file with a row for each run; return the runs and every problem in it.

    The first row names the columns, in any order, with their units: `kernel`, the parameters of its
    model such as `N`, and `time [s]` (or another unit of time), or `performance [GFLOPS]`. An empty
    cell is not given. See `RESERVED` for the others, and docs/validating.md.
    """
    table = read_headed(path, _LAYOUT, shown)
    if isinstance(table, Diagnostic):
        return None, (table,)
    return _RunsReader(table).runs(shown or str(path))


class _RunsReader:
    def __init__(self, table: HeadedTable) -> None:
        self._table = table
        self._parameters: dict[str, Given] = {}

    def runs(self, name: str) -> tuple[Runs | None, tuple[Diagnostic, ...]]:
        table = self._table
        found = [run for row in table.rows() if (run := self._run(row)) is not None]
        if not found and not table.problems:
            table.fail("R1501", "this file has no runs", table.span, table.layout.example)
        if table.problems:
            return None, tuple(table.problems)
        return Runs(name, tuple(found), self._parameters), ()

    def _run(self, row: HeadedRow) -> Run | None:
        before = len(self._table.problems)
        time, compute, communication, low, high = (self._given(row, name) for name in TIMES)
        performance = self._given(row, "performance")
        work = {
            name: value
            for name in row.cells
            if name.partition(".")[0] in WORK and (value := self._given(row, name)) is not None
        }
        repeats = self._given(row, "repeats")
        arguments = self._arguments(row)
        if len(self._table.problems) == before:
            self._check_time(row, time, performance)
        if len(self._table.problems) > before:
            return None
        return Run(
            kernel=self._table.text(row, "kernel"),
            arguments=arguments,
            span=row.span,
            time=time,
            compute=compute,
            communication=communication,
            low=low,
            high=high,
            performance=performance,
            repeats=None if repeats is None else int(repeats),
            machine=self._table.text(row, "machine"),
            work=work,
        )

    def _check_time(self, row: HeadedRow, time: float | None, performance: float | None) -> None:
        """Report a run of which nobody says how long it took, or that took no time."""
        if time is None and performance is None:
            message = "this run has neither a time nor a performance"
            self._table.fail("R1502", message, row.span, "leave out what was not measured")
        elif not time and not performance:
            cell = row.cells["performance" if time is None else "time"]
            message = f"this run has a {'performance' if time is None else 'time'} of 0"
            self._table.fail("R1502", message, cell.span, "leave out what was not measured")

    def _given(self, row: HeadedRow, name: str) -> float | None:
        """Return a number that may be left out, in SI base units."""
        if not self._table.text(row, name):
            return None
        value = self._table.number(row, name)
        return None if value is None else float(value)

    def _arguments(self, row: HeadedRow) -> dict[str, tuple[Expression, Span]]:
        """Return what a row gives for parameters: numbers, precisions, true or false."""
        found: dict[str, tuple[Expression, Span]] = {}
        for name, cell in row.cells.items():
            if name in RESERVED or name.partition(".")[0] in WORK or not cell.text:
                continue
            column = self._table.columns[name]
            sort = _sort(cell.text)
            known = self._parameters.setdefault(name, _given(column, sort))
            if known.sort != sort:
                message = f"'{cell.text[:40]}' is no {known.sort}, as those above it are"
                self._table.fail("R0914", message, cell.span, f"'{name}' has one sort of value")
                continue
            value = self._value(row, name, cell)
            if value is not None:
                found[name] = value, cell.span
        return found

    def _value(self, row: HeadedRow, name: str, cell: LocatedCell) -> Expression | None:
        if cell.text in PRECISIONS:
            return Number(code(cell.text))
        if cell.text in _TRUTHS:
            return truth(_TRUTHS[cell.text])
        number = self._table.number(row, name, signed=True)
        return None if number is None else Number(number)


def _sort(text: str) -> str:
    return "precision" if text in PRECISIONS else "truth value" if text in _TRUTHS else "number"


def _given(column: Column, sort: str) -> Given:
    return Given(column.name, column.dimension, sort, column.span)
