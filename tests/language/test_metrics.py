"""What a model can work out of its results."""

from __future__ import annotations

import pytest

from roofdsl.analysis.metrics import metric_formulas
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.quantities import quantity
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.analysis.testing import run_tests
from roofdsl.answer.cells import Printed
from roofdsl.answer.result_cells import metric_cell
from roofdsl.answer.sweep import SweepPlan
from roofdsl.diagnostic import RoofError
from roofdsl.numeric.extended import extended
from tests.language.programs import checked, failures, holds, module

UNITS = "unit token\nunit euro\n"
BOX = "machine box { flops = 1 GFLOP/s; memory = 4 GB/s; capacity memory = 16 GB }"
SERVER = f"""{UNITS}
    model attention {{
        param s: integer
        flops = s*1e9; memory = 8 B*s
        metric per_second = s * 1 token / time
    }}
    model server {{
        param batch: integer = 4
        param P: processes = 2
        let context = 2*batch
        repeat 3 {{ step attention = attention(s = context) }}
        overlap {{ step small {{ flops = 1e9 }}; step large {{ memory = 8 GB }} }}
        step none {{ flops = 0 }}
        tally footprint: B = 4 GB
        total even
        BODY
    }}
    {BOX}
"""


def server(statement: str, expectation: str, machine: str = "box") -> str:
    test = f'test "t" {{ let r = server() on {machine}\n{expectation} }}'
    return SERVER.replace("BODY", statement) + test


@pytest.mark.parametrize(
    ("statement", "expectation"),
    [
        # 24 s of attention, then 2 s of what runs at once.
        ("metric tps: token/s = batch * 1 token / time", "expect r.tps == 4 token / 26 s"),
        ("metric x = flops/memory - OI", "expect r.x == 0 flop/B"),
        ("metric x = attainable*time/flops", "expect r.x == 1"),
        ("metric x = attention.time", "expect r.x == 8 s"),
        ("metric x = attention.count*attention.share", "expect r.x ~ 3*24/26 within 0.0001%"),
        ("metric x = small.share", "expect r.x == 0"),
        ("metric x = attention.per_second", "expect r.x == 1 token/s"),
        ("metric x = attention.s + context", "expect r.x == 16"),
        ("metric x = footprint/machine.capacity.memory", "expect r.x == 1/4"),
        ("metric x = machine.memory / machine.flops", "expect r.x == 4 B/flop"),
        ("metric x = total.flops", "expect r.x == 2*r.flops"),
        ("metric x = ridge.OI", "expect r.x == box.ridge.OI"),
        ("metric x = time.memory", "expect r.x ~ 2 s"),
        ("metric x = bound is flops", "expect r.x"),
        ("metric x = large.bound is memory and not (small.bound is memory)", "expect r.x"),
        ("metric x = small.time <= large.time", "expect r.x"),
        ("metric a = 2*b; metric b = time", "expect r.a == 52 s and r.b == 26 s"),
        ("metric x = if attention.count > 2 then time else 0 s", "expect r.x == 26 s"),
        ("metric x = sum(k*time for k in 1..3)", "expect r.x == 6*26 s"),
        ("metric x = max(time, 30 s)", "expect r.x == 30 s"),
        ("metric x: flop = 0", "expect r.x == 0 flop"),
        ("metric x = 1 cycle / none.time", "expect r.x is infinite"),
        ("metric x = none.flops/none.time", "expect r.x is undefined"),
        ("metric x = none.time > 0 s or bound is flops", "expect r.x"),
        ("metric x = CAI", "expect r.x is infinite"),
        ("metric x: euro = cost", 'expect r.x fails "box"'),
        ("metric x = 2*(machine.price * 1 s/1 euro)", ""),
    ],
)
def test_a_metric_follows_from_results(statement: str, expectation: str) -> None:
    if expectation:
        holds(server(statement, expectation))
    else:
        assert [x.code for x in checked(server(statement, "expect 1 == 1"))[1]] == ["R0312"]


def test_what_is_equal_is_no_matter_of_rounding() -> None:
    # Times that are equal, though floats make one of them larger.
    holds("""
        model m {
            overlap { step a { flops = 3 }; step b { memory = 0.3 B } }
            metric hidden = a.time <= b.time
            metric longer = a.time > b.time
            metric runs = floor(a.time / b.time)
        }
        machine box { flops = 10 flop/s; memory = 1 B/s }
        test "t" {
            let r = m() on box
            expect r.hidden and not r.longer and r.runs == 1
        }
    """)


def test_the_machine_of_a_step_is_its_device() -> None:
    holds("""
        model kernel { flops = 8; metric link = machine.flops; metric of = flops/machine.flops }
        model m { step a = kernel() on gpu; step b = kernel() on cpu
                  metric faster = b.time/a.time; metric link = a.link - b.link }
        machine gpu { flops = 4 flop/s; capacity memory = 2 B }
        machine cpu { flops = 1 flop/s }
        machine box { device gpu = gpu; device cpu = cpu }
        test "t" {
            let r = m() on box
            expect r.faster == 4 and r.link == 3 flop/s
            expect r.a.of == 2 s and r.b.of == 8 s
        }
    """)


def test_ones_own_name_wins_over_that_of_a_result() -> None:
    found, problems = checked("""
        model m { param energy = 3; param n = 2; tally count: B = 5 B; flops = n
                  metric x = energy*n; metric y = count }
        model w { repeat 2 { step s = m() }; metric x = s.count; metric y = s.energy }
        machine box { flops = 1 flop/s }
        test "t" {
            let r = m() on box
            expect r.energy == 3 and r.x == 6 and r.y == 5 B
            let s = w() on box
            expect s.x == 5 B and s.y == 3
        }
    """)
    assert [problem.code for problem in problems] == ["R0228"]
    assert all(outcome.passed for outcome in run_tests(found))


@pytest.mark.parametrize(
    ("statement", "code", "message"),
    [
        ("let x = time", "R0201", "'time' is known only after the work"),
        ("step more { flops = time/1 s }", "R0201", "'time' is known only after the work"),
        ("require attainable > 3", "R0201", "'attainable' is known only after the work"),
        ("let y = x; metric x = time", "R0224", "work cannot depend on the metric 'x'"),
        (
            "metric time = 3",
            "R0218",
            "'time' is a result of every prediction; a metric needs another name",
        ),
        (
            "metric bound = 3",
            "R0218",
            "'bound' is a result of every prediction; a metric needs another name",
        ),
        ("metric x = y; metric y = 2*x", "R0203", "'x' is defined by itself: x → y → x"),
        ("metric x: s = flops", "R0302", "'x' is given in flop, but it must be time (s)"),
        (
            "metric x: s = time > 3 s",
            "R0306",
            "`time > 3 s` is true or false, but a number is needed here",
        ),
        ("metric x = tim", "R0201", "'tim' is not defined"),
        (
            "metric x = atention.time",
            "R0201",
            "`atention.time` is no result of 'server' or of its steps",
        ),
        ("metric x = attention", "R0201", "'attention' is not defined"),
        (
            "metric x = attention.speed",
            "R0201",
            "`attention.speed` is no result of 'server' or of its steps",
        ),
        (
            "metric x = other.bound is flops",
            "R0201",
            "`other.bound` is no result of 'server' or of its steps",
        ),
        ("metric x = bound", "R0201", "a bound is or is not a resource"),
        ("metric x = batch is memory", "R0212", "`is memory` means nothing here"),
        ("metric x = 1; metric x = 2", "R0202", "'x' is defined twice"),
        ("metric batch = 1", "R0202", "'batch' is defined twice"),
        ("metric footprint = 1", "R0202", "'footprint' is a tally already"),
        ("metric x = cost", "R0312", "only the machine knows the unit of `cost`"),
        ("metric x = machine.cards", "R0312", "only the machine knows the unit of `machine.cards`"),
        ("metric x = time + flops", "R0301", "time (s) and flop cannot be added"),
    ],
)
def test_what_cannot_be_a_metric_is_said(statement: str, code: str, message: str) -> None:
    found = checked(server(statement, "expect 1 == 1"))[1]
    assert [(problem.code, problem.message) for problem in found] == [(code, message)]


def test_the_unit_of_a_machines_own_value_is_checked_for_each_machine() -> None:
    text = f"""{UNITS}
        model m {{ flops = 1; metric x: s = machine.wait; metric y = time }}
        machine one {{ param wait: s = 3 s; flops = 1 flop/s }}
        machine two {{ param wait: B = 3 B; flops = 1 flop/s }}
        test "t" {{
            expect (m() on one).x == 3 s
            expect (m() on two).y == 1 s
        }}
    """
    (problem,) = failures(text)
    assert problem.message == ("this cannot be evaluated: 'x' is in s, but on 'two' it is in B")


def test_what_the_machine_does_not_state_is_not_answered() -> None:
    holds("""
        model m { param n = 2; flops = n; metric x: s = machine.wait; metric y = 2*x
                  metric z = total.flops }
        machine box { flops = 1 flop/s }
        test "t" {
            let r = m() on box
            expect r.time == 2 s
            expect r.x fails "'box' states no wait"
            expect r.y fails "'box' states no wait"
            expect r.z fails "does not say what all its processes do"
        }
    """)


def test_a_time_that_a_machine_does_not_have_is_not_answered_in_formulas_either() -> None:
    found = module("""
        machine box { flops { matrix.fp64 = 4 flop/s; vector.fp64 = 2 flop/s }
                      concurrent flops.matrix, flops.vector }
        model m { param n: integer; flops { matrix[fp64] = n; vector[fp64] = n }
                  metric busy = time.flops }
    """)
    prediction, _ = predict(found.models["m"], found.machines["box"], {})
    reasons = {"busy": "'m' on 'box' has no time.flops"}
    assert metric_formulas(prediction) == ({}, reasons)
    assert SweepPlan(prediction).unanswered == reasons
    with pytest.raises(RoofError, match=r"has no memory\.L3"):
        quantity(prediction, "memory.L3")


def test_a_unit_of_flops_and_a_unit_of_ones_own() -> None:
    text = """
        unit token
        unit Mtoken = 1e6 token
        model m {
            flops.matrix[fp64] = 6
            flops.matrix[fp32] = 2
            flops.vector[fp64] = 4
            metric part = flops.matrix / flops
            metric each: s/Mtoken = time / 4 token
        }
        machine box {
            flops {
                matrix.fp64 = 2 flop/s; matrix.fp32 = 1 flop/s; vector.fp64 = 1 flop/s
                default matrix.fp64
            }
        }
        test "t" {
            let r = m() on box
            expect r.flops.matrix == 8 flop and r.part == 2/3
            expect r.each == 2.25e6 s/Mtoken
        }
    """
    holds(text)
    found = module(text)
    prediction, _ = predict(found.models["m"], found.machines["box"], {})
    result = evaluated(prediction)
    cell = metric_cell(result, "each")
    assert isinstance(cell, Printed) and cell.text == "2250000 s/Mtoken"
    (formula,) = [tree for name, tree in metric_formulas(prediction)[0].items() if name == "part"]
    assert extended(formula, prediction.rate_values) == pytest.approx(2 / 3)


def test_a_metric_has_elasticities() -> None:
    found = module("""
        model m { param n: real = 10; step a { flops = n }; step b { flops = n^2 }
                  metric each = n / time }
        machine box { flops = 4 flop/s }
    """)
    told = sensitivity(found.models["m"], found.machines["box"], {}, of="each")
    # 4 / (1 + n) a second.
    values = {item.name: item.value for item in told.elasticities}
    assert values == pytest.approx({"n": -10 / 11, "box.flops": 1})
