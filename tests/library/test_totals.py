"""The totals of the library are what its processes do, counted one by one (`process_counts`)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from re import findall
from typing import NamedTuple

import numpy as np
import pytest

from roofdsl.analysis.binding import Binding, bind
from roofdsl.analysis.counting import total_work
from roofdsl.analysis.intensity import is_zero
from roofdsl.expression.construct import number
from roofdsl.expression.tree import Expression
from roofdsl.model.library import bundled
from roofdsl.model.tally import steps_in
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.array import evaluate
from roofdsl.numeric.array_program import Array
from roofdsl.numeric.exact import exact_evaluator
from tests.agreement.points import models_of
from tests.counts import inputs
from tests.language.programs import module
from tests.library import process_counts as counts
from tests.library.collective_rounds import power_below
from tests.library.process_counts import Counted

MOST = inputs(200, 1024)
SOME = 64  # of what has as many stages as processes
RESOURCES = ("flops", "memory", "network", "messages")
Sizes = dict[str, int]


def models() -> dict[str, ModelDefinition]:
    """Return the models of the library that count processes, by the name of file and model.

    An instance of another model does what that one does.
    """
    found: dict[str, ModelDefinition] = {}
    for file, path in bundled("model").items():
        for model in models_of(file):
            if not model.base and any(each.kind == "processes" for each in model.parameters):
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


def planes(P: int) -> list[Sizes]:
    return [{"N": max(2, P)}, {"N": 2 * P}, {"N": 3 * P + 1}]


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


def blocks_of_points(P: int) -> list[Sizes]:
    return [{"N": P**2}, {"N": 3 * P**2}, {"N": 64 * P**2}]


def graphs(P: int) -> list[Sizes]:
    return [{"E": 4096 * P, "V": 1024}, {"E": 2**16, "V": 512}, {"E": 5003, "V": 128}]


def vectors(P: int) -> list[Sizes]:
    return [{"n": 4 * P}, {"n": 4 * P + 3}]


def shared(P: int) -> list[Sizes]:
    return [{"n": 4 * P}]


def layers(P: int) -> list[Sizes]:
    return [{"batch": 3, "I": 4, "O": P}]


def tokens(P: int) -> list[Sizes]:
    return [{"tokens": P, "h": 4, "layers": 3}] if P <= SOME else []


def heads(P: int) -> list[Sizes]:
    return [{"B": 2, "s": 3 * P, "kv": 2, "d": 4}] if P <= SOME else []


def heads_of_layers(P: int) -> list[Sizes]:
    return [{**sizes, "layers": 3} for sizes in heads(P)]


def squares(P: int) -> list[Sizes]:
    return [{"batch": 5, "h": P}, {"batch": 5, "h": P + 1}]


def squares_divided(P: int, sizes: Sizes) -> bool:
    return sizes["h"] ** 2 % P == 0


def always(_P: int, _sizes: Sizes) -> bool:
    return True


def power_of_two(P: int, _sizes: Sizes) -> bool:
    return power_below(P) == P


CASES = {
    "dgemv:dgemv": Case(counts.dgemv, rows, divided),
    "ddot:ddot": Case(counts.ddot, rows, divided),
    "summa:summa": Case(counts.summa, tiles, tiled),
    "cannon:cannon": Case(counts.cannon, blocks, always),
    "johnson:johnson": Case(counts.johnson, blocks, always),
    "fft:fft": Case(counts.fft, rows, divided),
    "fft_transpose:fft_transpose": Case(counts.fft_transpose, blocks_of_points, always),
    "stencil2d:stencil2d": Case(counts.stencil2d, inner_rows, inner_divided),
    "mst:mst": Case(counts.mst, graphs, lambda P, sizes: sizes["E"] % P == 0),
    "dijkstra:dijkstra": Case(counts.dijkstra, graphs, divided),
    "cg:cg": Case(counts.cg, planes, divided),
    "mpi:all_reduce_ring": Case(counts.all_reduce, vectors, divided),
    "mpi:all_reduce_tree": Case(counts.tree_all_reduce, vectors, always),
    "mpi:reduce_scatter_ring": Case(counts.reduce_scatter, vectors, divided),
    "mpi:all_gather_ring": Case(counts.all_gather, vectors, divided),
    "mpi:broadcast_binomial": Case(counts.broadcast, vectors, always),
    "mpi:reduce_binomial": Case(counts.reduce, vectors, always),
    "mpi:all_to_all_pairwise": Case(counts.pairwise, vectors, divided),
    "mpi:all_reduce_recursive_doubling": Case(counts.doubling_all_reduce, vectors, always),
    "mpi:all_reduce_rabenseifner": Case(counts.rabenseifner, vectors, divided),
    "mpi:reduce_scatter_halving": Case(counts.halving_reduce_scatter, vectors, divided),
    "mpi:all_gather_recursive_doubling": Case(counts.doubling_all_gather, vectors, divided),
    "mpi:broadcast_scatter_all_gather": Case(counts.scatter_all_gather, shared, always),
    "mpi:all_to_all_bruck": Case(counts.bruck, shared, power_of_two),
    "double_tree:all_reduce_double_tree": Case(counts.two_trees, shared, lambda P, _: P <= 2),
    "expert_parallel:expert_parallel": Case(counts.experts, tokens, always),
    "context_parallel:ring_attention": Case(counts.ring_attention, heads, always),
    "context_parallel:ring_attention_backward": Case(counts.ring_attention_backward, heads, always),
    "context_parallel:context_parallel": Case(counts.context_parallel, heads_of_layers, always),
    "parallel:linear_data_parallel": Case(counts.layer, layers, always),
    "parallel:linear_hidden_ring": Case(counts.layer_and_ring, layers, always),
    "cardwell2019:summa_as_printed": Case(counts.summa, tiles, tiled),
    "cardwell2019:summa_in_bytes": Case(counts.summa, tiles, tiled),
    "cardwell2019:dgemv_as_printed": Case(counts.dgemv, rows, divided),
    "cardwell2019:fft_as_printed": Case(counts.fft, rows, divided),
    "cardwell2019:stencil_as_printed": Case(counts.stencil2d, inner_rows, inner_divided),
    "cardwell2019:mst_as_printed": Case(counts.mst, graphs, lambda P, x: x["E"] % P == 0),
    "cardwell2019:mst_in_bytes": Case(counts.mst, graphs, lambda P, x: x["E"] % P == 0),
    "cardwell2019:dijkstra_as_printed": Case(counts.dijkstra, graphs, divided),
    "cardwell2019:dijkstra_in_bytes": Case(counts.dijkstra, graphs, divided),
    "kong2015:cannon_as_printed": Case(counts.cannon, blocks, always),
    "kong2015:johnson_as_printed": Case(counts.johnson, blocks, always),
    "checconi2022:mlp_training": Case(counts.mlp_training, squares, squares_divided),
}
NETWORKS = [name for name in MODELS if name.endswith(("_training", "_recomputed"))]
NETWORKS.remove("checconi2022:mlp_training")
NETWORKS += [name for name in counts.EXCHANGES if name not in NETWORKS]
# Llama 2 70B, shared among ranks: inputs, and how many tokens of each are at work.
SHARED = {
    "llama2_70b_prefill": ({"batch": 2, "prompt": 1000}, 2 * 1000),
    "llama2_70b_decode": ({"batch": 4}, 4),
}

# Generation by decoders, and steps of a server: sizes, rows at work, and rows that are scored.
SMALL = {"layers": 2, "hidden": 64, "heads": 8, "inner": 128, "vocabulary": 96, "batch": 3}
STEPS = {
    "decoder_generation:decoder_prefill": ({"prompt": 5, "kept": 7, "gated": 1, "rms": 1}, 15, 3),
    "decoder_generation:decoder_decode": ({"kept": 20, "gated": 1, "rms": 1}, 3, 3),
    "chunked:llama_step": ({"kept": 20, "chunk": 5, "seen": 12}, 8, 4),
}
# Serving: these steps, one after another.
SERVED = {
    "serving:decoder_serving",
    "serving:llama_steady",
    "chunked:llama_chunked",
    "speculative:llama_speculative",
}

COLLECTIVES = [name for name in CASES if name.startswith("mpi:")]

# What its processes do together does not follow from what is printed: see the test below.
UNSTATED = {"cardwell2019:ddot_as_printed"}
# Of these, a part: what all move and send depends on caches, trees and graphs, or on which of them
# share a node.
PARTLY = {
    "ddot:ddot": {"flops", "memory"},
    "cardwell2019:stencil_as_printed": {"flops", "memory"},
    "mst:mst": {"flops"},
    "dijkstra:dijkstra": {"flops"},
    "cannon:cannon": {"flops"},
    "johnson:johnson": {"flops"},
    "cardwell2019:summa_as_printed": {"flops"},
    "cardwell2019:summa_in_bytes": {"flops"},
    "cardwell2019:mst_as_printed": {"flops"},
    "cardwell2019:mst_in_bytes": {"flops"},
    "cardwell2019:dijkstra_as_printed": {"flops"},
    "cardwell2019:dijkstra_in_bytes": {"flops"},
    "kong2015:cannon_as_printed": {"flops"},
    "kong2015:johnson_as_printed": {"flops"},
}


def unexplained(models: dict[str, ModelDefinition]) -> set[str]:
    """Return the models whose totals are not counted here, or that state none without a reason."""
    stated = {name for name, model in models.items() if model.totals or model.even}
    return {
        name
        for name in models
        if name not in (stated & {*CASES, *NETWORKS, *STEPS, *SERVED}) | UNSTATED
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


def test_every_model_with_processes_is_counted_or_has_a_reason() -> None:
    files = bundled("model").values()
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert len(MODELS) == sum(len(findall(r"(?m)^ *param \w+ *: *processes\b", t)) for t in texts)
    assert {*CASES, *NETWORKS, *STEPS, *SERVED} | UNSTATED == set(MODELS)
    assert unexplained(MODELS) == set()
    for stated in ("", "total even"):
        new = module(f"model new {{ param P: processes; flops = 3; {stated} }}").models["new"]
        assert unexplained({**MODELS, "new:new": new}) == {"new:new"}


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
    worked = {name for name, work in formulas.work.items() if not is_zero(work)}
    resources = worked if model.even else {item.key for item in model.totals}
    assert resources == PARTLY.get(name, worked)
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


@pytest.mark.parametrize("name", COLLECTIVES)
def test_totals_of_collectives_are_exact(name: str) -> None:
    case, model = CASES[name], MODELS[name]
    formulas = Formulas(model, frozenset(("bytes",)))
    trees = formulas.work if model.even else formulas.totals
    totals = {resource: exact_evaluator(tree) for resource, tree in trees.items()}
    for P in range(1, MOST + 1):
        sizes = case.sizes(P)[0]
        counted = case.counted(P, **sizes)
        at = {"ranks": Fraction(P), "bytes": Fraction(4 * sizes["n"])}
        for resource, total in totals.items():
            found = total(at)
            assert isinstance(found, Fraction)
            assert found * (P if model.even else 1) == Fraction(counted.total[resource])


def test_in_other_numbers_a_process_sends_at_most_what_is_published_for_bruck() -> None:
    """All do the same, so that the total is less than as much as published of each."""
    formulas = Formulas(MODELS["mpi:all_to_all_bruck"], frozenset(("bytes",)))
    P = np.arange(1.0, MOST + 1)
    most = formulas.value(formulas.work["network"], {"ranks": P, "bytes": 16 * P})
    counted = [counts.bruck(count, 4 * count) for count in range(1, MOST + 1)]
    busiest = np.array([found.busiest["network"] for found in counted])
    assert np.all(P * busiest == [found.total["network"] for found in counted])
    assert np.all(busiest <= most)
    assert np.array_equal(busiest == most, np.log2(P) % 1 == 0)


def test_what_all_do_does_not_follow_from_the_printed_dot_product() -> None:
    """Two ways to add up the sums, each as long as printed; and processes without an element."""
    model = MODELS["cardwell2019:ddot_as_printed"]
    formulas = Formulas(model, frozenset(("N",)))
    for P in (2, 4, 128, 1024):
        at = {"N": np.array([4096.0]), "P": np.array([float(P)])}
        to_one, to_all = counts.reduce(P, 1, word=8), counts.doubling_all_reduce(P, 1, word=8)
        printed = formulas.value(formulas.work["network"], at)[0]
        assert to_one.busiest["network"] == to_all.busiest["network"] == printed
        assert to_one.total["network"] == 8 * (P - 1)
        assert to_all.total["network"] == 8 * P * printed / 8
    at = {"N": np.array([100.0]), "P": np.array([128.0])}
    products = additions = 0
    for own in counts.parts(100, 128):
        products, additions = products + own, additions + max(0, own - 1)
    assert products + additions == 100
    assert 128 * formulas.value(formulas.work["flops"], at)[0] == 72


@pytest.mark.parametrize("name", NETWORKS)
def test_in_training_each_process_does_the_same_and_passes_gradients_round(name: str) -> None:
    """Work is that of one process alone, on its own batch, and what a ring adds for its weights.

    Where tables are shared, so are the rows that are looked up, and each process sends its share.
    """
    model = MODELS[name]
    assert model.even
    given = {  # two inputs
        p.name: (number(Fraction(2)), None)
        for p in model.parameters
        if p.default is None and p.kind != "processes"
    }
    binding, problems = bind(model, given, kept_free=frozenset(("ranks",)))
    assert problems == ()
    weights, word = int(binding.values.get("trained", 0)), size_of(binding)
    exchanges = counts.EXCHANGES.get(name)
    works = {name: binding.expand(total_work(model, name)) for name in RESOURCES}
    most = SOME if exchanges else MOST
    P = np.arange(1.0, most + 1)
    sent = [counts.of_training(p, weights, exchanges, word) for p in range(1, most + 1)]
    for resource in RESOURCES:
        each = np.zeros(P.shape) + evaluate(works[resource], {"ranks": P})
        together = P * each[0] + np.array([found.total[resource] for found in sent])
        np.testing.assert_allclose(P * each, together, rtol=1e-12)


@pytest.mark.parametrize("name", SHARED)
def test_ranks_that_share_a_network_do_together_what_one_does_and_what_each_has_whole(
    name: str,
) -> None:
    """Heads, features and words are dealt, the rest is done by all, and rings add what they do."""
    (model,) = (each for each in models_of("networks.llama2_70b") if each.name == name)
    given, tokens = SHARED[name]
    assert model.even
    numbers = {key: (number(Fraction(value)), None) for key, value in given.items()}
    binding, problems = bind(model, numbers, kept_free=frozenset(("t",)))
    assert problems == ()
    works = {each: binding.expand(total_work(model, each)) for each in ("flops", "network")}
    flops, network = (
        {P: float(evaluate(tree, {"t": P})) for P in (1, 2, 4, 8, 16, 32, 64)}
        for tree in works.values()
    )
    h, words, blocks, head = 8192, 32000, 80, 128
    norms_and_sums = (2 * blocks + 1) * 4 * tokens * h + 2 * blocks * tokens * h
    for P in flops:
        sums = counts.all_reduce(P, tokens * h, word=2)
        scores = counts.all_gather(P, given["batch"] * words, word=2)
        assert P * network[P] == pytest.approx(
            (2 * blocks + 1) * sums.total["network"] + scores.total["network"], rel=1e-12
        )
        # Of 8 heads of keys and values each rank has one or more: beyond 8 ranks there are copies.
        copies = blocks * tokens * (2 * h * 2 * head + 3 * head) * max(0, P - 8)
        together = flops[1] + (P - 1) * norms_and_sums + copies
        added = (2 * blocks + 1) * sums.total["flops"]
        assert P * flops[P] == pytest.approx(together + added, rel=1e-12)


@pytest.mark.parametrize("name", sorted(SERVED))
def test_servers_are_made_of_steps_of_which_all_processes_do_the_same(name: str) -> None:
    made = {step.model.name for step in steps_in(MODELS[name].parts)}
    assert MODELS[name].even
    assert made <= {each.name for each in MODELS.values() if each.even}


@pytest.mark.parametrize("name", STEPS)
def test_ranks_of_a_server_do_together_what_one_does_and_what_each_has_whole(name: str) -> None:
    """All do norms and sums, and rings add."""
    model, (more, rows, scored) = MODELS[name], STEPS[name]
    assert model.even
    given = {key: (number(Fraction(value)), None) for key, value in {**SMALL, **more}.items()}
    binding, problems = bind(model, given, kept_free=frozenset(("t",)))
    assert problems == ()
    flops, network = (
        {P: float(evaluate(tree, {"t": P})) for P in (1, 2, 4, 8)}
        for tree in (binding.expand(total_work(model, each)) for each in ("flops", "network"))
    )
    h, words, blocks = SMALL["hidden"], SMALL["vocabulary"], SMALL["layers"]
    whole = (2 * blocks + 1) * 4 * rows * h + 2 * blocks * rows * h
    for P in flops:
        sums = counts.all_reduce(P, rows * h, word=2)
        scores = counts.all_gather(P, scored * words, word=2)
        sent = (2 * blocks + 1) * sums.total["network"] + scores.total["network"]
        assert P * network[P] == pytest.approx(sent, rel=1e-12)
        together = flops[1] + (P - 1) * whole + (2 * blocks + 1) * sums.total["flops"]
        assert P * flops[P] == pytest.approx(together, rel=1e-12)


def size_of(binding: Binding) -> float:
    return float(evaluate(binding.trees["size(dtype)"], {}))
