"""Leading terms, against SymPy's limits where it has one and against large numbers elsewhere."""

from __future__ import annotations

import itertools

import mpmath
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.algebra.leading import eventual_sign, leading
from roofdsl.expression.construct import subtract
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import HALF, Comparison, Conditional, Expression, Function, Logic
from tests.solver.thesis import kernels, times
from tests.solver.writing import (
    Formula,
    N,
    P,
    call,
    ceil,
    floor,
    formula,
    largest,
    least,
    log2,
    name,
    precise,
    sqrt,
    to_sympy,
    tree,
    when,
)

M = name("M")
INFINITE = sympy.oo


def dominates(left: Expression, right: Expression, unknown: str) -> bool | None:
    """Return whether one is larger for all large values, None where that is not known."""
    sign = eventual_sign(subtract(left, right), unknown)
    return None if sign is None else sign > 0


def sympy_limit(what: Expression, unknown: str):
    return sympy.limit(to_sympy(what), sympy.Symbol(unknown, positive=True), INFINITE)


@pytest.mark.parametrize("model", kernels())
@pytest.mark.parametrize("unknown", ["N", "P"])
def test_ratios_of_thesis_work_agree_with_sympy(model: str, unknown: str) -> None:
    for left, right in itertools.combinations(kernels()[model], 2):
        ratio = tree(left / right)
        if unknown == "P":
            ratio = substitute(ratio, {"N": tree(2**20)})
        found = leading(ratio, unknown)
        assert found is not None
        assert sympy.simplify(sympy_limit(tree(Formula(ratio) / Formula(found)), unknown)) == 1


@pytest.mark.parametrize("machine", ["bigred2", "karst", "jetstream"])
@pytest.mark.parametrize("model", kernels())
@pytest.mark.parametrize(("unknown", "numbers"), [("N", {"P": 128}), ("P", {"N": 2**20})])
def test_the_asymptotic_order_of_thesis_times_agrees_with_sympy(
    model: str, machine: str, unknown: str, numbers: dict[str, int]
) -> None:
    values = {key: tree(value) for key, value in numbers.items()}
    for left, right in itertools.permutations(times(model, machine), 2):
        one, other = substitute(left.tree, values), substitute(right.tree, values)
        limit = sympy_limit(tree(Formula(one) / Formula(other)), unknown)
        if limit == 1:
            continue
        # DDOT as printed has negative flops for many processes.
        negative = eventual_sign(other, unknown) == -1
        assert dominates(one, other, unknown) == (limit < 1 if negative else limit > 1)


SMOOTH = [
    (2 * N**3 + N) / (N**2 + P),
    sqrt(N**2 + N),
    sqrt(N**2 + N) - N,
    (N + 1) ** formula("1/3") - N ** formula("1/3"),
    log2(N + 1) - log2(N),
    N / (log2(N) * N + N),
    N**2 / (N + 1) - N,
    (N**2 - P) / (N * log2(N) + P),
    1 / (1 / N + 1 / N**2),
    call("ln", N**2 + 1) * N,
    call("log10", N + P),
    (1 + 1 / N) ** N,
    call("exp", 1 / N) - 1,
    formula(2) ** N / N**100,
    (N + 2) * (N + 3) / ((N + 5) * (N + 7)) - 1,
    call("log", N + 1, P),
    (N * P + log2(N)) / (N + log2(P)),
]


@pytest.mark.parametrize("what", SMOOTH, ids=range(len(SMOOTH)))
def test_smooth_formulas_agree_with_sympy(what: Formula) -> None:
    found = leading(what.tree, "N")
    assert found is not None
    assert sympy.simplify(sympy_limit(tree(what / Formula(found)), "N")) == 1


CHOSEN = {
    "max of orders": (largest(N**2, 1000 * N), N**2),
    "min of orders": (least(N**2, 1000 * N), 1000 * N),
    "max by logarithm": (largest(N * log2(N), 99 * N), N * log2(N)),
    "max by coefficient": (largest(2 * N + 5, 3 * N), 3 * N),
    "max by the other names": (largest(N * P + 1, N * M), N * largest(P, M)),
    "max by what is left": (N - largest(N - 5, N - 3), formula(3)),
    "max of almost equals": (largest(N / P, ceil(N / P)), N / P),
    "max of unknown sign": (largest(N * (P - 2), 5), largest(N * (P - 2), 5)),
    "max of exponentials": (largest(formula(2) ** N, N**50), formula(2) ** N),
    "max of growth and decay": (largest(formula(2) ** (-1 * N), 1 / N**9), 1 / N**9),
    "if on the unknown": (when(N, ">", 1000, N, N**2), N),
    "if never": (when(N, "<=", sqrt(N), N, N**2), N**2),
    "if on another name": (when(P, ">", 8, 2 * N + 1, N), N * when(P, ">", 8, 2, 1)),
    "if in a sum": (N + when(P, ">", 8, 2 * N + 1, N), N * (1 + when(P, ">", 8, 2, 1))),
    "ceil of growing": (7 * ceil(N / 7), N),
    "ceil from above": (ceil(3 + 1 / N), formula(4)),
    "ceil from below": (ceil(3 - 1 / N), formula(3)),
    "floor from below": (floor(3 - 1 / N), formula(2)),
    "ceil of vanishing": (ceil(1 / N), formula(1)),
    "floor of vanishing": (floor(-1 / N), formula(-1)),
    "ceil of a whole name": (ceil(P + 1 / N), P + 1),
    "ceil of another": (N * ceil(M / 3), N * ceil(M / 3)),
    "cnc blocks": (ceil(N / P) * ceil(N / P) * N, N**3 / P**2),
    "abs": (call("abs", P - N), N),
    "sum over an index": (N * (P - 1) / P + log2(N), N * (P - 1) / P),
    "log of a log": (log2(log2(N) + 1), log2(log2(N))),
    "constant": (P + 1, P + 1),
    "zero": (N - N, formula(0)),
}


@pytest.mark.parametrize("case", CHOSEN)
def test_choices_are_made_for_large_values(case: str) -> None:
    what, expected = CHOSEN[case]
    assert leading(what.tree, "N") == expected.tree


@pytest.mark.parametrize(
    "what",
    [
        7 * ceil(N / 7) - N,
        call("ln", ceil(N / 2) - N / 2),
        Formula(
            Conditional(Function("is_integer", (tree(sqrt(N)),)), tree(N), tree(N**2)),
        ),
    ],
)
def test_what_oscillates_has_no_leading_term(what: Formula) -> None:
    assert leading(what.tree, "N") is None
    assert eventual_sign(what.tree, "N") is None


def test_a_condition_of_several_parts() -> None:
    far = Comparison(">", tree(N), tree(100))
    near = Logic("not", (far,))
    other = Comparison(">", tree(P), tree(3))
    either = Conditional(Logic("or", (far, other)), tree(N), tree(N**2))
    both = Conditional(Logic("and", (near, other)), tree(N), tree(N**2))
    assert leading(either, "N") == tree(N)
    assert leading(both, "N") == tree(N**2)


def test_along_a_power_of_the_unknown() -> None:
    # Weak scaling of SUMMA: P grows like N².
    flops, _, network = kernels()["SUMMA"]
    ratio = substitute(tree(flops / network), {"P": tree(N**2)})
    assert leading(ratio, "N") == tree(1 / (8 * log2(N)))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (N, 1000 * log2(N), True),
        (N, N, False),
        (N + 1, N, True),
        (N * P, N, True),  # but for P = 1
        (N * M, N, None),
        (N * (P + 1), N, True),
        (largest(N, P), N, False),
        (N * log2(formula(8)), 3 * N, False),
        (sqrt(N**2 + 1), N, True),
    ],
)
def test_dominates(left: Formula, right: Formula, expected: bool | None) -> None:
    assert dominates(left.tree, right.tree, "N") is expected


pieces = st.sampled_from(
    [N, N + 3, 2 * N, N * log2(N), sqrt(N), N**2 / 2, formula(2), 1 / N, ceil(N / 3), N - 7]
)
mixtures = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda a, b: a / b, inner, inner),
        st.builds(largest, inner, inner),
        st.builds(least, inner, inner),
        st.builds(lambda a, b, c: when(a, "<", b, a, c), inner, inner, inner),
        st.builds(lambda a: Formula(tree(call("abs", a) ** Formula(HALF))), inner),
    ),
    max_leaves=5,
)


# Far out, and so precise that nothing is lost when the terms of largest degree cancel.
FAR, DIGITS = {"N": 2**1000 + 1}, 4000


@given(mixtures)
def test_the_ratio_to_the_leading_term_tends_to_1(what: Formula) -> None:
    found = leading(what.tree, "N")
    if found is None:
        return
    try:
        value, lead = precise(what.tree, FAR, DIGITS), precise(found, FAR, DIGITS)
    except ZeroDivisionError:
        return
    # The slowest terms differ by a factor log2 N, 1000.
    assert abs(value - lead) <= abs(lead) / 4 + mpmath.mpf(10) ** -3000


@given(mixtures, mixtures)
def test_what_dominates_is_larger_far_out(left: Formula, right: Formula) -> None:
    if dominates(left.tree, right.tree, "N"):
        try:
            assert precise(left.tree, FAR, DIGITS) > precise(right.tree, FAR, DIGITS)
        except ZeroDivisionError:
            return
