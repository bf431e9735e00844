"""What tests can ask of the steps of a prediction."""

from __future__ import annotations

import pytest

from tests.language.programs import failures, holds

PROGRAM = """
    model kernel {
        param n: integer = 3
        let half = n/2
        tally footprint: B = 8 B * n
        flops = n * 1e9
        memory = 8 B * n * 1e8
    }
    model block {
        param m: integer = 2
        step first = kernel(n = m)
        overlap {
            step long = kernel(n = 2*m)
            repeat 3 { step short { let own = m*1e8; flops = own } }
        }
    }
    model whole {
        repeat 4 { step inner = block(m = 5) }
        step copy { memory = 8 GB }
    }
    machine box { flops = 1 GFLOP/s; memory = 4 GB/s }
"""


def told(expectation: str) -> list[str]:
    test = f'test "t" {{ let r = whole() on box\nexpect {expectation} }}'
    return [problem.message for problem in failures(f"{PROGRAM}\n{test}")]


def test_a_step_is_what_its_model_gives_alone() -> None:
    holds(f"""{PROGRAM}
        test "t" {{
            let r = whole() on box
            let alone = kernel(n = 5) on box
            expect r.inner.first.time == alone.time and r.inner.first.time == 5 s
            expect r.inner.first.OI == alone.OI
            expect r.inner.first.n == 5 and r.inner.first.half == 2.5
            expect r.inner.first.footprint == 40 B
            expect r.inner.first.bound is flops
            expect r.copy.bound is memory
            expect r.copy.OI == 0 flop/B and r.copy.ridge.OI == box.ridge.OI
            expect r.inner.short.own == 5e8
            expect r.copy.CAI is undefined
            expect (whole() on box).inner.first.flops == 5 GFLOP
            expect r.copy.attainable == 0 FLOP/s
        }}
    """)


def test_how_often_a_step_runs_and_its_part_of_the_time() -> None:
    # At once: 10 s, and three times half a second; both use the flops, so they take 11.5 s.
    holds(f"""{PROGRAM}
        test "t" {{
            let r = whole() on box
            expect r.inner.count == 4 and r.copy.count == 1 and r.inner.short.count == 3
            expect r.inner.time == 16.5 s and r.time == 68 s
            expect r.inner.share == 66/68 and r.copy.share == 2/68
            expect r.inner.first.share ~ 5/16.5 within 0.0001%
            expect r.inner.long.share ~ 10/16.5 within 0.0001%
            expect r.inner.short.share ~ 1.5/16.5 within 0.0001%
        }}
    """)


def test_a_hidden_step_has_no_share() -> None:
    holds("""
        model m { overlap { step a { memory = 2 B }; step b { flops = 1 } }; step c { flops = 2 } }
        machine box { flops = 1 flop/s; memory = 1 B/s }
        test "t" {
            let r = m() on box
            expect r.a.share == 1/2 and r.b.share == 0 and r.c.share == 1/2
        }
    """)


def test_busy_times_work_on_levels_and_totals() -> None:
    holds("""
        model m {
            param P: processes = 4
            flops.fast = 4; memory.L1 = 8 B
            total even
        }
        machine box { flops { fast = 2 flop/s; default fast }; memory { L1 = 2 B/s; default L1 } }
        test "t" {
            let r = m() on box
            expect r.flops.fast == 4 flop and r.memory.L1 == 8 B
            expect r.time.flops == 2 s and r.total.flops == 16 flop
        }
    """)


def test_before_a_dot_a_name_is_the_step() -> None:
    holds("""
        model one { param count = 7; flops = count }
        model m { step memory { flops = 3 }; step time = one(); repeat 2 { step two = one() } }
        machine box { flops = 1 flop/s }
        test "t" {
            let r = m() on box
            expect r.memory == 0 B and r.memory.time == 3 s
            expect r.time == 24 s and r.time.time == 7 s
            expect r.two.count == 7              # its own name wins
        }
    """)


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ("r.inner > 0 s", "`r.inner` is a prediction"),
        ("r.iner.time > 0 s", "`r.iner.time` is nothing that a prediction has"),
        ("r.inner.first.speed > 0", "`r.inner.first.speed` is nothing that a prediction has"),
        ("r.inner.bound is memory", "the bound is flops, not memory"),
        (
            "r.total.flops > 0 flop",
            "`r.total.flops` is not answered: 'whole' does not say what all its processes do",
        ),
        ("r.share > 0", "`r.share` is nothing that a prediction has"),
    ],
)
def test_what_is_no_step_is_said(expectation: str, message: str) -> None:
    assert told(expectation) == [message]


def test_what_is_not_answered_can_be_expected() -> None:
    holds(f"""{PROGRAM}
        test "t" {{ expect (whole() on box).total.flops fails "does not say" }}
    """)
