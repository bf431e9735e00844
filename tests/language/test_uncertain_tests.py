"""What tests in the language ask of numbers with `±`."""

from __future__ import annotations

import pytest

from tests.language.programs import failures, holds

PROGRAM = """
machine box {
    flops   = 22 ± 0.4 GFLOP/s
    memory  = 13.9 ± 2 % GB/s
    network = 1.2 GB/s
}
model kernel {
    param N: integer = 1000
    param part: real[0..1] = 0.9
    flops  = N^3/part
    memory = 1 B*N^2
}
model steps {
    step one = kernel()
    overlap {
        step a = kernel()
        step b = kernel(N = 2000)
    }
}
model even {
    let words = 3 ± 1
    flops = 22e6*words
    memory = 40e6
}
model light {
    memory = 1 GB
}
model two {
    step heavy = kernel()
    repeat 3 { step light = light() }
}
model bounded {
    let part = 0.9 ± 0.2
    require part <= 1
    flops = 1e9/part
    memory = 1e6
}
machine levels {
    flops = 22 ± 0.4 GFLOP/s
    memory { low = 2 GB/s; high = 1 GB/s; default high }
}
model leveled {
    flops = 22e6
    memory.low = 4 MB
    memory.high = 1 MB
}
model tied {
    let words = 3 ± 1
    flops = max(words, 3)*22e6
}
model summed {
    let half = 0.5 ± 0.1
    memory = 1 B
    metric odd = sum(k^half for k in 1..300)
}
"""


def told(test: str) -> list[str]:
    return [problem.message for problem in failures(f'{PROGRAM}\ntest "t" {{\n{test}\n}}')]


def test_ends_and_halves_to_first_order_are_asked_of_results() -> None:
    # 1000^3/0.9 flop at 22 ± 0.4 GFLOP/s: 50.505 ms, from 49.603 to 51.440, and 0.4/22 of it.
    holds(
        PROGRAM
        + """
        test "t" {
            let r = kernel() on box
            expect r.time ~ 50.51 ± 0.92 ms
            expect r.time ~ 50.51 ± 1.818 % ms
            expect r.time.low ~ 49.603 ms
            expect r.time.high ~ 51.440 ms
            expect r.time.first_order ~ 0.9183 ms
            expect r.attainable ~ 22.00 ± 0.40 GFLOP/s
            expect r.time.memory.low ~ 70.53 us
            expect r.memory.low == r.memory and r.memory.first_order == 0 B
            expect (steps() on box).b.time ~ 404 ± 7 ms
            expect (steps() on box).b.time.high < 412 ms
            expect (kernel(part = 0.9 ± 0.05) on box).time ~ 50.5 ± 3.7 ms
            expect kernel(part = 0.9 ± 0.2) on box fails "must be at most 1"
        }
        """
    )


def test_a_bound_holds_all_over_the_uncertainty_or_not_at_all() -> None:
    holds(
        PROGRAM
        + """
        test "t" {
            expect (kernel() on box).bound is flops
            expect (kernel() on karst).bound is flops
            expect not (even() on box).bound is memory
            expect not (even() on box).bound is flops
            expect (even() on box).time.low < (even() on box).time
        }
        """
    )
    assert told("expect (even() on box).bound is flops") == [
        "`(even() on box).bound` is flops in part of the uncertainty, memory in the rest"
    ]
    # At the numbers as stated it is another, which is said first.
    assert told("expect (even() on box).bound is memory") == ["the bound is flops, not memory"]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("50.51 ± 0.8 ms", "expected 50.51 ± 0.8 ms, got 50.5051 ± 0.918 ms to first order"),
        ("50.4 ± 0.92 ms", "expected 50.4 ± 0.92 ms, got 50.5051 ± 0.918 ms to first order"),
        ("50.51 ± 2 % ms", None),
        ("50.51 ± 1.9 % ms", "expected 50.51 ± 1.9 % ms, got 50.5051 ± 0.918 ms to first order"),
        ("50.51 ± 0.92 ms within 1%", "it is said twice how close the two must be"),
        ("50.51 ± 0.92 GB", "time (s) and bytes (B) cannot be compared"),
    ],
)
def test_another_number_or_another_half_is_told(expected: str, message: str | None) -> None:
    found = told(f"expect (kernel() on box).time ~ {expected}")
    assert found == ([] if message is None else [message])


def test_what_has_no_half_to_first_order_is_told() -> None:
    assert told("expect 3 ~ 3 ± 1") == ["only a result is off to first order"]
    (message,) = told("expect (tied() on box).time ~ 3 ± 1 ms")
    assert message.endswith("no slope of time is known at the numbers as stated, so no first order")
    assert told("expect (kernel() on karst).time ~ 50.51 ± 0.01 ms") == [
        "expected 50.51 ± 0.01 ms, got 50.5051 ± 0 ms to first order"
    ]


@pytest.mark.parametrize(("end", "side"), [("low", "below"), ("high", "above")])
def test_what_has_no_bound_that_is_known_is_told(end: str, side: str) -> None:
    (message,) = told(f"expect (summed() on box).odd.{end} < 1")
    assert message.endswith(f"no bound of odd {side} is known within the ±")


def test_what_does_not_hold_for_all_of_them_has_no_ends() -> None:
    why = "not known to hold for all of them: bounded requires part <= 1"
    assert told("expect (bounded() on box).time.low > 0 s") == [
        f"`(bounded() on box).time.low` is not answered: {why}"
    ]
    assert told("expect (bounded() on box).bound is flops") == [
        f"`(bounded() on box).bound` is not known all over the uncertainty: {why}"
    ]
    (message,) = told("expect (two() on box).total.flops.low > 0 flop")
    assert message.endswith("is not answered: 'two' does not say what all its processes do")


def test_a_level_may_be_called_as_an_end_is() -> None:
    holds(
        PROGRAM
        + """
        test "t" {
            let r = leveled() on levels
            expect r.memory.low == 4 MB
            expect r.memory.high == 1 MB
            expect r.memory.low.low == 4 MB
            expect r.time.memory.low == 2 ms
        }
        """
    )


def test_steps_have_ends_of_their_own() -> None:
    """The heavy one takes 50.51 ± 0.92 ms, each of 3 runs of the light one 71.94 ms ± 2 %."""
    holds(
        PROGRAM
        + """
        test "t" {
            let r = two() on box
            expect r.light.time.low ~ 70.532 ms
            expect r.light.time.high ~ 73.411 ms
            expect r.heavy.share ~ 0.18963
            expect r.heavy.share.low ~ 0.18383
            expect r.heavy.share.high ~ 0.19556
            expect r.light.count.low == 3
        }
        """
    )
