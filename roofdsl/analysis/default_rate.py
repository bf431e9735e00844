"""The rate that a plain resource means on a machine."""

from __future__ import annotations

from roofdsl.analysis.load import rate_symbol
from roofdsl.analysis.matching import default_key
from roofdsl.analysis.rates import without_limit
from roofdsl.expression.tree import Symbol
from roofdsl.model.types import MachineDefinition


def default_rate(
    machine: MachineDefinition, resource: str, device: str | None = None
) -> Symbol | None:
    """Return the symbol of the rate that a plain resource means on a machine, if it has one.

    On a device it is that of the device, or else of the machine itself.
    """
    if device is not None and (key := default_key(machine.devices[device], resource)):
        return _of_large_work(machine, key, device)
    key = default_key(machine, resource)
    return _of_large_work(machine, key) if key else None


def _of_large_work(
    machine: MachineDefinition, key: str, device: str | None = None
) -> Symbol | None:
    found = rate_symbol(machine, key, device)
    return None if found.name in without_limit(machine) else found
