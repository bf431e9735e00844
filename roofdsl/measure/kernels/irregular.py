"""The kernels on graphs, a sparse matrix and a network: sizes, processes, models' parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofdsl.measure.kernels.kernel import Kernel, Prepared

if TYPE_CHECKING:
    from roofdsl.measure.communicator import Communicator

EDGES = 16
"""Edges for each vertex, as the tests of the models take."""
_SIMPLE = 2 * EDGES + 1  # vertices of the smallest graph that has so many


def _mst(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.mst import SpanningTree

    return SpanningTree(processes, size, EDGES * size)


def _dijkstra(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.dijkstra import ShortestPaths

    return ShortestPaths(processes, size, EDGES * size)


def _cg(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.cg import ConjugateGradients

    return ConjugateGradients(processes, size)


def _mlp_training(processes: Communicator, size: int) -> Prepared:
    from roofdsl.measure.kernels.mlp_training import MlpTraining

    return MlpTraining(processes, size)


def _no_graph(size: int, processes: int) -> str | None:
    if size < _SIMPLE:
        return f"{EDGES} edges for each vertex need {_SIMPLE} vertices"
    return None if processes <= size else "each process needs a vertex"


def _no_cg(size: int, processes: int) -> str | None:
    return None if 2 <= size >= processes else "each process needs a plane, and the grid two"


def _no_mlp_training(size: int, _processes: int) -> str | None:
    return None if size >= 1 else "a batch has an input"


IRREGULAR = (
    Kernel(
        "mst",
        sizes=tuple(2**power for power in range(9, 17)),
        quick=(2**9, 2**12, 2**15),
        parameters=lambda size, processes: {"V": size, "E": EDGES * size, "P": processes},
        refuses=_no_graph,
        prepare=_mst,
        tolerance=0.0,
        method="Boruvka's rounds: a loop over the edges of each process, the lightest of all by "
        "recursive doubling; a random graph",
    ),
    Kernel(
        "dijkstra",
        sizes=tuple(2**power for power in range(7, 15)),
        quick=(2**7, 2**10, 2**13),
        parameters=lambda size, processes: {"V": size, "E": EDGES * size, "P": processes},
        refuses=_no_graph,
        prepare=_dijkstra,
        tolerance=0.0,
        method="a heap on each process, the nearest vertex of all by recursive doubling; a random "
        "graph",
    ),
    Kernel(
        "cg",
        sizes=(6, 8, 12, 16, 24, 32, 48, 64),
        quick=(8, 24, 48),
        parameters=lambda size, processes: {"N": size, "P": processes},
        refuses=_no_cg,
        prepare=_cg,
        tolerance=1e-12,
        method="SciPy's product with CSR, vectors by BLAS, sums of all by recursive doubling",
    ),
    Kernel(
        "mlp_training",
        sizes=tuple(2**power for power in range(3, 11)),
        quick=(2**3, 2**6, 2**9),
        parameters=lambda size, processes: {"batch": size, "ranks": processes},
        refuses=_no_mlp_training,
        prepare=_mlp_training,
        tolerance=1e-5,
        method="NumPy in single precision, gradients summed over a ring after the backward pass",
    ),
)
