"""The 63 pairs of thesis ch. 2 in N and in P, and cases that are hard, against brute force."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest

from roofdsl.algebra.closed_form import closed_form
from roofdsl.allowance import Budget
from roofdsl.analysis.prediction import predict
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.numeric.array import evaluate as over
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.regime import Regimes
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settle import active_branch
from roofdsl.source import Source

MACHINES = ("big_red_ii", "karst", "jetstream")
MOST = 300_000
IN_SIZE = {
    "summa": ("N", {"P": "121"}),
    "dgemv": ("N", {"P": "128"}),
    "ddot": ("N", {"P": "128"}),
    "fft": ("N", {"P": "128"}),
    "stencil2d": ("N", {"P": "128"}),
    "mst": ("V", {"P": "128", "E": "16*V"}),
    "dijkstra": ("V", {"P": "128", "E": "16*V"}),
}
IN_PROCESSES = {
    "summa": ("P", {"N": "2^20"}),
    "dgemv": ("P", {"N": "2^20"}),
    "ddot": ("P", {"N": "2^20"}),
    "fft": ("P", {"N": "2^20"}),
    "stencil2d": ("P", {"N": "2^20"}),
    "mst": ("P", {"V": "2^20", "E": "16*2^20"}),
    "dijkstra": ("P", {"V": "2^20", "E": "16*2^20"}),
}


class Case(NamedTuple):
    name: str
    unknown: str
    left: Expression
    right: Expression

    def solved(self, low: int) -> Regimes:
        times = [("left", self.left), ("right", self.right)]
        return crossovers(times, self.unknown, low, 10**18, integer=True)


def cases(table: dict[str, tuple[str, dict[str, str]]]) -> list[Case]:
    found = []
    for model_name, (unknown, texts) in table.items():
        model = find_model(model_name)[0]
        arguments, problems = read_arguments(model, texts)
        assert not problems
        for machine_name in MACHINES:
            machine = find_machine(machine_name)[0]
            prediction, wrong = predict(model, machine, arguments, frozenset({unknown}))
            assert not wrong
            times = {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}
            found += [
                Case(f"{model_name}-{machine_name}-{a}-{b}-{unknown}", unknown, times[a], times[b])
                for a, b in combinations(times, 2)
            ]
    return found


SIZES, PROCESSES = cases(IN_SIZE), cases(IN_PROCESSES)


def test_there_are_63_of_each() -> None:
    assert len(SIZES) == len(PROCESSES) == 63


@pytest.mark.parametrize("case", SIZES + PROCESSES, ids=lambda case: case.name)
def test_like_brute_force(case: Case) -> None:
    low = 1 if case.unknown == "P" else 3
    found = case.solved(low)
    assert found.complete
    places = np.arange(low, MOST + 1, dtype=float)
    left = np.asarray(over(case.left, {case.unknown: places}), dtype=float)
    right = np.asarray(over(case.right, {case.unknown: places}), dtype=float)
    larger = np.where(left > right, 1, np.where(left < right, -1, 0))
    # Where floats cannot tell the two apart, exact ties are for the proof to find.
    clear = np.abs(left - right) > 1e-12 * np.maximum(np.abs(left), np.abs(right))
    orders = {("left",): 1, ("right",): -1, ("left", "right"): 0}
    for regime in found.regimes:
        start, end = int(regime.first) - low, min(int(regime.last), MOST) - low + 1
        if start < end:
            part = slice(start, end)
            assert set(larger[part][clear[part]].tolist()) <= {orders[regime.labels]}


@pytest.mark.parametrize("every", [SIZES, PROCESSES], ids=["in size", "in processes"])
def test_closed_forms_agree_with_the_proof(every: list[Case]) -> None:
    with_form = 0
    for case in every:
        found = case.solved(1 if case.unknown == "P" else 3)
        kinds = [closed_form(case.left, case.right, case.unknown).kind]
        for crossing in found.crossings:
            low, high = crossing.enclosure
            at = {case.unknown: (low + high) / 2}
            pair = active_branch(case.left, at), active_branch(case.right, at)
            form = closed_form(*pair, case.unknown)
            kinds.append(form.kind)
            if form.kind in ("none", "polynomial"):
                continue
            values = [value for root in form.roots if (value := _size(root)) == value]
            near = [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
            assert near or crossing.kind == "jump", (case.name, crossing, values)
        # Without a crossing, the pair as it is far out must have its form.
        far = active_branch(case.left, {case.unknown: 1e9})
        away = active_branch(case.right, {case.unknown: 1e9})
        kinds.append(closed_form(far, away, case.unknown).kind)
        with_form += kinds[-1] not in ("none", "polynomial")
    assert with_form >= 0.9 * len(every)


def kernel(text: str, machine: str = "karst", **given: str) -> tuple[dict[str, Expression], str]:
    module, problems = check_text(Source("case", text))
    assert not [p for p in problems if p.severity == "error"], problems
    model = next(iter(module.models.values()))
    arguments, wrong = read_arguments(model, given)
    assert not wrong
    unknown = model.parameters[0].name
    prediction, told = predict(model, find_machine(machine)[0], arguments, frozenset({unknown}))
    assert not told
    return {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}, unknown


ATTENTION = """model attention {
    param s: integer
    param h: integer = 1024
    param a: integer = 16
    param b: integer = 1
    param P: processes = 8
    param word = 8 B
    flops = 8*b*s*h^2 + 4*b*s^2*h
    memory = word*(4*h^2 + 8*s*h + 4*a*s^2)/P
    network = 2*(P - 1)/P*s*h*word
}"""


def test_attention_crosses_memory_and_network_twice() -> None:
    times, unknown = kernel(ATTENTION)
    pair = [(name, times[name]) for name in ("memory", "network")]
    found = crossovers(pair, unknown, 1, 10**18, integer=True)
    s = np.arange(1.0, 300_001.0)
    memory = 8 * (4 * 1024**2 + 8 * s * 1024 + 64 * s**2) / 8 / 13.9e9
    network = 2 * 7 / 8 * s * 1024 * 8 / 1.2e9
    switches = np.flatnonzero(np.diff(np.sign(memory - network))) + 2
    assert len(switches) == 2
    assert [crossing.first_integer for crossing in found.crossings] == switches.tolist()


MLP = """model mlp {
    param b: integer
    param h: integer = 4096
    param p: processes = 8
    param word = 4 B
    flops = 6*b*h^2
    memory = 3*word*(h^2 + 2*b*h)
    network = 2*word*h^2*(p - 1)/p
}"""


def test_a_data_parallel_mlp_in_batch_ties_exactly() -> None:
    # 6 b h² / F = 8 h² (p-1)/p / W: at p = 4, F = 4 GFLOP/s and W = 1 GB/s the two meet at b = 4.
    machine = "machine exact { flops = 4 GFLOP/s; memory = 100 GB/s; network = 1 GB/s }"
    module, _ = check_text(Source("case", MLP + "\n" + machine))
    model, target = module.models["mlp"], module.machines["exact"]
    arguments, _ = read_arguments(model, {"p": "4"})
    prediction, told = predict(model, target, arguments, frozenset({"b"}))
    assert not told
    times = {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}
    pair = [(name, times[name]) for name in ("flops", "network")]
    found = crossovers(pair, "b", 1, 10**18, integer=True)
    (crossing,) = found.crossings
    assert crossing.kind == "tie"
    assert (crossing.enclosure, crossing.first_integer) == ((4.0, 4.0), 5)
    assert [regime.labels for regime in found.regimes] == [
        ("network",),
        ("flops", "network"),
        ("flops",),
    ]


def formulas(left: str, right: str) -> list[tuple[str, Expression]]:
    text = f"model pair {{ param N: integer\n let l = {left}\n let r = {right} }}"
    module, problems = check_text(Source("case", text))
    assert not problems
    lets = {item.name: item.formula.tree for item in module.models["pair"].intermediates}
    return [("left", lets["l"]), ("right", lets["r"])]


def test_two_crossings_that_samples_do_not_see() -> None:
    pair = formulas("N^2 + 10^30", "(2*10^15 + 1)*N")
    found = crossovers(pair, "N", 1, 10**18, integer=True)
    firsts = [crossing.first_integer for crossing in found.crossings]
    assert len(firsts) == 2

    def larger(n: int) -> bool:
        return n * n + 10**30 > (2 * 10**15 + 1) * n

    for first in firsts:
        assert first is not None
        assert larger(first) != larger(first - 1)


def test_a_threshold_beyond_what_floats_hold() -> None:
    pair = formulas("N + 1/3", "9007199254740993 + 2/3")  # 2^53 + 1 is no float
    found = crossovers(pair, "N", 1, 10**18, integer=True)
    (crossing,) = found.crossings
    assert crossing.first_integer == 9007199254740994


def test_dense_jumps_are_a_band() -> None:
    pair = formulas("ceil(N/7)*7", "1.0003*N + 1")
    found = crossovers(pair, "N", 1, 10**18, integer=True)
    n = np.arange(1, 200_000, dtype=np.int64)
    above = -(-n // 7) * 7 * 10_000 > 10_003 * n + 10_000
    last = int(n[above].max())
    bands = [crossing for crossing in found.crossings if crossing.kind == "band"]
    if bands:
        (band,) = bands
        assert band.after == ("right",)
        assert band.first_integer == last + 1
    else:
        assert [regime.labels for regime in found.regimes][-1] == ("right",)
        assert found.regimes[-1].first == last + 1


def test_astronomically_large_crossings_are_proven_beyond_the_range() -> None:
    for model, resources in (("fft", ("flops", "network")), ("dijkstra", ("memory", "network"))):
        unknown, texts = IN_SIZE[model]
        definition = find_model(model)[0]
        arguments, _ = read_arguments(definition, texts)
        prediction, _ = predict(
            definition, find_machine("jetstream")[0], arguments, frozenset({unknown})
        )
        times = {n: substitute(t, prediction.rates) for n, t in prediction.times().items()}
        found = crossovers([(n, times[n]) for n in resources], unknown, 3, 10**18, integer=True)
        assert found.complete
        form = closed_form(times[resources[0]], times[resources[1]], unknown)
        beyond = [_size(root) for root in form.roots]
        assert any(value > 10**18 for value in beyond) == (not found.crossings)


def _size(root: Expression) -> float:
    try:
        return evaluate(root, {})
    except EvaluationError:
        return float("inf") if exact(root, {}) is None else float("nan")


def test_a_pathological_pair_stops_at_its_limit_and_says_how_far() -> None:
    pair = formulas("ceil(N/7)*7 + ceil(N/11)*11", "2.0000001*N + ceil(N/13)/N")
    budget = Budget(50)
    found = crossovers(pair, "N", 1, 10**18, integer=True, budget=budget)
    if not found.complete:
        assert found.proven_up_to is None or found.proven_up_to < 10**18
    assert budget.spent <= 50 * 40
