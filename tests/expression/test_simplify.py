"""Ratios come out short, with the same value, quickly; long formulas are left alone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given

from roofdsl.algebra import quotient
from roofdsl.algebra.readable import effort
from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.expression.construct import (
    add,
    call,
    divide,
    maximum,
    multiply,
    negate,
    number,
    power,
    square_root,
    subtract,
)
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import (
    ONE,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Multiply,
    Number,
    Sum,
    Symbol,
)
from roofdsl.numeric.approximate import approximate
from roofdsl.numeric.scalar import evaluate
from roofdsl.typeset.text import text
from tests.expression.random_trees import points, trees
from tests.expression.reference import Reference, Undefined, check_same_value

N, P, B, M = (Symbol(name, integer=True) for name in "NPBM")
word = Symbol("word")
k = Symbol("k", integer=True, positive=False)
two, three = number(2), number(3)

# The thesis's SUMMA (Cardwell 2019, Table 2.4), in bytes.
FLOPS = divide(add(multiply(two, power(N, three)), multiply(two, power(N, two))), P)
LINES = add(ONE, divide(power(N, two), B), divide(power(N, three), multiply(B, square_root(M))))
MEMORY = divide(multiply(word, B, LINES), P)
ROOT = square_root(P)
NETWORK = multiply(two, ROOT, word, power(divide(N, ROOT), two), call("log2", ROOT))

SIMPLE = {
    "OI of SUMMA": (divide(FLOPS, MEMORY), "2*(N + 1)/(word*(N/sqrt(M) + 1 + B/N^2))"),
    "CAI of SUMMA": (divide(FLOPS, NETWORK), "2*(N + 1)/(sqrt(P)*word*log2(P))"),
    "MI of SUMMA": (
        divide(MEMORY, NETWORK), "(N/sqrt(M) + 1 + B/N^2)/(sqrt(P)*log2(P))",
    ),
    "network of SUMMA": (NETWORK, "N^2*word*log2(P)/sqrt(P)"),
    "OI of FFT": (
        divide(multiply(number(5), N, call("log2", N)), multiply(number(16), N)), "5*log2(N)/16",
    ),
    "common factor": (divide(subtract(power(N, two), ONE), subtract(N, ONE)), "N + 1"),
    "roots": (divide(N, square_root(N)), "sqrt(N)"),
    "root of a sum": (divide(add(N, ONE), square_root(add(N, ONE))), "sqrt(N + 1)"),
    "nothing left": (subtract(multiply(N, P), multiply(P, N)), "0"),
    "minus one": (divide(subtract(N, P), subtract(P, N)), "-1"),
    "already short": (add(divide(N, P), multiply(two, call("log2", N))), "N/P + 2*log2(N)"),
    "decimals are not made fractions": (
        add(divide(N, number("1.3937e10")), divide(P, number("1.2345e9"))),
        "N/13937000000 + P/1234500000",
    ),
    "maximum as a name": (divide(multiply(N, maximum(N, P)), maximum(N, P)), "N"),
    "inside a maximum": (maximum(divide(multiply(N, P), P), P), "max(N, P)"),
    "inside an if": (
        Conditional(Comparison(">", N, ONE), divide(multiply(N, P), N), N),
        "if N > 1 then P else N",
    ),
    "inside a sum": (Sum(divide(multiply(k, N), N), k, ONE, N), "sum(k for k in 1..N)"),
    "begins with a plus": (
        divide(multiply(N, subtract(P, N)), multiply(N, subtract(M, B))), "(N - P)/(B - M)",
    ),
    "common sums": (
        divide(
            multiply(add(N, P), add(N, B), add(M, P)),
            multiply(add(N, P), add(N, word), add(M, word)),
        ),
        "(M + P)*(B + N)/((M + word)*(N + word))",
    ),
    "large power": (power(N, number(1_000_000)), "N^1e6"),
    "large power of a sum": (power(add(N, P), number(1000)), "(N + P)^1000"),
    "undefined": (divide(ONE, Add((N, Multiply((number(-1), N))))), "1/(N - N)"),
}  # fmt: skip


@pytest.mark.parametrize(("tree", "notation"), SIMPLE.values(), ids=list(SIMPLE))
def test_simple_forms(tree: Expression, notation: str) -> None:
    assert text(simplify_ratio(tree)) == notation


@given(trees, points)
def test_the_value_stays_and_reading_gets_no_harder(
    tree: Expression, point: Mapping[str, Fraction]
) -> None:
    simple = simplify_ratio(tree)
    check_same_value(tree, simple, point)
    assert effort(simple) <= effort(tree)


@given(trees)
def test_what_is_seen_to_have_no_factors_has_none(tree: Expression) -> None:
    seen = simplify_ratio(tree)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotient, "_is_irreducible", lambda _: False)
        assert simplify_ratio(tree) == seen


@given(trees, points)
def test_numbers_put_in_stay_close(tree: Expression, point: Mapping[str, Fraction]) -> None:
    some = {name: Number(value) for name, value in list(point.items())[::2]}
    formula, exactly = approximate(substitute(tree, some), digits=15)
    try:
        expected = Reference(tree, point)
    except Undefined:
        return
    if expected.touched or expected.delicate:
        return
    values = {name: float(value) for name, value in point.items()}
    assert evaluate(formula, values) == pytest.approx(float(expected.value), rel=1e-8)
    if exactly:
        found = Reference(formula, point).value
        assert abs(found - expected.value) <= abs(expected.value) * 1e-40


KNOWN = {"word": number(8), "M": number(2048), "B": number(8), "P": number(121)}
APPROXIMATE = {
    "OI": (divide(FLOPS, MEMORY), "16*(N + 1)/(1.414*N + 64 + 512/N^2)"),
    "time": (divide(FLOPS, number("22e9")), "N^2*(N + 1)/1.331e12"),
    "network": (divide(NETWORK, number("1.2e9")), "4.193e-9*N^2"),
    "constant sum": (Sum(divide(ONE, k), k, ONE, number(10)), "2.929"),
    "thirds stay": (divide(N, three), "N/3"),
    "exponents stay": (power(N, number("1/3")), "N^(1/3)"),
    "exponents are worked out": (power(N, call("log2", number(7))), "N^2.807"),
    "decided": (Conditional(Comparison("<", three, call("log2", number(9))), N, M), "N"),
    "whole numbers stay": (add(N, number(61952)), "N + 61952"),
    "no value": (multiply(N, call("ln", number(-1))), "N*ln(-1)"),
    "negative": (negate(divide(multiply(N, call("ln", three)), number(7))), "-0.1569*N"),
}


@pytest.mark.parametrize(("tree", "notation"), APPROXIMATE.values(), ids=list(APPROXIMATE))
def test_formulas_with_numbers(tree: Expression, notation: str) -> None:
    assert text(approximate(simplify_ratio(substitute(tree, KNOWN))).tree) == notation


def test_digits() -> None:
    third = multiply(N, call("ln", two))
    assert text(approximate(third, 2).tree) == "0.69*N"
    assert text(approximate(third, 6).tree) == "0.693147*N"


ROOT = power(number(2), number("1/2"))


@pytest.mark.parametrize(
    ("tree", "exactly"),
    [
        (multiply(N, number(999_999)), True),
        (multiply(N, number(39_063_016)), False),
        (multiply(N, number(39_060_000)), True),
        (multiply(N, power(number(2048), number("1/2"))), False),
        (multiply(N, power(number(2025), number("1/2"))), True),
        (divide(N, number(7)), True),
        (divide(N, number("22.125e9")), False),
        (Sum(k, k, ONE, number(10)), True),
        (Sum(divide(ONE, k), k, ONE, number(10)), False),
        # 0, which floats miss: there is no value.
        # 1/0, where floats have a number.
        (multiply(N, Divide(ONE, Add((Multiply((ROOT, ROOT)), number(-2))))), False),
    ],
)
def test_what_is_rounded_is_said(tree: Expression, exactly: bool) -> None:
    assert approximate(tree).exact is exactly


def test_long_formulas_are_left_alone() -> None:
    tree: Expression = N
    for _ in range(60):
        tree = divide(add(tree, P), add(tree, ONE))
    assert simplify_ratio(tree) is tree
    symbols = [Symbol(f"a{i}") for i in range(40)]
    product = multiply(*(add(left, right) for left, right in pairwise(symbols)))
    assert simplify_ratio(product) is product


def test_a_choice_among_very_many_is_left_alone() -> None:
    ratios = [divide(multiply(number(k), N, N), N) for k in range(2, 503)]
    assert simplify_ratio(most := maximum(*ratios)) is most
    few = maximum(multiply(ratios[0], P), ratios[1])
    assert text(simplify_ratio(few)) == "max(2*N*P, 3*N)"


def test_the_form_does_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from tests.expression.test_simplify import *\n"
        "for tree, _ in SIMPLE.values(): print(text(simplify_ratio(tree)))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_a_sum_of_many_ratios_does_not_keep_a_reader_waiting() -> None:
    E, V = Symbol("E"), Symbol("V")
    first = multiply(
        add(B, E, power(P, two)),
        divide(add(B, two), add(B, P)),
        add(multiply(number(4), word, word), N, P, number(6), word),
        power(add(V, number(7)), two),
        add(divide(M, P), divide(P, number(6))),
    )
    second = divide(power(divide(word, P), two), divide(add(M, N), add(two, V, P)))
    tree = add(first, divide(second, multiply(N, number(30))))
    begin = time.perf_counter()
    for _ in range(5):
        simplify_ratio(tree)
    assert time.perf_counter() - begin < 1  # one takes 0.6 s if the terms are not limited
