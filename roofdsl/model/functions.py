"""The functions of the language: how many arguments, which units, which tree."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.expression.tree import HALF, Expression, Function, Number, Power, Symbol
from roofdsl.model import mismatch
from roofdsl.model.precision import PRECISION, PRECISIONS, named, size_symbol
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.nodes import Call, ExpressionSyntax
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


def call(node: Call, scope: Scope, elaborate: Elaborate) -> Formula | None:
    """Return the formula of a call of a built-in function, or report what is wrong with it."""
    name = node.function.name
    function = BUILT_IN[name]
    if name == "log" and len(node.arguments) == 1:
        inside = node.arguments[0].value.span.text
        scope.report(
            Diagnostic(
                "R0204",
                "`log` does not say its base",
                (Label(node.span),),
                f"write `log2({inside})`, `ln({inside})`, `log10({inside})` "
                f"or `log({inside}, base)`",
            )
        )
        return None
    if function.parameters == ("…",):
        parameters = tuple(f"x{index}" for index in range(max(1, len(node.arguments))))
    else:
        parameters = function.parameters
    matched = match_arguments(node, parameters, scope)
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
        if function.units == "plain" and formula.dimension != DIMENSIONLESS:
            mismatch.not_plain(argument.span, formula.dimension, f"the argument of `{name}`", scope)
            return None
        formulas.append(formula)
    trees = tuple(formula.tree for formula in formulas)
    if function.units == "size":
        return _size(formulas[0], next(iter(matched.values())).span, scope)
    if function.units == "root":
        return Formula(Power(trees[0], HALF), formulas[0].dimension ** Fraction(1, 2))
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
    return Formula(_tree(name, trees), dimension)


def _size(precision: Formula, span: Span, scope: Scope) -> Formula | None:
    match precision:
        case Formula(tree=Number(value), dimension=dimension) if dimension == PRECISION:
            return Formula(Number(PRECISIONS[named(value)]), BYTE)
        case Formula(tree=Symbol(name=name), dimension=dimension) if dimension == PRECISION:
            return Formula(Symbol(size_symbol(name)), BYTE)
    scope.report(
        Diagnostic(
            "R0308",
            f"`size` takes a precision, not {precision.dimension.describe()}",
            (Label(span),),
            f"precisions: {', '.join(PRECISIONS)}, or a parameter of kind `precision`",
        )
    )
    return None


def _tree(name: str, arguments: tuple[Expression, ...]) -> Expression:
    if name in ("min", "max") and len(arguments) == 1:
        return arguments[0]
    return Function(name, arguments)


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
            problem = f"'{name}' takes {_count(len(parameters))}, not {len(node.arguments)}"
        if not problem and key in matched:
            problem = f"'{key}' is given twice"
        if problem:
            hint = did_you_mean(key, parameters) if key else None
            written = hint or f"it is called as `{name}({', '.join(parameters)})`"
            scope.report(Diagnostic("R0205", problem, (Label(argument.span),), written))
            return None
        matched[key] = argument.value
    missing = [parameter for parameter in parameters if parameter not in matched]
    if missing:
        scope.report(
            Diagnostic(
                "R0205",
                f"'{name}' takes {_count(len(parameters))}, not {len(node.arguments)}",
                (Label(node.span),),
                f"it is called as `{name}({', '.join(parameters)})`",
            )
        )
        return None
    return {parameter: matched[parameter] for parameter in parameters}


def unknown(node: Call, scope: Scope) -> None:
    """Report a call of a function that does not exist."""
    name = node.function.name
    known = [*BUILT_IN, *scope.functions]
    hint = did_you_mean(name, known)
    if name in scope.names():
        hint = f"'{name}' is a value; to multiply, write `{name}*(…)`"
    scope.report(
        Diagnostic(
            "R0204",
            f"there is no function '{name}'",
            (Label(node.function.span),),
            hint or "functions: " + ", ".join(known[:20]),
        )
    )


def too_many_expansions(node: Call, scope: Scope) -> None:
    scope.report(
        Diagnostic(
            "R0213",
            "functions calling functions make this formula too large",
            (Label(node.span),),
            "name what is used more than once with `let`",
        )
    )


def _count(number: int) -> str:
    return f"{number} argument" if number == 1 else f"{number} arguments"
