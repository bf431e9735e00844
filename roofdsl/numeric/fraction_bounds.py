"""The least and the greatest that a formula may be while fractions in it lie somewhere in a box.

A tree is walked from the bottom up, with a formula for each of the two. They change places below a
divisor, a minus, and every factor that is not above 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

from roofdsl.expression.condition import compare_ranges, truth
from roofdsl.expression.construct import maximum, minimum
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import (
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Symbol,
)
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.place import Place, outer

# The least and the greatest that something may be; one and the same where it holds no fraction.
Extremes: TypeAlias = tuple[Expression, Expression]


class FractionBounds:
    """Lower and upper formulas of trees that hold fractions, for x from `low` to `high`."""

    def __init__(
        self, box: Mapping[str, tuple[Fraction, Fraction]], name: str, low: Place, high: Place
    ) -> None:
        self._box = box
        self._name = name
        self._range = outer(low, high)

    def of(self, tree: Expression) -> Extremes:
        """Return the least and the greatest that a tree may be; raise ValueError if not known."""
        found: dict[int, Extremes] = {}
        for node in bottom_up(tree):
            parts = [found[id(each)] for each in operands_of(node)]
            if isinstance(node, Symbol) and node.name in self._box:
                low, high = self._box[node.name]
                found[id(node)] = Number(low), Number(high)
            elif all(low is high for low, high in parts):
                same = all(
                    old is low for old, (low, _) in zip(operands_of(node), parts, strict=True)
                )
                whole = node if same else rebuild(node, tuple(low for low, _ in parts))
                found[id(node)] = whole, whole
            else:
                found[id(node)] = self._between(node, parts)
        return found[id(tree)]

    def _between(self, node: Expression, parts: Sequence[Extremes]) -> Extremes:
        match node:
            case Add() | Function(
                "min" | "max" | "ln" | "log2" | "log10" | "exp" | "ceil" | "floor"
            ):
                # These grow with each of their operands.
                return _ends(node, parts, [1] * len(parts))
            case Multiply():
                # With the other factors fixed it grows or shrinks with one, as their signs say.
                signs = [self._sign(part) for part in parts]
                return _ends(node, parts, [prod(signs) * each for each in signs])
            case Divide():
                above, below = (self._sign(part) for part in parts)
                return _ends(node, parts, [below, -above])
            case Power(_, Number(exponent)) if self._sign(parts[0]) > 0:
                return _ends(node, parts, [1 if exponent > 0 else -1, 1])
            case Power(Number(base), _) if base > 1:
                return _ends(node, parts, [1, 1])
            case Comparison(relation, _, _):
                holds = compare_ranges(relation, *(self._values(part) for part in parts))
                if holds is None:
                    return truth(False), truth(True)
                return (decided := truth(holds)), decided
            case Logic():
                return truth(False), truth(True)
            case Conditional():
                condition, (low, high), (other_low, other_high) = parts
                if condition[0] is condition[1]:
                    return _ends(node, parts, [1, 1, 1])
                # Which of the two it is may depend on the fractions.
                return minimum(low, other_low), maximum(high, other_high)
            case _:
                raise ValueError(f"how {type(node).__name__} grows is not known")

    def _sign(self, part: Extremes) -> int:
        """Return 1 for what is never below 0 in the range, -1 for what is never above."""
        low, high = self._values(part)
        if low >= 0:
            return 1
        if high <= 0:
            return -1
        raise ValueError("a factor of both signs")

    def _values(self, part: Extremes) -> tuple[float, float]:
        """Return what no value in the range lies below, and above."""
        low, high = (Enclosure(tree, self._name).over(*self._range) for tree in part)
        return low[0], high[1]


def _ends(node: Expression, parts: Sequence[Extremes], directions: Sequence[int]) -> Extremes:
    """Return the ends of what grows with some of its operands, and shrinks with others."""
    low, high = (
        tuple(part[end if direction > 0 else 1 - end] for part, direction in both)
        for end, both in enumerate([[*zip(parts, directions, strict=True)]] * 2)
    )
    return rebuild(node, low), rebuild(node, high)
