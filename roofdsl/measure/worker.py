"""One of the processes that run kernels: `python -m roofdsl.measure.worker REQUEST`.

It is started by `mpi.run`, alone or under MPI. The first process says a line of JSON for each
kernel and size: what `Ran` holds, by its names.
"""

from __future__ import annotations

import gc
import json
import sys
from time import perf_counter, process_time

import numpy as np

from roofdsl.measure import mpi
from roofdsl.measure.collectives import largest
from roofdsl.measure.communicator import Communicator, world
from roofdsl.measure.kernels.kernel import Kernel, Prepared
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.requested import Ran, Request
from roofdsl.measure.split_clock import SplitClock
from roofdsl.measure.timing import summary


def main(text: str) -> None:
    """Run what a request asks for."""
    mpi.end_with_parent()
    request = Request(**json.loads(text))
    try:
        processes = world(request.processes)
    except RuntimeError as error:
        mpi.fail(str(error))
    for kernel, size in request.tasks:
        try:
            ran = measured(processes, kernel, size, request)
        except ImportError as error:
            mpi.fail(f"{kernel} needs the package {error.name}: pip install 'roofdsl[measure]'")
        except MemoryError:
            mpi.fail(f"there is not enough memory for {kernel} of size {size:,}")
        if processes.rank == 0:
            print(json.dumps(ran._asdict()), flush=True)  # noqa: T201 - it is read by `mpi.run`


def measured(processes: Communicator, kernel: str, size: int, request: Request) -> Ran:
    """Run a kernel again and again, its data in no cache: before each run they are emptied.

    That takes the program out of the caches as well. So a small run of a twin of the kernel
    follows, which brings it back, and none of its data.
    """
    prepared = KERNELS[kernel].prepare(processes, size)
    prepared.ready()
    prepared.run(SplitClock())  # what is compiled, and memory that is touched for the first time
    sent, messages = processes.sent, processes.messages
    prepared.ready()
    prepared.run(SplitClock())
    sent, messages = processes.sent - sent, processes.messages - messages
    most = largest(processes, [sent, messages])
    emptying = np.ones(request.emptied // 8)
    twin = _twin(processes, KERNELS[kernel], size)
    runs: list[list[float]] = []
    gc.collect()
    gc.disable()
    while len(runs) < request.most:
        prepared.ready()
        emptying.sum()  # reads alone: what is written would have to be written back, in the run
        twin.ready()
        twin.run(SplitClock())
        runs.append(_once(processes, prepared))
        enough = len(runs) >= request.least and sum(run[0] for run in runs) >= request.seconds
        if enough and len(runs) % 2:  # of so many, the median is one of them
            break
    gc.enable()
    times = summary([run[0] for run in runs])
    middle = sorted(runs)[(len(runs) - 1) // 2]
    _, compute, communication, processor = middle
    return Ran(
        kernel,
        size,
        time=times.median,
        compute=compute,
        communication=communication,
        low=times.low,
        high=times.high,
        repeats=len(runs),
        share=processor / middle[0],
        sent=int(most[0]),
        messages=int(most[1]),
        error=prepared.error(),
    )


def _twin(processes: Communicator, kernel: Kernel, size: int) -> Prepared:
    """Return the kernel with data of its own, of the smallest size that it usually has."""
    fitting = (other for other in kernel.sizes if not kernel.refuses(other, processes.size))
    return kernel.prepare(processes, min(size, next(fitting, size)))


def _once(processes: Communicator, prepared: Prepared) -> list[float]:
    """Run once, all beginning together; return the times of the process that took the longest."""
    clock = SplitClock()
    processes.barrier()
    used, begin = process_time(), perf_counter()
    prepared.run(clock)
    took = perf_counter() - begin
    used = process_time() - used
    return largest(processes, [took, clock.computing.seconds, clock.communicating.seconds, used])


if __name__ == "__main__":
    main(sys.argv[1])
