"""Machines as an explorer has them: parameters, rates, and the lines of their roofs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from roofdsl.analysis.open_placing import OpenPlacing, machine_name
from roofdsl.analysis.rates import bind_machine, machine_rates
from roofdsl.explorer.controls import (
    NO_RANGES,
    Described,
    Ranges,
    asked_slider,
    order_of,
    parameter,
    quantity,
    renamed,
)
from roofdsl.explorer.formulas import Functions
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model import types
from roofdsl.model.types import MachineDefinition
from roofdsl.model.varying import MeasuredTable
from roofdsl.units.dimension import DIMENSIONLESS, SECOND

_REACH = 100.0
"""A rate's slider goes this far below and above what the machine has."""


def _parts(definition: MachineDefinition) -> Iterator[tuple[str, MachineDefinition]]:
    yield "", definition
    yield from definition.devices.items()


def symbols_of(definition: MachineDefinition) -> tuple[str, ...]:
    """Return the names of the parameters of a machine and its devices, in open formulas."""
    parts = [part for _, part in _parts(definition)]
    names = [machine_name(part, item.name) for part in parts for item in part.parameters]
    return tuple(dict.fromkeys(names))


def tables_of(definition: MachineDefinition) -> list[MeasuredTable]:
    """Return the tables of a machine and its devices, in the order of the page's tables."""
    return [table for _, part in _parts(definition) for table in part.tables.values()]


def rate_symbols(definition: MachineDefinition) -> dict[str, int]:
    """Return the places of rates among the page's rates, by the names of their symbols."""
    limited = enumerate(_limited(definition))
    return {f"{definition.name}.{name}": place for place, (_, name, _) in limited}


def _limited(definition: MachineDefinition) -> Iterator[tuple[str, str, types.Rate]]:
    """Yield the limited rates: the device of each, or "", and its name there."""
    for device, part in _parts(definition):
        for rate in part.rates:
            if rate.value is not None:
                yield device, f"{device}.{rate.key}" if device else rate.key, rate


def machine(
    definition: MachineDefinition, place: int, own: Collection[str] = (), ranges: Ranges = NO_RANGES
) -> tuple[Described, Functions]:
    """Return a machine as data, and its functions; they become the table number `place`.

    `order` is that in which parameters follow from one another; `own` are resources that files
    declare, which have roofs as memory has. Raises RoofError where a rate has no value.
    """
    functions = Functions(symbols_of(definition))
    placing = OpenPlacing(definition)
    parameters, defaults = _parameters(definition, functions, ranges)
    capacity = definition.memory_capacity
    found: Described = {
        "name": definition.name,
        "doc": definition.doc,
        "sources": definition.sources,
        "symbols": functions.symbols,
        "parameters": parameters,
        "order": order_of(defaults),
        "rates": [*_rates(definition, placing, functions, ranges)],
        "capacity": capacity and functions.place(placing.binding.expand(capacity.formula.tree)),
        "roofs": [*_roofs(definition, own)],
        "tables": [_table(table) for table in tables_of(definition)],
        "functions": place,
    }
    return found, functions


def slid(definition: MachineDefinition, key: str) -> tuple[str, float] | None:
    """Return what has a slider by its name in the page, and its number; None where it has none.

    `key` is its name on the machine, `gpu.memory`.
    """
    for device, part in _parts(definition):
        for item in part.parameters:
            if key == (f"{device}.{item.name}" if device else item.name) and item.is_number:
                return machine_name(part, item.name), bind_machine(part)[0].values[item.name]
    for device, name, rate in _limited(definition):
        part = definition.devices[device] if device else definition
        if name == key and rate.key in (values := machine_rates(part)):
            return name, values[rate.key]
    return None


def _table(table: MeasuredTable) -> Described:
    rows = [([*map(float, arguments)], float(value)) for arguments, value in table.values.items()]
    return {
        "name": table.name,
        "rows": rows,
        "interpolate": table.interpolate,
        "ofRates": table.of_rates,
    }


def _rates(
    definition: MachineDefinition, placing: OpenPlacing, functions: Functions, ranges: Ranges
) -> Iterator[Described]:
    values = {device: machine_rates(part) for device, part in _parts(definition)}
    for device, name, rate in _limited(definition):
        now = values[device].get(rate.key, 1.0)  # without one of large work it is a scale
        is_rate = rate.key in values[device]
        unit = rate.resource.dimension / SECOND if is_rate else DIMENSIONLESS
        slider = (now / _REACH, now * _REACH, True)
        if name in ranges:
            slider = asked_slider(*ranges[name])
        yield {
            "name": name,
            "resource": rate.resource.name,
            "device": device,
            "doc": rate.doc,
            "quantity": quantity(unit, slider, inverse=rate.inverse and is_rate),
            "default": functions.place(placing.rates[f"{definition.name}.{name}"]),
        }


def _parameters(
    definition: MachineDefinition, functions: Functions, ranges: Ranges
) -> tuple[list[Described], dict[str, Expression | None]]:
    found: dict[str, Described] = {}
    defaults: dict[str, Expression | None] = {}
    for _, part in _parts(definition):
        names = {item.name: machine_name(part, item.name) for item in part.parameters}
        own: dict[str, Expression] = {**renamed(part.parameters, names)}
        binding, _ = bind_machine(part)
        for item in part.parameters:
            name = names[item.name]
            if name in found:
                continue
            assert item.default is not None  # or the machine has no rates
            default = defaults[name] = substitute(item.default, own)
            found[name] = parameter(
                item,
                functions,
                own,
                value=binding.values[item.name],
                start=None,
                default=functions.place(default),
                asked=ranges.get(name),
            )
    return list(found.values()), defaults


def _roofs(definition: MachineDefinition, own: Collection[str]) -> Iterator[Described]:
    """Yield the lines of the roofs of a machine and its devices: places among its rates.

    `main` are the rates that plain `flops`, `memory`, `network` and `own` resources mean, or -1.
    """
    shared = ("network", *own)  # a device uses the machine's where it has none
    rates = [*_limited(definition)]

    def places(device: str, resource: str) -> dict[int, str]:
        return {
            place: rate.key
            for place, (owner, _, rate) in enumerate(rates)
            if (owner, rate.resource.name) == (device, resource)
        }

    for device, part in _parts(definition):
        lines = {resource: places(device, resource) for resource in ("flops", "memory", *shared)}
        if not any(lines.values()) or (device and not lines["flops"]):
            continue
        lines |= {resource: lines[resource] or places("", resource) for resource in shared}
        values = machine_rates(part)
        main = [_main(part, resource, keys, values) for resource, keys in lines.items()]
        yield {"device": device, **{name: [*keys] for name, keys in lines.items()}, "main": main}


def _main(
    part: MachineDefinition, resource: str, keys: Mapping[int, str], values: Mapping[str, float]
) -> int:
    """Return the place of the rate that a plain name means, or -1.

    Without a default that is the fastest unit, and the slowest memory or link.
    """
    wanted = part.defaults.get(resource, resource)
    named = [place for place, key in keys.items() if key == wanted]
    if named or not keys:
        return named[0] if named else -1
    chosen = max if resource == "flops" else min
    return chosen(keys, key=lambda place: values.get(keys[place], 0.0))
