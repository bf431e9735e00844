"""What a machine states of itself, for formulas that ask it: `machine.memory`, `machine.cards`."""

from __future__ import annotations

from roofdsl.analysis.binding import Binding
from roofdsl.analysis.load import rate_symbol
from roofdsl.analysis.members import Unanswered
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.rates import bind_machine
from roofdsl.expression.tree import Expression


def machine_value(prediction: Prediction, name: str) -> Expression | Unanswered:
    """Return a rate, capacity, parameter or `let` of the machine that a prediction runs on.

    A rate is its symbol, which what solves for it can change.
    """
    machine, device = prediction.runs_on, prediction.device
    binding = prediction.machine_binding if device is None else _bound(prediction)
    if name in binding.trees:
        return binding.trees[name]
    rate = machine.rate(name) or machine.rate(machine.defaults.get(name, ""))
    if rate is not None:
        if rate.value is None:
            return Unanswered(f"{name} of '{machine.name}' is unlimited")
        return rate_symbol(prediction.machine, rate.key, device)
    standing = {each.name: each for each in (machine.power, machine.price) if each}
    if name in standing:
        return binding.expand(standing[name].formula.tree)
    energies = {f"energy.{each.key}": each.value for each in machine.energies}
    if name in energies:
        return binding.expand(energies[name])
    if name.startswith("capacity."):
        key = name.removeprefix("capacity.")
        known = {item.key: item for item in machine.capacities}
        found = known.get(key) or known.get(machine.defaults.get(key, ""))
        if found is not None:
            return binding.expand(found.formula.tree)
        return Unanswered(f"'{machine.name}' states no capacity of {key}")
    return Unanswered(f"'{machine.name}' states no {name}")


def _bound(prediction: Prediction) -> Binding:
    return bind_machine(prediction.runs_on)[0]
