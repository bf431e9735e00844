"""What a model asks of each resource, and how fast a machine does it: works and rates."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.diagnostic import Label, did_you_mean
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value, value_in
from roofdsl.model.literal import decimal, literal
from roofdsl.model.precision import PRECISION
from roofdsl.model.resource import enter, report_twice, resource_named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Rate, Resource, Work
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import ExpressionSyntax, Identifier, NameUse, NumberLiteral
from roofdsl.syntax.nodes import Assignment
from roofdsl.units.dimension import DIMENSIONLESS, SECOND

TIME = "time"
UNLIMITED = "unlimited"


def work_of(
    assignments: tuple[Assignment, ...], scope: Scope, resources: Mapping[str, Resource]
) -> tuple[Work, ...]:
    """Return the work that assignments state; a plain number takes the resource's unit."""
    found: dict[str, Work] = {}
    for assignment in assignments:
        if assignment.path.text != TIME:
            work, hint = work_on(assignment, scope, resources), "add the two up in one formula"
            enter(work, assignment, found, hint, scope)
    return tuple(found.values())


def stated_time(assignments: tuple[Assignment, ...], scope: Scope) -> Expression | None:
    """Return the time a kernel states for itself, as `time = …`, if it does."""
    stated = [assignment for assignment in assignments if assignment.path.text == TIME]
    for again in stated[1:]:
        report_twice(TIME, again.path.span, stated[0].span, "keep one of them", scope)
    if not stated:
        return None
    formula = value_in(SECOND, stated[0].value, TIME, stated[0].path.span, scope)
    return None if formula is None else formula.tree


def work_on(
    assignment: Assignment,
    scope: Scope,
    resources: Mapping[str, Resource],
    called: str = "",
) -> Work | None:
    """Return the work that one assignment states; `called` is what messages call it."""
    key, span = assignment.path.text, assignment.path.span
    resource = resource_named(assignment.path, scope, resources)
    formula = value(assignment.value, scope)
    selector = assignment.selector
    if selector is not None and not _is_precision(selector, scope):
        return None
    if resource is None or formula is None:
        return None
    fits = formula.dimension == resource.dimension or is_zero(formula)
    adopted = not fits and formula.dimension == DIMENSIONLESS
    if not fits and not adopted:
        place = assignment.value.span
        hint = mismatch.leave_out(formula.dimension, resource.dimension, place, scope)
        mismatch.assigned(called or key, formula, place, resource.dimension, span, scope, hint)
        return None
    chosen, doc = selector.name if selector else None, doc_comment(assignment.span)
    return Work(key, resource, formula.tree, chosen, adopted, doc, assignment.span)


def _is_precision(selector: Identifier, scope: Scope) -> bool:
    formula = scope.formula(selector.name, selector.span)
    if formula is None:
        return False
    if formula.dimension == PRECISION:
        return True
    precisions = [n for n, other in scope.formulas().items() if other.dimension == PRECISION]
    hint = did_you_mean(selector.name, precisions)
    hint = hint or f"declare it as `param {selector.name}: precision = fp64`"
    place = Label(selector.span, f"this is {formula.dimension.describe()}")
    scope.refuse("R0308", f"'{selector.name}' is not a precision", place, hint=hint)
    return False


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
    formula = literal(node, scope) if isinstance(node, NumberLiteral) else value(node, scope)
    if formula is None:
        return None
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
    return Rate(key, resource, tree, _uncertainty(node), inverse, doc, span)


def _uncertainty(node: ExpressionSyntax) -> Expression | None:
    """Return the relative uncertainty of a rate written with `±`."""
    if not isinstance(node, NumberLiteral) or not node.uncertainty:
        return None
    size, error = decimal(node.digits), decimal(node.uncertainty)
    return None if not size or error is None else Number(error / size)
