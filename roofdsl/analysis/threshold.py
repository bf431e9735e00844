"""The inverse question: for which values of an unknown does a condition hold?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from roofdsl.analysis.crossover import NO_ROOT, BoundRoots, Rivals, Root, check_dependence, known_of
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.such_that import Condition, WrittenRelation
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.condition import compare
from roofdsl.expression.tree import Expression
from roofdsl.numeric.box import Place
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.sign_runs import SignRun, sign_runs


@dataclass(frozen=True, slots=True)
class HoldingRange:
    """Values of the unknown for which a condition holds, ends included.

    `first_valid` is the first whole one that the model allows, None where none was found.
    `closed_form` is that of the end where it begins to hold, or, where it holds from the start of
    the range, of the end where it ceases to.
    """

    first: Place
    last: Place
    first_valid: int | None
    closed_form: Expression | None
    closed_form_value: float | None


@dataclass(frozen=True, slots=True)
class Thresholds(Proven):
    """Where a condition holds over a range, proven as far as said."""

    condition: Condition
    unknown: Unknown
    low: Place
    high: Place
    intervals: tuple[HoldingRange, ...]
    proof: Proof


def find_thresholds(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    """Return all values of the unknown in a range for which a condition holds."""
    if condition.resource is not None:
        return _where_bound(prediction, condition, unknown, low, high)
    numbers = unknown.put_in(prediction.rates, _sides(condition, prediction))
    check_dependence(numbers.values(), unknown, prediction, asked=f"'{condition.text}'")
    trees = numbers["left"], numbers["right"]
    found = sign_runs(*trees, unknown.name, low, high, integer=unknown.integer)
    holding = [_holds(run.state, condition.relation) for run in found.runs]
    symbols = _sides(condition, prediction.opened())
    rivals = Rivals(unknown, numbers, symbols, known_of(prediction, unknown))

    def root_after(place: int) -> Root:
        change = found.changes[place]
        enclosure = (change.low, change.high)
        return NO_ROOT if change.jump else rivals.root("left", "right", enclosure)

    intervals = tuple(_intervals(found.runs, holding, root_after, prediction, unknown))
    return Thresholds(condition, unknown, low, high, intervals, _proof(found.runs, holding))


def _sides(condition: Condition, prediction: Prediction) -> dict[str, Expression]:
    return dict(zip(("left", "right"), condition.sides(prediction), strict=True))


def _where_bound(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    check_dependence(prediction.rivals.values(), unknown, prediction)
    over = RegimesOver(prediction, unknown, low, high)
    parts = over.parts()
    found = over.regimes(parts)
    roots = BoundRoots(prediction, unknown, parts)
    holding: list[bool | None] = []
    for regime in found.regimes:
        bound = condition.resource == regime.labels[0] and regime.certain
        known = regime.certain or condition.resource not in regime.labels
        holding.append((bound == (condition.relation == "=")) if known else None)

    def root_after(place: int) -> Root:
        end, start = found.regimes[place].last, found.regimes[place + 1].first
        for crossing in found.crossings:
            if end <= crossing.enclosure[1] and crossing.enclosure[0] <= start:
                return roots.at(crossing)
        return NO_ROOT

    intervals = tuple(_intervals(found.regimes, holding, root_after, prediction, unknown))
    return Thresholds(condition, unknown, low, high, intervals, _proof(found.regimes, holding))


def _proof(runs: Sequence[SignRun | Regime], holding: Sequence[bool | None]) -> Proof:
    """Return up to where it is known of all runs if they hold."""
    pairs = zip(runs, holding, strict=True)
    return Proof.of((run.last, holds is not None) for run, holds in pairs)


def _intervals(
    runs: Sequence[SignRun | Regime],
    holding: Sequence[bool | None],
    root_after: Callable[[int], Root],
    prediction: Prediction,
    unknown: Unknown,
) -> Iterator[HoldingRange]:
    """Yield the stretches of runs that hold; `root_after` gives the closed form of a run's end."""
    domain = domain_of(prediction, unknown)
    for start, end in _stretches(holding):
        edge = start - 1 if start else end
        root = root_after(edge) if edge < len(runs) - 1 else NO_ROOT
        first, last = runs[start].first, runs[end].last
        valid = domain.first(first, last).value if unknown.integer else None
        yield HoldingRange(first, last, valid, *root)


def _stretches(holding: Sequence[bool | None]) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of each run of True."""
    for holds, run in groupby(range(len(holding)), key=lambda place: holding[place] is True):
        places = list(run)
        if holds:
            yield places[0], places[-1]


def _holds(state: str, relation: WrittenRelation) -> bool | None:
    order = {"above": 1, "below": -1, "equal": 0}.get(state)
    return None if order is None else compare("==" if relation == "=" else relation, order, 0)
