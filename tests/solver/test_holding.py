"""First and last numbers at which conditions hold, and congruences, against brute force."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add, divide, multiply, number, power, square_root, subtract
from roofdsl.expression.tree import Expression
from roofdsl.numeric.checker import checker
from roofdsl.numeric.holding import Holding, holding_runs
from roofdsl.numeric.integrality import Listed, Progression, integrality

MOST = 900
N = trees.Symbol("N", integer=True)


def function(name: str, *arguments: Expression) -> Expression:
    return trees.Function(name, arguments)


class Writer:
    """Makes random conditions on N."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def some(self, most: int) -> Expression:
        return number(self.random.randint(1, most))

    def formula(self) -> Expression:
        third = number(Fraction(1, 3))
        return self.random.choice(
            [
                divide(add(multiply(self.some(12), N), self.some(9)), self.some(12)),
                square_root(divide(multiply(N, self.some(12)), self.some(12))),
                power(divide(N, self.some(5)), third),
                function("log2", divide(N, self.some(5))),
                function("log", N, number(self.random.randint(2, 9))),
                divide(self.some(5000), N),
                divide(self.some(500), square_root(N)),
                divide(multiply(N, add(N, self.some(5))), self.some(30)),
                divide(function("ceil", divide(N, self.some(9))), self.some(9)),
                add(divide(N, number(3)), divide(self.some(50), multiply(N, number(2)))),
                add(N, square_root(N)),
                multiply(square_root(number(2)), N),
            ]
        )

    def condition(self, depth: int = 0) -> Expression:
        kind = self.random.random()
        if depth < 2 and kind < 0.2:
            parts = (self.condition(depth + 1), self.condition(depth + 1))
            return trees.Logic("and" if self.random.random() < 0.5 else "or", parts)
        if depth < 2 and kind < 0.28:
            return trees.Logic("not", (self.condition(depth + 1),))
        if kind < 0.7:
            return function("is_integer", self.formula())
        if kind < 0.8:
            step = number(self.random.randint(2, 12))
            rest = subtract(N, multiply(step, function("floor", divide(N, step))))
            relation: trees.Relation = "==" if self.random.random() < 0.7 else "<"
            return trees.Comparison(relation, rest, self.some(5))
        compared = self.random.choice([N, multiply(N, N), square_root(N), self.formula()])
        sign: trees.Relation = "<=" if self.random.random() < 0.5 else ">"
        return trees.Comparison(sign, compared, self.some(MOST))


@pytest.mark.parametrize("seed", range(60))
def test_the_ends_are_those_of_brute_force(seed: int) -> None:
    writer = Writer(seed)
    conditions = [writer.condition() for _ in range(writer.random.randint(1, 3))]
    checks = [checker(condition, "N") for condition in conditions]
    held = [n for n in range(1, MOST + 1) if all(check(Fraction(n), None) for check in checks)]
    holding = Holding(conditions, "N", 1, MOST)
    for _ in range(5):
        first, last = sorted((writer.random.randint(1, MOST), writer.random.randint(1, MOST)))
        inside = [n for n in held if first <= n <= last]
        ends = (inside[0], inside[-1]) if inside else (None, None)
        budget = Budget()
        found = [holding.first(first, last, budget, upwards=upwards) for upwards in (True, False)]
        assert [each[:2] for each in found] == [(ends[0], True), (ends[1], True)]


@pytest.mark.parametrize("seed", range(20))
def test_progressions_are_those_of_brute_force(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(20):
        below = [chance.choice([1, 2, 3, 4, 5, 6, 8, 9, 12, 25, 36, 360]) for _ in range(2)]
        slope, rest = (Fraction(chance.randint(-20, 20), each) for each in below)
        degree = chance.choice([Fraction(1), Fraction(2), Fraction(3, 2), Fraction(1, 3)])
        rest = rest if degree == 1 else Fraction(chance.randint(-9, 9))
        slope = slope or Fraction(1)
        formula = add(multiply(number(slope), power(N, number(degree))), number(rest))
        found = integrality(formula, "N")
        check = checker(function("is_integer", formula), "N")
        whole = [n for n in range(1, 500) if check(Fraction(n), None)]
        if isinstance(found, Progression):
            low, high = found.within(1, 499)
            assert found.exact and [found.at(m) for m in range(low, high + 1)] == whole
        else:
            assert found == Listed([]) and not whole


def test_one_period_without_success_proves_that_there_is_none() -> None:
    # N^2 is 0 or 1 modulo 4, and neither is 2 or 3; N mod 8 in the ceil of N/8.
    square = divide(add(multiply(N, N), number(1)), number(4))
    step = subtract(function("ceil", divide(N, number(8))), divide(N, number(8)))
    never = trees.Comparison(">", step, number(Fraction(8, 9)))
    for condition in (function("is_integer", square), never):
        budget = Budget()
        assert Holding([condition], "N", 1, 10**18).first(7, 10**18, budget)[:2] == (None, True)
        assert budget.spent < 50


def test_what_is_left_undecided_spends_the_budget_and_no_more() -> None:
    third = function("ceil", divide(N, number(3)))
    squares = [square_root(divide(each, number(10))) for each in (N, third)]
    conditions = [function("is_integer", each) for each in squares]
    budget = Budget(500)
    assert Holding(conditions, "N", 1, 10**18).first(1, 10**18, budget)[:2] == (None, False)
    assert 500 <= budget.spent < 700


@pytest.mark.parametrize(("rounding", "first"), [("floor", 10**12 + 5), ("ceil", 10**12 - 5)])
def test_a_remainder_is_solved_for(rounding: str, first: int) -> None:
    period = number(10**12)
    rest = subtract(N, multiply(period, function(rounding, divide(N, period))))
    equal = trees.Comparison("==", rest, number(5 if rounding == "floor" else -5))
    budget = Budget()
    found = Holding([equal], "N", 1, 10**18).first(6, 10**18, budget)
    assert found == (first, True, None) and budget.spent < 50


def test_of_many_cases_each_is_tried() -> None:
    """Seven conditions of two cases each would make 128."""
    conditions = [
        trees.Logic(
            "or",
            (
                function("is_integer", divide(N, number(each))),
                trees.Comparison("<", N, number(40 - each)),
            ),
        )
        for each in (2, 3, 4, 5, 6, 7, 8)
    ]
    holding = Holding(conditions, "N", 1, MOST)
    assert holding.first(1, MOST, Budget()).value == 1
    assert holding.first(38, MOST, Budget())[:2] == (840, True)
    assert holding.first(1, 800, Budget(), upwards=False)[:2] == (32, True)


def test_two_sides_are_equal_between_floats_as_well() -> None:
    # The root of 2 is no float: a comparison holds there, and on neither side of it.
    equal = trees.Comparison("==", power(trees.Symbol("x"), number(2)), number(2))
    ((first, last, parts),) = holding_runs([(equal,)], "x", 1.0, 4.0, Budget(), integer=False)
    assert Fraction(first) ** 2 < 2 < Fraction(last) ** 2
    assert last - first < 1e-12 and parts == (equal,)
    assert holding_runs([(equal,)], "x", 1, 4, Budget(), integer=True) == []
