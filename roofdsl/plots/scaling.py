"""Strong and weak scaling of a prediction, and the sizes that keep its efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roofdsl.analysis.binding import refuse_unknown
from roofdsl.analysis.isoefficiency import Isoefficiency, kept_efficiency
from roofdsl.analysis.isoefficiency import isoefficiency as least_sizes
from roofdsl.analysis.scaling import law_of
from roofdsl.analysis.scaling_law import ScalingLaw, ScalingPoint
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine, Values
from roofdsl.answer.scaling import scaled
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import scaling as scaling_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.scale import Array
from roofdsl.figures.scaling import Isoline, ScalingCurves, Series
from roofdsl.model.given import is_several
from roofdsl.plots import cases


def scaling(
    prediction: cases.PredictionLike,
    at: cases.Settings = cases.NOWHERE,
    size: str | None = None,
    isoefficiency: Sequence[str | float] = (),
    look: Look = PLAIN,
    *,
    strong: bool = False,
) -> Picture:
    """Draw speed-up and efficiency over the process counts in `at`, or those that are allowed.

    Several values of another parameter, `size`, make a series each. A value that grows with the
    process count (`{"N": "2048*sqrt(P)"}`) makes it weak scaling, and so does work of which each
    process has a part of its own, unless it is said to be `strong`. `isoefficiency` adds the sizes
    that keep those efficiencies.
    """
    asked = cases.asked_of(prediction)
    data = growth(asked, at, size, isoefficiency, strong=strong)
    title, subtitle = cases.titles([asked], at)
    return scaling_figure.scaling(data, look, f"{title}, {data.kind} scaling", subtitle)


def growth(
    asked: ModelOnMachine,
    at: cases.Settings,
    size: str | None,
    efficiencies: Sequence[str | float] = (),
    *,
    strong: bool = False,
) -> ScalingCurves:
    """Return speed-up and efficiency over process counts, a series for each value of `size`."""
    refuse_unknown((name for name in at if asked.of_machine(name) is None), [asked.model])
    counts = [p.name for p in asked.model.parameters if p.kind == "processes"]
    count = next((name for name in counts if name in at and is_several(at[name])), None)
    if count is None and any(name in at for name in counts[:1]):
        message = f"scaling needs several values of {counts[0]}"
        raise RoofError([Diagnostic("R0807", message, hint=f"such as {counts[0]} = 1, 4, 16, 64")])
    processes = None if count is None else asked.numbers(count, at[count]).ravel()
    fixed, several = cases.divided({name: value for name, value in at.items() if name != count})
    size = next(iter(several), None) if size is None else size
    others = {name: at[name] for name in several if name != size}
    cases.one_value_each(others, f"the series go by {size}")
    sizes = asked.numbers(size, several[size]).tolist() if size in several else []
    shown = {asked.model.name: fixed}
    if size is not None and sizes:
        parameter = asked.parameters_of(at)[size]
        shown = {cases.shown_setting(parameter, n): {**fixed, size: n} for n in sizes}
    measured = {
        name: _measured(asked, case, count, processes, strong=strong)
        for name, case in shown.items()
    }
    series = [_series(name, points) for name, (_, points) in measured.items()]
    law, points = next(iter(measured.values()))
    kept = [kept_efficiency(each) for each in efficiencies]
    if kept and (size is None or (law.kind == "weak" and not law.parts)):
        message = "sizes that keep an efficiency are those of strong scaling, over several sizes"
        hint = f"give a parameter other than {' and '.join(counts)} several values"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    isolines: tuple[Isoline, ...] = ()
    if size is not None and kept:
        unknown = unknown_named(size, asked.model, asked.machine)
        more = [point.at for point in points if point.processes > law.base]
        isolines = tuple(
            _isoline(
                least_sizes(
                    lambda at: asked.bound({**fixed, **at}, [size]), unknown, law, each, more
                )
            )
            for each in kept
        )
    return ScalingCurves(tuple(series), isolines, _label(asked, size), law.kind)


def _label(asked: ModelOnMachine, size: str | None) -> str:
    for parameter in asked.model.parameters:
        if parameter.name == size:
            return f"{size}: {parameter.doc}" if 0 < len(parameter.doc) < 40 else parameter.name
    return ""


def _measured(
    asked: ModelOnMachine,
    fixed: Mapping[str, Values],
    count: str | None,
    processes: Array | None,
    *,
    strong: bool,
) -> tuple[ScalingLaw, Sequence[ScalingPoint]]:
    """Return the law and its points: at the counts given, else at those that `study` shows."""
    asked, fixed = asked.on(fixed)
    if count is None or processes is None:
        found = scaled(asked, fixed, strong=strong)[0]
        return found.law, found.points
    unknown = unknown_named(count, asked.model, asked.machine)
    times = np.ravel(asked.sweep({**fixed, count: processes}).time)
    law = law_of(asked.bound(fixed, [count]), unknown, fixed, strong=strong)
    points = [
        law.of_time({count: int(each)}, time)
        for each, time in zip(processes.tolist(), times.tolist(), strict=True)
    ]
    # What all others are compared with stands at the line's beginning.
    before = law.base < min(point.processes for point in points)
    return law, [law.point(law.fewest), *points] if before else points


def _series(name: str, points: Sequence[ScalingPoint]) -> Series:
    counts, speedups, efficiencies = (
        np.array([float(getattr(point, field)) for point in points])
        for field in ("processes", "speedup", "efficiency")
    )
    return Series(name, counts, speedups, efficiencies)


def _isoline(found: Isoefficiency) -> Isoline:
    """Return the least sizes that keep an efficiency, as the solver proves them."""
    counts = [float(each.processes) for each in found.sizes]
    sizes = [np.nan if each.size is None else float(each.size) for each in found.sizes]
    return Isoline(float(found.efficiency), np.array(counts), np.array(sizes))
