"""Runs of kernels as a table: a header with units, a row for each, and how they were measured."""

from __future__ import annotations

import csv
import platform
from collections.abc import Iterator
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from io import StringIO

from roofdsl.inert import csv_value, in_a_line
from roofdsl.measure.busy import processors
from roofdsl.measure.hardware import Hardware
from roofdsl.measure.kernel_runs import Measured, oversubscribed
from roofdsl.units.quantity import show_binary

_TIMES = {
    "time [s]": "time",
    "compute [s]": "compute",
    "communication [s]": "communication",
    "time_low [s]": "low",
    "time_high [s]": "high",
}
_LIBRARIES = ("numpy", "scipy", "numba", "mpi4py")


def runs_text(
    measured: Measured, machine: Hardware, blas: str, mpi: str | None, today: date
) -> str:
    """Return the text of the table."""
    text = StringIO()
    for line in _sources(measured, machine, blas, mpi, today):
        text.write(f"# {in_a_line(line)}\n")
    given = [dict(row.kernel.parameters(row.ran.size, row.processes)) for row in measured.rows]
    names = list(dict.fromkeys(name for each in given for name in each))
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["kernel", *names, *_TIMES, "repeats"])
    for row, values in zip(measured.rows, given, strict=True):
        times = [f"{getattr(row.ran, name):.6g}" for name in _TIMES.values()]
        cells = [csv_value(values.get(name)) for name in names]
        writer.writerow([row.kernel.model, *cells, *times, row.ran.repeats])
    return text.getvalue()


def _sources(
    measured: Measured, machine: Hardware, blas: str, mpi: str | None, today: date
) -> Iterator[str]:
    count = processors()
    yield f"runs of kernels, measured by roofdsl {version('roofdsl')} on {today}"
    memory = f"; {show_binary(machine.memory)} of memory" if machine.memory else ""
    yield f"processor: {machine.processor}, {count} of them{memory}; {machine.system}"
    yield f"software: {', '.join(_software(blas, mpi))}"
    yield (
        "time: the median over repeats, each from where all processes begin together to the end of"
        " the last; time_low and time_high: quartiles"
    )
    yield (
        "compute, communication: of the process that took the longest, in the run of that time;"
        " communication with waiting"
    )
    emptied = show_binary(measured.emptied)
    yield f"one thread a process; caches emptied before each run, by reading {emptied}"
    for kernel in dict.fromkeys(row.kernel for row in measured.rows):
        yield f"{kernel.model}: {kernel.method}"
    yield from oversubscribed(measured.rows, count)
    yield from measured.notes
    if measured.busy:
        yield f"the machine was busy: {measured.busy}"


def _software(blas: str, mpi: str | None) -> Iterator[str]:
    yield f"{platform.python_implementation()} {platform.python_version()}"
    for name in _LIBRARIES:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            if name == "numba":
                yield "no numba: loops by NumPy in blocks"
    yield blas
    if mpi:
        yield mpi
