"""Measured kernels as points: from Python, or from a table."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from roofdsl.analysis.intensity import QUANTITIES, quotient_of
from roofdsl.analysis.ratio import ratio
from roofdsl.contract import constructed
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean, raise_if_any
from roofdsl.figures.chart import Point
from roofdsl.figures.predicted import MeasuredAgainstPredicted
from roofdsl.inert import read_csv_cell
from roofdsl.model.given import Reader, as_text, double_in
from roofdsl.model.given import by_name as values_by_name
from roofdsl.reading import read_source
from roofdsl.source import Source, Span
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, SECOND, Dimension
from roofdsl.units.quantity import show_number, show_quantity

NUMBERS = {
    **{name: QUANTITIES[name] for name in ("flops", "memory", "network", "time", "OI", "CAI")},
    "performance": FLOP / SECOND,
    "share": DIMENSIONLESS,
}


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

    Other columns of numbers may be work on a resource that a file declares, which counts if a
    figure is over it; empty cells say nothing. Raises RoofError for a file that cannot be read, a
    header without `kernel`, and a cell that is no number (R0806).
    """
    others = "then any of " + ", ".join((*NUMBERS, "level", "machine"))
    problems: list[Diagnostic] = []
    found: list[MeasuredKernel] = []
    for row, place in _table(path, ("kernel",), others):
        texts = {name: row[name] for name in NUMBERS if row.get(name)}
        numbers = {name: _number(text) for name, text in texts.items()}
        for name, value in numbers.items():
            if value is None or value < 0:
                message = f"{name} = '{texts[name]}' is not a number of 0 or more"
                problems.append(Diagnostic("R0806", message, (place,)))
        if not row["kernel"]:
            problems.append(Diagnostic("R0806", "a kernel has no name", (place,)))
        level, machine = row.get("level", ""), row.get("machine", "")
        if not problems:
            own = {name: read for name, cell in row.items() if (read := _work(name, cell))}
            kernel = MeasuredKernel(row["kernel"], level=level, machine=machine, own=own, **numbers)
            found.append(kernel)
    raise_if_any(problems[:20])
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
    others = "and if wanted group, quantity, unit, reference, compared"
    problems: list[Diagnostic] = []
    names: list[str] = []
    groups: list[str] = []
    pairs: list[list[float | None]] = []
    quantity, unit = "Time", "s"
    called = "measured", "predicted"
    for row, place in _table(path, ("name", "measured", "predicted"), others):
        if not names and row.get("quantity"):
            quantity, unit = row["quantity"], row.get("unit", "")
        if not names and row.get("reference") and row.get("compared"):
            called = row["reference"], row["compared"]
        values = [_number(row["measured"]), _number(row["predicted"])]
        if None in values:
            message = "measured and predicted must be numbers"
            problems.append(Diagnostic("R0806", message, (place,)))
            continue
        names.append(row["name"])
        groups.append(row.get("group", ""))
        pairs.append(values)
    if not pairs and not problems:
        problems.append(Diagnostic("R0806", f"'{path}' has no rows"))
    raise_if_any(problems[:20])
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


def _table(
    path: str | os.PathLike[str], needed: Sequence[str], others: str
) -> Iterator[tuple[dict[str, str], Label]]:
    """Yield a table's rows with their places; raise RoofError where a column is missing."""
    source = read_source(Path(path))
    if isinstance(source, Diagnostic):
        raise RoofError([source])
    reader = csv.DictReader(source.text.split("\n"), restval="")
    columns = reader.fieldnames or ()
    missing = set(needed) - set(columns)
    if missing:
        message = f"'{source.name}' has no column '{min(missing)}'"
        hint = f"columns: {', '.join(needed)}, {others}"
        raise RoofError([Diagnostic("R0806", message, (_line(source, 1),), hint)])
    for row in reader:
        cells = {name: read_csv_cell(row[name].strip()) for name in columns}
        yield cells, _line(source, reader.line_num)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _work(name: str, cell: str) -> float | None:
    """Return what may be work on a resource that a file declares: any other number."""
    known = name in NUMBERS or name in ("kernel", "level", "machine")
    value = None if known else _number(cell)
    return value if value is not None and value >= 0 else None


def _line(source: Source, number: int) -> Label:
    start = source.offset(number)
    return Label(Span(source, start, start + len(source.line(number))))
