"""Scaling: speed-up and efficiency against one process, and how many processes are worth it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Literal, TypeAlias

from roofdsl.analysis.domain import LARGEST, Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import truth
from roofdsl.expression.construct import add, multiply, number
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Expression, Number
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.numeric.sign_runs import SignRun, sign_runs

FAR = 10**15
_MOST_SHOWN = 10**6
_MOST_COMPARED = 16
ScalingKind: TypeAlias = Literal["strong", "weak"]


@dataclass(frozen=True, slots=True)
class ScalingPoint:
    """Processes, time [s], speed-up, and efficiency, speed-up / P.

    Speed-up is T(1)/T(P) in strong scaling, P·T(1)/T(P) in weak scaling, where the work grows.
    """

    processes: int
    time: float
    speedup: float
    efficiency: float


@dataclass(frozen=True, slots=True)
class Scaling:
    """Scaling of a model over counts of processes.

    `most_useful`, of strong scaling: the first count than which no other up to `up_to` is faster;
    None where the time still falls there. `up_to`: 10^15, or the most processes the model allows;
    None where nothing is proven.
    """

    kind: ScalingKind
    points: tuple[ScalingPoint, ...]
    most_useful: int | None
    up_to: int | None


@dataclass(frozen=True, slots=True)
class Isoefficiency:
    """The least problem size that keeps an efficiency, for each count of processes.

    None where none was found up to the end of the range.
    """

    efficiency: Fraction
    sizes: tuple[tuple[int, int | float | None], ...]


def processes_of(model: ModelDefinition, name: str | None = None) -> str:
    """Return the first parameter that counts processes, or the one named; raise R0711 without."""
    counts = [parameter.name for parameter in model.parameters if parameter.kind == "processes"]
    if name in counts or (counts and name is None):
        return name or counts[0]
    if name is None:
        message = f"'{model.name}' has no parameter that counts processes"
    else:
        message = f"scaling is over a count of processes, which {name} is not"
    labels = [Label(item.span) for item in model.parameters if item.name == name]
    hint = f"ask for {' or '.join(counts)}" if counts else "declare it: `param P: processes`"
    raise RoofError([Diagnostic("R0711", message, tuple(labels), hint)])


def kind_of(prediction: Prediction, unknown: Unknown) -> ScalingKind:
    """Return `weak` where a value that was given grows with the processes, else `strong`.

    One that falls, such as `n = 1024/P`, is a process's share of a size that stays as it is.
    """
    for parameter in prediction.model.parameters:
        tree = prediction.binding.trees.get(parameter.name, ONE)
        given = _names(tree, unknown) and not _names(parameter.default or ONE, unknown)
        if given and parameter.is_number:
            alone = substitute(tree, {unknown.name: ONE})
            runs = sign_runs(tree, alone, unknown.name, 1, FAR, integer=True).runs
            if runs[-1].state == "above":
                return "weak"
    return "strong"


def _names(tree: Expression, unknown: Unknown) -> bool:
    return any(symbol.name == unknown.name for symbol in free_symbols(tree))


def scaling_point(kind: ScalingKind, alone: float, processes: int, time: float) -> ScalingPoint:
    """Return speed-up and efficiency of a count of processes; `alone`: the time of one."""
    work = processes if kind == "weak" else 1
    speedup = work * alone / time if time else float("inf")
    return ScalingPoint(processes, time, speedup, speedup / processes)


def scaling_of(prediction: Prediction, unknown: Unknown) -> Scaling:
    """Return the scaling over counts of processes the model allows, doubling up to 10^6.

    Raises RoofError where the time with one process is 0 or has no value (R0708), or the unknown
    does not count processes (R0711).
    """
    processes_of(prediction.model, unknown.name)
    time = substitute(prediction.time(), unknown.known(prediction.rates))
    alone = _at(time, unknown, 1)
    if not alone:
        message = f"'{prediction.model.name}' takes no time with one process"
        hint = "speed-up compares with one process; give it work"
        raise RoofError([Diagnostic("R0708", message, (), hint)])
    kind = kind_of(prediction, unknown)
    points: list[ScalingPoint] = []
    domain = domain_of(prediction, unknown)
    asked = 1
    while asked <= _MOST_SHOWN:
        processes = domain.first(asked, _MOST_SHOWN).value
        if processes is None:
            break
        if not points or processes > points[-1].processes:
            spent = _at(time, unknown, processes)
            points.append(scaling_point(kind, alone, processes, spent))
        asked *= 2
    useful = up_to = None
    if kind == "strong" and points:
        best = min(points, key=lambda point: point.time).processes
        # What has no value at some count is not compared.
        with suppress(EvaluationError):
            useful, up_to = _most_useful(domain, time, best)
    return Scaling(kind, tuple(points), useful, up_to)


def _most_useful(domain: Domain, time: Expression, best: int) -> tuple[int | None, int | None]:
    """Return `most_useful` and `up_to`, starting from the best count seen so far."""
    unknown, end = domain.unknown, _end(domain)
    last = domain.last(1, min(end, FAR)).value
    if last is None:
        return None, None
    after = substitute(time, {unknown.name: add(unknown.symbol, ONE)})
    faster_after = exact_evaluator(trees.Comparison("<", after, time))

    def spent(count: int) -> float:
        return evaluate(time, {unknown.name: count})

    def falls(count: int) -> bool:
        return faster_after({unknown.name: Fraction(count)}) is True

    best = min(best, last, key=spent)
    for _ in range(_MOST_COMPARED):
        # A count is compared with all others at once. If some are faster, the next to compare is
        # the best next to where the time ceases to fall among them.
        limit = substitute(time, {unknown.name: number(best)})
        equal: list[int] = []
        for run in sign_runs(time, limit, unknown.name, 1, last, integer=True).runs:
            if run.state == "above":
                continue
            found = domain.first(run.first, run.last)
            if found.value is None and found.proven:
                continue
            if found.value is None or run.state not in ("below", "equal"):
                return None, None
            valid = found.value
            if run.state == "below":
                between = range(valid, int(run.last))
                turn = valid + bisect_left(between, True, key=lambda count: not falls(count))
                beside = domain.last(valid, turn).value, domain.first(turn, run.last).value
                allowed = [count for count in beside if count is not None]
                best = min(allowed or [valid], key=spent)
                break
            equal.append(valid)
        else:
            if end < FAR:
                return equal[0], last
            return None if equal[0] == last else equal[0], FAR
    return None, None


def _end(domain: Domain) -> int:
    """Return a count, LARGEST at most, above which the model allows none."""
    most = LARGEST if domain.high is None else floor(domain.high)
    holds = trees.Conditional(trees.Logic("and", (truth(True), *domain.conditions)), ONE, ZERO)
    runs = sign_runs(holds, ZERO, domain.unknown.name, 1, most, integer=True).runs
    return next((int(run.last) for run in runs[::-1] if run.state != "equal"), 1)


def isoefficiency(
    prediction: Prediction,
    processes: Unknown,
    size: Unknown,
    efficiency: Fraction,
    counts: Sequence[int],
) -> Isoefficiency:
    """Return the least problem size with T(1) ≥ efficiency · P · T(P), for each P of `counts`.

    A whole one is a size that the model allows on one process and on P.
    """
    time = substitute(prediction.time(), prediction.rates)
    alone = substitute(time, {processes.name: ONE})
    domain = domain_of(prediction, size)
    low, high = domain.range()
    found: list[tuple[int, int | float | None]] = []
    for count in counts:
        spent = substitute(time, {processes.name: number(count)})
        wanted = multiply(Number(efficiency * count), spent)
        on_one, on_all = (domain.at({processes.name: each}) for each in (ONE, number(count)))
        runs = sign_runs(alone, wanted, size.name, low, high, integer=size.integer).runs
        found.append((count, _least(on_one.also(on_all), runs)))
    return Isoefficiency(efficiency, tuple(found))


def _least(domain: Domain, runs: Sequence[SignRun]) -> int | float | None:
    """Return the least size allowed in the runs that are not below, None where it is not known."""
    for run in runs:
        if run.state in ("mixed", "undecided"):
            return None
        if run.state != "below":
            if not domain.unknown.integer:
                return run.first
            found = domain.first(run.first, run.last)
            if found.value is not None or not found.proven:
                return found.value
    return None


def _at(time: Expression, unknown: Unknown, processes: int) -> float:
    try:
        return evaluate(time, {unknown.name: processes})
    except EvaluationError as error:
        count = "one process" if processes == 1 else f"{processes} processes"
        message = f"the time with {count} has no value: {error.reason}"
        hint = "speed-up compares with one process; state its work too"
        raise RoofError([Diagnostic("R0708", message, (), hint)]) from None
