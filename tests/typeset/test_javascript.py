"""Formulas in JavaScript give the numbers that Python gives; no text of a user gets into them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.expression.construct import add, call, divide, multiply, negate, number, power
from roofdsl.expression.tree import (
    INFINITY,
    ONE,
    ZERO,
    Comparison,
    Conditional,
    Expression,
    Function,
    Logic,
    Number,
    Sum,
    Symbol,
)
from roofdsl.numeric import array, scalar
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.typeset.javascript import exact_prelude, javascript, prelude
from tests.expression.random_trees import SYMBOLS, conditions, points, trees
from tests.expression.reference import Reference, Undefined
from tests.typeset.node import NODE, Node, function_of
from tests.typeset.writing import HOSTILE, deep, doubled, formula

needs_node = pytest.mark.skipif(NODE is None, reason="node is missing: no JavaScript is run")
NAMES = [symbol.name for symbol in SYMBOLS]


def python(tree: Expression, values: Mapping[str, float]) -> float:
    """Return a value as Python computes it, NaN where there is none."""
    try:
        return scalar.evaluate(tree, values)
    except EvaluationError:
        return math.nan


def assert_same(value: float | bool, expected: float | bool, tolerance: float = 1e-12) -> None:
    if isinstance(expected, bool):
        assert value is expected
    elif math.isnan(expected):
        assert math.isnan(value)
    else:
        assert math.isclose(value, expected, rel_tol=tolerance, abs_tol=1e-300)


@needs_node
@given(st.lists(st.one_of(trees, conditions), min_size=1, max_size=3), points)
def test_random_formulas(
    node: Node, drawn: Sequence[Expression], point: Mapping[str, Fraction]
) -> None:
    values = {name: float(point[name]) for name in NAMES}
    results = node.call(function_of(drawn, NAMES), list(values.values()))
    for tree, result in zip(drawn, results, strict=True):
        try:
            expected = Reference(tree, point)
        except Undefined:
            assert math.isnan(result)
            continue
        assume(not expected.delicate and not expected.touched)
        assert_same(result, python(tree, values), 1e-9 if expected.cancelled else 1e-12)


# Whether a formula is a fraction, in the arithmetic of fractions; true where that is too long.
_EXACTLY = """(() => {
%s
return (p) => {
  try {
    return [order(%s, new Fraction(%sn, %sn)) === 0];
  } catch (error) {
    return [error instanceof RangeError];
  }
};
})()"""


@needs_node
@given(trees, points)
def test_random_formulas_in_fractions(
    node: Node, tree: Expression, point: Mapping[str, Fraction]
) -> None:
    values = {name: float(point[name]) for name in NAMES}
    try:
        wanted = exact(tree, {name: Fraction(repr(value)) for name, value in values.items()})
    except EvaluationError:
        wanted = None
    assume(isinstance(wanted, Fraction))
    assert isinstance(wanted, Fraction)
    text = javascript(tree, {name: f"p[{place}]" for place, name in enumerate(NAMES)})
    code = _EXACTLY % (exact_prelude(), text, wanted.numerator, wanted.denominator)
    assert node.call(code, list(values.values())) == [True]


x, y = Symbol("x"), Symbol("y")
k = Symbol("k")
BOUNDARIES = [
    (divide(number(1), x), [0.0, 1e-320, math.inf]),
    (divide(number(1), divide(number(1), x)), [0.0, math.inf]),
    (multiply(x, INFINITY), [0.0, 1.0]),
    (add(x, multiply(number(-1), INFINITY)), [math.inf, 1.0]),
    (multiply(x, x), [1e200, 1e-200, math.inf]),
    (multiply(x, x, divide(number(1), x)), [1e200, 1e-200, 1e-160, 0.0]),
    (multiply(x, x, number("1e300")), [1e-200, 1e200, 1e-300]),
    (add(x, x, x), [1e308, math.inf, 5e307]),
    (Function("exp", (x,)), [1000.0, -1000.0, math.inf, 1.0]),
    (Function("log2", (x,)), [0.0, -1.0, 8.0, math.inf, 1e-320]),
    (Function("log10", (x,)), [0.0, 1000.0, 1e15, -3.0]),
    (Function("ln", (x,)), [0.0, 1.0, math.inf]),
    (Function("log", (x, number(5))), [125.0, 0.0, 3125.0, 7.0]),
    (Function("log", (number(5), x)), [1.0, 0.0, 25.0]),
    (power(x, number(-1)), [0.0, 4.0, math.inf]),
    (power(x, number("1/2")), [-1.0, 16.0, math.inf]),
    (power(x, number("1/3")), [-8.0, 27.0, 1e300]),
    (power(x, number(4)), [1e100, 3.0, -2.0]),
    (power(x, number(3)), [1e200, -2.0, 0.1]),
    (power(x, number("7/2")), [-1.0, 1e300, 2.0]),
    (power(number(1), x), [math.inf, 3.0]),
    (power(divide(number(0), x), x), [0.0, 2.0]),
    (Function("min", (x, divide(number(1), x))), [0.0, 4.0]),
    (Function("max", (x, number(3))), [math.inf, 1.0]),
    (Function("abs", (x,)), [-3.0, math.inf]),
    (Function("ceil", (multiply(x, number(10)),)), [0.1, 0.3, 1.23, math.inf]),
    (Function("floor", (multiply(x, number(10)),)), [0.7, 0.29, -1.23]),
    (Function("is_integer", (multiply(x, number(3)),)), [1 / 3, 0.5, math.inf]),
    (Comparison("<", x, INFINITY), [5.0, math.inf]),
    (Comparison("==", INFINITY, x), [5.0, math.inf]),
    (Comparison(">=", divide(x, number(3)), number("1/3")), [1.0, 0.99]),
    (Conditional(Comparison(">", x, number(0)), divide(number(1), x), number(7)), [0.0, 4.0]),
    (Conditional(Comparison(">", divide(number(1), x), number(0)), x, number(7)), [0.0, 4.0]),
    (
        Logic("and", (Comparison(">", x, number(0)), Comparison(">", divide(number(1), x), x))),
        [0.0, 0.5, 4.0],
    ),
    (
        Logic("and", (Comparison(">", divide(number(1), x), x), Comparison(">", x, number(0)))),
        [0.0, 0.5],
    ),
    (Logic("or", (Comparison("<", x, number(1)), Comparison(">", divide(x, number(0)), x))), [0.0]),
    (Logic("not", (Comparison("!=", divide(number(1), x), x),)), [0.0, 1.0]),
    (Sum(multiply(k, x), k, number(1), x), [10.0, 0.0, 1e5, 2e6, math.inf]),
    (Sum(divide(number(1), k), k, x, number(3)), [0.0, 1.0, 2.5, 9.0]),
    (Sum(Sum(multiply(k, y), y, number(1), k), k, number(1), x), [5.0, 1500.0]),
    (add(Sum(k, k, number(1), x), multiply(number(2), Sum(k, k, number(0), x))), [6e5, 4e5]),
    (Sum(power(k, number(12)), k, ONE, x), [1e20, 1e30, math.inf]),
    (Sum(divide(ONE, k), k, ONE, x), [1e20, math.inf]),
    (Sum(divide(ONE, k), k, ZERO, x), [1e3, 1e20]),
    # Terms that cancel: while they are whole numbers, nothing of the sum is lost.
    (Sum(add(x, ONE, multiply(number(-2), k)), k, ONE, x), [300.0, 1e6, 3e7 + 1, 1e12]),
    (number(10**400), [0.0]),
    (divide(x, number("1e-300")), [1e-300, 1e10]),
]  # fmt: skip


@needs_node
@pytest.mark.parametrize(("tree", "values"), BOUNDARIES)
def test_what_has_no_value_is_the_same(
    node: Node, tree: Expression, values: Sequence[float]
) -> None:
    for value in values:
        (result,) = node.call(function_of([tree], ["x"]), [value])
        assert_same(result, python(tree, {"x": value}))


def over(body: Expression, low: Expression = ONE) -> Expression:
    return Sum(body, k, low, x)


SUMS = [
    over(power(k, number(2))),
    over(power(k, number(12)), ZERO),
    over(number("1/3")),
    over(multiply(divide(k, number(7)), add(x, negate(k))), number(-1000)),
    over(power(add(multiply(number("0.1"), k), number(3)), number(5))),
    over(power(k, number(2)), add(x, number(-1000))),
    over(multiply(k, number("0.3")), add(x, number(-5000))),
    over(divide(number(3), k)),
    over(power(k, number(-2))),
    over(power(k, number("1/2"))),
    over(divide(ONE, add(k, number("1/2")))),
    over(divide(ONE, add(k, number("-1/2")))),
    over(multiply(k, Function("log2", (multiply(number(3), k),)))),
    over(Function("ln", (add(k, ONE),))),
    over(Function("ln", (add(k, ONE),)), ZERO),
    over(divide(Function("log10", (k,)), k)),
]


@needs_node
@pytest.mark.parametrize("tree", SUMS)
def test_sums_of_any_number_of_terms_are_the_same(node: Node, tree: Expression) -> None:
    code = function_of([tree], ["x"])
    for value in (1.0, 299.0, 300.0, 301.0, 511.0, 5003.0, 1e6, 3e7 + 1, 1e12, 1e18):
        expected = python(tree, {"x": value})
        assert not math.isnan(expected)
        assert_same(node.call(code, [value])[0], expected)


@needs_node
def test_other_sums_have_no_number_beyond_a_million_terms(node: Node) -> None:
    """Python has one: the page must stay quick."""
    shrinking = over(power(add(ONE, number("1e-9")), negate(k)))
    jumping = over(Function("max", (k, number(5))))
    for tree in (shrinking, jumping):
        one, other = (node.call(function_of([tree], ["x"]), [at])[0] for at in (1e6, 1e6 + 1))
        assert_same(one, python(tree, {"x": 1e6}))
        assert math.isnan(other) and not math.isnan(python(tree, {"x": 1e6 + 1}))


@needs_node
def test_truth_values_go_in_and_out(node: Node) -> None:
    fast = Symbol("fast")
    trees: list[Expression] = [
        Conditional(fast, number(1), number(2)),
        Logic("not", (fast,)),
        Comparison("==", fast, Comparison("==", number(1), number(1))),
    ]
    assert node.call(function_of(trees, ["fast"]), [True]) == [1.0, False, True]
    assert node.call(function_of(trees, ["fast"]), [False]) == [2.0, True, False]


@needs_node
@pytest.mark.parametrize("written", ["N^2", "N^3", "N^4", "sqrt(N)", "N*P + 2*N/P"])
def test_arithmetic_is_the_same_to_the_last_digit(node: Node, written: str) -> None:
    tree = formula(written)
    for value in (3.0, 0.1, 61952.0, 1.1e10):
        (result,) = node.call(function_of([tree], ["N", "P"]), [value, 7.0])
        exactly = {"N^3": value * value * value, "N^4": value * value * (value * value)}
        assert result == exactly.get(written, python(tree, {"N": value, "P": 7.0}))


@needs_node
def test_what_is_shared_is_computed_once(node: Node) -> None:
    tree = doubled(200)
    code = function_of([tree], ["N", "P"])
    assert len(code) < 20_000
    assert_same(node.call(code, [3.0, 0.5])[0], python(tree, {"N": 3.0, "P": 0.5}))


@needs_node
def test_deep_and_wide_formulas_run(node: Node) -> None:
    tree = deep(3000)
    values = {"N": 3.0, "P": 0.5}
    (result,) = node.call(function_of([tree], ["N", "P"]), list(values.values()))
    assert_same(result, python(tree, values))
    wide = Function("max", tuple(add(x, number(place)) for place in range(2_000)))
    assert node.call(function_of([wide], ["x"]), [1.0]) == [2_000.0]


@needs_node
def test_what_does_not_change_is_kept_out_of_loops(node: Node) -> None:
    square = power(add(x, number(1)), number("3/2"))
    inner = Sum(multiply(square, y, k), y, number(1), k)
    tree = add(Sum(multiply(square, inner), k, number(1), x), inner.high)
    code = function_of([tree], ["x", "k"])
    assert code == (
        "(p) => [known(evaluated(() => { const $2 = power(add(p[0], 1), 1.5); "
        "return add(sumOver(1, p[0], ($1) => multiply($2, sumOver(1, $1, ($3) => "
        "product($2, $3, $1), Infinity))), p[1]); }))]"
    )
    assert_same(node.call(code, [5.0, 7.0])[0], python(tree, {"x": 5.0, "k": 7.0}))


def test_names_become_identifiers() -> None:
    tree = multiply(Symbol("karst.flops"), Symbol("alert(1)"))
    assert javascript(tree) == "multiply(p[0], p[1])"
    names = {"karst.flops": "rate", "alert(1)": "state.values[3]"}
    assert javascript(tree, names) == "multiply(rate, state.values[3])"


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_a_user_is_code(name: str) -> None:
    tree = Sum(multiply(Symbol(name), x), Symbol(name + "k"), number(1), Symbol(name))
    assert javascript(tree) == (
        "evaluated(() => { const $2 = multiply(p[0], p[1]); "
        "return sumOver(1, p[0], ($1) => $2, Infinity); })"
    )
    with pytest.raises(ValueError, match="no identifier"):
        javascript(tree, {"x": "x"})
    if name:
        with pytest.raises(ValueError, match="not an identifier"):
            javascript(x, {"x": f"a {name}"})


def test_a_number_is_written_with_all_its_digits() -> None:
    shown = [javascript(Number(Fraction(text))) for text in ("8", "0.1", "1e22", "-1/3", "1e-7")]
    third = "fraction(-0.3333333333333333, -1n, 3n)"
    assert shown == ["8", "0.1", "1e+22", third, "1e-07"]


def test_the_prelude_has_no_way_out() -> None:
    for word in ("eval", "import", "require", "fetch", "window", "document", "globalThis"):
        assert not re.search(rf"\b{word}\b(?!d)", prelude() + exact_prelude())


N = Symbol("N")
SMALL = call("exp", negate(N))
"""At N = 1000 it is not 0, and nearer to it than floats go."""
TOO_SMALL = (
    divide(number(Fraction(1, 10**200)), power(number(10), divide(N, number(5)))),
    multiply(*[divide(ONE, power(number(10), divide(N, number(6))))] * 2),
    power(number(10), negate(N)),
    SMALL,
    multiply(number(7), N, SMALL),
    divide(SMALL, N),
    add(SMALL, SMALL),
    # Nobody knows how much: it may be more than 1.
    add(ONE, multiply(number(10**300), SMALL)),
    call("ln", SMALL),
    number(Fraction(1, 10**320)),
)
SMALL_BESIDE = {
    add(ONE, SMALL): 1,
    add(ONE, negate(SMALL)): 1,
    add(N, number(3), divide(SMALL, N)): 1003,
    divide(ZERO, N): 0,
    Sum(power(number(2), negate(Symbol("k"))), Symbol("k"), ONE, multiply(number(2), N)): 1,
}


@needs_node
def test_what_is_nearer_to_0_than_floats_go_has_no_value(node: Node) -> None:
    for tree in TOO_SMALL:
        with pytest.raises(EvaluationError, match=r"a number nearer to 0 than 2\.2e-308"):
            scalar.evaluate(tree, {"N": 1000})
        assert math.isnan(array.evaluate(tree, {"N": np.array([1.0, 1000.0])})[1])
        assert math.isnan(node.call(function_of([tree], ["N"]), [1000])[0])
    for tree, expected in SMALL_BESIDE.items():
        assert_same(python(tree, {"N": 1000}), expected)
        assert_same(node.call(function_of([tree], ["N"]), [1000])[0], expected)
