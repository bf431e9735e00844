"""What a formula is just beside a point: what its values come near to there, and how they grow.

Values and slopes go up the tree together, in numbers. What chooses (`min`, `max`, `abs`, `if`)
looks at what its operands are beside the point: of two that are equal there, the one that grows
faster towards that side is the larger on it. `ceil` and `floor` are constant there. Where the
values come near to another than that at the point, the formula jumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, fsum, isclose, log, prod
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare, join
from roofdsl.expression.construct import negate, subtract
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending, rebuild, substitute, substitute_each
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.certify import constant_sign
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate, evaluate_each

Direction: TypeAlias = Literal[-1, 1]
"""Towards smaller values, or towards larger ones."""
_NEAR = 1e-12
"""Numbers that differ by less, relatively, may be equal."""
_MOST_TERMS = 10_000


class Beside(NamedTuple):
    """A number at a point, what it comes near to beside it, and its slope there.

    `steps`: it moves in steps, of which a slope tells nothing.
    """

    at: float
    near: float
    slope: float = 0.0
    steps: bool = False

    @property
    def jumps(self) -> bool:
        """Whether it is another number beside the point than at it."""
        return not isclose(self.at, self.near, rel_tol=_NEAR)


_Known: TypeAlias = Beside | bool | None
"""What a node is beside the point; a truth value is the one there."""


def beside(tree: Expression, name: str, here: Expression, side: Direction) -> Beside | None:
    """Return what a formula is beside the point where a name is `here`; None: it has no value.

    >>> from roofdsl.expression.construct import maximum, multiply, number
    >>> n = trees.Symbol("N")
    >>> kink = maximum(multiply(n, n), number(9))
    >>> [beside(kink, "N", number(3), side).slope for side in (-1, 1)]
    [0.0, 6.0]
    """
    found = _Walk(tree, name, here, side).of(tree)
    return found if isinstance(found, Beside) else None


class _Walk:
    def __init__(self, tree: Expression, name: str, here: Expression, side: Direction) -> None:
        self._name, self._here, self._side = name, here, side
        self._nodes = bottom_up(tree, outside_sums)
        self._depending = depending(tree, name)
        numbers = evaluate_each(substitute_each(self._nodes, {name: here}))
        self._at = {id(node): at for node, at in zip(self._nodes, numbers, strict=True)}
        self._known: dict[int, _Known] = {}

    def of(self, tree: Expression) -> _Known:
        for node in self._nodes:
            try:
                self._known[id(node)] = self._beside(node)
            except (EvaluationError, ArithmeticError, ValueError):
                self._known[id(node)] = None
        return self._known[id(tree)]

    def _beside(self, node: Expression) -> _Known:
        at = self._at[id(node)]
        if isinstance(at, EvaluationError):
            return None
        if id(node) not in self._depending:
            return at if isinstance(at, bool) else Beside(at, at)
        match node:
            case trees.Symbol():
                return Beside(at, at, 1.0)
            case trees.Logic(operator, terms):
                truths = [self._known[id(each)] for each in terms]
                return join(operator, [x if isinstance(x, bool) else None for x in truths])
            case trees.Conditional(condition, consequence, alternative):
                truth = self._known[id(condition)]
                if not isinstance(truth, bool):
                    return None
                chosen = self._known[id(consequence if truth else alternative)]
                return chosen._replace(at=at) if isinstance(chosen, Beside) else chosen
        below = outside_sums(node)
        parts = [part for each in below if isinstance(part := self._known[id(each)], Beside)]
        return self._of_numbers(node, parts, at) if len(parts) == len(below) else None

    def _of_numbers(self, node: Expression, parts: Sequence[Beside], at: float) -> _Known:
        match node:
            case trees.Comparison(relation, left, right):
                order = self._order((left, parts[0]), (right, parts[1]))
                return compare(relation, order, 0)
            case trees.Function("is_integer", _):
                return parts[0].steps and not parts[0].slope and parts[0].near.is_integer()
            case trees.Function("ceil" | "floor" as name, (argument,)):
                return self._rounded(name, argument, parts[0], at)
            case trees.Function("abs", (argument,)):
                one = parts[0]
                other = Beside(-one.at, -one.near, -one.slope, one.steps)
                return self._extreme([(argument, one), (negate(argument), other)], 1, at)
            case trees.Function("min" | "max" as name, arguments):
                operands = [*zip(arguments, parts, strict=True)]
                return self._extreme(operands, 1 if name == "max" else -1, at)
            case trees.Sum():
                return self._sum(node, parts, at)
        near = at
        if any(part.at != part.near for part in parts):
            near = evaluate(rebuild(node, tuple(Number(Fraction(part.near)) for part in parts)), {})
        slope = _slope(node, [part.near for part in parts], [part.slope for part in parts], near)
        return Beside(at, near, slope, any(part.steps for part in parts))

    def _order(self, left: tuple[Expression, Beside], right: tuple[Expression, Beside]) -> int:
        """Return how one number lies to another beside the point."""
        (tree, one), (other_tree, other) = left, right
        if not isclose(one.near, other.near, rel_tol=_NEAR):
            return 1 if one.near > other.near else -1
        if (one.at, other.at) == (one.near, other.near):
            gap = substitute(subtract(tree, other_tree), {self._name: self._here})
            apart = constant_sign(gap, Budget())
            if apart:
                return apart
        if isclose(one.slope, other.slope, rel_tol=_NEAR):
            return 0
        return self._side if one.slope > other.slope else -self._side

    def _extreme(
        self, operands: Sequence[tuple[Expression, Beside]], sense: int, at: float
    ) -> Beside:
        best = operands[0]
        for operand in operands[1:]:
            if self._order(operand, best) == sense:
                best = operand
        return best[1]._replace(at=at)

    def _rounded(self, name: str, argument: Expression, part: Beside, at: float) -> Beside:
        """Return what `ceil` or `floor` comes to: it jumps where it leaves a whole number."""
        if part.at != part.near:
            whole = part.near.is_integer()
            at_side = float(ceil(part.near) if name == "ceil" else floor(part.near))
        else:
            asked = trees.Function("is_integer", (argument,))
            whole = bool(evaluate(substitute(asked, {self._name: self._here}), {}))
            at_side = at
        grows = part.slope * self._side
        if whole and name == "ceil" and grows > 0:
            at_side += 1
        if whole and name == "floor" and grows < 0:
            at_side -= 1
        return Beside(at, at_side, steps=True)

    def _sum(self, node: trees.Sum, bounds: Sequence[Beside], at: float) -> Beside | None:
        if id(node.low) in self._depending or id(node.high) in self._depending:
            return Beside(at, at, steps=True)
        low, high = ceil(bounds[0].at), floor(bounds[1].at)
        if high - low >= _MOST_TERMS:
            return None
        terms = []
        for index in range(low, high + 1):
            body = substitute(node.body, {node.index.name: Number(Fraction(index))})
            term = beside(body, self._name, self._here, self._side)
            if term is None:
                return None
            terms.append(term)
        near = fsum(term.near for term in terms) if any(term.jumps for term in terms) else at
        steps = any(term.steps for term in terms)
        return Beside(at, near, fsum(term.slope for term in terms), steps)


def _slope(
    node: Expression, values: Sequence[float], slopes: Sequence[float], value: float
) -> float:
    """Return the slope of what computes with numbers, from their values and slopes and its own."""
    match node:
        case trees.Add():
            return fsum(slopes)
        case trees.Multiply():
            return fsum(
                prod([slope, *values[:place], *values[place + 1 :]])
                for place, slope in enumerate(slopes)
                if slope
            )
        case trees.Divide():
            return (slopes[0] - value * slopes[1]) / values[1]
        case trees.Power():
            base, exponent = values
            grown = exponent * base ** (exponent - 1) * slopes[0] if slopes[0] else 0.0
            return grown + (value * log(base) * slopes[1] if slopes[1] else 0.0)
        case trees.Function("exp", _):
            return value * slopes[0]
        case trees.Function("ln" | "log2" | "log10" as name, _):
            return slopes[0] / values[0] / {"ln": 1.0, "log2": log(2), "log10": log(10)}[name]
        case trees.Function("log", _):
            below = value * slopes[1] / values[1] if slopes[1] else 0.0
            return (slopes[0] / values[0] - below) / log(values[1])
    raise ValueError(f"no slope of {type(node).__name__} is known")
