"""`total` is a word where a statement begins and a name follows, and a name everywhere else."""

from __future__ import annotations

import pytest

from roofdsl.model.types import Step
from roofdsl.typeset.text import text
from tests.language.programs import codes, holds, module


def test_a_model_states_the_work_of_all_processes() -> None:
    model = module("""
        model m {
            param N: integer
            param P: processes
            flops = 2*N^2 * ceil(N/P)
            network = 8 B*N
            total network = 16 B*N*(P - 1)   ## both neighbours
            total flops = 2*N^3
        }
    """).models["m"]
    assert [(item.key, text(item.value), item.doc) for item in model.totals] == [
        ("network", "16*N*(P - 1)", "both neighbours"),
        ("flops", "2*N^3", ""),
    ]
    assert [item.adopted for item in model.totals] == [False, True]
    assert not model.even


def test_a_model_or_a_step_in_place_says_that_its_work_is_even() -> None:
    model = module("""
        model m {
            param P: processes
            step a { let n = 3; flops = n; total even }
            step b { flops = 3; network = 8 B; total flops = P }
            total even
        }
    """).models["m"]
    steps = [part.model for part in model.parts if isinstance(part, Step)]
    assert [(step.even, len(step.totals)) for step in steps] == [(True, 0), (False, 1)]
    assert (model.even, model.totals) == (True, ())


def test_a_total_may_be_of_a_resource_of_ones_own() -> None:
    model = module("""
        resource even: B
        model m {
            param P: processes
            even = 8 B
            total even = 8 B*P
        }
    """).models["m"]
    assert [item.key for item in model.totals] == ["even"]
    assert not model.even


def test_total_stays_a_name() -> None:
    holds("""
        function twice(total) = 2*total
        machine box { flops = 1 flop/s; network = 1 B/s }
        model total {
            param P: processes
            param even: integer = 3
            let total = twice(even)
            tally bytes: B = 8 B *
                total
            network = 8 B
            total network = 8 B * P
            flops = total
        }
        test "names" {
            let r = total(P = 4) on box
            let total = r.total
            expect total == 6
            expect r.bytes == 48 B
        }
    """)


def test_a_unit_may_be_called_total() -> None:
    module("unit total\nresource disk: total\nmodel m { disk = 3 total }")


def test_a_resource_may_be_called_total() -> None:
    holds("""
        resource total: B
        machine box { total = 1 B/s }
        model plain { total = 3 B }
        model level { total.a = 3 B }
        model block { total { a = 3 B } }
        model all { param P: processes; total = 3 B; total total = 3 B * P }
        test "times" {
            expect (plain() on box).time == 3 s
            expect (all(P = 2) on box).time == 3 s
        }
    """)


@pytest.mark.parametrize(
    "statement", ["total flops = 3", "total even", "total flops = 3; total network = 3 B"]
)
def test_a_total_needs_a_count_of_processes(statement: str) -> None:
    work = "flops = 3; network = 3 B"
    assert codes(f"model m {{ {work}; {statement} }}") == ["R0227"]
    assert codes(f"model m {{ param P: integer; {work}; {statement} }}") == ["R0227"]
    assert codes(f"model m {{ param P: processes; {work}; {statement} }}") == []


def test_a_step_that_is_wrong_says_nothing_about_totals() -> None:
    steps = "step a = nothing(); step b { flops = 3 }"
    assert codes(f"model m {{ param P: processes; {steps}; total memory = 3 }}") == ["R0207"]
