"""Where one formula lies above another: special cases, and random ones against brute force."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import inf, isqrt

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.allowance import Budget
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Function, Sum, Symbol
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.sign_runs import SignRuns, sign_runs
from tests.solver.formulas import jumping, smooth
from tests.solver.writing import (
    Formula,
    N,
    ceil,
    changes,
    floor,
    formula,
    largest,
    least,
    log2,
    name,
    precise,
    signs,
    sqrt,
    tree,
    when,
)

FAR = 10**18
STATES = {"above": 1, "below": -1, "equal": 0}


def runs(
    left: Formula, right: Formula, low: float = 1, high: float = FAR, *, integer: bool = True
) -> SignRuns:
    return sign_runs(tree(left), tree(right), "N", low, high, integer=integer)


def listed(found: SignRuns) -> list[tuple[float, float, str]]:
    return [(run.first, run.last, run.state) for run in found.runs]


def assert_like_brute_force(found: SignRuns, left: Formula, right: Formula, high: int) -> None:
    """Every decided run is right at every whole number, and the runs cover the range."""
    points = np.arange(1, high + 1)
    actual = signs(left.tree, right.tree, "N", points)
    claimed = np.full(high, 5)
    next_first = 1
    for run in found.runs:
        assert run.first == next_first <= run.last
        next_first = int(run.last) + 1
        claimed[int(run.first) - 1 : int(run.last)] = STATES.get(run.state, 5)
        inside = actual[int(run.first) - 1 : int(run.last)]
        if run.state == "undecided":
            # Nothing that can be told was left undecided here.
            assert set(inside) <= {9}
        elif run.state == "mixed":
            assert len(set(inside)) > 1
    assert next_first == high + 1
    wrong = points[(claimed != 5) & (actual != 9) & (claimed != actual)]
    assert wrong.size == 0, (wrong[:5], actual[wrong[:5] - 1])


SPECIAL: dict[str, tuple[Formula, Formula, list[tuple[int, int, str]]]] = {
    "equal everywhere": (N * log2(N**2), 2 * N * log2(N), [(1, FAR, "equal")]),
    "never": (N + 1, N, [(1, FAR, "above")]),
    "power law": (
        N**3,
        10**6 * N,
        [(1, 999, "below"), (1000, 1000, "equal"), (1001, FAR, "above")],
    ),
    "beyond 2^53": (
        N,
        formula(2**53 + 1),
        [(1, 2**53, "below"), (2**53 + 1, 2**53 + 1, "equal"), (2**53 + 2, FAR, "above")],
    ),
    "far beyond 2^53, with a logarithm": (
        log2(N),
        formula(59) + log2(formula(3)) / 2,
        [(1, isqrt(3 * 4**59), "below"), (isqrt(3 * 4**59) + 1, FAR, "above")],
    ),
    "irrational, beyond 2^53": (
        N * sqrt(formula(2)),
        formula(10**17),
        [(1, 70710678118654752, "below"), (70710678118654753, FAR, "above")],
    ),
    "two crossings close together": (
        N**2 + 10**30,
        (2 * 10**15 + 1) * N,
        [
            (1, 999999968377223, "above"),
            (999999968377224, 1000000031622777, "below"),
            (1000000031622778, FAR, "above"),
        ],
    ),
    "touching": (
        N**2 + 10**6,
        2000 * N,
        [(1, 999, "above"), (1000, 1000, "equal"), (1001, FAR, "above")],
    ),
    "hardly touching": (
        N**2 + 10**12,
        (2 * 10**6 + formula("1e-8")) * N,
        [(1, 10**6 - 1, "above"), (10**6, 10**6, "below"), (10**6 + 1, FAR, "above")],
    ),
    "hardly missing": (
        N**2 + 10**12,
        (2 * 10**6 - formula("1e-8")) * N,
        [(1, FAR, "above")],
    ),
    "tangent with a logarithm": (
        # Between 2 and 4 only the ends are on the chord.
        log2(N),
        N / 2,
        [
            (1, 1, "below"),
            (2, 2, "equal"),
            (3, 3, "above"),
            (4, 4, "equal"),
            (5, FAR, "below"),
        ],
    ),
    "tie over an interval": (
        largest(N**2, 1000 * N),
        1000 * N,
        [(1, 1000, "equal"), (1001, FAR, "above")],
    ),
    "min": (least(N**2, 1000 * N + 7), 3 * N + 5, [(1, 4, "below"), (5, FAR, "above")]),
    "if": (
        when(N, ">", 1000, N, 2 * N),
        N + 500,
        [(1, 499, "below"), (500, 500, "equal"), (501, 1000, "above"), (1001, FAR, "below")],
    ),
    "ceil of a logarithm": (
        ceil(log2(N)),
        formula(12),
        [(1, 2048, "below"), (2049, 4096, "equal"), (4097, FAR, "above")],
    ),
    "few jumps, far out": (
        ceil(N / 10**15),
        formula("77.5"),
        [(1, 77 * 10**15, "below"), (77 * 10**15 + 1, FAR, "above")],
    ),
    "zero at 1": (N * log2(N), log2(N) ** 2, [(1, 1, "equal"), (2, FAR, "above")]),
    "negative": (10 - N, 3 - N / 2, [(1, 13, "above"), (14, 14, "equal"), (15, FAR, "below")]),
    "log of 0": (
        log2(N - 1),
        formula(3),
        [(1, 1, "undecided"), (2, 8, "below"), (9, 9, "equal"), (10, FAR, "above")],
    ),
    "pole": (
        100 / (N - 5),
        formula(3),
        [(1, 4, "below"), (5, 5, "undecided"), (6, 38, "above"), (39, FAR, "below")],
    ),
    "2^N": (
        formula(2) ** (N / 100),
        N**3,
        [(1, 1, "above"), (2, 3536, "below"), (3537, FAR, "above")],
    ),
    "sum up to the unknown": (
        Formula(Sum(tree(name("k") * N), Symbol("k"), tree(1), tree(N))),
        100 * N**2,
        [(1, 198, "below"), (199, 199, "equal"), (200, FAR, "above")],
    ),
    "quotient by N + 5": (N**3 / (N + 5), 20 * N + 3, [(1, 24, "below"), (25, FAR, "above")]),
}


@pytest.mark.parametrize("case", SPECIAL)
def test_special_cases(case: str) -> None:
    left, right, expected = SPECIAL[case]
    found = runs(left, right)
    assert listed(found) == expected
    opposite = {"above": "below", "below": "above"}
    assert listed(runs(right, left)) == [
        (first, last, opposite.get(state, state)) for first, last, state in expected
    ]
    if "sum" not in case:
        assert_like_brute_force(runs(left, right, 1, 3000), left, right, 3000)


def test_a_band() -> None:
    # N to N + 6, against a line that leaves them behind at the end.
    left, right = 7 * ceil(N / 7), formula("1.0003") * N + 1
    found = runs(left, right)
    above = [10_000 * 7 * -(-n // 7) > 10_003 * n + 10_000 for n in range(1, 20_001)]
    first_switch = above.index(False) + 1
    always_after = max(n for n, is_above in enumerate(above, 1) if is_above) + 1
    assert listed(found) == [
        (1, first_switch - 1, "above"),
        (first_switch, always_after - 1, "mixed"),
        (always_after, FAR, "below"),
    ]
    assert found.complete and found.proven_up_to == FAR


@pytest.mark.parametrize("other", [N, N + 3, 5 * ceil(N / 5)])
def test_a_band_that_never_ends(other: Formula) -> None:
    found = runs(7 * ceil(N / 7), other)
    actual = signs(tree(7 * ceil(N / 7)), tree(other), "N", np.arange(1, 100))
    switch = int(np.flatnonzero(actual != actual[0])[0]) + 1
    assert listed(found)[0] == (1, switch - 1, "above")
    assert found.runs[1].state == "mixed"
    assert found.runs[1].first == switch and found.runs[1].last > FAR - 100


def test_jumps_that_change_nothing_are_no_band() -> None:
    # Equal at 1, where both are 0; beyond, 1,000 times as much lies above, whatever jumps.
    power = formula(2) ** floor(log2(N))
    beyond = N - power
    some = beyond * (floor(log2(N)) - floor(log2(beyond)))
    jumps = (power - 1 + when(beyond, ">", 0, some, 0)) / N
    found = runs(1000 * jumps, jumps)
    (first, *rest) = found.runs
    assert (first.first, first.last, first.state) == (1, 1, "equal")
    assert {run.state for run in rest} <= {"above", "undecided"}
    assert found.proven_up_to is not None and found.proven_up_to > 1000


def test_few_switches_are_listed() -> None:
    found = runs(7 * ceil(N / 7), formula("1.5") * N)
    assert listed(found) == [
        (1, 4, "above"),
        (5, 7, "below"),
        (8, 9, "above"),
        (10, FAR, "below"),
    ]


def test_work_has_a_limit_and_what_was_proven_counts() -> None:
    # Nothing but every whole number on its own shows that this is above.
    left, right = sqrt(N**2 + 1) + sqrt(N**2 + 2), 2 * N
    budget = Budget(500)
    found = sign_runs(tree(left), tree(right), "N", 1, FAR, integer=True, budget=budget)
    assert 250 <= budget.spent < 1000
    assert not found.complete
    (proven, rest) = found.runs
    assert proven.state == "above" and rest.state == "undecided" and rest.last == FAR
    assert proven.last == found.proven_up_to and proven.last > 1000
    more = sign_runs(tree(left), tree(right), "N", 1, FAR, integer=True, budget=Budget(5000))
    assert more.proven_up_to is not None and more.proven_up_to > proven.last


def test_what_cannot_be_told_from_a_tie_is_not_called_one() -> None:
    # Equal by an identity the normal form does not know; no precision shows a difference.
    one = Formula(Function("lambertw", (tree(N), tree(0))))
    found = runs(one, one + 1 - 1, 1, 10)
    assert listed(found) == [(1, 10, "equal")]  # the same atom
    known = log2(1 + sqrt(formula(2)))
    hidden = known + log2(sqrt(formula(2)) - 1)  # 0
    found = runs(N * hidden, formula(0), 1, 3)
    assert {run.state for run in found.runs} == {"undecided"}
    assert found.proven_up_to is None


def test_an_astronomical_crossing_lies_beyond_the_range() -> None:
    # FFT on Karst, flops against network: log2 N = 821.3.
    flops, network = 5 * N * log2(N) / "22e9", 32 * N * 7 / "1.2e9"
    assert listed(runs(flops, network)) == [(1, FAR, "below")]
    beyond = runs(flops, network, 1.0, 1e300, integer=False)
    assert [run.state for run in beyond.runs] == ["below", "above"]
    with mpmath.workdps(40):
        exact = mpmath.mpf(2) ** (mpmath.mpf(32 * 7 * 22) / 6)
        assert beyond.runs[0].last <= exact <= beyond.runs[1].first


@pytest.mark.parametrize(
    ("left", "right", "low", "high"),
    [(N, formula(7), 7, 7), (N, formula(7), 8, 9), (N**2, 10 * N, 5, 10), (ceil(N / 3), N, 1, 2)],
)
def test_short_ranges(left: Formula, right: Formula, low: int, high: int) -> None:
    found = runs(left, right, low, high)
    assert found.runs[0].first == low and found.runs[-1].last == high
    for run in found.runs:
        for x in range(int(run.first), int(run.last) + 1):
            expected = precise(left.tree, {"N": x}) - precise(right.tree, {"N": x})
            assert STATES[run.state] == (expected > 0) - (expected < 0)


def test_an_empty_range_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        runs(N, N, 2, 1)


def test_numbers_below_1() -> None:
    found = runs(N**2, 4 * N, -3, 5)
    assert listed(found) == [
        (-3, -1, "above"),
        (0, 0, "equal"),
        (1, 3, "below"),
        (4, 4, "equal"),
        (5, 5, "above"),
    ]


@given(smooth, smooth)
def test_smooth_formulas_like_brute_force(left: Formula, right: Formula) -> None:
    assert_like_brute_force(runs(left, right, 1, 3000), left, right, 3000)


@given(jumping, jumping)
def test_jumping_formulas_like_brute_force(left: Formula, right: Formula) -> None:
    assert_like_brute_force(runs(left, right, 1, 3000), left, right, 3000)


@given(jumping, st.integers(1, 3000))
def test_near_ties_like_brute_force(left: Formula, touch: int) -> None:
    # A constant that the formula takes, exactly or nearly, at some place.
    value = substitute(left.tree, {"N": tree(touch)})
    right = Formula(value)
    assert_like_brute_force(runs(left, right, 1, 3000), left, right, 3000)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        # sqrt(N^2 + 1) - N lies between 1/(2N + 1) and 1/(2N).
        (sqrt(N**2 + 1), N, [(1, FAR, "above")]),
        (N, sqrt(N**2 + 1) / 1, [(1, FAR, "below")]),
        (sqrt(N**2 + 1), N + formula("0.1"), [(1, 4, "above"), (5, FAR, "below")]),
        (sqrt(N**2 + N), N + formula("0.5"), [(1, FAR, "below")]),
        (3 * N * sqrt(1 + 1 / N**2), 3 * N, [(1, FAR, "above")]),
        ((N**3 + 1) ** (formula(1) / 3), N, [(1, FAR, "above")]),
        # Squared, N·sqrt(N + 1) remains against N^(3/2), and is squared, too.
        (N + sqrt(N + 1), sqrt(N**2 + 2 * N ** (formula(3) / 2) + N + 1), [(1, FAR, "above")]),
        (sqrt(N**2 + 2 * N + 1), N + 1, [(1, FAR, "equal")]),
    ],
)  # fmt: skip
def test_roots_that_hardly_differ_are_compared_by_their_squares(
    left: Formula, right: Formula, expected: list[tuple[int, int, str]]
) -> None:
    budget = Budget()
    found = sign_runs(tree(left), tree(right), "N", 1, FAR, integer=True, budget=budget)
    assert listed(found) == expected and budget.spent < 200
    real = sign_runs(tree(left), tree(right), "N", 1.0, 1e18, integer=False)
    assert [run.state for run in real.runs] == [state for _, _, state in expected]


# Real unknowns.


def enclosed(found: SignRuns) -> list[tuple[str, str]]:
    return [
        (one.state, other.state) for one, other in zip(found.runs, found.runs[1:], strict=False)
    ]


def lambertw(branch: int) -> mpmath.mpf:
    return mpmath.exp(mpmath.lambertw(-mpmath.log(2) / 2, branch).real)


def cubic() -> list[mpmath.mpf]:
    return list(mpmath.polyroots([1, -6, 11, -mpmath.mpf(61) / 10], maxsteps=200))


@pytest.mark.parametrize(
    ("left", "right", "low", "high", "roots"),
    [
        (N**2, formula(2), 0.5, 1e18, lambda: [mpmath.sqrt(2)]),
        (N, formula(3), 0.0, 1e18, lambda: [3]),
        (1 / N, formula("1e12"), 1e-100, 1.0, lambda: [mpmath.mpf(10) ** -12]),
        (log2(N), formula("-3.25"), 1e-9, 1e9, lambda: [mpmath.mpf(2) ** -3.25]),
        (N * log2(N), formula(-1) / 2, 1e-9, 1e9, lambda: [lambertw(-1), lambertw(0)]),
        (N / (3 - 2 * N), formula(5), 0.0, 1.0, list),
        (100 * N, 300 * (1 - N), 0.0, 1.0, lambda: [0.75]),
        (N**3 - 6 * N**2 + 11 * N, formula("6.1"), 0.1, 100.0, cubic),
        (N**2 - 2, formula(0), -10.0, 10.0, lambda: [-mpmath.sqrt(2), mpmath.sqrt(2)]),
    ],
)
def test_real_roots_are_enclosed(
    left: Formula, right: Formula, low: float, high: float, roots: Callable[[], list[mpmath.mpf]]
) -> None:
    found = runs(left, right, low, high, integer=False)
    assert found.complete
    assert found.runs[0].first == low and found.runs[-1].last == high
    switches = [
        each
        for each in changes(found, tree(left), tree(right), "N")
        if each.low < each.high or found.runs[1].state == "equal"
    ]
    with mpmath.workdps(40):
        assert len(switches) == len(roots())
        for change, root in zip(switches, roots(), strict=True):
            assert change.low <= root <= change.high
            assert change.high - change.low <= 1e-14 * abs(change.high)


def test_real_jumps_are_told_from_switches() -> None:
    found = runs(ceil(N), formula("3.5"), 0.5, 100.0, integer=False)
    (change,) = changes(found, tree(ceil(N)), tree("3.5"), "N")
    assert change.jump and change.low <= 3 <= change.high and change.high - change.low < 1e-14
    assert [run.state for run in found.runs] == ["below", "above"]


def test_a_real_touch_is_a_tie_at_a_point() -> None:
    found = runs(N**2 + 9, 6 * N, 1.0, 100.0, integer=False)
    assert [run.state for run in found.runs] == ["above", "equal", "above"]
    assert found.runs[1].first == found.runs[1].last == 3.0


def test_a_real_range_begins_and_ends_where_it_was_asked_to() -> None:
    # At 1 the left one is 0/0; next to it floats cannot tell.
    left, right = floor(N / 11) / log2(N), floor(N - formula("0.46875"))
    for low, high in ((1.0, 1000.0), (0.5, 1.0)):
        found = runs(left, right, low, high, integer=False)
        assert (found.runs[0].first, found.runs[-1].last) == (low, high)


def test_one_real_place_has_one_run() -> None:
    # Below 1 the search runs over 1/x, whose floats are others: what lies beyond is cut off.
    jump = when(N, ">", formula("0.35151980386969712"), log2(N) + 9, 1)
    for x in (0.3515198038696967, 0.35151980386969717, 0.1, 0.7, 1 / 3):
        (run,) = runs(jump, formula(2), x, x, integer=False).runs
        assert (run.first, run.last) == (x, x)
        assert run.state == ("above" if x > 0.3515198038696971 else "below")
    found = runs(jump, formula(2), 0.3515198038696967, 0.35151980386969717, integer=False)
    assert found.runs[0].first == 0.3515198038696967
    assert found.runs[-1].last == 0.35151980386969717
    assert found.runs[0].state in ("below", "undecided")
    assert found.runs[-1].state in ("above", "undecided")


@given(jumping, jumping, st.lists(st.fractions(1, 1000, max_denominator=99), max_size=20))
def test_real_runs_are_right_wherever_one_looks(
    left: Formula, right: Formula, points: list[Fraction]
) -> None:
    found = runs(left, right, 1.0, 1000.0, integer=False)
    assert found.runs[0].first == 1 and found.runs[-1].last == 1000
    for x in points:
        run = next((run for run in found.runs if run.first <= x <= run.last), None)
        if run is None or run.state not in STATES:
            continue
        with mpmath.workdps(100):
            at = {"N": mpmath.mpf(x.numerator) / x.denominator}
            try:
                difference = precise(left.tree, at) - precise(right.tree, at)
            except (ArithmeticError, ValueError, TypeError):
                continue
            if isinstance(difference, mpmath.mpc) or not abs(difference) < inf:
                continue
            if run.state == "equal":
                assert abs(difference) < 1e-12 * (1 + abs(precise(left.tree, at)))
            elif abs(difference) > mpmath.mpf(10) ** -60:
                assert (difference > 0) == (run.state == "above")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (3 * ceil(N / 3), formula("1.0000000001") * N),
        (7 * ceil(N / 7), formula("1.0000000001") * N),
        (7 * ceil(N / 7) + sqrt(N) / 10**9, formula("1.0000000001") * N),
        (ceil(formula(2) ** N), formula(3) ** N / 1000),
        (ceil(N / 10) * 10, N + 5),
    ],
)
def test_what_is_mixed_begins_and_ends_with_a_change(left: Formula, right: Formula) -> None:
    found = runs(left, right)
    assert found.runs[0].first == 1 and found.runs[-1].last == FAR
    order = ExactSign(tree(left), tree(right), "N")
    for before, run in pairwise(found.runs):
        assert run.first == before.last + 1
        states = {before.state, run.state}
        if "mixed" in states and "undecided" not in states:
            outside, inside = before.last, run.first
            one, other = order(Fraction(outside), Budget()), order(Fraction(inside), Budget())
            assert one != other and None not in (one, other)


def test_sums_up_to_jumps_are_counted_not_added_up() -> None:
    index = Symbol("k", integer=True)
    steps = Formula(Sum(tree(1000), index, tree(1), tree(ceil(N / 3))))
    found = runs(steps, N**2, 2)
    assert listed(found) == [(2, 334, "above"), (335, FAR, "below")]
    squares = Formula(Sum(tree(Formula(index) ** 2), index, tree(1), tree(floor(N / 2))))
    found = runs(squares, 100 * N)
    assert listed(found)[-2:] == [(49, 49, "equal"), (50, FAR, "above")]  # 24·25·49/6 = 100·49


def test_sums_within_a_choice_are_counted_too() -> None:
    index = Symbol("k", integer=True)
    steps = Formula(Sum(tree(10 * N), index, tree(1), tree(ceil(N / 32))))
    budget = Budget()
    left, right = tree(largest(steps + 78 * N**2, 5 * N)), tree(89_000)
    found = sign_runs(left, right, "N", 2.0, 3000.0, integer=False, budget=budget)
    assert [run.state for run in found.runs] == ["below", "above"] and budget.spent < 2000
