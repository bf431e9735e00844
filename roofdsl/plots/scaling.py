"""Strong and weak scaling of a prediction, and the sizes that keep its efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from roofdsl.analysis.isoefficiency import isoefficiency as least_sizes
from roofdsl.analysis.scaling import law_of, processes_of
from roofdsl.analysis.scaling_law import ScalingLaw
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.figures import scaling as scaling_figure
from roofdsl.figures.look import PLAIN, Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.scale import Array
from roofdsl.figures.scaling import Isoline, ScalingCurves, Series
from roofdsl.model.arguments import Value
from roofdsl.plots import cases


def scaling(
    prediction: cases.PredictionLike,
    at: cases.Settings = cases.NOWHERE,
    size: str | None = None,
    isoefficiency: Sequence[float] = (),
    look: Look = PLAIN,
    *,
    strong: bool = False,
) -> Picture:
    """Draw speed-up and efficiency over the process counts in `at`.

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
    efficiencies: Sequence[float] = (),
    *,
    strong: bool = False,
) -> ScalingCurves:
    """Return speed-up and efficiency over process counts, a series for each value of `size`."""
    count = processes_of(asked.model)
    if count not in at or cases.is_single(at[count]):
        message = f"scaling needs several values of {count}"
        raise RoofError([Diagnostic("R0807", message, hint=f"such as {count} = 1, 4, 16, 64")])
    processes = np.ravel(np.asarray(at[count], dtype=float))
    fixed, several = cases.divided({name: value for name, value in at.items() if name != count})
    size = size or next(iter(several), None)
    others = {name: at[name] for name in several if name != size}
    cases.one_value_each(others, f"the series go by {size}")
    sizes = several[size].astype(float).tolist() if size in several else []
    shown = {asked.model.name: fixed}
    if size is not None and sizes:
        shown = {f"{size} = {n:g}": {**fixed, size: n} for n in sizes}
    unknown = unknown_named(count, asked.model, asked.machine)
    laws = {
        name: law_of(asked.bound(case, [count]), unknown, strong=strong)
        for name, case in shown.items()
    }
    series = [_series(asked, shown[name], laws[name], processes, name) for name in shown]
    law = next(iter(laws.values()))
    if wrong := [each for each in efficiencies if not 0 < each <= 1]:
        message = f"an efficiency to keep is more than 0 and at most 1, not {wrong[0]:g}"
        raise RoofError([Diagnostic("R0807", message, hint="80 % is 0.8")])
    if efficiencies and (size is None or (law.kind == "weak" and not law.parts)):
        message = "sizes that keep an efficiency are those of strong scaling, over several sizes"
        hint = f"give a parameter other than {count} several values"
        raise RoofError([Diagnostic("R0807", message, hint=hint)])
    isolines: tuple[Isoline, ...] = ()
    if size is not None and efficiencies:
        isolines = _isolines(asked, {**fixed}, law, size, processes, efficiencies)
    return ScalingCurves(tuple(series), isolines, _label(asked, size), law.kind)


def _label(asked: ModelOnMachine, size: str | None) -> str:
    for parameter in asked.model.parameters:
        if parameter.name == size:
            return f"{size}: {parameter.doc}" if 0 < len(parameter.doc) < 40 else parameter.name
    return ""


def _series(
    asked: ModelOnMachine,
    fixed: Mapping[str, Value],
    law: ScalingLaw,
    processes: Array,
    name: str,
) -> Series:
    (count,) = law.fewest
    times = np.ravel(asked.sweep({**fixed, count: processes}).time)
    points = [
        law.of_time({count: int(each)}, time)
        for each, time in zip(processes.tolist(), times.tolist(), strict=True)
    ]
    speedup = np.array([point.speedup for point in points])
    return Series(name, processes, speedup, np.array([point.efficiency for point in points]))


def _isolines(
    asked: ModelOnMachine,
    fixed: Mapping[str, Value],
    law: ScalingLaw,
    size: str,
    processes: Array,
    efficiencies: Sequence[float],
) -> tuple[Isoline, ...]:
    """Return the least sizes that keep each efficiency, as the solver proves them."""
    (count,) = law.fewest
    unknown = unknown_named(size, asked.model, asked.machine)
    counts = [int(each) for each in processes.tolist() if each > law.base]
    found = []
    for efficiency in efficiencies:
        exact = Fraction(efficiency).limit_denominator(1000)
        kept = least_sizes(
            lambda each: asked.bound({**fixed, count: each}, [size]), unknown, law, exact, counts
        )
        sizes = [np.nan if each.size is None else float(each.size) for each in kept.sizes]
        found.append(Isoline(efficiency, np.array(counts, dtype=float), np.array(sizes)))
    return tuple(found)
