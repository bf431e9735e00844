"""The energy roofline of machines, and models on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from roofdsl.analysis.balance import EnergyRoof, effective_balance, energy_balance
from roofdsl.analysis.default_rate import default_rate
from roofdsl.analysis.machine_ridge import plain_rates
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.analysis.spending import energy_roof
from roofdsl.analysis.tariff import WHOLE, default_energy
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import energy as energy_figure
from roofdsl.figures.energy import Arch, Balanced, Spot
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.model.types import MachineDefinition
from roofdsl.plots import cases

_SAMPLES = 121
_BEYOND = 32.0
"""So many times further than what is shown of note the lines go."""


def energy(
    *items: cases.ItemLike, at: cases.Settings = cases.NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw flops per joule [GFLOP/J] and the power of one process over operational intensity.

    `items` are machines, and predictions (`model.on(machine)`) with their parameters `at` values;
    an array of values makes a point of each. The line of a machine is that of its plain flops, or
    of the kind that models do most of. A machine states energies of flops and memory, and its
    power. Raises RoofError where it does not, or a prediction has no energy (R0610).
    """
    shown = [cases.item_of(each) for each in items]
    machines = cases.machines_of(shown)
    if not machines:
        raise RoofError([Diagnostic("R0807", "an energy figure needs a machine")])
    spots: list[Spot] = []
    kinds: dict[str, dict[str, _Kind]] = {machine.name: {} for machine in machines}
    for case in cases.under_roofs(shown, at):
        results = [case.result] if case.result is not None else _results(case)
        kind = _kind(case, results)
        kinds[results[0].machine][kind.name] = kind
        spots += [_spot(case, result, kind) for result in results]
        spots[-len(results) :] = _named(case, spots[-len(results) :])
    arches = [
        _arch(machine, kind, spots)
        for machine in machines
        for kind in (kinds[machine.name] or {"": _Kind(machine.name)}).values()
    ]
    return energy_figure.energy(arches, spots, look, *cases.titles(shown, at))


class _Kind(NamedTuple):
    """The flops that a line is of: its name, their energy [J] and rate; None for plain flops."""

    name: str
    energy: float | None = None
    rate: float | None = None


def _kind(case: cases.Case, results: Sequence[Result]) -> _Kind:
    """Return the kind of flops that a model does most of on a machine."""
    result = results[-1]
    machine, prediction = case.asked.machine, case.asked.bound(result.parameters)
    loads = [
        load
        for load in prediction.placed
        if load.resource.name == "flops" and load.device is None and load.rate is not None
    ]
    most = max(loads, key=lambda load: result.work.get(load.name, 0.0), default=None)
    plain = default_rate(machine, "flops"), default_energy(machine, "flops", WHOLE)
    if (
        most is None
        or most.energy is None
        or most.rate is None
        or plain == (most.rate, most.energy)
    ):
        return _Kind(machine.name)
    name = f"{machine.name}, {most.served.removeprefix('flops.')}"
    energy, rate = prediction.prices[most.energy.name], prediction.rate_values[most.rate.name]
    return _Kind(name, energy, rate)


def _spot(case: cases.Case, result: Result, kind: _Kind) -> Spot:
    """Return a model at a setting."""
    if result.energy is None or result.power is None:
        message = f"the energy of '{result.model}' is not answered: "
        raise RoofError([Diagnostic("R0610", message + result.unanswered["energy"])])
    flops = result.totals.get("flops", result.flops)
    efficiency = ratio(flops, result.energy)
    power = result.power / result.processes
    return Spot(case.name, result.machine, result.OI, efficiency, power, kind.name)


def _named(case: cases.Case, spots: Sequence[Spot]) -> list[Spot]:
    """Return points of one model with what is written beside them: at both ends of a range."""
    texts = dict.fromkeys(range(len(spots)), "")
    texts[0] = case.name
    if case.sweep is not None and case.parameter is not None:
        values = np.ravel(case.sweep.parameters[case.parameter.name])
        ends = {n: cases.shown_setting(case.parameter, float(values[n])) for n in (0, -1)}
        texts |= {0: f"{case.name}, {ends[0]}", len(spots) - 1: ends[-1]}
    return [replace(spot, text=texts[number]) for number, spot in enumerate(spots)]


def _results(case: cases.Case) -> list[Result]:
    assert case.sweep is not None
    given = {name: np.ravel(values) for name, values in case.sweep.parameters.items()}
    points = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    return [case.asked.evaluate({k: v.item() for k, v in point.items()}) for point in points]


def _arch(machine: MachineDefinition, kind: _Kind, spots: list[Spot]) -> Arch:
    rates = plain_rates(machine)
    if kind.energy is not None:
        rates["flops"] = kind.rate
    roof = energy_roof(machine, rates, kind.energy)
    known = [spot.intensity for spot in spots if 0 < spot.intensity < np.inf]
    corners = [ratio(roof.of_byte, roof.of_flop), ratio(roof.byte, roof.flop)]
    known += [corner for corner in corners if 0 < corner < np.inf]
    low, high = min(known, default=1.0) / _BEYOND, max(known, default=1.0) * _BEYOND
    # With the corner, at which the power is highest.
    intensities = np.union1d(np.geomspace(low, high, _SAMPLES), known)
    of_work, times = np.array([roof.at(float(each)) for each in intensities]).T
    with np.errstate(divide="ignore", invalid="ignore"):
        alone, whole = 1 / of_work, 1 / (of_work + roof.power * times)
        power = of_work / times + roof.power
    return Arch(kind.name, intensities, whole, alone, power, tuple(_balances(roof, rates)))


def _balances(roof: EnergyRoof, rates: Mapping[str, float | None]) -> Iterator[Balanced]:
    """Yield where times, energies, and energies with constant power are balanced."""
    energies = {"flops": roof.of_flop, "memory": roof.of_byte, "network": None}
    found = {
        "OI*": ratio(roof.byte, roof.flop),
        "energy balance": energy_balance(energies).OI,
        "effective": effective_balance(energies, {"network": None, **rates}, roof.power).OI,
    }
    for name, intensity in found.items():
        if intensity is not None and 0 < intensity < np.inf:
            work, time = roof.at(intensity)
            all_of_it = work if name == "energy balance" else work + roof.power * time
            yield Balanced(name, intensity, ratio(1.0, all_of_it))
