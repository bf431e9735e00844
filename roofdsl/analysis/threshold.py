"""The inverse question: for which values of an unknown does a condition hold?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.analysis.crossover import NO_ROOT, BoundRoots, Rivals, Root, check_dependence, known_of
from roofdsl.analysis.domain import NOT_ASKED, Domain, FirstAllowed, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import quantity
from roofdsl.analysis.refused import cut
from roofdsl.analysis.regimes import RegimesOver, part_at
from roofdsl.analysis.such_that import Condition
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.condition import compare
from roofdsl.expression.construct import divide
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Relation
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.box import Place
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.regime import Regime
from roofdsl.numeric.sign_runs import SignRun, joined, sign_runs
from roofdsl.numeric.turns import Span, Turns

RangeKind: TypeAlias = Literal["all", "some"]
# So many numbers that the model allows are asked, one after the other, if the condition holds.
_ASKED = 100


@dataclass(frozen=True, slots=True)
class HoldingRange(FirstAllowed):
    """Values of the unknown, ends included, for `all` or for `some` of which a condition holds.

    Where it holds for some, jumps between them are too dense to be listed; `first_holding` and
    `last_holding` are then the first and the last of them, None where that is not proven.
    `allowed` is the first one that holds and that the model allows. `closed_form` is that of the
    end where it begins to hold, or, where it holds from the start of the range, of the end where
    it ceases to.
    """

    first: Place
    last: Place
    kind: RangeKind
    first_holding: Place | None
    last_holding: Place | None
    allowed: Allowed[float]
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


class _Held(NamedTuple):
    """A part of the range, and whether the condition holds in it; a span: for some, from where."""

    first: Place
    last: Place
    holds: bool | Span | None


class _Asked(NamedTuple):
    """The parts of a range in order, and how to ask what is between two of them, and at a place."""

    parts: Sequence[_Held]
    root_between: Callable[[Place, Place], Root]
    holds_at: Callable[[int], bool]


def find_thresholds(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    """Return all values of the unknown in a range for which a condition holds."""
    over = RegimesOver(prediction, unknown, low, high)
    asked = (
        _bound(over, condition) if condition.resource is not None else _quantity(over, condition)
    )
    intervals = tuple(_intervals(asked, domain_of(prediction, unknown), unknown))
    proof = Proof.of((part.last, part.holds is not None) for part in asked.parts)
    return Thresholds(condition, unknown, low, high, intervals, proof)


def _quantity(over: RegimesOver, condition: Condition) -> _Asked:
    """Ask where one quantity lies to another as the condition says."""
    prediction, unknown, budget = over.prediction, over.unknown, over.budget
    asked = f"'{condition.text}'"
    check_dependence(_sides(condition, prediction).values(), unknown, prediction, asked=asked)
    pieces = _pieces(over, condition)
    name, integer = unknown.name, unknown.integer
    shares = budget.shares(len(pieces))
    found = joined(
        [
            sign_runs(*each.sides, name, each.first, each.last, integer=integer, budget=share)
            for each, share in zip(pieces, shares, strict=True)
        ]
    )

    def piece_at(place: Place) -> _Piece:
        return next(each for each in pieces if each.first <= place <= each.last)

    @cache
    def symbols() -> dict[str, Expression]:
        return _sides(condition, prediction.opened())

    def root_between(end: Place, start: Place) -> Root:
        ends = zip(pairwise(found.runs), found.changes, strict=True)
        change = next((c for (a, b), c in ends if (a.last, b.first) == (end, start)), None)
        if change is None or change.jump:
            return NO_ROOT
        numbers = dict(zip(("left", "right"), piece_at(end).sides, strict=True))
        rivals = Rivals(unknown, numbers, symbols(), known_of(prediction, unknown))
        return rivals.root("left", "right", (change.low, change.high))

    relation: Relation = "==" if condition.relation == "=" else condition.relation

    def holds_at(place: int) -> bool:
        order = Pair(*piece_at(place).sides, name, integer=integer).order_at(place, budget)
        return order is not None and compare(relation, order, 0)

    def holds(run: SignRun) -> bool | Span | None:
        if run.state == "mixed" and run.ends is None:
            piece = piece_at(run.first)
            return _seen(run, relation, piece.sides, over) if run.last <= piece.last else None
        return _holds(run, relation)

    held = [*_with_holes([_Held(run.first, run.last, holds(run)) for run in found.runs], over)]
    return _Asked(held, root_between, holds_at)


def _with_holes(parts: Sequence[_Held], over: RegimesOver) -> Iterator[_Held]:
    """Yield parts without what has no value: nothing holds there."""
    for part in parts:
        for first, last, hole in cut(part.first, part.last, over.holes):
            whole = (first, last) == (part.first, part.last)
            rest = part.holds if whole or not isinstance(part.holds, Span) else None
            yield _Held(first, last, False if hole else None if hole is None else rest)


class _Piece(NamedTuple):
    """A part of the range, and the two sides of a condition there, in the unknown alone."""

    first: Place
    last: Place
    sides: tuple[Expression, Expression]


def _pieces(over: RegimesOver, condition: Condition) -> list[_Piece]:
    """Return the sides of a condition, piece by piece where it has to do with the time."""
    prediction, unknown = over.prediction, over.unknown
    named = {s.name for side in (condition.left, condition.right) for s in free_symbols(side)}
    by_time = {"time", "attainable"} & named
    if prediction.is_kernel or not by_time:
        sides = unknown.put_in(prediction.rates, _sides(condition, prediction))
        return [_Piece(over.low, over.high, (sides["left"], sides["right"]))]
    known = {name: quantity(prediction, name) for name in (named - by_time) | {"flops"}}
    known = unknown.put_in(prediction.rates, known)
    pieces = []
    for first, last, time in over.times():
        values = {**known, "time": time, "attainable": divide(known["flops"], time)}
        pair = substitute(condition.left, values), substitute(condition.right, values)
        pieces.append(_Piece(first, last, pair))
    return pieces


def _sides(condition: Condition, prediction: Prediction) -> dict[str, Expression]:
    return dict(zip(("left", "right"), condition.sides(prediction), strict=True))


def _holds(run: SignRun, relation: Relation) -> bool | Span | None:
    """Return whether a relation holds in a run: everywhere, nowhere, or from where to where."""
    order = {"above": 1, "below": -1, "equal": 0}.get(run.state)
    if order is not None:
        return compare(relation, order, 0)
    if run.ends is None:
        return None
    ends = run.ends._asdict()
    names = {">": "above", "<": "below", "<=": "not_above", ">=": "not_below"}
    if relation in names:
        span = ends[names[relation]]
        return False if span is None else Span(*span)
    if relation == "==":
        return None
    spans = [span for span in (run.ends.above, run.ends.below) if span is not None]
    return Span(min(span[0] for span in spans), max(span[1] for span in spans))


def _seen(
    run: SignRun, relation: Relation, sides: tuple[Expression, Expression], over: RegimesOver
) -> bool | Span | None:
    """Return where a relation holds in a run of dense jumps, as far as that is seen."""
    if relation == "!=":
        return Span()  # there are two orders in it
    if relation == "==":
        return None
    # Of two that are equal the first is the largest: with the greater side first, that is `>=`.
    times = sides if relation in (">=", "<") else sides[::-1]
    turns = Turns(times, over.unknown.name, integer=over.unknown.integer, budget=over.budget)
    seen = turns.between(run.first, run.last)
    span = seen.spans.get(0 if relation in (">=", "<=") else 1)
    return (None if seen.ties is None else False) if span is None else span


def _bound(over: RegimesOver, condition: Condition) -> _Asked:
    """Ask where a resource binds, or does not."""
    prediction, unknown = over.prediction, over.unknown
    check_dependence(prediction.rivals.values(), unknown, prediction)
    parts = over.parts()
    found = over.regimes(parts)
    roots = BoundRoots(prediction, unknown, parts)
    wanted = condition.relation == "="

    def root_between(end: Place, start: Place) -> Root:
        for crossing in found.crossings:
            if end <= crossing.enclosure[1] and crossing.enclosure[0] <= start:
                return roots.at(crossing)
        return NO_ROOT

    def holds_at(place: int) -> bool:
        times = part_at(parts, place).times
        turns = Turns([*times.values()], unknown.name, integer=True, budget=over.budget)
        number = turns.largest_at(place)
        return number is not None and ([*times][number] == condition.resource) == wanted

    held = [
        _Held(regime.first, regime.last, _binds(regime, condition.resource or "", wanted))
        for regime in found.regimes
    ]
    return _Asked(held, root_between, holds_at)


def _binds(regime: Regime, resource: str, wanted: bool) -> bool | Span | None:
    """Return whether a resource binds in a regime, or, if that is not wanted, another does."""
    if regime.kind == "refused":
        return False
    if resource not in regime.labels:
        return not wanted
    if regime.certain:
        return (regime.labels[0] == resource) == wanted
    if regime.kind == "undecided":
        return None
    own = [s for name, s in zip(regime.labels, regime.spans, strict=True) if name == resource]
    others = [s for name, s in zip(regime.labels, regime.spans, strict=True) if name != resource]
    if wanted:
        return own[0]
    firsts = [span.first for span in others if span.first is not None]
    lasts = [span.last for span in others if span.last is not None]
    return Span(
        min(firsts) if len(firsts) == len(others) else None,
        max(lasts) if len(lasts) == len(others) else None,
    )


def _intervals(asked: _Asked, domain: Domain, unknown: Unknown) -> Iterator[HoldingRange]:
    """Yield the stretches that hold, for all of their places or for some."""
    parts, holds_at = asked.parts, asked.holds_at
    for start, end in _stretches(parts):
        edge, root = start - 1 if start else end, NO_ROOT
        if edge < len(parts) - 1:
            root = asked.root_between(parts[edge].last, parts[edge + 1].first)
        first, last, held = parts[start].first, parts[end].last, parts[start].holds
        if isinstance(held, Span):
            first = first if held.first is None else held.first
            last = last if held.last is None else held.last
            allowed = _first_valid(domain, first, last, holds_at) if unknown.integer else NOT_ASKED
            yield HoldingRange(first, last, "some", *held, allowed, *root)
        else:
            allowed = domain.first_of(first, last)
            yield HoldingRange(first, last, "all", first, last, allowed, *root)


def _first_valid(
    domain: Domain, first: Place, last: Place, holds_at: Callable[[int], bool]
) -> Allowed[int]:
    """Return the first number of a band that the model allows and that holds, if one is found."""
    budget = Budget()
    for count in range(_ASKED):
        found = domain.first(first, last, budget)
        if found.value is None or holds_at(found.value):
            # Of those before it that were asked, some may be undecided.
            return Allowed(found.value, found.proven and count == 0)
        first = found.value + 1
    return Allowed(None, False)


def _stretches(parts: Sequence[_Held]) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of each run of parts that hold; each band is one by itself."""

    def kind(place: int) -> int:
        holds = parts[place].holds
        return place if isinstance(holds, Span) else -1 if holds else -2

    for each, run in groupby(range(len(parts)), key=kind):
        places = list(run)
        if each != -2:
            yield places[0], places[-1]
