"""Scaling: speed-up and efficiency against one process, and how many processes are worth it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from roofdsl.algebra.derivative import NotDifferentiable, derivative
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.analysis.valid import first_valid
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.construct import multiply, number
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Conditional, Expression, Function, Number
from roofdsl.numeric.crossover import crossovers
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import sign_runs

FAR = 10**15


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """Processes, time [s], speed-up T(1)/T(P), and efficiency, speed-up / P."""

    processes: int
    time: float
    speedup: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class Scaling:
    """Strong scaling of a model at a fixed problem size.

    `most_useful` is the count of processes from which on more never make it faster, as far as the
    search goes; None where the time still falls there.
    """

    points: tuple[ScalingPoint, ...]
    most_useful: int | None
    proven: bool


@dataclass(frozen=True, slots=True)
class Isoefficiency:
    """The least problem size that keeps an efficiency, for each count of processes.

    None where no size up to the end of the range does.
    """

    efficiency: Fraction
    sizes: tuple[tuple[int, int | float | None], ...]


def time_in(prediction: Prediction, unknown: Unknown) -> Expression:
    """Return the time with every number put in but the unknown."""
    return substitute(prediction.time(), unknown.known(prediction.rates))


def strong_scaling(prediction: Prediction, unknown: Unknown, most: int = 10**6) -> Scaling:
    """Return the scaling over counts of processes the model allows, doubling up to `most`.

    Raises RoofError where the time with one process is 0 or has no value (R0708).
    """
    time = time_in(prediction, unknown)
    alone = _at(time, unknown, 1)
    if not alone:
        message = f"'{prediction.model.name}' takes no time with one process"
        hint = "speed-up compares with one process; give it work"
        raise RoofError([Diagnostic("R0708", message, (), hint)])
    points: list[ScalingPoint] = []
    asked = 1
    while asked <= most:
        processes = first_valid(prediction, unknown, asked)
        if processes is None or processes > most:
            break
        if not points or processes > points[-1].processes:
            spent = _at(time, unknown, processes)
            speedup = alone / spent if spent else float("inf")
            points.append(ScalingPoint(processes, spent, speedup, speedup / processes))
        asked *= 2
    useful, proven = _most_useful(prediction, unknown)
    return Scaling(tuple(points), useful, proven)


def _most_useful(prediction: Prediction, unknown: Unknown) -> tuple[int | None, bool]:
    """Return where the time stops falling for good, None if it falls to the end of the range."""
    if prediction.is_kernel:
        times = unknown.put_in(prediction.rates, prediction.times())
    else:
        times = {"time": time_in(prediction, unknown)}
    if any(_jumps(tree, unknown.name) for tree in times.values()):
        return _settled(time_in(prediction, unknown), unknown)
    found = crossovers(list(times.items()), unknown.name, 1, FAR, integer=True)
    useful: int | None = 1
    for regime in found.regimes:
        if regime.kind not in ("largest", "tie"):
            return None, False
        try:
            slope = derivative(times[regime.labels[0]], unknown.name)
        except NotDifferentiable:
            return None, False
        runs = sign_runs(slope, ZERO, unknown.name, regime.first, regime.last, integer=True)
        for run in runs.runs:
            if run.state == "below":
                useful = None
            elif run.state not in ("above", "equal"):
                return None, False
            elif useful is None:
                useful = int(run.first)
    return useful, True


def _settled(time: Expression, unknown: Unknown) -> tuple[int | None, bool]:
    """Return from where on the time is what it is in the end, if it never was less before.

    A time with jumps may fall where its slope is 0, so slopes do not tell.
    """
    end = substitute(time, {unknown.name: number(FAR)})
    runs = sign_runs(time, end, unknown.name, 1, FAR, integer=True).runs
    if not runs or runs[-1].state != "equal" or any(run.state != "above" for run in runs[:-1]):
        return None, False
    return int(runs[-1].first), True


def _jumps(tree: Expression, name: str) -> bool:
    jumps = (
        node
        for node in bottom_up(tree)
        if isinstance(node, Conditional)
        or (isinstance(node, Function) and node.name in ("ceil", "floor"))
    )
    return any(symbol.name == name for node in jumps for symbol in free_symbols(node))


def isoefficiency(
    prediction: Prediction,
    processes: Unknown,
    size: Unknown,
    efficiency: Fraction,
    counts: Sequence[int],
    most: int = 10**15,
) -> Isoefficiency:
    """Return the least problem size with T(1) ≥ efficiency · P · T(P), for each P of `counts`."""
    time = substitute(prediction.time(), prediction.rates)
    alone = substitute(time, {processes.name: ONE})
    found: list[tuple[int, int | float | None]] = []
    for count in counts:
        spent = substitute(time, {processes.name: number(count)})
        wanted = multiply(Number(efficiency * count), spent)
        low = 1 if size.integer else 1.0
        runs = sign_runs(alone, wanted, size.name, low, most, integer=size.integer)
        first = next((run.first for run in runs.runs if run.state in ("above", "equal")), None)
        found.append((count, first))
    return Isoefficiency(efficiency, tuple(found))


def _at(time: Expression, unknown: Unknown, processes: int) -> float:
    try:
        return evaluate(time, {unknown.name: processes})
    except EvaluationError as error:
        count = "one process" if processes == 1 else f"{processes} processes"
        message = f"the time with {count} has no value: {error.reason}"
        hint = "speed-up compares with one process; state its work too"
        raise RoofError([Diagnostic("R0708", message, (), hint)]) from None
