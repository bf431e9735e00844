"""The surface over OI and CAI, and the ridgeline's plane of MI and OI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roofdsl.analysis.prediction import default_rate
from roofdsl.analysis.result import machine_rates
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.figures import ridgeline as ridgeline_figure
from roofdsl.figures import surface as surface_figure
from roofdsl.figures.chart import OI, Point, Trajectory
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.ridgeline import Plane
from roofdsl.figures.space import Space
from roofdsl.model.types import MachineDefinition
from roofdsl.plots.cases import (
    NOWHERE,
    Case,
    Item,
    Setting,
    cases,
    heading,
    machines_of,
    settings_text,
)
from roofdsl.plots.roofline import path_between, trajectory


def surface(
    items: Sequence[Item],
    at: Mapping[str, Setting] = NOWHERE,
    cut: tuple[float, float] | None = None,
    look: Look = PLAIN,
) -> Picture:
    """Draw performance over OI and CAI; the slices go through `cut`."""
    data = space(_one_machine(items, "a surface"), cases(items, at), cut)
    return surface_figure.surface(data, look, heading(items), settings_text(items, at))


def ridgeline(
    items: Sequence[Item], at: Mapping[str, Setting] = NOWHERE, look: Look = PLAIN
) -> Picture:
    """Draw the plane of memory and operational intensity with its three regions."""
    data = plane(_one_machine(items, "a ridgeline"), cases(items, at))
    return ridgeline_figure.ridgeline(data, look, heading(items), settings_text(items, at))


def _one_machine(items: Sequence[Item], what: str) -> MachineDefinition:
    machines = machines_of(items)
    if len(machines) == 1:
        return machines[0]
    names = ", ".join(machine.name for machine in machines) or "none"
    message = f"{what} shows one machine, given: {names}"
    raise RoofError([Diagnostic("R0807", message, hint="make one figure for each")])


def three_rates(machine: MachineDefinition) -> tuple[float, float, float]:
    """Return a machine's flops, memory and network rates [flop/s, B/s, B/s].

    Raises RoofError where it lacks one, or has it unlimited (R0804).
    """
    rates = machine_rates(machine)
    found: list[float] = []
    for resource in ("flops", "memory", "network"):
        symbol = default_rate(machine, resource)
        value = rates.get(symbol.name.removeprefix(f"{machine.name}.")) if symbol else None
        if value is None:
            known = ", ".join(rate.key for rate in machine.rates) or "none"
            message = f"machine '{machine.name}' has no limited rate for {resource}"
            hint = f"this figure needs flops, memory and network; rates: {known}"
            labels = (Label(machine.span, "the machine"),)
            raise RoofError([Diagnostic("R0804", message, labels, hint)])
        found.append(value)
    return found[0], found[1], found[2]


def space(
    machine: MachineDefinition, shown: Sequence[Case], cut: tuple[float, float] | None = None
) -> Space:
    """Return the space of a machine with the cases in it; single points are trajectories of one.

    `cut` is where the slices go, OI and CAI; by default through the middle of the first case.
    Raises RoofError where none of the models sends anything (R0803).
    """
    paths: list[Trajectory] = []
    cai: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    for case in shown:
        if case.sweep is not None and case.parameter is not None:
            paths.append(trajectory(OI, case))
            cai.append(np.ravel(case.sweep.CAI))
        elif case.result is not None:
            result = case.result
            x, y = np.array([result.OI]), np.array([result.attainable])
            paths.append(Trajectory(case.name, "", np.array([0.0]), x, y, result.machine))
            cai.append(np.array([result.CAI]))
    _refuse_infinite(shown, [value for values in cai for value in values.tolist()], "CAI")
    if cut is None and paths:
        middle = len(paths[0].x) // 2
        cut = float(paths[0].x[middle]), float(cai[0][middle])
        if not all(np.isfinite(cut)) or min(cut) <= 0:
            cut = None
    return Space(machine.name, *three_rates(machine), tuple(paths), tuple(cai), cut)


def _refuse_infinite(shown: Sequence[Case], intensities: Sequence[float], symbol: str) -> None:
    """Refuse models none of which sends anything (R0803)."""
    if intensities and not np.isfinite(intensities).any():
        names = ", ".join(dict.fromkeys(case.name for case in shown))
        message = f"nothing of {names} goes over the network, so {symbol} is infinite"
        raise RoofError([Diagnostic("R0803", message, hint="state it: `network = …`")])


def plane(machine: MachineDefinition, shown: Sequence[Case]) -> Plane:
    """Return the ridgeline's plane of a machine with the cases on it.

    Raises RoofError where none of the models sends anything (R0803).
    """
    points: list[Point] = []
    paths: list[Trajectory] = []
    for case in shown:
        if case.sweep is not None and case.parameter is not None:
            along = trajectory(OI, case)
            x, y = np.ravel(case.sweep.MI), np.ravel(case.sweep.OI)
            path = path_between(case.sweep, (("memory", "network"), ("flops", "memory")))
            paths.append(
                Trajectory(
                    along.kernel,
                    along.parameter,
                    along.values,
                    x,
                    y,
                    along.machine,
                    ends=along.ends,
                    path=path,
                )
            )
        elif case.result is not None:
            result = case.result
            points.append(Point(case.name, result.MI, result.OI, result.machine))
    _refuse_infinite(
        shown, [point.x for point in points] + [x for path in paths for x in path.x.tolist()], "MI"
    )
    kept = [point for point in points if not (np.isnan(point.x) or np.isnan(point.y))]
    undrawn = tuple(point.kernel for point in points if point not in kept)
    return Plane(machine.name, *three_rates(machine), tuple(kept), tuple(paths), undrawn)
