"""Which resources of a machine have their times added up, and which of its flops run at once.

Flops of all units and kinds keep one part of a machine busy. Where units run at once each is a part
by itself; flops of other units keep all of them busy, so that their time adds to that of each.
"""

from __future__ import annotations

from roofdsl.analysis.kinds import asked
from roofdsl.model.types import MachineDefinition


def joints(machine: MachineDefinition) -> tuple[tuple[str, ...], ...]:
    """Return the resources, levels and units that add up, of a machine by itself."""
    units, found = machine.concurrent, list[tuple[str, ...]]()
    for names in machine.serial:
        found += [(*names, unit) for unit in units] if units and "flops" in names else [names]
    if not any("flops" in names for names in machine.serial):
        found += [("flops", unit) for unit in units]
    return tuple(dict.fromkeys(found))


def unit_of(rate: str, machine: MachineDefinition) -> str:
    """Return what flops at a rate keep busy: `flops`, or the unit where that runs beside others."""
    unit = f"flops.{asked(rate, machine).unit}" if "." in rate else ""
    return unit if unit in machine.concurrent else "flops"
