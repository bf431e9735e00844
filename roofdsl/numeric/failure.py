"""Why an expression has no value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofdsl.allowance import in_words
from roofdsl.expression.tree import Divide, Expression, Function, Power
from roofdsl.units.quantity import show_number


class EvaluationError(Exception):
    """Raised where an expression has no value: `reason` says why, `node` is the operation.

    >>> from roofdsl.expression.tree import ZERO
    >>> str(EvaluationError("division by zero", ZERO))
    'division by zero'
    """

    def __init__(self, reason: str, node: Expression) -> None:
        super().__init__(reason, node)
        self.reason = reason
        self.node = node

    def __str__(self) -> str:
        return self.reason


class TooMuch(EvaluationError):
    """Raised where an expression would take more by itself than a command may compute."""


def explain(
    node: Expression, operands: Sequence[float | Fraction], problem: Exception
) -> EvaluationError:
    """Return what is wrong with an operation on numbers that Python refused.

    >>> from roofdsl.expression.tree import ONE
    >>> str(explain(Function("ln", (ONE,)), [-1.0], ValueError()))
    'ln of -1, which is not above 0'
    """
    return EvaluationError(_reason(node, operands, problem), node)


def _reason(node: Expression, operands: Sequence[float | Fraction], problem: Exception) -> str:
    if isinstance(problem, OverflowError):
        return "a number beyond 1.8e308"
    numbers = [show_number(each, 6) for each in operands]
    match node:
        case Power() if operands[0] < 0:
            return f"a root of {numbers[0]}, which is below 0"
        case Divide() | Power() if isinstance(problem, ZeroDivisionError) or operands[0] == 0:
            return "division by zero"
        case Function("lambertw", _):
            return f"lambertw of {numbers[0]}, which is not a real number"
        case Function("log", _) if operands[0] > 0:
            return f"a logarithm to the base {numbers[1]}"
        case Function("log" | "log2" | "log10" | "ln" as name, _):
            return f"{name} of {numbers[0]}, which is not above 0"
    return "an operation on ∞ that has no value"


def no_value(node: Expression, name: str) -> EvaluationError:
    """Return the error of a name without a value."""
    return EvaluationError(f"'{name}' has no value", node)


def too_many_terms(count: int, limit: float, node: Expression) -> TooMuch:
    """Return the error of a sum that takes more operations than a command may do."""
    shown = f"{count:,}" if count < 10**15 else f"{float(min(count, 10**308)):.3g}"
    return TooMuch(f"a sum of {shown} terms takes more than the {in_words(limit)}", node)
