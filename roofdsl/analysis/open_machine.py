"""Machines with values left open, for answers in formulas: those that have none, and others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from roofdsl.analysis.binding import bind
from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.machine_statements import Statement, statements
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.rates import large
from roofdsl.analysis.unknown import Unknown, unknown_named
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import constant, free_symbols
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.model.types import AROUND, MachineDefinition, ModelDefinition, Parameter


def left_open(machine: MachineDefinition) -> MachineDefinition:
    """Return a machine whose parameters without a default stand for themselves: `box.bw`.

    Their names begin with that of the machine, as those of its rates do, so that a model's
    parameters can be told from them.
    """
    parameters = tuple(
        item._replace(default=_symbol(machine, item))
        if item.default is None and item.is_number
        else item
        for item in machine.parameters
    )
    opened = {item.name: item.default for item in parameters}
    devices = {
        name: replace(device, parameters=tuple(_inside(x, opened) for x in device.parameters))
        for name, device in machine.devices.items()
    }
    return replace(machine, parameters=parameters, devices=devices)


def _inside(parameter: Parameter, opened: Mapping[str, Expression | None]) -> Parameter:
    """Return a parameter of a device; one of the machine around it is as open as it is there."""
    if parameter.default is None and parameter.name.startswith(AROUND):
        return parameter._replace(default=opened[parameter.name.removeprefix(AROUND)])
    return parameter


def _symbol(machine: MachineDefinition, parameter: Parameter) -> Symbol:
    name = f"{machine.name}.{parameter.name}"
    return Symbol(name, parameter.symbol.integer, parameter.symbol.positive)


def opened(machine: MachineDefinition, keys: Iterable[str]) -> MachineDefinition:
    """Return a machine in which values that it states stand for themselves, and are parameters.

    `box.ranks`, `box.capacity.memory`: each is as open as a parameter without a default.
    """
    for key in keys:
        stated = statements(machine)[key]
        asked = _asked(machine, key, stated)
        symbol = _symbol(machine, asked)
        machine = stated.put(symbol)
        if stated.parameter is None or asked.name != stated.parameter.name:
            own = asked._replace(default=symbol)
            machine = replace(machine, parameters=(*machine.parameters, own))
    return machine


def _asked(machine: MachineDefinition, key: str, stated: Statement) -> Parameter:
    """Return the parameter that something a machine states is, where it is asked for."""
    name, own, span = key.replace(" ", "."), stated.parameter, machine.span
    if own is not None:
        if own.name == key:
            return own
        symbol = replace(own.symbol, name=name)  # its device has its bounds
        return own._replace(name=name, symbol=symbol, kind="real", low=None, high=None)
    # An energy may be 0, and so may what is drawn or paid all the time.
    positive = key in {rate.key for rate in machine.rates}
    symbol, unit = Symbol(name, integer=False, positive=positive), stated.dimension
    return Parameter(
        name, "real", unit, str(unit), ZERO, None, positive, None, "", "", span, symbol
    )


def machine_parameter(machine: MachineDefinition, key: str) -> Parameter:
    """Return what a machine states as a parameter of a question: `box.ranks`."""
    stated, name = statements(machine).get(key), f"{machine.name}.{key.replace(' ', '.')}"
    own = next((item for item in machine.parameters if item.name == key), None)
    if stated is not None:
        own = _asked(machine, key, stated)
    if own is not None:
        return own._replace(name=name, symbol=replace(own.symbol, name=name))
    unit, span = machine.dimensions()[key], machine.span  # a `let`
    symbol = Symbol(name, positive=False)
    return Parameter(name, "real", unit, str(unit), None, None, False, None, "", "", span, symbol)


def stated_key(name: str, model: ModelDefinition, machine: MachineDefinition) -> str | None:
    """Return which of the numbers that a machine states a name means, if it means one.

    `box.ranks`, or `ranks` where the model has no such parameter.
    """
    if any(parameter.name == name for parameter in model.parameters):
        return None
    own = name.removeprefix(f"{machine.name}.")
    known = {key.replace(" ", "."): key for key in statements(machine)}
    return known.get(own.replace(" ", "."))


def asked_on(
    name: str, model: ModelDefinition, machine: MachineDefinition, *, closed: bool = False
) -> tuple[MachineDefinition, Unknown]:
    """Return a machine with the unknown of a name left open on it, and the unknown.

    It may be what the machine states with a value: a parameter, a capacity, an energy, a price.
    What has no value is left open, too, unless it is to be `closed`. Raises RoofError as
    `unknown_on` does.
    """
    machine = machine if closed else left_open(machine)
    key = stated_key(name, model, machine)
    if key is None or _is_rate(machine, key):
        return machine, unknown_on(name, model, machine)
    stated = statements(machine)[key]
    value = constant(stated.formula)
    there = opened(machine, [key])
    unknown = unknown_on(f"{machine.name}.{key.replace(' ', '.')}", model, there)
    return there, unknown._replace(rate=value)


def _is_rate(machine: MachineDefinition, key: str) -> bool:
    first, _, inner = key.partition(".")
    device = machine.devices.get(first)
    return machine.rate(key) is not None or bool(device and device.rate(inner))


def unknown_on(name: str, model: ModelDefinition, machine: MachineDefinition) -> Unknown:
    """Return the unknown of a name, also of an open parameter of the machine, `box.bw`.

    Raises RoofError as `unknown_named` does, and for a rate that follows from what is open (R0701).
    """
    opened = {each.name: each for each in _of_machine(machine)}
    if name in opened:
        return opened[name]
    unknown = unknown_named(name, model, machine)
    if unknown.parameter is None and unknown.rate is None:
        from_open = _follows(unknown, machine, opened)
        if from_open:
            message = f"{unknown.name} follows from {from_open}, which has no value"
            hint = f"ask for it instead: {from_open}"
            raise RoofError([Diagnostic("R0701", message, hint=hint)])
    return unknown


def _follows(
    unknown: Unknown, machine: MachineDefinition, opened: Mapping[str, Unknown]
) -> str | None:
    """Return the open parameter that a rate follows from, if there is one."""
    key = unknown.name.removeprefix(f"{machine.name}.")
    first, _, inner = key.partition(".")
    holder, level = (machine.devices[first], inner) if first in machine.devices else (machine, key)
    binding, _ = bind(holder, {})
    rate = next(each for each in holder.rates if each.key == level)
    names = (symbol.name for symbol in free_symbols(binding.expand(large(rate))))
    return next((name for name in names if name in opened), None)


def open_unknowns(prediction: Prediction) -> list[Unknown]:
    """Return all numbers that a prediction leaves open: of the model, then of the machine."""
    model, machine = prediction.model, prediction.machine
    found = [unknown_named(item.name, model, machine) for item in prediction.free if item.is_number]
    return [*found, *_of_machine(machine)]


def _of_machine(machine: MachineDefinition) -> Iterator[Unknown]:
    for item in machine.parameters:
        symbol = _symbol(machine, item)
        if item.default == symbol:
            own = item._replace(name=symbol.name, symbol=symbol)
            yield Unknown(symbol, item.dimension, symbol.integer, own, None, machine.own_units)


def open_domain(prediction: Prediction, unknown: Unknown) -> Domain:
    """Return the values that an open number of a model or of its machine may take."""
    domain, parameter = domain_of(prediction, unknown), unknown.parameter
    if parameter is None or parameter in prediction.free:
        return domain
    known = domain.conditions  # those of the machine among them
    own = (x for x in own_conditions(parameter, prediction.machine_binding) if x not in known)
    return replace(domain, conditions=(*known, *own))
