"""Machines as an explorer has them: parameters, rates, and the lines of their roofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from roofdsl.analysis.open_placing import OpenPlacing, machine_name
from roofdsl.analysis.rates import bind_machine
from roofdsl.analysis.result import machine_rates
from roofdsl.explorer import data
from roofdsl.explorer.controls import order_of, parameter, quantity, renamed
from roofdsl.explorer.formulas import Functions
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model import types
from roofdsl.model.types import MachineDefinition
from roofdsl.units.dimension import SECOND

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


def tables_of(definition: MachineDefinition) -> list[types.MeasuredTable]:
    """Return the tables of a machine and its devices, in the order of `ExploredMachine.tables`."""
    return [table for _, part in _parts(definition) for table in part.tables.values()]


def rate_symbols(definition: MachineDefinition) -> dict[str, int]:
    """Return the places of rates in `ExploredMachine.rates`, by the names of their symbols."""
    limited = enumerate(_limited(definition))
    return {f"{definition.name}.{name}": place for place, (_, name, _) in limited}


def _limited(definition: MachineDefinition) -> Iterator[tuple[str, str, types.Rate]]:
    """Yield the limited rates: the device of each, or "", and its name there."""
    for device, part in _parts(definition):
        for rate in part.rates:
            if rate.value is not None:
                yield device, f"{device}.{rate.key}" if device else rate.key, rate


def machine(definition: MachineDefinition, place: int) -> tuple[data.ExploredMachine, Functions]:
    """Return a machine as data, and its functions; they become the table number `place`.

    Raises RoofError where a rate has no value.
    """
    functions = Functions(symbols_of(definition))
    placing = OpenPlacing(definition)
    rates = [*_rates(definition, placing, functions)]
    parameters, defaults = _parameters(definition, functions)
    capacities = {item.key: item for item in definition.capacities}
    capacity = capacities.get("memory") or capacities.get(definition.defaults.get("memory", ""))
    found = data.ExploredMachine(
        definition.name,
        definition.doc,
        definition.sources,
        functions.symbols,
        tuple(parameters),
        order_of(defaults),
        tuple(rates),
        None
        if capacity is None
        else functions.place(placing.binding.expand(capacity.formula.tree)),
        tuple(_roofs(definition, rates)),
        tuple(map(_table, tables_of(definition))),
        place,
    )
    return found, functions


def _table(table: types.MeasuredTable) -> data.Measurements:
    rows = tuple(
        (tuple(map(float, arguments)), float(time)) for arguments, time in table.times.items()
    )
    return data.Measurements(table.name, rows, table.interpolate)


def _rates(
    definition: MachineDefinition, placing: OpenPlacing, functions: Functions
) -> Iterator[data.RateControl]:
    values = {device: machine_rates(part) for device, part in _parts(definition)}
    for device, name, rate in _limited(definition):
        now = values[device][rate.key]
        slider = (now / _REACH, now * _REACH, True)
        yield data.RateControl(
            name,
            rate.resource.name,
            device,
            rate.doc,
            quantity(rate.resource.dimension / SECOND, slider, inverse=rate.inverse),
            functions.place(placing.rates[f"{definition.name}.{name}"]),
        )


def _parameters(
    definition: MachineDefinition, functions: Functions
) -> tuple[list[data.ParameterControl], dict[str, Expression | None]]:
    found: dict[str, data.ParameterControl] = {}
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
            )
    return list(found.values()), defaults


def _roofs(
    definition: MachineDefinition, rates: Sequence[data.RateControl]
) -> Iterator[data.RoofLines]:
    def places(device: str, resource: str) -> tuple[int, ...]:
        numbered = enumerate(rates)
        return tuple(n for n, x in numbered if (x.device, x.resource) == (device, resource))

    for device, part in _parts(definition):
        lines = {resource: places(device, resource) for resource in ("flops", "memory", "network")}
        if not any(lines.values()) or (device and not lines["flops"]):
            continue
        lines["network"] = lines["network"] or places("", "network")
        values = machine_rates(part)
        main = [_main(part, resource, found, rates, values) for resource, found in lines.items()]
        yield data.RoofLines(device, **lines, main=(main[0], main[1], main[2]))


def _main(
    part: MachineDefinition,
    resource: str,
    places: Sequence[int],
    rates: Sequence[data.RateControl],
    values: Mapping[str, float],
) -> int:
    """Return the place of the rate that a plain name means, or -1.

    Without a default that is the fastest unit, and the slowest memory or link.
    """
    keys = {place: rates[place].name.removeprefix(f"{rates[place].device}.") for place in places}
    named = [place for place in places if keys[place] == part.defaults.get(resource, resource)]
    if named or not places:
        return named[0] if named else -1
    chosen = max if resource == "flops" else min
    return chosen(places, key=lambda place: values.get(keys[place], 0.0))
