"""Runs against what models predict of them: how far off the original and extended Roofline are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.binding import NOTHING_GIVEN, Arguments, Setting
from roofdsl.analysis.composition import Composing
from roofdsl.analysis.margin import is_uncertain
from roofdsl.analysis.own_work import at_run
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.runs import Run
from roofdsl.analysis.without_network import sends, without_network
from roofdsl.diagnostic import Diagnostic, Label, RoofError, listing, raise_if_any
from roofdsl.model.types import MachineDefinition, ModelDefinition, Parameter

Which: TypeAlias = Literal["original", "extended"]
"""The Roofline without the network, and the model as written."""
Measure: TypeAlias = Literal["performance", "time"]
ORIGINAL: Which = "original"
EXTENDED: Which = "extended"
_ROUNDING = 1e-9  # a run is above a roof where no rounding makes it so
MOST_PROBLEMS = 20


class Asked(NamedTuple):
    """A run, with the model that predicts it and the values of its parameters."""

    run: Run
    model: ModelDefinition
    arguments: Arguments = NOTHING_GIVEN


class Scored(NamedTuple):
    """A run with its times as measured and as predicted [s], and its flops as the model has them.

    `extended` is None where the model states nothing that is sent. `bound` is what binds the
    extended one, else the original. `settings` are the parameters that the run gives.
    """

    run: Run
    settings: Mapping[str, Setting]
    flops: float
    measured: float
    original: float
    extended: float | None
    bound: str | None

    def time(self, which: Which) -> float:
        """Return the predicted time [s]; the extended one is the original where there is none."""
        if which == "original" or self.extended is None:
            return self.original
        return self.extended

    def faster(self, which: Which) -> float:
        """Return by how much the run is faster than predicted [%], 0 where it is not.

        100 · (predicted time / measured time − 1): so far is its performance above the roof.
        """
        ahead = self.time(which) / self.measured - 1
        return 100 * ahead if ahead > _ROUNDING else 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """The runs of one model, and how far off its predictions are, of performance or of time.

    `parameters` are those that runs give, by name. `notes` say what was taken for what.
    """

    name: str
    measure: Measure
    points: tuple[Scored, ...]
    parameters: Mapping[str, Parameter]
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[Which, ...]:
        """The predictions there are: one for a model that states nothing that is sent."""
        sent = any(point.extended is not None for point in self.points)
        return (ORIGINAL, EXTENDED) if sent else (ORIGINAL,)

    def value(self, point: Scored, which: Which | None = None) -> float:
        """Return a performance [flop/s] or time [s]: measured, or as one of the two predicts."""
        time = point.measured if which is None else point.time(which)
        if self.measure == "time":
            return time
        return point.flops / time if time else math.inf

    def error(self, point: Scored, which: Which) -> float:
        """Return 100 · (predicted − measured) / measured [%]."""
        measured = self.value(point)
        return 100 * (self.value(point, which) - measured) / measured

    def errors(self, which: Which) -> list[float]:
        return [self.error(point, which) for point in self.points]

    def mape(self, which: Which) -> float:
        """Return the mean absolute percentage error [%] (Cardwell 2019, Eq. 2.6)."""
        return mean(map(abs, self.errors(which)))

    def bias(self, which: Which) -> float:
        """Return the mean error [%] with its sign: above 0 the prediction is too large."""
        return mean(self.errors(which))

    @property
    def change(self) -> float | None:
        """By how much the extended MAPE is smaller, in percent of the original's (§2.6.2)."""
        return change(self.mape(ORIGINAL), self.mape(EXTENDED)) if EXTENDED in self.kinds else None

    def above(self, which: Which) -> list[Scored]:
        """Return the runs that are faster than predicted, the one that is most so first."""
        found = [point for point in self.points if point.faster(which)]
        return sorted(found, key=lambda point: -point.faster(which))


@dataclass(frozen=True, slots=True)
class Validation:
    """The scores of models on one machine, of the runs of a file; at least one has a run."""

    name: str
    machine: str
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[Which, ...]:
        both = any(EXTENDED in score.kinds for score in self.scores)
        return (ORIGINAL, EXTENDED) if both else (ORIGINAL,)

    def mape(self, which: Which) -> float:
        """Return the MAPE [%] over all runs; of a model that sends nothing both are the same."""
        return mean(abs(error) for score in self.scores for error in score.errors(which))

    @property
    def change(self) -> float | None:
        return change(self.mape(ORIGINAL), self.mape(EXTENDED)) if EXTENDED in self.kinds else None

    @property
    def count(self) -> int:
        """How many runs were predicted; one that several models predict counts for each."""
        return sum(len(score.points) for score in self.scores)

    def beyond(self, limit: float) -> Iterator[tuple[Score, Which, float]]:
        """Yield the scores whose MAPE is above a limit [%]: the extended one where there is one."""
        for score in self.scores:
            which = score.kinds[-1]
            found = score.mape(which)
            if not found <= limit:
                yield score, which, found


def mean(values: Iterable[float]) -> float:
    """Return the mean of numbers, of which there is one at least."""
    found = [*values]
    return math.fsum(found) / len(found) if all(map(math.isfinite, found)) else sum(found)


def change(original: float, extended: float) -> float | None:
    """Return 100 · (original − extended) / original: above 0 where the extended one is better.

    None where the original has no error. §2.6.2 prints the other sign, Table 2.6 has this one.

    >>> change(40.0, 10.0), change(40.0, 50.0), change(0.0, 1.0)
    (75.0, -25.0, None)
    """
    if not original or not math.isfinite(original) or not math.isfinite(extended):
        return None
    return 100 * (original - extended) / original


def validate(
    name: str,
    machine: MachineDefinition,
    asked: Mapping[str, Sequence[Asked]],
    notes: Sequence[str] = (),
    measure: Measure | None = None,
    composing: Composing = "written",
) -> Validation:
    """Score the runs of a file by the names of their models; see `score`, which may raise."""
    scores: list[Score] = []
    problems: list[Diagnostic] = []
    for model, runs in asked.items():
        try:
            scores.append(score(model, runs, machine, measure, composing))
        except RoofError as error:
            problems += error.diagnostics
    raise_if_any(problems[:MOST_PROBLEMS])
    places = dict.fromkeys(each.run.machine for runs in asked.values() for each in runs)
    others = [place for place in places if place not in ("", machine.name)]
    elsewhere = f"runs say that they ran on {listing(others)}, not on '{machine.name}'"
    return Validation(name, machine.name, tuple(scores), (*notes, *([elsewhere] if others else [])))


def score(
    name: str,
    asked: Sequence[Asked],
    machine: MachineDefinition,
    measure: Measure | None = None,
    composing: Composing = "written",
) -> Score:
    """Predict runs of one model on a machine, by the original and the extended Roofline.

    What is compared is performance where every run has flops, else time, unless it is asked for.
    Raises RoofError for values that do not fit, a machine without a rate, and for performance of
    what has no flops (R1504).
    """
    scoring = _Scoring(machine, composing)
    points = [point for each in asked if (point := scoring.point(each)) is not None]
    raise_if_any(scoring.problems)
    if measure is None:
        measure = "performance" if all(point.flops > 0 for point in points) else "time"
    idle = [point.run for point in points if measure == "performance" and not point.flops > 0]
    raise_if_any(_no_flops(name, run) for run in idle[:1])
    given = dict.fromkeys(key for each in asked for key in each.run.arguments)
    known = {p.name: p for each in asked for p in each.model.parameters}
    parameters = {key: known[key] for key in given}
    return Score(name, measure, tuple(points), parameters, tuple(scoring.notes))


def _no_flops(name: str, run: Run) -> Diagnostic:
    message = f"this run of '{name}' has no flops, and so no performance"
    return Diagnostic.at("R1504", message, run.span, hint="compare times: `--quantity time`")


class _Both(NamedTuple):
    """What is predicted at one setting: as the model says, and the time without the network [s]."""

    settings: Mapping[str, Setting]
    flops: float
    time: float
    original: float | None
    bound: str | None


class _Scoring:
    """Predicts runs on a machine, and on it without its network."""

    def __init__(self, machine: MachineDefinition, composing: Composing) -> None:
        self._machine = machine
        self._original = without_network(machine)
        self._composing = composing
        self._known: dict[object, _Both] = {}
        self._problems: dict[tuple[str, str], Diagnostic] = {}
        self.notes: dict[str, None] = {}

    @property
    def problems(self) -> list[Diagnostic]:
        """The first problems, each told once: many runs have them for one cause."""
        return [*self._problems.values()][:MOST_PROBLEMS]

    def point(self, asked: Asked) -> Scored | None:
        """Return a run with its predictions; None, and its problems, where there is none."""
        if len(self._problems) >= MOST_PROBLEMS:
            return None
        try:
            return self._point(asked)
        except RoofError as error:
            for problem in error.diagnostics:
                self._problems.setdefault((problem.code, problem.message), problem)
            return None

    def _point(self, asked: Asked) -> Scored:
        values = frozenset((name, tree) for name, (tree, _) in asked.arguments.items())
        key = id(asked.model), values  # repeats of one setting are predicted once
        if key not in self._known:
            self._known[key] = self._both(asked)
        settings, flops, time, original, bound = self._known[key]
        return Scored(
            asked.run,
            {name: settings[name] for name in asked.run.arguments},
            flops,
            time_of(asked, flops),
            original=time if original is None else original,
            extended=None if original is None else time,
            bound=bound,
        )

    def _both(self, asked: Asked) -> _Both:
        whole = self._predicted(asked, self._machine)
        result = evaluated(whole, self._composing)
        original = None
        if sends(whole):
            original = evaluated(self._predicted(asked, self._original), self._composing).time
        known = {parameter.name: parameter for parameter in asked.model.parameters}
        settings = {name: whole.binding.setting(known[name]) for name in asked.arguments}
        self.notes.update(dict.fromkeys(whole.notes))
        if is_uncertain(whole):
            self.notes.setdefault("numbers with ± are taken as they are stated")
        return _Both(settings, result.flops, result.time, original, result.bound)

    def _predicted(self, asked: Asked, machine: MachineDefinition) -> Prediction:
        found, problems = predict(asked.model, machine, asked.arguments, peaks=False)
        raise_if_any(at_run(problem, asked.run) for problem in problems)
        if found.free:
            raise RoofError([without_value(asked, found.free)])
        return found


def without_value(asked: Asked, free: Sequence[Parameter]) -> Diagnostic:
    """Return the problem that a run has no value for parameters of its model (R0406)."""
    first, names = free[0], ", ".join(parameter.name for parameter in free)
    message = f"this run of '{asked.model.name}' has no value for {names}"
    hint = f"add a column `{first.name}`, or give all runs the same: -p {first.name}=VALUE"
    return Diagnostic.at("R0406", message, asked.run.span, Label(first.span), hint=hint)


def time_of(asked: Asked, flops: float) -> float:
    """Return how long a run took [s]; raise RoofError where it has a performance and no flops."""
    run = asked.run
    if run.time is not None:
        return run.time
    if not (run.performance and flops > 0):
        message = (
            f"this run of '{asked.model.name}' has no flops, and so its performance says no time"
        )
        hint = "give its time: a column `time [s]`"
        raise RoofError([Diagnostic.at("R1504", message, run.span, hint=hint)])
    return flops / run.performance
