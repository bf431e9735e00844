"""Closed forms: each root against the proof, each kind of equation, signs that are not known."""

from __future__ import annotations

import itertools
from collections import Counter

import mpmath
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from roofdsl.algebra.closed_form import ClosedForm, closed_form
from roofdsl.expression.construct import number
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Function, Number
from roofdsl.numeric.sign_runs import sign_runs
from tests.solver.thesis import MACHINES, RESOURCES, kernels, processes, symbolic_times
from tests.solver.writing import (
    Formula,
    N,
    P,
    call,
    ceil,
    changes,
    formula,
    largest,
    log2,
    name,
    precise,
    sqrt,
    tree,
    when,
)

FAR = 10**18
A, B = name("a"), name("b")


def solve(left: Formula, right: Formula) -> ClosedForm:
    return closed_form(tree(left), tree(right), "N")


def values(found: ClosedForm, **names: float) -> list[mpmath.mpf]:
    """Return the roots as numbers, those that are real and positive, in order."""
    numbers = []
    for root in found.roots:
        with mpmath.workdps(60):
            given_names = {key: mpmath.mpf(str(value)) for key, value in names.items()}
            try:
                value = precise(root, given_names, 60)
            except (ArithmeticError, ValueError):
                continue
        if not isinstance(value, mpmath.mpc) and value > 0:
            numbers.append(value)
    return sorted(numbers)


KINDS = {
    "one term": (N**2, formula(0), "never", []),
    "different factors": (3 * N, 2 * N, "never", []),
    "same sign": (N**2 + N + 1, formula(0), "never", []),
    "equal": (N * log2(N**2), 2 * log2(N) * N, "always", []),
    "power law": (N**3, 1000 * N, "power law", ["31.6227766016837933"]),
    "fractional power": (N * sqrt(N), formula(64), "power law", ["16"]),
    "quadratic": (N**2 + 6, 5 * N, "quadratic", ["2", "3"]),
    "quadratic with one positive root": (N**2 + N, formula(6), "quadratic", ["2"]),
    "quadratic without": (N**2 + 6, N, "never", []),
    "double root": (N**2 + 9, 6 * N, "quadratic", ["3"]),
    "quadratic in a root": (N + 6, 5 * sqrt(N), "quadratic", ["4", "9"]),
    "quadratic in a square": (N**5 + 36 * N, 13 * N**3, "quadratic", ["2", "3"]),
    "hardly apart": (N**2 + 10**30, (2 * 10**15 + 1) * N, "quadratic", None),
    "logarithm": (5 * N * log2(N), 48 * N, "2^ratio", ["776.046882053323913"]),
    "logarithm below 1": (N * log2(N), -3 * N, "2^ratio", ["0.125"]),
    "power of a logarithm": (log2(N) ** 3, formula(27), "2^ratio", ["8"]),
    "quadratic in a logarithm": (log2(N) ** 2 + 6, 5 * log2(N), "2^ratio", ["4", "8"]),
    "logarithm against power": (
        N,
        8 * log2(N),
        "Lambert W",
        ["1.09999703023760939", "43.5592604368816557"],
    ),
    "logarithm never meets power": (N, log2(N), "never", []),
    "power times logarithm": (N * log2(N), formula(24), "Lambert W", ["8"]),
    "power times logarithm below 1": (8 * N * log2(N), formula(-3), "Lambert W", ["0.125", None]),
    "square of a logarithm": (N, log2(N) ** 2, "Lambert W", ["4", "16"]),
    "power times square of a logarithm": (N * log2(N) ** 2, formula(72), "Lambert W", ["8"]),
    "logarithm, power, number": (N + 6, 4 * log2(N), "never", []),
    "logarithm, power, number: two": (N + 4, 4 * log2(N), "Lambert W", ["4", "8"]),
    "logarithm against a falling power": (log2(N) + 1, 32 / N, "Lambert W", ["8"]),
    "cubic": (N**3 + 1, 5 * N**2, "polynomial", []),
    "too mixed": (N * log2(N) + N, 7 * log2(N) + 9, "none", []),
    "ceil": (ceil(N / 7), formula(3), "none", []),
    "logarithm divides both": (N * log2(N), 8 * log2(N), "power law", ["1", "8"]),
    "denominator": (N**2 / (N + 2), formula(1), "quadratic", ["2"]),
    "max": (largest(N**2, 8 * N), formula(64), "power law", ["8"]),
    "if": (when(N, ">", 1, N**2, 0), formula(64), "power law", ["8"]),
    "denominator of both": (1 / (N + 1), 2 / (N + 8), "power law", ["6"]),
}


@pytest.mark.parametrize("case", KINDS)
def test_kinds(case: str) -> None:
    left, right, kind, expected = KINDS[case]
    found = solve(left, right)
    assert found.kind == kind
    numbers = values(found)
    if expected is None:
        return
    assert len(numbers) == len(expected)
    for value, text in zip(numbers, expected, strict=True):
        if text is not None:
            assert float(value) == pytest.approx(float(text), rel=1e-11)
    assert_roots(left, right, numbers)


def assert_roots(left: Formula, right: Formula, roots: list[mpmath.mpf]) -> None:
    """The sides are equal at a root of either of the branches."""
    for root in roots:
        with mpmath.workdps(60):
            one, other = (precise(tree(side), {"N": root}, 60) for side in (left, right))
            assert abs(one - other) <= mpmath.mpf(10) ** -25 * (abs(one) + abs(other) + 1)


def test_two_roots_that_hardly_differ_are_told_apart() -> None:
    found = solve(N**2 + 10**30, (2 * 10**15 + 1) * N)
    low, high = values(found)
    assert (int(low), int(high)) == (999999968377223, 1000000031622777)


def test_branches_of_lambertw_are_trees() -> None:
    found = solve(N, 8 * log2(N))
    branches = [
        node.arguments[1]
        for root in found.roots
        for node in bottom_up(root)
        if isinstance(node, Function) and node.name == "lambertw"
    ]
    assert branches == [number(0), number(-1)]


@pytest.mark.parametrize(
    ("left", "right", "names", "expected"),
    [
        (N**2 * A, N * B, {"a": 3, "b": 12}, [4]),
        (5 * N * log2(N) / A, 48 * N / B, {"a": 2, "b": 6.4}, [8]),
        # The signs are open: both branches, or roots, are kept, and the numbers choose.
        (N + 4, A * log2(N) * (B - 3), {"a": 2, "b": 5}, [4, 8]),
        (N**2 + B - 7, A * N, {"a": 5, "b": 13}, [2, 3]),
        (N**2 + B - 7, A * N, {"a": 5, "b": 1}, [6]),
    ],
)
def test_other_names_stay(
    left: Formula, right: Formula, names: dict[str, float], expected: list[float]
) -> None:
    found = solve(left, right)
    assert {symbol.name for root in found.roots for symbol in free_symbols(root)} == {"a", "b"}
    numbers = [float(value) for value in values(found, **names)]
    assert numbers == pytest.approx(expected, rel=1e-3)
    trees = {key: number(str(value)) for key, value in names.items()}
    exact = closed_form(substitute(tree(left), trees), substitute(tree(right), trees), "N")
    assert numbers == pytest.approx([float(value) for value in values(exact)], rel=1e-14)


@pytest.mark.parametrize("unknown", ["N", "P"])
@pytest.mark.parametrize("model", kernels())
def test_thesis_closed_forms_match_the_proof(model: str, unknown: str) -> None:
    for (i, left), (j, right) in itertools.combinations(enumerate(symbolic_times(model)), 2):
        found = closed_form(left.tree, right.tree, unknown)
        for machine, rates in MACHINES.items():
            names: dict[str, float] = {
                f"rate_{resource}": float(rate)
                for resource, rate in zip(RESOURCES, rates, strict=True)
            }
            names |= {"P": processes(model)} if unknown == "N" else {"N": 2**20}
            numbers = {key: number(str(value)) for key, value in names.items()}
            one, other = substitute(left.tree, numbers), substitute(right.tree, numbers)
            proof = sign_runs(one, other, unknown, 1, FAR, integer=True)
            assert proof.complete
            if found.kind in ("none", "polynomial"):
                continue
            roots = values(found, **names)
            where = (model, machine, RESOURCES[i], RESOURCES[j])
            crossings = changes(proof, one, other, unknown)
            for change in crossings:
                assert any(
                    change.low * (1 - 1e-13) <= root <= change.high * (1 + 1e-13) for root in roots
                ), where
            # And nothing beside them in the range, but where both are 0.
            for root in roots:
                if 1 < root <= FAR:
                    assert any(
                        change.low * (1 - 1e-13) <= root <= change.high * (1 + 1e-13)
                        for change in crossings
                    ), where


def test_most_thesis_pairs_have_a_closed_form() -> None:
    kinds = Counter(
        closed_form(left.tree, right.tree, unknown).kind
        for model in kernels()
        for unknown in ("N", "P")
        for left, right in itertools.combinations(symbolic_times(model), 2)
    )
    assert kinds["none"] + kinds["polynomial"] <= 4
    assert kinds.total() == 42


def test_astronomical_roots_are_found() -> None:
    # FFT on Karst: log2 N = 32·7·22/(5·1.2).
    flops, network = 5 * N * log2(N) / "22e9", 32 * N * 7 / "1.2e9"
    (root,) = values(solve(flops, network))
    with mpmath.workdps(40):
        assert abs(mpmath.log(root, 2) - mpmath.mpf(32 * 7 * 22) / 6) < 1e-20


def test_a_closed_form_is_a_number_or_holds_other_names_only() -> None:
    found = solve(N**2 * P, N * log2(P) * 7)
    (root,) = found.roots
    assert [symbol.name for symbol in free_symbols(root)] == ["P"]
    assert isinstance(solve(N**2, 4 * N).roots[0], Number)


coefficients = st.fractions(min_value="1/20", max_value=20, max_denominator=20).map(formula)
shapes = st.sampled_from(
    [
        lambda a, b, c: (a * N**2 + b, c * N),
        lambda a, b, c: (a * N + b, c * log2(N)),
        lambda a, b, c: (a * N * log2(N) + b * N, c),
        lambda a, b, _: (a * N**3, b * N * sqrt(N)),
        lambda a, b, c: (a * log2(N) + b, c),
        lambda a, b, _: (a * N * log2(N) ** 2, b * N**2),
        lambda a, b, c: (a * N + b, c * sqrt(N)),
        lambda a, b, _: (a * sqrt(N) * log2(N), b),
        lambda a, b, c: (a * log2(N) ** 2 + b, c * log2(N)),
        lambda a, b, _: (call("ln", a * N), b / N),
    ]
)


@given(shapes, coefficients, coefficients, coefficients)
def test_random_equations_against_the_proof(shape, a: Formula, b: Formula, c: Formula) -> None:
    left, right = (formula(each) for each in shape(a, b, c))
    found = solve(left, right)
    assert found.kind not in ("none", "polynomial")
    proof = sign_runs(left.tree, right.tree, "N", 1.0, 1e18, integer=False)
    roots = [root for root in values(found) if 1.001 < root < 1e17]
    # Two roots that nearly coincide are for the proof alone.
    assume(all(b / a > 1 + 1e-6 for a, b in itertools.pairwise(roots)))
    crossings = changes(proof, left.tree, right.tree, "N")
    crossings = [each for each in crossings if 1.001 < each.low < 1e17]
    if proof.complete:
        for change in crossings:
            assert any(
                change.low * (1 - 1e-12) <= each <= change.high * (1 + 1e-12) for each in roots
            )
        for each in roots:
            assert any(
                change.low * (1 - 1e-12) <= each <= change.high * (1 + 1e-12)
                for change in crossings
            )
