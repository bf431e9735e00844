"""Numbers, precisions, and true or false are three sorts: none is taken for another, anywhere."""

from __future__ import annotations

import pytest

import roofdsl as rd
from tests.language.programs import codes, failures, holds

MODEL = """
model kernel {
    param s: integer
    param dtype: precision = fp32
    param causal = true
    flops[dtype] = if causal then s else 2*s
    memory = s*size(dtype)
}
machine node {
    param fast = true
    param kind: precision = fp32
    param cores: integer = 3
    let quick = 2 > 1
    flops = if fast then 1 GFLOP/s else 2 GFLOP/s
    memory = 1 GB/s
}
function itself(x) = x
"""
WRONG = {
    "dtype = 2": "a precision",
    "dtype = 0": "a precision",
    "dtype = true": "a precision",
    "causal = 1": "true or false",
    "causal = 0": "true or false",
    "causal = fp32": "true or false",
    "s = true": "a plain number",
    "s = fp32": "a plain number",
}
"""What may not be given for a parameter, and what it must be."""


def _call(wrong: str) -> str:
    return f"kernel({wrong}{'' if wrong.startswith('s ') else ', s = 4'})"


@pytest.mark.parametrize("wrong", WRONG)
def test_a_step_is_given_what_its_parameter_is(wrong: str) -> None:
    model = f"model outer {{ step inner = {_call(wrong)} }}"
    assert codes(MODEL + model) == ["R0404"]


@pytest.mark.parametrize(("wrong", "wanted"), WRONG.items())
def test_a_test_can_expect_that_it_is_refused(wrong: str, wanted: str) -> None:
    holds(MODEL + f'test "t" {{ expect {_call(wrong)} on node fails "{wanted}" }}')


@pytest.mark.parametrize(
    "given",
    [
        "dtype = itself(2)",
        "dtype = if 1 < 2 then 1 else 2",
        "dtype = q.s",
        "dtype = k",
        "dtype = node.cores",
        "causal = itself(1)",
        "causal = q.s",
        "causal = k",
        "causal = node.cores",
        "s = q.causal",
        "s = q.dtype",
        "s = node.fast",
    ],
)
def test_nor_is_a_value_from_elsewhere_taken_for_another(given: str) -> None:
    rest = "" if given.startswith("s ") else "s = 4, "
    lets = "let k = 1\n let q = kernel(s = 4) on node\n"
    holds(MODEL + f'test "t" {{ {lets} expect kernel({rest}{given}) on node fails "must be" }}')


def test_what_a_machine_has_keeps_its_sort() -> None:
    holds(MODEL + 'test "t" { expect node.fast and node.quick\n expect node.kind == fp32 }')
    assert failures(MODEL + 'test "t" { expect node.fast == 1 }')


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "fast"),
        ("integer", "kind"),
        ("real", "quick"),
        ("boolean", "cores"),
        ("boolean", "kind"),
        ("precision", "cores"),
        ("precision", "fast"),
    ],
)
def test_a_default_of_the_machine_is_of_the_sort_asked_for(kind: str, value: str) -> None:
    model = f"model asks {{ param k: {kind} = machine.{value}\n flops = 1 }}"
    holds(MODEL + model + 'test "t" { expect asks() on node fails "is by default machine" }')


@pytest.mark.parametrize("given", [{"causal": 1}, {"causal": 1.0}, {"dtype": 2}, {"dtype": True}])
def test_nor_from_python(given: dict[str, float]) -> None:
    attention = rd.load_model("dnn.attention:attention").on(rd.load_machine("karst"))
    with pytest.raises(rd.RoofError):
        attention.evaluate(B=1, a=1, s=4, d=8, **given)
