"""Sums of many terms at once: at least as near to their value as adding up in floats."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofdsl.allowance import OPERATIONS, counting, operations
from roofdsl.expression.construct import add, call, divide, multiply, number, power, subtract
from roofdsl.expression.tree import ONE, Expression, Power, Sum, Symbol
from roofdsl.numeric import array
from roofdsl.numeric.failure import EvaluationError, TooMuch
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sums import CLOSED_FROM

k, N = Symbol("k", integer=True), Symbol("N", integer=True)
x, M = Symbol("x"), Symbol("M", integer=True)
two = number(2)

whole = st.integers(-(10**6), 10**6)
counts = st.integers(CLOSED_FROM, 400)
floats = st.floats(-1e6, 1e6, allow_subnormal=False)


@settings(max_examples=30)
@given(low=whole, count=counts, a=floats, b=floats, degree=st.integers(1, 6))
def test_a_polynomial_is_its_exact_sum_rounded_once(
    low: int, count: int, a: float, b: float, degree: int
) -> None:
    body = Power(add(multiply(Symbol("a"), k), Symbol("b")), number(degree))
    found = evaluate(Sum(body, k, M, N), {"a": a, "b": b, "M": low, "N": low + count - 1})
    terms = ((Fraction(a) * n + Fraction(b)) ** degree for n in range(low, low + count))
    assert found == float(sum(terms))


@settings(max_examples=30)
@given(low=st.integers(-40, 40), count=counts, q=st.floats(0.3, 2))
def test_powers_with_the_index_in_the_exponent(low: int, count: int, q: float) -> None:
    exact = sum(Fraction(q) ** n for n in range(low, low + count))
    found = evaluate(Sum(Power(x, k), k, M, N), {"x": q, "M": low, "N": low + count - 1})
    assert found == float(exact)


HUGE: dict[str, tuple[Expression, dict[str, float], Fraction | float]] = {
    "squares": (multiply(k, k), {}, Fraction(10**18 * (10**18 + 1) * (2 * 10**18 + 1), 6)),
    "a constant": (x, {"x": 0.5}, Fraction(10**18, 2)),
    "halves": (divide(ONE, Power(two, k)), {}, 1),
    "near 1": (Power(x, k), {"x": 1 - 2.0**-50}, (2.0**50 - 1) * -math.expm1(-(10**18) / 2.0**50)),
    "with alternating signs": (Power(number(-1), k), {}, 0),
    "in steps of two": (Power(number("1/3"), subtract(multiply(two, k), ONE)), {}, Fraction(3, 8)),
    "of both kinds": (add(k, Power(number("1/2"), k)), {}, Fraction(10**36 + 10**18, 2)),
}


@pytest.mark.parametrize("name", HUGE)
def test_sums_of_any_number_of_terms_take_no_longer(name: str) -> None:
    body, values, expected = HUGE[name]
    tree = Sum(body, k, ONE, N)
    with counting(afresh=True):
        found = evaluate(tree, {"N": 10**18, **values})
        assert OPERATIONS - operations().left < 10_000
    assert found == pytest.approx(float(expected), rel=1e-14)
    given_arrays = {name: np.array([value]) for name, value in values.items()}
    in_arrays = array.evaluate(tree, {"N": np.array([3.0, 1e18]), **given_arrays})
    assert in_arrays.tolist() == [evaluate(tree, {"N": 3, **values}), found]


@pytest.mark.parametrize(
    "body",
    [
        divide(ONE, add(ONE, multiply(k, k))),
        call("exp", divide(ONE, k)),
        multiply(k, Power(two, k)),
    ],
)
def test_others_are_added_up_as_far_as_a_command_may(body: Expression) -> None:
    tree = Sum(body, k, ONE, N)
    terms = [evaluate(body, {"k": n}) for n in range(1, 501)]
    assert evaluate(tree, {"N": 500}) == math.fsum(terms)
    with pytest.raises(TooMuch, match="more than the 10,000,000 operations of a command"):
        evaluate(tree, {"N": 10**18})


def test_what_its_terms_lack_a_sum_lacks() -> None:
    tree = Sum(multiply(k, divide(ONE, subtract(x, ONE))), k, ONE, N)
    with pytest.raises(EvaluationError, match="division by zero"):
        evaluate(tree, {"x": 1, "N": 10**18})


@pytest.mark.parametrize("terms", [1024, 400_000, 10**7, 10**18])
def test_a_sum_beyond_floats_is_told_whatever_the_budget(terms: int) -> None:
    tree = Sum(Power(two, k), k, ONE, N)
    with counting(afresh=True):
        with pytest.raises(EvaluationError, match=r"beyond 1\.8e308"):
            evaluate(tree, {"N": terms})
        assert OPERATIONS - operations().left < 10_000
    in_arrays = array.evaluate(tree, {"N": np.array([3.0, terms])})
    assert in_arrays.tolist() == pytest.approx([14, math.nan], nan_ok=True)


LONG = [
    (divide(ONE, k), lambda n: mpmath.harmonic(n)),
    (divide(ONE, add(k, x)), lambda n: mpmath.digamma(n + 3.5) - mpmath.digamma(3.5)),
    (call("ln", k), lambda n: mpmath.loggamma(n + 1)),
    (power(k, number("-2")), lambda n: mpmath.zeta(2) - mpmath.polygamma(1, n + 1)),
]


@pytest.mark.parametrize(("body", "reference"), LONG)
def test_long_sums_of_powers_and_logarithms_are_enclosed(
    body: Expression, reference: Callable[[int], mpmath.mpf]
) -> None:
    tree = Sum(body, k, ONE, N)
    for terms in (200_000, 10**18):
        with counting(afresh=True):
            found = evaluate(tree, {"N": terms, "x": 2.5})
            assert OPERATIONS - operations().left < 100_000
        with mpmath.workdps(60):
            assert found == pytest.approx(float(reference(terms)), rel=2e-16)
