"""Build an explorer: its data, the functions it computes with, and the formulas it shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.intensity import (
    ATTAINABLE,
    INTENSITIES,
    INTENSITY_UNITS,
    axis_label,
    intensity_of,
)
from roofdsl.explorer.controls import NO_RANGES, Ranges, units
from roofdsl.explorer.formulas import Templates
from roofdsl.explorer.machines import machine
from roofdsl.explorer.models import model
from roofdsl.explorer.proven_map import MOST_MAPS
from roofdsl.model.results import own_resources
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.units.dimension import BYTE, FLOP, SECOND

_SHOWN = {**INTENSITY_UNITS, "s": SECOND, "B": BYTE, "flop": FLOP, "flop/s": FLOP / SECOND}


NO_SLIDERS: Mapping[str, Ranges] = MappingProxyType({})


class Explored(NamedTuple):
    """A model with what was asked of it: arguments, and the ends of sliders."""

    model: ModelDefinition
    arguments: Arguments
    ranges: Ranges


class Built(NamedTuple):
    """An explorer: data as JSON, tables of functions in JavaScript, formulas as HTML.

    Numbers in it are in SI base units. A formula is the place of a function in the table of its
    model or machine; those functions take the values of the `symbols` there, in that order.
    `units` are those of intensities by name, and of other numbers by their unit; `own` are the
    resources that files declare, with the unit of their work.
    """

    title: str
    json: str
    functions: str
    templates: str


def build(
    models: Sequence[Explored],
    machines: Sequence[MachineDefinition],
    done: Callable[[str], None] = lambda _: None,
    sliders: Mapping[str, Ranges] = NO_SLIDERS,
) -> Built:
    """Return the explorer of models on machines; `done` is told of each model that is ready.

    `sliders` are the ends of those of machines, by name.

    Raises RoofError where a model cannot be on a machine, or no values do (R1101).
    """
    own = own_resources(*(asked.model for asked in models))
    templates, tables = Templates(), list[str]()
    found_models, found_machines = [], []
    for item in machines:
        described, functions = machine(item, len(tables), own, sliders.get(item.name, NO_RANGES))
        found_machines.append(described)
        tables.append(functions.code())
    for number, asked in enumerate(models, 1):
        maps = number * len(machines) <= MOST_MAPS
        arguments, ranges, place = asked.arguments, asked.ranges, len(tables)
        found, functions = model(
            asked.model, machines, arguments, ranges, templates, place, maps=maps
        )
        found_models.append(found)
        tables.append(functions.code())
        done(asked.model.name)
    title = ", ".join(asked.model.name for asked in models)
    shown = {name: units(dimension) for name, dimension in _SHOWN.items()}
    shown |= {intensity_of(name): units(FLOP / unit) for name, unit in own.items()}
    resources = [{"name": name, "work": str(unit)} for name, unit in own.items()]
    labels = {name: axis_label(name) for name in INTENSITIES}
    labels |= {
        intensity_of(name): axis_label(intensity_of(name), unit) for name, unit in own.items()
    }
    data = {
        "models": found_models,
        "machines": found_machines,
        "units": shown,
        "own": resources,
        "labels": labels,
        "performance": ATTAINABLE,
    }
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return Built(title, written, ",\n".join(tables), templates.html())
