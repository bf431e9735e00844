"""What a model means without a machine: its work, and what is made of that and of its values.

A machine that is as fast as can be has a rate for all that the model asks for; of a prediction on
it the times mean nothing, and the rest is what it is on every machine that serves all this work.
"""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Symbol
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.results import OF_STEPS, QUANTITIES, own_name
from roofdsl.model.tally import models_in, steps_in
from roofdsl.model.types import MachineDefinition, ModelDefinition, Rate
from roofdsl.units.dimension import Dimension

_NETWORK = "network"
_OF_MACHINES = (
    "time",
    "attainable",
    "bound",
    "energy",
    "power",
    "cost",
    "machine",
    "ridge",
    "fits",
)
_OF_MEMORY = ("memory", "OI", "MI", "total.memory", "intensity.memory")


def unlimited(model: ModelDefinition) -> MachineDefinition:
    """Return a machine without a name or a limit, which serves all that a model works on."""
    found = {name: item for name, item in BUILT_IN.items() if name in ("flops", "memory", _NETWORK)}
    places = set[str]()
    for each in models_in([model]):
        for work in each.work:
            if work.resource.name != "flops":  # the plain rate serves every kind
                found |= {work.resource.name: work.resource, work.key: work.resource}
        places |= {step.device for step in steps_in(each.parts) if step.device is not None}
    links = {place for place in places if place.partition(".")[0] == _NETWORK}
    found |= dict.fromkeys(links, BUILT_IN[_NETWORK])
    rates = tuple(
        Rate(key, resource, None, None, False, "", model.span) for key, resource in found.items()
    )
    machine = MachineDefinition(
        name="",
        doc="",
        span=model.span,
        rates=rates,
        defaults={},
        devices={},
        tables={},
        capacities=(),
    )
    device = replace(machine, rates=())  # what a device lacks, the machine does
    return replace(machine, devices={place.partition(".")[0]: device for place in places - links})


def without_defaults_of_machines(model: ModelDefinition) -> ModelDefinition:
    """Return a model whose parameters have no value where that is by default the machine's."""
    parameters = tuple(
        each._replace(default=None)
        if isinstance(each.default, Symbol) and each.default.name.startswith("machine.")
        else each
        for each in model.parameters
    )
    return replace(model, parameters=parameters)


def needs_machine(model: ModelDefinition, name: str, *, own_first: bool = False) -> bool:
    """Whether a result by this name is another one on another machine.

    Of several levels of memory, the machine says which counts where the model does not.
    `own_first`: of the model's own that is called as a result is, that is meant, as metrics do.
    """
    names, inner = name.split("."), model
    while len(names) > 1:
        step = next((each for each in steps_in(inner.parts) if each.name == names[0]), None)
        if step is None:
            break
        if names[1:] in [[each] for each in OF_STEPS] and own_name(step.model, names[1]) is None:
            return names[1] == "share"
        inner, names = step.model, names[1:]
    metric = next((each for each in inner.metrics if [each.name] == names), None)
    if metric is not None:
        used = free_symbols(metric.formula.tree)
        return any(needs_machine(inner, symbol.name, own_first=True) for symbol in used)
    own = len(names) == 1 and own_name(inner, names[0]) is not None
    if own and (own_first or names[0] not in (*QUANTITIES, "bound")):
        return False
    rest = ".".join(names)
    if rest in _OF_MEMORY and any(map(_has_levels_alone, models_in([inner]))):
        return True
    return names[0].partition(" is ")[0] in _OF_MACHINES or " is " in rest


def _has_levels_alone(model: ModelDefinition) -> bool:
    levels = {work.key for work in model.work if work.resource.name == "memory"}
    return len(levels) > 1 and "memory" not in levels


def _told_of_all(prediction: Prediction) -> list[str]:
    """Return of what it is known what all processes do, though the busiest of them may do some."""
    told = prediction.together
    if not any(map(is_zero, told.values())):
        return [*told]
    opened = prediction.opened(decided=True).together
    return [name for name, total in told.items() if name in opened or not is_zero(total)]


def named_without_machine(prediction: Prediction) -> dict[str, dict[str, Dimension]]:
    """Return the names of what no machine changes, with their units, by what they are."""
    model = prediction.model
    loads = {load.name: load.resource.dimension for load in prediction.loads}
    works = dict[str, Dimension]()
    for resource in dict.fromkeys(load.resource.name for load in prediction.loads):
        kinds = [load.name for load in prediction.loads if load.resource.name == resource]
        works |= {name: loads[name] for name in kinds}
        if len(kinds) > 1 and resource in QUANTITIES:  # and their sum
            works[resource] = QUANTITIES[resource]
    sections = {
        "work of one process": works,
        "intensities": {} if prediction.is_mix else prediction.intensity_units,
        "work of all processes": {
            f"total.{name}": each.resource.dimension
            for name in _told_of_all(prediction)
            for each in prediction.loads
            if name in (each.name, each.resource.name)
        },
        "tallies": {item.name: item.dimension for item in prediction.tallies()},
        "lets": {
            item.name: item.formula.dimension
            for item in model.intermediates
            if not item.formula.truth
        },
        "metrics": {item.name: item.formula.dimension for item in model.metrics},
    }
    return {
        section: {name: unit for name, unit in names.items() if not needs_machine(model, name)}
        for section, names in sections.items()
    }
