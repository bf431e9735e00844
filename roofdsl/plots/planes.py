"""The surface over OI and CAI, and the ridgeline's plane of MI and OI."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from roofdsl.analysis.matching import default_key
from roofdsl.analysis.rates import machine_rates
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.figures import ridgeline as ridgeline_figure
from roofdsl.figures import surface as surface_figure
from roofdsl.figures.chart import Axis, ThreeRoofs
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.ridgeline import Plane
from roofdsl.figures.scale import Array
from roofdsl.figures.space import Space
from roofdsl.model.types import MachineDefinition
from roofdsl.plots import cases
from roofdsl.plots.roofline import axis_of, path_between, trajectory
from roofdsl.units.dimension import FLOP, SECOND
from roofdsl.units.quantity import show_quantity


def surface(
    *items: cases.ItemLike,
    at: cases.Settings = cases.NOWHERE,
    cut: tuple[float, float] | None = None,
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw performance over OI and CAI, in three planes coloured by bound, and two slices.

    All `items` are on one machine. `cut`, an OI and a CAI [flop/B], is where the slices go. Another
    `resource` takes the network's place.
    """
    shown = [cases.item_of(each) for each in items]
    data = space(_one_machine(shown, "a surface"), cases.under_roofs(shown, at), cut, resource)
    return surface_figure.surface(data, look, *cases.titles(shown, at))


def ridgeline(
    *items: cases.ItemLike,
    at: cases.Settings = cases.NOWHERE,
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw the plane of memory and operational intensity with its three regions.

    All `items` are on one machine. Another `resource` takes the network's place. Raises RoofError
    where no model sends anything, or works on that (R0803).
    """
    shown = [cases.item_of(each) for each in items]
    data = plane(_one_machine(shown, "a ridgeline"), cases.under_roofs(shown, at), resource)
    return ridgeline_figure.ridgeline(data, look, *cases.titles(shown, at))


def _one_machine(items: Sequence[cases.Item], what: str) -> MachineDefinition:
    machines = cases.machines_of(items)
    if len(machines) == 1:
        return machines[0]
    names = ", ".join(machine.name for machine in machines) or "none"
    message = f"{what} shows one machine, given: {names}"
    raise RoofError([Diagnostic("R0807", message, hint="make one figure for each")])


def three_roofs(
    machine: MachineDefinition, shown: Sequence[cases.Case], across: str = "network"
) -> ThreeRoofs:
    """Return a machine's memory, network and the peak of what is shown, or its plain one.

    A resource `across` takes the network's place. Of several peaks the first counts, and a note
    says so. Raises RoofError where the machine lacks a rate, or has it unlimited (R0804).
    """
    rates = machine_rates(machine)
    found: list[float] = []
    binds: list[tuple[str, ...]] = [("flops", *machine.concurrent)]
    peaks = list(dict.fromkeys(peak for case in shown for peak in case.peaks))
    axis = axis_of(across, [machine], shown)
    for resource in ("flops", "memory", across):
        key = default_key(machine, resource)
        value = peaks[0] if resource == "flops" and peaks else rates.get(key)
        if value is None:
            known = ", ".join(rate.key for rate in machine.rates) or "none"
            message = f"machine '{machine.name}' has no limited rate for {resource}"
            hint = f"this figure needs flops, memory and {across}; rates: {known}"
            labels = (Label(machine.span, "the machine"),)
            raise RoofError([Diagnostic("R0804", message, labels, hint)])
        found.append(value)
        binds += [(resource, key)] if resource != "flops" else []
    note = ""
    if len(peaks) > 1:
        shown_peak = show_quantity(peaks[0], FLOP / SECOND)
        note = f"regions: of a peak of {shown_peak}, the first of {len(peaks)}"
    return ThreeRoofs(machine.name, found[0], found[1], found[2], tuple(binds), note, axis)


def space(
    machine: MachineDefinition,
    shown: Sequence[cases.Case],
    cut: tuple[float, float] | None = None,
    across: str = "network",
) -> Space:
    """Return the space of a machine with the cases in it; single points are trajectories of one.

    `cut` is where the slices go, OI and CAI; by default through the middle of the first case.
    Raises RoofError where none of the models sends anything (R0803).
    """
    axis = axis_of(across, [machine], shown)
    paths = [trajectory(case, "OI") for case in shown]
    cai = [trajectory(case, axis.symbol).x for case in shown]
    _refuse_infinite(shown, cai, axis, axis.symbol)
    if cut is not None and not all(0 < each < np.inf for each in cut):
        message = "slices go through intensities of more than 0"
        raise RoofError([Diagnostic("R0807", message, hint="such as an OI of 1 and a CAI of 10")])
    if cut is None and paths:
        middle = len(paths[0].x) // 2
        cut = float(paths[0].x[middle]), float(cai[0][middle])
        if not all(np.isfinite(cut)) or min(cut) <= 0:
            cut = None
    return Space(three_roofs(machine, shown, across), tuple(paths), tuple(cai), cut)


def plane(
    machine: MachineDefinition, shown: Sequence[cases.Case], across: str = "network"
) -> Plane:
    """Return the ridgeline's plane of a machine with the cases on it.

    Raises RoofError where none of the models sends anything (R0803).
    """
    axis = axis_of(across, [machine], shown)
    symbol, _ = axis.memory
    paths = [trajectory(case, symbol, "OI") for case in shown]
    _refuse_infinite(shown, [path.x for path in paths], axis, symbol)
    points = tuple(path.point(0) for path in paths if not path.parameter)
    trajectories = []
    for case, path in zip(shown, paths, strict=True):
        if case.sweep is not None:
            bent = path_between(case.sweep, (("memory", across), ("flops", "memory")))
            trajectories.append(replace(path, path=bent))
    return Plane(three_roofs(machine, shown, across), points, tuple(trajectories))


def _refuse_infinite(
    shown: Sequence[cases.Case], intensities: Sequence[Array], axis: Axis, symbol: str
) -> None:
    """Refuse models none of which sends anything, or works on the axis's resource (R0803)."""
    if intensities and not any(np.isfinite(values).any() for values in intensities):
        names = ", ".join(dict.fromkeys(case.name for case in shown))
        resource = axis.resource
        verb = "goes over" if resource == "network" else "works on"
        message = f"nothing of {names} {verb} the {resource}, so {symbol} is infinite"
        raise RoofError([Diagnostic("R0803", message, hint=f"state it: `{resource} = …`")])
