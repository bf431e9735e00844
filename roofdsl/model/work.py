"""The work of a model: what it asks of each resource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.diagnostic import Label, did_you_mean
from roofdsl.expression.tree import Expression
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value, value_in
from roofdsl.model.precision import PRECISION, PRECISIONS
from roofdsl.model.resource import enter, report_twice, resource_named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Resource, Work
from roofdsl.model.varying import Operation
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import Identifier
from roofdsl.syntax.nodes import Assignment, OperationStatement
from roofdsl.units.dimension import DIMENSIONLESS, SECOND

TIME = "time"


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
    precision = None if selector is None else _precision(selector, scope)
    if selector is not None and precision is None:
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
    if chosen in PRECISIONS and scope.place(chosen) is None:  # itself, no name of the model
        key, chosen, precision = f"{key}.{chosen}", None, None
    return Work(key, resource, formula.tree, chosen, precision, adopted, doc, assignment.span)


def _precision(selector: Identifier, scope: Scope) -> Expression | None:
    formula = scope.formula(selector.name, selector.span)
    if formula is None:
        return None
    if formula.dimension == PRECISION:
        return formula.tree
    precisions = [n for n, other in scope.formulas().items() if other.dimension == PRECISION]
    hint = did_you_mean(selector.name, precisions)
    hint = hint or f"declare it as `param {selector.name}: precision = fp64`"
    place = Label(selector.span, f"this is {formula.dimension.describe()}")
    scope.refuse("R0308", f"'{selector.name}' is not a precision", place, hint=hint)
    return None


def operation_of(items: Iterable[object], scope: Scope) -> Operation | None:
    """Return which operation a kernel is, as one of its statements says."""
    statements = [item for item in items if isinstance(item, OperationStatement)]
    for again in statements[1:]:
        message, hint = "a kernel is one operation", "keep one `as`, or split it into steps"
        scope.refuse("R0202", message, again.span, hint=hint)
    if not statements:
        return None
    from roofdsl.model.measured import operation  # few models name one

    return operation(statements[0], scope)
