"""All crossovers of several times: which is the largest where, proven over a whole range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from roofdsl.allowance import Budget, operations
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossing import change_of, crossings
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.regime import CERTAIN, Regime, RegimeKind, Regimes, joined_regimes
from roofdsl.numeric.run import Ends, State
from roofdsl.numeric.sign_runs import sign_runs
from roofdsl.numeric.turns import Extent, Turns, extents_of


class _Stretch(NamedTuple):
    """A regime in the making; a `gap` is the enclosure of a change, for a real unknown."""

    first: Place
    last: Place
    members: tuple[int, ...]
    kind: RegimeKind | Literal["gap"]
    extents: tuple[Extent, ...] = ()


# What may be spent to see who takes turns in a band.
_TURNS_PART = 1 / 4
# What it takes to compare two times, besides the budget.
_OPERATIONS = 2000
# What two times are together where neither is above the other.
_TOGETHER: dict[State, RegimeKind] = {"equal": "tie", "mixed": "band", "undecided": "undecided"}


class _Context(NamedTuple):
    times: Sequence[tuple[str, Expression]]
    name: str
    integer: bool
    budget: Budget


def crossovers(
    times: Sequence[tuple[str, Expression]],
    name: str,
    low: Place,
    high: Place,
    *,
    integer: bool,
    budget: Budget | None = None,
) -> Regimes:
    """Return which of the labelled times is the largest, for a name from `low` to `high`.

    The trees hold no other name; `integer`: it takes whole values only, and the thresholds are
    exact. What the budget does not suffice for is left undecided. Raises ValueError without a
    time, or if `low > high`.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> times = [("flops", multiply(n, n)), ("network", multiply(number("2.5"), n))]
    >>> found = crossovers(times, "N", 1, 10**18, integer=True)
    >>> [(regime.first, regime.labels) for regime in found.regimes]
    [(1, ('network',)), (3, ('flops',))]
    >>> found.crossings[0].first_integer, found.crossings[0].kind
    (3, 'switch')
    """
    budget = budget or Budget()
    found = largest(times, name, low, high, integer=integer, budget=budget)
    regimes = [*joined_regimes(found, integer=integer)]
    change = change_of(dict(times), name, integer=integer, budget=budget)
    return Regimes.of(regimes, crossings(regimes, change, integer=integer))


def largest(
    times: Sequence[tuple[str, Expression]],
    name: str,
    low: Place,
    high: Place,
    *,
    integer: bool,
    budget: Budget,
) -> tuple[Regime, ...]:
    """Return the regimes alone: what is the largest where; see `crossovers`."""
    if not times:
        raise ValueError("nothing to compare")
    if not low <= high:
        raise ValueError("an empty range")
    # One time after the other is compared with the largest of those before it, stretch by stretch:
    # n times take n - 1 passes, not n(n - 1)/2 comparisons over the whole range. The result is
    # proven, as a maximum may be taken in any order.
    stretches = [_Stretch(low, high, (0,), "largest")]
    for number, part in zip(range(1, len(times)), budget.shares(len(times) - 1), strict=True):
        compared: list[_Stretch] = []
        for stretch, share in zip(stretches, part.shares(len(stretches)), strict=True):
            compared += _against(_Context(times, name, integer, share), stretch, number)
        stretches = list(_merged(compared, integer))
    context = _Context(times, name, integer, budget)
    return tuple(_regime(context, each) for each in _without_gaps(stretches))


def _without_gaps(stretches: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """Yield stretches without the enclosures of changes; where nothing changes, it is undecided."""
    for place, each in enumerate(stretches):
        if each.kind != "gap":
            yield each
        elif 0 < place < len(stretches) - 1:
            before, after = stretches[place - 1], stretches[place + 1]
            if (before.members, before.kind) == (after.members, after.kind):
                yield each._replace(kind="undecided")


def _regime(context: _Context, stretch: _Stretch) -> Regime:
    """Return a stretch as a regime; of a band only what is known to be the largest somewhere."""
    first, last, members, kind, extents = stretch
    if kind == "band" and not extents:
        times = [context.times[member][1] for member in members]
        share = context.budget.share(_TURNS_PART)
        turns = Turns(times, context.name, integer=context.integer, budget=share)
        seen = turns.between(first, last)
        if len(seen.extents) > 1 and (seen.ties is not None or len(seen.extents) == len(members)):
            members, extents = tuple(members[i] for i in seen.extents), tuple(seen.extents.values())
        elif seen.ties is not None:
            ties = seen.ties
            numbers = dict.fromkeys(number for tied in sorted(ties) for number in tied)
            members = tuple(members[number] for number in numbers)
            kind = "shared" if len(ties) > 1 else "tie" if len(members) > 1 else "largest"
        else:
            kind = "undecided"
    assert kind != "gap"
    labels = tuple(context.times[member][0] for member in members)
    return Regime(first, last, labels, kind, extents if kind == "band" else ())


def _against(context: _Context, stretch: _Stretch, number: int) -> list[_Stretch]:
    """Compare the largest of the times before with one more time."""
    # Of those that tie, one stands for all; of a band or what is undecided, each is compared.
    single = stretch.kind in CERTAIN
    members = stretch.members[:1] if single else stretch.members
    sides = [(context.times[member][1], context.times[number][1]) for member in members]
    ends, integer = (stretch.first, stretch.last), context.integer
    operations().spend(_OPERATIONS * len(sides))
    results = [
        sign_runs(*pair, context.name, *ends, integer=integer, budget=share)
        for pair, share in zip(sides, context.budget.shares(len(sides)), strict=True)
    ]
    rows = [[(run.first, run.last, run) for run in result.runs] for result in results]
    parts: list[_Stretch] = []
    for first, last, runs in refined(rows):
        states, band = [run.state for run in runs], runs[0].ends
        if parts and not context.integer and parts[-1].last < first:
            members = tuple(sorted({*stretch.members, number}))
            parts.append(_Stretch(parts[-1].last, first, members, "gap"))
        # Which of several is the largest may not be known here. The new one is the largest if it is
        # above all of them, and is not if any is above it; else it joins them.
        same = (first, last) == (stretch.first, stretch.last)
        part = stretch._replace(first=first, last=last, extents=stretch.extents if same else ())
        if all(state == "below" for state in states):
            part = part._replace(members=(number,), kind="largest", extents=())
        elif single and band is not None:
            part = _banded(part, number, band)
        elif "above" not in states and (single or "equal" not in states):
            # Of two that are equal the first is the largest: in a band one that equals another
            # does not take turns.
            kind = _TOGETHER[states[0]] if single else stretch.kind
            kind = "shared" if (stretch.kind, kind) == ("shared", "tie") else kind
            if "undecided" in states and kind != "gap":
                kind = "undecided"
            part = part._replace(members=(*stretch.members, number), kind=kind, extents=())
        cut_off = stretch.kind == part.kind == "shared" and not same
        parts += _anew(context, part) if cut_off else [part]
    return parts


def _anew(context: _Context, stretch: _Stretch) -> list[_Stretch]:
    """Compare the members again: equal at some places of a whole, they need not be so in a part."""
    found = [stretch._replace(members=stretch.members[:1], kind="largest")]
    for number in stretch.members[1:]:
        found = [part for one in found for part in _against(context, one, number)]
    return found


def _banded(stretch: _Stretch, number: int, ends: Ends) -> _Stretch:
    """Return a stretch in which the largest so far and one more time take turns."""
    one, other = extents_of(ends)
    if other is None:  # at most it is equal to them
        return stretch._replace(members=(*stretch.members, number), kind="shared", extents=())
    if one is None:
        return stretch._replace(members=(number,), kind="largest")
    return stretch._replace(members=(stretch.members[0], number), kind="band", extents=(one, other))


def _merged(stretches: Sequence[_Stretch], integer: bool) -> Iterator[_Stretch]:
    """Join neighbours that are alike."""
    current = stretches[0]
    for each in stretches[1:]:
        if (each.members, each.kind) == (current.members, current.kind) and (
            integer or each.first <= current.last
        ):
            known = current.extents and each.extents
            pairs = zip(current.extents, each.extents, strict=True) if known else ()
            extents = tuple(extent.joined(other) for extent, other in pairs)
            current = current._replace(last=each.last, extents=extents)
        else:
            yield current
            current = each
    yield current
