"""A formula over a box: its ends enclose all values, and are looked for in the box alone."""

from __future__ import annotations

from itertools import product

import pytest

from roofdsl.allowance import Budget
from roofdsl.expression.construct import add, divide, multiply, number, power
from roofdsl.expression.tree import ONE, Expression, Symbol
from roofdsl.numeric.over_box import OverBox
from roofdsl.numeric.scalar import evaluate

x, y = Symbol("x"), Symbol("y")


def steep(place: int, exponent: int) -> Expression:
    """A formula that only grows, or only falls, along x, and is 2 at x = `place` and y = 1."""
    return multiply(power(divide(x, number(place)), number(exponent)), add(y, divide(ONE, y)))


# The square of the root of 3 is a float below 3, that of 2 a float above 2.
@pytest.mark.parametrize(("place", "exponent"), [(3, 1000), (2, 1000), (2, -1000), (3, -1000)])
def test_places_lie_in_the_box_and_no_value_outside_the_ends(place: int, exponent: int) -> None:
    low, high = (place, 1.001 * place) if exponent > 0 else (place / 1.001, place)
    box = {"x": (float(low), float(high)), "y": (0.4, 2.0)}
    tree = steep(place, exponent)
    found = OverBox(tree, box).range(Budget(4000.0))
    for point in (found.low_at, found.high_at):
        assert all(box[name][0] <= value <= box[name][1] for name, value in point.items())
    values = [
        evaluate(tree, {"x": at, "y": other})
        for at, other in product(box["x"], (0.4, 0.7, 1.0, 1.5, 2.0))
    ]
    assert found.low <= min(values) * (1 + 1e-15) and max(values) <= found.high * (1 + 1e-15)
    assert found.attained
