"""The work of a model: what it asks of each resource."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.scope import Scope
from roofdsl.model.types import Resource, Work
from roofdsl.source import Span
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.nodes import Assignment, Identifier
from roofdsl.units.dimension import DIMENSIONLESS


def work_of(
    assignments: tuple[Assignment, ...],
    scope: Scope,
    resources: Mapping[str, Resource] = BUILT_IN,
) -> tuple[Work, ...]:
    """Return the work that assignments state; a plain number takes the resource's unit."""
    found: dict[str, Work] = {}
    for assignment in assignments:
        key = assignment.path.text
        resource = resource_of(assignment, scope, resources)
        formula = value(assignment.value, scope)
        if resource is None or formula is None:
            continue
        adopted = formula.dimension == DIMENSIONLESS and not is_zero(formula)
        if formula.dimension != resource.dimension and not (adopted or is_zero(formula)):
            span, place = assignment.value.span, assignment.path.span
            mismatch.assigned(key, formula, span, resource.dimension, place, scope)
            continue
        work = Work(key, resource, formula.tree, doc_comment(assignment.span), assignment.span)
        if key in found:
            report_twice(assignment.path.names[0], found[key].span, scope)
            continue
        found[key] = work
    return tuple(found.values())


def resource_of(
    assignment: Assignment, scope: Scope, resources: Mapping[str, Resource]
) -> Resource | None:
    """Return the resource an assignment names, or report that there is none of this name."""
    name = assignment.path.names[0]
    resource = resources.get(name.name)
    if resource is None:
        hint = did_you_mean(name.name, [*resources, *scope.names()])
        if name.name in scope.names():
            hint = f"'{name.name}' is set where it is declared, or by the one who asks"
        scope.report(
            Diagnostic(
                "R0214",
                f"there is no resource '{name.name}'",
                (Label(name.span),),
                hint or f"resources: {', '.join(resources)}; an intermediate value needs `let`",
            )
        )
    return resource


def report_twice(name: Identifier, first: Span, scope: Scope) -> None:
    """Report a resource given twice."""
    scope.report(
        Diagnostic(
            "R0202",
            f"'{name.name}' is given twice",
            (Label(name.span, "again here"), Label(first, "first here")),
            "add the two up in one formula",
        )
    )
