"""The ridge points of a machine alone, its parameters at their defaults."""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.intensity import own_units
from roofdsl.analysis.prediction import default_rate
from roofdsl.analysis.result import machine_rates
from roofdsl.analysis.ridge import Ridge, ridge_of
from roofdsl.analysis.spending import machine_balances
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition
from roofdsl.units.dimension import Dimension


def machine_ridge(machine: MachineDefinition) -> Ridge:
    """Return the ridge points of a machine with its parameters at their defaults."""
    rates = machine_rates(machine)
    roofs = tuple(
        (name, None if symbol is None else rates.get(symbol.name.partition(".")[2]))
        for name, symbol in machine_roofs(machine).items()
    )
    energy, effective = machine_balances(machine, dict(roofs))
    ridge = ridge_of(roofs, (*machine_own(machine).items(),))
    return replace(ridge, energy=energy, effective=effective)


def machine_own(machine: MachineDefinition) -> dict[str, Dimension]:
    """Return the resources that files declare and a machine has rates for, with their units."""
    return own_units(rate.resource for rate in machine.rates)


def machine_roofs(machine: MachineDefinition) -> dict[str, Symbol | None]:
    """Return the rates that flops, memory, network and resources of one's own mean on a machine."""
    names = ("flops", "memory", "network", *machine_own(machine))
    return {name: default_rate(machine, name) for name in names}
