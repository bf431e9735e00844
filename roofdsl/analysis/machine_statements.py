"""The numbers that a machine states, each with its unit and a way to put another in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

from roofdsl.analysis.rates import bind_machine, large
from roofdsl.expression.tree import Expression
from roofdsl.model.types import (
    AROUND,
    Capacity,
    Energy,
    MachineDefinition,
    Parameter,
    Rate,
    Standing,
)
from roofdsl.model.varying import Startup
from roofdsl.units.dimension import JOULE, SECOND, Dimension

_Item = TypeVar("_Item")


class Statement(NamedTuple):
    """A number that a machine states: a formula in its own names, in SI base units.

    `put` returns the machine with another formula in its place; `owner` is that machine, or the
    device, whose names these are; `parameter` is the one that it is the default of, if any.
    """

    value: Expression
    dimension: Dimension
    put: Callable[[Expression], MachineDefinition]
    owner: MachineDefinition
    parameter: Parameter | None = None

    @property
    def formula(self) -> Expression:
        """The formula in what is open on the machine, else a number."""
        return bind_machine(self.owner)[0].expand(self.value)


def statements(machine: MachineDefinition) -> dict[str, Statement]:
    """Return the numbers that a machine and its devices state, by name: `capacity memory`.

    Names alone are left out (`let`s): what is made of them was put together when they were read.

    >>> from roofdsl.model.library import find_machine
    >>> {name: str(item.dimension) for name, item in statements(find_machine("karst")[0]).items()}
    {'flops': 'flop/s', 'memory': 'B/s', 'network': 'B/s'}
    """
    found = {**dict(_parameters(machine)), **dict(_resources(machine))}
    for name, device in machine.devices.items():
        for key, item in statements(device).items():
            put = partial(_in_device, machine, name, item.put)
            found[f"{name}.{key}"] = item._replace(put=put)
    return found


def _parameters(machine: MachineDefinition) -> Iterator[tuple[str, Statement]]:
    for item in machine.parameters:
        if item.default is not None and item.is_number and not item.name.startswith(AROUND):
            put = partial(as_default, machine, item.name)
            yield item.name, Statement(item.default, item.dimension, put, machine, item)


def _resources(machine: MachineDefinition) -> Iterator[tuple[str, Statement]]:
    for rate in machine.rates:
        if rate.value is not None:
            unit = rate.resource.dimension / SECOND
            yield (
                rate.key,
                Statement(large(rate), unit, partial(_with_rate, machine, rate), machine),
            )
    for energy in machine.energies:
        unit = JOULE / energy.resource.dimension
        put = partial(_with_energy, machine, energy)
        yield f"energy {energy.key}", Statement(energy.value, unit, put, machine)
    for start in machine.startups:
        put = partial(_with_startup, machine, start)
        yield f"startup {start.key}".strip(), Statement(start.value, SECOND, put, machine)
    for held in machine.capacities:
        put, formula = partial(_with_capacity, machine, held), held.formula
        yield f"capacity {held.key}", Statement(formula.tree, formula.dimension, put, machine)
    for each in (machine.power, machine.price):
        if each is not None:
            put, formula = partial(_with_standing, machine, each), each.formula
            yield each.name, Statement(formula.tree, formula.dimension, put, machine)


def as_default(machine: MachineDefinition, name: str, tree: Expression) -> MachineDefinition:
    """Return a machine with another default of a parameter, which its devices see, too."""
    parameters = tuple(
        item._replace(default=tree) if item.name == name else item for item in machine.parameters
    )
    devices = {
        key: as_default(device, f"{AROUND}{name}", tree) for key, device in machine.devices.items()
    }
    return replace(machine, parameters=parameters, devices=devices)


def _in_device(
    machine: MachineDefinition,
    name: str,
    put: Callable[[Expression], MachineDefinition],
    tree: Expression,
) -> MachineDefinition:
    return replace(machine, devices={**machine.devices, name: put(tree)})


def _with_rate(machine: MachineDefinition, rate: Rate, tree: Expression) -> MachineDefinition:
    # One that depends on the work goes on to do so.
    varied = rate.parameters or any(x.key == rate.key for x in machine.operation_rates)
    new = rate._replace(most=tree) if varied else rate._replace(value=tree)
    return replace(machine, rates=_swapped(machine.rates, rate, new))


def _with_energy(machine: MachineDefinition, old: Energy, tree: Expression) -> MachineDefinition:
    new = old._replace(value=tree)
    return replace(machine, energies=_swapped(machine.energies, old, new))


def _with_startup(machine: MachineDefinition, old: Startup, tree: Expression) -> MachineDefinition:
    new = old._replace(value=tree)
    return replace(machine, startups=_swapped(machine.startups, old, new))


def _with_capacity(
    machine: MachineDefinition, old: Capacity, tree: Expression
) -> MachineDefinition:
    new = old._replace(formula=old.formula._replace(tree=tree))
    return replace(machine, capacities=_swapped(machine.capacities, old, new))


def _with_standing(
    machine: MachineDefinition, old: Standing, tree: Expression
) -> MachineDefinition:
    new = old._replace(formula=old.formula._replace(tree=tree))
    return replace(machine, power=new) if old is machine.power else replace(machine, price=new)


def _swapped(items: tuple[_Item, ...], old: _Item, new: _Item) -> tuple[_Item, ...]:
    return tuple(new if item is old else item for item in items)
