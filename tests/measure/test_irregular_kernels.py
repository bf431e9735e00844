"""Kernels on graphs, a sparse matrix and a network against brute force, dense algebra and torch."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import inf, prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from roofdsl.measure.communicator import Communicator
from roofdsl.measure.kernels import dijkstra, mlp_training, mst
from roofdsl.measure.kernels.cg import ConjugateGradients, right_side, rows_of, slabs
from roofdsl.measure.kernels.dijkstra import ShortestPaths
from roofdsl.measure.kernels.mlp_training import MlpTraining
from roofdsl.measure.kernels.mst import SpanningTree, joined
from roofdsl.measure.kernels.random_graph import Graph, random_graph
from roofdsl.measure.kernels.registry import KERNELS
from roofdsl.measure.split_clock import SplitClock
from tests.measure.threads import on_threads

pytest.importorskip(
    "scipy", reason="the kernels' references are SciPy's: pip install 'roofdsl[measure]'"
)

PROCESSES = (1, 2, 3, 4, 7)


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops run as Python: small ones take less time than Numba needs to compile them."""
    monkeypatch.setattr(mst, "compiled", lambda loop, _: loop)
    monkeypatch.setattr(dijkstra, "compiled", lambda loop, _: loop)


def test_each_learns_what_the_others_have() -> None:
    def work(own: Communicator) -> float:
        found = np.zeros(1)
        own.exchange(np.array([own.rank + 1.0]), (own.rank + 1) % 3, found, (own.rank - 1) % 3)
        return float(found[0])

    assert on_threads(3, work) == [3.0, 1.0, 2.0]


# Graphs


@pytest.mark.parametrize(("vertices", "edges"), [(2, 1), (5, 10), (40, 39), (64, 1024), (33, 528)])
def test_random_graphs_are_connected_and_simple_and_no_two_weights_are_equal(
    vertices: int, edges: int
) -> None:
    graph = random_graph(vertices, edges, seed=vertices)
    pairs = {
        frozenset(pair) for pair in zip(graph.first.tolist(), graph.second.tolist(), strict=True)
    }
    assert len(pairs) == len(graph.first) == edges
    assert all(len(pair) == 2 for pair in pairs)
    assert sorted(graph.weight.tolist()) == list(range(1, edges + 1))
    reached, before = {0}, set[int]()
    while reached != before:
        before = reached
        reached = reached.union(*(pair for pair in pairs if pair & reached))
    assert reached == set(range(vertices))
    for refused in (vertices - 2, vertices * (vertices - 1) // 2 + 1):
        with pytest.raises(ValueError, match="simple"):
            random_graph(vertices, refused)


def spanning_weights(graph: Graph) -> set[float]:
    """Kruskal, by sets of vertices."""
    trees = [{vertex} for vertex in range(graph.vertices)]
    found = set()
    for at in np.argsort(graph.weight).tolist():
        one, two = (
            next(tree for tree in trees if end in tree)
            for end in (graph.first[at], graph.second[at])
        )
        if one is not two:
            trees = [tree for tree in trees if tree is not two]
            one |= two
            found.add(float(graph.weight[at]))
    return found


def least_weight(graph: Graph) -> float:
    """Try every choice of as many edges as a tree has."""
    edges = list(
        zip(graph.first.tolist(), graph.second.tolist(), graph.weight.tolist(), strict=True)
    )
    return min(
        sum(float(weight) for _, _, weight in tree)
        for tree in combinations(edges, graph.vertices - 1)
        if len(spanning_weights(graph_of(graph.vertices, tree))) == graph.vertices - 1
    )


def graph_of(vertices: int, edges: tuple[tuple[int, int, float], ...]) -> Graph:
    first, second, weight = zip(*edges, strict=True)
    return Graph(
        vertices,
        np.array(first, np.int32),
        np.array(second, np.int32),
        np.array(weight, np.float64),
    )


def test_trees_are_those_of_kruskal_and_of_trying_all() -> None:
    for vertices, edges, seed in ((2, 1, 0), (4, 6, 1), (5, 9, 2), (6, 11, 3), (60, 200, 4)):
        graph = random_graph(vertices, edges, seed)

        def tree(own: Communicator, graph: Graph = graph) -> Any:
            kernel = SpanningTree(own, graph.vertices, len(graph.first))
            kernel.edges = mst.dealt(graph, own.rank, own.size)
            kernel.run(SplitClock())
            return kernel.weights.tolist()

        if vertices < 10:
            assert sum(spanning_weights(graph)) == least_weight(graph)
        for count in PROCESSES:
            for found in on_threads(count, tree):
                assert Counter(found) == Counter(spanning_weights(graph))


def test_both_scans_find_the_same() -> None:
    graph = random_graph(50, 300)
    label = (np.arange(50) // 7).astype(np.int32)
    found = []
    for scan in (mst.lightest, mst.scanned):
        least, other = np.full(50, inf), np.full(50, -1, np.int32)
        scan(graph.first, graph.second, graph.weight, label, least, other)
        found.append((least.tolist(), other.tolist()))
    assert found[0] == found[1]


def test_a_chain_of_trees_is_joined_at_once() -> None:
    label = np.arange(5, dtype=np.int32)
    least, other = np.array([4.0, 3, 2, 1, 1]), np.array([1, 2, 3, 4, 3], np.int32)
    assert sorted(joined(least, other, label).tolist()) == [1, 2, 3, 4]
    assert len(set(label.tolist())) == 1


def distances(graph: Graph) -> list[float]:
    """Bellman and Ford: shorten paths until none can be."""
    far = [0.0, *[inf] * (graph.vertices - 1)]
    edges = list(
        zip(graph.first.tolist(), graph.second.tolist(), graph.weight.tolist(), strict=True)
    )
    for _ in range(graph.vertices):
        for one, two, weight in edges:
            far[one], far[two] = min(far[one], far[two] + weight), min(far[two], far[one] + weight)
    return far


@pytest.mark.parametrize("same", [False, True])
def test_paths_are_those_of_bellman_and_ford(same: bool) -> None:
    """Where all edges weigh the same, many vertices are as near: all agree which is the next."""
    graph = random_graph(50, 120)
    if same:
        graph = graph._replace(weight=np.ones(120))
    right = distances(graph)
    joined_by = {
        frozenset(ends): weight
        for *ends, weight in zip(
            graph.first.tolist(), graph.second.tolist(), graph.weight, strict=True
        )
    }

    def paths(own: Communicator) -> tuple[list[float], list[int]]:
        kernel = ShortestPaths(own, 50, 120)
        kernel.share = dijkstra.share_of(graph, own.rank, own.size)
        kernel.ready()
        kernel.run(SplitClock())
        return kernel.distance.tolist(), kernel.before.tolist()

    for count in PROCESSES:
        found = on_threads(count, paths)
        assert [each for own, _ in found for each in own] == right
        for _, before in found:
            assert before[0] == -1
            for vertex in range(1, 50):
                last = joined_by[frozenset((before[vertex], vertex))]
                assert right[vertex] == right[before[vertex]] + last


def test_bytes_are_those_of_records_by_recursive_doubling() -> None:
    """16 B for each vertex and stage, as the model counts; indices go round a ring at the end."""

    def sent(own: Communicator) -> int:
        kernel = ShortestPaths(own, 64, 1024)
        kernel.ready()
        kernel.run(SplitClock())
        return own.sent

    assert on_threads(4, sent) == [16 * 64 * 2 + 4 * 16 * 3] * 4


# Conjugate gradients


def dense(side: int) -> NDArray[np.float64]:
    """The matrix by its definition: points that are neighbours in each direction, or the same."""
    points = np.array(list(np.ndindex(side, side, side)))
    apart = np.abs(points[:, None] - points[None]).max(axis=2)
    matrix: NDArray[np.float64] = np.where(apart == 1, -1.0, 0.0) + 26.0 * (apart == 0)
    return matrix


@pytest.mark.parametrize("side", [2, 3, 5])
def test_rows_of_slabs_are_those_of_the_dense_matrix(side: int) -> None:
    right = dense(side)
    assert np.array_equal(rows_of(side, 0, side).toarray(), right)
    for count in range(1, side + 1):
        for low, high in slabs(side, count):
            plane = side**2
            first, end = max(low - 1, 0) * plane, min(high + 1, side) * plane
            found = rows_of(side, low, high)
            assert np.array_equal(found.toarray(), right[low * plane : high * plane, first:end])
            assert found.indices.itemsize == 4


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_conjugate_gradients_reach_the_dense_solution(count: int) -> None:
    side = 5

    def solution(own: Communicator) -> Any:
        kernel = ConjugateGradients(own, side)
        kernel.ready()
        for _ in range(30):
            kernel.run(SplitClock())
        return kernel.x.tolist()

    found = [each for own in on_threads(count, solution) for each in own]
    np.testing.assert_allclose(found, np.linalg.solve(dense(side), right_side(side)), rtol=1e-9)


# The network


def losses(
    weights: NDArray[np.float64], x: NDArray[np.float64], wanted: NDArray[np.float64]
) -> float:
    w1, b1, w2, b2 = mlp_training.parts(weights)
    y = 1 / (1 + np.exp(-(np.maximum(x @ w1 + b1, 0) @ w2 + b2)))
    return float(np.mean((y - wanted) ** 2))


def test_the_reference_of_the_gradient_is_the_slope_of_the_loss() -> None:
    x, wanted = (each.astype(float) for each in mlp_training.batch(4, 0))
    weights = mlp_training.start().astype(float)
    found = mlp_training.gradients(weights, x, wanted)
    random = np.random.default_rng(1)
    for at in (*random.integers(0, len(weights), 40), *range(-60, 0, 7)):
        step = np.zeros_like(weights)
        step[at] = 1e-5
        slope = (losses(weights + step, x, wanted) - losses(weights - step, x, wanted)) / 2e-5
        assert slope == pytest.approx(found[at], rel=1e-4, abs=1e-9)


def test_a_step_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="compares with PyTorch's gradients")
    kernel = MlpTraining(on_threads(1, lambda own: own)[0], 16)
    kernel.ready()
    kernel.run(SplitClock())
    shapes = mlp_training.SHAPES
    ends = np.cumsum([prod(shape) for shape in shapes])[:-1]
    w1, b1, w2, b2 = (
        torch.tensor(part.reshape(shape).copy(), requires_grad=True)
        for part, shape in zip(np.split(mlp_training.start(), ends), shapes, strict=True)
    )
    x, wanted = map(torch.tensor, mlp_training.batch(16, 0))
    y = torch.sigmoid(torch.relu(x @ w1 + b1) @ w2 + b2)
    loss = torch.nn.functional.mse_loss(y, wanted)
    loss.backward()
    torch.optim.SGD([w1, b1, w2, b2], lr=mlp_training.RATE).step()
    after = np.concatenate([each.detach().numpy().ravel() for each in (w1, b1, w2, b2)])
    assert kernel.loss == pytest.approx(loss.item(), rel=1e-5)
    np.testing.assert_allclose(kernel.weights, after, atol=1e-7)
    went = mlp_training.start() - after
    assert np.abs(kernel.gradients - went).max() < 1e-5 * np.abs(went).max()


# All of them, as they are run


@pytest.mark.parametrize("name", ["mst", "dijkstra", "cg", "mlp_training"])
def test_answers_are_right_over_sizes_and_processes(name: str) -> None:
    kernel = KERNELS[name]
    sizes = {"mst": (33, 200, 2000), "dijkstra": (33, 200, 1000), "cg": (7, 12, 20)}
    for size in sizes.get(name, (1, 10, 100)):
        for count in PROCESSES:
            assert kernel.refuses(size, count) is None

            def twice(own: Communicator, size: int = size) -> float:
                prepared = kernel.prepare(own, size)
                for _ in range(2):
                    prepared.ready()
                    prepared.run(SplitClock())
                return prepared.error()

            assert max(on_threads(count, twice)) <= kernel.tolerance


@pytest.mark.parametrize("name", ["mst", "dijkstra", "cg", "mlp_training"])
def test_without_a_run_nothing_is_right(name: str) -> None:
    def error(own: Communicator) -> float:
        prepared = KERNELS[name].prepare(own, 64 if name != "cg" else 6)
        prepared.ready()
        return prepared.error()

    for count in (1, 3):
        assert on_threads(count, error)[0] > KERNELS[name].tolerance


def test_an_answer_that_is_a_little_wrong_is_seen() -> None:
    def errors(own: Communicator) -> list[float]:
        tree, paths = SpanningTree(own, 64, 1024), ShortestPaths(own, 64, 1024)
        solver, network = ConjugateGradients(own, 6), MlpTraining(own, 8)
        last = own.rank == own.size - 1
        for kernel in (tree, paths, solver, network):
            kernel.ready()
            kernel.run(SplitClock())
        heaviest = np.flatnonzero(tree.weights == tree.weights.max())
        tree.weights[heaviest] += 1
        if last:
            paths.distance[-1] -= 1
            solver.r[-1] *= 1 + 1e-9
        network.weights[7] += 1e-6
        return [kernel.error() for kernel in (tree, paths, solver, network)]

    for count in (1, 3):
        found = on_threads(count, errors)[0]
        names = ("mst", "dijkstra", "cg", "mlp_training")
        assert all(
            error > KERNELS[name].tolerance for name, error in zip(names, found, strict=True)
        )


def test_a_path_over_an_edge_that_is_none_is_no_path() -> None:
    graph = random_graph(40, 100)
    right = np.array(distances(graph))
    edges = {frozenset(e) for e in zip(graph.first.tolist(), graph.second.tolist(), strict=True)}
    stranger = next(v for v in range(1, 39) if frozenset((v, 39)) not in edges)
    before = np.full(40, stranger, np.int32)
    assert dijkstra.off(graph, right, before) == inf


@pytest.mark.parametrize(
    ("name", "size", "count"),
    [("mst", 32, 1), ("dijkstra", 64, 65), ("cg", 3, 4), ("mlp_training", 0, 1)],
)
def test_what_cannot_run_is_refused(name: str, size: int, count: int) -> None:
    assert KERNELS[name].refuses(size, count)


def test_sizes_span_two_decades_of_work() -> None:
    for name, points in (("mst", 1), ("dijkstra", 1), ("cg", 3), ("mlp_training", 1)):
        sizes = KERNELS[name].sizes
        assert all(one < two for one, two in pairwise(sizes)) and len(sizes) >= 6
        assert (sizes[-1] / sizes[0]) ** points >= 100
        assert set(KERNELS[name].quick) <= set(sizes)
