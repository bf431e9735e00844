"""The notation is short, and read back it is the same formula."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.expression.condition import truth
from roofdsl.expression.construct import (
    add,
    call,
    divide,
    multiply,
    negate,
    number,
    power,
    square_root,
    subtract,
)
from roofdsl.expression.tree import (
    HALF,
    INFINITY,
    Comparison,
    Conditional,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Sum,
    Symbol,
)
from roofdsl.numeric.scalar import EvaluationError, evaluate
from roofdsl.typeset.text import ELLIPSIS, LONGEST, text
from tests.expression.random_trees import conditions, points, trees
from tests.expression.reading import Refused, read

N, P, M, B = (Symbol(name, integer=True) for name in "NPMB")
k = Symbol("k", integer=True, positive=False)
two, three = number(2), number(3)

WRITTEN = {
    "(2*N^3 + 2*N^2)/P": divide(
        add(multiply(two, power(N, three)), multiply(two, power(N, two))), P
    ),
    "sqrt(M)": square_root(M),
    "N^(1/3)": power(N, number("1/3")),
    "N^(-2)": power(N, number(-2)),
    "N^1.5": power(N, number("3/2")),
    "2^N^2": power(two, power(N, two)),
    "(2^N)^2": power(power(two, N), two),
    "(N*P)^2": power(multiply(N, P), two),
    "log2(sqrt(P))": call("log2", square_root(P)),
    "log(N, M/B)": call("log", N, divide(M, B)),
    "N - P": subtract(N, P),
    "N - 2*P - 3": subtract(subtract(N, multiply(two, P)), three),
    "N - (P - M)": subtract(N, subtract(P, M)),
    "-N": negate(N),
    "-N^2": negate(power(N, two)),
    "(-N)^2": power(negate(N), two),
    "-N/P": divide(negate(N), P),
    "-(N + P)": negate(add(N, P)),
    "-2*(N + P)": multiply(number(-2), add(N, P)),
    "N*(-P)": Multiply((N, negate(P))),
    "N/P/M": divide(divide(N, P), M),
    "N/(P*M)": divide(N, multiply(P, M)),
    "N/(P/M)": divide(N, divide(P, M)),
    "N/P*M": multiply(divide(N, P), M),
    "N*(P/M)": multiply(N, divide(P, M)),
    "N/(P + M)": divide(N, add(P, M)),
    "1/3*N": multiply(number("1/3"), N),
    "2/(1/3)^N": divide(two, power(number("1/3"), N)),
    "13.9*N": multiply(number("13.9"), N),
    "1.39e10": number("1.39e10"),
    "min(N, max(P, 2))": call("min", N, call("max", P, two)),
    "ceil(N/2)": call("ceil", divide(N, two)),
    "if N > P then N else P": Conditional(Comparison(">", N, P), N, P),
    "2*(if N > P then N else P)": multiply(two, Conditional(Comparison(">", N, P), N, P)),
    "if N > P and sqrt(P) is integer or not N == 2 then 1 else if N < 2 then 2 else 3": Conditional(
        Logic(
            "or",
            (
                Logic("and", (Comparison(">", N, P), Function("is_integer", (square_root(P),)))),
                Logic("not", (Comparison("==", N, two),)),
            ),
        ),
        number(1),
        Conditional(Comparison("<", N, two), two, three),
    ),
    "N > 1 and (N < 2 or P > 3)": Logic(
        "and",
        (
            Comparison(">", N, number(1)),
            Logic("or", (Comparison("<", N, two), Comparison(">", P, three))),
        ),
    ),
    "not (N > 1 and P > 1)": Logic(
        "not",
        (Logic("and", (Comparison(">", N, number(1)), Comparison(">", P, number(1)))),),
    ),
    "sum(k^2 for k in 1..N - 1)": Sum(power(k, two), k, number(1), subtract(N, number(1))),
    "true": truth(True),
    "false": truth(False),
    "∞": INFINITY,
    "karst.network": Symbol("karst.network"),
}


@pytest.mark.parametrize(("notation", "tree"), WRITTEN.items(), ids=list(WRITTEN))
def test_notation(notation: str, tree: Expression) -> None:
    assert text(tree) == notation


@pytest.mark.parametrize(
    ("value", "notation"),
    [
        (Fraction(0), "0"),
        (Fraction(61952), "61952"),
        (Fraction(10_000), "10000"),
        (Fraction(100_000), "1e5"),
        (Fraction(22_000_000_000), "2.2e10"),
        (Fraction(123_456_789), "123456789"),
        (Fraction(139, 10), "13.9"),
        (Fraction(1, 2), "0.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-7, 3), "-7/3"),
        (Fraction(1, 1024), "1/1024"),
        (Fraction(1, 1000), "0.001"),
        (Fraction(659, 10**13), "6.59e-11"),
        (Fraction(16384), "16384"),
        (Fraction(2**70), "1180591620717411303424"),
        (Fraction(6022 * 10**20), "6.022e23"),
    ],
)
def test_numbers(value: Fraction, notation: str) -> None:
    assert text(Number(value)) == notation


@given(st.fractions() | st.floats(1e-300, 1e300).map(lambda value: Fraction(repr(value))))
def test_numbers_read_back_exactly(value: Fraction) -> None:
    assert number(text(Number(value))).value == value


@given(trees | conditions, points)
def test_formulas_read_back(tree: Expression, point: Mapping[str, Fraction]) -> None:
    try:
        again = read(text(tree))
    except Refused:
        return
    values = {name: float(value) for name, value in point.items()}
    try:
        expected = evaluate(tree, values)
    except EvaluationError:
        with pytest.raises(EvaluationError):
            evaluate(again, values)
        return
    assert evaluate(again, values) == pytest.approx(expected, rel=1e-9)


def test_a_formula_too_long_to_write_is_cut() -> None:
    tree: Expression = N
    for _ in range(100):
        tree = power(add(tree, tree), HALF)
    written = text(tree)
    assert ELLIPSIS in written
    assert len(written) <= LONGEST


def test_a_deep_formula_is_written() -> None:
    tree: Expression = N
    for _ in range(5000):
        tree = square_root(tree)
    assert text(tree).count("sqrt") == 5000
