"""Parameters: their kind, unit, bounds and default."""

from __future__ import annotations

from typing import NamedTuple, get_args

from roofdsl.diagnostic import did_you_mean
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value_in
from roofdsl.model.limits import Limits, Values, fitting
from roofdsl.model.literal import unit_at
from roofdsl.model.precision import PRECISION
from roofdsl.model.right_side import may_be_off
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, KindName, Parameter
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import MachineValue
from roofdsl.syntax.nodes import ParameterStatement
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

KINDS: dict[str, KindName] = {kind: kind for kind in get_args(KindName)}
WHOLE = ("integer", "processes")


class _Kind(NamedTuple):
    name: KindName
    unit: str
    dimension: Dimension


def parameter(statement: ParameterStatement, scope: Scope) -> Parameter | None:
    """Return the parameter of a statement, or None after reporting what is wrong with it."""
    kind = _kind(statement, scope)
    if kind is None:
        return None
    default = _default(statement, kind, scope)
    if statement.default is not None and default is None:
        return None
    if default is not None and statement.kind is None:
        kind = _kind_of(default)
    limits = _limits(statement, kind, scope)
    if limits is None:
        return None
    tree = default.tree if default and kind.name not in ("boolean", "precision") else None
    values = Values(kind.name in WHOLE, kind.dimension, limits)
    if not fitting(statement, values, tree, scope.report):
        return None
    smallest = constant(limits.low) if limits.low is not None else None
    positive = smallest is not None and (smallest > 0 or (smallest == 0 and limits.low_open))
    return Parameter(
        name=statement.name.name,
        kind=kind.name,
        dimension=kind.dimension,
        unit=kind.unit,
        low=limits.low,
        high=limits.high,
        low_open=limits.low_open,
        default=default.tree if default else None,
        written=" ".join(statement.default.span.text.split()) if statement.default else "",
        doc=doc_comment(statement.span),
        span=statement.name.span,
        symbol=Symbol(statement.name.name, kind.name in WHOLE, positive),
    )


def _kind(statement: ParameterStatement, scope: Scope) -> _Kind | None:
    if statement.kind is None:
        return _Kind("real", "", DIMENSIONLESS)
    text, span = statement.kind.unit.name, statement.kind.unit.span
    if text in KINDS:
        return _Kind(KINDS[text], "", PRECISION if text == "precision" else DIMENSIONLESS)
    unknown = read_unit(text, scope.units)
    if isinstance(unknown, UnknownUnit):
        meant = did_you_mean(text, KINDS) or unknown.hint
        if meant is not None or "/" not in text:
            hint = meant or f"kinds: {', '.join(KINDS)}; or a unit such as `GB/s`"
            message = f"'{text}' is neither a kind of parameter nor a unit"
            scope.refuse("R0206", message, span, hint=hint)
            return None
    unit = unit_at(text, span, scope)
    return None if unit is None else _Kind("real", text, unit[1])


def _kind_of(default: Formula) -> _Kind:
    """Return the kind of a parameter that has only a default."""
    if default.truth:
        return _Kind("boolean", "", DIMENSIONLESS)
    if default.dimension == PRECISION:
        return _Kind("precision", "", PRECISION)
    unit = "" if default.dimension == DIMENSIONLESS else str(default.dimension)
    return _Kind("real", unit, default.dimension)


def _default(statement: ParameterStatement, kind: _Kind, scope: Scope) -> Formula | None:
    node, name = statement.default, statement.name.name
    if node is None:
        return None
    if isinstance(node, MachineValue):
        if statement.kind is not None:
            tree = Symbol(f"machine.{node.name.name}", kind.name in WHOLE)
            return Formula(tree, kind.dimension, truth=kind.name == "boolean")
        message = f"'{name}' takes its default from the machine, so its kind must be said"
        example = f"such as `param {name}: integer = {node.span.text}`"
        scope.refuse("R0215", message, statement.name.span, hint=example)
        return None
    default = may_be_off(f"the default of '{name}'", kind.name, node, scope)
    if default is None or statement.kind is None:
        return default
    if not mismatch.same_sort(default, kind.name == "boolean", node.span, scope):
        return None
    if default.dimension != kind.dimension and (not is_zero(default) or kind.name == "precision"):
        target, declared = f"the default of '{name}'", statement.kind.unit.span
        plain = default.dimension == DIMENSIONLESS and kind.unit
        hint = mismatch.with_unit(node.span, kind.unit) if plain else None
        mismatch.assigned(target, default, node.span, kind.dimension, declared, scope, hint)
        return None
    return default


def _limits(statement: ParameterStatement, kind: _Kind, scope: Scope) -> Limits | None:
    """Return the bounds of a parameter: what is written, else more than 0."""
    bounds = statement.kind.bounds if statement.kind else None
    target, place = f"a bound of '{statement.name.name}'", statement.name.span
    found: list[Expression | None] = []
    for node in (bounds.low, bounds.high) if bounds else (None, None):
        formula = node and value_in(kind.dimension, node, target, place, scope)
        if node is not None and formula is None:
            return None
        found.append(formula.tree if formula else None)
    low, high = found
    if low is not None or kind.name in ("boolean", "precision"):
        return Limits(low, high)
    return Limits(ONE, high) if kind.name in WHOLE else Limits(ZERO, high, True)
