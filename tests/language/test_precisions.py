"""Precisions are words: compared, asked for their size, and nothing else."""

from __future__ import annotations

import pytest

import roofdsl as rd
from roofdsl.model.precision import PRECISIONS, code, named
from tests.language.programs import codes, failures, holds, model

HEAD = "param N: integer = 4\nparam d: precision = fp64\n"


def test_no_precision_is_the_number_0() -> None:
    numbers = [code(name) for name in PRECISIONS]
    assert 0 not in numbers
    assert [named(number) for number in numbers] == list(PRECISIONS)


@pytest.mark.parametrize(
    "formula",
    [
        "d + d",
        "2*d",
        "d/d",
        "-d",
        "d^2",
        "fp64",
        "if d < fp32 then 1 else 2",
        "if fp64 >= d then 1 else 2",
        "min(d, fp32)",
        "abs(d)",
        "sqrt(d)",
        "sum(d for k in 1..3)",
        "if N > 1 then d else fp8",
    ],
)
def test_there_is_no_arithmetic_of_precisions(formula: str) -> None:
    assert set(codes(f"model m {{ {HEAD} flops = {formula} }}")) == {"R0308"}


@pytest.mark.parametrize(
    ("formula", "code"),
    [
        ("if d == 0 then 1 else 2", "R0301"),
        ("if d == 1 then 1 else 2", "R0301"),
        ("if d == (if N > 1 then fp8 else 0) then 1 else 2", "R0301"),
        ("log2(d)", "R0304"),
        ("N^d", "R0304"),
    ],
)
def test_a_precision_is_no_number(formula: str, code: str) -> None:
    assert codes(f"model m {{ {HEAD} flops = {formula} }}") == [code]


def test_0_is_no_precision() -> None:
    assert codes("model m { param d: precision = 0\n memory = size(d) }") == ["R0302"]
    (problem,) = failures(
        "model m { param d: precision\n memory = size(d) }\n"
        'test "t" { expect (m(d = 0) on karst).memory == 8 B }'
    )
    assert problem.code == "R0404"


@pytest.mark.parametrize("value", [0, 1, 8.0, True])
def test_python_gives_a_precision_by_its_name(value: float) -> None:
    prediction = model("model m { param d: precision = fp64\n memory = size(d) }").on(
        rd.load_machine("karst")
    )
    assert prediction.evaluate(d="fp16").memory == 2
    with pytest.raises(rd.RoofError, match="precision"):
        prediction.evaluate(d=value)


def test_precisions_are_chosen_and_compared() -> None:
    holds("""
        function bytes(n, p) = n*size(p)
        model m {
            param d: precision = fp64
            param sums: precision = if d == fp8 then fp16 else d
            let narrow = if d != fp64 then d else fp4
            memory = bytes(4, d)
            network = size(sums) + size(if sums == d then d else fp64)
            flops = size(narrow) * 1 flop/B
        }
        test "t" {
            let r = m() on karst
            let q = m(d = fp8) on karst
            expect r.memory == 32 B and r.network == 16 B and r.flops == 0.5 flop
            expect q.memory == 4 B and q.network == 10 B and q.flops == 1 flop
            expect q.sums == fp16 and q.d != fp64
        }
    """)


def test_a_test_shows_precisions_by_name() -> None:
    (problem,) = failures("""
        model m { param d: precision = fp8; memory = size(d) }
        test "t" { expect (m() on karst).d == fp32 }
    """)
    assert problem.labels[0].text == "fp8 is not fp32"
