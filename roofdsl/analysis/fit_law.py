"""How times combine on a machine that is to be fitted, and what it has to say of that."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from roofdsl.analysis.links import NETWORK
from roofdsl.analysis.rates import has_limit
from roofdsl.model.types import MachineDefinition

Law: TypeAlias = Literal["written", "apart", "sum"]
"""As the machine says; or communication apart from all else; or nothing overlaps."""
LAWS: tuple[Law, ...] = ("written", "apart", "sum")
MEANING: dict[Law, str] = {
    "written": "as the machine says what overlaps",
    "apart": "communication overlaps nothing",
    "sum": "nothing overlaps",
}


def serial_of(machine: MachineDefinition, law: Law) -> tuple[tuple[str, ...], ...]:
    """Return what a machine has to name as `serial` for a law to be its own; () for its own.

    >>> from roofdsl.model.library import find_machine
    >>> karst = find_machine("karst")[0]
    >>> serial_of(karst, "sum"), serial_of(karst, "apart")
    ((('flops', 'memory', 'network'),), (('network', 'flops'), ('network', 'memory')))
    """
    if law == "written":
        return ()
    names: dict[str, None] = {}
    for rate in machine.rates:
        own = rate.resource
        shared = own.shares is not None or not has_limit(rate)
        if not shared:
            whole = law == "sum" or own.name in ("flops", NETWORK)
            names.setdefault(own.name if whole else rate.key)
    if law == "sum":
        return (tuple(names),) if len(names) > 1 else ()
    others = [name for name in names if name != NETWORK]
    return tuple((NETWORK, name) for name in others) if NETWORK in names else ()


def laws_of(machine: MachineDefinition) -> tuple[Law, ...]:
    """Return the laws that differ on a machine; one that says itself what is serial has its own."""
    if machine.serial or machine.concurrent or machine.devices:
        return ("written",)
    found: list[Law] = ["written"]
    for law in LAWS[1:]:
        if serial_of(machine, law) and not _is_known(machine, law, found):
            found.append(law)
    return tuple(found)


def _is_known(machine: MachineDefinition, law: Law, found: list[Law]) -> bool:
    wanted = {frozenset(names) for names in serial_of(machine, law)}
    return any({frozenset(x) for x in serial_of(machine, other)} == wanted for other in found)


def under(machine: MachineDefinition, law: Law) -> MachineDefinition:
    """Return a machine that combines times by a law."""
    return replace(machine, serial=(*machine.serial, *serial_of(machine, law)))
