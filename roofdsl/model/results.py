"""The results of a prediction by name, with their units: what metrics and tests may ask for."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.expression.tree import Symbol
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.tally import models_in, steps_in, tallies_of
from roofdsl.model.types import Formula, ModelDefinition
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, FLOP, JOULE, SECOND, Dimension

INTENSITY_UNITS: dict[str, Dimension] = {
    "OI": FLOP / BYTE,
    "CAI": FLOP / BYTE,
    "MI": DIMENSIONLESS,
}
QUANTITIES: dict[str, Dimension] = {
    "flops": FLOP,
    "memory": BYTE,
    "network": BYTE,
    **INTENSITY_UNITS,
    "time": SECOND,
    "attainable": FLOP / SECOND,
}
"""The numbers that every result has, with their units."""
RESULTS: dict[str, Dimension] = {
    **QUANTITIES,
    "energy": JOULE,
    "power": JOULE / SECOND,
    "cost": Dimension.unknown("cost"),
}
"""What a result may have besides its own names; only the machine knows the unit of a cost."""
OF_STEPS = ("count", "share")
"""What only the steps of a prediction have: how often one runs, and its part of the time."""
BOUND_KIND = "bound.kind"
"""The kind of work on the bound that takes most of its time."""
_RIDGES = {**{f"ridge.{name}": unit for name, unit in INTENSITY_UNITS.items()}}
_RIDGES["ridge.energy.OI"] = FLOP / BYTE


def named_result(model: ModelDefinition, names: Sequence[str]) -> Formula | None:
    """Return the name of what dotted names ask of a model, with its unit; None for nothing.

    Before a dot a name is a step, whose own names are its model's.
    """
    text, inner, rest = ".".join(names), model, [*names]
    while len(rest) > 1:
        step = next((x for x in steps_in(inner.parts) if x.name == rest[0]), None)
        if step is None:
            break
        of_step = rest[1:] == ["count"] or rest[1:] == ["share"]
        if of_step and own_name(step.model, rest[1]) is None:
            return Formula(_symbol(text), DIMENSIONLESS)
        inner, rest = step.model, rest[1:]
    found = own_name(inner, rest[0]) if len(rest) == 1 else None
    if found is not None:
        return found._replace(tree=_symbol(text))
    unit = _result(inner, rest[0]) if len(rest) == 1 else _dotted(inner, rest)
    return None if unit is None else Formula(_symbol(text), unit)


def _result(model: ModelDefinition, name: str) -> Dimension | None:
    return RESULTS.get(name) or own_resources(model).get(name)


def own_name(model: ModelDefinition, name: str) -> Formula | None:
    """Return what a model itself calls so: a parameter, `let`, metric, or a tally of its steps."""
    for parameter in model.parameters:
        if parameter.name == name:
            return parameter.formula
    named = {item.name: item.formula for item in model.intermediates}
    named |= {item.name: item.formula for item in model.metrics}
    if name in named:
        return named[name]
    unit = tallies_of(model).get(name)
    return None if unit is None else Formula(_symbol(name), unit)


def _dotted(model: ModelDefinition, names: Sequence[str]) -> Dimension | None:
    first, text = names[0], ".".join(names)
    if text in _RIDGES:
        return _RIDGES[text]
    if first in ("ridge", "intensity") and text != "intensity.flops":
        balances = names[1:-1] in ([], ["energy"], ["effective"]) if first == "ridge" else True
        unit = resources_of(model).get(names[-1])
        known = unit if first == "intensity" else own_resources(model).get(names[-1])
        return FLOP / known if known is not None and balances else None
    if first == "time":
        return SECOND
    if first == "energy":
        return JOULE
    if first == "total":
        return resources_of(model).get(names[1]) if len(names) == 2 else None
    units = [resources_of(model)[name] for name in names[:2] if name in resources_of(model)]
    return units[0] if units else None


def own_resources(*models: ModelDefinition) -> dict[str, Dimension]:
    """Return the units of the resources that files declare and models or their steps work on."""
    return {name: unit for name, unit in resources_of(*models).items() if name not in BUILT_IN}


def resources_of(*models: ModelDefinition) -> dict[str, Dimension]:
    """Return the units of the resources that models or their steps work on."""
    found = {name: QUANTITIES[name] for name in ("flops", "memory", "network")}
    works = (work for each in models_in(models) for work in each.work)
    return found | {work.resource.name: work.resource.dimension for work in works}


def _symbol(name: str) -> Symbol:
    return Symbol(name, integer=False, positive=False)
