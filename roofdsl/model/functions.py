"""The functions of the language: how many arguments, which units, which tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from roofdsl.diagnostic import did_you_mean, listing
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional
from roofdsl.expression.tree import HALF, Expression, Number, Symbol
from roofdsl.model import mismatch
from roofdsl.model.precision import PRECISION, PRECISIONS, named, size_symbol
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.expressions import ArgumentSyntax, Call, ExpressionSyntax
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, Dimension

Elaborate = Callable[[ExpressionSyntax, Scope], Formula | None]
"""How a formula is found that must be a number or a precision: that is known further up."""


class BuiltIn(NamedTuple):
    """A function: its parameters ("…" for any number), and what it asks of their units."""

    parameters: tuple[str, ...]
    units: str  # "plain": plain numbers in and out; "same": one unit in and out; "root"
    doc: str


BUILT_IN: dict[str, BuiltIn] = {
    "sqrt": BuiltIn(("x",), "root", "the square root"),
    "exp": BuiltIn(("x",), "plain", "e to the power x"),
    "log2": BuiltIn(("x",), "plain", "the logarithm to base 2"),
    "ln": BuiltIn(("x",), "plain", "the natural logarithm"),
    "log10": BuiltIn(("x",), "plain", "the logarithm to base 10"),
    "log": BuiltIn(("x", "base"), "plain", "the logarithm to a base"),
    "abs": BuiltIn(("x",), "same", "the absolute value"),
    "min": BuiltIn(("…",), "same", "the smallest"),
    "max": BuiltIn(("…",), "same", "the largest"),
    "ceil": BuiltIn(("x",), "plain", "the next whole number up"),
    "floor": BuiltIn(("x",), "plain", "the next whole number down"),
    "size": BuiltIn(("precision",), "size", "the bytes of one element of a precision"),
}


# What other languages call them.
_ELSEWHERE = {
    "ceiling": "write `ceil(…)`",
    "pow": "write `x^y`",
    "lg": "write `log2(…)` or `log10(…)`",
    "ld": "write `log2(…)`",
    "log_2": "write `log2(…)`",
    "round": "write `floor(… + 1/2)`",
    "mod": "write `a - b*floor(a/b)`",
    "cbrt": "write `x^(1/3)`",
}


def call(node: Call, scope: Scope, choice: Elaborate) -> Formula | None:
    """Return the formula of a call of a built-in function, or report what is wrong with it."""
    name = node.function.name
    function = BUILT_IN[name]
    if name == "log" and len(node.arguments) == 1:
        inside = node.arguments[0].value.span.text
        one = f"`log2({inside})`, `ln({inside})`, `log10({inside})`"
        hint = f"write {one} or `log({inside}, base)`"
        scope.refuse("R0204", "`log` does not say its base", node.span, hint=hint)
        return None
    listed = function.parameters == ("…",)
    matched = _listed(node, scope) if listed else match_arguments(node, function.parameters, scope)
    if matched is None:
        return None
    formulas: list[Formula] = []
    for argument in matched.values():
        formula = choice(argument, scope)
        if formula is None:
            return None
        if function.units in ("same", "root") and formula.dimension == PRECISION:
            mismatch.not_a_quantity(argument.span, scope)
            return None
        known = formula.dimension.is_known
        if function.units == "plain" and formula.dimension != DIMENSIONLESS and known:
            mismatch.not_plain(argument.span, formula.dimension, f"the argument of `{name}`", scope)
            return None
        if _has_no_value(name, formula.tree):
            shown = mismatch.excerpt(argument.span)
            message = f"`{name}` of {shown} has no value"
            scope.refuse("R0407", message, argument.span, hint=_DOMAINS[name])
            return None
        formulas.append(formula)
    operands = tuple(formula.tree for formula in formulas)
    places = [argument.span for argument in matched.values()]
    if function.units == "size":
        return _size(formulas[0], places[0], scope)
    if function.units == "root":
        return Formula(trees.Power(operands[0], HALF), formulas[0].dimension ** HALF.value)
    dimension: Dimension | None = DIMENSIONLESS
    if function.units == "same":
        pairs = [*zip(formulas, places, strict=True)]
        dimension = mismatch.common_dimension(pairs, f"the arguments of `{name}`", scope)
    if dimension is None:
        return None
    alone = name in ("min", "max") and len(operands) == 1
    return Formula(operands[0] if alone else trees.Function(name, operands), dimension)


_POSITIVE = "the argument of a logarithm is above 0"
_DOMAINS = {
    **dict.fromkeys(("log2", "ln", "log10", "log"), _POSITIVE),
    "sqrt": "what stands under a root is not below 0",
}


def _has_no_value(name: str, argument: Expression) -> bool:
    if name not in _DOMAINS or not isinstance(argument, Number):
        return False
    return argument.value < 0 if name == "sqrt" else argument.value <= 0


def _size(precision: Formula, span: Span, scope: Scope) -> Formula | None:
    if precision.dimension == PRECISION:
        return Formula(_bytes(precision.tree), BYTE)
    if not precision.dimension.is_known:
        return Formula(precision.tree, BYTE)
    message = f"`size` takes a precision, not {precision.dimension.describe()}"
    hint = f"precisions: {', '.join(PRECISIONS)}, or a parameter of kind `precision`"
    scope.refuse("R0308", message, span, hint=hint)
    return None


def _bytes(precision: Expression) -> Expression:
    """Return the bytes of a precision: a name, a parameter, or one of two chosen by a condition."""
    match precision:
        case Number(code):
            return Number(PRECISIONS[named(code)])
        case Symbol(name):
            return Symbol(size_symbol(name))
        case trees.Conditional(condition, consequence, alternative):
            return conditional(condition, _bytes(consequence), _bytes(alternative))
    raise AssertionError(precision)  # nothing else has the dimension of precisions


def by_parameter(node: Call, parameters: Sequence[str]) -> Iterator[tuple[str, ArgumentSyntax]]:
    """Yield a call's arguments, each with the name of its parameter, "" for one too many."""
    for index, given in enumerate(node.arguments):
        if given.name is not None:
            yield given.name.name, given
        else:
            yield parameters[index] if index < len(parameters) else "", given


def match_arguments(
    node: Call, parameters: tuple[str, ...], scope: Scope
) -> dict[str, ExpressionSyntax] | None:
    """Match a call's arguments, by place or by name, to parameters; report what does not match."""
    name = node.function.name
    matched: dict[str, ExpressionSyntax] = {}
    written = f"it is called as `{name}({', '.join(parameters)})`"
    for key, given in by_parameter(node, parameters):
        hint = None
        if not key:
            count = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
            problem = f"'{name}' takes {count}, not {len(node.arguments)}"
        elif key not in parameters:
            problem, hint = f"'{name}' has no parameter '{key}'", did_you_mean(key, parameters)
        elif key in matched:
            problem = f"'{key}' is given twice"
        else:
            matched[key] = given.value
            continue
        scope.refuse("R0205", problem, given.span, hint=hint or written)
        return None
    missing = [parameter for parameter in parameters if parameter not in matched]
    if missing:
        message = f"this call of '{name}' leaves out {listing(missing)}"
        scope.refuse("R0205", message, node.span, hint=written)
        return None
    return {parameter: matched[parameter] for parameter in parameters}


def _listed(node: Call, scope: Scope) -> dict[str, ExpressionSyntax] | None:
    """Return the arguments of a function that takes any number of them, but at least one."""
    name = node.function.name
    named_ones = [argument.span for argument in node.arguments if argument.name is not None]
    if node.arguments and not named_ones:
        return {str(index): argument.value for index, argument in enumerate(node.arguments)}
    problem, place = f"this call of '{name}' has no arguments", node.span
    if named_ones:
        problem, place = f"the arguments of '{name}' have no names", named_ones[0]
    scope.refuse("R0205", problem, place, hint=f"it is called as `{name}(x, y, …)`")
    return None


def unknown(node: Call, scope: Scope) -> None:
    """Report a call of a function that does not exist."""
    name = node.function.name
    known = [*scope.functions, *BUILT_IN]
    hint = _ELSEWHERE.get(name) or did_you_mean(name, known)
    if name in scope.names():
        hint = f"'{name}' is a value; to multiply, write `{name}*(…)`"
    hint = hint or f"functions: {listing(known, 20)}"
    scope.refuse("R0204", f"there is no function '{name}'", node.function.span, hint=hint)


def too_many_expansions(node: Call, many: bool, scope: Scope) -> None:
    """Report once that functions written out are too large: too many of them, or too deep."""
    if scope.expansion.exhausted:
        return  # every further call would report the same
    scope.expansion.exhausted = True
    message = "functions that call functions make this formula too large"
    hint = "make part of it a `param`"
    if not many:
        message, hint = "functions call functions too deep here", "write some of them out"
    scope.refuse("R0213", message, node.span, hint=hint)
