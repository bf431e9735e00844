"""The work of all processes: stated, even, or that of steps of as many processes; else unknown."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

import roofdsl as rd
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.totals import totals
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.point import result_values
from roofdsl.typeset.text import text
from tests.language.programs import machine, model

BOX = """
machine box { flops = 1 GFLOP/s; memory = 1 GB/s; network = 1 GB/s; messages = 1 s/message }
model ring {
    param ranks: processes
    network = 8 B * (ranks - 1)/ranks
    messages = ranks - 1
    total even
}
model rows {
    param N: integer = 100
    param P: processes
    flops = 2*N * ceil(N/P)
    memory = 8 B * N * ceil(N/P)
    total flops = 2*N^2
}
model alone { param N: integer = 10; flops = N; memory = 8 B*N }
model quiet { param P: processes; flops = 12/P; network = 8 B }
model parted { param ranks: processes; step a { flops = 3 }; step b { memory = 8 B } }
"""


def answer(program: str, **values: int) -> rd.Result:
    text = f"{BOX}\n{program}"
    return model(text).on(machine(text)).evaluate(**values)


def steps(parts: str, **values: int) -> Mapping[str, float]:
    return answer(f"model m {{ param P: processes; {parts} }}", P=4, **values).totals


def test_a_model_states_what_all_do() -> None:
    found = answer("model m { param P: processes; flops = ceil(9/P); total flops = 9 }", P=4)
    assert (found.flops, found.processes, found.totals) == (3, 4, {"flops": 9})
    assert found.total_attainable == 9 / found.time


def test_even_work_is_that_of_one_process_times_their_number() -> None:
    work = "flops = 3; memory { L1 = 5 B; DRAM = 4 B }; network { a = 1 B; b = 2 B }"
    node = "flops = 1 GFLOP/s; memory = 1 GB/s; network { a = 1 GB/s; b = 1 GB/s }"
    rates = f"machine box {{ {node.replace('memory =', 'memory.DRAM =')} }}"
    program = f"{rates}\nmodel m {{ param P: processes; {work}; total even }}"
    found = model(program).on(machine(program)).evaluate(P=4)
    assert found.totals == {"flops": 12, "memory": 16, "network": 12}


def test_what_is_not_stated_is_not_known() -> None:
    work = "flops = 3; memory = 8 B; total memory = 9 B"
    found = answer(f"model m {{ param P: processes; {work} }}", P=4)
    assert found.totals == {"memory": 9}
    assert found.total_attainable is None


def test_a_model_that_counts_no_processes_has_no_totals() -> None:
    found = answer("model m { flops = 3; memory = 8 B }")
    assert (found.processes, found.totals, found.total_attainable) == (1, {}, None)


def test_two_counts_of_processes_are_a_grid() -> None:
    found = answer(
        "model m { param R: processes; param C: processes; flops = 3; total even }", R=4, C=5
    )
    assert (found.processes, found.totals) == (20, {"flops": 60})


@pytest.mark.parametrize(
    ("parts", "totals"),
    [
        ("step a = rows(P = P)", {"flops": 20_000}),  # of memory it says nothing
        ("step a = rows(P = P); step b = rows(P = P)", {"flops": 40_000}),
        ("repeat 3 { step a = rows(P = P); overlap { step b = rows(P = P) } }", {"flops": 120_000}),
        ("repeat 0 { step a = rows(P = P) }", {"flops": 0}),
        ("step a = ring(ranks = P)", {"network": 24, "messages": 12}),
        ("step a = rows(P = P); step b = ring(ranks = P)",
         {"flops": 20_000, "network": 24, "messages": 12}),
        ("step a { flops = 3; total even }", {"flops": 12}),
        ("step a { flops = 3; total flops = P + 1 }", {"flops": 5}),
        # A step that says nothing, or is not one of as many processes.
        ("step a = alone()", {}),
        ("step a = rows(P = P); step b = alone()", {}),
        ("step a = rows(P = P); step b { flops = 1 }", {}),
        ("step a = quiet(P = P); step b = ring(ranks = P)", {"messages": 12}),
        ("step a = rows(P = P/2)", {}),
        ("step a = ring(ranks = 4)", {"network": 24, "messages": 12}),
        ("step a = ring(ranks = 2)", {}),
        ("step a = ring(ranks = 1)", {"network": 0, "messages": 0}),
        ("step a = parted(ranks = 2)", {}),
        ("step a = parted(ranks = 2); step b = ring(ranks = P)", {"network": 24, "messages": 12}),
        # A step without work on a resource needs to say nothing of it.
        ("step a = rows(P = P); step b { memory = 8 B }", {"flops": 20_000}),
        ("step a = rows(P = P); step b { flops = 0 }", {"flops": 20_000}),
        # The composition's own word goes before that of its steps.
        ("step a = alone(); total even", {"flops": 40, "memory": 320}),
        ("step a = rows(P = P); total even", {"flops": 20_000, "memory": 80_000}),
        ("step a = rows(P = P); total flops = 12_345", {"flops": 12_345}),
        ("step a = ring(ranks = 2); total even", {"network": 16, "messages": 4}),
    ],
)  # fmt: skip
def test_totals_of_steps(parts: str, totals: dict[str, float]) -> None:
    assert steps(parts) == totals


def test_steps_of_steps_pass_the_processes_on() -> None:
    inner = "model inner { param p: processes; step a = rows(P = p); step b = ring(ranks = p) }"
    around = "model around { param p: integer; step a = rows(P = p) }"  # counts none itself
    for call in ("step x = inner(p = P)", "step x = around(p = P)"):
        program = f"{inner}\n{around}\nmodel m {{ param P: processes; {call} }}"
        assert answer(program, P=4).totals["flops"] == 20_000
    assert (
        answer(f"{inner}\nmodel m {{ param P: integer; step x = inner(p = P) }}", P=4).totals == {}
    )


def asked(parts: str) -> ModelOnMachine:
    program = f"{BOX}\nmodel m {{ param P: processes; {parts} }}"
    return ModelOnMachine(model(program).definition, machine(program).definition)


def test_ways_to_compose_change_times_and_no_totals() -> None:
    prediction = asked("step a = rows(P = P); step b = ring(ranks = P)").bound({"P": 4})
    ways: tuple[Composing, ...] = ("written", "max", "sum")
    found = [evaluated(prediction, way) for way in ways]
    assert len({result.time for result in found}) > 1
    assert [result.totals["flops"] for result in found] == [20_000] * 3


def test_totals_as_formulas() -> None:
    parts = "step a = rows(N = N, P = P); step b = ring(ranks = P)"
    found = asked(f"param N: integer; {parts}").bound({}, free=("N", "P"))
    formulas = totals(found.root, found.formulas, Formulas())
    assert {name: text(tree) for name, tree in formulas.work.items()} == {
        "flops": "2*N^2",
        "network": "P*(8*(P - 1)/P)",
        "messages": "P*(P - 1)",
    }
    assert [text(claim.work) for claim in formulas.claims] == ["2*N*ceil(N/P)"]


def test_who_does_nothing_alone_does_nothing_in_all() -> None:
    parts = "flops = 3; network = 8 B*(P - 1); total network = 8 B*P*(P - 1)"
    program = f"model m {{ param P: processes; {parts} }}"
    assert answer(program, P=1).totals == {"network": 0}
    assert answer(program, P=3).totals == {"network": 48}


@pytest.mark.parametrize("total", ["4*3", "3", "4*3 - 8", "12*(1 + 1e-15)"])
def test_a_total_lies_between_the_busiest_and_all_as_busy(total: str) -> None:
    assert steps(f"flops = 3; total flops = {total}")


@pytest.mark.parametrize(
    ("total", "message"),
    [
        ("13", "total flops is 13 flop, more than 4 × 3 flop = 12 flop"),
        ("2", "total flops is 2 flop, less than the 3 flop of the busiest process"),
        # As many digits as are easily read, or as tell the two apart.
        ("13.123456", "total flops is 13.12 flop, more than 4 × 3 flop = 12 flop"),
        ("12.0000012345678", "total flops is 12.0000012346 flop, more than 4 × 3 flop = 12 flop"),
    ],
)
def test_a_total_that_cannot_be_is_an_error(total: str, message: str) -> None:
    work = f"flops = 3; total flops = {total}"
    # A part of a composition is held to it as well.
    for parts in (work, f"repeat 3 {{ step a {{ {work} }} }}"):
        with pytest.raises(rd.RoofError) as caught:
            steps(parts)
        (problem,) = caught.value.diagnostics
        assert (problem.code, problem.message) == ("R0411", message)
        hint = "`flops` is the work of the busiest process, `total flops` that of all of them"
        assert problem.hint == hint
        assert problem.labels[0].span.text == f"total flops = {total}"


def test_a_total_is_not_negative() -> None:
    with pytest.raises(rd.RoofError, match="negative"):
        steps("flops = 3; total flops = -1")


def test_json_holds_the_totals_that_are_known() -> None:
    def total(program: str, P: int) -> object:
        return json.loads(json.dumps(result_values(answer(program, P=P))))["total"]

    stated = "model m { param P: processes; flops = ceil(9/P); memory = 1 B; total flops = 9 }"
    assert total(stated, 4) == {"processes": 4, "flops": 9, "attainable": 9 / 3e-9}
    assert total("model m { param P: processes; flops = 3 }", 4) == {"processes": 4}


def test_the_busiest_of_cannon_does_more_than_its_share() -> None:
    """Five rounds of 25 blocks; seven of 32 processes are idle."""
    found = rd.load_model("cannon").on(rd.load_machine("xeon_e5630")).evaluate(N=2000, B=400, P=32)
    assert found.totals == {"flops": 16e9}
    assert found.flops * found.processes == 20.48e9
    assert found.total_attainable == pytest.approx(111.9e9, rel=1e-3)
