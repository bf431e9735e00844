"""Minimum spanning trees by Borůvka's algorithm; the model is `graph.mst`.

The edges are dealt to the processes; each knows in which tree of the forest every vertex is. In a
round each process finds the lightest of its edges out of each tree, one reduction of a record for
every vertex finds those of all edges, and every process joins the trees along them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofdsl.measure.collectives import reduce_to_all
from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels.loops import compiled
from roofdsl.measure.kernels.random_graph import Graph, Numbers, Weights, random_graph
from roofdsl.measure.kernels.shares import distance
from roofdsl.measure.split_clock import SplitClock

RECORD = np.dtype([("weight", np.float64), ("other", np.int32)])
"""The weight of an edge out of a tree, and the tree at its other end: 12 bytes."""


def lightest(
    first: Numbers, second: Numbers, weight: Weights, label: Numbers, least: Weights, other: Numbers
) -> None:
    """Find the lightest edge out of each tree: its weight, and the tree at its other end."""
    for edge in range(len(first)):
        one, two = label[first[edge]], label[second[edge]]
        if one != two:
            if weight[edge] < least[one]:
                least[one] = weight[edge]
                other[one] = two
            if weight[edge] < least[two]:
                least[two] = weight[edge]
                other[two] = one


def scanned(
    first: Numbers, second: Numbers, weight: Weights, label: Numbers, least: Weights, other: Numbers
) -> None:
    """Find the same without a loop: first the least weights, then the edges that have them."""
    one, two = label[first], label[second]
    out = one != two
    for tree in (one, two):
        np.minimum.at(least, tree[out], weight[out])
    for tree, beyond in ((one, two), (two, one)):
        found = out & (least[tree] == weight)
        other[tree[found]] = beyond[found]


def joined(least: Weights, other: Numbers, label: Numbers) -> Weights:
    """Join the trees along the lightest edges out of them, and return the weights of these.

    Of two trees that chose the same edge the first stays a root. `label` is changed.
    """
    leaving = np.flatnonzero(np.isfinite(least)).astype(np.int32)
    parent = np.arange(len(label), dtype=np.int32)
    parent[leaving] = other[leaving]
    mutual = parent[parent[leaving]] == leaving
    roots = leaving[mutual & (leaving < parent[leaving])]
    parent[roots] = roots
    while not np.array_equal(above := parent[parent], parent):
        parent = above
    label[:] = parent[label]
    found: Weights = least[np.setdiff1d(leaving, roots, assume_unique=True)]
    return found


def lighter(own: NDArray[np.void], other: NDArray[np.void], into: NDArray[np.void]) -> None:
    """Take the lighter of two records, one by one."""
    into[...] = np.where(other["weight"] < own["weight"], other, own)


class SpanningTree:
    """A random graph, its edges dealt to the processes."""

    def __init__(self, processes: Communicator, vertices: int, edges: int) -> None:
        self.processes = processes
        self.graph = random_graph(vertices, edges)
        self.edges = dealt(self.graph, processes.rank, processes.size)
        self.scan = compiled(lightest, scanned)
        self.label = np.empty(vertices, dtype=np.int32)
        self.records = np.empty(vertices, RECORD)
        self.least, self.other = np.empty(vertices), np.zeros(vertices, dtype=np.int32)
        self.weights: Weights = np.empty(0)  # of the tree's edges: each is the weight of one edge

    def ready(self) -> None:
        self.weights = np.empty(0)

    def run(self, clock: SplitClock) -> None:
        with clock.computing:
            self.label[:] = np.arange(len(self.label))
            chosen, count = list[Weights](), 0
        while count < len(self.label) - 1:
            with clock.computing:
                self._scan()
            if self.processes.size > 1:
                with clock.communicating:
                    reduce_to_all(self.processes, self.records, lighter)
            with clock.computing:
                chosen.append(self._join())
                count += len(chosen[-1])
        with clock.computing:
            self.weights = np.concatenate(chosen)

    def _scan(self) -> None:
        edges = self.edges
        self.least.fill(np.inf)
        self.scan(edges.first, edges.second, edges.weight, self.label, self.least, self.other)
        if self.processes.size > 1:
            self.records["weight"], self.records["other"] = self.least, self.other

    def _join(self) -> Weights:
        if self.processes.size > 1:
            self.least[:], self.other[:] = self.records["weight"], self.records["other"]
        return joined(self.least, self.other, self.label)

    def error(self) -> float:
        """Compare the edges with SciPy's, by their weights."""
        if self.processes.rank:
            return 0.0
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import minimum_spanning_tree

        graph, shape = self.graph, (self.graph.vertices, self.graph.vertices)
        whole = coo_array((graph.weight, (graph.first, graph.second)), shape=shape)
        right, found = np.sort(minimum_spanning_tree(whole.tocsr()).data), np.sort(self.weights)
        if len(found) != len(right):
            return float("inf")
        return distance(found, right)


def dealt(graph: Graph, rank: int, size: int) -> Graph:
    """Return the edges of one of so many processes, a copy of its own."""
    own = slice(len(graph.first) * rank // size, len(graph.first) * (rank + 1) // size)
    first, second = graph.first[own].copy(), graph.second[own].copy()
    return Graph(graph.vertices, first, second, graph.weight[own].copy())
