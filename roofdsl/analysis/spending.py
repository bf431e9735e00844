"""Energy and money of a prediction in numbers, and the units that they have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from roofdsl.analysis.algebras import Floats
from roofdsl.analysis.balance import Balance, EnergyRoof, effective_balance, energy_balance
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.energy import Spending, StepEnergy, step_energies
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.ratio import quotient
from roofdsl.analysis.tariff import WHOLE, default_energy, places, stated_by, tariff_problems
from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.expression.tree import Expression
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.scalar import evaluate


def spending_at(
    prediction: Prediction, parts: Composed[float], amounts: Mapping[Expression, float]
) -> Spending[float]:
    """Return energy, power and cost of a prediction composed in numbers."""
    found = prediction.spending_in(_in_floats(prediction, amounts), parts)
    if "energy" in found.amounts:
        found.amounts["power"] = quotient(found.amounts["energy"], parts.time)
    return found


def steps_at(
    prediction: Prediction, parts: Composed[float], amounts: Mapping[Expression, float]
) -> StepEnergy[float]:
    """Return the energy of each part of a prediction composed in numbers."""
    return step_energies(prediction.spender, parts, _in_floats(prediction, amounts))


def _in_floats(prediction: Prediction, amounts: Mapping[Expression, float]) -> Floats:
    """Return the numbers of a prediction's formulas, rates and prices."""
    return Floats(amounts, {**prediction.rate_values, **prediction.prices})


def balances(
    prediction: Prediction, rates: Mapping[str, float | None]
) -> tuple[Balance | None, Balance | None]:
    """Return the balance points in energy of a prediction's resources, at their `rates`.

    The first are those of the energies alone, the second those with constant power.
    """
    stated = prediction.tariff
    if not stated.is_stated:
        return None, None
    energies: dict[str, float | None] = {}
    for resource in rates:
        counted = [x for x in prediction.working if x.resource.name == resource and x.counted]
        used = dict.fromkeys(x.energy for x in counted if not is_zero(x.work))
        device = prediction.device or ""
        own = [*used] or [default_energy(prediction.machine, resource, device)]
        symbol = own[0] if len(own) == 1 else None
        energies[resource] = None if symbol is None else prediction.prices.get(symbol.name)
    return energy_balance(energies), effective_balance(energies, rates, drawn(prediction))


def drawn(prediction: Prediction) -> float | None:
    """Return what one process draws whatever it does [W], None where that is not stated."""
    symbols = [*prediction.tariff.powers.values()]
    known = [prediction.prices.get(each.name) for each in symbols if each is not None]
    found = [each for each in known if each is not None]
    return math.fsum(found) if len(found) == len(symbols) else None


def machine_balances(
    machine: MachineDefinition, rates: Mapping[str, float | None]
) -> tuple[Balance | None, Balance | None]:
    """Return the balance points in energy of what plain resources mean on a machine.

    Its parameters are at their defaults. Raises RoofError where something has no value.
    """
    numbers = machine_tariff(machine)
    if not numbers:
        return None, None
    energies, power = _plain_energies(machine, numbers, rates)
    return energy_balance(energies), effective_balance(energies, rates, power)


def energy_roof(
    machine: MachineDefinition, rates: Mapping[str, float | None], of_kind: float | None = None
) -> EnergyRoof:
    """Return what a machine takes for a flop and a byte of memory, at the rates of these.

    A flop takes `of_kind` where it is not of the kind that plain flops mean. Raises RoofError where
    the machine does not state something (R0610), or where something has no value.
    """
    energies, power = _plain_energies(machine, machine_tariff(machine), rates)
    of_flop = energies["flops"] if of_kind is None else of_kind
    of_byte = energies["memory"]
    if of_flop is None or of_byte is None or power is None:
        lacking = "power" if of_flop is not None and of_byte is not None else "energy of memory"
        lacking = "energy of flops" if of_flop is None else lacking
        message = f"'{machine.name}' states no {lacking}, which an energy roofline is made of"
        raise RoofError([Diagnostic.at("R0610", message, machine.span)])
    flop, byte = (1 / rate if rate else 0.0 for rate in (rates["flops"], rates["memory"]))
    return EnergyRoof(of_flop, of_byte, flop, byte, power)


def _plain_energies(
    machine: MachineDefinition, numbers: Mapping[str, float], resources: Iterable[str]
) -> tuple[dict[str, float | None], float | None]:
    """Return the energies that plain resources mean, and what is drawn; None if not stated."""
    energies: dict[str, float | None] = {}
    for resource in resources:
        symbol = default_energy(machine, resource, WHOLE)
        energies[resource] = None if symbol is None else numbers[rate_key(symbol.name)]
    keys = [f"{device}.power" if device else "power" for device, _ in places(machine)]
    known = [numbers[key] for key in keys if key in numbers]
    return energies, math.fsum(known) if len(known) == len(keys) else None


def machine_tariff(machine: MachineDefinition) -> dict[str, float]:
    """Return what a machine and its devices state in numbers: `energy.flops`, `gpu.power`.

    Its parameters are at their defaults. Raises RoofError where something has no value.
    """
    found = stated_by(machine)
    raise_if_any(tariff_problems(found))
    return {rate_key(name): evaluate(item.value, {}) for name, item in found.values.items()}
