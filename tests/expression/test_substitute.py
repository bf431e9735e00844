"""Laws of substitution: simultaneous, sharing kept, indices of sums untouched."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given

from roofdsl.expression.construct import add, divide, multiply, number, power
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import (
    ONE,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Number,
    Sum,
    Symbol,
)
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from tests.expression.random_trees import points, trees

N, P, k = Symbol("N", integer=True), Symbol("P", integer=True), Symbol("k", integer=True)


@given(trees, points)
def test_putting_numbers_in_is_evaluating(tree: Expression, point: Mapping[str, Fraction]) -> None:
    numbers = {name: Number(value) for name, value in point.items()}
    closed = substitute(tree, numbers)
    assert free_symbols(closed) == ()
    try:
        value = exact(tree, point)
    except EvaluationError:
        return
    if value is not None:
        assert exact(closed, {}) == value


@given(trees, trees, points)
def test_a_formula_put_in_counts_with_its_value(
    tree: Expression, inner: Expression, point: Mapping[str, Fraction]
) -> None:
    try:
        known = exact(inner, point)
        if known is None:
            return
        expected = exact(tree, {**point, "N": known})
        found = exact(substitute(tree, {"N": inner}), point)
    except EvaluationError:
        return
    assert expected is None or found is None or found == expected


@given(trees)
def test_nothing_to_replace_gives_the_same_object(tree: Expression) -> None:
    assert substitute(tree, {"absent": ONE}) is tree
    assert substitute(tree, {}) is tree
    names = {symbol.name: symbol for symbol in free_symbols(tree)}
    assert substitute(tree, names) is tree


def test_all_at_once() -> None:
    assert substitute(divide(N, P), {"N": P, "P": N}) == divide(P, N)


def test_sharing_is_kept() -> None:
    tree: Expression = N
    for _ in range(100):
        tree = Divide(tree, tree)
    changed = substitute(tree, {"N": P})
    assert len(bottom_up(changed)) == 101


def test_an_index_is_not_replaced() -> None:
    total = Sum(multiply(k, N), k, ONE, k)  # the bound is another k
    changed = substitute(total, {"k": P, "N": number(5)})
    assert changed == Sum(multiply(k, number(5)), k, ONE, P)


def test_an_index_is_renamed_rather_than_captured() -> None:
    total = Sum(multiply(k, N), k, ONE, number(3))
    changed = substitute(total, {"N": add(k, ONE)})
    assert evaluate(changed, {"k": 10}) == (1 + 2 + 3) * 11
    assert [symbol.name for symbol in free_symbols(changed)] == ["k"]


def test_sums_within_sums() -> None:
    inner = Sum(multiply(k, N), k, ONE, k)  # k outside, k inside
    outer = Sum(inner, k, ONE, number(3))
    assert evaluate(outer, {"N": 1}) == 1 + 3 + 6
    assert evaluate(substitute(outer, {"N": number(2)}), {}) == 20


def test_decided_branches_are_taken() -> None:
    tree = Conditional(Comparison(">", N, ONE), power(P, number(2)), P)
    assert substitute(tree, {"N": number(3)}) == power(P, number(2))


@pytest.mark.parametrize(
    ("tree", "names"),
    [
        (divide(add(P, N), P), ["P", "N"]),
        (Sum(multiply(N, k), k, ONE, P), ["N", "P"]),
        (add(Sum(k, k, ONE, N), k), ["N", "k"]),
        (Conditional(Comparison("<", P, ONE), N, k), ["P", "N", "k"]),
        (ONE, []),
    ],
)
def test_free_symbols_in_order_of_appearance(tree: Expression, names: list[str]) -> None:
    assert [symbol.name for symbol in free_symbols(tree)] == names
