"""Trees that share their parts: compared and hashed as stored, not as written out."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.algebra.leading import eventual_sign
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.tree import Add, Expression, Function, Number, Symbol


def tower(name: str, levels: int, top: str = "ln") -> Expression:
    """Return a tree in which each level uses the one below twice: 2^levels parts written out."""
    tree: Expression = Symbol(name)
    for _ in range(levels):
        tree = Add((tree, Function("ln", (tree,))))
    return Function(top, (tree,))


def test_what_is_used_twice_is_compared_once() -> None:
    one, like, other = tower("N", 200), tower("N", 200), tower("P", 200)
    assert one is not like and one == like and hash(one) == hash(like)
    assert one != other and one != tower("N", 200, "log2") and one != tower("N", 199)
    assert {one: 1}[like] == 1


def test_numbers_of_one_hash_are_told_apart() -> None:
    one, other = Number(Fraction(-1)), Number(Fraction(-2))
    assert hash(Fraction(-1)) == hash(Fraction(-2)) and Add((one, one)) != Add((one, other))


@pytest.mark.parametrize("levels", [20, 60])
def test_logarithms_of_sums_of_logarithms_have_no_endless_form(levels: int) -> None:
    assert normal_form(tower("N", levels)) is None
    assert eventual_sign(tower("N", levels), "N") == 1
