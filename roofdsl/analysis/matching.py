"""Which rate of a machine serves which work of a model."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.analysis.kinds import (
    asked,
    of_the_same_size,
    served_by_plain,
    serves_all,
    standing_in,
    without_default,
)
from roofdsl.analysis.links import INSIDE, MESSAGES, NETWORK, is_node, latency_of
from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.model.precision import PRECISIONS
from roofdsl.model.types import MachineDefinition, ModelDefinition, Rate, Step, Work


class Served(NamedTuple):
    """A rate that serves the work; `note` says so where it is not the one asked for."""

    rate: Rate
    note: str | None = None


class Skipped(NamedTuple):
    """Work that costs nothing here, and why."""

    note: str


def match(
    key: str, work: Work, machine: MachineDefinition, model: ModelDefinition
) -> Served | Skipped | Diagnostic:
    """Return the rate that serves work on `key`.

    Plain `memory` is the machine's default level, plain `flops` its default kind, with a note. A
    cache level the machine lacks is skipped with a note, and so is the default level beside plain
    memory; a machine with one plain rate of flops serves every kind with it, with a note. Of units
    and kinds of flops, `kinds` says what stands in, with a note. Anything else that is missing is
    an error that lists what there is.
    """
    name, _, level = key.partition(".")
    rate = machine.rate(key)
    if rate is not None:
        beside = level and name == "memory" and any(item.key == name for item in model.work)
        if beside and default_key(machine, name) == key:  # the same traffic, stated once more
            return Skipped(f"plain memory is {key} on '{machine.name}'; {key} itself is left out")
        return Served(rate)
    levels = [rate for rate in machine.rates if rate.resource.name == name]
    if not level:
        default = machine.rate(default_key(machine, name))
        if default is None:
            return _lacks(key, work, machine, model, levels)
        chosen = name == "flops" and len(levels) > 1
        note = f"flops of no stated kind run at the default of '{machine.name}': {default.key}"
        return Served(default, note if chosen else None)
    plain = machine.rate(name)
    if name == "flops" and plain is not None and len(levels) == 1:
        return Served(plain, served_by_plain(key, machine))
    if name == "flops":
        other = standing_in(key, machine)
        return _lacks(key, work, machine, model, levels) if other is None else Served(*other)
    known = {name, *(rate.key for rate in levels)}
    if name == "memory" and levels and any(item.key in known for item in model.work):
        return Skipped(f"'{machine.name}' has no {key}; it is left out")
    return _lacks(key, work, machine, model, levels)


def default_key(machine: MachineDefinition, resource: str) -> str:
    """Return the rate that a plain resource means on a machine: `memory.DRAM`; "" for none."""
    levels = [rate.key for rate in machine.rates if rate.resource.name == resource]
    for key in (resource, machine.defaults.get(resource)):
        if key in levels:
            return key
    if len(levels) == 1 and serves_all(levels[0], machine):
        return levels[0]
    if resource == MESSAGES:  # those of the link that plain network means
        key = latency_of(default_key(machine, NETWORK), machine)
        return key if key in levels else ""
    return INSIDE if resource == NETWORK and is_node(machine) else ""


def _lacks(
    key: str,
    work: Work,
    machine: MachineDefinition,
    model: ModelDefinition,
    levels: list[Rate],
) -> Diagnostic:
    name = key.partition(".")[0]
    labels = (Label(work.span, "work stated here"), Label(machine.span, "the machine"))
    if name == "flops" and key != name and (kinds := without_default(key, machine)):
        kind = asked(key, machine).kind
        message = f"'{machine.name}' states no default for {kind}: it has {', '.join(kinds)}"
        ways = [f"`{known.removesuffix(f'.{kind}')}[{kind}]`" for known in kinds]
        hint = f"write {' or '.join(ways)}, or a `default` in the machine's `flops` block"
        return Diagnostic("R0509", message, labels, hint)
    if levels:
        known = [rate.key for rate in levels]
        # A precision is no misspelling of another one.
        close = None if key.rpartition(".")[2] in PRECISIONS else did_you_mean(key, known)
        hint = close or f"'{machine.name}' has {', '.join(known)}"
        if key != "flops" and name == "flops" and (alike := of_the_same_size(key, machine)):
            hint = (
                f"{_in_place_of(alike[0], work, machine, model)}; its rates are {', '.join(known)}"
            )
        if key == name:
            hint = (
                f"'{machine.name}' has {', '.join(known)}: "
                f"say which of them is meant with `default` in its `{name}` block"
            )
    else:
        rates = ", ".join(rate.key for rate in machine.rates) or "none"
        # Plain flops serve all kinds, so that one change is enough for a network of several.
        change = f"--set {machine.name}.{name if name == 'flops' else key}=unlimited"
        hint = f"rates of '{machine.name}': {rates}; state one, or let it take no time: {change}"
    message = f"'{model.name}' works on {key}, but machine '{machine.name}' has no rate for it"
    return Diagnostic("R0501", message, labels, hint)


def _in_place_of(
    precision: str, work: Work, machine: MachineDefinition, model: ModelDefinition
) -> str:
    has = f"'{machine.name}' has {precision}, of the same size"
    if work.selector not in [each.name for each in model.parameters]:
        return has
    return f"{has}: give `{work.selector} = {precision}`, `-p {work.selector}={precision}`"


def no_device(step: Step, device: str, machine: MachineDefinition) -> Diagnostic:
    """Return the diagnostic for a step on a device that a machine has not."""
    known = f"'{machine.name}' has {', '.join(machine.devices) or 'no devices'}"
    hint = did_you_mean(device, machine.devices) or known
    where = f"step '{step.name}' runs on {device}"
    message = f"{where}, but machine '{machine.name}' has no such device"
    labels = (Label(step.span), Label(machine.span, "the machine"))
    return Diagnostic("R0504", message, labels, hint)


def unplaced(model: ModelDefinition, work: Work, machine: MachineDefinition) -> Diagnostic:
    """Return the diagnostic for work on the machine itself that its devices alone can do."""
    only = f"only the devices of machine '{machine.name}'"
    parts = machine.devices.items()
    having = [name for name, each in parts if any(x.resource == work.resource for x in each.rates)]
    exactly = [name for name in having if work.key in {x.key for x in machine.devices[name].rates}]
    devices = having if work.key == work.resource.name else exactly or having
    message = f"'{model.name}' runs on no device, but {only} have {work.key}"
    labels = (Label(work.span, "work stated here"), Label(machine.span, "the machine"))
    hint = f"place the step: `… on {devices[0]}`; devices: {', '.join(devices)}"
    return Diagnostic("R0505", message, labels, hint)
