"""Arrays: broadcasting, blocks, undefined points, sums with a length of their own everywhere."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import pytest

from roofdsl.expression import tree as trees
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
from roofdsl.expression.tree import INFINITY, ONE, ZERO, Expression, Symbol
from roofdsl.numeric import scalar
from roofdsl.numeric.array import BLOCK, evaluate
from roofdsl.numeric.failure import EvaluationError

N, P, x = Symbol("N", integer=True), Symbol("P", integer=True), Symbol("x")
k = Symbol("k", integer=True, positive=False)
two = number(2)


def same(found: np.ndarray, expected: Sequence[float]) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_shapes() -> None:
    tree = divide(N, P)
    column = np.arange(1, 4)[:, None]
    assert evaluate(tree, {"N": column, "P": np.arange(1, 6)}).shape == (3, 5)
    assert evaluate(tree, {"N": 6, "P": 4}) == 1.5
    assert evaluate(number(7), {"N": [1, 2, 3]}).tolist() == [7, 7, 7]
    assert evaluate(N, {"N": np.empty((0, 3))}).shape == (0, 3)
    with pytest.raises(ValueError, match="broadcast"):
        evaluate(tree, {"N": [1, 2, 3], "P": [1, 2]})


def test_the_given_arrays_are_not_changed() -> None:
    given = np.array([1.0, 2.0])
    result = evaluate(N, {"N": given})
    result[0] = 5
    assert given[0] == 1


@pytest.mark.parametrize("shape", [(3 * BLOCK + 7,), (5, BLOCK // 2), (1, 3 * BLOCK), (BLOCK, 3)])
def test_large_arrays_go_block_by_block(shape: tuple[int, ...]) -> None:
    generator = np.random.default_rng(1)
    values = {"N": generator.integers(1, 10**6, shape), "P": generator.integers(1, 9, shape[-1:])}
    tree = add(divide(power(N, number(3)), P), square_root(N), power(P, number(4)))
    found = evaluate(tree, values)
    n, p = values["N"].astype(float), values["P"].astype(float)
    np.testing.assert_allclose(found, n**3 / p + np.sqrt(n) + p**4, rtol=1e-14)


@pytest.mark.parametrize(
    ("tree", "points"),
    [
        (trees.Divide(ONE, N), [0, 1, 2]),
        (call("log2", N), [-1, 0, 1]),
        (square_root(N), [-4, 0, 4]),
        (power(N, number("1/3")), [-8, 0, 8]),
        (power(N, number(-1)), [0, 1]),
        (call("exp", N), [1000, 1]),
        (multiply(N, N), [1e200, -1e200, 3]),
        (divide(ONE, multiply(N, N)), [1e200, 3]),
        (add(N, N), [1.7e308, 3]),
        (call("min", trees.Divide(ONE, N), two), [0, 1]),
        (call("log", two, N), [-1, 0, 1, 8]),
        (trees.Function("lambertw", (N, ZERO)), [-1, 0, 1]),
        (trees.Function("lambertw", (N, number(-1))), [-1, -0.1, 0, 1]),
        (trees.Sum(k, k, ONE, N), [-3, 0, 1, 1.5, 10, 1e9]),
        (trees.Sum(trees.Divide(ONE, subtract(k, two)), k, ONE, N), [1, 2]),
        (trees.Conditional(trees.Comparison(">", trees.Divide(ONE, N), ONE), N, two), [0, 0.5, 2]),
        (call("ceil", trees.Divide(ONE, N)), [0, 0.3]),
    ],
)
def test_a_point_where_floats_fail_is_nan(tree: Expression, points: list[float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = evaluate(tree, {"N": points})
    for value, point in zip(found, points, strict=True):
        try:
            expected = scalar.evaluate(tree, {"N": point})
        except EvaluationError:
            assert np.isnan(value), point
        else:
            assert value == pytest.approx(expected, rel=1e-14), point


def test_a_branch_not_taken_may_be_undefined() -> None:
    tree = trees.Conditional(
        trees.Comparison(">", N, ONE), trees.Divide(ONE, subtract(N, ONE)), ZERO
    )
    same(evaluate(tree, {"N": [1, 2, 3]}), [0, 1, 0.5])


def test_conditions() -> None:
    inverse = trees.Comparison(">", trees.Divide(ONE, N), number("0.3"))
    assert evaluate(inverse, {"N": [0, 2, 4]}).tolist() == [False, True, False]
    negated = trees.Logic("not", (inverse,))
    assert evaluate(negated, {"N": [0, 2, 4]}).tolist() == [False, False, True]
    either = trees.Logic("or", (trees.Comparison("==", N, ZERO), inverse))
    assert evaluate(either, {"N": [0, 2, 4]}).tolist() == [True, True, False]
    both = trees.Logic("and", (trees.Comparison("!=", N, ZERO), inverse))
    assert evaluate(both, {"N": [0, 2, 4]}).tolist() == [False, True, False]
    whole = trees.Function("is_integer", (square_root(N),))
    assert evaluate(whole, {"N": [120, 121]}).tolist() == [False, True]


def test_booleans() -> None:
    tree = trees.Conditional(Symbol("causal"), divide(N, two), N)
    same(evaluate(tree, {"causal": [True, False], "N": 8}), [4, 8])


def test_infinity() -> None:
    same(evaluate(divide(N, INFINITY), {"N": [1, 2]}), [0, 0])
    same(evaluate(multiply(N, INFINITY), {"N": [1, 2]}), [np.inf, np.inf])
    at = {"N": [1, 2]}
    assert evaluate(trees.Comparison(">", INFINITY, N), at).tolist() == [True, True]
    assert evaluate(trees.Comparison("==", INFINITY, N), at).tolist() == [False, False]
    assert evaluate(trees.Comparison("==", multiply(N, INFINITY), INFINITY), at).tolist() == [
        True,
        True,
    ]


def test_jumps_within_a_few_roundings() -> None:
    tree = call("ceil", multiply(N, number("0.1"), number(10)))
    same(evaluate(tree, {"N": np.arange(1, 2000)}), list(range(1, 2000)))
    same(evaluate(call("floor", call("log", N, number(5))), {"N": [124, 125, 126]}), [2, 3, 3])


def test_sums_of_many_terms_are_precise() -> None:
    tree = trees.Sum(divide(ONE, k), k, ONE, N)
    found = evaluate(tree, {"N": [10, 10**5]})
    same(found, [scalar.evaluate(tree, {"N": 10}), scalar.evaluate(tree, {"N": 10**5})])


def test_nested_sums_with_bounds_of_their_own() -> None:
    j = Symbol("j", integer=True)
    tree = trees.Sum(trees.Sum(multiply(j, k), j, k, N), k, ONE, P)
    values = {"N": np.array([3, 5]), "P": np.array([2, 4])}
    expected = [
        sum(j * k for k in range(1, p + 1) for j in range(k, n + 1)) for n, p in [(3, 2), (5, 4)]
    ]
    same(evaluate(tree, values), expected)


def test_a_name_without_a_value() -> None:
    with pytest.raises(EvaluationError, match="'P' has no value"):
        evaluate(divide(N, P), {"N": [1]})


def test_large_whole_numbers() -> None:
    same(evaluate(negate(N), {"N": [10**30, 2**63]}), [-1e30, -(2.0**63)])
