"""SymPy's own objects are not confused with names; its habits do not leak into trees."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

from roofdsl.algebra.from_sympy import UnsupportedExpression, from_sympy
from roofdsl.algebra.to_sympy import to_sympy
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import (
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
from roofdsl.expression.tree import INFINITY, MINUS_ONE, ONE, Expression, Number, Symbol
from roofdsl.typeset.text import text

N, P = Symbol("N", integer=True), Symbol("P", integer=True)
k = Symbol("k", integer=True, positive=False)
x = sympy.Symbol("x", positive=True)
two = number(2)

# A tree, and how it reads after it has been to SymPy and back.
THERE_AND_BACK = {
    "log2": (call("log2", N), "log2(N)"),
    "three times log2": (multiply(number(3), call("log2", N)), "3*log2(N)"),
    "log2 squared": (power(call("log2", N), two), "log2(N)^2"),
    "over log2": (divide(N, call("log2", N)), "N/log2(N)"),
    "log10": (call("log10", N), "log10(N)"),
    "log10 and ln": (multiply(call("log10", N), call("ln", P)), "log10(N)*ln(P)"),
    "log to base 8": (call("log", N, number(8)), "log(N, 8)"),
    "log to a name": (call("log", N, P), "log(N, P)"),
    "log of a number": (call("log2", number(3)), "log2(3)"),
    "ln": (multiply(N, call("ln", P)), "N*ln(P)"),
    "ln of 2": (multiply(N, call("ln", two)), "N*ln(2)"),
    "square root": (divide(N, square_root(P)), "N/sqrt(P)"),
    "exp": (call("exp", negate(N)), "exp(-N)"),
    "negative power": (power(two, negate(N)), "1/2^N"),
    "difference": (subtract(ONE, N), "1 - N"),
    "difference of names": (subtract(P, N), "P - N"),
    "decimal": (multiply(number("13.9"), N), "13.9*N"),
    "fraction": (multiply(number("2/3"), N), "2*N/3"),
    "power of ten": (divide(N, number("1.39e10")), "N/1.39e10"),
    "maximum": (maximum(N, P), "max(N, P)"),
    "rounding": (call("ceil", divide(N, P)), "ceil(N/P)"),
    "absolute value": (call("abs", subtract(N, P)), "abs(N - P)"),
    "lambertw": (trees.Function("lambertw", (N, MINUS_ONE)), "lambertw(N, -1)"),
    "sum": (trees.Sum(power(k, two), k, ONE, N), "sum(k^2 for k in 1..N)"),
    "is integer": (trees.Function("is_integer", (square_root(P),)), "sqrt(P) is integer"),
    "condition": (
        trees.Conditional(
            trees.Logic("and", (Symbol("causal", positive=False), trees.Comparison(">", N, P))),
            divide(N, two),
            N,
        ),
        "if causal and N > P then N/2 else N",
    ),
    "infinity": (INFINITY, "∞"),
}


@pytest.mark.parametrize(("tree", "notation"), THERE_AND_BACK.values(), ids=list(THERE_AND_BACK))
def test_there_and_back(tree: Expression, notation: str) -> None:
    assert text(from_sympy(to_sympy(tree))) == notation


@pytest.mark.parametrize(
    "name", ["N", "E", "I", "S", "Q", "O", "C", "beta", "gamma", "zeta", "pi", "lambda", "E1", "oo"]
)
def test_names_of_sympys_own_objects_are_names(name: str) -> None:
    symbol = Symbol(name, integer=True)
    tree = divide(add(power(symbol, two), ONE), symbol)
    converted = to_sympy(tree)
    (only,) = converted.free_symbols
    assert only == sympy.Symbol(name, integer=True, positive=True)
    assert from_sympy(only) == symbol


def test_assumptions() -> None:
    assert to_sympy(Symbol("a", integer=True)).is_integer
    assert to_sympy(Symbol("a")).is_positive
    real = to_sympy(Symbol("a", positive=False))
    assert real.is_real and real.is_positive is None
    assert from_sympy(sympy.Symbol("a")) == Symbol("a", positive=False)
    known = Symbol("a", integer=True)
    assert from_sympy(sympy.Symbol("a"), {"a": known}) is known


def test_numbers_are_exact() -> None:
    assert to_sympy(number("13.9")) == sympy.Rational(139, 10)
    assert from_sympy(sympy.Float(13.9)) == number("13.9")
    assert from_sympy(sympy.Float("0.1", 40)) == number("0.1")
    assert from_sympy(sympy.Integer(10) ** 30) == Number(number(10).value ** 30)


@pytest.mark.parametrize(
    "tree",
    [
        trees.Power(number(9), trees.Power(number(9), number(9))),
        trees.Power(multiply(number(9), N), number(10**9)),
        trees.Power(divide(N, number(9)), number(10**9)),
    ],
)
def test_numbers_too_long_for_sympy_are_refused(tree: Expression) -> None:
    with pytest.raises(OverflowError, match="more than 20000 bits"):
        to_sympy(add(tree, N))


def test_products_of_products_too_long_for_sympy_are_refused() -> None:
    tree: Expression = number(3**1000)
    for _ in range(60):
        tree = multiply(tree, tree)
    with pytest.raises(OverflowError):
        to_sympy(tree)


def test_large_powers_of_names_are_fine() -> None:
    assert to_sympy(power(N, number(10**9))).exp == 10**9


def test_maxima_are_not_compared() -> None:
    several = maximum(*(divide(power(N, number(i)), P) for i in range(2, 12)))
    assert len(to_sympy(several).args) == 10


def test_a_sum_without_terms_is_zero() -> None:
    total = to_sympy(trees.Sum(k, k, ONE, subtract(N, number(5))))
    n = sympy.Symbol("N", integer=True, positive=True)
    assert [total.subs(n, value).doit() for value in (1, 4, 5, 6, 8)] == [0, 0, 0, 1, 6]
    assert to_sympy(trees.Sum(k, k, ONE, N)).doit() == n**2 / 2 + n / 2


def test_sympys_reorderings_do_not_begin_with_a_minus() -> None:
    y = sympy.Symbol("y", positive=True)
    assert text(from_sympy(y - x)) == "y - x"
    assert text(from_sympy(-x - y)) == "-x - y"
    assert text(from_sympy(-x / y)) == "-x/y"


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (sympy.sin(x), "sin"),
        (sympy.besselj(0, x), "besselj"),
        (x + sympy.gamma(x), "gamma"),
        (sympy.pi * x, "Pi"),
        (sympy.nan, "NaN"),
        (sympy.zoo, "ComplexInfinity"),
        (sympy.I * x, "ImaginaryUnit"),
        (sympy.Symbol("a b"), "a b"),
        (sympy.Symbol("<script>"), "<script>"),
        (sympy.Piecewise((1, x > 1)), "Piecewise"),
        (sympy.Integral(x, x), "Integral"),
        (sympy.Function("f")(x), "f"),
    ],
)
def test_what_the_language_lacks_is_named(expression: sympy.Basic, name: str) -> None:
    with pytest.raises(UnsupportedExpression) as raised:
        from_sympy(expression)
    assert raised.value.name == name
    assert str(raised.value) == f"SymPy's `{name}` has no counterpart in the language"


@pytest.mark.parametrize("value", ["N", "__import__('os').getcwd()", 3, 1.5, None])
def test_only_sympy_expressions_are_read(value: object) -> None:
    with pytest.raises(TypeError, match="not a SymPy expression"):
        from_sympy(value)


def test_deep_trees() -> None:
    tree: Expression = N
    for _ in range(70):
        tree = call("ln", add(tree, ONE))
    assert text(from_sympy(to_sympy(tree))) == text(tree)
    for _ in range(70):
        tree = call("ln", add(tree, ONE))
    with pytest.raises(OverflowError, match="nested"):
        to_sympy(tree)


def test_a_condition_that_is_chosen_by_another() -> None:
    small, large = trees.Comparison("<", N, number(4)), trees.Comparison(">", N, number(9))
    causal = Symbol("causal")
    chosen = trees.Conditional(large, causal, small)
    nested = to_sympy(trees.Conditional(chosen, ONE, two))
    symbol = sympy.Symbol("N", integer=True, positive=True)
    values = {  # of N and causal, worked out by hand
        (3, False): 1, (5, True): 2, (10, True): 1, (10, False): 2,
    }  # fmt: skip
    for (value, truth), expected in values.items():
        given = {symbol: value, sympy.Symbol("causal"): sympy.true if truth else sympy.false}
        assert nested.subs(given) == expected


def test_a_condition_known_beforehand() -> None:
    holds, fails = trees.Comparison("==", ONE, ONE), trees.Comparison("==", ONE, two)
    chosen = trees.Conditional(trees.Logic("not", (holds,)), fails, holds)
    assert to_sympy(trees.Conditional(chosen, N, P)) == to_sympy(N)


UNDEFINED = divide(ONE, Number(Fraction(0)))


@pytest.mark.parametrize(
    "tree",
    [
        trees.Comparison("<=", number(100), UNDEFINED),
        trees.Comparison("==", number(100), UNDEFINED),
        trees.Conditional(trees.Comparison("==", UNDEFINED, number(3)), ONE, two),
        trees.Function("is_integer", (trees.Sum(minimum(k, UNDEFINED), k, ONE, ONE),)),
        trees.Function("max", (subtract(UNDEFINED, UNDEFINED), ONE, two)),
    ],
    ids=["order", "equality", "condition", "is integer", "maximum"],
)
def test_what_compares_something_without_a_value_has_none(tree: Expression) -> None:
    assert to_sympy(tree) == sympy.nan
