"""The totals of the library are what its processes do, counted one by one (`process_counts`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import numpy as np
import pytest

from roofdsl.analysis.binding import Binding, bind
from roofdsl.analysis.counting import total_work
from roofdsl.expression.construct import number
from roofdsl.expression.tree import Expression
from roofdsl.model.library import bundled, check_module
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.array import Array, evaluate
from tests.library import process_counts as counts
from tests.library.process_counts import Counted

MOST = 1024
RESOURCES = ("flops", "memory", "network", "messages")
Sizes = dict[str, int]


def models() -> dict[str, ModelDefinition]:
    """Return the models of the library that count processes, by the name of file and model."""
    found: dict[str, ModelDefinition] = {}
    for path in bundled("model").values():
        module, _ = check_module(path)
        assert module is not None
        for model in module.models.values():
            if any(parameter.kind == "processes" for parameter in model.parameters):
                found[f"{path.stem}:{model.name}"] = model
    return found


MODELS = models()


class Case(NamedTuple):
    """How a model's processes are counted, and at which sizes for so many of them.

    `whole` says where all shares are whole and all stages full: there, what the model calls the
    work of one process is that of the busiest. Elsewhere it shares out what cannot be shared so.
    """

    counted: Callable[..., Counted]
    sizes: Callable[[int], list[Sizes]]
    whole: Callable[[int, Sizes], bool]


def rows(P: int) -> list[Sizes]:
    return [{"N": max(2, P)}, {"N": 4 * P}, {"N": 2 * P + 1}, {"N": 1031}]


def rows_in_a_ring(P: int) -> list[Sizes]:
    return rows(P) if P <= 100 else [{"N": 4 * P}]


def inner_rows(P: int) -> list[Sizes]:
    return [{"N": P + 2}, {"N": 3 * P + 2}, {"N": 1031}]


def inner_divided(P: int, sizes: Sizes) -> bool:
    return (sizes["N"] - 2) % P == 0


def divided(P: int, sizes: Sizes) -> bool:
    return all(size % P == 0 for size in sizes.values())


def tiles(P: int) -> list[Sizes]:
    side = isqrt(P)
    return [{"N": 2 * side}, {"N": 3 * side}, {"N": 257}] if side**2 == P else []


def tiled(P: int, sizes: Sizes) -> bool:
    """Tiles are equal, and every stage of a broadcast halves those that still wait."""
    side = isqrt(P)
    return side.bit_count() == 1 and sizes["N"] % side == 0


def blocks(_: int) -> list[Sizes]:
    return [{"N": N, "B": B} for N, B in ((2, 2), (6, 3), (10, 2), (7, 1), (2000, 400))]


def graphs(P: int) -> list[Sizes]:
    return [{"E": 4096 * P, "V": 1024}, {"E": 2**16, "V": 64}, {"E": 5003, "V": 64}]


def vectors(P: int) -> list[Sizes]:
    return [{"n": 4 * P}, *([{"n": 4 * P + 3}] if P <= 100 else [])]


def layers(P: int) -> list[Sizes]:
    return [{"batch": 3, "I": 4, "O": P}]


def squares(P: int) -> list[Sizes]:
    return [{"b": 5, "h": P}] if P <= 100 or P.bit_count() == 1 else []


def always(_P: int, _sizes: Sizes) -> bool:
    return True


CASES = {
    "dgemv:dgemv": Case(counts.dgemv, rows_in_a_ring, divided),
    "ddot:ddot": Case(counts.ddot, rows, divided),
    "summa:summa": Case(counts.summa, tiles, tiled),
    "cannon:cannon": Case(counts.cannon, blocks, always),
    "johnson:johnson": Case(counts.johnson, blocks, always),
    "fft:fft": Case(counts.fft, rows, divided),
    "stencil2d:stencil2d": Case(counts.stencil2d, inner_rows, inner_divided),
    "mst:mst": Case(counts.mst, graphs, lambda P, sizes: sizes["E"] % P == 0),
    "dijkstra:dijkstra": Case(counts.dijkstra, graphs, divided),
    "mpi:all_reduce_ring": Case(counts.all_reduce, vectors, divided),
    "mpi:all_reduce_tree": Case(counts.tree_all_reduce, vectors, always),
    "mpi:reduce_scatter_ring": Case(counts.reduce_scatter, vectors, divided),
    "mpi:all_gather_ring": Case(counts.all_gather, vectors, divided),
    "mpi:broadcast_binomial": Case(counts.broadcast, vectors, always),
    "mpi:reduce_binomial": Case(counts.reduce, vectors, always),
    "mpi:all_to_all_pairwise": Case(counts.pairwise, vectors, divided),
    "parallel:linear_data_parallel": Case(counts.layer, layers, always),
    "parallel:linear_hidden_ring": Case(counts.layer_and_ring, layers, always),
    "cardwell2019:summa_as_printed": Case(counts.summa, tiles, tiled),
    "cardwell2019:summa_in_bytes": Case(counts.summa, tiles, tiled),
    "cardwell2019:dgemv_as_printed": Case(counts.dgemv, rows_in_a_ring, divided),
    "cardwell2019:fft_as_printed": Case(counts.fft, rows, divided),
    "cardwell2019:stencil_as_printed": Case(counts.stencil2d, inner_rows, inner_divided),
    "cardwell2019:mst_as_printed": Case(counts.mst, graphs, lambda P, x: x["E"] % P == 0),
    "cardwell2019:mst_in_bytes": Case(counts.mst, graphs, lambda P, x: x["E"] % P == 0),
    "cardwell2019:dijkstra_as_printed": Case(counts.dijkstra, graphs, divided),
    "cardwell2019:dijkstra_in_bytes": Case(counts.dijkstra, graphs, divided),
    "kong2014:cannon_as_printed": Case(counts.cannon, blocks, always),
    "kong2014:johnson_as_printed": Case(counts.johnson, blocks, always),
    "checconi2022:mlp_training": Case(counts.mlp_training, squares, always),
}
NETWORKS = [name for name in MODELS if name.endswith(("_training", "_recomputed"))]
NETWORKS.remove("checconi2022:mlp_training")

# What their processes do together cannot be said in a formula for every number of them.
UNSTATED = {
    "mpi:all_gather_recursive_doubling",
    "mpi:all_reduce_rabenseifner",
    "mpi:all_reduce_recursive_doubling",
    "mpi:all_to_all_bruck",
    "mpi:broadcast_scatter_all_gather",
    "mpi:reduce_scatter_halving",
    "cardwell2019:ddot_as_printed",
}
# What is stated beside the rest of a model.
STATED = {
    "ddot:ddot": {"flops", "memory"},
    "summa:summa": {"flops", "network"},
    "mst:mst": {"flops"},
    "dijkstra:dijkstra": {"flops"},
    "cannon:cannon": {"flops"},
    "johnson:johnson": {"flops"},
    "cardwell2019:stencil_as_printed": {"flops", "memory"},
}


class Formulas:
    """A model's work and totals by resource, in its sizes and the number of its processes."""

    def __init__(self, model: ModelDefinition, sizes: frozenset[str]) -> None:
        self.model = model
        self.processes = next(p.name for p in model.parameters if p.kind == "processes")
        self.binding, problems = bind(model, {}, kept_free=sizes | {self.processes})
        assert problems == ()
        self.work = {name: self._work(name) for name in RESOURCES}
        self.totals = {item.key: self.binding.expand(item.value) for item in model.totals}

    def _work(self, resource: str) -> Expression:
        return self.binding.expand(total_work(self.model, resource))

    def total(self, resource: str, at: dict[str, Array]) -> Array:
        if self.model.even:
            return at[self.processes] * self.value(self.work[resource], at)
        return self.value(self.totals[resource], at)

    def value(self, tree: Expression, at: dict[str, Array]) -> Array:
        found = evaluate(tree, at)
        assert np.all(np.isfinite(found))
        return np.broadcast_to(found, at[self.processes].shape).astype(float)

    def allowed(self, at: dict[str, Array]) -> Array:
        """Return where the model's bounds and requirements hold."""
        holds = np.ones(at[self.processes].shape, dtype=bool)
        for requirement in self.model.requirements:
            holds &= np.asarray(evaluate(self.binding.expand(requirement.condition), at), bool)
        for parameter in self.model.parameters:
            if parameter.name in at and parameter.low is not None:
                holds &= at[parameter.name] >= self.value(parameter.low, at)
        return holds


def parameters(sizes: Sizes) -> Sizes:
    """Return sizes as the library calls them: n elements of 4 B are a vector of bytes."""
    return {"bytes": 4 * sizes["n"]} if "n" in sizes else sizes


def test_every_model_with_processes_is_counted_or_known_to_state_nothing() -> None:
    stated = {name for name, model in MODELS.items() if model.totals or model.even}
    assert stated == {*CASES, *NETWORKS}
    assert set(MODELS) - stated == UNSTATED


@pytest.mark.parametrize("name", CASES)
def test_totals_are_what_the_processes_do(name: str) -> None:
    case, model = CASES[name], MODELS[name]
    points = [(P, sizes) for P in range(1, MOST + 1) for sizes in case.sizes(P)]
    formulas = Formulas(model, frozenset(parameters(points[0][1])))
    given = [{formulas.processes: P, **parameters(sizes)} for P, sizes in points]
    at = {key: np.array([values[key] for values in given], dtype=float) for key in given[0]}
    allowed = formulas.allowed(at)
    assert allowed.any()
    points = [point for point, valid in zip(points, allowed, strict=True) if valid]
    at = {key: values[allowed] for key, values in at.items()}
    counted = [case.counted(P, **sizes) for P, sizes in points]
    whole = np.array([case.whole(P, sizes) for P, sizes in points])
    assert whole.any()
    resources = {item.key for item in model.totals} or {
        name for name in RESOURCES if any(found.total[name] for found in counted)
    }
    assert resources == STATED.get(name, resources)
    for resource in resources:
        total = np.array([found.total[resource] for found in counted])
        busiest = np.array([found.busiest[resource] for found in counted])
        np.testing.assert_allclose(formulas.total(resource, at), total, rtol=1e-12)
        own = formulas.value(formulas.work[resource], at)
        np.testing.assert_allclose(own[whole], busiest[whole], rtol=1e-12)
        assert np.all(total <= at[formulas.processes] * own * (1 + 1e-12))


@pytest.mark.parametrize("name", ["cannon:cannon", "johnson:johnson"])
def test_idle_processes_are_among_those_counted(name: str) -> None:
    case, model = CASES[name], MODELS[name]
    at = {"N": np.array([2000.0]), "B": np.array([400.0]), "P": np.array([1024.0])}
    formulas = Formulas(model, frozenset(("N", "B")))
    assert case.counted(1024, N=2000, B=400).total["flops"] == 2 * 2000**3
    assert formulas.total("flops", at)[0] == 2 * 2000**3
    assert formulas.value(formulas.work["flops"], at)[0] * 1024 > 2 * 2000**3


@pytest.mark.parametrize("name", NETWORKS)
def test_in_training_each_process_does_the_same_and_passes_gradients_round(name: str) -> None:
    """Work is that of one process alone, on its own batch, and what a ring adds for its weights."""
    model = MODELS[name]
    assert model.even
    given = {
        p.name: (number(Fraction(2)), None)
        for p in model.parameters
        if p.default is None and p.kind != "processes"
    }
    binding, problems = bind(model, given, kept_free=frozenset(("ranks",)))
    assert problems == ()
    weights, word = int(binding.values["weights"]), size_of(binding)
    works = {name: binding.expand(total_work(model, name)) for name in RESOURCES}
    P = np.arange(1.0, MOST + 1)
    of_one = {name: np.broadcast_to(evaluate(works[name], {"ranks": P}), P.shape) for name in works}
    for count in (1, 2, 3, 7, 8, 100, 128, 1000, 1024):
        ring = counts.all_reduce(count, weights, word)
        for resource in RESOURCES:
            alone = of_one[resource][0]
            together = ring.total[resource] + sum(alone for _ in range(count))
            np.testing.assert_allclose(count * of_one[resource][count - 1], together, rtol=1e-12)


def size_of(binding: Binding) -> float:
    return float(evaluate(binding.trees["size(dtype)"], {}))
