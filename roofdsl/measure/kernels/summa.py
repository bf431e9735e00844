"""The product of two matrices, C <- αAB + βC, on a square grid of processes (SUMMA)."""

from __future__ import annotations

from math import isqrt

import numpy as np
from scipy.linalg.blas import dgemm

from roofdsl.measure.collectives import broadcast, gather_to_first
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import Numbers, distance, numbers
from roofdsl.measure.split_clock import SplitClock

_ALPHA, _BETA = 1.5, 0.5


class Summa:
    """A product of order `size`: in each of √P steps a block of A and one of B go to all in need.

    A column of the grid has what the step needs of A, and sends it along its rows; a row of the
    grid sends that of B along its columns. BLAS adds the product of the two to the block of C.
    """

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes = processes
        self.grid = isqrt(processes.size)
        self.side = size // self.grid
        self.row, self.column = divmod(processes.rank, self.grid)
        self.in_row = [self.row * self.grid + column for column in range(self.grid)]
        self.in_column = [row * self.grid + self.column for row in range(self.grid)]
        self.a, self.b = self._block(1, processes.rank), self._block(2, processes.rank)
        self.c = np.empty_like(self.a)
        self.others_a, self.others_b = np.empty_like(self.a), np.empty_like(self.b)

    def _block(self, which: int, rank: int) -> Numbers:
        return numbers((self.side, self.side), which, rank)

    def ready(self) -> None:
        self.c[...] = self._block(3, self.processes.rank)

    def run(self, clock: SplitClock) -> None:
        for step in range(self.grid):
            a = self.a if step == self.column else self.others_a
            b = self.b if step == self.row else self.others_b
            if self.grid > 1:
                with clock.communicating:
                    broadcast(self.processes, a, self.in_row[step], self.in_row)
                    broadcast(self.processes, b, self.in_column[step], self.in_column)
            with clock.computing:
                # BLAS goes by columns: it sees each matrix transposed, and Cᵀ <- αBᵀAᵀ + βCᵀ.
                beta = _BETA if step == 0 else 1.0
                dgemm(_ALPHA, b.T, a.T, beta, self.c.T, overwrite_c=1)

    def error(self) -> float:
        count = self.processes.size
        found = gather_to_first(self.processes, self.c, [self.c.shape] * count)
        if self.processes.rank:
            return 0.0
        a, b, c = (self._whole([self._block(w, rank) for rank in range(count)]) for w in (1, 2, 3))
        return distance(self._whole(found), _ALPHA * (a @ b) + _BETA * c)

    def _whole(self, blocks: list[Numbers]) -> Numbers:
        rows = [blocks[at : at + self.grid] for at in range(0, len(blocks), self.grid)]
        return np.block(rows)
