"""Requirements, bounds and kinds of parameters as conditions on the parameters without a value."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.analysis.binding import Binding
from roofdsl.expression import tree as trees
from roofdsl.expression.tree import ZERO, Expression, Number, Symbol
from roofdsl.model.limits import relations
from roofdsl.model.types import ModelDefinition, Parameter
from roofdsl.typeset.text import text as written


def conditions(model: ModelDefinition, binding: Binding) -> Iterator[tuple[str, Expression]]:
    """Yield each condition on a step's arguments, in words and as an expression."""
    for parameter in model.parameters:
        value = binding.trees.get(parameter.name)
        if value is None or not parameter.is_number:
            continue
        for relation, bound in relations(parameter):
            text = f"{model.name} requires {parameter.name} {relation} {written(bound)}"
            yield text, trees.Comparison(relation, value, binding.expand(bound))
        if isinstance(value, Number):
            continue
        if parameter.symbol.integer and not (isinstance(value, Symbol) and value.integer):
            whole = trees.Function("is_integer", (value,))
            yield f"{model.name} requires a whole {parameter.name}", whole
    for item in model.requirements:
        yield f"{model.name} requires {item.text}", binding.expand(item.condition)


def own_conditions(parameter: Parameter, binding: Binding) -> Iterator[Expression]:
    """Yield the conditions that a parameter without a value must meet: its bounds and its kind."""
    if not parameter.is_number:
        return
    for relation, bound in relations(parameter):
        yield trees.Comparison(relation, parameter.symbol, binding.expand(bound))
    if parameter.symbol.integer:
        yield trees.Function("is_integer", (parameter.symbol,))


def whole_number(count: Expression) -> Expression:
    """Return the condition that a count of repeats is a whole number, 0 or more."""
    return trees.Logic(
        "and", (trees.Function("is_integer", (count,)), trees.Comparison(">=", count, ZERO))
    )
