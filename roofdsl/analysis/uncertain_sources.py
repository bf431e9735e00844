"""The numbers with `±` that a prediction follows from, left open: each an unknown of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.analysis.machine_statements import statements
from roofdsl.analysis.rates import large
from roofdsl.analysis.uncertain_numbers import OpenNumber, open_numbers, unused
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import constant
from roofdsl.expression.tree import ONE, Expression, Number, Symbol
from roofdsl.model.types import MachineDefinition, ModelDefinition


class Sources(NamedTuple):
    """A model and a machine with every number that has `±` left open, and these numbers."""

    model: ModelDefinition
    machine: MachineDefinition
    numbers: tuple[OpenNumber, ...]


class _Stated(NamedTuple):
    """What a machine states with `±`, by its key; `inverse`: it was written as a latency."""

    key: str
    value: Expression
    part: Expression | None
    inverse: bool = False


def sources_of(model: ModelDefinition, machine: MachineDefinition) -> Sources:
    """Return the numbers with `±` of a model, of those of its steps, and of a machine.

    >>> from roofdsl.model.library import find_machine, find_model
    >>> found = sources_of(find_model("summa")[0], find_machine("karst")[0])
    >>> [number.name for number in found.numbers]
    []
    """
    parts = [("", machine), *((f"{name}.", part) for name, part in machine.devices.items())]
    stated: dict[str, _Stated] = {}
    for of in (_rates, _others):  # rates first: they are called what they are elsewhere
        for front, part in parts:
            for each in filter(_is_off, of(part)):
                name = f"{machine.name}.{front}{each.key.replace(' ', '.')}"
                stated[unused(name, stated)] = each._replace(key=front + each.key)
    model, machine, numbers = open_numbers(model, machine, stated.keys())
    found = [*numbers]
    for name, each in stated.items():
        machine, number = _opened(machine, name, each)
        found.append(number)
    return Sources(model, machine, tuple(found))


def _is_off(stated: _Stated) -> bool:
    """Whether a number has a `±`: one that a factor of 0 has made 0 is off by nothing."""
    return isinstance(stated.part, Number) and bool(stated.part.value and constant(stated.value))


def _rates(machine: MachineDefinition) -> Iterator[_Stated]:
    for rate in machine.rates:
        if rate.value is not None:
            yield _Stated(rate.key, large(rate), rate.uncertainty, rate.inverse)


def _others(machine: MachineDefinition) -> Iterator[_Stated]:
    for energy in machine.energies:
        yield _Stated(f"energy {energy.key}", energy.value, energy.uncertainty)
    for start in machine.startups:
        yield _Stated(f"startup {start.key}".strip(), start.value, start.uncertainty)
    for held in machine.capacities:
        yield _Stated(f"capacity {held.key}", held.formula.tree, held.uncertainty)
    for standing in (machine.power, machine.price):
        if standing is not None:
            yield _Stated(standing.name, standing.formula.tree, standing.uncertainty)


def _opened(
    machine: MachineDefinition, name: str, stated: _Stated
) -> tuple[MachineDefinition, OpenNumber]:
    """Return a machine with one of the numbers it states open, by a name."""
    statement = statements(machine)[stated.key]
    value, part = constant(stated.value), constant(stated.part or ONE)
    assert value and part  # only numbers have `±`, and none of 0
    symbol, dimension = Symbol(f"{name} ±"), statement.dimension
    tree: Expression = symbol
    if stated.inverse:
        value, tree, dimension = 1 / value, divide(ONE, symbol), dimension**-1
    number = OpenNumber(name, symbol, value * (1 - part), value * (1 + part), value, dimension)
    return statement.put(tree), number
