"""The functions of the language: how many arguments, which units, which tree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Label, did_you_mean, listing
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import conditional
from roofdsl.expression.tree import HALF, Expression, Number, Symbol
from roofdsl.model import mismatch
from roofdsl.model.precision import PRECISION, PRECISIONS, named, size_symbol
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.expressions import Call, ExpressionSyntax
from roofdsl.units.dimension import BYTE, DIMENSIONLESS

Elaborate = Callable[[ExpressionSyntax, Scope], Formula | None]


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


def call(node: Call, scope: Scope, elaborate: Elaborate) -> Formula | None:
    """Return the formula of a call of a built-in function, or report what is wrong with it."""
    name = node.function.name
    function = BUILT_IN[name]
    if name == "log" and len(node.arguments) == 1:
        inside = node.arguments[0].value.span.text
        scope.refuse(
            "R0204",
            "`log` does not say its base",
            node.span,
            hint=f"write `log2({inside})`, `ln({inside})`, `log10({inside})` "
            f"or `log({inside}, base)`",
        )
        return None
    if function.parameters == ("…",):
        matched = _listed(node, scope)
    else:
        matched = match_arguments(node, function.parameters, scope)
    if matched is None:
        return None
    formulas: list[Formula] = []
    for argument in matched.values():
        formula = elaborate(argument, scope)
        if formula is None:
            return None
        if formula.truth:
            mismatch.not_a_number(argument.span, scope)
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
    if function.units == "size":
        return _size(formulas[0], next(iter(matched.values())).span, scope)
    if function.units == "root":
        return Formula(trees.Power(operands[0], HALF), formulas[0].dimension ** Fraction(1, 2))
    dimension = DIMENSIONLESS
    if function.units == "same":
        pairs = [
            (formula, argument.span)
            for formula, argument in zip(formulas, matched.values(), strict=True)
        ]
        common = mismatch.common_dimension(pairs, f"the arguments of `{name}`", scope)
        if common is None:
            return None
        dimension = common
    return Formula(_tree(name, operands), dimension)


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
    scope.refuse(
        "R0308",
        f"`size` takes a precision, not {precision.dimension.describe()}",
        span,
        hint=f"precisions: {', '.join(PRECISIONS)}, or a parameter of kind `precision`",
    )
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


def _tree(name: str, arguments: tuple[Expression, ...]) -> Expression:
    if name in ("min", "max") and len(arguments) == 1:
        return arguments[0]
    return trees.Function(name, arguments)


def match_arguments(
    node: Call, parameters: tuple[str, ...], scope: Scope
) -> dict[str, ExpressionSyntax] | None:
    """Match a call's arguments, by place or by name, to parameters; report what does not match."""
    name = node.function.name
    matched: dict[str, ExpressionSyntax] = {}
    for index, argument in enumerate(node.arguments):
        if argument.name is not None:
            key = argument.name.name
            problem = f"'{name}' has no parameter '{key}'" if key not in parameters else ""
        elif index < len(parameters):
            key, problem = parameters[index], ""
        else:
            key = ""
            count = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
            problem = f"'{name}' takes {count}, not {len(node.arguments)}"
        if not problem and key in matched:
            problem = f"'{key}' is given twice"
        if problem:
            unknown_key = key and key not in parameters
            hint = did_you_mean(key, parameters) if unknown_key else None
            scope.refuse("R0205", problem, argument.span, hint=hint or _written(node, parameters))
            return None
        matched[key] = argument.value
    missing = [parameter for parameter in parameters if parameter not in matched]
    if missing:
        scope.refuse(
            "R0205",
            f"this call of '{name}' leaves out {listing(missing)}",
            node.span,
            hint=_written(node, parameters),
        )
        return None
    return {parameter: matched[parameter] for parameter in parameters}


def _listed(node: Call, scope: Scope) -> dict[str, ExpressionSyntax] | None:
    """Return the arguments of a function that takes any number of them, but at least one."""
    name = node.function.name
    named_ones = [argument.span for argument in node.arguments if argument.name is not None]
    if node.arguments and not named_ones:
        return {str(index): argument.value for index, argument in enumerate(node.arguments)}
    problem = (
        f"the arguments of '{name}' have no names"
        if named_ones
        else f"this call of '{name}' has no arguments"
    )
    place = Label(named_ones[0] if named_ones else node.span)
    scope.refuse("R0205", problem, place, hint=f"it is called as `{name}(x, y, …)`")
    return None


def _written(node: Call, parameters: tuple[str, ...]) -> str:
    return f"it is called as `{node.function.name}({', '.join(parameters)})`"


def unknown(node: Call, scope: Scope) -> None:
    """Report a call of a function that does not exist."""
    name = node.function.name
    known = [*scope.functions, *BUILT_IN]
    hint = _ELSEWHERE.get(name) or did_you_mean(name, known)
    if name in scope.names():
        hint = f"'{name}' is a value; to multiply, write `{name}*(…)`"
    scope.refuse(
        "R0204",
        f"there is no function '{name}'",
        node.function.span,
        hint=hint or f"functions: {listing(known, 20)}",
    )


def too_many_expansions(node: Call, many: bool, scope: Scope) -> None:
    """Report a formula that is too large with its functions written out: too many, or too deep."""
    scope.refuse(
        "R0213",
        "functions that call functions make this formula too large"
        if many
        else "functions call functions too deep here",
        node.span,
        hint="make part of it a `param`" if many else "write some of them out",
    )
