"""Dense `ceil` and `floor`: every place that is claimed, against exact numbers."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from fractions import Fraction
from math import ceil as up
from math import floor as down
from math import prod

import pytest

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.run import SignRun
from roofdsl.numeric.sign_runs import SignRuns, sign_runs
from tests.solver.writing import (
    Formula,
    N,
    ceil,
    floor,
    formula,
    largest,
    least,
    log2,
    name,
    sqrt,
    tree,
    when,
)

FAR = 10**18
# How many random models: more for `make fuzz`.
MODELS = int(os.environ.get("ROOFDSL_BANDS", "60"))
_RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def value(what: Expression, x: int) -> Fraction:
    """Compute an expression of N with fractions; of logarithms only those of powers of 2."""
    found: dict[int, Fraction] = {}
    for node in bottom_up(what):
        operands = [found[id(each)] for each in trees_of(node)]
        found[id(node)] = Fraction(_value(node, operands, x))
    return found[id(what)]


def trees_of(node: Expression) -> tuple[Expression, ...]:
    # The logarithm within a rounding is looked at there.
    if isinstance(node, trees.Function) and node.name in ("ceil", "floor"):
        (argument,) = node.arguments
        if isinstance(argument, trees.Function) and argument.name == "log2":
            return argument.arguments
    return operands_of(node)


def _value(node: Expression, operands: list[Fraction], x: int) -> Fraction | int | bool:
    match node:
        case Number(number):
            return number
        case Symbol():
            return x
        case trees.Add():
            return sum(operands)
        case trees.Multiply():
            return prod(operands)
        case trees.Divide():
            return operands[0] / operands[1]
        case trees.Power():
            return operands[0] ** int(operands[1])
        case trees.Comparison(relation, _, _):
            return _RELATIONS[relation](operands[0], operands[1])
        case trees.Conditional():
            return operands[1] if operands[0] else operands[2]
        case trees.Function(function, (trees.Function("log2", _),)):
            return _whole_logarithm(operands[0], function)
        case trees.Function("log2", _):
            return 0  # counts only within a rounding, which asks for it itself
        case trees.Function(function, _):
            return _FUNCTIONS[function](*operands)
    raise TypeError(node)


_FUNCTIONS: dict[str, Callable[..., Fraction | int]] = {
    "ceil": up, "floor": down, "min": min, "max": max, "abs": abs,
    "is_integer": lambda u: u.denominator == 1,
}  # fmt: skip


def _whole_logarithm(argument: Fraction, function: str) -> int:
    exponent = argument.numerator.bit_length() - argument.denominator.bit_length() - 1
    while Fraction(2) ** (exponent + 1) <= argument:
        exponent += 1
    return exponent + (function == "ceil" and Fraction(2) ** exponent < argument)


def order(left: Formula, right: Formula, x: int) -> str:
    difference = value(left.tree, x) - value(right.tree, x)
    return "above" if difference > 0 else "below" if difference < 0 else "equal"


_HOLDS = {
    "above": {"above"},
    "below": {"below"},
    "not_above": {"below", "equal"},
    "not_below": {"above", "equal"},
}


def assert_right(
    found: SignRuns, left: Formula, right: Formula, low: int, high: int, pick: random.Random
) -> None:
    """Ask exact numbers at both sides of every change, and at some places of every run."""
    following = low
    for run in found.runs:
        first, last = int(run.first), int(run.last)
        assert first == following <= last
        following = last + 1
        inside = {first, min(first + 1, last), last, max(first, last - 1)}
        inside |= {pick.randint(first, last) for _ in range(8)}
        inside |= {min(last, first + pick.randint(0, 2000)) for _ in range(4)}
        inside |= {max(first, last - pick.randint(0, 2000)) for _ in range(4)}
        if run.state in ("above", "below", "equal"):
            assert {order(left, right, x) for x in inside} == {run.state}
        if run.ends:
            assert_ends(run, left, right, inside)
    assert following == high + 1
    for one, other in zip(found.runs, found.runs[1:], strict=False):
        # What is mixed begins with a change, and ends before one.
        at_end, beyond = (order(left, right, x) for x in (int(one.last), int(other.first)))
        if other.state == "mixed" and one.state != "undecided" and one.state != "mixed":
            assert beyond != one.state
        if one.state == "mixed" and other.state != "undecided" and other.state != "mixed":
            assert at_end != other.state


def assert_ends(run: SignRun, left: Formula, right: Formula, inside: set[int]) -> None:
    assert run.ends is not None
    for wanted, ends in run.ends._asdict().items():
        holds = _HOLDS[wanted]
        for x in inside:
            if order(left, right, x) in holds:
                assert ends is not None and ends[0] <= x <= ends[1]
        if ends is not None:
            for place in ends:
                assert order(left, right, int(place)) in holds
            for x in (int(ends[0]) - 1, int(ends[1]) + 1):
                if run.first <= x <= run.last:
                    assert order(left, right, x) not in holds


def runs(left: Formula, right: Formula, low: int = 1, high: int = FAR) -> SignRuns:
    return sign_runs(tree(left), tree(right), "N", low, high, integer=True)


def listed(found: SignRuns) -> list[tuple[float, float, str]]:
    return [(run.first, run.last, run.state) for run in found.runs]


# Where the first and the last change are, told by hand.
KNOWN: dict[str, tuple[Formula, Formula, int, int]] = {
    # Above at N = 3j + 1 while 3j + 3 > (1 + 1e-10)(3j + 1), that is while 1e-10·N < 2.
    "3": (3 * ceil(N / 3), formula("1.0000000001") * N, 3, 20_000_000_000 - 1),
    # At N = 7j + 1 while 6 > 1e-9·N, and equal where that is 6.
    "7, and a tie": (7 * ceil(N / 7), formula("1.000000001") * N, 7, 6 * 10**9),
    "64": (64 * ceil(N / 64), formula("1.000000001") * N, 64, 62_999_999_937),
    "1000": (1000 * ceil(N / 1000), formula("1.000000001") * N, 1000, 998_999_999_001),
    "997, hardly": (997 * ceil(N / 997), formula("1.000000000001") * N, 997, 995_999_999_999_085),
    # A block that is not full is worth the more the nearer N is to the block before.
    "tiles": (
        128**3 * ceil(N / 128) ** 3,
        formula("1.00000001") * N**3,
        128,
        38_100_000_001,
    ),
    # Bounded below by 56,000, the first number that all three divide.
    "three periods": (
        7 * ceil(N / 7) + 64 * ceil(N / 64) + 1000 * ceil(N / 1000),
        formula("3.000000001") * N,
        56_000,
        1_067_999_968_001,
    ),
    "nested": (
        32 * ceil(ceil(N / 4) / 8),
        N + ceil(N / 64) / 10**7,
        32,
        19_839_999_969,
    ),
}


@pytest.mark.parametrize("case", KNOWN)
def test_the_first_and_the_last_change_are_exact_however_far_out(case: str) -> None:
    left, right, first, last = KNOWN[case]
    found = runs(left, right)
    assert found.complete
    assert listed(found) == [
        (1, first - 1, "above"),
        (first, last, "mixed"),
        (last + 1, FAR, "below"),
    ]
    assert_right(found, left, right, 1, FAR, random.Random(case))


def test_beyond_the_band_all_is_proven_however_small_the_difference() -> None:
    for exponent in range(6, 13):
        factor = 1 + Fraction(1, 10**exponent)
        found = runs(64 * ceil(N / 64), formula(factor) * N)
        assert found.complete and found.runs[-1].state == "below"
        assert_right(found, 64 * ceil(N / 64), formula(factor) * N, 1, FAR, random.Random(exponent))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (largest(64 * ceil(N / 64), N + 41), N + 9),
        (largest(64 * ceil(N / 64), N + 41), N + 50),
        (N**2, N * least(64 * ceil(N / 64), N + 41)),
        (least(64 * floor(N / 64), N - 7) + 3, N),
    ],
)
def test_a_choice_is_decided_by_its_operands(left: Formula, right: Formula) -> None:
    budget = Budget()
    found = sign_runs(tree(left), tree(right), "N", 1, FAR, integer=True, budget=budget)
    assert found.complete and budget.spent < 2000
    assert_right(found, left, right, 1, FAR, random.Random(3))


def test_the_work_for_a_band_does_not_grow_with_its_length() -> None:
    for k in (3, 7, 64, 250, 1000):
        budget = Budget()
        left, right = tree(k * ceil(N / k)), tree(formula("1.000000001") * N)
        sign_runs(left, right, "N", 1, FAR, integer=True, budget=budget)
        assert budget.spent < 5000


def test_a_band_that_fills_the_range() -> None:
    found = runs(10 * ceil(N / 10), N + 5)
    assert found.complete
    (run, band, rest) = found.runs
    assert (run.first, run.last, run.state) == (1, 4, "above")
    assert band.state == "mixed" and rest.last == FAR
    assert band.ends is not None and band.ends.above == (11, FAR - 6)
    assert_right(found, 10 * ceil(N / 10), N + 5, 1, FAR, random.Random(0))


def test_ends_of_orders_within_a_band() -> None:
    # 3·ceil(N/3) is the larger at N = 3j + 1 and 3j + 2 only, so never at the last number here.
    found = runs(3 * ceil(N / 3), formula("1.0000000001") * N)
    ends = found.runs[1].ends
    assert ends is not None
    assert ends.above == ends.not_below == (4, 19_999_999_999)
    assert ends.below == ends.not_above == (3, 19_999_999_998)


def test_beyond_a_band_whose_period_is_too_long_all_is_proven() -> None:
    big = 10**9 + 7
    left, right = big * ceil(N / big), formula("1.000001") * N
    found = runs(left, right)
    assert_right(found, left, right, 1, FAR, random.Random(1))
    assert found.runs[0].state == "above"
    # Beyond, its reach of 10^9 + 6 is less than a millionth of N.
    assert found.runs[-1].state == "below" and found.runs[-1].first <= (big - 1) * 10**6 + 1


def stages(p: Formula) -> Formula:
    """The stages of a binomial tree, as the library's all-reduce has them."""
    return when(p, ">", 1, ceil(log2(p)), 0)


# Functions of few values over the range: whatever else there is, it is decided.
STEPS: dict[str, tuple[Formula, Formula]] = {
    "an all-reduce": (
        stages(N) * formula("2e-6") + 2 * 10**9 * (N - 1) / N / 10**10,
        formula("0.2") + formula("2e-6") * 29 + formula("1e-9"),
    ),
    "far out": (ceil(log2(N)), formula("59.5") - 10**16 / N),
    "a power of 2": (formula(2) ** floor(log2(N)), formula("0.7") * N),
    "a rounded root": (floor(sqrt(log2(N + 1))) * N + ceil(log2(N)), 5 * N + 40),
    "with a band in one of its pieces": (
        ceil(log2(N)) * ceil(N / 64) * 64,
        20 * N + 1000,
    ),
    "of a rounded quotient": (ceil(log2(ceil(N / 4))) * N, 20 * N + 1000),
    "in a denominator": (N**3 / ceil(log2(N + 1)), N**3 / 20 + N**2),
    "too long to repeat": (ceil(N / 10**16), N / 10**16 + formula("0.5")),
    "max and if": (
        largest(N**2 / 10**6, 1000 * ceil(N / 7), 10**9),
        when(N, ">", 10**12, 143 * N + 10**7, 2 * N * ceil(log2(N))),
    ),
}


@pytest.mark.parametrize("case", STEPS)
def test_functions_of_few_values_are_decided(case: str) -> None:
    left, right = STEPS[case]
    found = runs(left, right)
    assert found.complete
    if case != "a rounded root":
        assert_right(found, left, right, 1, FAR, random.Random(case))


def test_each_step_of_an_all_reduce_is_a_step_of_the_answer() -> None:
    # ceil(log2 N) > k + 1/2 from 2^k + 1 on.
    for k in range(60):
        found = runs(ceil(log2(N)), formula(k) + formula("1/2"))
        assert listed(found) == [(1, 2**k, "below"), (2**k + 1, FAR, "above")]


def test_a_list_that_nobody_reads_is_a_band_with_its_ends() -> None:
    # Above and below a hundred times; equal halfway.
    left, right = ceil(N / 10**16), N / 10**16 + formula("1/2")
    found = runs(left, right)
    assert len(found.runs) < 60
    band = next(run for run in found.runs if run.state == "mixed")
    assert band.ends is not None and band.last - band.first > FAR / 2
    assert_right(found, left, right, 1, FAR, random.Random(2))


def _random_sides(pick: random.Random) -> tuple[Formula, Formula]:
    """Return two formulas that lie close together, with roundings."""

    def rounded(scale: int) -> Formula:
        k = pick.choice([2, 3, 4, 5, 7, 8, 10, 13, 16, 32, 48, 60, 64, 100, 128, 250, 1000])
        inner: Formula = pick.choice([1, 1, 1, 2, 3]) * N / k + pick.choice([0, 0, 0, 1, "1/3"])
        if pick.random() < 0.15:
            inner = ceil(N / pick.choice([2, 3, 4])) / k
        whole: Formula = pick.choice([ceil, floor])(inner) * k ** pick.choice([1, 1, 0]) * scale
        return whole

    kind = pick.randrange(6)
    eps = Fraction(pick.randint(1, 99), 10 ** pick.randint(1, 13))
    if kind == 0:
        k = pick.randint(2, 300)
        return k * ceil(N / k), (1 + eps) * N
    if kind == 1:
        left: Formula = rounded(1)
        for _ in range(pick.randint(0, 2)):
            left = left + rounded(pick.randint(1, 9))
        slope = value((left / 1).tree, 10**30) / 10**30
        near = Fraction(slope).limit_denominator(10**6)
        return left, near * (1 + pick.choice([-1, 0, 1]) * eps) * N + pick.randint(0, 99)
    if kind == 2:
        k, power = pick.choice([4, 10, 32, 128]), pick.randint(2, 3)
        return k**power * ceil(N / k) ** power, (1 + eps) * N**power + pick.randint(0, 5) * N
    if kind == 3:
        return rounded(1) * rounded(pick.randint(1, 9)), N**2 * eps + pick.randint(1, 10**6) * N
    if kind == 4:
        k = pick.randint(2, 64)
        other = when(rounded(1), pick.choice(["<", ">=", "=="]), rounded(1), N, rounded(1))
        return largest(k * ceil(N / k), pick.randint(1, 10**6)), other * (1 + eps)
    k = pick.randint(2, 64)
    return N**2 / ceil(N / k), k * (1 - eps) * N + least(rounded(1), pick.randint(1, 10**6))


@pytest.mark.parametrize("seed", range(max(1, MODELS // 20)))
def test_random_bands_are_right_at_every_place_that_is_asked(seed: int) -> None:
    pick = random.Random(seed)
    undecided = 0
    for _ in range(20):
        left, right = map(formula, _random_sides(pick))
        high = pick.choice([10**5, 10**9, FAR])
        found = runs(left, right, 1, high)
        assert_right(found, left, right, 1, high, pick)
        undecided += not found.complete
        near = runs(left, right, 1, 700)
        for run in near.runs:
            orders = {order(left, right, x) for x in range(int(run.first), int(run.last) + 1)}
            if run.state in ("above", "below", "equal"):
                assert orders == {run.state}
            elif run.state == "mixed":
                assert len(orders) > 1
    assert undecided <= 2


X = name("x")


@pytest.mark.parametrize(
    ("left", "right", "state"),
    [
        # Beyond 2^53 floats cannot tell the ten that lie between.
        (largest(0, X - 10), 3 * ceil(X / 3), "below"),
        (floor(X / 3) * 3, X - 4, "above"),
        (ceil(log2(X + 1)), log2(X + 1) + 1 + 1 / X, "below"),
    ],
)
@pytest.mark.parametrize("low", [0.1, 1.0])
def test_a_real_unknown_is_decided_outside_of_the_envelope(
    left: Formula, right: Formula, state: str, low: float
) -> None:
    found = sign_runs(tree(left), tree(right), "x", low, 1e18, integer=False)
    assert [(run.first, run.last, run.state) for run in found.runs] == [(low, 1e18, state)]


def test_a_sum_up_to_a_rounded_number_has_a_band_too() -> None:
    k = name("k", integer=True)
    blocks = Formula(trees.Sum(tree(8 * k), Symbol("k", integer=True), tree(1), tree(ceil(N / 8))))
    found = runs(blocks, N**2 / 16 + N)
    assert found.complete
    assert [run.state for run in found.runs] == ["above", "mixed", "below"]
    last = ceil(N / 8)
    assert_right(found, 4 * last * (last + 1), N**2 / 16 + N, 1, FAR, random.Random(3))
