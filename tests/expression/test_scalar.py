"""Floats: functions against mpmath, errors, exact jumps, shared and deep trees."""

from __future__ import annotations

import math
import pickle

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.allowance import Exhausted
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
from roofdsl.expression.tree import (
    INFINITY,
    ONE,
    ZERO,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Power,
    Sum,
    Symbol,
)
from roofdsl.numeric.lambertw import lambertw
from roofdsl.numeric.scalar import EvaluationError, evaluate, evaluator_of_each

x, y, N, P = Symbol("x"), Symbol("y"), Symbol("N", integer=True), Symbol("P", integer=True)
k = Symbol("k", integer=True, positive=False)
two = number(2)

FUNCTIONS = {
    "log2": (call("log2", x), lambda v: mpmath.log(v) / mpmath.log(2)),
    "ln": (call("ln", x), mpmath.log),
    "log10": (call("log10", x), mpmath.log10),
    "log to base 7": (call("log", x, number(7)), lambda v: mpmath.log(v) / mpmath.log(7)),
    "square root": (square_root(x), mpmath.sqrt),
    "cube root": (power(x, number("1/3")), mpmath.cbrt),
    "power 1.7": (power(x, number("1.7")), lambda v: mpmath.power(v, mpmath.mpf(17) / 10)),
    "power -3": (power(x, number(-3)), lambda v: v**-3),
    "exp of ln": (call("exp", divide(call("ln", x), two)), mpmath.sqrt),
    "lambertw": (Function("lambertw", (x, ZERO)), lambda v: mpmath.lambertw(v).real),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(value=st.floats(1e-80, 1e80).filter(lambda v: not 0.9 < v < 1.1))
def test_functions_are_accurate(name: str, value: float) -> None:
    tree, reference = FUNCTIONS[name]
    with mpmath.workdps(50):
        expected = float(reference(mpmath.mpf(value)))
    assert evaluate(tree, {"x": value}) == pytest.approx(expected, rel=1e-13)


@given(st.floats(-0.36787944117144233, -1e-300) | st.floats(-0.3678794, -0.36))
def test_lambert_w_of_negative_numbers(value: float) -> None:
    with mpmath.workdps(50):
        if mpmath.mpf(value) < -mpmath.exp(-1):
            return
        for branch in (0, -1):
            expected = mpmath.lambertw(mpmath.mpf(value), branch).real
            assert lambertw(value, branch) == pytest.approx(float(expected), rel=2e-14)


def test_lambert_w_at_the_branch_point() -> None:
    assert lambertw(-1 / math.e, 0) == lambertw(-1 / math.e, -1) == -1


FAILURES = {
    "division by zero": (divide(ONE, subtract(N, N)), {"N": 3}),
    "log2 of 0, which is not above 0": (call("log2", N), {"N": 0}),
    "ln of -3, which is not above 0": (call("ln", negate(N)), {"N": 3}),
    "log of -2, which is not above 0": (call("log", negate(N), two), {"N": 2}),
    "a logarithm to the base 1": (call("log", N, P), {"N": 2, "P": 1}),
    "a root of -2, which is below 0": (square_root(negate(N)), {"N": 2}),
    "a root of -8, which is below 0": (power(negate(N), number("1/3")), {"N": 8}),
    "'N' has no value": (N, {}),
    "a number beyond 1.8e308": (multiply(N, N), {"N": 1e200}),
    "lambertw of -1, which is not a real number": (
        Function("lambertw", (negate(N), ZERO)),
        {"N": 1},
    ),
    "a sum of 1,000,000,000 terms takes more than the 10,000,000 operations of a command": (
        Sum(divide(ONE, add(ONE, multiply(k, k))), k, ONE, N),
        {"N": 10**9},
    ),
    "an operation on ∞ that has no value": (Divide(INFINITY, INFINITY), {}),
}


@pytest.mark.parametrize(("reason", "case"), FAILURES.items(), ids=list(FAILURES))
def test_failures(reason: str, case: tuple[Expression, dict[str, float]]) -> None:
    tree, values = case
    with pytest.raises(EvaluationError) as raised:
        evaluate(tree, values)
    assert raised.value.reason == reason == str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == reason  # noqa: S301


@pytest.mark.parametrize(
    "tree",
    [
        power(ZERO, negate(N)),
        power(number(10), multiply(N, number(400))),
        call("exp", multiply(N, number(1000))),
        add(multiply(N, number("1e308")), number("1e308")),
        Power(number("1e200"), two),
        Multiply((number("1e300"), number("1e300"), N)),
    ],
)
def test_what_a_float_cannot_hold_fails(tree: Expression) -> None:
    with pytest.raises(EvaluationError):
        evaluate(tree, {"N": 1})


def test_the_node_at_fault_is_named() -> None:
    quotient = Divide(ONE, N)
    with pytest.raises(EvaluationError) as raised:
        evaluate(add(P, multiply(two, quotient)), {"N": 0, "P": 1})
    assert raised.value.node is quotient


def test_a_branch_not_taken_may_fail() -> None:
    tree = Conditional(Comparison(">", N, ONE), Divide(ONE, subtract(N, ONE)), ZERO)
    assert evaluate(tree, {"N": 1}) == 0
    assert evaluate(tree, {"N": 3}) == 0.5
    missing = Conditional(Comparison(">", N, ONE), Symbol("missing"), ZERO)
    assert evaluate(missing, {"N": 1}) == 0


def test_and_and_or_stop_early() -> None:
    fails = Comparison(">", Divide(ONE, ZERO), ONE)
    small = Comparison("<", N, two)
    assert evaluate(Logic("or", (small, fails)), {"N": 1}) is True
    assert evaluate(Logic("and", (Logic("not", (small,)), fails)), {"N": 1}) is False
    with pytest.raises(EvaluationError):
        evaluate(Logic("and", (small, fails)), {"N": 1})
    with pytest.raises(EvaluationError):
        evaluate(Comparison("==", Divide(ONE, ZERO), Divide(ONE, ZERO)), {})


def test_booleans() -> None:
    causal = Symbol("causal", positive=False)
    tree = Conditional(causal, divide(N, two), N)
    assert evaluate(tree, {"causal": True, "N": 8}) == 4
    assert evaluate(tree, {"causal": False, "N": 8}) == 8


def test_infinity() -> None:
    assert evaluate(INFINITY, {}) == math.inf
    assert evaluate(divide(N, INFINITY), {"N": 3}) == 0
    assert evaluate(maximum(N, INFINITY), {"N": 3}) == math.inf
    assert evaluate(call("ceil", multiply(N, INFINITY)), {"N": 2}) == math.inf


def test_no_negative_zero() -> None:
    assert math.copysign(1, evaluate(Multiply((number(-1), N)), {"N": 0})) == 1


@pytest.mark.parametrize(
    ("tree", "values", "expected"),
    [
        (call("ceil", multiply(N, number("1/10"), P)), {"N": 3, "P": 10}, 3),
        (call("floor", multiply(x, N)), {"x": 0.1, "N": 30}, 3),
        (call("floor", multiply(x, N)), {"x": 1 / 3, "N": 171}, 57),
        (call("ceil", call("log", N, number(5))), {"N": 125}, 3),
        (call("ceil", divide(call("ln", N), call("ln", P))), {"N": 3**20, "P": 3}, 20),
        (call("floor", divide(add(N, ONE), two)), {"N": 10**15}, 5 * 10**14),
        (Function("is_integer", (square_root(P),)), {"P": 10**16 + 1}, False),
        (Function("is_integer", (square_root(P),)), {"P": 10**16}, True),
        (Comparison("==", multiply(x, number(3)), number("0.3")), {"x": 0.1}, True),
        (Comparison("<", multiply(square_root(P), square_root(P)), P), {"P": 2}, False),
    ],
)
def test_jumps_are_exact(tree: Expression, values: dict[str, float], expected: float) -> None:
    assert evaluate(tree, values) == expected


def test_products_without_intermediate_overflow() -> None:
    tree = Multiply((x, x, y))
    assert evaluate(tree, {"x": 1e200, "y": 1e-300}) == pytest.approx(1e100, rel=1e-15)
    assert evaluate(tree, {"x": 1e-200, "y": 1e300}) == pytest.approx(1e-100, rel=1e-15)
    assert evaluate(tree, {"x": -1e-200, "y": -1e300}) == pytest.approx(-1e-100, rel=1e-15)
    assert evaluate(tree, {"x": 0, "y": 1e300}) == 0


def test_sums() -> None:
    squares = Sum(power(k, two), k, ONE, N)
    assert evaluate(squares, {"N": 1000}) == 1000 * 1001 * 2001 / 6
    assert evaluate(squares, {"N": 0}) == 0
    assert evaluate(squares, {"N": -5}) == 0
    assert evaluate(Sum(k, k, x, y), {"x": 1.5, "y": 4.5}) == 2 + 3 + 4
    assert evaluate(Sum(Sum(k, k, ONE, N), k, ONE, N), {"N": 4}) == 40
    harmonic = Sum(Divide(ONE, k), k, ONE, N)
    expected = float(mpmath.harmonic(10**5))
    assert evaluate(harmonic, {"N": 10**5}) == pytest.approx(expected, rel=1e-15)


def test_the_terms_of_nested_sums_are_counted_together() -> None:
    j = Symbol("j", integer=True)
    nested = Sum(Sum(multiply(j, k), j, ONE, N), k, ONE, N)
    assert evaluate(nested, {"N": 100}) == 5050**2
    assert evaluate(nested, {"N": 10**6}) == float((10**6 * (10**6 + 1) // 2) ** 2)
    with pytest.raises(Exhausted):
        evaluate(Sum(Sum(divide(k, add(j, k)), j, ONE, N), k, ONE, N), {"N": 10_000})


def test_terms_nearer_to_0_than_floats_count_as_what_they_take() -> None:
    steps = call("floor", divide(k, number("7.5")))
    small = Multiply((number("1e-200"), Multiply((number("1e-120"), steps))))
    assert evaluate(Add((ONE, Sum(small, k, ONE, number(7)))), {}) == 1
    with pytest.raises(EvaluationError, match="nearer to 0"):
        evaluate(Sum(small, k, ONE, N), {"N": 1000})
    with pytest.raises(Exhausted):
        evaluate(Sum(small, k, ONE, N), {"N": 10**6})
    # Nothing is known of the size of a term that divides by such a one.
    with pytest.raises(EvaluationError, match="nearer to 0"):
        evaluate(Sum(Divide(steps, number("1e-310")), k, ONE, N), {"N": 10**6})


def test_sums_nested_too_deeply() -> None:
    tree: Expression = k
    for _ in range(500):
        tree = Sum(tree, k, ONE, ONE)
    with pytest.raises(EvaluationError, match="nested too deeply"):
        evaluate(tree, {})


def test_shared_parts_are_computed_once_and_deep_trees_do_not_overflow() -> None:
    shared: Expression = N
    for _ in range(300):
        shared = Add((shared, shared))
    assert evaluate(shared, {"N": 2}) == 2.0**301
    deep: Expression = N
    for _ in range(20_000):
        deep = Power(Add((deep, ONE)), number("1/2"))
    assert evaluate(deep, {"N": 2}) == pytest.approx((1 + math.sqrt(5)) / 2)


def test_a_compiled_evaluator_is_the_same_and_holds_no_state() -> None:
    tree = Sum(multiply(k, divide(N, P)), k, ONE, N)
    compute = evaluator_of_each([tree], ["P", "N", "unused"])
    assert compute(2, 10, 0) == [275]
    (failed,) = compute(0, 10, 0)
    assert isinstance(failed, EvaluationError)
    assert compute(2, 10, 0) == [275]
    (missing,) = evaluator_of_each([tree], ["N"])(3)
    assert str(missing) == "'P' has no value"
