"""Sums up to an unknown: closed forms, and Euler and Maclaurin's formula, checked by adding up."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from pathlib import Path

import mpmath
import pytest
from click.testing import CliRunner

import roofdsl as rd
import roofdsl.expression.bounds as precise
from roofdsl.allowance import Budget
from roofdsl.analysis.crossover import Crossovers
from roofdsl.cli.main import cli
from roofdsl.expression.bounds import bounds
from roofdsl.expression.construct import add, call, divide, multiply, number, power, subtract
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.tree import HALF, ONE, Expression, Number, Sum, Symbol
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import sign_runs
from roofdsl.numeric.sums import has_sums

FAR = 10**18
N = Symbol("N", integer=True)
K = Symbol("k", integer=True)
INVERSE = divide(ONE, K)
LOG = call("log2", K)
SQUARE = multiply(K, K)
ODD = add(multiply(number(2), K), ONE)


def total(body: Expression, high: Expression = N, low: int = 1) -> Sum:
    return Sum(body, K, number(low), high)


@pytest.mark.parametrize(
    "body",
    [
        INVERSE,
        divide(ONE, SQUARE),
        power(K, HALF),
        divide(ONE, power(K, HALF)),
        power(K, number("7/3")),
        LOG,
        multiply(K, LOG),
        divide(LOG, K),
        divide(number(3), ODD),
        call("log2", add(K, HALF)),
        add(INVERSE, SQUARE),
    ],
)
@pytest.mark.parametrize("low", [1, 5])
def test_bounds_of_a_long_sum_enclose_what_it_adds_up_to(body: Expression, low: int) -> None:
    last = 300
    with mpmath.workdps(50):
        exactly = mpmath.fsum(mpmath.mpf(_midpoint(body, k)) for k in range(low, last + 1))
        least, most = bounds(total(body, number(last), low), 200)
        size = max(abs(exactly), 1)
        assert (
            mpmath.mpf(least.numerator) / least.denominator
            <= exactly + size * mpmath.mpf(10) ** -40
        )
        assert (
            mpmath.mpf(most.numerator) / most.denominator >= exactly - size * mpmath.mpf(10) ** -40
        )
        assert most - least < Fraction(1, 10**25)


def _midpoint(body: Expression, k: int) -> mpmath.mpf:
    # A sum of one term is added up, not taken from the formula.
    low, high = bounds(Sum(body, K, number(k), number(k)), 250)
    assert high - low < Fraction(1, 10**50)
    return mpmath.mpf(low.numerator) / low.denominator


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (total(INVERSE), number(8)),
        (total(LOG), multiply(number(8), N)),
        (total(power(K, HALF)), multiply(number(20), N)),
        (total(divide(ONE, SQUARE)), number("1.644")),
        (total(INVERSE, subtract(N, ONE)), number(7)),
        (total(INVERSE, divide(N, number(2))), number(7)),
        (total(INVERSE, multiply(N, N)), number(12)),
        (total(divide(ONE, ODD)), number(4)),
        (multiply(N, total(INVERSE)), multiply(number(7), N)),
        (total(multiply(K, power(number(3), K))), power(N, number(9))),
        (total(power(number(2), subtract(N, K))), power(N, number(3))),
        (total(total(SQUARE, K)), multiply(number(1000), N)),
    ],
)
def test_the_order_is_that_of_sums_added_up(left: Expression, right: Expression) -> None:
    found = sign_runs(left, right, "N", 1, FAR, integer=True, budget=Budget())
    assert found.complete
    ends = (x for run in found.runs for x in range(int(run.first) - 2, int(run.first) + 3))
    for x in {*range(1, 40), *(x for x in ends if 0 < x < 3000), 64, 65, 400}:
        difference = evaluate(left, {"N": x}) - evaluate(right, {"N": x})
        if abs(difference) > 1e-9 * abs(evaluate(right, {"N": x})):
            (state,) = (run.state for run in found.runs if run.first <= x <= run.last)
            assert state == ("above" if difference > 0 else "below"), x


def test_the_harmonic_sum_passes_whole_numbers_where_it_is_known_to() -> None:
    # Sloane's A004080: the first n with 1 + 1/2 + … + 1/n ≥ each whole number.
    known = {8: 1674, 12: 91380, 16: 4989191, 20: 272400600, 24: 14872568831, 28: 812014744422}
    for height, first in known.items():
        found = sign_runs(total(INVERSE), number(height), "N", 1, FAR, integer=True)
        assert [run.first for run in found.runs] == [1, first]


def test_a_geometric_sum_of_a_polynomial_has_a_closed_form() -> None:
    body = multiply(SQUARE, power(number("1/2"), K))
    form = normal_form(total(body), "N")
    assert form is not None and not has_sums(form.tree())
    added = accumulate(Fraction(k * k, 2**k) for k in range(1, 30))
    for n, exactly in enumerate(added, 1):
        assert abs(evaluate(form.tree(), {"N": n}) - float(exactly)) < 1e-12


def test_what_is_no_power_stays_undecided_within_its_budget() -> None:
    body = call("min", INVERSE, Number(Fraction(1, 2)))
    budget = Budget()
    found = sign_runs(total(body), number(30), "N", 1, FAR, integer=True, budget=budget)
    assert not found.complete and budget.spent < 50_000


def test_a_crossover_of_a_harmonic_sum_is_proven_up_to_the_end(tmp_path: Path) -> None:
    file = tmp_path / "m.roof"
    file.write_text(
        "model m { param N: integer; flops = sum(1/k for k in 1..N); memory = 20 B }\n"
        "machine box { flops = 1 flop/s; memory = 1 B/s }\n"
    )
    asked = ["solve", f"{file}:m", "--crossover", "--for", "N", "-m", f"{file}:box"]
    said = CliRunner().invoke(cli, asked).output
    assert "memory → flops from N = 272400600\n" in said
    assert "proven over the whole range" in said


@pytest.mark.parametrize("body", ["ceil(i*j*k/3)", "sqrt(i*j*k)"])
def test_sums_inside_each_other_have_few_terms_altogether(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[object] = []

    def noted(function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            computed.append(function)
            return function(*arguments)

        return call

    monkeypatch.setattr(precise, "_value", noted(precise._value))
    monkeypatch.setattr(Enclosure, "_place", noted(Enclosure._place))
    path = tmp_path / "case.roof"
    path.write_text(
        f"model m {{ param N: integer\n flops = sum(sum(sum({body} for k in 1..N)"
        " for j in 1..N) for i in 1..N)\n memory = N^3 * 1 B }\n"
        "machine x { flops = 1 GFLOP/s\n memory = 1 GB/s }\n"
    )
    prediction = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:x"))
    assert isinstance(prediction.crossovers(), Crossovers)
    # With 16 terms of each, or 64, they were millions.
    assert len(computed) < 200_000
