"""Values given for parameters, in a call, on the command line or from Python."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from roofdsl.diagnostic import Diagnostic, Label, Reporter, RoofError, did_you_mean
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, fits, value
from roofdsl.model.precision import PRECISION, PRECISIONS
from roofdsl.model.right_side import may_be_off
from roofdsl.model.scope import Scope, only
from roofdsl.model.types import Definition, Formula, Parameter
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import ExpressionSyntax, NameUse
from roofdsl.syntax.parse import parse_expression
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import NO_UNITS, Unit, counts_in

Argument: TypeAlias = tuple[Expression, Span | None]
_ALONE = "eval, table, report, solve and study carry ± through, of a parameter with one value"


def argument(
    parameter: Parameter | None, node: ExpressionSyntax, scope: Scope, *, off: bool = False
) -> Argument | None:
    """Elaborate a value for a parameter and check its unit; report what does not fit.

    It may be `off`: have a `±` that is looked at apart. A parameter of None is unknown; that is
    reported where the arguments are bound.
    """
    if off and parameter is not None:
        formula = may_be_off(f"'{parameter.name}'", parameter.kind, node, scope)
    else:
        formula = elaborate(node, scope)
    fitting = formula and (parameter is None or is_of_sort(parameter, formula, node.span, scope))
    return (formula.tree, node.span) if formula and fitting else None


def is_of_sort(parameter: Parameter, formula: Formula, span: Span, scope: Scope) -> bool:
    """Whether a value has the unit, or is of the sort, of a parameter; report where it is not."""
    boolean, wanted, given = parameter.kind == "boolean", parameter.dimension, formula.dimension
    if formula.truth == boolean and (boolean or fits(formula, wanted)):
        return True
    # Numbers, precisions, and true or false are three sorts; units are of numbers alone.
    sorts = boolean or formula.truth or PRECISION in (wanted, given)
    hint = f"write it without a unit: `{parameter.name}` is a plain number"
    if boolean:
        hint = "write `true` or `false`, or a comparison"
    elif wanted == PRECISION:
        hint = f"precisions: {', '.join(PRECISIONS)}"
    elif sorts:
        hint = "write a number"
    elif wanted != DIMENSIONLESS:
        hint = f"write it with its unit, such as `{parameter.name}={span.text} {parameter.unit}`"
        if given != DIMENSIONLESS:
            hint = f"write it in {wanted}"
    how = "as true or false" if formula.truth else mismatch.measured(given)
    must = "true or false" if boolean else wanted.describe()
    this = "true or false" if formula.truth else given.describe()
    places = Label(span, f"this is {this}"), Label(parameter.span, "declared here")
    message = f"'{parameter.name}' is given {how}, but it must be {must}"
    scope.refuse("R0404" if sorts else "R0405", message, *places, hint=hint)
    return False


def read_arguments(
    definition: Definition, texts: Mapping[str, str | Source]
) -> tuple[dict[str, Argument], tuple[Diagnostic, ...]]:
    """Read values written in the language, such as `4096`, `8 B` or `16*V`, one for each name.

    One with `±` is refused: who carries that through has taken it up, see `taken_up`.
    """
    problems: list[Diagnostic] = []
    scope = parameter_scope(definition, problems.append)
    scope.instead_of_uncertain = _ALONE
    known = {parameter.name: parameter for parameter in definition.parameters}
    arguments: dict[str, Argument] = {}
    for name, text in texts.items():
        text = text_given(name, text)
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


def text_given(name: str, value: str | Source) -> Source:
    """Return the text of a value given for a parameter, with its name before it."""
    if isinstance(value, Source):
        return value
    return Source(f"the value of {name}", f"{name} = {value}", begin=len(name) + 3)


def read_value(source: Source, scope: Scope, end: int | None = None) -> Formula | None:
    """Read one number or formula of any unit, up to an end; report what is wrong with it."""
    node = parse_expression(source, end)
    if isinstance(node, Diagnostic):
        scope.report(node)
        return None
    return value(node, scope)


def read_number(
    source: Source, name: str, wanted: Dimension, declared: Mapping[str, Unit] = NO_UNITS
) -> Fraction:
    """Read a number of a unit, in SI base units; `name` is what it is given for.

    `declared` are the units of a file, which it may be written in.

    Raises RoofError for one of another unit (R0405), and for what is no number (R0702).
    """
    problems: list[Diagnostic] = []
    formula = read_value(source, Scope(problems.append, {**counts_in(wanted), **declared}, {}))
    if formula is None:
        raise RoofError(problems)
    place = (Label(Span(source, source.begin, len(source.text))),)
    if formula.dimension != wanted:
        given, must = mismatch.measured(formula.dimension), wanted.describe()
        message = f"{name} is given {given}, but it must be {must}"
        hint = (
            "write a plain number"
            if wanted == DIMENSIONLESS
            else f"write its unit, as in 1 {wanted}"
        )
        raise RoofError([Diagnostic("R0405", message, place, hint)])
    number = None if formula.truth else constant(formula.tree)
    if number is None:
        raise RoofError([Diagnostic("R0702", f"{name} must be a number", place)])
    return number


def _name_in(source: Source, name: str) -> Span | None:
    start = source.text.find(name, 0, source.begin)
    return Span(source, start, start + len(name)) if start >= 0 else None


def parameter_scope(definition: Definition, report: Reporter) -> Scope:
    """Return a scope that knows a definition's parameters, so that one can be tied to another."""
    return only({p.name: p.formula for p in definition.parameters}, report, definition.own_units)
