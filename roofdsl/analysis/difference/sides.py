"""One of two models that are compared, and what stands for its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from roofdsl.analysis.binding import arguments_of, bind
from roofdsl.analysis.difference.change import Side, differing
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Comparison, Expression, Function, Symbol
from roofdsl.model.limits import relations
from roofdsl.model.precision import size_symbol
from roofdsl.model.types import ModelDefinition, Step

ModelSide: TypeAlias = Side[ModelDefinition]


def free_sides(
    old: ModelDefinition, new: ModelDefinition, renamed: Mapping[str, str] | None = None
) -> tuple[ModelSide, ModelSide]:
    """Return two models with their parameters left open, those of one name being one symbol.

    Where a parameter is whole or positive on one side only, that is not made use of.
    """
    names = renamed or {}
    before = {parameter.name: parameter.symbol for parameter in old.parameters}
    after = {parameter.name: parameter.symbol for parameter in new.parameters}
    one: dict[str, Expression] = {**old.numbers}
    other: dict[str, Expression] = {**new.numbers}
    for name, symbol in before.items():
        match = names.get(name, name)
        if match in after:
            integer = symbol.integer and after[match].integer
            common = Symbol(name, integer, symbol.positive and after[match].positive)
            one[name] = other[match] = common
            if match != name:
                other[size_symbol(match)] = Symbol(size_symbol(name))
    return Side(old, one), Side(new, other)


def renamed_parameters(old: ModelDefinition, new: ModelDefinition) -> dict[str, str]:
    """Return parameters that may have got another name alone: alike, and at the same place."""
    names = {p.name for p in old.parameters}, {p.name for p in new.parameters}
    if len(old.parameters) != len(new.parameters):
        return {}
    pairs = [
        (before, after)
        for before, after in zip(old.parameters, new.parameters, strict=True)
        if before.name != after.name
    ]
    renamed = {before.name: after.name for before, after in pairs}
    one, other = free_sides(old, new, renamed)
    alike = all(
        before.name not in names[1]
        and after.name not in names[0]
        and not differing(before, after, one, other)
        for before, after in pairs
    )
    return renamed if alike else {}


def called_side(step: Step, side: ModelSide) -> ModelSide:
    """Return the model of a step with its arguments put in."""
    binding, _ = bind(step.model, arguments_of(step, side.values), from_outside=True)
    return Side(step.model, binding.trees)


def conditions(side: ModelSide) -> list[Expression]:
    """Return what the values of a model's parameters must hold to, and its requirements."""
    found = [side.expand(item.condition) for item in side.definition.requirements]
    for parameter in side.definition.parameters:
        value = side.values.get(parameter.name, parameter.symbol)
        if parameter.symbol.integer:
            found.append(Function("is_integer", (value,)))
        for relation, bound in relations(parameter):
            found.append(Comparison(relation, value, side.expand(bound)))
    return found


def processes(side: ModelSide) -> Expression | None:
    """Return how many processes take part in a model, None where no parameter counts them."""
    counts = [p for p in side.definition.parameters if p.kind == "processes"]
    return multiply(*(side.values.get(p.name, p.symbol) for p in counts)) if counts else None
