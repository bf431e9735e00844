"""The dot product of two vectors: BLAS on each process, the sums added up by recursive doubling."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.collectives import reduce_to_all
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import numbers, share
from roofdsl.measure.split_clock import SplitClock

_PIECE = 1 << 16


class Ddot:
    """xᵀy of `size` elements; every process has its part of both, and learns the sum."""

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        self.x, self.y = (self._part(which, processes.rank) for which in (1, 2))
        self.sum = np.zeros(1)

    def _part(self, which: int, rank: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return numbers(share(self.size, self.processes.size, rank), which, rank)

    def ready(self) -> None:
        self.sum.fill(np.nan)

    def run(self, clock: SplitClock) -> None:
        with clock.computing:
            self.sum[0] = np.dot(self.x, self.y)
        if self.processes.size > 1:
            with clock.communicating:
                reduce_to_all(self.processes, self.sum, np.add)

    def error(self) -> float:
        """Compare with the sum in extended precision, in pieces."""
        if self.processes.rank:
            return 0.0
        total = np.longdouble(0)
        for rank in range(self.processes.size):
            x, y = self._part(1, rank), self._part(2, rank)
            for at in range(0, x.size, _PIECE):
                part = slice(at, at + _PIECE)
                total += np.sum(x[part].astype(np.longdouble) * y[part])
        off = abs((self.sum[0] - total) / total)
        return float(off) if np.isfinite(off) else float("inf")
