"""What is undecided is said to be a matter of more work only where a budget ran out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.algebra.asymptotic import expansion
from roofdsl.algebra.series import Undecided
from roofdsl.allowance import WORK, Budget, counting, operations
from roofdsl.cli.main import cli
from roofdsl.expression import tree as trees
from roofdsl.expression.bounds import Unclear, sign_by_bounds
from roofdsl.expression.construct import add, call, multiply, number, power, subtract
from roofdsl.expression.tree import Symbol
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.exact import exact_evaluator
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
"""
)


def told(tmp_path: Path, *question: str) -> str:
    path = tmp_path / "m.roof"
    path.write_text(FILE, encoding="utf-8")
    command, name, *options = question
    asked = ("summa", "karst") if name == "summa" else (f"{path}:{name}", f"{path}:box")
    result = CliRunner().invoke(cli, [command, asked[0], "-m", asked[1], *options])
    assert not result.exit_code, result.output
    return result.output


@pytest.mark.parametrize(
    ("question", "few", "many"),
    [
        (("solve", "m", "--for", "N", "--crossover"), "0.1x", "1x"),
        (("solve", "m", "--for", "N", "--such-that", "bound = flops"), "0.1x", "1x"),
        (("solve", "m", "--for", "N", "--crossover", "--rates", "±1%"), "0.5x", "1x"),
        (("study", "summa", "--scaling", "-p", "N=4096"), "0.02x", "0.1x"),
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


def test_exact_sums_of_what_needs_no_step_are_charged() -> None:
    i, j, n = (Symbol(name, integer=True) for name in "ijN")
    triangle = trees.Sum(trees.Sum(j, j, number(1), i), i, number(1), n)
    budget = Budget()
    assert exact_evaluator(triangle)({"N": Fraction(30)}, budget) == 30 * 31 * 32 // 6
    assert budget.spent > (30 * 31 / 2 + 30) / 2


def test_long_sums_in_bounds_are_charged() -> None:
    k, n = Symbol("k", integer=True), Symbol("N", integer=True)
    budget = Budget()
    total = trees.Sum(call("log2", k), k, number(1), n)
    assert sign_by_bounds(total, 100, "N", Fraction(10**9), budget) == 1
    assert budget.spent > 100


def test_what_is_computed_for_a_verdict_is_charged_to_it() -> None:
    budget = Budget()
    with counting(afresh=True), budget.computing():
        operations().spend(5000)
    assert budget.spent == 50


def test_the_columns_of_a_map_have_one_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.roof"
    powers = "flops = N^40*P^3 + N^2*P^40; memory = (N^37*P^9 + N^41) * 1 B"
    parameters = "param N: integer; param P: integer"
    box = "machine box { flops = 1 flop/s; memory = 1 B/s }"
    path.write_text(f"model m {{ {parameters}; {powers} }}\n{box}\n", encoding="utf-8")
    prediction = rd.load_model(f"{path}:m").on(rd.load_machine(f"{path}:box"))
    spent = 0.0
    spend = Budget.spend

    def noted(self: Budget, work: float) -> None:
        nonlocal spent
        spent += work if self._parent is None else 0
        spend(self, work)

    monkeypatch.setattr(Budget, "spend", noted)
    rd.plot.regime(prediction, ("N", 1, 10**9), ("P", 1, 10**9))
    assert 0 < spent < 5 * WORK
