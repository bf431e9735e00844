"""The Fourier transform by exchanges between pairs of processes, and of what is left by NumPy."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.collectives import gather_to_first
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.shares import Points, distance, numbers
from roofdsl.measure.split_clock import SplitClock


class Fft:
    """A transform of `size` points over a power of two of processes, each with size/P in a row.

    In each of log2(P) stages a process sends all its points to a partner, and keeps the sums of
    both or their differences, turned: what is left is one transform of half the length for each
    half of the processes. The answer is in bit-reversed order of the processes.
    """

    def __init__(self, processes: Communicator, size: int) -> None:
        self.processes, self.size = processes, size
        count = size // processes.size
        self.points = np.empty(count, np.complex128)
        self.others, self.answer = np.empty_like(self.points), np.empty_like(self.points)
        self.turns = list(self._turns(count))

    def _turns(self, count: int) -> list[Points]:
        """Return the factor of each point, for each stage: 1 for those that keep the sums."""
        rank, span = self.processes.rank, self.processes.size
        turns = []
        while span > 1:
            half = span // 2
            place = (rank % half) * count + np.arange(count)
            turn = np.exp(-2j * np.pi * place / (span * count))
            turns.append(turn if rank % span >= half else np.ones(count, np.complex128))
            span = half
        return turns

    def ready(self) -> None:
        self.points[...] = self._part(self.processes.rank)
        self.answer.fill(np.nan)

    def _part(self, rank: int) -> Points:
        real, imaginary = numbers((2, self.points.size), 1, rank)
        points: Points = real + 1j * imaginary
        return points

    def run(self, clock: SplitClock) -> None:
        half = self.processes.size // 2
        for turn in self.turns:
            partner = self.processes.rank ^ half
            with clock.communicating:
                self.processes.exchange(self.points, partner, self.others, partner)
            with clock.computing:
                if self.processes.rank & half:
                    np.subtract(self.others, self.points, out=self.points)
                    np.multiply(self.points, turn, out=self.points)
                else:
                    np.add(self.points, self.others, out=self.points)
            half //= 2
        with clock.computing:
            np.fft.fft(self.points, out=self.answer)

    def error(self) -> float:
        count = self.processes.size
        found = gather_to_first(self.processes, self.answer, [self.answer.shape] * count)
        if self.processes.rank:
            return 0.0
        bits = count.bit_length() - 1
        expected = np.fft.fft(np.concatenate([self._part(rank) for rank in range(count)]))
        answer = np.empty_like(expected)
        for rank, part in enumerate(found):
            answer[int(f"{rank:0{bits}b}"[::-1], 2) :: count] = part
        return distance(answer, expected)
