"""The rates of a machine: how fast it does each kind of work."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value
from roofdsl.model.literal import decimal, literal
from roofdsl.model.resource import enter, resource_named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, Rate, Resource
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import ExpressionSyntax, NameUse, NumberLiteral
from roofdsl.syntax.nodes import Assignment
from roofdsl.units.dimension import SECOND

UNLIMITED = "unlimited"


def rates_of(
    assignments: tuple[Assignment, ...], scope: Scope, resources: Mapping[str, Resource]
) -> tuple[Rate, ...]:
    """Return the rates that assignments state, in units per second (`65.9 ps/B` is inverted)."""
    found: dict[str, Rate] = {}
    for assignment in assignments:
        resource = resource_named(assignment.path, scope, resources)
        rate = None if resource is None else _rate(assignment, resource, scope)
        enter(rate, assignment, found, "keep one of them", scope)
    return tuple(found.values())


def _rate(assignment: Assignment, resource: Resource, scope: Scope) -> Rate | None:
    node, key = assignment.value, assignment.path.text
    doc, span = doc_comment(assignment.span), assignment.span
    if assignment.selector is not None:
        message = f"a machine names its kinds of {key}; it does not choose among them"
        hint = f"write `{key}.{assignment.selector.name} = …`"
        scope.refuse("R0217", message, assignment.selector.span, hint=hint)
        return None
    if isinstance(node, NameUse) and node.name == UNLIMITED and UNLIMITED not in scope.names():
        return Rate(key, resource, None, None, False, doc, span)
    measured = with_uncertainty(key, node, scope)
    if measured is None:
        return None
    formula, uncertainty = measured
    wanted = resource.dimension / SECOND
    inverse = formula.dimension == SECOND / resource.dimension
    if formula.dimension != wanted and not inverse and not is_zero(formula):
        mismatch.assigned(key, formula, node.span, wanted, assignment.path.span, scope)
        return None
    fixed = constant(formula.tree)
    if fixed is not None and fixed <= 0:
        hint = "leave out what the machine does not have; `unlimited` is a rate too"
        scope.refuse("R0408", f"the rate of {key} must be more than 0", node.span, hint=hint)
        return None
    tree = divide(ONE, formula.tree) if inverse else formula.tree
    return Rate(key, resource, tree, uncertainty, inverse, doc, span)


def with_uncertainty(
    key: str, node: ExpressionSyntax, scope: Scope
) -> tuple[Formula, Expression | None] | None:
    """Return a rate, and how far it may be off relative to it where that is written with `±`.

    Report what is wrong with it.
    """
    if not isinstance(node, NumberLiteral):
        formula = value(node, scope)
        return formula and (formula, None)
    formula = literal(node, scope)
    size, error = decimal(node.digits), decimal(node.uncertainty or "0")
    if formula is None or not size or not error:
        return formula and (formula, None)
    if error >= size:
        message = f"the rate of {key} may be 0 or less: it is off by up to {node.uncertainty}"
        hint = f"an uncertainty is less than the number before it, {node.digits}"
        scope.refuse("R0408", message, node.span, hint=hint)
        return None
    return formula, Number(error / size)
