"""Like terms of long sums are added up exactly; no other value comes out, at any point."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given

from roofdsl.algebra.gather import gathered
from roofdsl.algebra.readable import effort
from roofdsl.expression.construct import (
    add,
    divide,
    maximum,
    minimum,
    multiply,
    number,
    power,
    subtract,
)
from roofdsl.expression.tree import ONE, Conditional, Expression, Symbol
from roofdsl.typeset.text import text
from tests.expression.random_trees import points, trees
from tests.expression.reference import check_same_value

N, P = (Symbol(name, integer=True) for name in "NP")
x, v, m = (Symbol(name) for name in "xvm")
side = add(N, multiply(number(2), P), number(-4))
on = Symbol("on", positive=False)


def times(coefficient: int, *factors: Expression) -> Expression:
    return multiply(number(coefficient), *factors)


def layer(size: int) -> Expression:
    """The time of a layer: flops over their rate, or bytes over theirs."""
    moved = times(4, add(times(2 * size, N), number(size)))
    return maximum(divide(times(3 * size, N), v), divide(moved, m))


GATHERED = {
    "like terms": (add(times(3, N), multiply(N, number(5)), number(2), number(7)), "8*N + 9"),
    "sums of sums": (
        add(times(4, add(times(2, N), ONE)), times(2, add(N, number(3)))), "10*N + 10",
    ),
    "layers of one kind": (
        add(layer(5), times(2, layer(10)), layer(5)), "30*max(3*N/v, (8*N + 4)/m)",
    ),
    "what is always less is no bound": (maximum(times(3, N), times(2, N)), "3*N"),
    "a whole number is at least 1": (maximum(times(3, N), add(times(2, N), ONE)), "3*N"),
    "a rate is not": (maximum(times(3, x), add(times(2, x), ONE)), "max(3*x, 2*x + 1)"),
    "nor where they cross": (
        maximum(times(3, N), add(times(2, N), number(9))), "max(3*N, 2*N + 9)",
    ),
    "the least": (minimum(times(6, N), times(4, N), times(4, N)), "4*N"),
    "squares of sums stay": (
        add(times(2, power(side, number(2))), times(5, power(side, number(2)))),
        "7*(N + 2*P - 4)^2",
    ),
    "so do products of sums": (
        add(times(2, side, add(N, ONE)), times(3, add(N, ONE), side)),
        "5*(N + 2*P - 4)*(N + 1)",
    ),
    "what is shorter stays": (multiply(subtract(N, P), add(N, P)), "(N - P)*(N + P)"),
    "choices are names": (
        add(times(2, Conditional(on, N, P)), times(3, Conditional(on, N, P))),
        "5*(if on then N else P)",
    ),
    "a quotient of sums": (
        divide(add(N, N, ONE), add(P, P, ONE)), "(2*N + 1)/(2*P + 1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GATHERED)
def test_it_reads_as_by_hand(name: str) -> None:
    tree, expected = GATHERED[name]
    assert text(gathered(tree)) == expected


@given(trees, points)
def test_the_value_stays_and_reading_gets_no_harder(
    tree: Expression, point: Mapping[str, Fraction]
) -> None:
    found = gathered(tree)
    assert effort(found) <= effort(tree)
    check_same_value(tree, found, point)


def test_a_sum_too_long_to_be_gathered_stays_as_it_is() -> None:
    names = [Symbol(f"a{place}") for place in range(500)]
    tree = add(*names, *names)
    assert gathered(tree) is tree
