"""The value of an expression where numbers may be infinite or undefined.

What is divided by 0 is infinite, or undefined where it is 0 itself, as intensities are; what hangs
on something undefined is undefined: NaN.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import INFINITY, Expression, Number, Symbol
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate


def extended(tree: Expression, values: Mapping[str, float]) -> float:
    """Return the value of `tree`; names may be infinite or NaN.

    >>> extended(trees.Divide(trees.ONE, Symbol("t")), {"t": 0.0})
    inf
    >>> extended(trees.Divide(Symbol("t"), Symbol("t")), {"t": 0.0})
    nan
    """
    names = {symbol.name for symbol in free_symbols(tree)}
    if all(math.isfinite(values[name]) for name in names if name in values):
        try:
            return evaluate(tree, {name: values[name] for name in names if name in values})
        except EvaluationError:
            pass
    return _value(tree, values)


def _value(tree: Expression, values: Mapping[str, float]) -> float:
    match tree:
        case Number() | trees.Sum():
            return _plain(tree, values)
        case Symbol(name=name):
            return math.inf if tree == INFINITY else values.get(name, math.nan)
        case trees.Conditional(condition, consequence, alternative):
            holds = extended(condition, values)
            if math.isnan(holds):
                return math.nan
            return extended(consequence if holds else alternative, values)
        case trees.Logic(operator, operands):
            return _logic(operator, [extended(each, values) for each in operands])
        case trees.Comparison(relation, left, right):
            one, other = extended(left, values), extended(right, values)
            undefined = math.isnan(one) or math.isnan(other)
            return math.nan if undefined else compare(relation, one, other)
        case trees.Add(terms):
            return _added([extended(each, values) for each in terms])
        case trees.Multiply(factors):
            return math.prod([extended(each, values) for each in factors])
        case trees.Divide(above, below):
            return _ratio(extended(above, values), extended(below, values))
        case trees.Power(base, exponent):
            return _power(extended(base, values), extended(exponent, values))
        case trees.Function(name, arguments):
            return _function(name, [extended(each, values) for each in arguments])


def _plain(tree: Expression, values: Mapping[str, float]) -> float:
    try:
        return evaluate(tree, values)
    except EvaluationError:
        return math.nan


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return math.copysign(math.inf, above) if above and not math.isnan(above) else math.nan


def _added(terms: Sequence[float]) -> float:
    try:
        return math.fsum(terms)
    except (OverflowError, ValueError):  # ∞ - ∞
        return math.nan


def _power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except ValueError:  # 0 to a power below 0, or a root of what is below 0
        return math.inf if base == 0 else math.nan
    except OverflowError:
        return math.inf


def _logic(operator: trees.Operator, operands: Sequence[float]) -> float:
    """Join truth values: what is undefined counts only where it decides."""
    if operator == "not":
        return math.nan if math.isnan(operands[0]) else not operands[0]
    settling = operator == "or"
    if any(each == settling for each in operands):
        return settling
    return math.nan if any(map(math.isnan, operands)) else not settling


def _function(name: str, arguments: Sequence[float]) -> float:
    if any(map(math.isnan, arguments)):
        return math.nan
    if name in ("min", "max"):
        return min(arguments) if name == "min" else max(arguments)
    if name == "is_integer":
        return arguments[0].is_integer()
    if not all(map(math.isfinite, arguments)):
        kept = name in ("abs", "ceil", "floor", "log2", "ln", "log10", "exp")
        return arguments[0] if kept and arguments[0] > 0 else math.nan
    symbols = tuple(Symbol(f"x{place}") for place in range(len(arguments)))
    given = {symbol.name: value for symbol, value in zip(symbols, arguments, strict=True)}
    return _plain(trees.Function(name, symbols), given)
