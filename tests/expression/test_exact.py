"""Exact values: rational where they can be shown to be, and nothing that is not certain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.expression.construct import (
    add,
    call,
    divide,
    maximum,
    minimum,
    multiply,
    number,
    power,
    square_root,
    subtract,
)
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import (
    INFINITY,
    ONE,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Sum,
    Symbol,
)
from roofdsl.numeric.exact import MOST_EXACT_TERMS, exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.surd import Algebraic, Surd, difference_sign, floor, raise_to, root
from tests.expression.random_trees import points, rational_trees

N, P = Symbol("N", integer=True), Symbol("P", integer=True)
k = Symbol("k", integer=True, positive=False)
two, three = number(2), number(3)


def is_integer(tree: Expression) -> Expression:
    return Function("is_integer", (tree,))


def log2(tree: Expression) -> Expression:
    return call("log2", tree)


EXACT = {
    "square root": (square_root(P), {"P": 121}, 11),
    "irrational root": (square_root(P), {"P": 120}, None),
    "root of a fraction": (square_root(divide(P, number(4))), {"P": 9}, Fraction(3, 2)),
    "power 3/2": (power(P, number("3/2")), {"P": 4}, 8),
    "root times root": (multiply(square_root(P), square_root(P)), {"P": 120}, 120),
    "squared quotient by a root": (power(divide(N, square_root(P)), two), {"N": 7, "P": 5}, 9.8),
    "sum of like roots": (
        divide(add(square_root(two), square_root(number(8))), square_root(two)), {}, 3,
    ),
    "log2 of a power": (log2(N), {"N": 2**40}, 40),
    "log2 of a root": (log2(square_root(N)), {"N": 2**7}, Fraction(7, 2)),
    "log2 of another number": (log2(N), {"N": 100}, None),
    "log10": (call("log10", N), {"N": Fraction(1, 1000)}, -3),
    "log10 of a power of two": (call("log10", N), {"N": 8}, None),
    "log to another base": (call("log", N, number(8)), {"N": 4}, Fraction(2, 3)),
    "log to an irrational base": (call("log", N, square_root(two)), {"N": 4}, 4),
    "quotient of logs": (divide(log2(N), log2(P)), {"N": 9, "P": 3}, 2),
    "ln 1": (call("ln", N), {"N": 1}, 0),
    "exp 0": (call("exp", subtract(N, ONE)), {"N": 1}, 1),
    "exp 1": (call("exp", N), {"N": 1}, None),
    "lambertw 0": (Function("lambertw", (subtract(N, ONE), number(0))), {"N": 1}, 0),
    "ceil of a root": (call("ceil", square_root(P)), {"P": 120}, 11),
    "floor of a root": (call("floor", square_root(P)), {"P": 120}, 10),
    "floor below 0": (call("floor", subtract(ONE, square_root(P))), {"P": 120}, -10),
    "ceil of a logarithm": (call("ceil", log2(P)), {"P": 100}, 7),
    "ceil of a power's logarithm": (call("ceil", log2(P)), {"P": 128}, 7),
    "ceil of half a logarithm": (call("ceil", divide(log2(P), two)), {"P": 100}, 4),
    "ceil beyond floats": (call("ceil", divide(P, three)), {"P": 10**30}, (10**30 + 2) // 3),
    "whole root": (is_integer(square_root(P)), {"P": 121}, True),
    "root that is not whole": (is_integer(square_root(P)), {"P": 120}, False),
    "whole root beyond floats": (is_integer(square_root(P)), {"P": (10**20 + 1) ** 2}, True),
    "just beside it": (is_integer(square_root(P)), {"P": (10**20 + 1) ** 2 + 1}, False),
    "logarithm that is not whole": (is_integer(log2(P)), {"P": 100}, False),
    "root plus one": (is_integer(add(square_root(P), ONE)), {"P": 2}, False),
    "product of unlike roots": (
        is_integer(multiply(square_root(two), log2(three))), {}, False,
    ),
    "root and fraction": (Comparison("<", square_root(two), number("1.4142136")), {}, True),
    "root and logarithm": (Comparison("<", square_root(P), log2(P)), {"P": 10}, True),
    "logarithms": (Comparison("==", log2(N), multiply(two, log2(P))), {"N": 9, "P": 3}, True),
    "never equal": (Comparison("==", log2(N), number("3.17")), {"N": 9}, False),
    "max of a root and a fraction": (maximum(square_root(two), number("1.5")), {}, 1.5),
    "min of a logarithm and a number": (minimum(log2(three), number(1)), {}, 1),
    "max that is irrational": (maximum(log2(three), number(1)), {}, None),
    "branch by an irrational": (
        Conditional(Comparison(">", log2(P), number(6)), N, P), {"N": 1, "P": 100}, 1,
    ),
    "or": (Logic("or", (Comparison("<", N, two), is_integer(log2(three)))), {"N": 1}, True),
    "sum of fractions": (Sum(Divide(ONE, k), k, ONE, N), {"N": 4}, Fraction(25, 12)),
    "sum of rounded logarithms": (Sum(call("ceil", log2(k)), k, ONE, N), {"N": 9, "k": 5}, 21),
    "sum of powers": (Sum(k, k, ONE, N), {"N": MOST_EXACT_TERMS + 1}, 200_030_001),
    "sum that is too long": (Sum(Divide(ONE, k), k, ONE, N), {"N": MOST_EXACT_TERMS + 1}, None),
    "too many digits": (power(N, number(100_000)), {"N": 3}, None),
    "a tower": (Power(number(9), Power(number(9), Power(number(9), number(9)))), {}, None),
    "infinity": (INFINITY, {}, None),
    "one over infinity": (divide(ONE, INFINITY), {}, 0),
}  # fmt: skip


@pytest.mark.parametrize(("tree", "values", "expected"), EXACT.values(), ids=list(EXACT))
def test_values(tree: Expression, values: Mapping[str, object], expected: object) -> None:
    given_values = {name: Fraction(str(value)) for name, value in values.items()}
    value = exact(tree, given_values)
    if isinstance(expected, bool) or expected is None:
        assert value is expected
    else:
        assert isinstance(value, Fraction)
        assert value == Fraction(str(expected))


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (Divide(ONE, subtract(N, N)), "division by zero"),
        (Power(subtract(N, N), number(-1)), "division by zero"),
        (square_root(subtract(ONE, N)), "a root of -1, which is below 0"),
        (log2(subtract(N, N)), "log2 of 0, which is not above 0"),
        (call("log", N, subtract(N, ONE)), "a logarithm to the base 1"),
        (Symbol("missing"), "'missing' has no value"),
    ],
)
def test_failures(tree: Expression, reason: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        exact(tree, {"N": Fraction(2)})
    assert raised.value.reason == reason


@given(rational_trees, points)
def test_arithmetic_is_done_with_fractions(tree: Expression, point: Mapping[str, Fraction]) -> None:
    values: dict[int, Fraction] = {}
    try:
        for node in bottom_up(tree):
            values[id(node)] = _by_hand(node, values, point)
    except ZeroDivisionError:
        with pytest.raises(EvaluationError, match="division by zero"):
            exact(tree, point)
        return
    assert exact(tree, point) == values[id(tree)]


def _by_hand(
    node: Expression, values: Mapping[int, Fraction], point: Mapping[str, Fraction]
) -> Fraction:
    match node:
        case Number(value):
            return value
        case Symbol(name):
            return point[name]
        case Add(terms):
            return sum((values[id(term)] for term in terms), start=Fraction(0))
        case Multiply(factors):
            return math.prod((values[id(factor)] for factor in factors), start=Fraction(1))
        case Divide(above, below):
            return values[id(above)] / values[id(below)]
        case Power(base, exponent):
            whole = values[id(exponent)]
            assume(whole.denominator == 1)
            return Fraction(values[id(base)] ** whole.numerator)
    raise TypeError(node)


fractions = st.fractions(Fraction(1, 50), 50, max_denominator=50)


@given(fractions, fractions, st.integers(1, 6), st.integers(1, 6))
def test_roots_compare_as_their_powers(
    left: Fraction, right: Fraction, first: int, second: int
) -> None:
    sign = (left**second > right**first) - (left**second < right**first)
    assert difference_sign(short(1, left, first), short(1, right, second)) == sign
    assert difference_sign(short(-1, left, first), short(-1, right, second)) == -sign
    whole = floor(short(1, left, first))
    assert whole**first <= left < (whole + 1) ** first


def short(sign: int, radicand: Fraction, degree: int) -> Algebraic:
    """Return a root that is not too long to hold."""
    found = root(sign, radicand, degree)
    assert found is not None
    return found


@given(fractions, st.integers(1, 6))
def test_a_root_raised_to_its_degree_is_the_number(value: Fraction, degree: int) -> None:
    assert raise_to(short(1, value, degree), Fraction(degree)) == value
    assert raise_to(value, Fraction(1, degree)) == root(1, value, degree)


def test_surds_are_in_lowest_terms() -> None:
    assert root(1, Fraction(4), 4) == Surd(1, Fraction(2), 2)
    assert root(-1, Fraction(64), 6) == Fraction(-2)
