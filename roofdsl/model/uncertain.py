"""Numbers that a file gives with `±`: names for them, so that they can be told in formulas."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from roofdsl.expression.tree import Expression, Symbol


class Uncertain(NamedTuple):
    """A number that may be off by `half` either way, all in SI base units.

    It is that of a parameter's default or of a `let`. What is made of such a `let` has its `symbol`
    where `tree`, its number, goes. The number is more than `half`.
    """

    tree: Expression
    half: Fraction
    symbol: Symbol
