"""Strong and weak scaling of a prediction, and the sizes that keep its efficiency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.figure_data.cases import Array, Setting, is_single
from roofdsl.embedding.prediction import Prediction
from roofdsl.figures.scaling import Isoline, Scaling, Series
from roofdsl.model.arguments import Value

_BISECTIONS = 60
LARGEST_SIZE = 1e12


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
    series = []
    for chosen in sizes or [None]:
        settings = fixed if chosen is None or size is None else {**fixed, size: chosen}
        name = prediction.model.name if chosen is None else f"{size} = {chosen:g}"
        series.append(_series(prediction, settings, count, processes, weak, name))
    isolines = ()
    if size is not None and not weak:
        isolines = tuple(
            _isoline(prediction, fixed, count, size, processes, efficiency)
            for efficiency in efficiencies
        )
    return Scaling(tuple(series), isolines, size or "", "weak" if weak else "strong")


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


def _isoline(
    prediction: Prediction,
    fixed: Mapping[str, Value],
    count: str,
    size: str,
    processes: Array,
    efficiency: float,
) -> Isoline:
    """Return, for each process count, the whole size from which an efficiency is reached.

    Found by bisection, taking the efficiency to grow with the size; NaN where it is never reached.
    """
    found = [
        _least_size(prediction, {**fixed, count: int(p)}, {**fixed, count: 1}, size, efficiency, p)
        for p in processes.tolist()
    ]
    return Isoline(efficiency, processes, np.array(found))


def _least_size(
    prediction: Prediction,
    many: Mapping[str, Value],
    one: Mapping[str, Value],
    size: str,
    efficiency: float,
    processes: float,
) -> float:
    def reached(n: int) -> bool:
        alone = prediction.evaluate(**{**one, size: n}).time
        return alone >= efficiency * processes * prediction.evaluate(**{**many, size: n}).time

    low, high = 1, 2
    while high < LARGEST_SIZE and not _tried(reached, high):
        low, high = high, high * 4
    if high >= LARGEST_SIZE:
        return float("nan")
    while high - low > max(1, low // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if _tried(reached, middle) else (middle, high)
    return float(high)
