"""The branch of a formula that counts at a point: its `min`, `max` and `if` decided there."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import rebuild
from roofdsl.expression.tree import Conditional, Expression, Function, children
from roofdsl.numeric.scalar import evaluate


def active_branch(tree: Expression, values: Mapping[str, float]) -> Expression:
    """Return a formula without `min`, `max` and `if` that equals `tree` at and around a point.

    Raises EvaluationError where a name has no value, or a condition none.

    >>> from roofdsl.expression.construct import minimum, number
    >>> from roofdsl.expression.tree import Symbol
    >>> active_branch(minimum(Symbol("P"), number(2)), {"P": 5.0})
    Number(value=Fraction(2, 1))
    """
    done: dict[int, Expression] = {}
    for node in bottom_up(tree):
        match node:
            case Function("min" | "max" as name, arguments):
                best = min if name == "min" else max
                chosen = best(arguments, key=lambda item: evaluate(item, values))
                done[id(node)] = done[id(chosen)]
            case Conditional(condition, consequence, alternative):
                holds = evaluate(condition, values)
                done[id(node)] = done[id(consequence if holds else alternative)]
            case _:
                done[id(node)] = rebuild(node, tuple(done[id(child)] for child in children(node)))
    return done[id(tree)]
