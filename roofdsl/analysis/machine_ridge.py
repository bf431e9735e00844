"""The ridge points of a machine alone, its parameters at their defaults."""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.default_rate import default_rate
from roofdsl.analysis.intensity import own_units
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.rates import machine_rates
from roofdsl.analysis.ridge import Ridge, ridge_of
from roofdsl.analysis.spending import machine_balances
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition
from roofdsl.units.dimension import Dimension


def machine_ridge(machine: MachineDefinition) -> Ridge:
    """Return the ridge points of a machine with its parameters at their defaults."""
    rates = plain_rates(machine)
    energy, effective = machine_balances(machine, rates)
    ridge = ridge_of((*rates.items(),), (*machine_own(machine).items(),))
    return replace(ridge, energy=energy, effective=effective)


def plain_rates(machine: MachineDefinition) -> dict[str, float | None]:
    """Return the rates that plain resources mean on a machine, None where it has none."""
    rates, roofs = machine_rates(machine), machine_roofs(machine).items()
    return {
        name: None if symbol is None else rates.get(rate_key(symbol.name)) for name, symbol in roofs
    }


def machine_own(machine: MachineDefinition) -> dict[str, Dimension]:
    """Return the resources that files declare and a machine has rates for, with their units."""
    return own_units(rate.resource for rate in machine.rates)


def machine_roofs(machine: MachineDefinition) -> dict[str, Symbol | None]:
    """Return the rates that flops, memory, network and resources of one's own mean on a machine."""
    names = ("flops", "memory", "network", *machine_own(machine))
    return {name: default_rate(machine, name) for name in names}
