"""The rates of a machine: how fast it does each kind of work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, Expression
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value
from roofdsl.model.resource import OF_MACHINES, chooses, enter, resource_named
from roofdsl.model.right_side import right_side
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, Rate, Resource
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import NameUse
from roofdsl.syntax.nodes import Assignment, RateStatement
from roofdsl.units.dimension import SECOND

UNLIMITED = "unlimited"


def rates_of(
    statements: Sequence[Assignment | RateStatement],
    scope: Scope,
    resources: Mapping[str, Resource],
) -> tuple[Rate, ...]:
    """Return the rates that are stated, in units per second (`65.9 ps/B` is inverted).

    Those of operations are apart, see `work_rate`.
    """
    found: dict[str, Rate] = {}
    for statement in statements:
        if isinstance(statement, RateStatement) and statement.operation is not None:
            continue
        resource = resource_named(statement.path, scope, resources, OF_MACHINES)
        rate = None
        if resource is not None and isinstance(statement, Assignment):
            rate = _rate(statement, resource, scope)
        elif resource is not None and isinstance(statement, RateStatement):
            from roofdsl.model.work_rate import rate_of_work  # few machines have one

            rate = rate_of_work(statement, resource, scope, resources)
        enter(rate, statement, found, "keep one of them", scope)
    return tuple(found.values())


def _rate(assignment: Assignment, resource: Resource, scope: Scope) -> Rate | None:
    node, key = assignment.value, assignment.path.text
    doc, span = doc_comment(assignment.span), assignment.span
    if chooses(assignment, scope):
        return None
    if isinstance(node, NameUse) and node.name == UNLIMITED and UNLIMITED not in scope.names():
        return Rate(key, resource, None, None, False, doc, span)
    found = right_side(f"the rate of {key}", node, scope, value, "R0408")
    if found is None:
        return None
    formula, uncertainty = found
    speed = per_second(formula, assignment, resource, scope)
    if speed is None:
        return None
    tree, inverse = speed
    fixed = constant(formula.tree)
    if fixed is not None and fixed <= 0:
        hint = "leave out what the machine does not have; `unlimited` is a rate too"
        scope.refuse("R0408", f"the rate of {key} must be more than 0", node.span, hint=hint)
        return None
    return Rate(key, resource, tree, uncertainty, inverse, doc, span)


def per_second(
    formula: Formula, statement: Assignment | RateStatement, resource: Resource, scope: Scope
) -> tuple[Expression, bool] | None:
    """Return a rate in units per second, and whether it was written the other way round."""
    wanted = resource.dimension / SECOND
    if formula.dimension == SECOND / resource.dimension:
        return divide(ONE, formula.tree), True
    if formula.dimension == wanted or is_zero(formula):
        return formula.tree, False
    key, place = statement.path.text, statement.path.span
    mismatch.assigned(key, formula, statement.value.span, wanted, place, scope)
    return None
