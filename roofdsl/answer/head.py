"""What answers as plain values begin with: the schema, the kind of answer, what it is of, units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.plain import Json
from roofdsl.answer.titles import notes_of
from roofdsl.model.types import MachineDefinition
from roofdsl.typeset.text import text
from roofdsl.units.dimension import SECOND, Dimension

SCHEMA = 2
"""The version of `schema.json`, which says what every answer holds."""


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
        "notes": [*notes_of(prediction)],
        "units": units({"params": parameter_units(prediction), **sections}),
    }


def settings(prediction: Prediction) -> dict[str, Json]:
    """Return what the machine has of several values, and the parameters that have a value."""
    binding, parameters = prediction.binding, prediction.model.parameters
    own = {p.name: binding.setting(p) for p in parameters if p.name in binding.values}
    varied = {name: item.value for name, item in prediction.varied.items()}
    return {**{key: int(x) if x.is_integer() else x for key, x in varied.items()}, **own}


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
