"""What tests in the language can ask, and what they say when it is not so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from roofdsl.analysis.testing import look_at_tests, run_tests
from roofdsl.model.library import check_module
from tests.language.programs import failures, holds, module

COPY = """
    model m {
        param N: integer = 4
        param fused = true
        param d: precision = fp16
        let large = N > 100 and fused
        let lines = N/8
        tally footprint: B = 8 B * N
        memory = 16 B * N
    }
"""


def told(test: str, model: str = COPY) -> list[str]:
    return [problem.message for problem in failures(f'{model}\ntest "t" {{\n{test}\n}}')]


def test_conditions_parameters_and_tallies_can_be_read() -> None:
    holds(f"""
        {COPY}
        test "t" {{
            let r = m() on karst
            let q = m(N = 800, fused = false) on karst
            let s = m(N = 800) on karst
            expect r.fused and not q.fused
            expect s.large and not (r.large or q.large)
            expect q.lines == 100
            expect (if s.large then s.N else 0) == 800
            expect r.footprint == 32 B
            expect r.d == fp16
        }}
    """)


def test_a_condition_that_does_not_hold_fails() -> None:
    assert told("expect (m() on karst).large") == ["`(m() on karst).large` does not hold"]


def test_infinite_and_undefined_intensities_are_expected() -> None:
    holds(f"""
        {COPY}
        test "t" {{
            let r = m() on karst
            expect r.OI == 0 flop/B
            expect r.CAI is undefined
            expect r.MI is infinite
            expect (m() on karst).MI is infinite
        }}
    """)


@pytest.mark.parametrize(
    ("expectation", "message"),
    [
        ("r.MI is undefined", "`r.MI` is infinite, not undefined"),
        ("r.CAI is infinite", "`r.CAI` is undefined, not infinite"),
        ("r.time is infinite", "`r.time` is 4.60432 ns, not infinite"),
        ("r.OI is undefined", "`r.OI` is 0 flop/B, not undefined"),
        ("r.fused is infinite", "`r.fused` is true, not infinite"),
        ("r.d is undefined", "`r.d` is fp16, not undefined"),
        ("r.nothing is infinite", "`r.nothing` is nothing that a prediction has"),
        ("r.MI > 3", "`r.MI` is infinite"),
        ("r.ridge.speed > 3", "`r.ridge.speed` is nothing that ridge points have"),
    ],
)
def test_what_is_not_so_is_said(expectation: str, message: str) -> None:
    assert told(f"let r = m() on karst\nexpect {expectation}") == [message]


def test_an_infinite_member_says_how_to_expect_it() -> None:
    (problem,) = failures(f'{COPY}\ntest "t" {{ expect (m() on karst).MI > 3 }}')
    assert problem.hint == "it is expected with `is`: `(m() on karst).MI is infinite`"


def test_a_prediction_that_fails_is_reported_once() -> None:
    messages = told("""
        let r = m(N = 1/2) on karst
        expect r.OI == 0 flop/B
        expect r.bound is memory
        expect r.time ~ 3 s
        expect r.MI is infinite
        let x = r.time + 1 s
        expect x > 2 s
    """)
    assert len(messages) == 1


@pytest.mark.parametrize(
    "statement", ["let x = missing + 1", "let x = 1 B + 1 s", "let x = (m(N = 0) on karst).time"]
)
def test_a_let_that_nobody_reads_is_looked_at_all_the_same(statement: str) -> None:
    assert len(told(f"{statement}\nexpect 1 == 1")) == 1
    assert len(told(f"{statement}\nexpect x > 0 and x < 1")) == 1


def test_expectations_are_counted() -> None:
    found = module(f'{COPY}\ntest "t" {{ let x = 1\nexpect x == 1\nexpect x ~ 1.0 }}')
    (outcome,) = run_tests(found)
    assert (outcome.passed, outcome.expectations) == (True, 2)


def test_printed_numbers_are_computed_read_back_or_corrected() -> None:
    text = f"""{COPY}
        test "Table 2" {{
            let printed = m(N = 800) on karst
            expect printed.lines ~ 100 printed "100 lines"
            expect printed.memory ~ 12.8 kB printed "12,800 B"
            expect printed.lines ~ 100 printed "110 lines"
            expect printed.memory ~ 12.8 kB printed "1.28"
            expect printed.lines ~ 100 printed "a ratio of 1.00, in %"
            expect printed.lines ~ 100
            expect printed.N ~ 800 read "800"
            expect -printed.lines ~ -100
                read "100"
            expect karst.memory ~ 13.9 GB/s read "Karst 13.9"
            expect karst.memory ~ 13.9 GB/s read "Karst 13.8"
        }}"""
    (outcome,) = run_tests(module(text))
    assert outcome.problems == ()
    counted = Counter(outcome.printed)
    assert counted == {"computed": 3, "corrected": 3, "read back": 3}


def test_a_number_that_does_not_come_back_is_not_counted() -> None:
    (outcome,) = run_tests(module(f'{COPY}\ntest "t" {{ expect karst.memory ~ 9 B/s read "9" }}'))
    assert not outcome.passed and outcome.printed == ()


@pytest.mark.parametrize(
    "statement",
    [
        'expect 3 ~ 3 printed "3"',
        'expect 100*(1.231 - 1) ~ 23.1 printed "23.1"',
        'let x = 3\nexpect max(x, 2) ~ 3 printed "3"',
        'expect karst.memory ~ 13.9 GB/s printed "13.9"',
        'expect r.lines ~ 100 within 1% printed "100"',
        'expect r.lines ~ 100 printed "a hundred"',
    ],
)
def test_what_is_no_printed_number_is_refused(statement: str) -> None:
    found = module(f'{COPY}\ntest "t" {{ let r = m() on karst\n{statement} }}')
    assert [problem.code for problem in look_at_tests(found)] == ["R0609"]


@pytest.mark.parametrize("value", ["r.lines", "f(1)", "x", "karst.ridge.OI/karst.ridge.OI * r.N/8"])
def test_what_a_model_or_a_function_gives_is_one(value: str) -> None:
    text = (
        f'function f(y) = 100*y\n{COPY}\ntest "t" {{ let r = m(N = 800) on karst\nlet x = r.lines\n'
    )
    (outcome,) = run_tests(module(f'{text}expect {value} ~ 100 printed "100" }}'))
    assert outcome.printed == ("computed",)


@pytest.mark.parametrize("value", ["r.N", "(m(N = 800) on karst).N", "(r.N)"])
def test_a_parameter_is_given_and_not_computed(value: str) -> None:
    text = f'{COPY}\ntest "t" {{ let r = m(N = 800) on karst\nexpect {value} ~ 800 printed "800" }}'
    (outcome,) = run_tests(module(text))
    assert [problem.code for problem in outcome.problems] == ["R0609"]


def test_the_values_of_a_machine_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "mine.roof").write_text("machine own { memory = 100 GB/s; flops = 1 TFLOP/s }")
    (tmp_path / "test.roof").write_text(
        'use "./mine.roof" as mine\ntest "t" { expect mine.own.memory == 100 GB/s\n'
        "expect mine.own.ridge.OI == 10 flop/B; expect mine.own.memory == mine.memory }"
    )
    found, problems = check_module(tmp_path / "test.roof")
    assert problems == () and found is not None
    assert [outcome.problems for outcome in run_tests(found)] == [()]


@pytest.mark.parametrize(
    "call",
    [
        "m(N = 0) on karst",  # R0402
        "m(N = 1/2) on karst",  # R0404
        "f(1 B)",  # R0301, inside of `f`
        "1/(1 - f(0))",
    ],
)
def test_values_that_are_refused_fail_as_expected(call: str) -> None:
    functions = "function f(x) = x + 1\n"
    assert told(f"expect {call} fails", functions + COPY) == []
    assert told(f'expect {call} fails "no such words"', functions + COPY)[0].startswith(
        "this fails with another message: "
    )


@pytest.mark.parametrize(
    "call",
    [
        "nonsense(N = 4) on karst",
        "m(N = 0) on nowhere",
        "m(N = 0, Q = 3) on karst",
        "m(N = 3 B) on karst",
        "m(0, true, fp16, 4) on karst",
        "m(N = 0, N = 0) on karst",
        "needy(1) on karst",
        "f(1, 2)",
        "g(0)",
        "1 B + 1 s",
        "(m() on karst).speed",
    ],
)
def test_a_mistake_in_the_test_is_no_failure_that_was_expected(call: str) -> None:
    model = f"function f(x) = x + 1\n{COPY}\nmodel needy {{ param a; param b; flops = a + b }}"
    assert len(told(f"expect {call} fails", model)) == 1
    module_ = module(f'{model}\ntest "t" {{ expect {call} fails }}')
    assert len(look_at_tests(module_)) == 1


def test_a_test_must_expect_something() -> None:
    found = module(f'{COPY}\ntest "t" {{ let r = m() on karst }}\ntest "u" {{ }}')
    assert [not outcome.passed for outcome in run_tests(found)] == [True, True]
    assert [problem.code for problem in look_at_tests(found)] == ["R0606", "R0606"]


def test_two_tests_must_not_have_one_title() -> None:
    found = module('test "t" { expect 1 == 1 }\n' * 3 + 'test "u" { expect 1 == 1 }')
    assert [outcome.passed for outcome in run_tests(found)] == [True, False, False, True]
    assert [problem.code for problem in look_at_tests(found)] == ["R0607", "R0607"]


def test_looking_at_tests_evaluates_nothing_of_them() -> None:
    found = module(f"""
        {COPY}
        test "t" {{
            let r = m() on karst
            expect r.N == 800
            expect r.bound is network
            expect r.OI is infinite
            expect r.large and r.fused
            expect r.time ~ 3 h within 1%
            expect log2(r.lines - 1e9) > 1
            expect m(N = 4) on karst fails "words"
        }}
    """)
    assert look_at_tests(found) == ()
    assert len(run_tests(found)[0].problems) >= 4


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("3 B == 4 B", "3 B is not 4 B"),
        ("3 B != 3 B", "3 B is 3 B"),
        ("3 B < 3 B", "3 B is not less than 3 B"),
        ("4 B <= 3 B", "4 B is more than 3 B"),
        ("3 B > 3 B", "3 B is not more than 3 B"),
        ("2 B >= 3 B", "2 B is less than 3 B"),
    ],
)
def test_a_comparison_that_does_not_hold_says_how(condition: str, said: str) -> None:
    (problem,) = failures(f'{COPY}\ntest "t" {{ expect {condition} }}')
    assert said in [label.text for label in problem.labels]


REFUSING = """
resource disk: B
machine card { flops = 1 flop/s }
machine box {
    memory = 1 B/s
    device gpu = card
}
machine still { param slow: real[0..] = 0; flops = slow * 1 flop/s }
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("param n: integer[4..]; memory = n * 1 B", "box"),
        ("param n; require n > 4; memory = n * 1 B", "box"),
        ("param n; param k: integer = n/2; memory = k * 1 B", "box"),
        ("param n; memory = sqrt(n - 4) * 1 B", "box"),
        ("param n; flops = n", "still"),
        ("param n; memory = (n - 4) * 1 B", "box"),
        ("param n; repeat n/2 { step a { memory = 1 B } }", "box"),
        ("param n; disk = n * 1 B", "box"),
        ("param n; param c: integer = machine.cores; memory = n * c * 1 B", "box"),
        ("param n; step a on tpu { memory = n * 1 B }", "box"),
        ("param n; step a { flops = n }", "box"),
    ],
)
def test_whatever_refuses_values_makes_fails_hold(text: str, place: str) -> None:
    holds(f'{REFUSING} model m {{ {text} }} test "t" {{ expect m(n = 3) on {place} fails }}')
