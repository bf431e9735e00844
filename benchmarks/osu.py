"""Messages between two processes as OSU's `osu_latency` has them: by itself, with MPI's clock.

Started by `benchmarks.measure`; says a line of JSON with the seconds of one way for each size.
"""

from __future__ import annotations

import json
import sys

import numpy as np
from mpi4py import MPI

LARGE = 8192
"""From this size on there are fewer iterations, as there."""


def main(sizes: list[int]) -> None:
    world = MPI.COMM_WORLD
    times = dict[int, float]()
    for size in sizes:
        sent, received = np.full(size, 97, np.uint8), np.full(size, 98, np.uint8)
        skipped, counted = (10, 200) if size > LARGE else (200, 10_000)
        world.Barrier()
        begin = 0.0
        for turn in range(skipped + counted):
            if turn == skipped:
                begin = MPI.Wtime()
            if world.rank == 0:
                world.Send([sent, MPI.BYTE], 1, 1)
                world.Recv([received, MPI.BYTE], 1, 1)
            else:
                world.Recv([received, MPI.BYTE], 0, 1)
                world.Send([sent, MPI.BYTE], 0, 1)
        times[size] = (MPI.Wtime() - begin) / (2 * counted)
    if world.rank == 0:
        print(json.dumps({"times": times}), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
