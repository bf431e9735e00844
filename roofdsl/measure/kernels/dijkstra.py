"""Shortest paths by Dijkstra's algorithm; the model is `graph.dijkstra`.

Each process has a range of the vertices, with the edges to them and a heap of those that were
reached. In a step one reduction of a record finds the nearest vertex of all that are not done, and
every process shortens the paths over it to its own vertices. At the end all collect from where
each vertex is reached.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from roofdsl.measure.collectives import gather_ring, reduce_to_all
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.loops import compiled
from roofdsl.measure.kernels.random_graph import Graph, Numbers, Weights, random_graph
from roofdsl.measure.split_clock import SplitClock

Each = TypeVar("Each", bound=np.generic)


class Share(NamedTuple):
    """The vertices from `low` to below `high`, and the edges to them, by the other end.

    Those from vertex v are `start[v]` to below `start[v + 1]`; they go `to` vertices from `low` on.
    """

    low: int
    high: int
    start: Numbers
    to: Numbers
    weight: Weights


def share_of(graph: Graph, rank: int, size: int) -> Share:
    """Return the vertices of one of so many processes, with the edges to them from both ends."""
    low, high = graph.vertices * rank // size, graph.vertices * (rank + 1) // size
    source = np.concatenate((graph.first, graph.second))
    target = np.concatenate((graph.second, graph.first))
    weight = np.concatenate((graph.weight, graph.weight))
    mine = np.flatnonzero((low <= target) & (target < high))
    mine = mine[np.argsort(source[mine], kind="stable")]
    start = np.zeros(graph.vertices + 1, dtype=np.int32)
    np.cumsum(np.bincount(source[mine], minlength=graph.vertices), out=start[1:])
    return Share(low, high, start, target[mine] - np.int32(low), weight[mine])


def advanced(
    start: Numbers,
    to: Numbers,
    weight: Weights,
    distance: Weights,
    before: Numbers,
    done: Numbers,
    keys: Weights,
    heap: Numbers,
    held: int,
    low: int,
    vertex: int,
    reached: float,
    alone: bool,
    nearest: Weights,
) -> int:
    """Take `vertex`, at a distance of `reached`, as done; return how many the heap then holds.

    Paths over it are shortened. The next vertex goes to `nearest`: its distance, and its number. A
    process that is `alone` goes on with it, until none is left. Entries of the heap that a shorter
    path overtook stay until they come up.
    """
    while True:
        if 0 <= vertex - low < len(done):
            done[vertex - low] = 1
        for edge in range(start[vertex], start[vertex + 1]):
            other, far = to[edge], reached + weight[edge]
            if far < distance[other]:
                distance[other] = far
                before[other] = vertex
                place = held
                held += 1
                while place > 0 and keys[(place - 1) // 2] > far:
                    keys[place], heap[place] = keys[(place - 1) // 2], heap[(place - 1) // 2]
                    place = (place - 1) // 2
                keys[place], heap[place] = far, other
        while held > 0 and done[heap[0]]:
            held -= 1
            last, far, place = heap[held], keys[held], 0
            while 2 * place + 1 < held:
                below = 2 * place + 1
                if below + 1 < held and keys[below + 1] < keys[below]:
                    below += 1
                if keys[below] >= far:
                    break
                keys[place], heap[place] = keys[below], heap[below]
                place = below
            keys[place], heap[place] = far, last
        nearest[0] = keys[0] if held > 0 else np.inf
        nearest[1] = heap[0] + low if held > 0 else -1
        if not alone or held == 0:
            return held
        reached, vertex = keys[0], heap[0] + low


def nearer(own: Weights, other: Weights, into: Weights) -> None:
    """Take the nearer of two vertices, a distance and a number each; of equal ones the first."""
    into[:] = min((own[0], own[1]), (other[0], other[1]))


class ShortestPaths:
    """A random graph, its vertices dealt to the processes; paths from vertex 0."""

    def __init__(self, processes: Communicator, vertices: int, edges: int) -> None:
        self.processes = processes
        self.graph = random_graph(vertices, edges)
        self.share = share_of(self.graph, processes.rank, processes.size)
        self.step = compiled(advanced, advanced)
        count, most = self.share.high - self.share.low, len(self.share.to) + 1
        self.distance = np.empty(count)
        self.done = np.empty(count, dtype=np.int32)
        self.keys, self.heap = np.empty(most), np.empty(most, dtype=np.int32)
        self.nearest = np.empty(2)
        self.before: Numbers = np.empty(vertices, dtype=np.int32)
        self.parts = divided(self.before, processes.size)

    def ready(self) -> None:
        self.distance.fill(np.nan)
        self.before.fill(-1)

    def run(self, clock: SplitClock) -> None:
        with clock.computing:
            self.distance.fill(np.inf)
            self.done.fill(0)
            self.before.fill(-1)
            if self.processes.rank == 0:
                self.distance[0] = 0
            held = self._step(0, 0, 0.0)
        if self.processes.size == 1:
            return
        while True:
            with clock.communicating:
                reduce_to_all(self.processes, self.nearest, nearer)
            if self.nearest[1] < 0:
                break
            with clock.computing:
                held = self._step(held, int(self.nearest[1]), float(self.nearest[0]))
        with clock.communicating:
            gather_ring(self.processes, self.parts)

    def _step(self, held: int, vertex: int, reached: float) -> int:
        share, own = self.share, self.parts[self.processes.rank]
        return self.step(
            *(share.start, share.to, share.weight, self.distance, own, self.done),
            *(self.keys, self.heap, held, share.low, vertex, reached),
            *(self.processes.size == 1, self.nearest),
        )

    def error(self) -> float:
        distance = np.empty(self.graph.vertices)
        distance[self.share.low : self.share.high] = self.distance
        gather_ring(self.processes, divided(distance, self.processes.size))
        return off(self.graph, distance, self.before) if self.processes.rank == 0 else 0.0


def divided(values: NDArray[Each], size: int) -> list[NDArray[Each]]:
    """Return the ranges of so many processes of an array with an element for each vertex."""
    ends = [len(values) * rank // size for rank in range(size + 1)]
    return [values[low:high] for low, high in pairwise(ends)]


def off(graph: Graph, distance: Weights, before: Numbers) -> float:
    """Return how far distances from vertex 0, and the paths to them, are off SciPy's, relative."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    shape = (graph.vertices, graph.vertices)
    there = coo_array((graph.weight, (graph.first, graph.second)), shape=shape).tocsr()
    right = dijkstra(there, directed=False, indices=0)[1:]
    last = (there + there.T)[before[1:], np.arange(1, graph.vertices)]  # the last edge of each path
    if np.any(last == 0) or not np.array_equal(distance[before[1:]] + last, distance[1:]):
        return float("inf")
    return float(np.max(np.abs(distance[1:] - right) / right))
