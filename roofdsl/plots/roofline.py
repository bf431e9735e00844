"""Rooflines: machines' lines, predicted and measured points, trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.result import Result, machine_rates, ratio
from roofdsl.answer.sweep import Sweep
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.figures.chart import OI, Axis, Chart, Line, Point, Roof, Trajectory
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.roofline import charts
from roofdsl.model.types import MachineDefinition, Parameter
from roofdsl.plots.breakdown import leaves
from roofdsl.plots.cases import (
    NOWHERE,
    Case,
    Item,
    Setting,
    cases,
    heading,
    machines_of,
    settings_text,
    shown_setting,
)
from roofdsl.plots.measured import Measured as MeasuredKernel
from roofdsl.units.dimension import BYTE, SECOND
from roofdsl.units.quantity import show_quantity

Array = NDArray[np.float64]
# Beyond so many samples the line between them follows the roof by itself.
_DENSE_ENOUGH = 400
_PARTS = 16
MOST_STEPS = 60
_BYTES_PER_SECOND = BYTE / SECOND


def roofline(
    items: Sequence[Item],
    at: Mapping[str, Setting] = NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    level: str | None = None,
    look: Look = PLAIN,
    axes: Sequence[Axis] = (OI,),
) -> Picture:
    """Draw attainable performance over the intensities of `axes`, a panel each."""
    machines = machines_of(items)
    if not machines:
        raise RoofError([Diagnostic("R0807", "a roofline needs a machine")])
    shown = cases(items, at)
    points = tuple(measured)
    drawn = [chart(axis, machines, shown, points, level) for axis in axes]
    return charts(drawn, look, heading(items), settings_text(items, at))


def _parts(machine: MachineDefinition) -> Iterator[tuple[str, MachineDefinition]]:
    """Yield a machine, or, where it has no rates of its own, its devices."""
    if machine.devices and not any(r.resource.name == "flops" for r in machine.rates):
        for name, device in machine.devices.items():
            yield f"{machine.name}.{name}", device
    else:
        yield machine.name, machine


def roof(name: str, definition: MachineDefinition, resource: str, level: str | None = None) -> Roof:
    """Return a machine's ceilings and its bandwidth lines for a resource.

    `level` picks the one that counts, as `L2` or `memory.L2`. Raises RoofError where the machine
    has no rate for the resource, or not that level (R0804).
    """
    ceilings = _lines(definition, "flops", None)
    slopes = _lines(definition, resource, level)
    limited = any(rate.resource.name == resource for rate in definition.rates)
    if level is not None and not any(line.main for line in slopes):
        raise RoofError([_lacks(definition, resource, level, [line.name for line in slopes])])
    if not limited:
        raise RoofError([_lacks(definition, resource, None, [])])
    return Roof(name, ceilings, slopes)


def _lines(definition: MachineDefinition, resource: str, level: str | None) -> tuple[Line, ...]:
    rates = machine_rates(definition)
    keys = [rate.key for rate in definition.rates if rate.resource.name == resource]
    wanted = level.removeprefix(f"{resource}.") if level is not None else None
    default = definition.defaults.get(resource, keys[0] if len(keys) == 1 else resource)
    found = []
    for rate in definition.rates:
        if rate.resource.name != resource or rate.key not in rates:
            continue
        plain = "peak" if resource == "flops" else resource
        name = rate.key.removeprefix(f"{resource}.") if "." in rate.key else plain
        main = rate.key == default if wanted is None else name == wanted
        text = show_quantity(rates[rate.key], rate.resource.dimension / SECOND)
        found.append(Line(name, rates[rate.key], text, main))
    if wanted is None and found and not any(line.main for line in found):
        # No level is the default one: the slowest memory, the fastest unit counts.
        chosen = (max if resource == "flops" else min)(found, key=lambda line: line.value)
        found = [Line(line.name, line.value, line.text, main=line is chosen) for line in found]
    return tuple(found)


def _lacks(
    definition: MachineDefinition, resource: str, level: str | None, known: list[str]
) -> Diagnostic:
    what = resource if level is None else level
    rates = ", ".join(rate.key for rate in definition.rates) or "none"
    hint = did_you_mean(what, known) if level is not None else None
    return Diagnostic(
        "R0804",
        f"machine '{definition.name}' has no rate for {what}, so there is no line to draw",
        (Label(definition.span, "the machine"),),
        hint or f"rates of '{definition.name}': {rates}",
    )


def chart(
    axis: Axis,
    machines: Sequence[MachineDefinition],
    shown: Sequence[Case],
    measured: Sequence[MeasuredKernel] = (),
    level: str | None = None,
) -> Chart:
    """Return a roofline chart over OI or CAI.

    Raises RoofError where none of the models, or measurements, works on the axis's resource
    (R0803), and where a machine has no rate for it (R0804).
    """
    roofs = tuple(
        roof(name, definition, axis.resource, level)
        for machine in machines
        for name, definition in _parts(machine)
    )
    points: list[Point] = []
    paths: list[Trajectory] = []
    for case in shown:
        wanted = _wanted(axis.resource, case.asked.machine, level)
        if case.result is not None:
            points += _points(axis, case.name, case.result, wanted)
        elif case.sweep is not None and case.parameter is not None:
            paths += _trajectories(axis, case, wanted)
    points += [
        point
        for item in measured
        if (point := item.point(axis.symbol)) is not None
        and (level is None or point.level in ("", level.rpartition(".")[2]))
    ]
    levels = {point.level for point in points} | {path.level for path in paths}
    if level or any(levels):
        points = [replace(point, level=_main(roofs, point)) for point in points]
        paths = [replace(path, level=_main(roofs, path)) for path in paths]
    intensities = [point.x for point in points] + [x for path in paths for x in path.x.tolist()]
    if intensities and not np.isfinite(intensities).any():
        raise RoofError([_no_work(axis, shown, measured, bool(np.isinf(intensities).any()))])
    drawn = [point for point in points if not (np.isnan(point.x) or np.isnan(point.y))]
    left = [point for point in points if np.isnan(point.x) or np.isnan(point.y)]
    undrawn = tuple(f"{point.kernel} (neither flops nor {axis.resource})" for point in left)
    return Chart(axis, roofs, tuple(drawn), tuple(paths), undrawn)


def _wanted(resource: str, definition: MachineDefinition, level: str | None) -> str | None:
    """Return the level that counts as a model calls it: "" for what plain `memory` means."""
    if level is None:
        return None
    name = level.removeprefix(f"{resource}.")
    default = next((line.name for line in _lines(definition, resource, None) if line.main), None)
    return "" if name == default else name


def _main(roofs: Sequence[Roof], item: Point | Trajectory) -> str:
    """Return the level of a point, or what plain `memory` means on its machine."""
    slope = next((roof.slope for roof in roofs if roof.machine == item.machine), None)
    return item.level or (slope.name if slope is not None else "")


def _no_work(
    axis: Axis, shown: Sequence[Case], measured: Sequence[MeasuredKernel], infinite: bool
) -> Diagnostic:
    names = list(dict.fromkeys([case.name for case in shown] + [item.kernel for item in measured]))
    who = f"'{names[0]}'" if len(names) == 1 else f"none of the {len(names)} models"
    verb = "does nothing" if len(names) == 1 else "does anything"
    labels = tuple(Label(case.asked.model.span, f"no {axis.resource} here") for case in shown[:1])
    value = "infinite" if infinite else "0/0, undefined"
    state = f"state its work, `{axis.resource} = …`" if shown else "give its bytes in the table"
    return Diagnostic(
        "R0803",
        f"{who} {verb} on the {axis.resource}, so {axis.symbol} is {value}",
        labels,
        f"{state}, or draw another figure",
    )


def _points(axis: Axis, name: str, result: Result, wanted: str | None) -> Iterator[Point]:
    """Yield a kernel's points, one for each memory level it works on.

    Those of a composition's steps follow, their sizes by their share of the time.
    """
    whole = result.breakdown
    steps = sorted(leaves(whole), key=lambda step: -step[1].time * step[2])
    for path, step, runs in [(name, whole, 1.0), *steps[:MOST_STEPS]]:
        share = step.time * runs / result.time if step is not whole and result.time else None
        flops = _total(step, "flops")
        levels = _levels(step, axis.resource)
        for found, work in levels.items():
            # Of a single level of memory, any line may be asked for.
            if wanted in (None, found) or list(levels) == [""]:
                yield _point(path, result.machine, found, flops, work, step.time, share)


def _total(step: Composed[float], resource: str) -> float:
    return sum(work for key, work in step.work.items() if resource in key.split("."))


def _levels(step: Composed[float], resource: str) -> dict[str, float]:
    """Return a step's work on each level of memory; on other resources, all of it at once.

    A level it does not touch is left out where it touches another.
    """
    levels: dict[str, float] = {}
    for key, work in step.work.items():
        parts = key.split(".")
        if resource in parts:
            level = parts[-1] if resource == "memory" and parts[-1] != resource else ""
            levels[level] = levels.get(level, 0.0) + work
    touched = {level: work for level, work in levels.items() if work}
    return touched or levels or {"": 0.0}


def _point(
    name: str,
    machine: str,
    level: str,
    flops: float,
    work: float,
    time: float,
    share: float | None,
) -> Point:
    note = ""
    if not flops and time:
        note = f"(0 flop) {show_quantity(work / time, _BYTES_PER_SECOND)}"
    performance = ratio(flops, time) if flops else 0.0
    return Point(name, ratio(flops, work), performance, machine, level, share, note=note)


def _trajectories(axis: Axis, case: Case, wanted: str | None) -> Iterator[Trajectory]:
    """Yield a case's trajectory; one for each memory level, where it works on several."""
    assert case.sweep is not None and case.parameter is not None
    whole = trajectory(axis, case.name, case.sweep, case.parameter)
    levels = [_levels(result.breakdown, axis.resource) for result in case.results]
    names = list(dict.fromkeys(name for found in levels for name in found))
    if axis.resource != "memory" or len(names) < 2:
        yield whole
        return
    flops = np.ravel(case.sweep.flops)
    for name in names:
        if wanted not in (None, name):
            continue
        work = np.array([found.get(name, 0.0) for found in levels])
        with np.errstate(divide="ignore", invalid="ignore"):
            x = flops / work
        kept = np.flatnonzero(np.isfinite(x))
        if len(kept):
            ends = [
                shown_setting(case.parameter, float(whole.values[kept[end]])) for end in (0, -1)
            ]
            last = ends[1] if len(kept) > 1 else ""
            yield replace(whole, x=x, level=name, path=None, ends=(ends[0], last))


def trajectory(axis: Axis, name: str, sweep: Sweep, parameter: Parameter) -> Trajectory:
    values = np.ravel(sweep.parameters[parameter.name])
    x = np.ravel(getattr(sweep, axis.symbol))
    y = np.ravel(sweep.attainable)
    ends = tuple(shown_setting(parameter, float(values[index])) for index in (0, -1))
    return Trajectory(
        name,
        parameter.name,
        values,
        x,
        y,
        sweep.machine,
        ends=(ends[0], ends[1] if len(values) > 1 else ""),
        path=_path(axis, sweep),
    )


def _path(axis: Axis, sweep: Sweep) -> Array | None:
    """Return the line between a sweep's samples, which bends where the bound changes."""
    return path_between(sweep, (("flops", axis.resource), ("flops", "time")))


def path_between(sweep: Sweep, quotients: tuple[tuple[str, str], tuple[str, str]]) -> Array | None:
    """Return a fine line of two quotients of a sweep's works and time, None where it has no use.

    Between two samples work is taken as a power of the parameter, as it nearly is; the time is the
    largest of the resources' times all along.
    """
    count = sweep.time.size
    if not 1 < count <= _DENSE_ENOUGH or not sweep.times:
        return None
    busy = [np.ravel(times) for times in sweep.times.values() if np.any(times > 0)]
    names = list(dict.fromkeys(name for pair in quotients for name in pair if name != "time"))
    rows = [np.ravel(getattr(sweep, name)) for name in names]
    everything = np.stack([*busy, *rows])
    largest = np.max(everything[: len(busy)], axis=0)
    if not (everything > 0).all() or not np.allclose(largest, np.ravel(sweep.time), rtol=1e-9):
        return None
    fine = np.linspace(0.0, count - 1.0, (count - 1) * _PARTS + 1)
    logs = np.stack([np.interp(fine, np.arange(count), row) for row in np.log(everything)])
    known = dict(zip(names, logs[len(busy) :], strict=True))
    known["time"] = np.max(logs[: len(busy)], axis=0)
    return np.stack([np.exp(known[above] - known[below]) for above, below in quotients], axis=1)
