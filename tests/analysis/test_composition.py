"""The law of composition: max ≤ as written ≤ sum, and formulas that agree with the numbers."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofdsl as rd
from roofdsl.analysis.algebras import Floats, Formulas
from roofdsl.analysis.composition import Composed, Composing, composed
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import Node, stated_in
from roofdsl.expression.tree import ONE, Number, Symbol
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.types import Work
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source, Span

PLACE = Span(Source("test", "x"), 0, 1)
RATES = {f"m.{name}": rate for name, rate in (("flops", 3.0), ("memory", 2.0), ("network", 1.0))}


def load(resource: str, amount: int) -> Load:
    known = BUILT_IN[resource]
    value = Number(Fraction(amount))
    stated = Work(resource, known, value, None, None, False, "", PLACE)
    return Load(resource, known, value, Symbol(f"m.{resource}"), stated)


kernels = st.builds(
    lambda amounts, stated: Node(
        "kernel",
        "kernel",
        PLACE,
        tuple(load(name, amount) for name, amount in amounts.items()),
        None if stated is None else Number(Fraction(stated)),
    ),
    st.dictionaries(
        st.sampled_from(["flops", "memory", "network"]), st.integers(0, 50), max_size=3
    ),
    st.none() | st.integers(0, 30),
)
trees = st.recursive(
    kernels,
    lambda children: st.builds(
        lambda arrangement, parts, times: Node(
            arrangement, arrangement, PLACE, children=tuple(parts), count=Number(Fraction(times))
        ),
        st.sampled_from(["sequence", "overlap"]),
        st.lists(children, min_size=1, max_size=4),
        st.integers(0, 5),
    ),
    max_leaves=12,
)


def measure(tree: Node, composing: Composing = "written") -> Composed[float]:
    amounts = {item.amount: evaluate(item.amount, {}) for item in stated_in(tree)}
    return composed(tree, Floats({ONE: 1.0, **amounts}, RATES), composing)


def times_of(tree: Node) -> tuple[float, float, float]:
    return measure(tree, "max").time, measure(tree).time, measure(tree, "sum").time


@given(trees)
def test_max_is_at_most_as_written_is_at_most_sum(tree: Node) -> None:
    least, written, most = times_of(tree)
    assert least <= written * (1 + 1e-12)
    assert written <= most * (1 + 1e-12)


@given(trees)
def test_the_time_formula_has_the_measured_value(tree: Node) -> None:
    measured = measure(tree)
    formulas = composed(tree, Formulas())
    assert evaluate(formulas.time, RATES) == pytest.approx(measured.time, rel=1e-12)
    for name, formula in formulas.busy.items():
        assert evaluate(formula, RATES) == pytest.approx(measured.busy[name], rel=1e-12)


@given(trees)
def test_charged_time_is_all_the_time(tree: Node) -> None:
    def check(measured: Composed[float]) -> None:
        assert sum(measured.charged.values()) == pytest.approx(measured.time, rel=1e-12)
        for child in measured.children:
            check(child)

    check(measure(tree))


def program(tmp_path: Path, text: str) -> rd.Prediction:
    path = tmp_path / "program.roof"
    path.write_text(text, encoding="utf-8")
    return rd.load_model(f"{path}:program").on(rd.load_machine(f"{path}:box"))


STREAM = "model stream { param n: integer; memory = 24 B * n }\n"


def test_two_overlapped_copies_do_not_exceed_the_roof(tmp_path: Path) -> None:
    text = STREAM + (
        "model program { param n: integer; overlap { step a = stream(n); step b = stream(n) } }"
        "machine box { memory = 12 GB/s }"
    )
    result = program(tmp_path, text).evaluate(n=10**9)
    assert result.time == pytest.approx(2 * 24e9 / 12e9)
    assert result.bound == "memory"


def test_devices_run_side_by_side_and_share_what_is_the_machines(tmp_path: Path) -> None:
    text = STREAM + (
        "model program { param n: integer\n"
        "  overlap { step a { memory = 24 B*n; network = 3 B*n }\n"
        "            step b on gpu { memory = 240 B*n; network = 3 B*n } } }\n"
        "machine card { memory = 120 GB/s }\n"
        "machine box { memory = 12 GB/s; network = 1 GB/s; device gpu = card }"
    )
    result = program(tmp_path, text).evaluate(n=10**9)
    # Each takes 2 s of its own memory and 3 s of the one network, which both use: 6 s.
    assert result.time == pytest.approx(6.0)
    assert result.bound == "network"
    assert result.times == pytest.approx({"memory": 2.0, "network": 6.0, "gpu.memory": 2.0})


def test_a_step_in_place_may_hold_parts(tmp_path: Path) -> None:
    text = (
        "model program { param n: integer\n"
        "  repeat 2 { step exchange { let half = n/2; tally kept: B = 8 B*half\n"
        "    overlap { step up { network = 3 B*n }; step work { flops = 8*half } }\n"
        "    iterate 5 { step down { memory = 2 B*half } } } }\n"
        "  step last { memory = 7 B*n } }\n"
        "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }"
    )
    result = program(tmp_path, text).evaluate(n=10)
    # Twice: the longer of 30 s and 40 s, then five times 10 s; and 70 s.
    assert result.time == 2 * (40 + 50) + 70
    exchange = result.steps["exchange"]
    assert exchange.time == 90 and exchange.steps["work"].time == 40
    assert result.tallies["kept"] == 2 * 40
    assert result.shares == {"flops": 80 / 250, "memory": 170 / 250}


def test_repeat_is_one_node_and_multiplies(tmp_path: Path) -> None:
    text = STREAM + (
        "model program { param n: integer; repeat 1000000000 { step a = stream(n) } }"
        "machine box { memory = 12 GB/s }"
    )
    result = program(tmp_path, text).evaluate(n=5)
    assert result.time == pytest.approx(1e9 * 120 / 12e9)
    assert len(result.breakdown.children) == 1
