"""Rates that depend on the work of a kernel, or on the arguments of an operation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.diagnostic import did_you_mean
from roofdsl.expression.tree import Symbol
from roofdsl.model.elaborate import value
from roofdsl.model.rate import per_second
from roofdsl.model.resource import report_twice, resource_named
from roofdsl.model.scope import Scope, within
from roofdsl.model.types import Formula, Rate, Resource
from roofdsl.model.varying import OperationRate, argument
from roofdsl.source import Span
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import Identifier
from roofdsl.syntax.nodes import Assignment, RateStatement


def rate_of_work(
    statement: RateStatement, resource: Resource, scope: Scope, resources: Mapping[str, Resource]
) -> Rate | None:
    """Return a rate by the work that it serves, `w`, and by that on other resources, by name."""
    given = arguments_of_work(statement.parameters, resource, scope, resources)
    formula = given and value(statement.value, within(scope, given))
    speed = formula and per_second(formula, statement, resource, scope)
    if not (given and speed):
        return None
    tree, inverse = speed
    key, doc = statement.path.text, doc_comment(statement.span)
    return Rate(key, resource, tree, None, inverse, doc, statement.span, tuple(given))


def arguments_of_work(
    parameters: Sequence[Identifier],
    resource: Resource,
    scope: Scope,
    resources: Mapping[str, Resource],
) -> dict[str, Formula] | None:
    """Return what a rate or a table depends on: the work on its resource, then that on others."""
    work, *others = parameters
    given = {work.name: Formula(Symbol(argument(0)), resource.dimension)}
    for place, name in enumerate(others, 1):
        if name.name not in resources or name.name in given:
            what = "there is no resource" if name.name not in resources else "there are two"
            hint = did_you_mean(name.name, resources) or (
                f"behind `{work.name}`, the work at this rate, stand resources of the kernel: "
                f"{', '.join(resources)}"
            )
            scope.refuse("R0214", f"{what} '{name.name}'", name.span, hint=hint)
            return None
        symbol = Symbol(argument(place), positive=False)
        given[name.name] = Formula(symbol, resources[name.name].dimension)
    return given


def operation_rates_of(
    statements: Sequence[Assignment | RateStatement],
    scope: Scope,
    resources: Mapping[str, Resource],
    rates: Sequence[Rate],
) -> tuple[OperationRate, ...]:
    """Return the rates that operations have of their own: `flops.matrix as gemm(m, n, k) = …`."""
    found: dict[str, OperationRate] = {}
    for statement in statements:
        if isinstance(statement, RateStatement) and statement.operation is not None:
            rate = _of_operation(statement, statement.operation, scope, resources)
            place = statement.path.span
            if rate is None or not has_a_roof(rate.name, rate.key, place, rates, scope):
                continue
            first = found.setdefault(rate.name, rate)
            if first is not rate:
                report_twice(rate.name, statement.path.span, first.span, "keep one of them", scope)
    return tuple(found.values())


def _of_operation(
    statement: RateStatement,
    operation: Identifier,
    scope: Scope,
    resources: Mapping[str, Resource],
) -> OperationRate | None:
    resource = resource_named(statement.path, scope, resources)
    given: dict[str, Formula] = {}
    for place, name in enumerate(statement.parameters):
        if name.name in given:
            hint = "an argument has a name of its own"
            scope.refuse("R0202", f"'{name.name}' is given twice", name.span, hint=hint)
            return None
        given[name.name] = Formula(Symbol(argument(place), positive=False))
    formula = value(statement.value, within(scope, given))
    speed = resource and formula and per_second(formula, statement, resource, scope)
    if not speed:
        return None
    key, doc = statement.path.text, doc_comment(statement.span)
    return OperationRate(key, operation.name, tuple(given), speed[0], doc, statement.span)


def has_a_roof(name: str, key: str, place: Span, rates: Sequence[Rate], scope: Scope) -> bool:
    """Report a rate of its own, or a table, on what the machine has no limited rate for."""
    if any(each.key == key and each.value is not None for each in rates):
        return True
    message = f"{name} has a rate, but {key} has none for all else"
    if name == key:
        message = f"{key} is measured, but has no rate"
    hint = f"state `{key} = …` too: it is the roof, and serves other work"
    scope.refuse("R0226", message, place, hint=hint)
    return False
