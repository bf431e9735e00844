"""An iteration of conjugate gradients, without a preconditioner; its model is `linalg.cg`.

The matrix is HPCG's: 27 points of a grid of N x N x N, fewer at its boundary, 26 on the diagonal
and -1 beside it. Each process has a slab of planes, and the rows of its points in CSR.
"""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from roofdsl.measure.collectives import gather_to_first, reduce_to_all
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import Numbers, distance, numbers, share
from roofdsl.measure.split_clock import SplitClock

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class ConjugateGradients:
    """The first iteration for A x = b from x = 0, each process with a slab of the grid."""

    def __init__(self, processes: Communicator, size: int) -> None:
        from scipy.linalg.blas import daxpy, dscal

        self.processes, self.side = processes, size
        self.low, self.high = slabs(size, processes.size)[processes.rank]
        self.matrix = rows_of(size, self.low, self.high)
        plane, rank, count = size * size, processes.rank, processes.size
        self.below = plane if rank > 0 else 0
        self.above = plane if rank < count - 1 else 0
        self.b = right_side(size)[self.low * plane : self.high * plane].copy()
        self.around = np.empty(self.below + self.b.size + self.above)
        self.p = self.around[self.below : self.below + self.b.size]
        self.x, self.r = np.empty_like(self.b), np.empty_like(self.b)
        self.rr = 0.0
        self._daxpy, self._dscal = daxpy, dscal

    def ready(self) -> None:
        self.around.fill(np.nan)
        self.x.fill(0)
        self.r[:] = self.p[:] = self.b
        self.rr = self._sum_of_all(float(np.dot(self.r, self.r)), SplitClock())

    def run(self, clock: SplitClock) -> None:
        if self.processes.size > 1:
            with clock.communicating:
                self._exchange()
        with clock.computing:
            q = self.matrix @ self.around
            pq = float(np.dot(self.p, q))
        pq = self._sum_of_all(pq, clock)
        with clock.computing:
            self._daxpy(self.p, self.x, a=self.rr / pq)
            self._daxpy(q, self.r, a=-self.rr / pq)
            rr = float(np.dot(self.r, self.r))
        rr = self._sum_of_all(rr, clock)
        with clock.computing:
            self._dscal(rr / self.rr, self.p)
            self._daxpy(self.r, self.p)
            self.rr = rr

    def _sum_of_all(self, value: float, clock: SplitClock) -> float:
        if self.processes.size == 1:
            return value
        with clock.communicating:
            found = np.array([value])
            reduce_to_all(self.processes, found, np.add)
            return float(found[0])

    def _exchange(self) -> None:
        """Exchange planes with the neighbours: those of even rank with the next one first."""
        rank, plane = self.processes.rank, self.side**2
        for other in (rank + 1, rank - 1) if rank % 2 == 0 else (rank - 1, rank + 1):
            if other == rank + 1 < self.processes.size:
                self.processes.exchange(self.p[-plane:], other, self.around[-plane:], other)
            elif other == rank - 1 >= 0:
                self.processes.exchange(self.p[:plane], other, self.around[:plane], other)

    def error(self) -> float:
        """Compare x, r and p with those of an iteration with the whole matrix."""
        plane = self.side**2
        shapes = [(3, (high - low) * plane) for low, high in slabs(self.side, self.processes.size)]
        own = np.vstack([self.x, self.r, self.p])
        found = gather_to_first(self.processes, own, shapes)
        if self.processes.rank:
            return 0.0
        b = right_side(self.side)
        q = rows_of(self.side, 0, self.side) @ b
        alpha = np.dot(b, b) / np.dot(b, q)
        x, r = alpha * b, b - alpha * q
        p = r + np.dot(r, r) / np.dot(b, b) * b
        return max(map(distance, np.hstack(found), (x, r, p)))


def right_side(side: int) -> Numbers:
    """Return b, the same for the same grid."""
    return numbers(side**3, 1)


def slabs(side: int, count: int) -> list[tuple[int, int]]:
    """Return the planes of each process, from the first to below the second.

    >>> slabs(10, 4)
    [(0, 3), (3, 6), (6, 8), (8, 10)]
    """
    ends = list(accumulate(share(side, count, rank) for rank in range(count)))
    return list(zip([0, *ends], ends, strict=False))


def rows_of(side: int, low: int, high: int) -> csr_array:
    """Return the rows of the planes from `low` to below `high`, in CSR.

    Columns count from the plane before `low`, where there is one, to that after the last.
    """
    from scipy.sparse import csr_array, diags_array, eye_array, kron

    band = csr_array(diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(side, side)))
    first, end = max(low - 1, 0), min(high + 1, side)
    itself = eye_array(high - low, end - first, k=low - first)
    alone = kron(itself, eye_array(side**2))
    return csr_array(27 * alone - kron(band[low:high, first:end], kron(band, band)))
