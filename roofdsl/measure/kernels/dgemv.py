"""The product of a matrix and a vector, y <- αAx + βy, the rows of A spread over the processes."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.collectives import gather_ring, gather_to_first
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import Numbers, distance, numbers, share
from roofdsl.measure.split_clock import SplitClock

_ALPHA, _BETA = 1.5, 0.5


class Dgemv:
    """A product of order `size`: x is gathered over a ring, then BLAS goes over rows."""

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        counts = [share(size, processes.size, rank) for rank in range(processes.size)]
        self.x = np.empty(size)
        self.parts = np.split(self.x, np.cumsum(counts)[:-1])  # views of x
        self.matrix = numbers((counts[processes.rank], size), 1, processes.rank)
        self.y = np.empty(counts[processes.rank])
        self.product = np.empty_like(self.y)

    def ready(self) -> None:
        rank = self.processes.rank
        self.x.fill(np.nan)  # of the others' parts, none is known
        self.parts[rank][...] = numbers(self.y.size, 2, rank)
        self.y[...] = numbers(self.y.size, 3, rank)

    def run(self, clock: SplitClock) -> None:
        if self.processes.size > 1:
            with clock.communicating:
                gather_ring(self.processes, self.parts)
        with clock.computing:
            np.dot(self.matrix, self.x, out=self.product)
            np.multiply(self.product, _ALPHA, out=self.product)
            np.multiply(self.y, _BETA, out=self.y)
            np.add(self.y, self.product, out=self.y)

    def error(self) -> float:
        found = gather_to_first(self.processes, self.y, [part.size for part in self.parts])
        if self.processes.rank:
            return 0.0
        return max(distance(y, self._expected(rank, y.size)) for rank, y in enumerate(found))

    def _expected(self, rank: int, rows: int) -> Numbers:
        x = np.concatenate([numbers(part.size, 2, of) for of, part in enumerate(self.parts)])
        matrix = numbers((rows, self.size), 1, rank)
        product: Numbers = np.einsum("ij,j->i", matrix, x)  # by no BLAS
        return _ALPHA * product + _BETA * numbers(rows, 3, rank)
