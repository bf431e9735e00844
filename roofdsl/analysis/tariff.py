"""What a machine and its devices state of energy and money, as symbols with their formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from roofdsl.analysis.binding import Binding, computed
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.links import NETWORK
from roofdsl.analysis.load import Load
from roofdsl.analysis.matching import Served, default_key, match
from roofdsl.analysis.rates import bind_machine
from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.model.tariff import below_zero
from roofdsl.model.types import MachineDefinition, ModelDefinition, Rate
from roofdsl.source import Span
from roofdsl.units.dimension import DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_quantity

WHOLE = ""
"""The place of what a machine has itself, beside its devices."""


class Priced(NamedTuple):
    """What one place of a machine states, or is a part of: a formula [J/flop, W, euro/s, …]."""

    what: str
    value: Expression
    dimension: Dimension
    span: Span


class Tariff(NamedTuple):
    """What a machine and its devices state of energy and money.

    `values` are by the names of their symbols (`karst.energy.memory`, `node.gpu.power`), as
    formulas in what the machine leaves open; `powers` and `prices` are by device, `WHOLE` for the
    machine's own, None for what states none; `bare` are the places without any energy.
    """

    values: dict[str, Priced]
    powers: dict[str, Symbol | None]
    prices: dict[str, Symbol | None]
    bare: frozenset[str]

    @property
    def is_stated(self) -> bool:
        """Whether the machine says anything of energy or money."""
        return bool(self.values)

    @property
    def formulas(self) -> dict[str, Expression]:
        """The formulas by the names of their symbols."""
        return {name: item.value for name, item in self.values.items()}

    @property
    def currencies(self) -> tuple[Dimension, ...]:
        """The units of money of the prices; a price of 0 has none of its own."""
        found = [
            self.values[symbol.name].dimension * SECOND for symbol in self.prices.values() if symbol
        ]
        return tuple(dict.fromkeys(unit for unit in found if unit.powers != SECOND.powers))


NO_TARIFF = Tariff({}, {WHOLE: None}, {WHOLE: None}, frozenset([WHOLE]))


def tariff(machine: MachineDefinition, bindings: Mapping[str | None, Binding]) -> Tariff:
    """Return what a machine states, its parameters bound; a device is bound as itself."""
    values: dict[str, Priced] = {}
    powers: dict[str, Symbol | None] = {}
    prices: dict[str, Symbol | None] = {}
    bare: list[str] = []
    for device, part in places(machine):
        expand = bindings[device or None].expand
        for energy in part.energies:
            symbol = energy_symbol(machine, energy.key, device)
            unit = JOULE / energy.resource.dimension
            what = f"the energy of {energy.key}"
            values[symbol.name] = Priced(what, expand(energy.value), unit, energy.span)
        if not part.energies:
            bare.append(device)
        for stated, table in ((part.power, powers), (part.price, prices)):
            table[device] = None
            if stated is not None:
                symbol = _symbol(machine, device, stated.name)
                table[device] = symbol
                formula = stated.formula
                tree = expand(formula.tree)
                values[symbol.name] = Priced(
                    f"the {stated.name}", tree, formula.dimension, stated.span
                )
    return Tariff(values, powers, prices, frozenset(bare))


def places(machine: MachineDefinition) -> Iterator[tuple[str, MachineDefinition]]:
    """Yield the machine itself, as `WHOLE`, and its devices by name."""
    yield WHOLE, machine
    yield from machine.devices.items()


def tariff_problems(found: Tariff) -> Iterator[Diagnostic]:
    """Yield what has no value, or one below 0."""
    problems: list[Diagnostic] = []
    for item in found.values.values():
        if free_symbols(item.value):
            continue  # a parameter of the machine is left open
        value = computed(item.value, item.what, item.span, problems)
        if value is not None and value < 0:
            problems.append(below_zero(item.what, item.span, show_quantity(value, item.dimension)))
    yield from problems


def energy_symbol(machine: MachineDefinition, key: str, device: str = WHOLE) -> Symbol:
    """Return the symbol of the energy of a unit of work: `karst.energy.flops`."""
    return _symbol(machine, device, f"energy.{key}")


def _symbol(machine: MachineDefinition, device: str, name: str) -> Symbol:
    place = f"{machine.name}.{device}" if device else machine.name
    return Symbol(f"{place}.{name}", integer=False, positive=False)


def default_energy(machine: MachineDefinition, resource: str, device: str) -> Symbol | None:
    """Return the symbol of the energy that a plain resource means on a machine, if it has one."""
    for place in dict.fromkeys((device, WHOLE)):
        part = machine.devices[place] if place else machine
        stated = [item.key for item in part.energies if item.resource.name == resource]
        for key in (resource, part.defaults.get(resource), *(stated if len(stated) == 1 else ())):
            if key in stated:
                return energy_symbol(machine, key, place)
    return None


def energy_of(
    load: Load, machine: MachineDefinition, model: ModelDefinition
) -> tuple[Symbol | None, str | None]:
    """Return the symbol of the energy that serves a load, None where its place states none.

    It is found as a rate is; plain `memory` is the default level, too, and plain `network` any link
    without an energy of its own. A note says where it is that of another kind.
    """
    place = machine.devices[load.device] if load.device else machine
    if not place.energies or is_zero(load.work):
        return None, None
    key, name = load.key, load.resource.name
    stated = {energy.key: energy for energy in place.energies}
    device = load.device or WHOLE
    by_plain = name == NETWORK or key == default_key(place, name)
    if key not in stated and by_plain and name in stated:
        return energy_symbol(machine, name, device), None
    as_rates = tuple(
        Rate(energy.key, energy.resource, energy.value, None, False, "", energy.span)
        for energy in place.energies
    )
    found = match(key, load.stated, replace(place, rates=as_rates), model)
    if not isinstance(found, Served):
        return None, None
    serving, note = found.rate.key, None
    if found.note is not None:
        note = f"'{place.name}' states no energy of {key}: that of {serving} is taken"
    return energy_symbol(machine, serving, device), note


def stated_by(machine: MachineDefinition) -> Tariff:
    """Return what a machine states, its parameters at their defaults."""
    return tariff(machine, {name or None: bind_machine(part)[0] for name, part in places(machine)})


def spending_units(stated: Tariff) -> dict[str, Dimension]:
    """Return the units of power and cost; those of energies are J."""
    money = stated.currencies[0] if stated.currencies else DIMENSIONLESS
    return {"power": JOULE / SECOND, "cost": money}


def spending_unit(name: str, stated: Tariff) -> Dimension:
    """Return the unit of what a prediction takes: J, W, or that of its machine's prices."""
    return spending_units(stated).get(name, JOULE)
