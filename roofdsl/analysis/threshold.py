"""The inverse question: for which values of an unknown does a condition hold?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.allowance import Budget, question
from roofdsl.analysis.claim import Claim, Leads, Word
from roofdsl.analysis.crossover import check_dependence
from roofdsl.analysis.domain import NOT_ASKED, Domain, FirstAllowed
from roofdsl.analysis.larger import leading_quantity
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import put_in
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.roots import NO_ROOT, Root, leading_bound
from roofdsl.analysis.such_that import Condition
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.regime import Regime
from roofdsl.numeric.turns import Extent, Turns

RangeKind: TypeAlias = Literal["all", "some"]
# So many numbers that the model allows are asked, one after the other, if the condition holds.
_ASKED = 100


@dataclass(frozen=True, slots=True)
class HoldingRange(FirstAllowed):
    """Values of the unknown, ends included, for `all` or for `some` of which a condition holds.

    `some_refused`: some of all have no value. Where it holds for some, jumps between them are too
    dense to be listed; `first_holding` and `last_holding` are then the first and the last of them,
    None where that is not proven.
    `allowed` is the first one that holds and that the model allows. `closed_form` is that of the
    end where it begins to hold, or, where it holds from the start of the range, of the end where
    it ceases to.
    """

    first: Place
    last: Place
    kind: RangeKind
    some_refused: bool
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


_Holds: TypeAlias = bool | Extent | None
"""Whether a condition holds in a part of the range; an extent: for some, from where to where."""
_Part: TypeAlias = tuple[Place, Place, _Holds]


class _Held(NamedTuple):
    """The parts of a range in order, and how to ask what is between two of them, and at a place."""

    parts: Sequence[_Part]
    root_between: Callable[[Place, Place], Root]
    holds_at: Callable[[int], bool | None]


@question
def find_thresholds(
    prediction: Prediction, condition: Condition, unknown: Unknown, low: Place, high: Place
) -> Thresholds:
    """Return all values of the unknown in a range for which a condition holds."""
    leads = [*condition.leads]
    sides = [put_in(t, prediction) for each in leads for t in (each.quantities or {}).values()]
    of_bound = any(each.quantities is None for each in leads)
    rivals = prediction.rivals.values() if of_bound else ()
    asked = "" if of_bound else f"'{condition.text}'"
    check_dependence([*sides, *rivals], unknown, prediction, asked=asked)
    over = RegimesOver(prediction, unknown, low, high)
    found = _asked(over, condition.claim)
    intervals = tuple(_intervals(found, over))
    proof = Proof.of((last, holds is not None) for _, last, holds in found.parts)
    return Thresholds(condition, unknown, low, high, intervals, proof)


def _asked(over: RegimesOver, claim: Claim) -> _Held:
    if isinstance(claim, Leads):
        return _leading(over, claim)
    each = [_asked(over, part) for part in claim.parts]
    word = claim.word

    def root_between(end: Place, start: Place) -> Root:
        roots = (one.root_between(end, start) for one in each)
        return next((root for root in roots if root != NO_ROOT), NO_ROOT)

    def holds_at(place: int) -> bool | None:
        holds = _joined(word, [one.holds_at(place) for one in each])
        return holds if isinstance(holds, bool) else None

    rows = [[(*part[:2], part) for part in one.parts] for one in each]
    parts: list[_Part] = []
    for first, last, own in refined(rows):
        holds = _joined(word, [_within(part, first, last) for part in own])
        if holds is None and None not in [part[2] for part in own]:
            holds = _looked_at(first, last, holds_at, over.domain)  # all that is open are bands
        parts.append((first, last, holds))
    return _Held(parts, root_between, holds_at)


def _looked_at(
    first: Place, last: Place, holds_at: Callable[[int], bool | None], domain: Domain
) -> _Holds:
    """Return whether a condition holds in a part, as far as it shows near the ends."""
    if not (isinstance(first, int) and isinstance(last, int)):
        return None
    begin, end = range(first, last + 1)[:_ASKED], range(first, last + 1)[-_ASKED:]
    seen = {place: holds_at(place) for place in (*begin, *end) if domain.has_value(place)}
    holding = [place for place, holds in seen.items() if holds]
    if None in seen.values():
        return None
    if last - first < 2 * _ASKED and len(holding) in (0, len(seen)):
        return bool(holding)
    ends = holding and holding[0] in begin and holding[-1] in end
    return Extent(holding[0], holding[-1]) if ends and len(holding) < len(seen) else None


def _within(part: _Part, first: Place, last: Place) -> _Holds:
    """Return what is known of a part of a part: of a band, it may hold there nowhere."""
    return None if isinstance(part[2], Extent) and part[:2] != (first, last) else part[2]


def _joined(word: Word, values: Sequence[_Holds]) -> _Holds:
    """Return whether all of some conditions hold, or one of them."""
    settles = word == "or"
    if any(holds is settles for holds in values):
        return settles
    open_ones = [holds for holds in values if holds is not (not settles)]
    # Where two are bands, they may hold at the same places, or at all between them.
    return not settles if not open_ones else open_ones[0] if len(open_ones) == 1 else None


def _leading(over: RegimesOver, claim: Leads) -> _Held:
    """Ask where one leads, or does not."""
    unknown, name = over.unknown, claim.name
    compared = claim.quantities
    leaders = leading_bound(over) if compared is None else leading_quantity(over, compared)

    def root_between(end: Place, start: Place) -> Root:
        for crossing in leaders.found.crossings:
            if end <= crossing.enclosure[1] and crossing.enclosure[0] <= start:
                return leaders.root_at(crossing)
        return NO_ROOT

    zero = [ZERO] if compared is None else []  # where no time is above it, nothing binds

    @cache
    def turns(part: int) -> Turns:
        times = [*zero, *leaders.parts[part].times.values()]
        return Turns(times, unknown.name, integer=True, budget=over.budget)

    def holds_at(place: int) -> bool | None:
        part = next(i for i, each in enumerate(leaders.parts) if place <= each.last)
        number = turns(part).largest_at(place)
        if number is None:
            return None
        names = [*leaders.parts[part].times]
        return (number >= len(zero) and names[number - len(zero)] == name) == claim.wanted

    regimes = leaders.found.regimes
    parts = [(each.first, each.last, _holds(each, name, claim.wanted)) for each in regimes]
    return _Held(parts, root_between, holds_at)


def _holds(regime: Regime, name: str, wanted: bool) -> _Holds:
    """Return whether one leads in a regime, or, if that is not wanted, another does."""
    if regime.kind == "refused":
        return False
    if name not in regime.labels:
        return not wanted
    if regime.certain:
        return (regime.labels[0] == name) == wanted
    if regime.kind == "undecided":
        return None
    named = zip(regime.labels, regime.extents, strict=True)
    extents = [extent for label, extent in named if (label == name) == wanted]
    firsts = [extent.first for extent in extents if extent.first is not None]
    lasts = [extent.last for extent in extents if extent.last is not None]
    return Extent(
        min(firsts) if len(firsts) == len(extents) else None,
        max(lasts) if len(lasts) == len(extents) else None,
    )


def _intervals(asked: _Held, over: RegimesOver) -> Iterator[HoldingRange]:
    """Yield the stretches that hold, for all of their places or for some."""
    domain, integer = over.domain, over.unknown.integer
    parts, holds_at = asked.parts, asked.holds_at
    for start, end in _stretches(parts):
        edge, root = start - 1 if start else end, NO_ROOT
        first, last, held = parts[start][0], parts[end][1], parts[start][2]
        inside = isinstance(held, Extent) and held.first != first
        if edge < len(parts) - 1 and not inside:
            root = asked.root_between(parts[edge][1], parts[edge + 1][0])
        ends: tuple[Place | None, Place | None] = first, last
        if isinstance(held, Extent):
            ends = held
            first = first if held.first is None else held.first
            last = last if held.last is None else held.last
        if isinstance(held, Extent) and first < last:
            allowed = _first_valid(domain, first, last, holds_at) if integer else NOT_ASKED
            yield HoldingRange(first, last, "some", False, *ends, allowed, *root)
        else:
            some, allowed = over.refuses_some(first, last), domain.first_of(first, last)
            yield HoldingRange(first, last, "all", some, *ends, allowed, *root)


def _first_valid(
    domain: Domain, first: Place, last: Place, holds_at: Callable[[int], bool | None]
) -> Allowed[int]:
    """Return the first number of a band that the model allows and that holds, if one is found."""
    budget, proven = Budget(), True
    for _ in range(_ASKED):
        found = domain.first(first, last, budget)
        holds = None if found.value is None else holds_at(found.value)
        proven = proven and found.proven
        if found.value is None or holds:
            return Allowed(found.value, proven, found.looked if proven else None)
        proven = proven and holds is not None
        first = found.value + 1
    return Allowed(None, False, int(first) - 1 if proven else None)


def _stretches(parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Yield the first and last place of each run of parts that hold; each band is one by itself."""

    def kind(place: int) -> int:
        holds = parts[place][2]
        return place if isinstance(holds, Extent) else -1 if holds else -2

    for each, run in groupby(range(len(parts)), key=kind):
        places = list(run)
        if each != -2:
            yield places[0], places[-1]
