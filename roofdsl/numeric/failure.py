"""Why an expression has no value."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction

from roofdsl.allowance import in_words
from roofdsl.expression.tree import Divide, Expression, Function, Number, Power
from roofdsl.units.quantity import show_number

SMALLEST = sys.float_info.min
"""2.2e-308: floats that are nearer to 0 have lost digits."""


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


class TooSmall(EvaluationError):
    """Kept where a number is not 0, and nearer to it than floats go; it is at most `most`."""

    def __init__(self, node: Expression, most: float = SMALLEST) -> None:
        super().__init__("a number nearer to 0 than 2.2e-308", node)
        self.most = most


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
    if isinstance(problem, FloatingPointError):
        return TooSmall(node)
    return EvaluationError(_reason(node, operands, problem), node)


def double(node: Number) -> float:
    """Return a number as a float; raise EvaluationError where there is none for it."""
    try:
        value = float(node.value)
    except OverflowError as problem:
        raise explain(node, (), problem) from None
    if abs(value) < SMALLEST and node.value:
        raise TooSmall(node)
    return value


def in_range(value: float, one: float, other: float) -> float:
    """Return a product or quotient of two numbers; raise as `settled` does where it is none."""
    return value if SMALLEST <= abs(value) < math.inf else settled(value, (one, other))


def settled(value: float, operands: Iterable[float]) -> float:
    """Return what an operation gave that is infinite or nearly 0, if that is what it comes to.

    It is where an operand is infinite or 0. Else OverflowError is raised, or FloatingPointError.
    """
    if value != value:
        raise ValueError  # 0·∞, ∞ - ∞ or ∞/∞
    if all(map(math.isfinite, operands := [*operands])):
        if abs(value) > 1:
            raise OverflowError
        if 0 not in operands:
            raise FloatingPointError
    return value


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
    shown = f"{count:,}" if count < 10**15 else show_number(Fraction(count), 3)
    return TooMuch(f"a sum of {shown} terms takes more than the {in_words(limit)}", node)
