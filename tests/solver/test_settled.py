"""What is settled over a box has the same values at all of its places."""

from __future__ import annotations

from random import Random

import pytest

from roofdsl.allowance import Budget
from roofdsl.expression.condition import conditional
from roofdsl.expression.construct import add, call, divide, maximum, minimum, multiply, number
from roofdsl.expression.tree import (
    Comparison,
    Expression,
    Function,
    Logic,
    Relation,
    Symbol,
)
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.settled import Settling

NAMES = ("a", "b", "c")
RELATIONS: tuple[Relation, ...] = ("<", "<=", ">", ">=", "==", "!=")


def formula(random: Random, deep: int) -> Expression:
    """Return a formula with choices among sums that share their terms."""
    if deep == 0 or random.random() < 0.15:
        leaves: list[Expression] = [*map(Symbol, NAMES), number(random.randint(1, 3))]
        return random.choice(leaves)
    below = [formula(random, deep - 1) for _ in range(random.randint(2, 3))]
    match random.randrange(7):
        case 0:
            return multiply(*below)
        case 1:
            return divide(below[0], below[1])
        case 2:
            return maximum(below[0], add(*below))
        case 3:
            return minimum(add(*below), *below[1:])
        case 4:
            return call(random.choice(["ceil", "floor"]), below[0])
        case 5:
            return conditional(condition(random, below, add(*below)), below[0], below[-1])
        case _:
            return add(*below)


def condition(random: Random, below: list[Expression], whole: Expression) -> Expression:
    sides = [maximum(*below), whole, below[0], add(below[0], below[1])]
    random.shuffle(sides)
    one: Expression = Comparison(random.choice(RELATIONS), sides[0], sides[1])
    others: list[Expression] = [
        Comparison(random.choice(RELATIONS), sides[2], sides[3]),
        Function("is_integer", (call("ceil", below[0]),)),
    ]
    joined = (one, random.choice(others))
    found: list[Expression] = [Logic("and", joined), Logic("or", joined), Logic("not", (one,))]
    return random.choice([one, *found])


@pytest.mark.parametrize("seed", range(150))
def test_a_settled_formula_has_the_same_values(seed: int) -> None:
    random = Random(seed)
    box = {name: (low := random.uniform(0.5, 4), low * random.uniform(1, 1.6)) for name in NAMES}
    tree = formula(random, 4)
    settled = Settling(box, Budget()).settled(tree)
    for _ in range(60):
        place = {name: random.uniform(*ends) for name, ends in box.items()}
        assert evaluate(settled, place) == pytest.approx(evaluate(tree, place), rel=1e-12)


def test_many_formulas_have_something_to_settle() -> None:
    changed = 0
    for seed in range(150):
        tree = formula(Random(seed), 4)
        changed += Settling(dict.fromkeys(NAMES, (1.0, 1.2)), Budget()).settled(tree) != tree
    assert changed > 50


def test_what_stands_on_both_sides_is_taken_away() -> None:
    a, b, c = map(Symbol, NAMES)
    box = {"a": (10.0, 20.0), "b": (1.0, 2.0), "c": (0.1, 0.2)}
    settling = Settling(box, Budget())
    assert settling.settled(maximum(a, add(a, b), add(a, c))) == add(a, b)
    longer = Comparison(">", maximum(a, add(a, c)), maximum(add(a, b), a))
    assert settling.settled(conditional(longer, a, b)) == b
    open_choice = Comparison(">=", a, multiply(number(10), b))
    assert settling.settled(conditional(open_choice, a, b)) == conditional(open_choice, a, b)
