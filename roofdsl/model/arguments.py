"""Values given for parameters, in a call, on the command line or from Python."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import TypeAlias

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, fits, value
from roofdsl.model.precision import PRECISION, PRECISIONS
from roofdsl.model.scope import Scope, only
from roofdsl.model.types import Definition, Formula, Parameter
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import ExpressionSyntax, NameUse
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import DIMENSIONLESS

Argument: TypeAlias = tuple[Expression, Span | None]
Value: TypeAlias = int | float | Fraction | bool | str


def argument(parameter: Parameter | None, node: ExpressionSyntax, scope: Scope) -> Argument | None:
    """Elaborate a value for a parameter and check its unit; report what does not fit.

    A parameter of None is unknown; that is reported where the arguments are bound.
    """
    formula = elaborate(node, scope)
    fitting = formula and (parameter is None or _fits(parameter, formula, node.span, scope))
    return (formula.tree, node.span) if formula and fitting else None


def _fits(parameter: Parameter, formula: Formula, span: Span, scope: Scope) -> bool:
    if not mismatch.same_sort(formula, parameter.kind == "boolean", span, scope):
        return False
    if fits(formula, parameter.dimension):
        return True
    wanted, given = parameter.dimension, formula.dimension
    hint = f"write it without a unit: `{parameter.name}` is a plain number"
    if wanted == PRECISION:
        hint = f"precisions: {', '.join(PRECISIONS)}"
    elif wanted != DIMENSIONLESS:
        hint = f"write it with its unit, such as `{parameter.name}={span.text} {parameter.unit}`"
        if given != DIMENSIONLESS:
            hint = f"write it in {wanted}"
    how, must = mismatch.measured(given), wanted.describe()
    message = f"'{parameter.name}' is given {how}, but it must be {must}"
    places = Label(span, f"this is {given.describe()}"), Label(parameter.span, "declared here")
    scope.refuse("R0405", message, *places, hint=hint)
    return False


def read_arguments(
    definition: Definition, texts: Mapping[str, str | Source]
) -> tuple[dict[str, Argument], tuple[Diagnostic, ...]]:
    """Read values written in the language, such as `4096`, `8 B` or `16*V`, one for each name."""
    problems: list[Diagnostic] = []
    scope = parameter_scope(definition, problems.append)
    known = {parameter.name: parameter for parameter in definition.parameters}
    arguments: dict[str, Argument] = {}
    for name, text in texts.items():
        if not isinstance(text, Source):
            text = Source(f"the value of {name}", f"{name} = {text}", begin=len(name) + 3)
        node = parse_expression(text)
        if isinstance(node, Diagnostic):
            problems.append(node)
            continue
        if name not in known:
            # Bound all the same, so that the unknown name is reported with its place.
            arguments[name] = (Number(Fraction(1)), _name_in(text, name) or node.span)
            continue
        precise = known[name].kind == "precision"
        if precise and isinstance(node, NameUse) and node.name not in (*PRECISIONS, *known):
            hint = did_you_mean(node.name, PRECISIONS) or f"precisions: {', '.join(PRECISIONS)}"
            scope.refuse("R0201", f"'{node.name}' is not defined", node.span, hint=hint)
            continue
        found = argument(known[name], node, scope)
        if found is not None:
            arguments[name] = found
    return arguments, tuple(problems)


def read_value(source: Source, scope: Scope) -> Formula | None:
    """Read one number or formula of any unit; report what is wrong with it."""
    node = parse_expression(source)
    if isinstance(node, Diagnostic):
        scope.report(node)
        return None
    return value(node, scope)


def _name_in(source: Source, name: str) -> Span | None:
    start = source.text.find(name, 0, source.begin)
    return Span(source, start, start + len(name)) if start >= 0 else None


def parameter_scope(definition: Definition, report: Reporter) -> Scope:
    """Return a scope that knows a definition's parameters, so that one can be tied to another."""
    return only({p.name: p.formula for p in definition.parameters}, report)


def python_value(value: object) -> Expression | None:
    """Return a Python number as an exact expression in SI base units, None for anything else.

    An infinite number, or one that is not a number, is anything else too.

    >>> python_value(0.5)
    Number(value=Fraction(1, 2))
    """
    if isinstance(value, bool):
        return truth(value)
    if isinstance(value, Rational):  # NumPy's whole numbers, too, which are no Python ones
        return Number(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Real) and isfinite(value):  # NumPy's numbers are such, too
        return Number(Fraction(float(value)))
    return None
