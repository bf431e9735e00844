"""Floats, exact rationals, arrays, SymPy and mpmath give one answer for one expression."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import assume, given

from roofdsl.algebra.from_sympy import from_sympy
from roofdsl.algebra.to_sympy import symbol_to_sympy, to_sympy
from roofdsl.expression.tree import Comparison, Expression
from roofdsl.numeric import array, scalar
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from tests.expression.random_trees import SYMBOLS, conditions, points, trees
from tests.expression.reference import Reference, Undefined


def reference(tree: Expression, point: Mapping[str, Fraction]) -> Reference | None:
    """Compute with many digits; None where there is no value."""
    try:
        result = Reference(tree, point)
    except Undefined:
        return None
    assume(not result.delicate)
    return result


def floats(point: Mapping[str, Fraction]) -> dict[str, float]:
    # A name is given as its float: the reference must see the same number.
    return {name: float(value) for name, value in point.items()}


def assert_close(value: float, expected: Reference) -> None:
    if isinstance(expected.value, bool):
        assert bool(value) is expected.value
        return
    tolerance = 1e-9 if expected.cancelled else 1e-12
    assert math.isclose(value, float(expected.value), rel_tol=tolerance, abs_tol=1e-300)


@given(trees, points)
def test_floats_agree_with_many_digits(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    if expected is None:
        with pytest.raises(EvaluationError):
            scalar.evaluate(tree, floats(point))
    else:
        assert_close(scalar.evaluate(tree, floats(point)), expected)


@given(conditions, points)
def test_conditions_agree_with_many_digits(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    assume(expected is not None)
    assert expected is not None
    assert scalar.evaluate(tree, floats(point)) is expected.value
    assert exact(tree, point) in (expected.value, None)


@given(trees, points)
def test_exact_values_are_exact(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    if expected is None:
        with suppress(EvaluationError):
            assert exact(tree, point) is None
        return
    value = exact(tree, point)
    if value is not None:
        with mpmath.workdps(60):
            gap = mpmath.mpf(value.numerator) / value.denominator - expected.value
            assert abs(gap) <= abs(expected.value) * mpmath.mpf(10) ** -40


@given(trees, points)
def test_arrays_agree_with_floats(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    assume(expected is None or not expected.touched)
    shapes = [(2, 1), (3,), (), (2, 3), (1, 1), (3,), (2, 1), ()]
    values = {
        name: np.full(shape, float(value))
        for (name, value), shape in zip(point.items(), shapes, strict=True)
    }
    result = array.evaluate(tree, values)
    assert result.shape == (2, 3)
    for value in result.flat:
        if expected is None:
            assert math.isnan(value)
        else:
            assert_close(float(value), expected)


SYMPY_POINT = {symbol.name: symbol_to_sympy(symbol) for symbol in SYMBOLS}


@given(trees, points)
def test_sympy_agrees(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    assume(expected is not None)
    assert expected is not None
    assume(not expected.touched)
    values = {
        SYMPY_POINT[name]: sympy.Rational(value.numerator, value.denominator)
        for name, value in point.items()
    }
    value = to_sympy(tree).xreplace(values).doit().evalf(30)
    assert_close(float(value), expected)


@given(trees, points)
def test_there_and_back_through_sympy(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    assume(expected is not None)
    assert expected is not None
    assume(not expected.touched)
    converted = to_sympy(tree)
    assume(not converted.has(sympy.nan, sympy.zoo, sympy.oo, sympy.I))
    back = from_sympy(converted, {symbol.name: symbol for symbol in SYMBOLS})
    again = reference(back, point)
    assert again is not None
    assert_close(scalar.evaluate(back, floats(point)), expected)


@given(conditions, points)
def test_conditions_there_and_back(tree: Expression, point: Mapping[str, Fraction]) -> None:
    expected = reference(tree, point)
    assume(expected is not None)
    assert expected is not None
    assume(not expected.touched)
    converted = to_sympy(tree)
    assume(not converted.has(sympy.nan, sympy.zoo, sympy.I))
    back = from_sympy(converted)
    assert bool(scalar.evaluate(back, floats(point))) is expected.value
    assert not isinstance(tree, Comparison) or isinstance(back, Comparison)
