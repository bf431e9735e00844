"""The energy roofline of machines, and models on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roofdsl.analysis.machine_ridge import plain_rates
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.analysis.spending import energy_roof
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import energy as energy_figure
from roofdsl.figures.energy import Arch, Spot
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
    an array of values makes a point of each. A machine states energies of flops and memory, and its
    power. Raises RoofError where it does not, or a prediction has no energy (R0610).
    """
    shown = [cases.item_of(each) for each in items]
    machines = cases.machines_of(shown)
    if not machines:
        raise RoofError([Diagnostic("R0807", "an energy figure needs a machine")])
    spots = [spot for case in cases.cases_of(shown, at) for spot in _spots(case)]
    arches = [_arch(machine, spots) for machine in machines]
    return energy_figure.energy(arches, spots, look, *cases.titles(shown, at))


def _spots(case: cases.Case) -> Iterator[Spot]:
    """Yield a model at its setting, or at each of its settings along a parameter."""
    results = [case.result] if case.result is not None else _results(case)
    for result in results:
        if result.energy is None or result.power is None:
            message = f"the energy of '{result.model}' is not answered: "
            raise RoofError([Diagnostic("R0610", message + result.unanswered["energy"])])
        flops = result.totals.get("flops", result.flops)
        efficiency = ratio(flops, result.energy)
        power = result.power / result.processes
        yield Spot(case.name, result.machine, result.OI, efficiency, power)


def _results(case: cases.Case) -> list[Result]:
    assert case.sweep is not None
    given = {name: np.ravel(values) for name, values in case.sweep.parameters.items()}
    points = [dict(zip(given, row, strict=True)) for row in zip(*given.values(), strict=True)]
    return [case.asked.evaluate({k: v.item() for k, v in point.items()}) for point in points]


def _arch(machine: MachineDefinition, spots: list[Spot]) -> Arch:
    roof = energy_roof(machine, plain_rates(machine))
    known = [spot.intensity for spot in spots if 0 < spot.intensity < np.inf]
    corners = [ratio(roof.of_byte, roof.of_flop), ratio(roof.byte, roof.flop)]
    known += [corner for corner in corners if 0 < corner < np.inf]
    low, high = min(known, default=1.0) / _BEYOND, max(known, default=1.0) * _BEYOND
    intensities = np.geomspace(low, high, _SAMPLES)
    of_work, times = np.array([roof.at(float(each)) for each in intensities]).T
    with np.errstate(divide="ignore", invalid="ignore"):
        alone, whole = 1 / of_work, 1 / (of_work + roof.power * times)
        power = of_work / times + roof.power
    return Arch(machine.name, intensities, whole, alone, power)
