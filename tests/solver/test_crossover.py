"""Which of several times is the largest: the thesis's models, and every kind of answer."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.allowance import Budget
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.regime import Regimes
from tests.solver.formulas import jumping
from tests.solver.thesis import MACHINES, RESOURCES, kernels, processes, times
from tests.solver.writing import (
    Computed,
    Formula,
    N,
    array,
    ceil,
    formula,
    largest,
    log2,
    signs,
    sqrt,
    tree,
    when,
)

FAR = 10**18
MOST = 300_000


def solved(*formulas: Formula, low: float = 1, high: float = FAR, integer: bool = True) -> Regimes:
    labelled = [(label, each.tree) for label, each in zip("ABCDE", formulas, strict=False)]
    return crossovers(labelled, "N", low, high, integer=integer)


def listed(found: Regimes) -> list[tuple[float, float, str]]:
    return [(each.first, each.last, "".join(each.labels)) for each in found.regimes]


@pytest.mark.parametrize("unknown", ["N", "P"])
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("model", kernels())
def test_thesis_models_like_brute_force(model: str, machine: str, unknown: str) -> None:
    given_number = {"N": {"P": processes(model)}, "P": {"N": 2**20}}[unknown]
    values = {key: tree(value) for key, value in given_number.items()}
    trees = [substitute(each.tree, values) for each in times(model, machine)]
    points = np.arange(1.0, MOST + 1)
    actual = np.array([array(each, {unknown: points}) for each in trees])
    for chosen in (*itertools.combinations(range(3), 2), (0, 1, 2)):
        labelled = [(RESOURCES[each], trees[each]) for each in chosen]
        budget = Budget()
        found = crossovers(labelled, unknown, 1, FAR, integer=True, budget=budget)
        assert found.complete and found.proven_up_to == FAR
        assert budget.spent < 400  # the pairs that enclose the crossings count too
        assert_regimes_agree(found, [RESOURCES[each] for each in chosen], actual[list(chosen)])
        # Between two regimes the times meet within the enclosure, and every enclosure is narrow.
        for crossing in found.crossings:
            low, high = crossing.enclosure
            assert high - low <= 1e-12 * high
            sides = [crossing.before[0], crossing.after[-1]]
            left, right = (
                array(trees[RESOURCES.index(side)], {unknown: np.array([low, high])})
                for side in sides
            )
            assert left == pytest.approx(right, rel=1e-10, abs=1e-300)


def assert_regimes_agree(found: Regimes, labels: list[str], actual: np.ndarray) -> None:
    top = actual.max(axis=0)
    near = actual >= top - 1e-12 * abs(top)
    expected_first = 1
    for regime in found.regimes:
        assert regime.first == expected_first
        expected_first = int(regime.last) + 1
        inside = slice(int(regime.first) - 1, int(regime.last))
        members = [labels.index(label) for label in regime.labels]
        assert near[members][:, inside].all()
        if regime.kind == "largest":
            others = [each for each in range(len(labels)) if each not in members]
            clear = ~near[others][:, inside].any(axis=0)
            # Only right beside a crossing floats may not see which is larger.
            assert clear.sum() >= clear.size - 2
    assert expected_first == FAR + 1


def test_summa_on_karst_is_flops_bound_from_5581() -> None:
    trees = [substitute(each.tree, {"P": tree(121)}) for each in times("SUMMA", "karst")]
    found = crossovers(list(zip(RESOURCES, trees, strict=True)), "N", 2, FAR, integer=True)
    assert [(each.first, each.labels) for each in found.regimes] == [
        (2, ("network",)),
        (5581, ("flops",)),
    ]
    (crossing,) = found.crossings
    assert crossing.before == ("network",) and crossing.after == ("flops",)
    assert crossing.kind == "switch" and crossing.first_integer == 5581


def test_attention_crosses_twice() -> None:
    # h = 1024, a = 16, word = 8, P = 8, b = 1 on Karst.
    memory = 8 * (4 * 1024**2 + 8 * 1024 * N + 64 * N**2) / 8 / "13.9e9"
    network = 2 * 7 * N * 1024 * 8 / 8 / "1.2e9"
    found = solved(memory, network)
    points = np.arange(1, MOST + 1)
    switches = np.flatnonzero(np.diff(signs(memory.tree, network.tree, "N", points))) + 2
    assert [each.first_integer for each in found.crossings] == switches.tolist()
    assert listed(found) == [
        (1, switches[0] - 1, "A"),
        (switches[0], switches[1] - 1, "B"),
        (switches[1], FAR, "A"),
    ]


def test_a_data_parallel_mlp_ties_exactly() -> None:
    # 6·b·h² flop against 2·word·h²·(p-1)/p bytes, in the batch; equal at b = 450.
    h = 4096
    flops = 6 * N * h**2 / "4.2e12"
    network = 2 * 4 * formula(h**2) * 7 / 8 / (7 * formula("4.2e12") / (6 * formula(450)))
    found = solved(network, flops)
    assert listed(found) == [(1, 449, "A"), (450, 450, "AB"), (451, FAR, "B")]
    (crossing,) = found.crossings
    assert crossing.kind == "tie" and crossing.enclosure == (450.0, 450.0)
    assert crossing.first_integer == 451


def test_a_touch() -> None:
    found = solved(N**2 + 10**6, 2000 * N)
    assert listed(found) == [(1, 999, "A"), (1000, 1000, "AB"), (1001, FAR, "A")]
    (crossing,) = found.crossings
    assert crossing.kind == "touch" and crossing.before == crossing.after == ("A",)
    assert crossing.enclosure == (1000.0, 1000.0) and crossing.first_integer == 1000


def test_a_long_tie() -> None:
    found = solved(largest(N**2, 1000 * N), 1000 * N)
    assert listed(found) == [(1, 1000, "AB"), (1001, FAR, "A")]
    (crossing,) = found.crossings
    assert (crossing.before, crossing.after) == (("A", "B"), ("A",))
    assert crossing.kind == "tie" and crossing.first_integer == 1001
    assert found.regimes[0].kind == "tie"


def test_equal_everywhere() -> None:
    found = solved(N * log2(N**2), 2 * N * log2(N), N)
    assert listed(found) == [(1, 1, "C"), (2, FAR, "AB")]


def test_a_jump() -> None:
    found = solved(when(N, ">", 1000, N, 2 * N), N + 500)
    kinds = [(each.kind, each.first_integer) for each in found.crossings]
    assert kinds == [("tie", 501), ("jump", 1001)]


def test_a_band() -> None:
    found = solved(7 * ceil(N / 7), formula("1.0003") * N + 1)
    first, band, last = found.regimes
    assert (first.labels, band.labels, last.labels) == (("A",), ("A", "B"), ("B",))
    assert band.kind == "band"
    (crossing,) = found.crossings
    assert crossing.kind == "band" and crossing.first_integer == last.first
    assert crossing.enclosure == (first.last, last.first)
    assert (crossing.before, crossing.after) == (("A",), ("B",))


def test_a_third_above_a_band() -> None:
    jagged, line = 7 * ceil(N / 7), formula("1.0003") * N + 1
    found = solved(jagged, line, formula(10_000))
    band = next(each for each in found.regimes if each.kind == "band")
    assert band.labels == ("A", "B") and 9990 < band.first <= 10_001
    assert found.regimes[0].labels == ("C",)
    assert found.regimes[-1].labels == ("B",)
    above = solved(jagged, line, 2 * N + 9)
    assert listed(above) == [(1, FAR, "C")]


def test_what_is_undecided_is_said() -> None:
    hidden = log2(1 + sqrt(formula(2))) + log2(sqrt(formula(2)) - 1)  # 0
    found = solved(N * hidden + 5, formula(5), formula(3), high=50)
    assert not found.complete and found.proven_up_to is None
    assert listed(found) == [(1, 50, "AB")] and found.regimes[0].kind == "undecided"
    # A third that is above both is the largest all the same.
    assert listed(solved(N * hidden + 5, formula(5), formula(7), high=50)) == [(1, 50, "C")]


def test_a_work_limit_says_how_far_the_proof_goes() -> None:
    roots = sqrt(N**2 + 1) + sqrt(N**2 + 2)
    found = crossovers(
        [("A", tree(roots)), ("B", tree(2 * N))], "N", 1, FAR, integer=True, budget=Budget(500)
    )
    assert not found.complete and found.proven_up_to == found.regimes[0].last
    assert found.regimes[-1].kind == "undecided" and not found.crossings


def test_a_real_unknown() -> None:
    found = solved(N**2, 2 * N, N + 10, low=0.5, high=1e9, integer=False)
    assert ["".join(each.labels) for each in found.regimes] == ["C", "A"]
    (crossing,) = found.crossings
    low, high = crossing.enclosure
    root = (1 + 41**0.5) / 2
    assert low <= root <= high and high - low < 1e-14
    assert crossing.first_integer is None and crossing.kind == "switch"
    assert found.regimes[0].last == low and found.regimes[1].first == high


def test_three_meet_at_one_point() -> None:
    found = solved(N**2, 10 * N, formula(100))
    assert listed(found) == [(1, 9, "C"), (10, 10, "ABC"), (11, FAR, "A")]
    real = solved(N**2, 10 * N, formula(100), low=1.0, high=1e6, integer=False)
    assert real.regimes[0].labels == ("C",) and real.regimes[-1].labels == ("A",)
    assert real.regimes[-1].first - real.regimes[0].last < 1e-12


def test_a_rate_as_the_unknown() -> None:
    # Work of SUMMA on Karst at N = 4096, P = 121, over the network's rate.
    flops = (2 * formula(4096) ** 3 + 2 * formula(4096) ** 2) / 121 / "22e9"
    network = 16 * formula(4096) ** 2 * log2(formula(11)) / 11 / N
    found = solved(flops, network, low=1e9, high=1e12, integer=False)
    assert ["".join(each.labels) for each in found.regimes] == ["B", "A"]
    assert found.crossings[0].enclosure[0] == pytest.approx(1.6337e9, rel=1e-3)


def test_one_time_alone_and_none() -> None:
    assert listed(solved(N)) == [(1, FAR, "A")]
    with pytest.raises(ValueError, match="nothing"):
        solved()
    with pytest.raises(ValueError, match="empty"):
        solved(N, low=2, high=1)


@given(st.lists(jumping, min_size=3, max_size=4))
def test_several_like_brute_force(formulas: list[Formula]) -> None:
    found = solved(*formulas, high=1000)
    points = np.arange(1, 1001)
    computed = [Computed(each.tree, {"N": points.astype(float)}) for each in formulas]
    doubtful = np.any([each.doubtful | each.undefined for each in computed], axis=0)
    values = np.array([each.value for each in computed])
    with np.errstate(invalid="ignore"):
        top = values.max(axis=0)
        best = values >= top - 1e-9 * abs(top)
    clear = (best.sum(axis=0) == 1) & ~doubtful
    expected_first = 1
    for regime in found.regimes:
        assert regime.first == expected_first
        expected_first = int(regime.last) + 1
        inside = slice(int(regime.first) - 1, int(regime.last))
        members = ["ABCDE".index(label) for label in regime.labels]
        assert best[members][:, inside].any(axis=0)[clear[inside]].all()
        if regime.kind == "tie":
            assert not clear[inside].any()
    assert expected_first == 1001
