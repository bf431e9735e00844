"""Run kernels over sizes and numbers of processes, and see that each answer is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from statistics import median
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean, listing
from roofdsl.measure import mpi
from roofdsl.measure.busy import processors
from roofdsl.measure.hardware import hardware
from roofdsl.measure.job import Job, Watch
from roofdsl.measure.kernels.kernel import Kernel
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.requested import Ran, Request
from roofdsl.measure.timing import Effort, Timed, summary
from roofdsl.units.quantity import show_number

Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[str], None]]]
"""Shows how many of so many runs are done: gives what to call after each, with what it was."""

FULL = Effort(0.5, 7, 31)
QUICK = Effort(0.05, 5, 11)
_LONGEST = 3600.0
"""Seconds that a kernel may take on so many processes, over all sizes."""
_EMPTIED = 64 << 20
"""Bytes that are read to empty caches whose size is not known."""
_MOST_EMPTIED = 512 << 20
_SHORT = 1e-3
"""Of a run shorter than this, the processor's clock does not tell whether it waited [s]."""


class Asked(NamedTuple):
    """The kernels that are run, on so many processes each; without `sizes`, those they have."""

    kernels: tuple[Kernel, ...]
    processes: tuple[int, ...]
    sizes: tuple[int, ...] = ()
    quick: bool = False
    busy: bool = False


class Batch(NamedTuple):
    """What processes do that are started once."""

    kernel: Kernel
    processes: int
    sizes: tuple[int, ...]


class Row(NamedTuple):
    """A run: what of, on how many processes, and what came of it."""

    kernel: Kernel
    processes: int
    ran: Ran


class Measured(NamedTuple):
    """All runs; what was not run, and why; what was seen of others' work; bytes to empty caches."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    busy: str | None
    emptied: int


def named(names: tuple[str, ...]) -> tuple[Kernel, ...]:
    """Return the kernels of these names, all without any; raise RoofError for others (R1535)."""
    unknown = [name for name in names if name not in KERNELS]
    if unknown:
        hint = "kernels: " + listing(KERNELS, len(KERNELS))
        raise RoofError(
            Diagnostic(
                "R1535", f"there is no kernel '{name}'", hint=did_you_mean(name, KERNELS) or hint
            )
            for name in unknown
        )
    return tuple(KERNELS[name] for name in dict.fromkeys(names or KERNELS))


def measure(asked: Asked, progress: Progress, watch: Watch | None = None) -> Measured:
    """Run kernels; raise RoofError where it cannot be, or is not to be, relied on.

    That is where there is no MPI for several processes (R1531), they fail (R1532) or take too long
    (R1533), an answer is wrong (R1534), nothing can be run as it is asked for (R1535), or the
    machine is busy (R1522).
    """
    watch = watch or Watch(accept=asked.busy)
    batches, notes = planned(asked)
    if any(batch.processes > 1 for batch in batches):
        mpi.launcher()  # before anything is measured
    cache = hardware().last_cache
    emptied = min(2 * cache, _MOST_EMPTIED) if cache else _EMPTIED
    watch.begin()
    rows: list[Row] = []
    with progress(sum(len(batch.sizes) for batch in batches)) as tick:
        for batch in batches:
            rows += _rows(batch, QUICK if asked.quick else FULL, emptied, watch, tick)
    return Measured(tuple(rows), notes, watch.told(), emptied)


def planned(asked: Asked) -> tuple[tuple[Batch, ...], tuple[str, ...]]:
    """Return what is run, and of what is not the reasons; raise RoofError for nothing (R1535)."""
    batches: list[Batch] = []
    notes: list[str] = []
    for kernel in asked.kernels:
        for processes in asked.processes:
            sizes = asked.sizes or (kernel.quick if asked.quick else kernel.sizes)
            refused = {
                size: reason for size in sizes if (reason := _refused(kernel, size, processes))
            }
            for reason in dict.fromkeys(refused.values()):
                of = [size for size in refused if refused[size] == reason]
                which = "" if len(of) == len(sizes) else f" of size {', '.join(map(str, of))}"
                on = "1 process" if processes == 1 else f"{processes} processes"
                notes.append(f"{kernel.model}{which} is not run on {on}: {reason}")
            if fitting := tuple(size for size in sizes if size not in refused):
                batches.append(Batch(kernel, processes, fitting))
    if not batches:
        message = "of what is asked for, nothing can be run"
        raise RoofError([Diagnostic("R1535", message, notes=tuple(notes))])
    return tuple(batches), tuple(notes)


def _refused(kernel: Kernel, size: int, processes: int) -> str | None:
    largest = 2 * max(kernel.sizes)
    too_large = f"sizes go up to {largest}" if size > largest else None
    return kernel.refuses(size, processes) or too_large


def _rows(
    batch: Batch, effort: Effort, emptied: int, watch: Watch, tick: Callable[[str], None]
) -> list[Row]:
    """Run a batch, again where others disturb it."""
    rows: list[Row] = []
    kernel, processes, sizes = batch
    tasks = tuple((kernel.model, size) for size in sizes)
    request = Request(processes, tasks, effort.least, effort.most, effort.seconds, emptied)

    def heard(said: mpi.Said) -> None:
        ran = Ran._make(said[name] for name in Ran._fields)
        if not ran.error <= kernel.tolerance:
            raise RoofError([_wrong(ran, processes, kernel.tolerance)])
        rows.append(Row(kernel, processes, ran))
        tick(kernel.model)

    def work() -> Timed:
        rows.clear()
        module = "roofdsl.measure.worker"
        mpi.run(module, request._asdict(), processes, heard, seconds=_LONGEST)
        shares = [row.ran.share for row in rows if row.ran.time >= _SHORT]
        return summary([row.ran.time for row in rows], share=median(shares) if shares else 1.0)

    alone = processes <= processors()
    watch.measured(Job(kernel.model, (), 0.0, work, threads=1 if alone else 0))
    return rows


def _wrong(ran: Ran, processes: int, tolerance: float) -> Diagnostic:
    on = "1 process" if processes == 1 else f"{processes} processes"
    message = f"the answer of {ran.kernel} of size {ran.size} on {on} is wrong"
    far = f"it is {show_number(ran.error)} off a serial one, where {show_number(tolerance)} is due"
    hint = "its times would mean nothing: is its BLAS, or its MPI, broken?"
    return Diagnostic("R1534", message, notes=(far,), hint=hint)


def oversubscribed(rows: tuple[Row, ...], count: int) -> Iterator[str]:
    """Yield of which runs several processes shared one of so many processors."""
    for processes in sorted({row.processes for row in rows if row.processes > count}):
        yield f"P = {processes}: more processes than the {count} processors, which they share"
