"""The inverse question: for which values of an unknown does a condition hold?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, TypeAlias

from roofdsl.analysis.crossover import NO_ROOT, Rivals, Root, all_rivals, check_dependence, known_of
from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.analysis.valid import first_valid_of
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.condition import compare
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.arguments import read_value
from roofdsl.model.scope import Scope
from roofdsl.numeric.crossover import Regime
from roofdsl.numeric.search import Place
from roofdsl.numeric.sign_runs import SignRun, sign_runs
from roofdsl.source import Source, Span
from roofdsl.units.dimension import DIMENSIONLESS

WrittenRelation: TypeAlias = Literal["<", "<=", ">", ">=", "=", "!="]
_CONDITION = re.compile(r"\s*([\w.]+)\s*(<=|>=|==|!=|<|>|=)\s*(.+?)\s*")


@dataclass(frozen=True, slots=True)
class Condition:
    """`bound = flops`, or a quantity compared with a value in SI base units."""

    text: str
    quantity: str
    relation: WrittenRelation
    resource: str | None
    limit: Expression | None


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
class Thresholds:
    """Where a condition holds over a range, proven; `complete` when nothing is undecided."""

    condition: Condition
    unknown: Unknown
    low: Place
    high: Place
    intervals: tuple[HoldingRange, ...]
    complete: bool
    proven_up_to: Place | None


def read_condition(source: Source, prediction: Prediction) -> Condition:
    """Read `bound != network`, `time <= 10 s`, `attainable >= 15 GFLOP/s`.

    Raises RoofError for what is no condition (R0706), an unknown quantity or resource (R0707), or a
    value of another unit (R0405).
    """
    text, end = source.body, len(source.text)
    match = _CONDITION.fullmatch(source.text, source.begin)
    whole = Label(Span(source, source.begin, end))
    if match is None:
        hint: str | None = 'write "bound = flops", "time <= 10 s" or "attainable >= 15 GFLOP/s"'
        raise RoofError([Diagnostic("R0706", f"'{text}' is not a condition", (whole,), hint)])
    quantity, sign = match[1], "=" if match[2] == "==" else match[2]
    relation: WrittenRelation = sign  # type: ignore[assignment]  # the pattern admits no other
    place = Label(Span(source, match.start(3), match.end(3)))
    if quantity == "bound":
        return _bound_condition(text, relation, match[3], place, prediction)
    if quantity not in QUANTITIES:
        hint = did_you_mean(quantity, ["bound", *QUANTITIES])
        known = hint or f"there are bound, {', '.join(QUANTITIES)}"
        label = Label(Span(source, match.start(1), match.end(1)))
        raise RoofError([Diagnostic("R0707", f"'{quantity}' is no result", (label,), known)])
    problems: list[Diagnostic] = []
    limit = Source(source.name, source.text[: match.end(3)], begin=match.start(3))
    formula = read_value(limit, Scope(problems.append, {}, {}))
    if formula is None:
        raise RoofError(problems)
    wanted = QUANTITIES[quantity]
    if formula.dimension != wanted:
        message = (
            f"{quantity} is compared with {formula.dimension.describe()}, "
            f"but it is {wanted.describe()}"
        )
        hint = "a plain number" if wanted == DIMENSIONLESS else f"write the value in {wanted}"
        raise RoofError([Diagnostic("R0405", message, (place,), hint)])
    return Condition(text, quantity, relation, None, formula.tree)


def find_thresholds(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    """Return all values of the unknown in a range for which a condition holds."""
    if condition.resource is not None:
        return _where_bound(prediction, condition, unknown, low, high)
    assert condition.limit is not None
    left = quantity_formula(prediction, condition.quantity)
    tree = substitute(left, unknown.known(prediction.rates))
    check_dependence([tree], unknown, prediction)
    found = sign_runs(tree, condition.limit, unknown.name, low, high, integer=unknown.integer)
    holding = [_holds(run.state, condition.relation) for run in found.runs]
    numbers = {"left": tree, "right": condition.limit}
    symbols = {**numbers, "left": quantity_formula(prediction.opened(), condition.quantity)}
    rivals = Rivals(unknown, numbers, symbols, known_of(prediction, unknown))

    def root_after(place: int) -> Root:
        change = found.changes[place]
        enclosure = (change.low, change.high)
        return NO_ROOT if change.jump else rivals.root("left", "right", enclosure)

    intervals = tuple(_intervals(found.runs, holding, root_after, prediction, unknown))
    proof = _proof(found.runs, holding, high)
    return Thresholds(condition, unknown, low, high, intervals, *proof)


def quantity_formula(prediction: Prediction, name: str) -> Expression:
    """Return the formula of a quantity by the name it has on results."""
    match name:
        case "time":
            return prediction.time()
        case "attainable":
            return prediction.attainable()
        case "OI" | "CAI" | "MI":
            tree = prediction.intensity(name)
            if tree is None:
                message = f"{name} of '{prediction.model.name}' is infinite: nothing is below it"
                raise RoofError([Diagnostic("R0707", message)])
            return tree
    return prediction.work(name)


def _bound_condition(
    text: str, relation: WrittenRelation, resource: str, place: Label, prediction: Prediction
) -> Condition:
    names = list(prediction.times())
    if relation not in ("=", "!="):
        hint = 'write "bound = flops" or "bound != network"'
        raise RoofError([Diagnostic("R0706", "a bound is or is not a resource", (place,), hint)])
    if resource not in names:
        hint = did_you_mean(resource, names) or f"what takes time: {', '.join(names)}"
        message = f"{resource} takes no time here, so it cannot be the bound"
        raise RoofError([Diagnostic("R0703", message, (place,), hint)])
    return Condition(text, "bound", relation, resource, None)


def _where_bound(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    rivals = all_rivals(prediction, unknown)
    check_dependence(rivals.numbers.values(), unknown, prediction)
    found = rivals.compare(low, high)
    holding: list[bool | None] = []
    for regime in found.regimes:
        bound = condition.resource == regime.labels[0] and regime.certain
        known = regime.certain or condition.resource not in regime.labels
        holding.append((bound == (condition.relation == "=")) if known else None)

    def root_after(place: int) -> Root:
        crossings = found.crossings[place : place + 1]
        return rivals.root_at(crossings[0]) if crossings else NO_ROOT

    intervals = tuple(_intervals(found.regimes, holding, root_after, prediction, unknown))
    proof = _proof(found.regimes, holding, high)
    return Thresholds(condition, unknown, low, high, intervals, *proof)


def _proof(
    runs: Sequence[SignRun | Regime], holding: Sequence[bool | None], high: Place
) -> tuple[bool, Place | None]:
    """Return whether it is known of all runs if they hold, and the last place before one is not."""
    if None not in holding:
        return True, high
    undecided = holding.index(None)
    return False, runs[undecided - 1].last if undecided else None


def _intervals(
    runs: Sequence[SignRun | Regime],
    holding: Sequence[bool | None],
    root_after: Callable[[int], Root],
    prediction: Prediction,
    unknown: Unknown,
) -> Iterator[HoldingRange]:
    """Yield the stretches of runs that hold; `root_after` gives the closed form of a run's end."""
    for start, end in _stretches(holding):
        edge = start - 1 if start else end
        root = root_after(edge) if edge < len(runs) - 1 else NO_ROOT
        first, last = runs[start].first, runs[end].last
        valid = first_valid_of(prediction, unknown, (first, last)) if unknown.integer else None
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
