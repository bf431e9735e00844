"""A sweep of a five-point stencil over a grid whose rows are spread over the processes."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.collectives import gather_to_first
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.loops import BLOCK, compiled
from roofdsl.measure.kernels.shares import Numbers, distance, numbers, share
from roofdsl.measure.split_clock import SplitClock


class Stencil2d:
    """A grid of `size` rows and columns, edges included: each point becomes its neighbours' mean.

    Each process has a row more at either end: an edge of the grid, or a neighbour's row, which it
    is sent before it begins.
    """

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        self.rows = share(size - 2, processes.size, processes.rank)
        self.old = np.empty((self.rows + 2, size))
        self.new = np.empty((self.rows, size))
        self._sweep = compiled(loop, blocks)

    def ready(self) -> None:
        rank, last = self.processes.rank, self.processes.size - 1
        self.old[1:-1] = self._rows(rank)
        self.old[0] = numbers(self.size, 2) if rank == 0 else np.nan
        self.old[-1] = numbers(self.size, 3) if rank == last else np.nan
        self.new.fill(np.nan)

    def _rows(self, rank: int) -> Numbers:
        return numbers((share(self.size - 2, self.processes.size, rank), self.size), 1, rank)

    def run(self, clock: SplitClock) -> None:
        if self.processes.size > 1:
            with clock.communicating:
                self._exchange()
        with clock.computing:
            self._sweep(self.old, self.new)

    def _exchange(self) -> None:
        """Exchange rows with the neighbours: those of even rank with the next one first."""
        rank = self.processes.rank
        for other in (rank + 1, rank - 1) if rank % 2 == 0 else (rank - 1, rank + 1):
            if other == rank + 1 < self.processes.size:
                self.processes.exchange(self.old[-2], other, self.old[-1], other)
            elif other == rank - 1 >= 0:
                self.processes.exchange(self.old[1], other, self.old[0], other)

    def error(self) -> float:
        count = self.processes.size
        shapes = [(share(self.size - 2, count, rank), self.size) for rank in range(count)]
        found = gather_to_first(self.processes, self.new, shapes)
        if self.processes.rank:
            return 0.0
        rows = [self._rows(rank) for rank in range(count)]
        grid = np.vstack([numbers(self.size, 2), *rows, numbers(self.size, 3)])
        neighbours = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
        return distance(np.vstack(found)[:, 1:-1], neighbours / 4)


def loop(old: Numbers, new: Numbers) -> None:
    for row in range(new.shape[0]):
        for column in range(1, new.shape[1] - 1):
            new[row, column] = 0.25 * (
                old[row, column]
                + old[row + 2, column]
                + old[row + 1, column - 1]
                + old[row + 1, column + 1]
            )


def blocks(old: Numbers, new: Numbers) -> None:
    """Sweep over a few rows at a time, so that what is added up stays in the cache."""
    rows, columns = new.shape
    step = max(1, BLOCK // columns)
    for at in range(0, rows, step):
        to = min(at + step, rows)
        part = new[at:to, 1:-1]
        np.add(old[at:to, 1:-1], old[at + 2 : to + 2, 1:-1], out=part)
        np.add(part, old[at + 1 : to + 1, :-2], out=part)
        np.add(part, old[at + 1 : to + 1, 2:], out=part)
        np.multiply(part, 0.25, out=part)
