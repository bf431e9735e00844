"""Which resources of a machine have their times added up, and which of its flops run at once.

Flops of all units and kinds keep one part of a machine busy. Where units run at once each is a part
by itself; flops of other units keep all of them busy, so that their time adds to that of each.
"""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.analysis.kinds import asked
from roofdsl.analysis.matching import default_key
from roofdsl.model.types import MachineDefinition, Resource


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


class Sharing:
    """What parts of a machine and of its devices work keeps busy, and what these add up with."""

    def __init__(self, machines: Mapping[str | None, MachineDefinition]) -> None:
        self._machines = machines
        self._joints = {name: joints(each) for name, each in machines.items()}
        self._names: dict[tuple[str, str | None], str] = {}

    def of(
        self, resource: Resource, key: str, rate: str, device: str | None
    ) -> tuple[str, tuple[str, ...]]:
        """Return what work served by a rate keeps busy, and what joins that.

        It is called as the first work on it is: a plain name and the level that it means are one.
        """
        machine, shares = self._machines[device], resource.shares
        busy = (default_key(machine, shares) or shares) if shares else rate
        if resource.name == "flops":
            busy = unit = unit_of(rate, machine)
        else:
            unit = self._names.setdefault((busy, device), busy if shares else key)
        return unit, self.joins(busy, device)

    def joins(self, busy: str, device: str | None) -> tuple[str, ...]:
        """Return what joins a part of a machine with others."""
        whole = busy if busy.startswith("flops") else busy.partition(".")[0]
        place = "" if device is None else f"{device}."
        return tuple(
            f"{place}{'+'.join(names)}"
            for names in self._joints[device]
            if busy in names or whole in names
        )
