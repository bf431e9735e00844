"""A quotient taken apart is what it was, of names of any sign."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from roofdsl.expression.apart import apart
from roofdsl.expression.construct import add, maximum, minimum, multiply
from roofdsl.expression.tree import Divide, Expression, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError

NAMES = "abcxy"


def tree_of(random: Random, depth: int) -> Expression:
    if depth == 0:
        return Symbol(random.choice(NAMES), positive=False)
    left, right = (tree_of(random, random.randrange(depth)) for _ in range(2))
    operations: list[Callable[[Expression, Expression], Expression]]
    operations = [add, multiply, maximum, minimum, Divide]
    return random.choice(operations)(left, right)


@pytest.mark.parametrize("seed", range(400))
def test_what_is_taken_apart_is_what_it_was(seed: int) -> None:
    random = Random(seed)
    above, below = tree_of(random, 3), tree_of(random, 3)
    common = tree_of(random, 1)
    tree = Divide(multiply(above, common), multiply(below, common))
    known = {name: Fraction(random.choice([-3, -2, -1, 1, 2, 5])) for name in NAMES}
    try:
        value = exact(tree, known)
    except EvaluationError:  # a quotient by 0
        return
    found = apart(tree, lambda each: (exact(each, known) or 0) > 0)
    assert exact(found, known) == value
