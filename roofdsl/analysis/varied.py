"""What machines of one name differ in, where several values of one thing are asked for."""

from __future__ import annotations

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.rates import bind_machine
from roofdsl.analysis.what_if import unit_of
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression
from roofdsl.model.layer import Varied
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.scalar import evaluate


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


def _value(machine: MachineDefinition, key: str, binding: Binding) -> float | None:
    """Return the value of what a machine states, None where it is unlimited, or open."""
    if key in binding.values:
        return binding.values[key]
    first, dot, inner = key.partition(".")
    if dot and first in machine.devices:
        device = machine.devices[first]
        return _value(device, inner, bind_machine(device)[0])
    stated: dict[str, Expression | None] = {rate.key: rate.value for rate in machine.rates}
    stated |= {f"capacity {item.key}": item.formula.tree for item in machine.capacities}
    stated |= {f"energy {item.key}": item.value for item in machine.energies}
    stated |= {x.name: x.formula.tree for x in (machine.power, machine.price) if x}
    tree = stated.get(key)
    if tree is None or free_symbols(tree := binding.expand(tree)):
        return None
    return evaluate(tree, {})
