"""The units that a file declares: counts of their own, and so much of another unit."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.diagnostic import Reporter
from roofdsl.expression.tree import Number
from roofdsl.model.literal import literal
from roofdsl.model.scope import Scope, arrows
from roofdsl.model.types import Module
from roofdsl.source import Span
from roofdsl.syntax.nodes import UnitDeclaration
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import LARGEST_FACTOR, Unit, unit_names

_HINT = "a unit is so much of another: `unit Mtoken = 1e6 token`"


def add_units(declared: Mapping[str, UnitDeclaration], module: Module, report: Reporter) -> None:
    """Enter the units of a file into its module, those of the files it uses being there."""
    scope = Scope(report, module.units, {})
    waiting = {name: item for name, item in declared.items() if item.measure is not None}
    for name in declared:
        if name not in waiting:
            own = Unit(name, Fraction(1), Dimension.base(name))
            add_unit(own, declared[name].name.span, module, report)
    for name in list(waiting):
        _define(name, waiting, module, scope)


def add_unit(unit: Unit, place: Span, module: Module, report: Reporter) -> None:
    """Enter a unit; report, at `place`, that the module has another one of its name."""
    known = module.units.setdefault(unit.text, unit)
    if known != unit:
        scope = Scope(report, {}, {})
        message = f"the unit '{unit.text}' is not the same here as elsewhere"
        scope.refuse("R0202", message, place, hint="files that are used share their units")


def _define(name: str, waiting: dict[str, UnitDeclaration], module: Module, scope: Scope) -> None:
    """Define a unit, and before it those that it is defined by."""
    chain = [name]
    while chain:
        item = waiting.get(chain[-1])
        if item is None or item.measure is None:
            chain.pop()
            continue
        named = [part for part, _ in unit_names(item.measure.unit)]
        needed = next((part for part in named if part in waiting), None)
        if needed is None:
            del waiting[chain.pop()]
            _enter(item, module, scope)
        elif needed in chain:
            circle = arrows([*chain[chain.index(needed) :], needed])
            message = f"units are defined by each other in a circle: {circle}"
            hint = "one of them must be a count of its own: `unit name`"
            scope.refuse("R0203", message, item.measure.span, hint=hint)
            for part in chain[chain.index(needed) :]:
                del waiting[part]
            return
        else:
            chain.append(needed)


def _enter(item: UnitDeclaration, module: Module, scope: Scope) -> None:
    measure, name = item.measure, item.name.name
    assert measure is not None
    if measure.uncertainty:
        scope.refuse("R0314", f"the unit '{name}' is uncertain", measure.span, hint=_HINT)
        return
    formula = literal(measure, scope)
    if formula is None or not isinstance(formula.tree, Number):
        return
    factor = formula.tree.value
    if formula.dimension == DIMENSIONLESS:
        message = f"the unit '{name}' is a plain number"
    elif not 1 / Fraction(LARGEST_FACTOR) <= factor <= LARGEST_FACTOR:
        message = f"the unit '{name}' is too {'large' if factor else 'small'}: {measure.span.text}"
    else:
        add_unit(Unit(name, factor, formula.dimension), item.name.span, module, scope.report)
        return
    scope.refuse("R0314", message, measure.span, hint=_HINT)
