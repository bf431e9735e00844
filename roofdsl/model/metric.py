"""Metrics: what a model works out of its results, once these are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean, listing
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Symbol
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, is_zero
from roofdsl.model.literal import unit_at
from roofdsl.model.results import BOUND_KIND, RESULTS, named_result, own_resources
from roofdsl.model.scope import Scope, defined_twice
from roofdsl.model.tally import steps_in, tallies_of
from roofdsl.model.types import (
    Formula,
    FunctionDefinition,
    MachineDefinition,
    Metric,
    ModelDefinition,
    Resource,
)
from roofdsl.source import Span
from roofdsl.syntax import expressions, nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import ExpressionSyntax, Member, NameUse, ungrouped
from roofdsl.syntax.names import names_used
from roofdsl.units.dimension import SECOND, Dimension
from roofdsl.units.unit import OwnUnits

_MACHINE = "machine"
_NO_RESOURCE = ("startup", "wait", "time")
"""What may be the bound besides resources: a stated time is one."""


def _symbol(name: str) -> Symbol:
    return Symbol(name, integer=False, positive=False)


def dotted_names(node: ExpressionSyntax) -> list[str] | None:
    """Return dotted names: `decode.attention.time`, `machine.capacity.memory`."""
    match ungrouped(node):
        case NameUse(name=name):
            return [name]
        case expressions.MachineValue(name=name):
            return [_MACHINE, name.name]
        case Member(value=value, name=name):
            before = dotted_names(value)
            return None if before is None else [*before, name.name]
    return None


def bound_asked(names: Sequence[str]) -> int:
    """Return how many of dotted names ask for a bound at their end: 2 for its kind, 0 for none."""
    asked = BOUND_KIND.split(".")
    return next((n for n in (2, 1) if [*names[-n:]] == asked[:n]), 0)


class MetricScope(Scope):
    """The names of a metric: those of the model, its results, those of its steps, the machine's.

    A model's own name is meant where a result has the same.
    """

    def __init__(
        self,
        model: ModelDefinition,
        report: Reporter,
        units: OwnUnits,
        functions: dict[str, FunctionDefinition],
        machine: Mapping[str, Dimension],
        resources: Collection[str] = (),
    ) -> None:
        names = {name: Formula(_symbol(name), unit) for name, unit in RESULTS.items()}
        own = own_resources(model)
        names |= {name: Formula(_symbol(name), unit) for name, unit in own.items()}
        names |= {name: Formula(_symbol(name), unit) for name, unit in tallies_of(model).items()}
        names |= {parameter.name: parameter.formula for parameter in model.parameters}
        names |= {item.name: item.formula for item in model.intermediates}
        names |= {item.name: item.formula for item in model.metrics}
        if "price" in machine:
            names["cost"] = Formula(_symbol("cost"), machine["price"] * SECOND)
        super().__init__(report, units, functions, given=names)
        self.model = model
        self._machine = machine
        self._resources = resources

    def special(self, node: ExpressionSyntax) -> Formula | None:
        names = dotted_names(node)
        if names is None:
            hint = "results are asked by dotted names: `step.time`, `machine.memory`"
            value = ungrouped(node.value) if isinstance(node, Member) else node
            if isinstance(value, expressions.NumberLiteral) and "/" in value.unit:
                hint = "a unit goes on to the next space: write ` / ` where it ends"
            self.refuse(
                "R0210", f"`{node.span.text}` cannot be used in a formula", node.span, hint=hint
            )
            return None
        if names[0] == _MACHINE:
            return self._of_machine(".".join(names[1:]))
        found = named_result(self.model, names)
        if found is None:
            self._no_result(names, node)
        return found

    def tested(self, node: expressions.IsTest) -> Formula | None:
        """Return whether a bound is something: `bound is memory`, `rows.bound.kind is …`."""
        names = dotted_names(ungrouped(node.value))
        if names is None or not (of := bound_asked(names)):
            return super().tested(node)
        if len(names) > of and named_result(self.model, [*names[:-of], "time"]) is None:
            self._no_result(names, node.value)
            return None
        bound = node.path.text
        # Behind a dot stand the machine's own names; before it may be a device.
        if self._resources and "." not in bound and bound not in (*self._resources, *_NO_RESOURCE):
            known = [*self._resources, *_NO_RESOURCE]
            hint = did_you_mean(bound, known) or f"resources: {', '.join(self._resources)}"
            self.refuse("R0214", f"there is no resource '{bound}'", node.path.span, hint=hint)
            return None
        return Formula(_symbol(f"{'.'.join(names)} is {node.path.text}"), truth=True)

    def _of_machine(self, name: str) -> Formula:
        return Formula(_symbol(f"{_MACHINE}.{name}"), self._machine_unit(name))

    def _machine_unit(self, name: str) -> Dimension:
        known = self._machine.get(name)
        if known is not None:
            return known
        first, _, rest = name.partition(".")
        if first == "capacity" and rest.partition(".")[0] in self._machine:
            return self._machine[rest.partition(".")[0]] * SECOND
        return self._machine.get(first, Dimension.unknown(f"{_MACHINE}.{name}"))

    def _no_result(self, names: Sequence[str], node: ExpressionSyntax) -> None:
        text = ".".join(names)
        steps = [step.name for step in steps_in(self.model.parts)]
        hint = did_you_mean(names[0], steps)
        if hint is None:
            hint = f"its steps are {listing(steps)}" if steps else "it has no steps"
        if names[0] in steps:
            hint = f"a step has {listing(RESULTS)}, and its model's own names"
        if bound_asked(names):
            hint = f"a bound is tested with `is`: `{text} is flops`"
        message = f"`{text}` is no result of '{self.model.name}' or of its steps"
        self.refuse("R0201", message, node.span, hint=hint)

    def _unknown(self, name: str, use: Span) -> None:
        if name == "bound":
            hint = "a bound is tested with `is`: `bound is memory`"
            self.refuse("R0201", "a bound is or is not a resource", use, hint=hint)
        else:
            super()._unknown(name, use)


def metrics_of(
    statements: Sequence[nodes.MetricStatement],
    model: ModelDefinition,
    scope: Scope,
    resources: Mapping[str, Resource],
) -> tuple[Metric, ...]:
    """Return the metrics that statements describe; report what is wrong with them.

    `model` has all but its metrics, `scope` its names.
    """
    rates = {name: resource.dimension / SECOND for name, resource in resources.items()}
    inner = MetricScope(model, scope.report, scope.units, scope.functions, rates, resources)
    taken = tallies_of(model)
    declared: list[nodes.MetricStatement] = []
    for statement in statements:
        name = statement.name
        first = scope.place(name.name)
        if name.name in RESULTS or name.name == "bound":
            message = f"'{name.name}' is a result of every prediction; a metric needs another name"
            scope.refuse("R0218", message, name.span, hint="choose another name")
        elif first is not None:
            scope.report(defined_twice(name, first))
        elif name.name in taken:
            message = f"'{name.name}' is a tally already"
            scope.refuse("R0202", message, name.span, hint="rename one of them")
        elif inner.declare(
            name,
            partial(_formula, statement, inner),
            partial(names_used, statement.value),
        ):
            declared.append(statement)
    found = [(each, inner.formula(each.name.name, each.name.span)) for each in declared]
    return tuple(
        Metric(
            statement.name.name,
            formula,
            doc_comment(statement.span),
            statement.span,
            _factor(statement, scope),
            statement,
            scope.functions,
            scope.units,
        )
        for statement, formula in found
        if formula is not None
    )


def _factor(statement: nodes.MetricStatement, scope: Scope) -> Fraction:
    unit = statement.unit and unit_at(statement.unit.name, statement.unit.span, scope)
    return unit[0] if unit else Fraction(1)


def _formula(statement: nodes.MetricStatement, scope: MetricScope) -> Formula | None:
    formula, place = elaborate(statement.value, scope), statement.value.span
    if formula is None:
        return None
    if statement.unit is None:
        if not formula.dimension.is_known:
            _unit_unknown(statement, scope)
            return None
        return formula
    unit = unit_at(statement.unit.name, statement.unit.span, scope)
    if unit is None:
        return None
    if formula.truth:
        mismatch.not_a_number(place, scope)
        return None
    if formula.dimension.is_known and formula.dimension != unit[1] and not is_zero(formula):
        target = f"'{statement.name.name}'"
        mismatch.assigned(target, formula, place, unit[1], statement.unit.span, scope)
        return None
    return formula._replace(dimension=unit[1])


def _unit_unknown(statement: nodes.MetricStatement, scope: MetricScope) -> None:
    asked = (
        "cost" if "cost" in names_used(statement.value) else mismatch.excerpt(statement.value.span)
    )
    name = statement.name.name
    message = f"only the machine knows the unit of `{asked}`"
    hint = f"say it: `metric {name}: UNIT = …`; it is then checked for each machine"
    scope.refuse("R0312", message, statement.value.span, hint=hint)


def misfits(model: ModelDefinition, machine: MachineDefinition) -> list[Diagnostic]:
    """Return what is wrong with the metrics of a model on a machine whose values have units."""
    asking = [each for each in model.metrics if _asks_machine(each)]
    found = [_misfit(metric, model, machine) for metric in asking]
    return [each for each in found if each is not None]


def _asks_machine(metric: Metric) -> bool:
    names = (symbol.name.split(".") for symbol in free_symbols(metric.formula.tree))
    return any(parts[0] == _MACHINE or parts[-1] == "cost" for parts in names)


def _misfit(
    metric: Metric, model: ModelDefinition, machine: MachineDefinition
) -> Diagnostic | None:
    """Return what is wrong with the unit of a metric where a machine's own values make it another.

    Only metrics that ask the machine for what no other states can differ.
    """
    place, problems = metric.statement.value, list[Diagnostic]()
    scope = MetricScope(model, problems.append, metric.units, metric.functions, machine.units())
    formula = elaborate(place, scope)
    wanted = metric.formula.dimension
    labels = (Label(place.span), Label(machine.span, "the machine"))
    hint = "state the machine's own values in units that fit"
    if formula is None:
        reason = problems[0].message
        message = f"'{metric.name}' does not fit '{machine.name}': {reason}"
        return Diagnostic("R0313", message, labels, hint)
    given = formula.dimension
    if given == wanted or not given.is_known or is_zero(formula):
        return None
    message = f"'{metric.name}' is in {wanted}, but on '{machine.name}' it is in {given}"
    return Diagnostic("R0313", message, labels, hint)
