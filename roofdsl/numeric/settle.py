"""Choices a formula makes, made once and for all where an interval or a point decides them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.expression.condition import decided, truth
from roofdsl.expression.construct import negate
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import rewritten
from roofdsl.expression.tree import Comparison, Conditional, Expression, Function, Number
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.interval import Bounds
from roofdsl.numeric.scalar import evaluate


def has_choices(tree: Expression) -> bool:
    """Whether there is any `if`, `min`, `max` or `abs`.

    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> has_choices(Function("max", (ONE, Symbol("N"))))
    True
    """
    return any(
        isinstance(node, Conditional)
        or (isinstance(node, Function) and node.name in ("min", "max", "abs"))
        for node in bottom_up(tree, outside_sums)
    )


def settled(side: Enclosure) -> Expression:
    """Return a tree with its choices made, where the last interval decides them.

    It is the same tree if none is decided.

    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> side = Enclosure(Function("max", (ONE, Symbol("N"))), "N")
    >>> side.over(2.0, 9.0)
    (2.0, 9.0, 1.0, 1.0)
    >>> settled(side)
    Symbol(name='N', integer=False, positive=True)
    """

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        # A choice is dropped only where the enclosures leave no doubt: an operand of a `max` whose
        # greatest value is below another's least can be the largest nowhere in the interval.
        match node:
            case Conditional(condition, _, _):
                low, high, _, _ = side.of(condition)
                if low == high:
                    return operands[1 if low else 2]
            case Function("abs", (argument,)):
                low, high, _, _ = side.of(argument)
                if low >= 0 or high <= 0:
                    return operands[0] if low >= 0 else negate(operands[0])
            case Function("min" | "max" as name, arguments):
                kept = _possible(name, [side.of(each) for each in arguments], operands)
                if len(kept) < len(operands):
                    return kept[0] if len(kept) == 1 else Function(name, kept)
        return None

    return rewritten(side.tree, made)


def without_jumps(side: Enclosure, low: Fraction, high: Fraction) -> Expression:
    """Return a tree without the jumps that exact values show not to lie within the last interval.

    It is the same tree if there are none; `low` and `high` are the ends of that interval.

    >>> from roofdsl.expression.tree import Symbol
    >>> side = Enclosure(Function("ceil", (Symbol("N"),)), "N")
    >>> _ = side.over(2.0, 2.0 + 2**-51)
    >>> without_jumps(side, Fraction(2) + Fraction(1, 2**52), Fraction(2) + Fraction(1, 2**51))
    Number(value=Fraction(3, 1))
    """

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        # Of what grows or falls all over the interval, every value lies between those at the ends:
        # where `ceil` or `floor` gives one number at both, it does so in between.
        match node:
            case Function("ceil" | "floor", (argument,)) if _is_monotone(side.of(argument)):
                values = [_exactly(node, side.name, end) for end in (low, high)]
                if values[0] is not None and values[0] == values[1]:
                    return Number(Fraction(values[0]))
            case Comparison(_, left, right) if _is_monotone_difference(side, left, right):
                truths = [_exactly(node, side.name, end) for end in (low, high)]
                if truths[0] is not None and truths[0] == truths[1]:
                    return truth(bool(truths[0]))
            case Conditional():
                known = decided(operands[0])
                if known is not None:
                    return operands[1 if known else 2]
        return None

    return rewritten(side.tree, made)


def _is_monotone(bounds: Bounds) -> bool:
    low, high, least, most = bounds
    # The slope is that of the logarithm of the size: where the value keeps its sign, so does what
    # it says of growing and falling.
    return (low > 0 or high < 0) and (least >= 0 or most <= 0)


def _is_monotone_difference(side: Enclosure, left: Expression, right: Expression) -> bool:
    sides = [side.of(left), side.of(right)]
    constant = [each[2] == each[3] == 0 for each in sides]
    return any(constant) and all(map(_is_monotone, sides))


def _exactly(node: Expression, name: str, place: Fraction) -> Fraction | bool | None:
    try:
        return exact(node, {name: place})
    except EvaluationError:
        return None


def _possible(
    name: str, bounds: list[Bounds], operands: tuple[Expression, ...]
) -> tuple[Expression, ...]:
    """Return the operands that a `min` or `max` may choose; all, where bounds are infinite."""
    pairs = list(zip(operands, bounds, strict=True))
    if name == "max":
        best = max(each[0] for each in bounds)
        kept = [tree for tree, each in pairs if each[1] >= best]
    else:
        best = min(each[1] for each in bounds)
        kept = [tree for tree, each in pairs if each[0] <= best]
    return tuple(kept) or operands


def active_branch(tree: Expression, values: Mapping[str, float]) -> Expression:
    """Return a formula without `min`, `max` and `if` that equals `tree` at and around a point.

    Raises EvaluationError where a name has no value, or a condition none.

    >>> from roofdsl.expression.construct import minimum, number
    >>> from roofdsl.expression.tree import Symbol
    >>> active_branch(minimum(Symbol("P"), number(2)), {"P": 5.0})
    Number(value=Fraction(2, 1))
    """

    def made(node: Expression, operands: tuple[Expression, ...]) -> Expression | None:
        match node:
            case Function("min" | "max" as name, arguments):
                numbers = [evaluate(argument, values) for argument in arguments]
                return operands[numbers.index(min(numbers) if name == "min" else max(numbers))]
            case Conditional(condition, _, _):
                return operands[1 if evaluate(condition, values) else 2]
        return None

    return rewritten(tree, made)
