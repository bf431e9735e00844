"""What machines of one name differ in, where several values of one thing are asked for."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.machine_statements import statements
from roofdsl.analysis.open_machine import machine_parameter
from roofdsl.analysis.rates import bind_machine
from roofdsl.analysis.what_if import changed, unit_of
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.expression.substitute import free_symbols
from roofdsl.model.layer import Varied
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source


def varied(machine: MachineDefinition, binding: Binding) -> dict[str, Varied]:
    """Return what a machine has of several values, by name with that of the machine."""
    found: dict[str, Varied] = {}
    for change in machine.changes:
        if change.swept:
            unit = unit_of(machine, change.key)
            value = _value(machine, change.key, binding)
            if unit is not None and value is not None:
                found[f"{machine.name}.{change.key}"] = Varied(change.written, value, unit)
    return found


def values_on(
    machine: MachineDefinition, key: str, sources: Sequence[Source]
) -> list[float] | list[str]:
    """Return several values of what a machine states, in SI base units; names as they are.

    Raises RoofError for one that does not fit.
    """
    problems: list[Diagnostic] = []
    numbers: list[float | None] = []
    for source in sources:
        found = changed(machine, key, source, problems.append)
        raise_if_any(problems)
        own = found.changes[-1].key
        is_number = machine_parameter(found, own).is_number and own not in found.truths()
        numbers.append(_value(found, own, bind_machine(found)[0]) if is_number else None)
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else [source.body.strip() for source in sources]


def _value(machine: MachineDefinition, key: str, binding: Binding) -> float | None:
    """Return the value of what a machine states, None where it is unlimited, or open."""
    if key in binding.values:
        return binding.values[key]
    stated = statements(machine).get(key)
    if stated is None:
        return None
    tree = stated.formula
    return None if free_symbols(tree) else evaluate(tree, {})
