"""One of the two processes that send each other messages: started by `ping_pong`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from time import perf_counter, process_time
from typing import TYPE_CHECKING

import numpy as np

from roofdsl.measure import mpi
from roofdsl.measure.ping_pong import WINDOW, Request
from roofdsl.measure.timing import BATCH

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

_MOST_ROUNDS = 10_000


def main(text: str) -> None:
    """Time the messages of each size, and say the times as a line of JSON."""
    from mpi4py import MPI

    mpi.end_with_parent()
    request = Request(**json.loads(text))
    world = MPI.COMM_WORLD
    if world.size != 2:
        mpi.fail(f"of 2 processes, {world.size} found together: two MPIs?")
    for size in request.sizes:
        pair = Pair(world, size)
        used, begin = process_time(), perf_counter()
        trips = repeated(world, pair.rounds, request)
        streams = repeated(world, pair.window, request)
        share = (process_time() - used) / (perf_counter() - begin)
        if world.rank == 0:
            said = {
                "size": size,
                "trips": [seconds / 2 for seconds in trips],
                "streams": [seconds / WINDOW for seconds in streams],
                "share": share,
            }
            print(json.dumps(said), flush=True)  # noqa: T201 - it is read by `mpi.run`


class Pair:
    """The two processes, and the messages of one size between them."""

    def __init__(self, world: Intracomm, size: int) -> None:
        self.world, self.other, self.first = world, 1 - world.rank, world.rank == 0
        # Written to: what is only asked for as 0 is one page of the system's, over and over.
        self.going, self.coming = np.full(size, 1, np.uint8), np.full(size, 2, np.uint8)
        self.answer = np.zeros(1, np.uint8)

    def rounds(self, count: int) -> None:
        """Send a message, wait for one back, and so on."""
        world, other, going, coming = self.world, self.other, self.going, self.coming
        if self.first:
            for _ in range(count):
                world.Send(going, other)
                world.Recv(coming, other)
        else:
            for _ in range(count):
                world.Recv(coming, other)
                world.Send(going, other)

    def window(self, count: int) -> None:
        """Send `WINDOW` messages without waiting, then wait for an answer, and so on."""
        world, other = self.world, self.other
        for _ in range(count):
            if self.first:
                waiting = [world.Isend(self.going, other) for _ in range(WINDOW)]
            else:
                waiting = [world.Irecv(self.coming, other) for _ in range(WINDOW)]
            for request in waiting:
                request.Wait()
            if self.first:
                world.Recv(self.answer, other)
            else:
                world.Send(self.answer, other)


def repeated(world: Intracomm, work: Callable[[int], None], request: Request) -> list[float]:
    """Return the seconds of a round of work, again and again, as the first process sees them.

    A time is the mean of so many rounds as take `BATCH`, which the first process says.
    """
    work(3)
    begin = perf_counter()
    work(3)
    each = (perf_counter() - begin) / 3
    rounds = max(1, min(_MOST_ROUNDS, int(BATCH / each)))
    most = max(request.least, min(request.most, int(request.seconds / (rounds * each))))
    rounds, most = world.bcast((rounds, most))
    times: list[float] = []
    for _ in range(most):
        world.Barrier()
        begin = perf_counter()
        work(rounds)
        times.append((perf_counter() - begin) / rounds)
    return times


if __name__ == "__main__":
    main(sys.argv[1])
