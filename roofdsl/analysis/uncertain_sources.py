"""The numbers with `±` that a prediction follows from, left open: each an unknown of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.analysis.machine_statements import statements
from roofdsl.analysis.rates import large
from roofdsl.analysis.uncertain_numbers import OpenNumber, open_numbers
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
    model, machine, numbers = open_numbers(model, machine)
    found = [*numbers]
    parts = [("", machine), *((f"{name}.", part) for name, part in machine.devices.items())]
    for front, part in parts:
        for stated in _stated(part):
            machine, number = _opened(machine, front, stated)
            found.append(number)
    return Sources(model, machine, tuple(found))


def _stated(machine: MachineDefinition) -> Iterator[_Stated]:
    stated: list[_Stated] = [
        _Stated(rate.key, large(rate), rate.uncertainty, rate.inverse)
        for rate in machine.rates
        if rate.value is not None
    ]
    stated += [_Stated(f"energy {x.key}", x.value, x.uncertainty) for x in machine.energies]
    stated += [
        _Stated(f"startup {x.key}".strip(), x.value, x.uncertainty) for x in machine.startups
    ]
    stated += [
        _Stated(f"capacity {x.key}", x.formula.tree, x.uncertainty) for x in machine.capacities
    ]
    standing = (each for each in (machine.power, machine.price) if each is not None)
    stated += [_Stated(x.name, x.formula.tree, x.uncertainty) for x in standing]
    return (each for each in stated if isinstance(each.part, Number) and each.part.value)


def _opened(
    machine: MachineDefinition, front: str, stated: _Stated
) -> tuple[MachineDefinition, OpenNumber]:
    """Return a machine with one of the numbers it states open."""
    statement = statements(machine)[front + stated.key]
    value, part = constant(stated.value), constant(stated.part or ONE)
    assert value and part  # only numbers have `±`, and none of 0
    name = f"{machine.name}.{front}{stated.key.replace(' ', '.')}"
    symbol, dimension = Symbol(f"{name} ±"), statement.dimension
    tree: Expression = symbol
    if stated.inverse:
        value, tree, dimension = 1 / value, divide(ONE, symbol), dimension**-1
    number = OpenNumber(name, symbol, value * (1 - part), value * (1 + part), value, dimension)
    return statement.put(tree), number
