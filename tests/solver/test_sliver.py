"""Places of a real unknown where two formulas touch, or nearly do: told, or left open."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.allowance import Budget
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.run import STATES
from roofdsl.numeric.sign_runs import SignRuns, sign_runs
from tests.solver.writing import Formula, N, ceil, formula, largest, log2, sqrt, tree, when

ROOT = sqrt(formula(2))


def runs(left: Formula, right: Formula, low: float = 0.5, high: float = 100) -> SignRuns:
    return sign_runs(tree(left), tree(right), "N", low, high, integer=False)


@pytest.mark.parametrize(
    ("left", "right", "square"),
    [
        (N**2 + 2, 2 * ROOT * N, 2),
        (N**2 + 1, 2 * N, 1),
        (N + 3, 2 * sqrt(3 * N), 9),
        (N**4 + 25, 10 * N**2, 5),
        ((N - 1) ** 2 * (N + 3) + 7, formula(7), 1),
    ],
)
def test_where_two_touch_is_told(left: Formula, right: Formula, square: int) -> None:
    found = runs(left, right)
    assert found.complete
    assert [run.state for run in found.runs] == ["above", "equal", "above"]
    labelled = [("A", tree(left)), ("B", tree(right))]
    (crossing,) = crossovers(labelled, "N", 0.5, 100.0, integer=False).crossings
    assert crossing.kind == "touch" and crossing.before == crossing.after == ("A",)
    low, high = crossing.enclosure
    assert Fraction(low) ** 2 <= square <= Fraction(high) ** 2
    assert high - low <= 1e-15 * high


def test_what_nearly_touches_is_told_from_what_does() -> None:
    # By 1e-33 of it above, where it is nearest, at √2.
    apart = N**2 + 2 + formula("1e-33")
    found = runs(apart, 2 * ROOT * N)
    assert [run.state for run in found.runs] == ["above"]


def test_roots_too_near_for_floats_are_not_dropped() -> None:
    # Two crossings, 1e-16 to both sides of √2.
    found = runs(N**2 + 2 - formula("1e-32"), 2 * ROOT * N)
    assert [run.state for run in found.runs] == ["above", "undecided", "above"]


def test_where_it_cannot_be_told_nothing_is_dropped() -> None:
    # log2 is no power, so its roots are not counted: it touches at 1/ln 2, where N = e·ln N.
    found = runs((log2(N) - 1 / ROOT) ** 2 + N, N)
    states = [run.state for run in found.runs]
    assert states in (["above", "undecided", "above"], ["above", "equal", "above"])


def test_what_is_undecided_far_and_wide_takes_nothing_from_what_is_not() -> None:
    hidden = log2(1 + ROOT) + log2(ROOT - 1)  # 0
    found = runs(when(N, ">", 10, 5 + N * hidden, 1), formula(5), 1)
    assert [run.state for run in found.runs] == ["below", "undecided"]


@pytest.mark.parametrize(
    ("left", "right", "high"),
    [
        (sqrt(N) * 10**6, 75 * ceil(260 + N**2 / 3), 1e18),
        (N * log2(N) * ceil(90 * log2(N) + N / 79), N**2 / 7 + 17000, 1e18),
        (when(N, ">", 100, N * log2(N), 60 * log2(N)), 6 * ceil(N / 7), 1e18),
        (largest(formula(0), N - 10), 3 * ceil(N / 3), 1e12),
    ],
)
def test_what_lies_beside_a_jump_is_told(left: Formula, right: Formula, high: float) -> None:
    # The enclosures around a jump are a few floats wide; exact values tell where it is not.
    found = runs(left, right, 1.5, high)
    assert found.complete
    exact = ExactSign(tree(left), tree(right), "N")
    for run in found.runs:
        if run.state != "mixed":
            for place in (run.first, (run.first + run.last) / 2, run.last):
                assert STATES[exact(Fraction(place), Budget())] == run.state
