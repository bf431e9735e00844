"""Bounds over boxes of a plane hold the values there, and slopes lead from the middle to each."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add, call, divide, multiply, number, power, subtract
from roofdsl.expression.tree import Comparison, Conditional, Expression, Relation, Symbol
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.plane_algebra import OverBoxes
from roofdsl.numeric.plane_bounds import PlaneBounds
from roofdsl.numeric.plane_cells import box_between
from roofdsl.numeric.plane_program import Boxes, PlaneProgram
from roofdsl.numeric.scalar import evaluate
from tests.counts import inputs

X, Y = Symbol("x"), Symbol("y")
NEAR = 1e-12
RELATIONS: tuple[Relation, ...] = ("<", ">=", "==")
Made = Callable[[Random, int], Expression]


def constant(random: Random, _: int = 0) -> Expression:
    return number(Fraction(random.choice((1, 2, 3, 7, 64, 1000)), random.choice((1, 1, 3, 10))))


def pair(random: Random, depth: int) -> tuple[Expression, Expression]:
    return formula(random, depth - 1), formula(random, depth - 1)


def chosen(random: Random, depth: int) -> Expression:
    relation = random.choice(RELATIONS)
    condition: Expression = Comparison(relation, *pair(random, depth))
    if random.random() < 0.3:
        other = Comparison("<=", *pair(random, depth))
        condition = trees.Logic(random.choice(("and", "or")), (condition, other))
    return Conditional(condition, *pair(random, depth))


MADE: tuple[Made, ...] = (
    lambda random, depth: add(*pair(random, depth), constant(random)),
    lambda random, depth: subtract(*pair(random, depth)),
    lambda random, depth: multiply(*pair(random, depth)),
    lambda random, depth: divide(*pair(random, depth)),
    lambda random, depth: power(formula(random, depth - 1), number(random.choice((2, 3, -1)))),
    lambda random, depth: power(formula(random, depth - 1), number(Fraction(1, 2))),
    lambda random, depth: power(formula(random, depth - 1), number(Fraction(5, 3))),
    lambda random, depth: call(random.choice(("max", "min")), *pair(random, depth)),
    lambda random, depth: call(random.choice(("ceil", "floor")), formula(random, depth - 1)),
    lambda random, depth: call(random.choice(("log2", "ln", "log10")), formula(random, depth - 1)),
    lambda random, depth: call("exp", divide(formula(random, depth - 1), number(1000))),
    lambda random, depth: call("abs", formula(random, depth - 1)),
    lambda random, depth: power(number(2), divide(formula(random, depth - 1), number(100))),
    chosen,
)


def formula(random: Random, depth: int) -> Expression:
    if depth == 0 or random.random() < 0.1:
        return random.choice((X, Y, X, Y, constant(random)))
    return random.choice(MADE)(random, depth)


def box(random: Random) -> tuple[tuple[float, float], tuple[float, float]]:
    def side() -> tuple[float, float]:
        low = 10 ** random.uniform(0, 4)
        return low, low * (1 + 10 ** random.uniform(-6, 0.5))

    return side(), side()


def boxes_of(x: tuple[float, float], y: tuple[float, float]) -> Boxes:
    across, up = ((np.array([low]), np.array([high])) for low, high in (x, y))
    return box_between(across, up)


def at(tree: Expression, x: float, y: float) -> float | None:
    try:
        return evaluate(tree, {"x": x, "y": y})
    except EvaluationError:
        return None


def test_values_lie_within_bounds() -> None:
    known = 0
    for seed in range(inputs(600, 20_000)):
        random = Random(seed)
        tree, (x, y) = formula(random, 3), box(random)
        with np.errstate(all="ignore"):
            (found,) = PlaneProgram([tree], ("x", "y")).over(boxes_of(x, y))
        assert isinstance(found, PlaneBounds)
        low, high = (float(np.ravel(each)[0]) for each in found.over)
        for _ in range(4):
            value = at(tree, random.uniform(*x), random.uniform(*y))
            if value is None or np.isnan(low) or np.isnan(high):
                continue
            known += 1
            slack = NEAR * max(abs(value), abs(low), abs(high), 1e-9)
            assert low - slack <= value <= high + slack, (seed, tree)
    assert known > 1000


def test_what_is_larger_by_slopes_is_larger_at_all_points() -> None:
    told = by_slopes = 0
    for seed in range(inputs(1500, 50_000)):
        random = Random(f"larger {seed}")
        one, other = formula(random, 3), formula(random, 3)
        x, y = box(random)
        middle = (x[0] * x[1]) ** 0.5, (y[0] * y[1]) ** 0.5
        here, there = at(one, *middle), at(other, *middle)
        if not here or not there or not 1e-200 < here / there < 1e200:
            continue
        # Nearly as large as the other, so that values alone seldom tell.
        other = multiply(number(Fraction(here / there * random.uniform(0.5, 1.0))), other)
        boxes = boxes_of(x, y)
        with np.errstate(all="ignore"):
            first, second = PlaneProgram([one, other], ("x", "y")).over(boxes)
            assert isinstance(first, PlaneBounds) and isinstance(second, PlaneBounds)
            larger = bool(np.all(OverBoxes(boxes, {}, {}).above(first, second)))
            apart = bool(np.all(first.over.low > second.over.high))
        if not larger:
            continue
        told += 1
        by_slopes += not apart
        for _ in range(6):
            place = random.uniform(*x), random.uniform(*y)
            above, below = at(one, *place), at(other, *place)
            if above is not None and below is not None:
                assert above + NEAR * abs(above) > below, (seed, one, other)
    assert told > 200 and by_slopes > 20


@pytest.mark.parametrize("upwards", [True, False])
def test_jumps_are_told_from_what_does_not_jump(upwards: bool) -> None:
    rounding = call("ceil" if upwards else "floor", divide(X, number(64)))
    program = PlaneProgram([rounding], ("x", "y"))
    (still,) = program.over(boxes_of((65.0, 127.0), (1.0, 2.0)))
    assert isinstance(still, PlaneBounds)
    assert [np.ravel(each).tolist() for each in still.over] == [[2.0 if upwards else 1.0]] * 2
    (jumping,) = program.over(boxes_of((65.0, 129.0), (1.0, 2.0)))
    assert isinstance(jumping, PlaneBounds)
    assert [float(each[0]) for each in jumping.over] == ([2.0, 3.0] if upwards else [1.0, 2.0])
