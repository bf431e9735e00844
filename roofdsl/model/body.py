"""What models and machines have in common: parameters, `let`s, requirements, sources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from roofdsl.diagnostic import Report
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, truth, value
from roofdsl.model.literal import unit_at
from roofdsl.model.own_functions import check, define
from roofdsl.model.parameter import parameter
from roofdsl.model.resource import report_twice, resource_named
from roofdsl.model.scope import Scope, defined_twice
from roofdsl.model.types import (
    Capacity,
    Formula,
    FunctionDefinition,
    Intermediate,
    Parameter,
    Requirement,
    Resource,
    Tally,
)
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.names import names_used
from roofdsl.units.dimension import DIMENSIONLESS, Dimension


class Body:
    """Collects the common statements of a model or machine; `finish` resolves them in order."""

    def __init__(
        self,
        report: Report,
        units: dict[str, Dimension],
        functions: Mapping[str, FunctionDefinition],
    ) -> None:
        self.scope = Scope(report, units, dict(functions))
        self.report = report
        self._parameters: list[nodes.ParameterStatement] = []
        self._lets: list[nodes.LetStatement] = []
        self._requirements: list[nodes.RequireStatement] = []
        self._tallies: list[nodes.TallyStatement] = []
        self._capacities: list[nodes.CapacityStatement] = []
        self._sources: list[str] = []
        self._functions: dict[str, Span] = {}
        self._built: dict[str, Parameter] = {}

    def take(self, item: object) -> bool:
        """Take a statement if it is one of the common ones; return whether it was."""
        match item:
            case nodes.ParameterStatement(name=name):
                if self.scope.declare(name, lambda: self._parameter(item), lambda: _names_in(item)):
                    self._parameters.append(item)
            case nodes.LetStatement(name=name):
                resolve = partial(elaborate, item.value, self.scope)
                if self.scope.declare(name, resolve, lambda: names_used(item.value)):
                    self._lets.append(item)
            case nodes.RequireStatement():
                self._requirements.append(item)
            case nodes.SourceStatement(text=text):
                self._sources.append(text.value)
            case nodes.FunctionDeclaration(name=name):
                first = self._functions.setdefault(name.name, name.span)
                if first is not name.span:
                    self.report(defined_twice(name, first))
                else:
                    define(item, self.scope.functions, self.scope.units, self.report)
            case nodes.TallyStatement():
                self._tallies.append(item)
            case nodes.CapacityStatement():
                self._capacities.append(item)
            case _:
                return False
        return True

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self._sources)

    def parameters(self) -> tuple[Parameter, ...]:
        check(self._functions, self.scope.functions, self.report)
        for statement in self._parameters:
            self.scope.formula(statement.name.name, statement.name.span)
        names = [statement.name.name for statement in self._parameters]
        return tuple(self._built[name] for name in names if name in self._built)

    def intermediates(self) -> tuple[Intermediate, ...]:
        found: list[Intermediate] = []
        for statement in self._lets:
            formula = self.scope.formula(statement.name.name, statement.name.span)
            if formula is not None:
                doc = doc_comment(statement.span)
                found.append(Intermediate(statement.name.name, formula, doc, statement.span))
        return tuple(found)

    def requirements(self) -> tuple[Requirement, ...]:
        found: list[Requirement] = []
        for statement in self._requirements:
            condition = truth(statement.condition, self.scope)
            if condition is not None:
                span = statement.condition.span
                found.append(Requirement(condition, " ".join(span.text.split()), span))
        return tuple(found)

    def tallies(self) -> tuple[Tally, ...]:
        found: list[Tally] = []
        places: dict[str, Span] = {}
        for statement in self._tallies:
            name = statement.name
            first = self.scope.place(name.name) or places.setdefault(name.name, name.span)
            if first is not name.span:
                self.report(defined_twice(name, first))
                continue
            unit = unit_at(statement.unit.name, statement.unit.span, self.scope)
            formula = value(statement.value, self.scope)
            if unit is None or formula is None:
                continue
            adopted = formula.dimension == DIMENSIONLESS
            if formula.dimension != unit[1] and not adopted:
                target, place = f"'{statement.name.name}'", statement.unit.span
                span = statement.value.span
                mismatch.assigned(target, formula, span, unit[1], place, self.scope)
                continue
            doc = doc_comment(statement.span)
            found.append(
                Tally(statement.name.name, Formula(formula.tree, unit[1]), doc, statement.span)
            )
        return tuple(found)

    def capacities(self, resources: Mapping[str, Resource]) -> tuple[Capacity, ...]:
        found: list[Capacity] = []
        places: dict[str, Span] = {}
        for statement in self._capacities:
            key, span = statement.path.text, statement.path.span
            first = places.setdefault(key, span)
            if first is not span:
                report_twice(f"capacity {key}", span, first, "keep one of them", self.scope)
                continue
            resource = resource_named(statement.path, self.scope, resources)
            formula = value(statement.value, self.scope)
            if resource is None or formula is None:
                continue
            if formula.dimension != resource.dimension:
                target, place = f"the capacity of {statement.path.text}", statement.path.span
                span, wanted = statement.value.span, resource.dimension
                mismatch.assigned(target, formula, span, wanted, place, self.scope)
                continue
            found.append(Capacity(statement.path.text, formula, statement.span))
        return tuple(found)

    def _parameter(self, statement: nodes.ParameterStatement) -> Formula | None:
        built = parameter(statement, self.scope)
        if built is None:
            return None
        self._built[built.name] = built
        return Formula(built.symbol, built.dimension, truth=built.kind == "boolean")


def _names_in(statement: nodes.ParameterStatement) -> list[str]:
    bounds = statement.kind.bounds if statement.kind else None
    written = [statement.default, *((bounds.low, bounds.high) if bounds else ())]
    return [name for node in written if node is not None for name in names_used(node)]
