"""Strong and weak scaling of a prediction, and the sizes that keep its efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from roofdsl.analysis.scaling import isoefficiency
from roofdsl.analysis.unknown import unknown_named
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.figure_data.cases import Array, Setting, is_single
from roofdsl.embedding.figure_data.freed import freed
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures.scaling import Isoline, Scaling, Series
from roofdsl.model.arguments import Value


def processes_of(prediction: Prediction) -> str:
    """Return the name of the parameter that counts processes; raise RoofError if there is none."""
    for parameter in prediction.model.definition.parameters:
        if parameter.kind == "processes":
            return parameter.name
    message = f"'{prediction.model.name}' has no parameter that counts processes"
    hint = "declare it: `param P: processes`"
    raise RoofError([Diagnostic("R0807", message, hint=hint)])


def growth(
    prediction: Prediction,
    at: Mapping[str, Setting],
    size: str | None,
    efficiencies: Sequence[float] = (),
) -> Scaling:
    """Return speed-up and efficiency over process counts, a series for each value of `size`.

    Strong: T(1)/T(P). Weak, where another value is a text that names the process count (such as
    `"2048*sqrt(P)"`): P·T(1)/T(P). Efficiency is the speed-up over P.
    """
    count = processes_of(prediction)
    if count not in at or is_single(at[count]):
        message = f"scaling needs several values of {count}"
        raise RoofError([Diagnostic("R0807", message, hint=f"such as {count} = 1, 4, 16, 64")])
    processes = np.ravel(np.asarray(at[count], dtype=float))
    fixed: dict[str, Value] = {}
    sizes: list[float] = []
    for name, value in at.items():
        if name == count:
            continue
        if is_single(value):
            fixed[name] = value
        elif size in (None, name):
            size, sizes = name, np.ravel(np.asarray(value, dtype=float)).tolist()
        else:
            message = f"{name} has several values, but the series go by {size}"
            raise RoofError([Diagnostic("R0807", message, hint=f"give {name} one value")])
    weak = any(isinstance(value, str) and count in value for value in fixed.values())
    if size is None or not sizes:
        series = [_series(prediction, fixed, count, processes, weak, prediction.model.name)]
    else:
        series = [
            _series(prediction, {**fixed, size: n}, count, processes, weak, f"{size} = {n:g}")
            for n in sizes
        ]
    isolines: tuple[Isoline, ...] = ()
    if size is not None and not weak and efficiencies:
        isolines = _isolines(prediction, fixed, count, size, processes, efficiencies)
    kind = "weak" if weak else "strong"
    return Scaling(tuple(series), isolines, _label(prediction, size), kind)


def _label(prediction: Prediction, size: str | None) -> str:
    for parameter in prediction.model.definition.parameters:
        if parameter.name == size:
            return f"{size}: {parameter.doc}" if 0 < len(parameter.doc) < 40 else parameter.name
    return ""


def _series(
    prediction: Prediction,
    fixed: Mapping[str, Value],
    count: str,
    processes: Array,
    weak: bool,
    name: str,
) -> Series:
    alone = prediction.evaluate(**{**fixed, count: 1}).time
    together = np.ravel(_times(prediction, fixed, count, processes))
    with np.errstate(divide="ignore", invalid="ignore"):
        speedup = (processes if weak else 1.0) * alone / together
    return Series(name, processes, speedup, speedup / processes)


def _times(
    prediction: Prediction, fixed: Mapping[str, Value], count: str, processes: Array
) -> Array:
    if prediction.model.definition.parts:
        return np.array(
            [prediction.evaluate(**{**fixed, count: int(p)}).time for p in processes.tolist()]
        )
    return prediction.sweep(**{**fixed, count: processes}).time


def _isolines(
    prediction: Prediction,
    fixed: Mapping[str, Value],
    count: str,
    size: str,
    processes: Array,
    efficiencies: Sequence[float],
) -> tuple[Isoline, ...]:
    """Return the least sizes that keep each efficiency, as the solver proves them."""
    model, machine = prediction.model.definition, prediction.machine.definition
    known = freed(prediction, fixed, [count, size])
    unknowns = [unknown_named(name, model, machine) for name in (count, size)]
    counts = [int(number) for number in processes.tolist() if number > 1]
    found = []
    for efficiency in efficiencies:
        exact = Fraction(efficiency).limit_denominator(1000)
        kept = isoefficiency(known, unknowns[0], unknowns[1], exact, counts)
        sizes = [np.nan if least is None else float(least) for _, least in kept.sizes]
        found.append(Isoline(efficiency, np.array(counts, dtype=float), np.array(sizes)))
    return tuple(found)
