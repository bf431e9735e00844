"""Normal forms and generalised polynomials: equal things look equal, nothing changes its value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.expression.normalise import constant_value, normal_form
from roofdsl.expression.polynomial import polynomial
from roofdsl.expression.product import Product
from roofdsl.expression.sign import sign
from roofdsl.expression.tree import INFINITY, Function, Number, Sum, Symbol
from tests.solver.thesis import RESOURCES, kernels
from tests.solver.writing import (
    Formula,
    N,
    P,
    array,
    call,
    ceil,
    formula,
    largest,
    log2,
    name,
    precise,
    sqrt,
    tree,
    when,
)

M = name("M")

EQUAL = {
    "multiplied out": ((N + 1) ** 3, N**3 + 3 * N**2 + 3 * N + 1),
    "root of a square": (sqrt(9 * N**2), 3 * N),
    "root of a number": (sqrt(formula(2048)) * N, 32 * sqrt(formula(2)) * N),
    "roots of roots": (sqrt(formula(2)) * sqrt(formula(6)), 2 * sqrt(formula(3))),
    "cube root": (formula(54) ** formula("1/3"), 3 * formula(2) ** formula("1/3")),
    "one over a root": (1 / sqrt(formula(8)), sqrt(formula(2)) / 4),
    "log of a quotient": (log2(N**2 / P), 2 * log2(N) - log2(P)),
    "log of a root": (log2(sqrt(N)), log2(N) / 2),
    "log of a number": (log2(formula(48)), 4 + log2(formula(3))),
    "log of a sum": (log2(2 * P + 2), 1 + log2(P + 1)),
    "ln": (call("ln", N**2), 2 * call("ln", N)),
    "log10": (call("log10", 50 * N), 2 + call("log10", N) - call("log10", 2)),
    "log10 of 5": (call("log10", 5) * N, N - N * call("log10", 2)),
    "log to a base": (call("log", N / 8, M), (log2(N) - 3) / log2(M)),
    "log to base 8": (call("log", N, 8), log2(N) / 3),
    "quotient of numbers' logs": (call("log", 81, 27), formula("4/3")),
    "factor divided out": ((N + 1) * P / (N + 1), P),
    "common factor divided out": ((2 * N + 2) / (N + 1), formula(2)),
    "power of a power of 2": (formula(2) ** (3 * log2(N) + 1), 2 * N**3),
    "exp of ln": (call("exp", 2 * call("ln", N)), N**2),
    "exp": (call("exp", formula(0)), formula(1)),
    "whole number rounded": (ceil(log2(formula(128))), formula(7)),
    "root squared": (sqrt(P + 1) ** 2, P + 1),
    "choice of equals": (largest(N + P, P + N), N + P),
    "decided choice": (when(P - P, "<", 1, N, P), N),
    "absolute value": (call("abs", -2 * N), 2 * N),
    "same ceil": (3 * ceil(N / 7) - ceil(N / 7), 2 * ceil(N / 7)),
    "time without limit": (N / Formula(INFINITY) + P, P),
    "unrolled sum": (
        Formula(Sum(tree(name("k") * N), Symbol("k"), Number(Fraction(1)), Number(Fraction(4)))),
        10 * N,
    ),
}


@pytest.mark.parametrize("case", EQUAL)
def test_equal_formulas_have_one_normal_form(case: str) -> None:
    left, right = EQUAL[case]
    difference = normal_form(tree(left - right), "N")
    assert difference is not None and not difference


def total(body: Formula, low: Formula | int, high: Formula | int) -> Formula:
    return Formula(Sum(tree(body), Symbol("k"), tree(low), tree(high)))


SUMS = [
    (total(name("k") * P, 1, N), P * N * (N + 1) / 2),
    (total(name("k") ** 2 + 1, 0, N - 1), N * (N - 1) * (2 * N - 1) / 6 + N),
    (total(P, 1, N), N * P),
    (total(total(N * name("k"), 1, N), 1, 2), N**2 * (N + 1)),
]


@pytest.mark.parametrize(("what", "closed"), SUMS)
def test_sums_over_an_index_up_to_a_name(what: Formula, closed: Formula) -> None:
    difference = normal_form(tree(what - closed), "N")
    assert difference is not None and not difference


@pytest.mark.parametrize(
    "what",
    [
        total(1 / name("k"), 1, N),
        total(log2(name("k")), 1, N),
        total(name("k"), 1, N / 2),
        total(name("k"), 1, N - 5),
        total(name("k"), 1, M),
        total(ceil(name("k") / 3), 1, N),
    ],
)
def test_other_sums_stay_as_they_are(what: Formula) -> None:
    form = normal_form(tree(what))
    assert form is not None
    assert [atom for powers in form.terms for atom, _ in powers] == [what.tree]


DIFFERENT = {
    "root of a square that may be negative": (
        sqrt(Formula(Symbol("t", positive=False)) ** 2),
        Formula(Symbol("t", positive=False)),
    ),
    "root of a product of what may be negative": (
        sqrt((P - 1) * (M - 2)),
        sqrt(P - 1) * sqrt(M - 2),
    ),
    "different ceils": (ceil(N / 7), ceil(N / 8)),
    "nearly equal numbers": (N * formula("1.00000000000000000001"), N),
    "logarithms": (log2(formula(3)), formula("1.5849625007211561814537389439478165")),
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_different_formulas_stay_different(case: str) -> None:
    left, right = DIFFERENT[case]
    difference = normal_form(tree(left - right))
    assert difference is not None and difference


def test_the_unknown_is_taken_for_positive() -> None:
    t = Symbol("t", positive=False)
    root = tree(sqrt(Formula(t) ** 2) - Formula(t))
    assert normal_form(root)
    assert normal_form(root, "t") is not None and not normal_form(root, "t")


@pytest.mark.parametrize(
    ("what", "degrees"),
    [
        (N**3 / P + N, {(3, 0), (1, 0)}),
        (N * log2(N**2 / P), {(1, 1), (1, 0)}),
        (sqrt(N) * log2(sqrt(N)), {(Fraction(1, 2), 1)}),
        ((N + 1) * (log2(N) + 2), {(1, 1), (1, 0), (0, 1), (0, 0)}),
        (P * ceil(P / 3) + N, {(0, 0), (1, 0)}),
        (1 / (N**2 * log2(N)), {(-2, -1)}),
        ((N - P) ** 2 - N**2 - P**2, {(1, 0)}),
        (N - N, set()),
    ],
)
def test_degrees(what: Formula, degrees: set[tuple[int, int]]) -> None:
    found = polynomial(tree(what), "N")
    assert found is not None and {tuple(degree) for degree in found.terms} == degrees


@pytest.mark.parametrize(
    "what",
    [ceil(N / 2), largest(N, P), 1 / (N + P), sqrt(N + P), log2(N + 1), formula(2) ** N, N**P],
)
def test_what_is_no_polynomial(what: Formula) -> None:
    assert polynomial(tree(what), "N") is None
    assert polynomial(tree(what), "other") is not None


def test_exact_cancellation_leaves_only_what_differs() -> None:
    left = polynomial(tree((N + 1) * log2(3 * N) + ceil(P / 2)), "N")
    right = polynomial(tree(N * log2(N) + N * log2(formula(3)) + log2(N) + ceil(P / 2)), "N")
    assert left is not None and right is not None
    difference = left - right
    assert {tuple(degree) for degree in difference.terms} == {(0, 0)}
    assert difference.tree() == Function("log2", (Number(Fraction(3)),))


def test_hopeless_expansions_are_given_up() -> None:
    big = (N + P + M + 1) ** 60
    assert normal_form(tree(big * big)) is None
    huge = formula(9) ** (formula(9) ** formula(9))
    assert polynomial(tree(N * huge), "N") is None
    shared: Formula = N
    for _ in range(200):
        shared = shared + shared
    assert polynomial(tree(shared), "N") is not None


def test_shared_subtrees_are_no_trouble_as_atoms() -> None:
    shared: Formula = N
    for _ in range(200):
        shared = ceil(shared + shared + M)
    assert normal_form(tree(shared)) is None


@pytest.mark.parametrize("model", kernels())
@pytest.mark.parametrize("unknown", ["N", "P"])
def test_thesis_work_is_polynomial_and_keeps_its_value(model: str, unknown: str) -> None:
    values = {
        "N": np.array([3.0, 100.0, 2.0**20]),
        "P": np.array([4.0, 128.0, 121.0]),
    }
    for resource, work in zip(RESOURCES, kernels()[model], strict=True):
        found = polynomial(work.tree, unknown)
        assert found is not None, resource
        assert array(found.tree(), values) == pytest.approx(array(work.tree, values), rel=1e-12)


exponents = st.sampled_from([formula(e) for e in ("1", "2", "3", "1/2", "-1", "3/2", "1/3")])
numbers = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50).map(formula)
monomials = st.recursive(
    st.one_of(numbers, st.just(N), st.just(P)),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b, inner, inner),
        st.builds(lambda a, e: a**e, inner, exponents),
    ),
    max_leaves=6,
)
polynomials = st.recursive(
    st.one_of(monomials, monomials.map(log2), monomials.map(lambda m: call("ln", m))),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b, inner, monomials),
    ),
    max_leaves=8,
)


@given(polynomials, st.sampled_from([(2, 3), (7, 5), (31, 2), (1000, 17)]))
def test_value_is_kept(what: Formula, point: tuple[int, int]) -> None:
    values = dict(zip("NP", point, strict=True))
    found = polynomial(what.tree, "N")
    assume(found is not None)  # too long
    assert found is not None
    size = sum(abs(precise(found.term(degree), values)) for degree in found.terms)
    difference = precise(found.tree(), values) - precise(what.tree, values)
    assert abs(difference) <= 1e-60 * size + 1e-80


@given(polynomials, polynomials)
def test_sums_cancel_exactly(first: Formula, second: Formula) -> None:
    left = polynomial(tree((first + second) * (first + second)), "N")
    right = polynomial(tree(first * first + second * second + 2 * second * first), "N")
    assume(left is not None and right is not None)  # too long
    assert left is not None and right is not None
    assert not (left - right).terms


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        (log2(formula(9)) - 3, 1),
        (sqrt(formula(2)) - formula("1.5"), -1),
        (P - 1, 1),
        (1 - P, -1),
        (N * P - N, 1),
        ((P - 1) * log2(P), 1),
        (P - 2, None),
        (M - 1, None),
        (M + 1 / M, 1),
        (log2(formula(3)) - formula("1.5849625007211561814537389439478165"), None),
        (call("max", log2(formula(3)), 2) - 3, -1),
        (ceil(log2(formula(100))) - sqrt(formula(48)), 1),
    ],
)
def test_sign(what: Formula, expected: int | None) -> None:
    form = normal_form(tree(what))
    assert form is not None and sign(form) == expected


def test_constant_value() -> None:
    assert constant_value(tree(sqrt(formula(2)) * sqrt(formula(8)))) == 4
    assert constant_value(tree(sqrt(formula(2)))) is None


def test_a_product_is_written_as_a_fraction() -> None:
    form = normal_form(tree(N**2 - N**2 / P))
    assert form is not None and form.tree() == tree(N**2 * (P - 1) / P)
    assert isinstance(form.product, Product)
