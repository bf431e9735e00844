"""Processes that are threads: what they send one another goes through queues of copies."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from threading import Barrier
from typing import TypeVar

from roofdsl.measure.communicator import Array, Communicator

Found = TypeVar("Found")
PATIENCE = 30.0


class Threads:
    """One of the threads, as a communicator; `ways[i][j]` is what i has sent to j."""

    def __init__(self, rank: int, ways: list[list[Queue[Array]]], together: Barrier) -> None:
        self.rank, self.size = rank, len(ways)
        self.sent = self.messages = 0
        self._ways, self._together = ways, together

    def send(self, values: Array, to: int) -> None:
        assert to != self.rank
        assert values.flags.c_contiguous
        self.sent += values.nbytes
        self.messages += 1
        self._ways[self.rank][to].put(values.copy())

    def receive(self, into: Array, sender: int) -> None:
        values = self._ways[sender][self.rank].get(timeout=PATIENCE)
        assert values.shape == into.shape and values.dtype == into.dtype
        into[...] = values

    def exchange(self, values: Array, to: int, into: Array, sender: int) -> None:
        self.send(values, to)
        self.receive(into, sender)

    def barrier(self) -> None:
        self._together.wait(PATIENCE)


def on_threads(size: int, work: Callable[[Communicator], Found]) -> list[Found]:
    """Do some work on each of so many processes; raise what one of them raises."""
    ways: list[list[Queue[Array]]] = [[Queue() for _ in range(size)] for _ in range(size)]
    together = Barrier(size)
    with ThreadPoolExecutor(size) as pool:
        processes = (Threads(rank, ways, together) for rank in range(size))
        return [each.result() for each in [pool.submit(work, own) for own in processes]]
