"""What a machine takes to start a kernel, or a resource that a kernel works on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.diagnostic import did_you_mean
from roofdsl.expression.substitute import constant
from roofdsl.model import mismatch
from roofdsl.model.elaborate import is_zero, value
from roofdsl.model.resource import report_twice, resource_named
from roofdsl.model.right_side import right_side
from roofdsl.model.scope import Scope
from roofdsl.model.types import Rate, Resource
from roofdsl.model.varying import Startup
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.nodes import Assignment, StartupStatement
from roofdsl.units.dimension import SECOND

STARTUP = "startup"
"""What a machine states, and what the time of it is charged to."""


def startups_of(
    items: Sequence[object],
    scope: Scope,
    resources: Mapping[str, Resource],
    rates: Sequence[Rate],
) -> tuple[Startup, ...]:
    """Return the start-ups that a machine states: `startup = 4 us`, `startup network = 10 us`."""
    found: dict[str, Startup] = {}
    for item in items:
        if isinstance(item, Assignment) and item.path.text == STARTUP:
            key = ""
        elif isinstance(item, StartupStatement) and _is_served(item, scope, resources, rates):
            key = item.path.text
        else:
            continue
        startup = _startup(key, item, scope)
        if startup is not None and found.setdefault(key, startup) is not startup:
            name, first = f"{STARTUP} {key}".strip(), found[key].span
            report_twice(name, item.path.span, first, "keep one of them", scope)
    return tuple(found.values())


def _is_served(
    item: StartupStatement,
    scope: Scope,
    resources: Mapping[str, Resource],
    rates: Sequence[Rate],
) -> bool:
    """Report a level that the machine has no rate for."""
    resource = resource_named(item.path, scope, resources)
    known = [rate.key for rate in rates if resource and rate.resource.name == resource.name]
    key = item.path.text
    if resource is None or key == resource.name or key in known:
        return resource is not None
    hint = did_you_mean(key, known) or f"there are {', '.join([resource.name, *known])}"
    message = f"{key} has a start-up, but no rate"
    scope.refuse("R0226", message, item.path.span, hint=hint)
    return False


def _startup(key: str, statement: Assignment | StartupStatement, scope: Scope) -> Startup | None:
    name, node = f"{STARTUP} {key}".strip(), statement.value
    found = right_side(name, node, scope, value, zero=True)
    if found is None:
        return None
    formula, uncertainty = found
    if formula.dimension != SECOND and not is_zero(formula):
        mismatch.assigned(name, formula, node.span, SECOND, statement.path.span, scope)
        return None
    fixed = constant(formula.tree)
    if fixed is not None and fixed < 0:
        scope.refuse("R0408", f"{name} is below 0", node.span, hint="a start takes 0 s or more")
        return None
    doc, span = doc_comment(statement.span), statement.span
    return Startup(key, formula.tree, doc, span, uncertainty)
