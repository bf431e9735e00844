"""What models and machines have in common: parameters, `let`s, requirements, sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from roofdsl.expression.tree import Expression
from roofdsl.model import mismatch, types
from roofdsl.model.elaborate import truth, value
from roofdsl.model.literal import unit_at
from roofdsl.model.own_functions import check, define
from roofdsl.model.parameter import parameter
from roofdsl.model.replaced import Replacement, fixes, let_given, parameter_given
from roofdsl.model.resource import report_twice, resource_named
from roofdsl.model.right_side import off_by, right_side, uncertain_number
from roofdsl.model.scope import Scope, defined_twice
from roofdsl.model.uncertain import Uncertain
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.names import names_used
from roofdsl.units.dimension import DIMENSIONLESS

_Statement = TypeVar("_Statement")
NOTHING_REPLACED: Mapping[str, Sequence[Replacement]] = MappingProxyType({})
NOTHING_FIXED: Mapping[str, types.Parameter] = MappingProxyType({})


class Body:
    """The common statements of a model or machine, whose names enter a scope at once.

    What they state is resolved when it is asked for; other statements are passed over. `names` is
    where the names enter, if not in the scope itself; `replaced` holds what some of them are given
    instead of their own values, `fixed` the parameters that a `let` here takes the place of.
    """

    def __init__(
        self,
        items: Sequence[object],
        scope: Scope,
        names: Scope | None = None,
        replaced: Mapping[str, Sequence[Replacement]] = NOTHING_REPLACED,
        fixed: Mapping[str, types.Parameter] = NOTHING_FIXED,
    ) -> None:
        self.scope = scope
        self._names = names or scope
        self._replaced = replaced
        self._fixed = fixed
        self._items = items
        self._parameters: list[nodes.ParameterStatement] = []
        self._lets: list[nodes.LetStatement] = []
        self._functions: dict[str, Span] = {}
        self._built: dict[str, types.Parameter] = {}
        self._uncertain: dict[str, Uncertain] = {}
        for item in items:
            self._declare(item)

    def _declare(self, item: object) -> None:
        match item:
            case nodes.ParameterStatement(name=name):
                resolve, needs = lambda: self._parameter(item), lambda: _names_in(item)
                if self._names.declare(name, resolve, needs):
                    self._parameters.append(item)
            case nodes.LetStatement(name=name):
                value = partial(self._let, item)
                if self._names.declare(name, value, lambda: names_used(item.value)):
                    self._lets.append(item)
            case nodes.FunctionDeclaration(name=name):
                first = self._functions.setdefault(name.name, name.span)
                if first is not name.span:
                    self.scope.report(defined_twice(name, first))
                else:
                    define(item, self.scope.functions, self.scope.units, self.scope.report)

    def _of(self, kind: type[_Statement]) -> Iterator[_Statement]:
        return (item for item in self._items if isinstance(item, kind))

    def sources(self) -> tuple[str, ...]:
        return tuple(statement.text.value for statement in self._of(nodes.SourceStatement))

    def parameters(self) -> tuple[types.Parameter, ...]:
        check(self._functions, self.scope.functions, self.scope.report)
        names = [statement.name for statement in self._parameters]
        for name in names:
            self.scope.formula(name.name, name.span)
        return tuple(self._built[name.name] for name in names if name.name in self._built)

    def intermediates(self) -> tuple[types.Intermediate, ...]:
        found: list[types.Intermediate] = []
        for statement in self._lets:
            name, span = statement.name, statement.span
            formula = self.scope.formula(name.name, name.span)
            if formula is not None:
                doc, replaced = doc_comment(span), self._replaced.get(name.name)
                place = replaced[-1].span if replaced else span
                found.append(types.Intermediate(name.name, formula, doc, place))
        return tuple(found)

    def uncertain(self) -> dict[str, Uncertain]:
        """Return the numbers that may be off, of the parameters and `let`s asked for before."""
        return self._uncertain

    def requirements(self) -> tuple[types.Requirement, ...]:
        found: list[types.Requirement] = []
        for statement in self._of(nodes.RequireStatement):
            condition, span = truth(statement.condition, self.scope), statement.condition.span
            if condition is not None:
                found.append(types.Requirement(condition, " ".join(span.text.split()), span))
        return tuple(found)

    def tallies(self) -> tuple[types.Tally, ...]:
        found: list[types.Tally] = []
        places: dict[str, Span] = {}
        for statement in self._of(nodes.TallyStatement):
            name, place = statement.name, statement.unit.span
            first = self.scope.place(name.name) or places.setdefault(name.name, name.span)
            if first is not name.span:
                self.scope.report(defined_twice(name, first))
                continue
            unit = unit_at(statement.unit.name, place, self.scope)
            formula, span = value(statement.value, self.scope), statement.value.span
            if unit is None or formula is None:
                continue
            if formula.dimension not in (unit[1], DIMENSIONLESS):
                mismatch.assigned(f"'{name.name}'", formula, span, unit[1], place, self.scope)
                continue
            doc, adopted = doc_comment(statement.span), types.Formula(formula.tree, unit[1])
            found.append(types.Tally(name.name, adopted, doc, statement.span))
        return tuple(found)

    def capacities(self, resources: Mapping[str, types.Resource]) -> tuple[types.Capacity, ...]:
        found: list[types.Capacity] = []
        places: dict[str, Span] = {}
        for statement in self._of(nodes.CapacityStatement):
            key, place = statement.path.text, statement.path.span
            first = places.setdefault(key, place)
            if first is not place:
                report_twice(f"capacity {key}", place, first, "keep one of them", self.scope)
                continue
            resource = resource_named(statement.path, self.scope, resources)
            found_there = right_side(f"capacity {key}", statement.value, self.scope, value)
            if resource is None or found_there is None:
                continue
            (formula, off), span = found_there, statement.value.span
            wanted = resource.dimension
            if formula.dimension != wanted:
                target = f"the capacity of {key}"
                mismatch.assigned(target, formula, span, wanted, place, self.scope)
                continue
            found.append(types.Capacity(key, formula, statement.span, off))
        return tuple(found)

    def _parameter(self, statement: nodes.ParameterStatement) -> types.Formula | None:
        built, off = parameter(statement, self.scope), off_by(statement.default)
        for new in self._replaced.get(statement.name.name, ()):
            built = None if built is None else parameter_given(built, new)
            off = off if isinstance(new.value, Fraction) else off_by(new.value)
        if built is None:
            return None
        self._built[built.name] = built
        self._note(built.name, built.default, off)
        return built.formula

    def _let(self, statement: nodes.LetStatement) -> types.Formula | None:
        name = statement.name
        found = right_side(f"'{name.name}'", statement.value, self.scope)
        formula, off = found or (None, None)
        parameter = self._fixed.get(name.name)
        if formula is not None and parameter is not None:
            place = statement.value.span
            suits = fixes(parameter, formula, place, self.scope)
            formula = formula._replace(dimension=parameter.dimension) if suits else None
        for new in self._replaced.get(name.name, ()):
            formula = None if formula is None else let_given(name.name, name.span, formula, new)
            off = off if isinstance(new.value, Fraction) else off_by(new.value)
        noted = self._note(name.name, formula.tree, off) if formula is not None else None
        return formula if noted is None else formula and formula._replace(tree=noted.symbol)

    def _note(
        self, name: str, value: Expression | None, off: Expression | None
    ) -> Uncertain | None:
        """Note a number that may be off, and return it."""
        found = uncertain_number(name, value, off, self._names)
        if found is not None:
            self._uncertain[name] = found
        return found


def _names_in(statement: nodes.ParameterStatement) -> list[str]:
    bounds = statement.kind.bounds if statement.kind else None
    found = [statement.default, *((bounds.low, bounds.high) if bounds else ())]
    return [name for node in found if node is not None for name in names_used(node)]
