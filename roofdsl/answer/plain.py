"""Answers as plain values, for JSON, which has neither infinity nor NaN, and no formulas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.tree import Expression
from roofdsl.model.types import MachineDefinition
from roofdsl.typeset.text import text
from roofdsl.units.dimension import SECOND, Dimension

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
Told: TypeAlias = Json | Expression | Dimension | Sequence["Told"] | Mapping[str, "Told"]
"""What has a plain value: formulas and units are told as texts."""
SCHEMA = 2
"""The version of `schema.json`, which says what every answer holds."""


def number(value: float | None) -> Json:
    """Return a number for JSON: infinity as "inf", what is undefined as null.

    >>> number(1.5), number(math.inf), number(math.nan)
    (1.5, 'inf', None)
    """
    if value is None or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def numbers(table: Mapping[str, float]) -> dict[str, Json]:
    """Return numbers by name for JSON."""
    if all(map(math.isfinite, table.values())):  # as nearly always: then JSON has them all
        return {**table}
    return {name: number(value) for name, value in table.items()}


def as_json(value: Told) -> Json:
    """Return a value for JSON, with all that is inside it.

    >>> as_json({"ties": ("memory", "flops"), "time": math.inf})
    {'ties': ['memory', 'flops'], 'time': 'inf'}
    """
    match value:
        case float():
            return number(value)
        case None | bool() | int() | str():
            return value
        case Dimension():
            return str(value)
        case tuple():  # found ten times as fast as any sequence
            return [as_json(item) for item in value]
        case Mapping():
            return {name: as_json(item) for name, item in value.items()}
        case Sequence():
            return [as_json(item) for item in value]
    return text(value)


def fields_of(item: object, *names: str) -> dict[str, Json]:
    """Return some fields of a record for JSON, under their own names."""
    return {name: as_json(getattr(item, name)) for name in names}


def opening(answer: str) -> dict[str, Json]:
    """Return what every answer begins with: the version of the schema, and the kind of answer."""
    return {"schema": SCHEMA, "answer": answer}


def answered(
    answer: str,
    prediction: Prediction,
    own: Mapping[str, Json],
    sections: Mapping[str, Mapping[str, Dimension]],
) -> dict[str, Json]:
    """Return an answer of one prediction: what it is of, its own values, its notes, and units.

    `sections` are the units of its own numbers, by section and name.
    """
    return {
        **opening(answer),
        "model": prediction.model.name,
        "machine": prediction.machine.name,
        "params": settings(prediction),
        "tied": tied(prediction),
        **own,
        "notes": list(prediction.notes),
        "units": units({"params": parameter_units(prediction), **sections}),
    }


def settings(prediction: Prediction) -> dict[str, Json]:
    """Return the parameters that have a value."""
    binding, parameters = prediction.binding, prediction.model.parameters
    return {p.name: binding.setting(p) for p in parameters if p.name in binding.values}


def tied(prediction: Prediction) -> dict[str, Json]:
    """Return the parameters that follow from what is open, as formulas."""
    values, trees = prediction.binding.values, prediction.binding.trees
    names = (p.name for p in prediction.model.parameters)
    return {name: text(trees[name]) for name in names if name in trees and name not in values}


def units(sections: Mapping[str, Mapping[str, Dimension]]) -> dict[str, Json]:
    """Return the units of the numbers in each section, by name; "1" for plain numbers."""
    return {
        section: {name: str(dimension) for name, dimension in names.items()}
        for section, names in sections.items()
    }


def parameter_units(prediction: Prediction) -> dict[str, Dimension]:
    """Return the unit of each parameter that is a number."""
    return {p.name: p.dimension for p in prediction.model.parameters if p.is_number}


def rate_units(machines: Iterable[MachineDefinition]) -> dict[str, Dimension]:
    """Return the unit of each rate of machines, those of their devices among them."""
    found: dict[str, Dimension] = {}
    for machine in machines:
        for name, device in (("", machine), *machine.devices.items()):
            for rate in device.rates:
                key = f"{name}.{rate.key}" if name else rate.key
                found[key] = rate.resource.dimension / SECOND
    return found
