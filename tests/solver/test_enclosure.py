"""Bounds enclose: values and slopes, of random formulas over random intervals."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.expression.tree import Expression
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.interval import around
from roofdsl.numeric.power_sum import PowerSum, Term
from tests.solver.formulas import jumping, smooth
from tests.solver.writing import Formula, N, ceil, formula, largest, log2, precise, tree, when

starts = st.one_of(st.integers(1, 50), st.integers(1, 10**6), st.integers(1, 10**18))
widths = st.one_of(st.integers(0, 10), st.integers(0, 10**6), st.integers(0, 10**18))
parts = st.fractions(min_value=0, max_value=1, max_denominator=97)


def at(what: Expression, x: Fraction):
    with mpmath.workdps(100):
        try:
            found = precise(what, {"N": mpmath.mpf(x.numerator) / x.denominator})
        except (ArithmeticError, ValueError):
            return None
        return None if isinstance(found, mpmath.mpc) or mpmath.isnan(found) else found


@given(st.one_of(smooth, jumping), starts, widths, parts)
def test_values_are_enclosed(what: Formula, start: int, width: int, part: Fraction) -> None:
    low, high = around(start)[0], around(start + width)[1]
    x = Fraction(low) + (Fraction(high) - Fraction(low)) * part
    value = at(what.tree, x)
    assume(value is not None)
    bounds = Enclosure(what.tree, "N").over(low, high)
    assert bounds[0] <= value <= bounds[1]


@given(jumping, starts, widths, parts)
def test_values_at_whole_numbers_are_enclosed(
    what: Formula, start: int, width: int, part: Fraction
) -> None:
    # Here `ceil(N/7)` is taken for what it is at whole N.
    low, high = around(start)[0], around(start + width)[1]
    x = Fraction(start + round(width * part))
    value = at(what.tree, x)
    assume(value is not None)
    bounds = Enclosure(what.tree, "N", integer=True).over(low, high)
    assert bounds[0] <= value <= bounds[1]


@given(smooth, starts, widths, parts)
def test_slopes_are_enclosed(what: Formula, start: int, width: int, part: Fraction) -> None:
    low, high = around(start)[0], around(start + width + 1)[1]
    bounds = Enclosure(what.tree, "N").over(low, high)
    assume(0 < part < 1)
    x = Fraction(low) + (Fraction(high) - Fraction(low)) * part
    step = Fraction(1, 10**25)
    values = [at(what.tree, x * (1 + turn * step)) for turn in (-1, 1)]
    assume(None not in values and all(values) and abs(values[0] / values[1] - 1) < 1e-20)
    with mpmath.workdps(100):
        slope = (mpmath.log(abs(values[1])) - mpmath.log(abs(values[0]))) / (
            2 * mpmath.mpf(10) ** -25
        )
    assert bounds[2] - 1e-9 <= slope <= bounds[3] + 1e-9


@given(jumping, starts, widths, parts, parts)
def test_slopes_lead_from_one_point_to_any_other(
    what: Formula, start: int, width: int, from_part: Fraction, to_part: Fraction
) -> None:
    side = Enclosure(what.tree, "N", integer=True)
    low, high = around(start)[0], around(start + width + 1)[1]
    bounds = side.over(low, high)
    origin, target = (Fraction(start + round(width * part)) for part in (from_part, to_part))
    near = side.near(*around(origin))
    value = at(what.tree, target)
    assume(value is not None and bounds[0] > 0 and near[0] > 0 and near[1] < inf)
    assume(-inf < bounds[2] and bounds[3] < inf)
    with mpmath.workdps(50):
        way = mpmath.log(mpmath.mpf(int(target)) / int(origin))
        below = mpmath.log(near[0]) + min(bounds[2] * way, bounds[3] * way)
        above = mpmath.log(near[1]) + max(bounds[2] * way, bounds[3] * way)
        assert below - 1e-12 <= mpmath.log(value) <= above + 1e-12


terms = st.builds(
    Term,
    st.floats(1e-12, 1.0),
    st.floats(1.0, 1e12),
    st.sampled_from([Fraction(each) for each in ("0", "1/2", "1", "4/3", "2", "3")]),
    st.sampled_from([Fraction(each) for each in ("0", "1", "2")]),
)


@given(st.lists(terms, min_size=1, max_size=4), starts, widths, parts)
def test_sums_of_powers_are_enclosed(
    members: list[Term], start: int, width: int, part: Fraction
) -> None:
    low, high = around(start)[0], around(start + width)[1]
    x = Fraction(low) + (Fraction(high) - Fraction(low)) * part
    bounds = PowerSum(members).over(low, high)
    with mpmath.workdps(60):
        number = mpmath.mpf(x.numerator) / x.denominator
        logarithm = mpmath.log(number, 2)
        shapes = [
            mpmath.power(number, mpmath.mpf(each.x.numerator) / each.x.denominator)
            * logarithm ** int(each.log)
            for each in members
        ]
        assert bounds[0] <= sum(
            each.low * shape for each, shape in zip(members, shapes, strict=True)
        )
        assert bounds[1] >= sum(
            each.high * shape for each, shape in zip(members, shapes, strict=True)
        )
        # Any coefficients within the bounds, here the least ones.
        weights = [each.low * shape for each, shape in zip(members, shapes, strict=True)]
        if sum(weights) and logarithm > 0:
            slopes = [
                mpmath.mpf(each.x.numerator) / each.x.denominator
                + int(each.log) / mpmath.log(number)
                for each in members
            ]
            slope = sum(w * s for w, s in zip(weights, slopes, strict=True)) / sum(weights)
            assert bounds[2] - 1e-12 <= slope <= bounds[3] + 1e-12


@pytest.mark.parametrize(
    ("what", "low", "high", "tight"),
    [
        (N**3, 1, 10, (1, 1000, 3, 3)),
        (N - 2, 4, 8, (2, 6, 4 / 3, 2)),
        (N * log2(N), 4, 16, (8, 64, 1.36, 1.72)),
        (largest(N, 10), 20, 30, (20, 30, 1, 1)),
        (largest(N, 10), 2, 5, (10, 10, 0, 0)),
        (when(N, ">", 10, N**2, N), 20, 30, (400, 900, 2, 2)),
        (ceil(N / 7), 15, 21, (3, 3, 0, 0)),
    ],
)
def test_bounds_are_tight_where_they_can_be(
    what: Formula, low: int, high: int, tight: tuple[float, float, float, float]
) -> None:
    found = Enclosure(tree(what), "N", integer=True).over(low, high)
    assert found == pytest.approx(tight, rel=0.15)


def test_jumps_are_counted() -> None:
    side = Enclosure(tree(ceil(N / 7) + formula(1)), "N", integer=True)
    side.over(15, 21)
    assert side.jumps == 0
    side.over(14, 21)
    assert side.jumps == 1
    side.over(1, 7000)
    assert side.jumps == 999


def test_an_unbound_name_is_refused() -> None:
    with pytest.raises(ValueError, match="'N' has no value"):
        Enclosure(tree(N), "P")
