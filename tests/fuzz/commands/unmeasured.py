"""What stands in for measurements: nothing is measured, and no process started, by the fuzzer."""

from __future__ import annotations

from unittest.mock import patch

from roofdsl.measure import kernel_runs, machine
from roofdsl.measure.found import Found, Measured
from roofdsl.measure.hardware import Cache, Hardware
from roofdsl.measure.job import Done, Watch
from roofdsl.measure.machine import Asked, Progress
from roofdsl.measure.requested import Ran
from roofdsl.measure.timing import Rate, Timed


def stand_in() -> None:
    """Have the commands of this process write numbers that nobody measured."""
    patch.object(machine, "measure", _machine).start()
    patch.object(kernel_runs, "measure", _kernels).start()


def _machine(asked: Asked, progress: Progress, _watch: Watch | None = None) -> Measured:
    with progress(4) as tick:
        tick("one")
    of = Hardware('A "fast" \\ one', (Cache(1, 32768),), 2**34, 2**33, "Linux")
    rates = (
        Found("flops.matrix.fp64", Rate(22e9, 0.4e9), "of order 2048"),
        Found("memory.DRAM", Rate(13.9e9, 99e9)),
        Found("messages", Rate(5e-7, 0.0)),
    )
    table = (Done((1, 1, 1), 2.0, Timed(1e-6, 1e-6, 1e-6, 5, 1.0)),)
    tables = tuple((kind, table) for kind in ("fp64", "fp32")) if asked.gemm else ()
    seen = "others" if asked.busy else None
    return Measured(of, asked.threads, rates, ("made up",), ("a note",), seen, tables)


def _kernels(
    asked: kernel_runs.Asked, progress: kernel_runs.Progress, _watch: Watch | None = None
) -> kernel_runs.Measured:
    batches, notes = kernel_runs.planned(asked)
    with progress(len(batches)) as tick:
        tick("one")
    rows = tuple(
        kernel_runs.Row(
            batch.kernel,
            batch.processes,
            Ran(batch.kernel.model, size, 1.0, 0.5, 0.5, 0.9, 1.1, 5, 1.0, 8, 1, 0.0),
        )
        for batch in batches
        for size in batch.sizes
    )
    return kernel_runs.Measured(rows, notes, "others" if asked.busy else None, 0)
