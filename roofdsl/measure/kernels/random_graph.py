"""Random graphs: connected, undirected and simple, every edge with a weight of its own."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int32]
Weights: TypeAlias = NDArray[np.float64]

SEED = 2019


class Graph(NamedTuple):
    """Edges from `first` to `second`; the weights are 1, 2, … in random order."""

    vertices: int
    first: Numbers
    second: Numbers
    weight: Weights


def random_graph(vertices: int, edges: int, seed: int = SEED) -> Graph:
    """Return a random tree with random edges added; the same graph for the same arguments.

    All weights differ, so that the minimum spanning tree is unique.

    >>> graph = random_graph(64, 1024)
    >>> len(graph.first), len(set(zip(graph.first.tolist(), graph.second.tolist())))
    (1024, 1024)
    """
    if not vertices - 1 <= edges <= vertices * (vertices - 1) // 2:
        raise ValueError("a connected simple graph has V - 1 to V (V - 1)/2 edges")
    random = np.random.default_rng(seed)
    later = np.arange(1, vertices, dtype=np.int64)
    earlier = (random.random(vertices - 1) * later).astype(np.int64)
    tree = earlier * vertices + later
    known, missing = tree, edges - len(tree)
    while missing:
        one, two = random.integers(0, vertices, size=(2, 2 * missing + 16))
        drawn = np.unique(np.minimum(one, two) * vertices + np.maximum(one, two))
        new = np.setdiff1d(drawn[drawn % (vertices + 1) != 0], known)  # no edge to itself
        known = np.concatenate((known, random.permutation(new)[:missing]))
        missing = edges - len(known)
    known = random.permutation(known)
    weight = random.permutation(np.arange(1.0, edges + 1))
    first, second = np.divmod(known, vertices)
    return Graph(vertices, first.astype(np.int32), second.astype(np.int32), weight)
