"""Measured kernels as points: from Python, or from a table."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from roofdsl.analysis.intensity import QUANTITIES, quotient_of
from roofdsl.analysis.ratio import ratio
from roofdsl.contract import constructed
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean, raise_if_any
from roofdsl.figures.chart import Point
from roofdsl.figures.predicted import MeasuredAgainstPredicted
from roofdsl.importers.headed_csv import HeadedRow, HeadedTable, Layout, read_headed
from roofdsl.model.given import Reader, as_text, double_in
from roofdsl.model.given import by_name as values_by_name
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity

NUMBERS = {
    **{name: QUANTITIES[name] for name in ("flops", "memory", "network", "time", "OI", "CAI")},
    "performance": FLOP / SECOND,
    "share": DIMENSIONLESS,
}
_KERNELS = Layout(
    "this table",
    needed=(("kernel",),),
    known={
        **dict.fromkeys(("kernel", "level", "machine", "bound", "group")),
        **NUMBERS,
        "calls": DIMENSIONLESS,
    },
    header="kernel,time [s],flops [flop],memory [B]",
    open=True,
    levels=frozenset({"memory"}),
    bare_times=True,
)
_PAIRS = Layout(
    "this table",
    needed=(("name",), ("measured",), ("predicted",)),
    known=dict.fromkeys(
        ("name", "group", "measured", "predicted", "quantity", "unit", "reference", "compared")
    ),
    header="name,measured,predicted",
)


def measure(unit: Dimension) -> Reader[float]:
    """Return what reads something measured, which is 0 or more, or an infinite intensity."""
    read = double_in(unit)

    def measured(name: str, value: object) -> float:
        # An intensity may be without end.
        endless = unit == FLOP / BYTE and isinstance(value, float) and value == math.inf
        found = math.inf if endless else read(name, value)
        if found >= 0:
            return found
        message = f"{name} = {show_number(found, 6)} is not a number of 0 or more"
        raise RoofError([Diagnostic("R0806", message)])

    return measured


@constructed(
    **dict.fromkeys(("kernel", "machine"), as_text),
    **{name: measure(unit) for name, unit in NUMBERS.items()},
    own=values_by_name(double_in()),
)
@dataclass(frozen=True, slots=True)
class MeasuredKernel:
    """A kernel as it was measured, in SI base units (flop, B, s, flop/s).

    Give its work and its time, or its intensities and its performance. `share` is its share of the
    whole time, 0 to 1; `own` is the work on resources that files declare, by their names.

    >>> point = MeasuredKernel("triad", flops=2e9, memory=24e9, time=2.0).point("OI")
    >>> point.x, point.y, point.measured
    (0.08333333333333333, 1000000000.0, True)
    """

    kernel: str
    flops: float | None = None
    memory: float | None = None
    network: float | None = None
    time: float | None = None
    OI: float | None = None
    CAI: float | None = None
    performance: float | None = None
    share: float | None = None
    level: str = ""
    machine: str = ""
    own: Mapping[str, float] = field(default_factory=dict)

    @property
    def reached(self) -> float | None:
        """The performance [flop/s] that is given, or flops / time."""
        if self.performance is None and self.flops is not None and self.time:
            return self.flops / self.time
        return self.performance

    def point(self, symbol: str, work_unit: Dimension = BYTE) -> Point | None:
        """Return its point over `OI`, `CAI` or `flops/nvme`; None where it says too little.

        `work_unit` is that of the work which the flops are divided by.
        """
        resource = quotient_of(symbol)[1]
        work = {"memory": self.memory, "network": self.network, **self.own}.get(resource)
        x = {"OI": self.OI, "CAI": self.CAI}.get(symbol)
        if x is None and self.flops is not None and work is not None:
            x = ratio(self.flops, work)
        y = self.reached
        if x is None or y is None:
            return None
        note = ""
        if y == 0 and work and self.time:
            note = f"(0 flop) {show_quantity(work / self.time, work_unit / SECOND)}"
        return Point(
            self.kernel, x, y, self.machine, self.level, self.share, measured=True, note=note
        )


def read_measured(path: str | os.PathLike[str]) -> tuple[MeasuredKernel, ...]:
    """Read measured kernels from a CSV file with a header; see `MeasuredKernel` for its columns.

    A header may say a unit, `time [ms]`; without one a column is in SI base units. A kernel with
    `memory.L2` and such is read once for each level. Other columns of numbers may be work on a
    resource that a file declares, which counts if a figure is over it; empty cells say nothing.
    Raises RoofError for a file that cannot be read, a header that does not fit (R0912), and a cell
    that is no number of 0 or more (R0914, R0806).
    """
    table = _headed(path, _KERNELS)
    found: list[MeasuredKernel] = []
    for row in table.rows():
        numbers = {name: _number(table, row, name) for name in NUMBERS if table.text(row, name)}
        kernel = table.text(row, "kernel")
        if not kernel:
            message = "a kernel has no name"
            table.fail("R0806", message, row.span, "name it in the column `kernel`")
        levels = {
            name: _number(table, row, name)
            for name in table.columns
            if _level(name) and table.text(row, name)
        }
        if table.problems:
            continue
        own = {name: work for name in table.columns if (work := _work(table, row, name))}
        level, machine = table.text(row, "level"), table.text(row, "machine")
        whole = MeasuredKernel(kernel, level=level, machine=machine, own=own, **numbers)
        if not levels or own or {"memory", "network", "OI", "CAI"} & numbers.keys():
            found.append(whole)
        for name, work in levels.items():
            here = replace(whole, level=_level(name), memory=work, network=None)
            found.append(replace(here, OI=None, CAI=None, own={}))
    raise_if_any(table.problems[:20])
    return tuple(found)


def by_name(measured: Mapping[str, float], names: Sequence[str], noun: str) -> list[float | None]:
    """Return the value measured for each name, None where there is none.

    Raises RoofError for what was measured under a name that is not shown (R0807).
    """
    problems = [
        Diagnostic(
            "R0807",
            f"'{name}' was measured, but the figure has no such {noun}",
            hint=did_you_mean(name, names) or f"{noun}s: {', '.join(names[:12])}",
        )
        for name in measured
        if name not in names
    ]
    raise_if_any(problems[:20])
    return [measured.get(name) for name in names]


def read_comparison(path: str | os.PathLike[str]) -> MeasuredAgainstPredicted:
    """Read measured and predicted values from a CSV file with a header.

    Columns: name, measured, predicted, and if wanted group; where they are no times in seconds,
    quantity and unit, and where they are called otherwise, reference and compared, of which the
    first row counts. Raises RoofError like `read_measured`.
    """
    table = _headed(path, _PAIRS)
    names: list[str] = []
    groups: list[str] = []
    pairs: list[tuple[float, float]] = []
    quantity, unit = "Time", "s"
    called = "measured", "predicted"
    for row in table.rows():
        if not names and table.text(row, "quantity"):
            quantity, unit = table.text(row, "quantity"), table.text(row, "unit")
        if not names and table.text(row, "reference") and table.text(row, "compared"):
            called = table.text(row, "reference"), table.text(row, "compared")
        one, other = (table.number(row, name, signed=True) for name in ("measured", "predicted"))
        if one is not None and other is not None:
            names.append(table.text(row, "name"))
            groups.append(table.text(row, "group"))
            pairs.append((float(one), float(other)))
    if not pairs and not table.problems:
        table.fail("R0806", "this table has no rows", table.span, "write a row for each value")
    raise_if_any(table.problems[:20])
    columns = np.array(pairs, dtype=float)
    return MeasuredAgainstPredicted(
        tuple(names),
        columns[:, 0],
        columns[:, 1],
        quantity,
        unit,
        groups=tuple(groups) if any(groups) else (),
        called=called,
    )


def _headed(path: str | os.PathLike[str], layout: Layout) -> HeadedTable:
    """Return a table whose header fits; raise RoofError for one that cannot be read."""
    table = read_headed(Path(path), layout, os.fspath(path))
    if isinstance(table, Diagnostic):
        raise RoofError([table])
    raise_if_any(table.problems)
    if table.empty:
        table.fail("R0806", "this table is empty", table.span, layout.example)
        raise RoofError(table.problems)
    return table


def _number(table: HeadedTable, row: HeadedRow, name: str) -> float | None:
    """Return a number of 0 or more; an intensity may be without end."""
    if name in ("OI", "CAI") and table.text(row, name).lower() in ("inf", "∞"):
        return math.inf
    number = table.number(row, name)
    return None if number is None else float(number)


def _level(column: str) -> str:
    """Return the level of memory whose work is in a column, "" where it is none.

    >>> [_level(name) for name in ("memory.L2", "memory", "disk.L2")]
    ['L2', '', '']
    """
    stem, _, level = column.partition(".")
    return level if stem == "memory" else ""


def _work(table: HeadedTable, row: HeadedRow, name: str) -> float | None:
    """Return what may be work on a resource that a file declares: any other number."""
    if name in _KERNELS.known or _level(name):
        return None
    try:
        value = float(table.text(row, name)) * float(table.columns[name].factor)
    except ValueError:
        return None
    return value if 0 <= value < math.inf else None
