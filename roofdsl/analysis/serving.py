"""How a machine serves all the work of one kernel: rates that depend on it, start-ups of resources.

Work that one rate serves is taken together, and so is what one start-up is of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias, TypeVar

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.load import Load
from roofdsl.analysis.measuring import Lookup, Measuring
from roofdsl.analysis.node import Site, Start
from roofdsl.analysis.rates import varies
from roofdsl.analysis.starting import where_working
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.construct import add
from roofdsl.expression.tree import ONE, ZERO, Expression
from roofdsl.model.startup import STARTUP
from roofdsl.model.types import MachineDefinition
from roofdsl.model.varying import MeasuredTable, Operation, OperationRate
from roofdsl.source import Span

Places: TypeAlias = Mapping[str | None, tuple[MachineDefinition, Binding]]
"""A machine and its devices by name, itself under None, each with its parameters bound."""


Key = TypeVar("Key", bound=tuple[str | None, ...])


def as_served(
    loads: Sequence[Load], places: Places, site: Site, tables: Measuring
) -> tuple[Load, ...]:
    """Return a kernel's loads with what they need at rates of large work, and with start-ups."""
    found = [*loads]
    machines = [places[load.device][0] for load in loads]
    by_rate = _together(found, [(load.device, load.served) for load in loads])
    for (device, key), members in by_rate.items():
        if found[members[0]].rate is None:
            continue
        work = add(*(found[place].work for place in members))
        served = _Served(places[device], key, work, found[members[0]].stated.span, loads, site)
        spent, needed = served.spent(tables), None
        if spent is None:
            needed = served.needed(tables.problems.append)
        # What is served together takes its time together: all of it stands at the first.
        for place in members:
            rate = found[place].rate if spent is None else None
            found[place] = replace(found[place], rate=rate, spent=spent, needed=needed)
            spent, needed = spent and ZERO, needed and ZERO
    startups = [
        machine.startup(load.served or load.key) or machine.startup(load.resource.name)
        for load, machine in zip(loads, machines, strict=True)
    ]
    by_startup = _together(
        found,
        [
            (load.device, load.group, stated.key) if stated else None
            for load, stated in zip(loads, startups, strict=True)
        ],
    )
    for members in by_startup.values():
        first = members[0]
        stated, (_, binding) = startups[first], places[loads[first].device]
        assert stated is not None
        works = [loads[place].work for place in members]
        start = where_working(works, binding.expand(stated.value))
        if not is_zero(start):
            found[first] = replace(found[first], start=start)
    return tuple(found)


def start_of(loads: Sequence[Load], places: Places, device: str | None) -> Start | None:
    """Return what a kernel takes to start: as its device has it, or where that says nothing, all.

    None where that is nothing; what was measured has its start in it.
    """
    if any(load.resource.name == "flops" and load.spent is not None for load in loads):
        return None
    for place in dict.fromkeys((device, None)):
        machine, binding = places[place]
        stated = machine.startup()
        if stated is not None:
            time = where_working([load.work for load in loads], binding.expand(stated.value))
            name = STARTUP if place is None else f"{place}.{STARTUP}"
            return None if is_zero(time) else Start(name, time, stated.span)
    return None


def _together(loads: Sequence[Load], keys: Sequence[Key | None]) -> dict[Key, list[int]]:
    """Return the places of loads of one key; those that were measured are left out."""
    found: dict[Key, list[int]] = {}
    for place, (load, key) in enumerate(zip(loads, keys, strict=True)):
        if key is not None and load.spent is None:
            found.setdefault(key, []).append(place)
    return found


class _Served(NamedTuple):
    """The work of a kernel that one rate serves; `span` is where it is first stated.

    `loads` are all of the kernel.
    """

    place: tuple[MachineDefinition, Binding]
    key: str
    work: Expression
    span: Span
    loads: Sequence[Load]
    site: Site

    def spent(self, tables: Measuring) -> Expression | None:
        """Return the time that was measured of it, None where the machine has no table for it."""
        (machine, _), operation = self.place, self.site.model.operation
        table = operation and machine.tables.get(f"{self.key} as {operation.name}")
        if table and operation:
            if {*table.parameters} != {*operation.arguments}:
                tables.problems.append(other_arguments(operation, table, machine))
                return ZERO
            known = self._arguments(operation)
            arguments, span = [known[name] for name in table.parameters], operation.span
        else:
            table = machine.tables.get(self.key)
            if table is None or not table.key:
                return None
            besides = (self._on(name) for name in table.parameters[1:])
            arguments, span = [self.work, *besides], self.span
        if is_zero(where_working([self.work], ONE)):
            return ZERO
        return tables.looked_up(Lookup(table, arguments, span, self.work))

    def needed(self, report: Callable[[Diagnostic], None]) -> Expression | None:
        """Return the work that takes as long at the rate of large work, None where it is all."""
        (machine, binding), operation = self.place, self.site.model.operation
        rate = machine.rate(self.key)
        own = operation and machine.operation_rate(self.key, operation.name)
        if rate is None or not (own or varies(rate)):
            return None
        from roofdsl.analysis.work_rates import needed, needed_by_operation  # few have one

        if own and operation:
            if {*own.parameters} != {*operation.arguments}:
                report(other_arguments(operation, own, machine))
                return None
            return needed_by_operation(own, rate, binding, self.work, self._arguments(operation))
        besides = {name: self._on(name) for name in rate.besides}
        return needed(rate, binding, self.work, besides)

    def _arguments(self, operation: Operation) -> dict[str, Expression]:
        expand = self.site.binding.expand
        return {name: expand(tree) for name, tree in operation.arguments.items()}

    def _on(self, resource: str) -> Expression:
        """Return the kernel's work on a resource."""
        counted = [x.work for x in self.loads if x.resource.name == resource and x.counted]
        return add(*counted) if counted else ZERO


def other_arguments(
    operation: Operation, entries: MeasuredTable | OperationRate, machine: MachineDefinition
) -> Diagnostic:
    """Return the problem that an operation has other arguments on a machine (R0506)."""
    known, given = ", ".join(entries.parameters), ", ".join(operation.arguments)
    how = "is measured" if isinstance(entries, MeasuredTable) else "has a rate"
    message = f"{operation.name} of '{machine.name}' {how} by {known}, not by {given}"
    labels = (Label(operation.span), Label(entries.span, "here"))
    hint = f"write `as {operation.name}({', '.join(f'{p} = …' for p in entries.parameters)})`"
    return Diagnostic("R0506", message, labels, hint)
