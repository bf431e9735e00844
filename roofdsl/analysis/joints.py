"""Which resources of a machine have their times added up, and which of its flops run at once.

Flops of all units and kinds keep one part of a machine busy. Where units run at once each is a part
by itself; flops of other units keep all of them busy, so that their time adds to that of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.kinds import asked
from roofdsl.analysis.links import BETWEEN, NETWORK, is_node
from roofdsl.analysis.load import Load
from roofdsl.analysis.matching import default_key
from roofdsl.analysis.node import Node, walk, with_loads
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.model.types import MachineDefinition, Resource


def joints(machine: MachineDefinition) -> tuple[tuple[str, ...], ...]:
    """Return the resources, levels and units that add up, of a machine by itself."""
    units, found = machine.concurrent, list[tuple[str, ...]]()
    for names in machine.serial:
        found += [(*names, unit) for unit in units] if units and "flops" in names else [names]
    if not any("flops" in names for names in machine.serial):
        found += [("flops", unit) for unit in units]
    return tuple(dict.fromkeys(found))


def rates_of(machine: MachineDefinition, resource: str) -> list[str]:
    """Return the rates of a resource on a machine."""
    return [rate.key for rate in machine.rates if rate.resource.name == resource]


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
        self.by_count = any(map(is_node, machines.values()))
        """Whether the number of processes chooses a link."""

    def of(
        self,
        resource: Resource,
        key: str,
        rate: str,
        device: str | None,
        sends: str | None,
    ) -> tuple[str, tuple[str, ...]]:
        """Return what work served by a rate keeps busy, and what joins that.

        It is called as the first work on it is: a plain name and the level that it means are one.
        `sends` is the link that a kernel names itself, or on which its step is placed.
        """
        machine, shares, busy = self._machines[device], resource.shares, rate
        if shares == NETWORK and sends and machine.rate(sends):
            busy = sends
        elif shares:
            key = shares
            busy = default_key(machine, key) or key
        if resource.name == "flops":
            busy = unit = unit_of(rate, machine)
        else:
            if shares and not (key == NETWORK and is_node(machine)):  # by which link is not said
                key = busy
            unit = self._names.setdefault((busy, device), key)
        return unit, self.joins(busy, device)

    def named(self, root: Node) -> Node:
        """Return a tree in which what several links serve is not called as the first of them."""
        machines = self._machines.values()
        if not any(len(rates_of(each, NETWORK)) > 1 for each in machines):
            return root
        found: dict[tuple[str | None, str], set[str]] = {}
        for node in walk(root):
            for load in node.loads:
                if load.resource.name == NETWORK and load.unit != NETWORK:
                    found.setdefault((load.device, load.unit), set()).add(load.served)
        several = {place for place, rates in found.items() if rates != {place[1]}}
        if not several:
            return root

        def change(load: Load) -> Load:
            return replace(load, unit=NETWORK) if (load.device, load.unit) in several else load

        return with_loads(root, change)

    def clashes(self, root: Node) -> list[Diagnostic]:
        """Return the problem that an overlap sends by one link as plain `network` and by its name.

        Plain `network` keeps one part of a machine busy, whichever link the number of processes
        chooses, a link that is named another: side by side the times of one link would not add up.
        """
        nodes = walk(root) if self.by_count else ()
        for overlap in (node for node in nodes if node.arrangement == "overlap"):
            loads = [load for node in walk(overlap) for load in node.loads]
            sent = [load for load in loads if load.served == BETWEEN and not is_zero(load.work)]
            named = {load.device: load for load in sent if load.unit in ("", BETWEEN)}
            plain = {load.device: load for load in sent if load.unit not in ("", BETWEEN)}
            for device in plain:
                if device in named:
                    return [_clash(plain[device], named[device])]
        return []

    def joins(self, busy: str, device: str | None) -> tuple[str, ...]:
        """Return what joins a part of a machine with others."""
        whole = busy if busy.startswith("flops") else busy.partition(".")[0]
        place = "" if device is None else f"{device}."
        return tuple(
            f"{place}{'+'.join(names)}"
            for names in self._joints[device]
            if busy in names or whole in names
        )


class Parts(NamedTuple):
    """What was placed of a model by its calls, which another placing on the machine takes over."""

    sharing: Sharing
    placed: dict[object, Node]


def _clash(plain: Load, named: Load) -> Diagnostic:
    message = f"beside work on {BETWEEN} stands work on plain network, which goes by it too"
    labels = (
        Label(plain.stated.span, "plain network"),
        Label(named.stated.span, "the link by its name"),
    )
    hint = f"place the step of the plain one: `step … on {BETWEEN}`"
    return Diagnostic("R0510", message, labels, hint)
