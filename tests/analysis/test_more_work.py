"""What is undecided is said to be a matter of more work only where a budget ran out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.algebra.asymptotic import expansion
from roofdsl.algebra.series import Undecided
from roofdsl.allowance import Budget
from roofdsl.cli.main import cli
from roofdsl.expression import tree as trees
from roofdsl.expression.bounds import Unclear, sign_by_bounds
from roofdsl.expression.construct import add, call, multiply, number, power, subtract
from roofdsl.expression.tree import Symbol
from roofdsl.numeric.enclosure import Enclosure
from tests.test_allowance import HARD

MORE = "; more work may decide it: --budget 10x"
FILE = (
    HARD
    + """
model open {
    param N: integer
    param P: processes
    flops = ceil(N/P)*7
    memory = ceil(N/7)*P * 1 B
}
model towers {
    param N: integer
    param P: processes
    flops = N^2*log2(P + 1)/P + exp(P)
    memory = (N*2^P + log2(N)) * 1 B
}
model saws {
    param P: processes
    flops = ceil(123456789/P)*7
    memory = ceil(987654321/P)*11 * 1 B
    network = sqrt(P - 1)*P * 1 B
}
"""
)


def told(tmp_path: Path, *question: str) -> str:
    path = tmp_path / "m.roof"
    path.write_text(FILE, encoding="utf-8")
    command, name, *options = question
    machine = "-m", f"{path}:box"
    result = CliRunner().invoke(cli, [command, f"{path}:{name}", *machine, *options])
    assert not result.exit_code, result.output
    return result.output


@pytest.mark.parametrize(
    ("question", "few", "many"),
    [
        (("solve", "m", "--for", "N", "--crossover"), "0.1x", "1x"),
        (("solve", "m", "--for", "N", "--such-that", "bound = flops"), "0.1x", "1x"),
        (("solve", "m", "--for", "N", "--crossover", "--rates", "±1%"), "0.1x", "1x"),
        (("study", "saws", "--scaling"), "0.001x", "1x"),
    ],
)
def test_where_a_budget_ran_out_more_work_may_help(
    tmp_path: Path, question: tuple[str, ...], few: str, many: str
) -> None:
    cut, decided = (told(tmp_path, *question, "--budget", each) for each in (few, many))
    assert MORE in cut
    assert cut.replace(MORE, "") != decided.replace(MORE, "")


@pytest.mark.parametrize("name", ["open", "towers"])
@pytest.mark.parametrize("asked", [("--crossover",), ("--such-that", "bound = flops")])
def test_where_none_ran_out_more_work_is_not_asked_for(
    tmp_path: Path, name: str, asked: tuple[str, ...]
) -> None:
    said = told(tmp_path, "solve", name, "--for", "N", *asked)
    assert "undecided" in said
    assert "more work" not in said
    assert said == told(tmp_path, "solve", name, "--for", "N", *asked, "--budget", "100x")


def test_terms_of_sums_in_bounds_are_charged() -> None:
    k, n = Symbol("k", integer=True), Symbol("N", integer=True)
    body = power(number(2), call("log2", k))
    total = subtract(trees.Sum(body, k, number(1), n), number(7))
    costs = []
    for last in (10, 100):
        budget = Budget()
        assert sign_by_bounds(total, 100, "N", Fraction(last), budget) == 1
        costs.append(budget.spent)
    assert costs[1] == 10 * costs[0] > 0
    with pytest.raises(Unclear):
        sign_by_bounds(total, 100, "N", Fraction(100), Budget(costs[0]))


def test_products_within_a_series_are_charged() -> None:
    # Each log2 of a sum is a series of products of the coefficients of the one before.
    tree: trees.Expression = Symbol("N")
    for place in range(12):
        part = add(tree, *(call("log2", add(Symbol(f"x{each}"), tree)) for each in range(place)))
        tree = call("log2", multiply(part, add(tree, Symbol(f"x{place}"))))
    with pytest.raises(Undecided):
        expansion(tree, "N", 14)


def test_a_sum_from_an_open_bound_on_is_charged_for_its_terms() -> None:
    # From each bound on, its terms are computed anew; from a fixed one on, each is computed once.
    k, p = Symbol("k", integer=True), Symbol("P", integer=True)
    body = call("ceil", call("log2", add(k, number(1))))
    fixed, from_p = (
        Enclosure(trees.Sum(body, k, low, high), "P", integer=True)
        for low, high in ((number(1), p), (p, number(100)))
    )
    assert from_p.size > 100 > fixed.size
