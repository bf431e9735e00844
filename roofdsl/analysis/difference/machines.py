"""Two machines compared: parameters, rates, levels, capacities, measured tables, devices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from roofdsl.analysis.difference import change
from roofdsl.analysis.difference.change import Amounts, Change, Side, formula, formulas, words
from roofdsl.expression.construct import divide, multiply
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import ONE, Expression, Symbol
from roofdsl.model.types import AROUND, Capacity, Energy, MachineDefinition, Rate, Standing
from roofdsl.model.varying import MeasuredTable, OperationRate, Startup, argument
from roofdsl.units.dimension import JOULE, SECOND, Dimension
from roofdsl.units.quantity import show_exact, show_quantity

_Valued = TypeVar("_Valued", OperationRate, Startup, Energy)
_Formed = TypeVar("_Formed", Capacity, Standing)


def compare_machines(old: MachineDefinition, new: MachineDefinition) -> tuple[Change, ...]:
    """Return what differs between two machines in what they say of any model."""
    return tuple(_changes(old, new))


def _changes(old: MachineDefinition, new: MachineDefinition) -> Iterator[Change]:
    sides = Side(_alone(old), old.numbers), Side(_alone(new), new.numbers)
    yield from change.parameters(*sides)
    yield from change.intermediates(*sides)
    # A model may read those by name: `param c: integer = machine.cores`.
    names = ([item.name for item in each.intermediates] for each in (old, new))
    yield from change.presence("intermediate", *names)
    yield from change.requirements(*sides)
    yield from change.uncertain(*sides)
    old, new = _in_numbers(old), _in_numbers(new)
    yield from _rates(old, new)
    yield from formulas("rate of an operation", _operation_rates(old), _operation_rates(new))
    yield from formulas("start-up", _startups(old), _startups(new))
    yield from formulas("capacity", _capacities(old), _capacities(new))
    yield from formulas("energy", _energies(old), _energies(new))
    yield from formulas("constant", _standing(old), _standing(new))
    yield from formulas("uncertainty of the", _spreads(old), _spreads(new))
    for name in dict.fromkeys([*old.defaults, *new.defaults]):
        before, after = old.defaults.get(name, ""), new.defaults.get(name, "")
        yield from words("default level", name, before, after)
    yield from words("serial", "", _serial(old), _serial(new))
    yield from words("concurrent", "", ", ".join(old.concurrent), ", ".join(new.concurrent))
    yield from change.presence("measured table", old.tables, new.tables)
    for name in [name for name in old.tables if name in new.tables]:
        yield from _tables(old.tables[name], new.tables[name])
    yield from change.presence("device", old.devices, new.devices)
    for name in [name for name in old.devices if name in new.devices]:
        one, other = old.devices[name], new.devices[name]
        inside = [replace(c, name=f"{name}.{c.name}") for c in _changes(one, other)]
        if inside:  # another name alone does not show in any answer
            yield from words("device", name, one.name, other.name)
        yield from inside


def _serial(machine: MachineDefinition) -> str:
    return "; ".join(", ".join(names) for names in machine.serial)


def _alone(machine: MachineDefinition) -> MachineDefinition:
    """Return a device without the parameters of the machine around it: that is compared itself."""
    own = tuple(item for item in machine.parameters if not item.name.startswith(AROUND))
    return replace(machine, parameters=own)


def _in_numbers(machine: MachineDefinition) -> MachineDefinition:
    """Return a machine with the numbers of its `let`s put in that may be off."""
    numbers = machine.numbers
    if not numbers:
        return machine

    def valued(item: _Valued) -> _Valued:
        return item._replace(value=substitute(item.value, numbers))

    def formed(item: _Formed) -> _Formed:
        tree = substitute(item.formula.tree, numbers)
        return item._replace(formula=item.formula._replace(tree=tree))

    return replace(
        machine,
        rates=tuple(
            rate._replace(value=rate.value and substitute(rate.value, numbers))
            for rate in machine.rates
        ),
        operation_rates=tuple(map(valued, machine.operation_rates)),
        startups=tuple(map(valued, machine.startups)),
        energies=tuple(map(valued, machine.energies)),
        capacities=tuple(map(formed, machine.capacities)),
        power=machine.power and formed(machine.power),
        price=machine.price and formed(machine.price),
    )


def _capacities(machine: MachineDefinition) -> Amounts:
    return {item.key: (item.formula.tree, item.formula.dimension) for item in machine.capacities}


def _startups(machine: MachineDefinition) -> Amounts:
    return {item.key or "of a kernel": (item.value, SECOND) for item in machine.startups}


def _operation_rates(machine: MachineDefinition) -> Amounts:
    units = {rate.key: rate.resource.dimension / SECOND for rate in machine.rates}
    return {
        item.name: (_named(item.value, item.parameters), units[item.key])
        for item in machine.operation_rates
    }


def _named(tree: Expression, parameters: Sequence[str]) -> Expression:
    """Return a rate with its arguments by their names."""
    names = {argument(n): Symbol(name, positive=False) for n, name in enumerate(parameters)}
    return substitute(tree, names)


def _energies(machine: MachineDefinition) -> Amounts:
    return {item.key: (item.value, JOULE / item.resource.dimension) for item in machine.energies}


def _standing(machine: MachineDefinition) -> Amounts:
    standing = (item for item in (machine.power, machine.price) if item is not None)
    return {item.name: (item.formula.tree, item.formula.dimension) for item in standing}


def _spreads(machine: MachineDefinition) -> Amounts:
    """Return how far all but rates may be off, in their own units."""
    found: dict[str, tuple[Expression, Dimension]] = {}
    for start in machine.startups:
        if start.uncertainty is not None:
            key = f"start-up {start.key}".strip()
            found[key] = multiply(start.uncertainty, start.value), SECOND
    for held in machine.capacities:
        if held.uncertainty is not None:
            off = multiply(held.uncertainty, held.formula.tree)
            found[f"capacity of {held.key}"] = off, held.formula.dimension
    for item in machine.energies:
        if item.uncertainty is not None:
            unit = JOULE / item.resource.dimension
            found[f"energy of {item.key}"] = multiply(item.uncertainty, item.value), unit
    for each in (machine.power, machine.price):
        if each is not None and each.uncertainty is not None:
            spread = multiply(each.uncertainty, each.formula.tree)
            found[each.name] = spread, each.formula.dimension
    return found


def _rates(old: MachineDefinition, new: MachineDefinition) -> Iterator[Change]:
    yield from change.resources((r.resource for r in old.rates), (r.resource for r in new.rates))
    before, after = ({rate.key: rate for rate in each.rates} for each in (old, new))
    for key in dict.fromkeys([*before, *after]):
        one, other = before.get(key), after.get(key)
        unlimited = [rate is not None and rate.value is None for rate in (one, other)]
        present = [rate for rate in (one, other) if rate is not None]
        inverse = all(rate.inverse for rate in present)  # as written: a latency, not its inverse
        unit = present[0].resource.dimension
        unit = SECOND / unit if inverse else unit / SECOND
        first, second = _value(one, inverse=inverse), _value(other, inverse=inverse)
        if not any(unlimited):
            yield from formula("rate", key, unit, first, second)
            spreads = _spread(one, first), _spread(other, second)
            yield from formula("uncertainty of the rate", key, unit, *spreads)
        elif one is None or other is None:
            yield Change("added" if one is None else "removed", "rate", key, detail="unlimited")
        elif unlimited[0] != unlimited[1]:
            detail = "now unlimited" if unlimited[1] else "no longer unlimited"
            yield Change("changed", "rate", key, unit, first, second, detail=detail)


def _value(rate: Rate | None, *, inverse: bool) -> Expression | None:
    if rate is None or rate.value is None:
        return None
    # Work has many names, and what it is called means nothing.
    value = _named(rate.value, ("w", *rate.besides)) if rate.parameters else rate.value
    return divide(ONE, value) if inverse else value


def _spread(rate: Rate | None, value: Expression | None) -> Expression | None:
    """Return how far a rate may be off, in its own unit: 0.4 GFLOP/s of 22 ± 0.4 GFLOP/s."""
    if rate is None or rate.uncertainty is None or value is None:
        return None
    return multiply(rate.uncertainty, value)


def _tables(old: MeasuredTable, new: MeasuredTable) -> Iterator[Change]:
    if old.interpolate != new.interpolate:
        detail = "now interpolates" if new.interpolate else "no longer interpolates"
        yield Change("changed", "measured table", new.name, detail=detail)
    if old.measure != new.measure:
        kinds = ("rates" if each.of_rates else "times" for each in (old, new))
        yield from words("measured table", new.name, *kinds)
        return
    names = ", ".join(old.parameters), ", ".join(new.parameters)
    if sorted(old.parameters) != sorted(new.parameters):
        yield from words("measured table", new.name, f"by {names[0]}", f"by {names[1]}")
        return
    if names[0] != names[1] and new.interpolate:
        # Of cells around a point that are equally small, the first arguments tell which is taken.
        yield Change("moved", "arguments of", new.name, detail=f"{names[0]} → {names[1]}")
    before, after = _entries(old, new.parameters), _entries(new, new.parameters)
    keys = [key for key in dict.fromkeys([*before, *after]) if before.get(key) != after.get(key)]
    if keys:
        values = zip(new.parameters, keys[0], strict=True)
        shown = ", ".join(
            f"{name} = {show_exact(value, new.unit(n))}" for n, (name, value) in enumerate(values)
        )
        times = " → ".join(_entry(x.get(keys[0]), new.measure) for x in (before, after))
        more = f"; {len(keys) - 1} more entries differ" if len(keys) > 1 else ""
        detail = f"{shown}: {times}{more}"
        yield Change("changed", "measured table", new.name, detail=detail)


def _entries(table: MeasuredTable, order: tuple[str, ...]) -> dict[tuple[Fraction, ...], Fraction]:
    """Return what was measured by its arguments, which are put in the given order."""
    places = [table.parameters.index(name) for name in order]
    return {tuple(key[place] for place in places): time for key, time in table.values.items()}


def _entry(value: Fraction | None, unit: Dimension) -> str:
    return "no entry" if value is None else show_quantity(value, unit)
