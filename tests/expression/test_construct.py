"""Constructors keep values, fold numbers exactly, and never let a formula explode."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.expression.condition import conditional, decided, join, truth
from roofdsl.expression.construct import (
    FOLD_BITS,
    add,
    call,
    divide,
    maximum,
    minimum,
    multiply,
    negate,
    number,
    power,
    square_root,
    subtract,
)
from roofdsl.expression.order import bottom_up, operands_of, weight
from roofdsl.expression.rational import integer_root, rational_logarithm, rational_power
from roofdsl.expression.substitute import constant, rebuild
from roofdsl.expression.tree import (
    HALF,
    INFINITY,
    ONE,
    ZERO,
    Add,
    Comparison,
    Divide,
    Expression,
    Function,
    Multiply,
    Number,
    Power,
    Symbol,
)
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from tests.expression.random_trees import points, rational_trees, trees

N, P = Symbol("N", integer=True), Symbol("P", integer=True)
two = number(2)

BUILT = {
    "sums are flattened": (add(add(N, P), N), Add((N, P, N))),
    "numbers are added in place": (add(N, two, P, number(3)), Add((N, number(5), P))),
    "zero is left out": (add(N, ZERO), N),
    "what cancels is left out": (add(N, two, number(-2)), N),
    "nothing adds up to zero": (add(), ZERO),
    "products are flattened": (multiply(multiply(N, P), N), Multiply((N, P, N))),
    "numbers are multiplied in place": (multiply(N, two, two), Multiply((N, number(4)))),
    "one is left out": (multiply(ONE, N), N),
    "nothing multiplies to one": (multiply(), ONE),
    "zero wins": (multiply(N, ZERO), ZERO),
    "but not over infinity": (multiply(INFINITY, ZERO), Multiply((INFINITY, ZERO))),
    "differences": (subtract(N, P), Add((N, Multiply((number(-1), P))))),
    "a sum less a sum": (subtract(N, add(P, N)), Add((N, Multiply((number(-1), Add((P, N))))))),
    "minus minus": (negate(negate(N)), N),
    "quotients of numbers": (divide(two, number(6)), number("1/3")),
    "by one": (divide(N, ONE), N),
    "zero by something": (divide(ZERO, N), ZERO),
    "by zero": (divide(N, ZERO), Divide(N, ZERO)),
    "zero by zero": (divide(ZERO, ZERO), Divide(ZERO, ZERO)),
    "whole powers": (power(two, number(10)), number(1024)),
    "roots": (square_root(number("9/4")), number("3/2")),
    "irrational roots": (square_root(two), Power(two, HALF)),
    "roots of negative numbers": (square_root(number(-4)), Power(number(-4), HALF)),
    "one over zero": (power(ZERO, number(-1)), Power(ZERO, number(-1))),
    "x^0": (power(N, ZERO), ONE),
    "x^1": (power(N, ONE), N),
    "minimum": (minimum(N, number(3), two), Function("min", (N, two))),
    "maximum": (maximum(maximum(N, P), two), Function("max", (N, P, two))),
    "of one": (maximum(N), N),
    "ceil": (call("ceil", number("-7/2")), number(-3)),
    "abs": (call("abs", number(-3)), number(3)),
}


@pytest.mark.parametrize(("built", "expected"), BUILT.values(), ids=list(BUILT))
def test_shape(built: Expression, expected: Expression) -> None:
    assert built == expected


@given(trees, points)
def test_rebuilding_keeps_the_value(tree: Expression, point: Mapping[str, Fraction]) -> None:
    rebuilt: dict[int, Expression] = {}
    for node in bottom_up(tree):
        rebuilt[id(node)] = rebuild(node, tuple(rebuilt[id(part)] for part in operands_of(node)))
    try:
        value = exact(tree, point)
    except EvaluationError:
        return  # 0·(1/0) may have become 0
    assert value is None or exact(rebuilt[id(tree)], point) == value


@given(rational_trees, points)
def test_numbers_fold_to_the_exact_value(tree: Expression, point: Mapping[str, Fraction]) -> None:
    numbers = {name: Number(value) for name, value in point.items()}
    folded: dict[int, Expression] = {}
    for node in bottom_up(tree):
        parts = tuple(folded[id(part)] for part in operands_of(node))
        folded[id(node)] = numbers[node.name] if isinstance(node, Symbol) else rebuild(node, parts)
    result = constant(folded[id(tree)])
    if result is not None:
        with suppress(EvaluationError):  # 0·(1/0) has become 0
            assert exact(tree, point) == result


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", Fraction(12)),
        ("-13.9", Fraction(-139, 10)),
        ("1.39e10", Fraction(13_900_000_000)),
        ("6.59E-11", Fraction(659, 10**13)),
        ("1/3", Fraction(1, 3)),
    ],
)
def test_numbers_are_read_exactly(text: str, value: Fraction) -> None:
    assert number(text).value == value


@pytest.mark.parametrize(
    "text",
    ["", "x", "1/0", "1e99999", "9e9999", "nan", "inf", "1_0", " 1", "1.5/2", "٣", "9" * 5000],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="number"):
        number(text)


def test_towers_of_powers_stay_small() -> None:
    nine = number(9)
    tower = power(nine, power(nine, power(nine, nine)))
    assert isinstance(tower, Power)
    product: Expression = nine
    for _ in range(40):
        product = multiply(product, product)
    for node in bottom_up(product):
        if isinstance(node, Number):
            assert node.value.numerator.bit_length() <= FOLD_BITS


@pytest.mark.parametrize("join_up", [add, multiply, maximum])
def test_doubling_over_and_over_stays_small(join_up) -> None:
    tree: Expression = N
    for step in range(200):
        tree = join_up(tree, tree) if step % 2 else join_up(tree, tree, P)
    assert len(bottom_up(tree)) < 500
    assert sum(len(operands_of(node)) for node in bottom_up(tree)) < 20_000


def test_a_shared_part_is_visited_once() -> None:
    tree: Expression = N
    for _ in range(60):
        tree = Divide(tree, tree)
    assert len(bottom_up(tree)) == 61
    assert weight(tree, 10**9) == 10**9


def test_a_deep_tree_does_not_overflow() -> None:
    tree: Expression = N
    for _ in range(20_000):
        tree = Power(tree, HALF)
    assert bottom_up(tree)[-1] is tree


@given(trees)
def test_operands_are_among_the_nodes(tree: Expression) -> None:
    for node in bottom_up(tree):
        assert {id(part) for part in operands_of(node)} <= {id(part) for part in bottom_up(node)}


def test_conditions() -> None:
    less = Comparison("<", number(1), two)
    assert decided(less) is True
    assert decided(Comparison("<", N, two)) is None
    assert conditional(less, N, P) is N
    assert conditional(truth(False), N, P) is P
    assert join("and", [True, None, False]) is None
    assert join("and", [False, None]) is False
    assert join("or", [None, True]) is None


@given(st.integers(0, 10**60), st.integers(1, 12))
def test_integer_root(value: int, degree: int) -> None:
    root = integer_root(value, degree)
    assert root**degree <= value < (root + 1) ** degree


@given(st.fractions(Fraction(1, 99), 99), st.integers(-6, 6), st.integers(1, 6))
def test_powers_and_logarithms_of_powers(base: Fraction, above: int, below: int) -> None:
    value = rational_power(base**below, Fraction(above, below), 10_000)
    assert value == base**above
    if base != 1:
        assert rational_logarithm(base**above, base**below) == Fraction(above, below)


def test_irrational_logarithms() -> None:
    assert rational_logarithm(Fraction(3), Fraction(2)) is None
    assert rational_logarithm(Fraction(1, 6), Fraction(36)) == Fraction(-1, 2)
    assert rational_logarithm(Fraction(12), Fraction(18)) is None
