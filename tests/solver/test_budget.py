"""Counted work: what a part spends the whole has spent, and nothing goes on without it."""

from __future__ import annotations

from roofdsl.allowance import Budget
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.sign_runs import sign_runs
from tests.solver.writing import N, ceil, formula, log2, sqrt, tree

FAR = 10**18


def test_what_shares_do_not_use_is_left_to_those_after_them() -> None:
    whole = Budget(100)
    lefts = []
    for place, share in enumerate(whole.shares(4)):
        lefts.append(share.left)
        share.spend(5 if place else 25)
    assert lefts == [25, 25, 35, 65]
    assert whole.spent == 40 and whole.left == 60


def test_a_share_ends_with_the_whole() -> None:
    whole = Budget(100)
    share = whole.share(1 / 2)
    whole.spend(80)
    assert share.left == 20
    share.spend(70)
    assert share.left == whole.left == 0 and whole.spent == 150


def test_one_budget_serves_all_comparisons_of_a_question() -> None:
    # Each of the four is compared with a band or with what is undecided; each used to start afresh.
    noisy = [ceil(N / k) * k * formula(f"1.{'0' * 11}{k}") for k in (7, 11, 13, 17)]
    labelled = [(str(place), tree(each)) for place, each in enumerate(noisy)]
    budget = Budget(2000)
    crossovers(labelled, "N", 1, FAR, integer=True, budget=budget)
    assert budget.spent < 3000


def test_signs_that_no_precision_shows_are_charged() -> None:
    # 0 at every N, which only the highest precision gives up on: 6,300 bits for each number.
    hidden = log2(1 + sqrt(formula(2))) + log2(sqrt(formula(2)) - 1)
    budget = Budget(3000)
    found = sign_runs(tree(N * hidden), tree(0), "N", 1, 10**6, integer=True, budget=budget)
    assert not found.complete and budget.spent < 6000
