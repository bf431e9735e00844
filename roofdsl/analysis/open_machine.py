"""Machines whose parameters without a value are left open, for answers in formulas."""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.conditions import own_conditions
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown, unknown_named
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition, Parameter


def left_open(machine: MachineDefinition) -> MachineDefinition:
    """Return a machine whose parameters without a default stand for themselves: `box.bw`.

    Their names begin with that of the machine, as those of its rates do, so that a model's
    parameters can be told from them.
    """
    parameters = tuple(
        replaced if (replaced := _opened(machine, item)) is not None else item
        for item in machine.parameters
    )
    return replace(machine, parameters=parameters)


def _opened(machine: MachineDefinition, parameter: Parameter) -> Parameter | None:
    if parameter.default is not None or not parameter.is_number:
        return None
    return parameter._replace(default=_symbol(machine, parameter))


def _symbol(machine: MachineDefinition, parameter: Parameter) -> Symbol:
    name = f"{machine.name}.{parameter.name}"
    return Symbol(name, parameter.symbol.integer, parameter.symbol.positive)


def open_unknowns(prediction: Prediction) -> list[Unknown]:
    """Return all numbers that a prediction leaves open: of the model, then of the machine."""
    model, machine = prediction.model, prediction.machine
    found = [unknown_named(item.name, model, machine) for item in prediction.free if item.is_number]
    for item in machine.parameters:
        symbol = _symbol(machine, item)
        if item.default == symbol:
            own = item._replace(name=symbol.name, symbol=symbol)
            found.append(Unknown(symbol, item.dimension, symbol.integer, own))
    return found


def open_domain(prediction: Prediction, unknown: Unknown) -> Domain:
    """Return the values that an open number of a model or of its machine may take."""
    domain, parameter = domain_of(prediction, unknown), unknown.parameter
    if parameter is None or parameter in prediction.free:
        return domain
    conditions = tuple(own_conditions(parameter, prediction.machine_binding))
    return replace(domain, conditions=conditions)
