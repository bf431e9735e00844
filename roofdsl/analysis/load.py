"""Work on one resource, and the rate that serves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from roofdsl.analysis.intensity import is_zero
from roofdsl.expression.construct import add, divide, minimum, multiply
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model.types import MachineDefinition, Resource, Work


@dataclass(frozen=True, eq=False, repr=False)  # no slots: names are put together once
class Load:
    """One resource of a kernel: its work, and the symbol of the rate that serves it.

    `rate` is None where the machine's rate is unlimited, or where no work needs one. `device` is
    the device whose resource it is, None where it is the machine's own. `spent` is its time where
    that was measured rather than follows from a rate; `roof` is the rate that bounds it even then.
    `counted` says whether it is part of the model's work on the resource, see `counting`. `unit` is
    what it keeps busy where that was named before: plain `memory` and the level that it means; or
    the unit of flops, where units run at once. `joins` names what its time adds up in with that of
    other resources. `energy` is that of a unit of it, None where the machine states none.

    `rate` is that of large work, `served` its name on the machine or device. Where it depends on
    the work, `needed` is the work that takes as long at that rate. `start` is the time [s] of the
    resource's start-up, None where it has none.
    """

    key: str
    resource: Resource
    work: Expression
    rate: Symbol | None
    stated: Work
    device: str | None = None
    spent: Expression | None = None
    roof: Symbol | None = None
    counted: bool = True
    unit: str = ""
    energy: Symbol | None = None
    served: str = ""
    needed: Expression | None = None
    start: Expression | None = None
    joins: tuple[str, ...] = ()

    @property
    def time(self) -> Expression:
        if self.spent is not None:
            return self.spent
        work = self.work if self.needed is None else self.needed
        spent = ZERO if self.rate is None else divide(work, self.rate)
        return spent if self.start is None else add(self.start, spent)

    @property
    def follows(self) -> bool:
        """Whether its time is work / rate."""
        return self.spent is None and self.needed is None and self.start is None

    @cached_property
    def name(self) -> str:
        """The resource with its level and device: `gpu.memory.L2`."""
        return self.key if self.device is None else f"{self.device}.{self.key}"

    @cached_property
    def group(self) -> str:
        """Name of the time it adds to: one for all flops, that of what it shares, or its own."""
        one = "flops" if self.resource.name == "flops" else self.key
        group = self.unit or self.resource.shares or one
        return group if self.device is None else f"{self.device}.{group}"


def rate_symbol(machine: MachineDefinition, key: str, device: str | None = None) -> Symbol:
    """Return the symbol of a machine's rate: `karst.network`, `i7_titan.gpu.flops`."""
    place = machine.name if device is None else f"{machine.name}.{device}"
    return Symbol(f"{place}.{key}", integer=False, positive=True)


def rate_key(symbol: str) -> str:
    """Return the name of a rate on its machine from that of its symbol: `memory.DRAM`, `gpu.flops`.

    >>> rate_key("i7_titan.gpu.flops")
    'gpu.flops'
    """
    return symbol.split(".", 1)[1]


def grouped(loads: tuple[Load, ...]) -> dict[str, tuple[Load, ...]]:
    """Return loads by their `group`: times in a group add up, the groups overlap one another."""
    found: dict[str, tuple[Load, ...]] = {}
    for load in loads:
        found[load.group] = (*found.get(load.group, ()), load)
    return found


def merged(loads: Iterable[Load]) -> list[Load]:
    """Return loads, those of one name added up: `flops[a]` and `flops[b]` of one precision."""
    found: dict[str, Load] = {}
    for load in loads:
        first = found.setdefault(load.name, load)
        if first is not load:
            found[load.name] = replace(first, work=add(first.work, load.work))
    return [*found.values()]


def lowest_roof(groups: Iterable[Iterable[Load]], flops: Expression) -> Expression:
    """Return the smallest of the peak and of each other resource's rate × flops / work."""
    roofs: list[Expression] = []
    for loads in groups:
        limited = [load for load in loads if not is_zero(load.time)]
        if len(limited) == 1 and limited[0].rate is not None and limited[0].follows:
            share = ONE if limited[0].group == "flops" else divide(flops, limited[0].work)
            roofs.append(multiply(limited[0].rate, share))
        elif limited:
            roofs.append(divide(flops, add(*(load.time for load in limited))))
    return minimum(*roofs)
