"""Exponentials: decided far beyond what floats hold, and no number is ever written out."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.allowance import Budget
from roofdsl.expression.bounds import sign_by_bounds
from roofdsl.expression.tree import Function
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.exponentials import tamed
from roofdsl.numeric.sign_runs import SignRuns, sign_runs
from tests.solver.writing import Formula, N, ceil, formula, largest, log2, precise, tree

FAR = 10**18
two, three = formula(2), formula(3)


def exp(value: Formula) -> Formula:
    return Formula(Function("exp", (tree(value),)))


def runs(left: Formula, right: Formula) -> SignRuns:
    return sign_runs(tree(left), tree(right), "N", 1, FAR, integer=True)


@pytest.mark.parametrize(
    ("left", "right", "last"),
    [
        (two**N, three**N / 1000, 17),
        (ceil(two**N), three**N / 1000, 17),
        (two**N * N**3, three**N + N, 23),
        (1000 * two**N, N**N, 6),
        (two ** (two**N), three ** (two**N) / 7, 2),
        (exp(N), exp(formula("1.01") * N) / 9, 219),
        (exp(exp(N)), two ** (three**N), 3),
        (formula(10**9) ** N, formula(10**9 + 1) ** N / 2, 693_147_180),
        (3 / two ** (2 * N), 1 / three**N, 3),
    ],
)
def test_exponentials_are_decided_over_the_whole_range(
    left: Formula, right: Formula, last: int
) -> None:
    found = runs(left, right)
    assert found.complete
    assert (found.runs[-1].first, found.runs[-1].state) == (last + 1, "below")


def test_what_exponentials_stand_in_is_decided() -> None:
    assert [run.state for run in runs(log2(two**N + 1), N + formula("0.5")).runs][-1] == "below"
    (run,) = runs(largest(two**N, three**N), three**N).runs
    assert run.state == "equal"
    found = runs(N**100, two**N)
    assert [(run.first, run.state) for run in found.runs][-2:] == [(2, "above"), (997, "below")]


@pytest.mark.parametrize("place", [10**6, 10**9, 10**18])
def test_signs_far_out_take_no_long_numbers(place: int) -> None:
    order = ExactSign(tree(two**N), tree(three**N / 1000), "N")
    assert order(Fraction(place), Budget()) == -1
    tower = two ** (two ** formula(40))
    assert sign_by_bounds(tree(tower - 1), 100) == 1
    assert sign_by_bounds(tree(1 / tower - 1), 100) == -1


@given(st.integers(1, 60), st.integers(2, 9), st.integers(2, 9))
def test_tamed_formulas_have_the_same_values(place: int, one: int, other: int) -> None:
    powers = formula(one) ** N, formula(other) ** (N + 2) * N
    written = log2(powers[0] + powers[1]) + largest(*powers) / powers[0]
    with mpmath.workdps(60):
        values = [
            precise(each, {"N": mpmath.mpf(place)})
            for each in (written.tree, tamed(written.tree, "N"))
        ]
        assert abs(values[0] - values[1]) <= abs(values[0]) * mpmath.mpf(10) ** -50
