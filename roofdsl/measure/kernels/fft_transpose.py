"""The Fourier transform by three transpositions of a matrix of points: the six-step algorithm."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.collectives import exchange_all, gather_to_first
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import Points, distance, numbers
from roofdsl.measure.split_clock import SplitClock


def sides(size: int) -> tuple[int, int]:
    """Return the rows and columns of the matrix: powers of two, as near to a square as they are.

    >>> sides(64), sides(128)
    ((8, 8), (8, 16))
    """
    rows = 1 << ((size.bit_length() - 1) // 2)
    return rows, size // rows


class Transposition:
    """A matrix of points, its rows spread over the processes, and one that becomes its transpose.

    Each process packs for each other the block that it is to have, transposed, and puts those that
    it is sent beside one another.
    """

    def __init__(self, processes: Communicator, rows: int, columns: int) -> None:
        self.processes = processes
        self.shape = (processes.size, columns // processes.size, rows // processes.size)
        self.going = np.empty(self.shape, np.complex128)
        self.coming = np.empty(self.shape, np.complex128)

    def transpose(self, matrix: Points, into: Points, clock: SplitClock) -> None:
        count, columns, rows = self.shape
        with clock.computing:
            if count == 1:
                into[...] = matrix.T
                return
            self.going[...] = matrix.reshape(rows, count, columns).transpose(1, 2, 0)
        with clock.communicating:
            exchange_all(self.processes, [*self.going], [*self.coming])
        with clock.computing:
            into.reshape(columns, count, rows)[...] = self.coming.transpose(1, 0, 2)


class FftTranspose:
    """A transform of `size` points, a power of two, each process with size/P of them in a row."""

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        count = processes.size
        rows, columns = sides(size)
        self.across = Transposition(processes, rows, columns)
        self.down = Transposition(processes, columns, rows)
        self.matrix = np.empty((rows // count, columns), np.complex128)
        self.turned = np.empty((columns // count, rows), np.complex128)
        first = processes.rank * (columns // count)
        place = np.outer(first + np.arange(columns // count), np.arange(rows))
        self.factors = np.exp(-2j * np.pi * place / size)

    def ready(self) -> None:
        self.matrix[...] = self._part(self.processes.rank)
        self.turned.fill(np.nan)

    def _part(self, rank: int) -> Points:
        real, imaginary = numbers((2, *self.matrix.shape), 1, rank)
        points: Points = real + 1j * imaginary
        return points

    def run(self, clock: SplitClock) -> None:
        self.across.transpose(self.matrix, self.turned, clock)
        with clock.computing:
            np.fft.fft(self.turned, out=self.turned)
            np.multiply(self.turned, self.factors, out=self.turned)
        self.down.transpose(self.turned, self.matrix, clock)
        with clock.computing:
            np.fft.fft(self.matrix, out=self.matrix)
        self.across.transpose(self.matrix, self.turned, clock)

    def error(self) -> float:
        count = self.processes.size
        found = gather_to_first(self.processes, self.turned, [self.turned.shape] * count)
        if self.processes.rank:
            return 0.0
        points = np.concatenate([self._part(rank).reshape(-1) for rank in range(count)])
        answer = np.concatenate([part.reshape(-1) for part in found])
        return distance(answer, np.fft.fft(points))
