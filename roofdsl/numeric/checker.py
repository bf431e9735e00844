"""Whether a condition holds at a value."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from roofdsl.allowance import Budget
from roofdsl.expression.tree import Expression
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate


def checker(condition: Expression, name: str) -> Callable[[Fraction, Budget | None], bool]:
    """Return a function that says whether a condition holds at a value: exactly where it can.

    Where it has no value it does not hold.
    """
    compute = exact_evaluator(condition)

    def holds(value: Fraction, budget: Budget | None) -> bool:
        try:
            known = compute({name: value}, budget)
            return bool(evaluate(condition, {name: float(value)}) if known is None else known)
        except (EvaluationError, OverflowError):
            return False

    return holds
