"""Bounds on arrays enclose the values, and small ranges are decided place by place."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.allowance import Budget
from roofdsl.expression.tree import Expression, Sum, Symbol
from roofdsl.numeric.array_interval import ArrayEnclosure, orders
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.sign_runs import sign_runs
from tests.solver.formulas import jumping, smooth
from tests.solver.writing import (
    Formula,
    N,
    ceil,
    floor,
    formula,
    largest,
    log2,
    precise,
    sqrt,
    tree,
    when,
)

starts = st.one_of(
    st.integers(1, 50), st.integers(1, 10**6), st.integers(2**53 - 9, 2**53), st.integers(1, 10**18)
)


def value_at(what: Expression, x: int):
    with mpmath.workdps(100):
        try:
            found = precise(what, {"N": mpmath.mpf(x)})
        except (ArithmeticError, ValueError):
            return None
        return None if isinstance(found, mpmath.mpc) or mpmath.isnan(found) else found


@given(st.one_of(smooth, jumping), starts)
def test_values_are_enclosed(what: Formula, start: int) -> None:
    low, high = ArrayEnclosure(what.tree, "N").over(start, start + 7)
    for place, (bottom, top) in enumerate(zip(low, high, strict=True)):
        value = value_at(what.tree, start + place)
        if value is not None and bottom == bottom and top == top:
            with mpmath.workdps(100):
                slack = abs(value) * mpmath.mpf(10) ** -90
                assert mpmath.mpf(float(bottom)) - slack <= value
                assert value <= mpmath.mpf(float(top)) + slack


@given(jumping, jumping, starts)
def test_orders_are_those_of_exact_numbers(left: Formula, right: Formula, start: int) -> None:
    one, other = ArrayEnclosure(left.tree, "N"), ArrayEnclosure(right.tree, "N")
    exact = ExactSign(left.tree, right.tree, "N")
    covered = start
    for first, last, order in orders(one, other, start, start + 9):
        assert first == covered
        covered = last + 1
        for place in range(first, last + 1):
            known = exact(Fraction(place), Budget())
            assert order is None or known is None or order == known
    assert covered == start + 10


@pytest.mark.parametrize(
    ("what", "first", "last"),
    [
        (N / 3, 1, 100),
        (sqrt(N), 1, 10_000),
        (N**3, 1, 100),
        (log2(N), 1, 1024),
        (ceil(N / 7) * 7, 1, 1000),
    ],
)
def test_what_is_a_whole_number_is_exact(what: Formula, first: int, last: int) -> None:
    low, high = ArrayEnclosure(what.tree, "N").over(first, last)
    for place in range(first, last + 1):
        value = value_at(what.tree, place)
        if value == int(value):
            assert low[place - first] == high[place - first] == int(value)


def test_sums_without_the_unknown_are_added_up_once() -> None:
    index = Symbol("k", integer=True)
    logarithms = Sum(tree(log2(Formula(index))), index, tree(1), tree(N))
    low, high = ArrayEnclosure(logarithms, "N").over(1, 1000)
    exactly = np.cumsum([float(mpmath.log(k, 2)) for k in range(1, 1001)])
    assert (low <= exactly + 1e-9).all() and (exactly - 1e-9 <= high).all()
    assert ((high - low) <= 1e-8).all()


def test_what_is_not_decided_takes_the_hull() -> None:
    # N/3 ≥ 1/3·N is true, but no float shows it.
    third = formula(Fraction(1, 3))
    both = when(N / 3, ">=", third * N, formula(2), formula(5))
    low, high = ArrayEnclosure(both.tree, "N").over(1, 100)
    assert (low <= 2).all() and (high >= 2).all() and (high <= 5).all()


def test_undefined_values_decide_nothing() -> None:
    low, _ = ArrayEnclosure(tree(sqrt(N - 5) / (N - 7)), "N").over(1, 10)
    assert np.isnan(low[:4]).all() and np.isnan(low[6]) and not np.isnan(low[7:]).any()


SMALL = [
    (ceil(sqrt(N)) * ceil(N / 7), sqrt(N) * N / 7 * formula("1.01")),
    (floor(N / 3) * log2(N + 1), N * log2(N) / 3 - 1),
    (ceil(N / 7) * 7 + ceil(N / 11) * 11, formula("2.01") * N + ceil(N / 13)),
    (N * ceil(log2(N)), N * log2(N) + N / 2),
]


@pytest.mark.parametrize(("left", "right"), SMALL)
def test_nothing_over_a_small_range_is_undecided(left: Formula, right: Formula) -> None:
    found = sign_runs(tree(left), tree(right), "N", 1, 100_000, integer=True)
    assert found.complete
    exact = ExactSign(tree(left), tree(right), "N")
    wanted = {"above": (1,), "below": (-1,), "equal": (0,), "mixed": (1, 0, -1)}
    for run in found.runs:
        for place in {run.first, run.last, (run.first + run.last) // 2}:
            assert exact(Fraction(place), Budget()) in wanted[run.state]


@pytest.mark.parametrize(("left", "right"), SMALL)
def test_ends_of_a_band_are_those_of_brute_force(left: Formula, right: Formula) -> None:
    found = sign_runs(tree(left), tree(right), "N", 1, 20_000, integer=True)
    exact = ExactSign(tree(left), tree(right), "N")
    for run in found.runs:
        if run.state == "mixed":
            assert run.ends is not None
            places = range(int(run.first), int(run.last) + 1)
            firsts, lasts = (first_places(exact, each) for each in (places, places[::-1]))
            assert [*run.ends] == [
                None if None in ends else ends for ends in zip(firsts, lasts, strict=True)
            ]


def first_places(exact: ExactSign, places: range) -> list[int | None]:
    """Return the first of some places that is above, below, not above, and not below."""
    found: dict[tuple[int, ...], int] = {}
    wanted = ((1,), (-1,), (-1, 0), (0, 1))
    for place in places:
        order = exact(Fraction(place), Budget())
        found.update((each, place) for each in wanted if order in each and each not in found)
        if len(found) == len(wanted):
            break
    return [found.get(each) for each in wanted]


def test_ends_of_a_long_band_are_those_of_every_place() -> None:
    # Longer than what is looked at place by place: scans from both sides come to the ends.
    left, right = ceil(sqrt(N)) * sqrt(N), N + sqrt(N) / 2
    high = 300_000
    (mixed,) = (
        run
        for run in sign_runs(tree(left), tree(right), "N", 1, high, integer=True).runs
        if run.state == "mixed"
    )
    one, other = (ArrayEnclosure(tree(each), "N") for each in (left, right))
    found = [each for each in orders(one, other, 1, high) if each[1] >= mixed.first]
    assert mixed.ends is not None and None not in {order for _, _, order in found}
    for ends, wanted in zip(mixed.ends, ((1,), (-1,), (-1, 0), (0, 1)), strict=True):
        runs = [each for each in found if each[2] in wanted and each[0] <= mixed.last]
        assert ends == (max(runs[0][0], mixed.first), min(runs[-1][1], mixed.last))


def test_sums_of_few_terms_with_the_unknown_are_added_up() -> None:
    index = Symbol("k", integer=True)
    halves = Sum(tree(floor(N / formula(2) ** Formula(index))), index, tree(0), tree(log2(N)))
    low, high = ArrayEnclosure(halves, "N").over(1, 2000)
    exactly = [sum(n >> k for k in range(n.bit_length())) for n in range(1, 2001)]
    known = ~np.isnan(low)
    assert known.sum() == 2000
    assert ((low <= exactly) & (exactly <= high)).all()
    found = sign_runs(halves, tree(2 * N - 3), "N", 1, 20_000, integer=True)
    assert found.complete


def test_ties_of_fractions_are_exact_over_a_small_range() -> None:
    # Both are 1.00003·N beyond the band: 10^5 ties that floats of fractions would not show.
    line = N * formula(Fraction(100_003, 100_000))
    left, right = largest(3 * ceil(N / 3), line), largest(3 * ceil(N / 3) / 10, line)
    budget = Budget()
    found = sign_runs(tree(left), tree(right), "N", 2, 100_000, integer=True, budget=budget)
    assert found.complete and budget.spent < 40_000
    assert found.runs[-1].state == "equal"


def test_what_exact_numbers_cannot_tell_is_given_up_in_one_piece() -> None:
    hidden = log2(1 + sqrt(formula(2))) + log2(sqrt(formula(2)) - 1)  # 0
    left = floor(N / 2) + hidden * ceil(N / 7)
    budget = Budget(5000)
    found = sign_runs(tree(left), tree(N / 2), "N", 1, 50_000, integer=True, budget=budget)
    assert budget.spent < 12_000 and len(found.runs) < 2000
