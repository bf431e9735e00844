"""A table with open arguments is a formula: the same numbers as at points, with proofs over ranges.

Expected values come from points, each looked up by itself, at every whole number.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.analysis.asymptotic import asymptotics
from roofdsl.analysis.formulas import PredictionFormulas
from roofdsl.analysis.interpolation import Key, between
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.sensitivity import Elasticity
from roofdsl.analysis.table_formula import MOST_PIECES, table_formula
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.sweep import SweepPlan
from roofdsl.diagnostic import RoofError
from roofdsl.embedding.shown import ShownCrossovers, ShownThresholds
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.library import load_module
from roofdsl.model.varying import MeasuredTable
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source, Span
from roofdsl.typeset.text import text
from tests.counts import inputs

NOWHERE = Span(Source("m.roof", ""), 0, 0)
NAMES = ("m", "n", "k")
MODEL = """
model vector { param N: integer; flops = 2*N; memory.L2 = 8 B * N }
model product {
    param m: integer
    param n: integer = 8
    as gemm(m = m, n = n)
    flops  = 2*m*n
    memory = 80 B * m^1.5
}
model square { param N: integer; as gemm(m = N, n = N); flops = 2*N^2; memory = 400 B * N }
model idle { param N: integer; flops = 2*N; memory.L2 = 8 B * max(0, N - 40) }
machine exact { flops = 1 GFLOP/s; memory = 1 GB/s; measured gemm(m, n) from "gemm.csv" }
machine between {
    flops     = 1 GFLOP/s
    memory    = 1 GB/s
    memory.L2 = 1 GB/s
    measured gemm(m, n) from "gemm.csv" interpolate
    measured memory.L2(w) from "l2.csv" interpolate
}
"""
PRODUCTS = "m,n,time [us]\n10,8,3\n60,8,50\n200,8,340\n10,80,31\n60,80,390\n200,80,4100\n40,9,7\n"
CACHE = "w [B],rate [GB/s]\n80,5\n800,4\n1600,2.5\n3200,3\n"


def table(values: dict[Key, Fraction], *, interpolate: bool = True) -> MeasuredTable:
    names = NAMES[: len(next(iter(values)))]
    return MeasuredTable("t", names, values, interpolate, "t.csv", NOWHERE)


def value_at(entries: MeasuredTable, key: Key) -> Fraction | None:
    """Return what a point is given, None where nothing was measured."""
    if key in entries.values:
        return entries.values[key]
    found = between(entries.values, key) if entries.interpolate else None
    return None if found is None else found.value


def random_table(dice: random.Random) -> MeasuredTable:
    """Return a table of one to three arguments: a full grid, or one with holes, or scattered."""
    count = dice.choice((1, 1, 2, 2, 3))
    sides = [sorted(dice.sample(range(1, 30), dice.randint(2, 6 - count))) for _ in range(count)]
    keys = [*product(*sides)]
    kept = dice.sample(keys, max(1, round(len(keys) * dice.choice((1, 1, 0.7, 0.3)))))
    values = {tuple(map(Fraction, key)): Fraction(dice.randint(1, 999), 7) for key in kept}
    return table(values, interpolate=dice.random() < 0.8)


@pytest.mark.parametrize("seed", range(inputs(20, 1000)))
def test_a_formula_gives_what_a_point_gives(seed: int) -> None:
    """Each argument is open, a number, the same as another, or twice what is open."""
    dice = random.Random(seed)
    entries = random_table(dice)
    symbols = [Symbol(name) for name in NAMES]
    arguments: list[Expression] = []
    for place in range(len(entries.parameters)):
        known = number(dice.choice([*entries.values])[place])
        own = symbols[place]
        arguments.append(dice.choice((own, own, symbols[0], known, multiply(number(2), own))))
    found = table_formula(entries, arguments)
    assert found is not None
    measured = sorted({value for key in entries.values for value in key})
    near = {*measured, *(x + 1 for x in measured), *(x / 2 for x in measured), Fraction(1, 3)}
    for _ in range(60):
        given = {name: float(dice.choice([*near])) for name in NAMES}
        key = tuple(Fraction(evaluate(tree, given)) for tree in arguments)
        wanted = value_at(entries, key)
        holds = all(evaluate(each, given) for each in found.conditions)
        assert holds == (wanted is not None), (key, [*map(text, found.conditions)])
        if wanted is not None:
            assert evaluate(found.value, given) == pytest.approx(float(wanted), rel=1e-12)


def test_one_argument_is_a_power_law_in_each_piece() -> None:
    entries = table({(Fraction(10),): Fraction(3), (Fraction(40),): Fraction(12)})
    found = table_formula(entries, [Symbol("m")])
    assert found is not None
    assert text(found.value) == "3*(m/10)"
    assert [*map(text, found.conditions)] == ["m >= 10", "m <= 40"]


def test_too_many_pieces_are_no_formula() -> None:
    values: dict[Key, Fraction] = {(Fraction(m + 1),): Fraction(1) for m in range(MOST_PIECES)}
    assert table_formula(table(values), [Symbol("m")]) is None


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    (folder / "gemm.csv").write_text(PRODUCTS, encoding="utf-8")
    (folder / "l2.csv").write_text(CACHE, encoding="utf-8")
    (folder / "t.roof").write_text(MODEL, encoding="utf-8")
    return folder / "t.roof"


def on(file: Path, model: str, machine: str) -> rd.Prediction:
    return rd.load_model(f"{file}:{model}").on(rd.load_machine(f"{file}:{machine}"))


def open_one(file: Path, model: str, machine: str, name: str) -> Prediction:
    module = load_module(file)
    found, problems = predict(module.models[model], module.machines[machine], {}, frozenset({name}))
    assert not problems
    return found


def crossovers(prediction: rd.Prediction, name: str, given: dict[str, int]) -> ShownCrossovers:
    found = prediction.crossovers(name, **given)  # type: ignore[arg-type]  # no word is an option
    assert isinstance(found, ShownCrossovers)
    return found


CASES = [
    ("vector", "between", "N", {}, 450),
    ("idle", "between", "N", {}, 500),
    ("product", "between", "m", {"n": 8}, 220),
    ("product", "between", "m", {"n": 20}, 220),
    ("product", "exact", "m", {"n": 8}, 220),
    ("square", "between", "N", {}, 100),
]


@pytest.mark.parametrize(("model", "machine", "name", "given", "top"), CASES)
def test_what_is_proven_of_a_range_holds_at_each_number(
    file: Path, model: str, machine: str, name: str, given: dict[str, int], top: int
) -> None:
    assert wrong(on(file, model, machine), name, given, top) == []


def wrong(prediction: rd.Prediction, name: str, given: dict[str, int], top: int) -> list[int]:
    """Return the whole numbers up to `top` at which a point contradicts what a range was told."""
    known, refusals = {}, set()
    for value in range(1, top):
        try:
            known[value] = prediction.evaluate(**given, **{name: value})
        except RoofError as error:
            refusals.add(error.diagnostics[0].code)
    assert refusals <= {"R0507"}
    try:
        found = crossovers(prediction, name, given)
    except RoofError as error:  # of a bound that does not depend on the name nothing is told
        return [] if error.diagnostics[0].code == "R0704" else [*known]
    assert found.complete
    told = {
        value: regime
        for regime in found.regimes
        for value in range(int(regime.first), min(int(regime.last), top) + 1)
    }
    return [
        value
        for value, result in known.items()
        if result.bound not in told[value].labels
        or (told[value].kind == "largest" and told[value].labels != (result.bound,))
    ]


@pytest.mark.parametrize("seed", range(inputs(4, 300)))
def test_proofs_over_random_tables_hold(seed: int, tmp_path: Path) -> None:
    """Arguments follow from the unknown as they like; some are the same, some are numbers."""
    dice = random.Random(seed)
    sides = [sorted(dice.sample(range(1, 120), dice.randint(1, 5))) for _ in range(2)]
    keys = [*product(*sides)]
    kept = dice.sample(keys, max(1, round(len(keys) * dice.choice((1, 1, 0.7, 0.4)))))
    rows = [f"{m},{n},{(m * n) ** dice.uniform(0.2, 1.1) / 50 + 0.01:.4g}" for m, n in kept]
    (tmp_path / "t.csv").write_text("\n".join(["m,n,time [us]", *rows]), encoding="utf-8")
    first = dice.choice(("N", "2*N", "N^2", "N + 3", "ceil(N/3)", "if N > 50 then N else 3*N"))
    second = dice.choice(("N", "150 - N", "3*N", *map(str, sides[1])))
    memory = dice.choice(("N", "N^1.5", "100", "N^2/20"))
    path = tmp_path / "t.roof"
    path.write_text(
        f"model t {{ param N: integer[1..149]; as op(m = {first}, n = {second})\n"
        f"flops = N; memory = 1 B*{dice.randint(1, 900)}*{memory} }}\n"
        "machine box { flops = 1 GFLOP/s; memory = 1 GB/s\n"
        f'measured op(m, n) from "t.csv" {dice.choice(("interpolate", ""))} }}',
        encoding="utf-8",
    )
    assert wrong(on(path, "t", "box"), "N", {}, 150) == []


def test_idle_work_is_not_looked_up(file: Path) -> None:
    """Up to N = 40 there is none; then there is from 80 B on, N = 50."""
    prediction = on(file, "idle", "between")
    found = crossovers(prediction, "N", {})
    assert (found.regimes[0].first, found.regimes[-1].last) == (1, 440)
    assert prediction.evaluate(N=40).time == 80e-9
    with pytest.raises(RoofError, match="has not measured"):
        prediction.evaluate(N=49)


def test_a_sweep_reads_the_formula_and_refuses_what_a_point_refuses(file: Path) -> None:
    prediction = on(file, "vector", "between")
    counts = [10, 11, 57, 100, 101, 200, 399, 400]
    swept = prediction.sweep(N=counts)
    for count, time, bound in zip(counts, swept.time, swept.bound, strict=True):
        alone = prediction.evaluate(N=count)
        assert (time, bound) == (pytest.approx(alone.time, rel=1e-12), alone.bound)
    with pytest.raises(RoofError, match=r"has not measured memory.L2\(w = 3208 B\)"):
        prediction.sweep(N=[400, 401])
    opened = open_one(file, "vector", "between", "N")
    assert not SweepPlan(opened).by_points


def test_a_condition_reads_it(file: Path) -> None:
    prediction = on(file, "vector", "between")
    found = prediction.where("time.memory.L2 <= 0.1 us", "N")
    assert isinstance(found, ShownThresholds)
    (interval,) = found.intervals
    holding = [n for n in range(10, 401) if prediction.evaluate(N=n).times["memory.L2"] <= 1e-7]
    assert (interval.first, interval.last) == (holding[0], holding[-1])
    assert holding == [*range(holding[0], holding[-1] + 1)]


def test_beyond_the_last_measurement_nothing_is_said(file: Path) -> None:
    prediction = open_one(file, "vector", "between", "N")
    found = asymptotics(prediction, unknown_named("N", prediction.model, prediction.machine))
    assert (found.bound, found.time) == (None, None)
    assert not any(found.times.values())
    derived = PredictionFormulas(prediction.opened(), prediction)
    assert derived.eventual_bound is None
    assert [each.leading for each in (*derived.times, derived.time)] == [None, None, None]


def test_elasticities_are_those_of_the_piece_and_none_beyond_the_table(file: Path) -> None:
    """The time of L2 at N in 100 .. 200 goes with N^(1 - p), p = lg(2.5/4) / lg 2."""
    prediction = on(file, "vector", "between")

    def at(count: int) -> Elasticity:
        return prediction.sensitivity(N=count).elasticities[0]

    inside, joint, end = at(150), at(200), at(400)
    assert inside.name == "N"
    assert inside.value == pytest.approx(1 - math.log2(2.5 / 4), rel=1e-12)
    assert joint.below == pytest.approx(inside.value, rel=1e-9)
    assert joint.above == pytest.approx(1 - math.log2(3 / 2.5), rel=1e-9)
    assert end.below == pytest.approx(joint.above)
    assert end.above is None
    found = on(file, "product", "exact").sensitivity(m=60).elasticities
    (alone,) = [each for each in found if each.name == "m"]
    assert (alone.value, alone.reason) == (None, "no formula")
