"""Rooflines: machines' lines, predicted and measured points, trajectories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from roofdsl.allowance import computing, operations
from roofdsl.analysis.composition import Composed
from roofdsl.analysis.intensity import quotient_of
from roofdsl.analysis.machine_ridge import machine_own
from roofdsl.analysis.of_jobs import refuse_of_mix
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.result import Result
from roofdsl.answer.swept import Sweep
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.figures.chart import CAI, OI, Axis, Chart, Point, Roof, Trajectory, own_axis
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.roofline import charts
from roofdsl.figures.scale import Array
from roofdsl.figures.steps import leaves
from roofdsl.model.types import MachineDefinition
from roofdsl.plots import cases
from roofdsl.plots.ceilings import ceilings_along, ceilings_of
from roofdsl.plots.measured import MeasuredKernel
from roofdsl.plots.roofs import lines, roofs_of
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity

# Beyond so many samples the line between them follows the roof by itself.
_DENSE_ENOUGH = 400
_PER_PAIR = 40  # operations
_PARTS = 16


def roofline(
    *items: cases.ItemLike,
    at: cases.Settings = cases.NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    level: str | None = None,
    resource: str = "memory",
    look: Look = PLAIN,
    each_machine: bool = False,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over operational intensity [flop/B].

    Of another `resource`, over flops for each unit of work on it: `flops/nvme`.

    `items` are machines, and predictions (`model.on(machine)`) with their parameters `at` values;
    an array of values makes a trajectory. `level` picks the memory level that counts. With
    `each_machine`, each has a panel, all with the same axes. Raises RoofError where a value is
    missing or does not fit, or a machine lacks the level (R0804).

    >>> from roofdsl.embedding.machine import load_machine
    >>> from roofdsl.embedding.model import load_model
    >>> prediction = load_model("summa").on(load_machine("karst"))
    >>> figure = roofline(prediction, at={"N": [242, 4096, 61952], "P": 121})
    >>> figure.title, len(figure.table.rows)
    ('summa on karst P = 121', 6)
    """
    return _panels(items, at, measured, look, (resource,), level, each_machine=each_machine)


def communication(
    *items: cases.ItemLike,
    at: cases.Settings = cases.NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    look: Look = PLAIN,
    each_machine: bool = False,
) -> Picture:
    """Draw attainable performance [GFLOP/s] over communication arithmetic intensity [flop/B].

    Otherwise like `roofline`. Raises RoofError also where no model sends anything (R0803).
    """
    return _panels(items, at, measured, look, ("network",), each_machine=each_machine)


def pair(
    *items: cases.ItemLike,
    at: cases.Settings = cases.NOWHERE,
    measured: Iterable[MeasuredKernel] = (),
    resource: str = "network",
    look: Look = PLAIN,
) -> Picture:
    """Draw `roofline` and `communication`, or that of another `resource`, side by side."""
    return _panels(items, at, measured, look, ("memory", resource))


def _panels(
    shown: Sequence[cases.ItemLike],
    at: cases.Settings,
    measured: Iterable[MeasuredKernel],
    look: Look,
    resources: Sequence[str],
    level: str | None = None,
    *,
    each_machine: bool = False,
) -> Picture:
    items = [cases.item_of(each) for each in shown]
    machines = cases.machines_of(items)
    if not machines:
        raise RoofError([Diagnostic("R0807", "a roofline needs a machine")])
    found, points = cases.under_roofs(items, at), tuple(measured)
    axes = [axis_of(resource, machines, found) for resource in resources]
    drawn = []
    for axis, own in product(axes, [[each] for each in machines] if each_machine else [machines]):
        here = [case for case in found if case.asked.machine in own]
        others = {machine.name for machine in machines if machine not in own}
        # What was measured on none of them stands in each.
        seen = [point for point in points if point.machine.partition(".")[0] not in others]
        drawn.append(chart(axis, own, here, seen, level))
    return charts(drawn, look, *cases.titles(items, at))


def axis_of(
    resource: str, machines: Sequence[MachineDefinition], shown: Sequence[cases.Case]
) -> Axis:
    """Return the axis of a resource; raise RoofError where nothing shown has it (R0807)."""
    if resource in (known := {axis.resource: axis for axis in (OI, CAI)}):
        return known[resource]
    parts = [part for machine in machines for part in (machine, *machine.devices.values())]
    own = {name: unit for part in parts for name, unit in machine_own(part).items()}
    for case in shown:
        own |= (case.result or case.ends[0]).own
    if resource in own:
        return own_axis(resource, own[resource])
    hint = did_you_mean(resource, [*known, *own]) or f"there are {', '.join([*known, *own])}"
    message = f"there is no figure over '{resource}' here"
    raise RoofError([Diagnostic("R0807", message, hint=hint)])


def chart(
    axis: Axis,
    machines: Sequence[MachineDefinition],
    shown: Sequence[cases.Case],
    measured: Sequence[MeasuredKernel] = (),
    level: str | None = None,
) -> Chart:
    """Return a roofline chart over OI, CAI, or flops for each unit of another resource.

    Raises RoofError where none of the models, or measurements, works on the axis's resource
    (R0803), and where a machine has no rate for it (R0804).
    """
    roofs = tuple(
        roof
        for machine in machines
        for roof in roofs_of(machine, axis.resource, level, _results(machine, shown))
    )
    # Each name looks for a place among all lines.
    count = sum(len(roof.slopes) + len(roof.ceilings) for roof in roofs)
    with computing(f"where the names of the {count:,} lines of a figure stand"):
        operations().spend(_PER_PAIR * count**2)
    points: list[Point] = []
    paths: list[Trajectory] = []
    for case in shown:
        wanted = _wanted(axis.resource, case.asked.machine, level)
        if case.result is not None:
            points += _points(axis, case.name, case.result, wanted, roofs)
        elif case.sweep is not None and case.parameter is not None:
            paths += _trajectories(axis, case, wanted)
    undrawn = []
    for item in measured:
        point = item.point(axis.symbol, axis.work)
        if level is not None and item.level not in ("", level.rpartition(".")[2]):
            continue
        if point is None:
            undrawn.append(f"{item.kernel} (no {axis.symbol} or no performance in the table)")
        else:
            points.append(point)
    levels = {point.level for point in points} | {path.level for path in paths}
    if level or any(levels):
        points = [replace(point, level=_main(roofs, point)) for point in points]
        paths = [replace(path, level=_main(roofs, path)) for path in paths]
    intensities = [point.x for point in points] + [x for path in paths for x in path.x.tolist()]
    if intensities and not np.isfinite(intensities).any():
        raise RoofError([_no_work(axis, shown, measured, bool(np.isinf(intensities).any()))])
    return Chart(axis, roofs, tuple(points), tuple(paths), tuple(undrawn))


def _results(machine: MachineDefinition, shown: Sequence[cases.Case]) -> list[Result]:
    """Return the predictions on a machine whose peaks count: of a range, those at its ends."""
    return [each for case in shown if case.asked.machine is machine for each in case.outermost]


def _wanted(resource: str, definition: MachineDefinition, level: str | None) -> str | None:
    """Return the level that counts as a model calls it: "" for what plain `memory` means."""
    if level is None:
        return None
    name = level.removeprefix(f"{resource}.")
    default = next((line.name for line in lines(definition, resource) if line.main), None)
    return "" if name == default else name


def _main(roofs: Sequence[Roof], item: Point | Trajectory) -> str:
    """Return the level of a point, or what plain `memory` means on its machine, or the only one."""
    machine = item.machine or (roofs[0].machine if len(roofs) == 1 else "")
    slope = next((roof.slope for roof in roofs if roof.machine == machine), None)
    return item.level or (slope.name if slope is not None else "")


def _no_work(
    axis: Axis, shown: Sequence[cases.Case], measured: Sequence[MeasuredKernel], infinite: bool
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


def _points(
    axis: Axis, name: str, result: Result, wanted: str | None, roofs: Sequence[Roof]
) -> Iterator[Point]:
    """Yield a kernel's points, one for each memory level it works on.

    Those of a composition's steps follow, their sizes by their share of the time.
    """
    whole = result.breakdown
    below = [(name, whole, 1.0), *(leaves(whole) if whole.children else ())]
    shown = [(*each, why) for each, why in zip(below, ceilings_of(result), strict=True)]
    ordered = [shown[0], *sorted(shown[1:], key=lambda step: -step[1].time * step[2])]
    known = {roof.machine for roof in roofs}
    for path, step, runs, ceiling in ordered[whole.arrangement == "mix" :]:
        share = step.time * runs / result.time if step is not whole and result.time else None
        flops = step.counted.get("flops", 0.0)
        devices = {key.partition(".")[0] for key in step.work}
        device = f"{result.machine}.{devices.pop()}" if len(devices) == 1 else ""
        levels = _levels(step, axis.resource)
        for level, work in levels.items():
            # Of a single level of memory, any line may be asked for.
            if wanted not in (None, level) and list(levels) != [""]:
                continue
            note = ""
            if not flops and step.time:
                note = f"(0 flop) {show_quantity(work / step.time, axis.work / SECOND)}"
            yield Point(
                path,
                ratio(flops, work),
                ratio(flops, step.time) if flops else 0.0,
                device if device in known else result.machine,
                level,
                share,
                note=note,
                bound=step.bound or "",
                ceiling=ceiling,
            )


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


def _trajectories(axis: Axis, case: cases.Case, wanted: str | None) -> Iterator[Trajectory]:
    """Yield a case's trajectory; one for each memory level, where it works on several."""
    assert case.sweep is not None and case.parameter is not None
    quotients = (("flops", axis.resource), ("flops", "time"))
    whole = replace(trajectory(case, axis.symbol), path=path_between(case.sweep, quotients))
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
        yield replace(whole, x=x, level=name, path=None)


def trajectory(case: cases.Case, x: str, y: str = "attainable") -> Trajectory:
    """Return a case over two of its values, with what binds at each; one setting is one point."""
    refuse_of_mix(case.asked.model, x)
    found = case.sweep if case.result is None else case.result
    assert found is not None
    xs, ys = (np.ravel(np.asarray(_values(found, name), dtype=float)) for name in (x, y))
    if case.sweep is None or case.parameter is None:
        assert case.result is not None
        step = case.result.breakdown
        machine, why = case.result.machine, (next(ceilings_of(case.result)),)
        return Trajectory(
            case.name, "", np.zeros(1), xs, ys, machine, bounds=(step.bound or "",), ceilings=why
        )
    parameter = case.parameter
    values = np.ravel(case.sweep.parameters[parameter.name])
    ends = tuple(cases.shown_setting(parameter, float(values[index])) for index in (0, -1))
    bounds = tuple(np.ravel(case.sweep.bound).tolist())
    return Trajectory(
        case.name,
        parameter.name,
        values,
        xs,
        ys,
        case.sweep.machine,
        ends=(ends[0], ends[1] if len(values) > 1 else ""),
        bounds=bounds,
        ceilings=ceilings_along(case.sweep, case.ends[0]),
    )


def _values(found: Sweep | Result, name: str) -> Array | float:
    """Return a quantity, or a quotient of two works: `memory/nvme`."""
    known: Mapping[str, Array | float] = found.quantities
    if name in known:
        return known[name]
    above, below = (np.asarray(known[each]) for each in quotient_of(name))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(above / below)


def path_between(sweep: Sweep, quotients: tuple[tuple[str, str], tuple[str, str]]) -> Array | None:
    """Return a fine line of two quotients of a sweep's works and time, None where it has no use.

    Between two samples work is taken as a power of the parameter, as it nearly is; the time is the
    largest of the resources' times all along.
    """
    count = sweep.time.size
    if not 1 < count <= _DENSE_ENOUGH or not sweep.times:
        return None
    busy = [np.ravel(times) for times in sweep.times.values() if np.any(times > 0)]
    if not busy:
        return None
    names = list(dict.fromkeys(name for pair in quotients for name in pair if name != "time"))
    known = sweep.quantities
    rows = [np.ravel(known[name]) for name in names]
    everything = np.stack([*busy, *rows])
    largest = np.max(everything[: len(busy)], axis=0)
    if not (everything > 0).all() or not np.allclose(largest, np.ravel(sweep.time), rtol=1e-9):
        return None
    fine = np.linspace(0.0, count - 1.0, (count - 1) * _PARTS + 1)
    logs = np.stack([np.interp(fine, np.arange(count), row) for row in np.log(everything)])
    fitted = dict(zip(names, logs[len(busy) :], strict=True))
    fitted["time"] = np.max(logs[: len(busy)], axis=0)
    return np.stack([np.exp(fitted[above] - fitted[below]) for above, below in quotients], axis=1)
