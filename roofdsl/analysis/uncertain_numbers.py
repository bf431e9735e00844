"""Numbers of parameters and `let`s that may be off, left open: each stands for itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import NamedTuple, TypeVar

from roofdsl.analysis.machine_statements import as_default
from roofdsl.expression.tree import Number, Symbol
from roofdsl.model.types import (
    AROUND,
    Definition,
    MachineDefinition,
    ModelDefinition,
    Overlap,
    Part,
    Repeat,
    Step,
)
from roofdsl.model.uncertain import Uncertain
from roofdsl.units.dimension import Dimension

_D = TypeVar("_D", bound=Definition)


class OpenNumber(NamedTuple):
    """A number that may be off, as an unknown between two ends: `karst.cores`, or a model's `eff`.

    All are in SI base units. `value` is the number as stated.
    """

    name: str
    symbol: Symbol
    low: Fraction
    high: Fraction
    value: Fraction
    dimension: Dimension


def open_numbers(
    model: ModelDefinition, machine: MachineDefinition, taken: Collection[str] = ()
) -> tuple[ModelDefinition, MachineDefinition, tuple[OpenNumber, ...]]:
    """Return a model and a machine with the numbers of their parameters and `let`s left open.

    Those of the model itself are called as there, those of the models of its steps `cg.eff`; none
    has a name that is `taken`. One number is one unknown, however often its model is called.

    >>> from roofdsl.model.library import find_machine, find_model
    >>> open_numbers(find_model("summa")[0], find_machine("karst")[0])[2]
    ()
    """
    opening = _Opening(model, taken)
    return opening.model(model), opening.machine(machine), tuple(opening.found.values())


def unused(name: str, taken: Collection[str]) -> str:
    """Return a name, with a number behind it where it is taken."""
    names = (name if again == 1 else f"{name} ({again})" for again in count(1))
    return next(each for each in names if each not in taken)


class _Opening:
    def __init__(self, model: ModelDefinition, taken: Collection[str]) -> None:
        self.found: dict[str, OpenNumber] = {}
        self._taken = {*taken}
        self._asked = model
        self._models: dict[int, ModelDefinition] = {}

    def model(self, model: ModelDefinition) -> ModelDefinition:
        """Return a model, and those of its steps, with their numbers open."""
        known = self._models.get(id(model))
        if known is None:
            front = "" if model is self._asked else f"{model.name}."
            known = _with(model, self._named(model, model.uncertain, front))
            parts = tuple(map(self._part, model.parts))
            if any(new is not old for new, old in zip(parts, model.parts, strict=True)):
                known = replace(known, parts=parts)
            self._models[id(model)] = known
        return known

    def _part(self, part: Part) -> Part:
        if isinstance(part, Step):
            model = self.model(part.model)
            return part if model is part.model else part._replace(model=model)
        parts = tuple(map(self._part, part.parts))
        if all(new is old for new, old in zip(parts, part.parts, strict=True)):
            return part
        match part:
            case Overlap():
                return part._replace(parts=parts)
            case Repeat():
                return part._replace(parts=parts)

    def machine(self, machine: MachineDefinition) -> MachineDefinition:
        """Return a machine, and its devices, with their numbers open."""
        own = self._named(machine, machine.uncertain, f"{machine.name}.")
        around = {AROUND + name: symbol for name, symbol in own.items()}
        for name, symbol in own.items():
            if any(item.name == name for item in machine.parameters):
                machine = as_default(machine, name, symbol)  # its devices see it, too
        devices: dict[str, MachineDefinition] = {}
        for key, device in machine.devices.items():
            inner = {k: x for k, x in device.uncertain.items() if not k.startswith(AROUND)}
            mine = self._named(device, inner, f"{machine.name}.{key}.")
            devices[key] = _with(device, {**around, **mine})
        opened = _with(machine, own)
        return replace(opened, devices=devices) if devices else opened

    def _named(
        self, owner: Definition, uncertain: Mapping[str, Uncertain], front: str
    ) -> dict[str, Symbol]:
        """Note the numbers of a definition, and return what they are to be called."""
        dimensions, names = owner.dimensions() if uncertain else {}, dict[str, Symbol]()
        for name, item in uncertain.items():
            assert isinstance(item.tree, Number)  # or it is open already
            # Another file, another step in place, or a rate may have one of its name.
            title = unused(f"{front}{name}", self._taken)
            self._taken.add(title)
            value = item.tree.value
            symbol = names[name] = Symbol(f"{title} ±")  # no file has such a name
            low, high = value - item.half, value + item.half
            self.found[title] = OpenNumber(title, symbol, low, high, value, dimensions[name])
        return names


def _with(definition: _D, symbols: Mapping[str, Symbol]) -> _D:
    """Return a definition in which some of its numbers are symbols."""
    if not symbols:
        return definition
    off = {
        name: item._replace(tree=symbols[name]) if name in symbols else item
        for name, item in definition.uncertain.items()
    }
    parameters = tuple(
        item._replace(default=symbols[item.name])
        if item.name in symbols and item.name in definition.uncertain
        else item
        for item in definition.parameters
    )
    return replace(definition, uncertain=off, parameters=parameters)
