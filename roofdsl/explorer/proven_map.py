"""The proven map of what binds a kernel over its first two parameters, from the start of a page."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.analysis.binding import Arguments
from roofdsl.answer.asked import ModelOnMachine, Value
from roofdsl.diagnostic import RoofError
from roofdsl.explorer.controls import Described, Ranges, slider_of
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import Expression
from roofdsl.model.precision import PRECISIONS, code
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter

MOST_MAPS = 6
"""A page has so many: each is proven in some tenths of a second."""
LEAST_SHARE = 0.99
"""Of a plane of which less is proven, the page looks at points itself."""


def proven_map(
    model: ModelDefinition,
    machine: MachineDefinition,
    start: Arguments,
    values: Mapping[str, float],
    ranges: Ranges,
) -> Described | None:
    """Return the map over the sliders of two parameters, and their names; None where none is.

    The first parameter goes upward: boundaries are formulas of it. Those of compositions take too
    long for a page.
    """
    numbers = [item for item in model.parameters if item.is_number]
    if model.parts or len(numbers) < 2:
        return None
    from roofdsl.answer.mapping import map_of  # NumPy is for maps alone

    axes = [_axis(item, values[item.name], ranges) for item in numbers[1::-1]]
    given = {
        item.name: _value(item, start[item.name][0])
        for item in model.parameters
        if item.name in start and item not in numbers[:2]
    }
    try:
        found = map_of(ModelOnMachine(model, machine), axes[0], axes[1], given)
    except RoofError:
        return None  # what binds does not depend on both, or they are not allowed all over
    if (found.share or 0.0) < LEAST_SHARE:
        return None
    return {"names": [name for name, *_ in axes], **found.plain()}


def _axis(item: Parameter, value: float, ranges: Ranges) -> tuple[str, float, float]:
    low, high, _ = slider_of(item, value, ranges.get(item.name))
    return item.name, low, high


def _value(item: Parameter, tree: Expression) -> Value:
    """Return what an argument stands for; what is none by itself, as the text of nothing."""
    value = constant(tree)
    if value is None:
        return ""
    if item.kind == "boolean":
        return bool(value)
    if item.kind == "precision":
        return next(name for name in PRECISIONS if code(name) == value)
    return value
