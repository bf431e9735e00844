"""Rates that depend on the work and start-ups: what is proven of them is so at every number."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.faster import find_faster
from roofdsl.analysis.interpolation import between, left_out
from roofdsl.analysis.machine_ridge import machine_ridge
from roofdsl.analysis.over_rates import find_over_rates
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.rate_box import rate_box
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text
from roofdsl.source import Source

TOP = 400
SIZED = """
machine box {
    flops(w) = 8 flop/s * w/(w + 90 flop)
    memory(w) = if w < 300 B then 20 B/s else 30 B/s * w/(w + 100 B)
    network(w, messages) = 4 B/s * w/(w + messages*9 B/1 message)
    messages = 0.25 s/message
    startup = 7 s
    startup network = 3 s
}
machine plain { flops = 5 flop/s; memory = 11 B/s; network = 2 B/s; messages = 1 s/message }
"""
MODELS = {
    "kernel": "flops = N*floor(N/7); memory = 20 B*N; network = 1 B*(N - 1); messages = 2",
    "steps": """
        step a { flops = 30*N; memory = 8 B*N }
        overlap { step b { memory = 2 B*N^2/9 }; step c { network = 3 B*N; messages = 1 } }
        step d { flops = max(N - 200, 0) }
    """,
}


def predicted(model: str, machine: str = "box") -> Prediction:
    text = f"model main {{ param N: integer; {MODELS[model]} }}\n{SIZED}"
    module, problems = check_text(Source("program.roof", text))
    assert not problems
    found, wrong = predict(module.models["main"], module.machines[machine], {}, frozenset({"N"}))
    assert not wrong
    return found


def result_at(prediction: Prediction, n: int) -> Result:
    found, _ = predict(prediction.model, prediction.machine, {"N": (Number(Fraction(n)), None)})
    return evaluated(found)


@pytest.mark.parametrize("model", MODELS)
def test_what_binds_over_a_range_binds_at_each_number(model: str) -> None:
    prediction = predicted(model)
    unknown = unknown_named("N", prediction.model, prediction.machine)
    found = find_crossovers(prediction, unknown, 1, TOP)
    assert found.proof_of_whole.complete
    bounds = {n: result_at(prediction, n).bound for n in range(1, TOP + 1)}
    assert len({*bounds.values()}) > 1
    for regime in found.regimes:
        for n in range(int(regime.first), int(regime.last) + 1):
            assert bounds[n] in regime.labels, f"{model} at {n}"


@pytest.mark.parametrize("model", MODELS)
def test_the_faster_machine_is_so_at_each_number(model: str) -> None:
    both = [(name, predicted(model, name)) for name in ("box", "plain")]
    unknown = unknown_named("N", both[0][1].model, both[0][1].machine)
    found = find_faster(both, unknown, 1, TOP)
    for regime in found.regimes:
        assert regime.certain
        for n in range(int(regime.first), int(regime.last) + 1):
            times = {name: result_at(prediction, n).time for name, prediction in both}
            assert times[regime.labels[0]] == min(times.values()), f"{model} at {n}"


def test_what_binds_on_all_machines_near_binds_on_their_corners() -> None:
    prediction = predicted("kernel")
    unknown = unknown_named("N", prediction.model, prediction.machine)
    box = rate_box("±20%", prediction)
    found = find_over_rates(prediction, unknown, 1, TOP, box)
    sure = [regime for regime in found.regimes if regime.verdict == "all" and regime.bounds]
    assert sure
    corners = [*product((Fraction(4, 5), Fraction(6, 5)), repeat=len(prediction.rates))]
    for regime in sure:
        for n in {int(regime.first), int(regime.last), (int(regime.first) + int(regime.last)) // 2}:
            at, _ = predict(
                prediction.model, prediction.machine, {"N": (Number(Fraction(n)), None)}
            )
            for corner in corners:
                there = box.at(at, dict(zip(prediction.rates, corner, strict=True)))
                assert evaluated(there).bound == regime.bounds[0]


def test_a_margin_holds_up_to_its_tolerance() -> None:
    for n in (3, 40, 300):
        found = result_at(predicted("kernel"), n)
        margin = found.margin
        assert margin is not None and found.rivalry is not None
        near = Fraction(margin.tolerance * 0.999) if margin.tolerance < 1 else Fraction(9, 10)
        prediction = found.rivalry.prediction
        box = rate_box(float(near), prediction)
        for corner in product((1 - near, 1 + near), repeat=len(prediction.rates)):
            there = box.at(prediction, dict(zip(prediction.rates, corner, strict=True)))
            assert evaluated(there).bound == found.bound


def test_the_ridge_is_that_of_large_work_and_missing_without_a_limit() -> None:
    text = """
    machine sized { flops(w) = 8 flop/s * w/(w + 90 flop); memory(w) = 2 B/s * (1 - exp(-w/1 B)) }
    machine grows { flops = 8 flop/s; memory(w) = 2 B/s * w/1 B }
    machine falls { flops(w) = 8 flop/s / (1 + w/1 flop); memory = 1 B/s }
    machine sent { flops = 8 flop/s; network(w, messages) = 1 B/s/(1 + messages/1 message) }
    """
    module, _ = check_text(Source("machines.roof", text))
    assert machine_ridge(module.machines["sized"]).OI == 4
    assert machine_ridge(module.machines["grows"]).OI is None
    assert machine_ridge(module.machines["falls"]).OI is None
    assert machine_ridge(module.machines["sent"]).CAI is None


def test_without_a_limit_the_time_is_that_of_the_rate(tmp_path: Path) -> None:
    path = tmp_path / "grows.roof"
    path.write_text(
        """
        machine grows { flops(w) = 8 flop/s * w/4 flop; memory = 1 B/s }
        model main { param N: integer; flops = N; memory = 0.1 B*N }
        """,
        encoding="utf-8",
    )
    found = rd.load_model(f"{path}:main").on(rd.load_machine(f"{path}:grows")).evaluate(N=2)
    assert (found.times["flops"], found.peak) == (0.5, None)
    assert "flops" not in found.rates


def test_no_work_takes_no_time_and_its_rate_is_not_read() -> None:
    text = """
    machine box { flops(w) = 1 flop/s * w/(w - 1 flop); memory = 1 B/s; startup = 2 s }
    model none { param N: integer[0..] = 0; flops = N; memory = 1 B*N }
    """
    module, _ = check_text(Source("program.roof", text))
    prediction, _ = predict(module.models["none"], module.machines["box"], {})
    assert evaluated(prediction).time == 0


def test_between_the_corners_of_a_grid_a_product_of_powers_comes_back() -> None:
    grid: dict[tuple[Fraction, ...], Fraction] = {
        (Fraction(a), Fraction(b), Fraction(c)): Fraction(3 * a**2 * b * c**3)
        for a, b, c in product((1, 2, 8), (3, 9), (1, 5, 20))
    }
    asked = (Fraction(3), Fraction(5), Fraction(7))
    found = between(grid, asked)
    assert found is not None
    assert float(found.value) == pytest.approx(3 * 9 * 5 * 343, rel=1e-12)
    assert [[*map(int, ends)] for ends in found.cell] == [[2, 8], [3, 9], [5, 20]]
    outsides: tuple[tuple[float, ...], ...] = ((9, 5, 7), (3, 10, 7), (3, 5, 0.5))
    for outside in outsides:
        assert between(grid, tuple(map(Fraction, outside))) is None
    checked = left_out(grid)
    assert checked.tried == len(grid)
    assert checked.between > 0
    assert checked.most == pytest.approx(0, abs=1e-12)


def test_a_cell_without_a_corner_gives_way_to_a_larger_one() -> None:
    values: dict[tuple[Fraction, ...], Fraction] = {
        (Fraction(a), Fraction(b)): Fraction(a * b) for a, b in product((1, 2, 4, 8), (1, 2, 4, 8))
    }
    del values[Fraction(2), Fraction(4)]
    found = between(values, (Fraction(3), Fraction(3)))
    assert found is not None
    assert [[*map(int, ends)] for ends in found.cell] in ([[2, 4], [2, 8]], [[1, 4], [2, 4]])
    assert float(found.value) == pytest.approx(9)


def test_what_is_left_out_is_off_by_as_much_as_it_says() -> None:
    measured = ((1, 1), (2, 4), (4, 4))
    values: dict[tuple[Fraction, ...], Fraction] = {
        (Fraction(x),): Fraction(y) for x, y in measured
    }
    checked = left_out(values)
    assert (checked.tried, checked.between) == (3, 1)
    assert checked.most == checked.median == pytest.approx(0.5)
