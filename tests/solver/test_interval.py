"""Interval arithmetic encloses what exact fractions give, whatever the operands are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, nextafter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.numeric import interval
from roofdsl.numeric.interval import Bounds

LARGEST = 1.7976931348623157e308
# Subnormal numbers, those next to the largest, whole ones beyond 2^53, those next to whole ones.
HOSTILE = [0.0, 5e-324, 1e-310, 2.2250738585072014e-308, 1e-200, 1e-30, 1 / 3, 0.1, 1.0, 3.0]
HOSTILE += [
    nextafter(1.0, 0),
    nextafter(1.0, 2),
    2.0**53 + 2,
    1e200,
    1.7e308,
    1.7976931348623157e308,
]
numbers = st.one_of(
    st.sampled_from(HOSTILE),
    st.sampled_from(HOSTILE).map(lambda value: -value),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-(10**20), 10**20).map(float),
)
slopes = st.one_of(
    st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 1 / 3, 1e-30, -1e-17, 1e17]), st.floats(-1e9, 1e9)
)


def points(values: st.SearchStrategy[float]) -> st.SearchStrategy[Bounds]:
    return st.builds(lambda value, slope: (value, value, slope, slope), values, slopes)


def holds(bounds: Bounds, value: Fraction, slope: Fraction | None) -> None:
    low, high, least, most = bounds
    assert low == -inf or Fraction(low) <= value
    assert high == inf or value <= Fraction(high)
    assert not (low == inf and value <= Fraction(LARGEST))
    if slope is not None and value:
        assert least == -inf or Fraction(least) <= slope
        assert most == inf or slope <= Fraction(most)


@given(st.lists(points(numbers), min_size=2, max_size=4))
def test_sums(operands: list[Bounds]) -> None:
    value = sum((Fraction(each[0]) for each in operands), Fraction(0))
    grown = sum((Fraction(each[0]) * Fraction(each[2]) for each in operands), Fraction(0))
    holds(interval.add(operands), value, grown / value if value else None)


@given(st.lists(points(numbers), min_size=2, max_size=4))
def test_products(operands: list[Bounds]) -> None:
    value, slope = Fraction(1), Fraction(0)
    for each in operands:
        value *= Fraction(each[0])
        slope += Fraction(each[2])
    holds(interval.multiply(operands), value, slope)


@given(points(numbers), points(numbers))
def test_quotients(above: Bounds, below: Bounds) -> None:
    assume(below[0])
    value = Fraction(above[0]) / Fraction(below[0])
    holds(interval.divide(above, below), value, Fraction(above[2]) - Fraction(below[2]))


@given(points(numbers), st.integers(-5, 5).filter(bool))
def test_whole_powers(base: Bounds, exponent: int) -> None:
    assume(base[0] or exponent > 0)
    value = Fraction(base[0]) ** exponent
    holds(interval.raising(Fraction(exponent))(base), value, exponent * Fraction(base[2]))


@given(points(numbers), st.integers(1, 7), st.integers(2, 9))
def test_roots(base: Bounds, numerator: int, degree: int) -> None:
    assume(base[0] >= 0)
    exponent = Fraction(numerator, degree)
    low, high, least, most = interval.raising(exponent)(base)
    value = Fraction(base[0]) ** exponent.numerator
    assert low == -inf or Fraction(max(low, 0.0)) ** exponent.denominator <= value
    assert high == inf or value <= Fraction(high) ** exponent.denominator
    assert not isfinite(least) or Fraction(least) <= exponent * Fraction(base[2])
    assert not isfinite(most) or exponent * Fraction(base[2]) <= Fraction(most)


@pytest.mark.parametrize(
    ("result", "value", "slope"),
    [
        # 1 and 1e-30 add up to no float, though what is rounded is a whole number.
        (
            interval.multiply([(2.0, 2.0, 1.0, 1.0), (3.0, 3.0, 1e-30, 1e-30)]),
            6,
            1 + Fraction(1e-30),
        ),
        (interval.raising(Fraction(3))((2.0, 2.0, 1 / 3, 1 / 3)), 8, 3 * Fraction(1 / 3)),
    ],
)
def test_slopes_are_rounded_unless_they_are_exact(
    result: Bounds, value: int, slope: Fraction
) -> None:
    holds(result, Fraction(value), slope)


@given(st.data(), st.sampled_from([interval.add, interval.multiply]))
def test_wide_operands(data: st.DataObject, operation: Callable[[list[Bounds]], Bounds]) -> None:
    operands: list[Bounds] = []
    inside: list[Fraction] = []
    for _ in range(data.draw(st.integers(2, 3))):
        low, high = sorted((data.draw(numbers), data.draw(numbers)))
        part = data.draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)]))
        operands.append((low, high, -inf, inf))
        inside.append(Fraction(low) + (Fraction(high) - Fraction(low)) * part)
    value = sum(inside, Fraction(0))
    if operation is interval.multiply:
        value = Fraction(1)
        for each in inside:
            value *= each
    holds(operation(operands), value, None)
