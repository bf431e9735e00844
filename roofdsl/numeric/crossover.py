"""All crossovers of several times: which is the largest where, proven over a whole range."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression.tree import Expression
from roofdsl.numeric.box import Ends, Place, State
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.order_change import OrderChange, change_after
from roofdsl.numeric.pair import BUILDING, Pair
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.sign_runs import SignRun, sign_runs
from roofdsl.numeric.sliver import is_narrow
from roofdsl.numeric.turns import Span, Turns, spans_of

# `tie`: all of the labels are the largest; `band`: now one of them, now another, by jumps too
# dense to be listed; `undecided`: one of them, but the work did not suffice to say which.
# `refused`: there is no value to compare.
RegimeKind: TypeAlias = Literal["largest", "tie", "band", "undecided", "refused"]
# `tie`: at one place, or a whole regime, they are exactly equal; `touch`: equal at one place, with
# the same order on both sides; `jump`: by a `ceil`, `floor` or `if`, without being equal.
CrossingKind: TypeAlias = Literal["switch", "tie", "touch", "jump", "band"]


@dataclass(frozen=True, slots=True)
class Regime:
    """All places from `first` to `last`, and what is largest there, in the order it was given.

    Of a real unknown, the two ends are proven, and between two regimes lies an enclosure. Of a
    band each label has a span: where it is the largest, of equals the first.
    """

    first: Place
    last: Place
    labels: tuple[str, ...]
    kind: RegimeKind = "largest"
    spans: tuple[Span, ...] = ()

    @property
    def certain(self) -> bool:
        """Whether all of its labels are known to be the largest at all of its places."""
        return self.kind in ("largest", "tie")

    def joined(self, following: Regime) -> Regime:
        """Return it with the one that follows, which is of the same labels and kind."""
        pairs = zip(self.spans, following.spans, strict=True)
        return replace(
            self, last=following.last, spans=tuple(one.joined(other) for one, other in pairs)
        )


@dataclass(frozen=True, slots=True)
class Crossing:
    """A change of what is largest, from `before` to `after`.

    `enclosure`: floats between which it lies; of a `band`, from the first switch to the last.
    `first_integer`: of a whole unknown, the first number from which `after` holds; of a `touch`,
    the number where they are equal. A band at the end of the range has nothing before or after it.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    enclosure: tuple[float, float]
    first_integer: int | None
    kind: CrossingKind


@dataclass(frozen=True, slots=True)
class Regimes(Proven):
    """The whole range as regimes, and every crossing, proven as far as said."""

    regimes: tuple[Regime, ...]
    crossings: tuple[Crossing, ...]
    proof: Proof

    @classmethod
    def of(cls, regimes: Sequence[Regime], crossings: Iterable[Crossing]) -> Regimes:
        """Return regimes with the changes between them, and how far they are proven."""
        proof = Proof.of((each.last, each.kind != "undecided") for each in regimes)
        return cls(tuple(regimes), tuple(crossings), proof)


Change: TypeAlias = Callable[[Regime, Regime], OrderChange]
"""Where one regime gives way to the next."""


class _Stretch(NamedTuple):
    """A regime in the making; a `gap` is the enclosure of a change, for a real unknown."""

    first: Place
    last: Place
    members: tuple[int, ...]
    kind: RegimeKind | Literal["gap"]
    spans: tuple[Span, ...] = ()


# What may be spent to see who takes turns in a band.
_TURNS_PART = 1 / 4
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
    regimes = largest(times, name, low, high, integer=integer, budget=budget)
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
    first, last, members, kind, spans = stretch
    if kind == "band" and not spans:
        times = [context.times[member][1] for member in members]
        share = context.budget.share(_TURNS_PART)
        turns = Turns(times, context.name, integer=context.integer, budget=share)
        found, whole = turns.spans(first, last)
        seen = [(m, span) for m, span in zip(members, found, strict=True) if span is not None]
        if len(seen) == len(members) or whole:
            members, spans = tuple(m for m, _ in seen), tuple(span for _, span in seen)
            kind = "band" if len(seen) > 1 else "largest"
        else:
            kind = "undecided"
    assert kind != "gap"
    labels = tuple(context.times[member][0] for member in members)
    return Regime(first, last, labels, kind, spans if kind == "band" else ())


def _against(context: _Context, stretch: _Stretch, number: int) -> list[_Stretch]:
    """Compare the largest of the times before with one more time."""
    # Of those that tie, one stands for all; of a band or what is undecided, each is compared.
    single = stretch.kind in ("largest", "tie")
    members = stretch.members[:1] if single else stretch.members
    sides = [(context.times[member][1], context.times[number][1]) for member in members]
    ends, integer = (stretch.first, stretch.last), context.integer
    results = [
        sign_runs(*pair, context.name, *ends, integer=integer, budget=share)
        for pair, share in zip(sides, context.budget.shares(len(sides)), strict=True)
    ]
    parts: list[_Stretch] = []
    for first, last, states, band in _overlaid([result.runs for result in results]):
        if parts and not context.integer and parts[-1].last < first:
            members = tuple(sorted({*stretch.members, number}))
            parts.append(_Stretch(parts[-1].last, first, members, "gap"))
        # Which of several is the largest may not be known here. The new one is the largest if it is
        # above all of them, and is not if any is above it; else it joins them.
        same = (first, last) == (stretch.first, stretch.last)
        part = stretch._replace(first=first, last=last, spans=stretch.spans if same else ())
        if all(state == "below" for state in states):
            part = part._replace(members=(number,), kind="largest", spans=())
        elif single and band is not None:
            part = _banded(part, number, band)
        elif "above" not in states:
            kind = _TOGETHER[states[0]] if single else stretch.kind
            if "undecided" in states and kind != "gap":
                kind = "undecided"
            part = part._replace(members=(*stretch.members, number), kind=kind, spans=())
        parts.append(part)
    return parts


def _banded(stretch: _Stretch, number: int, ends: Ends) -> _Stretch:
    """Return a stretch in which the largest so far and one more time take turns."""
    one, other = spans_of(ends)
    if other is None:  # at most it is equal to them
        return stretch
    if one is None:
        return stretch._replace(members=(number,), kind="largest")
    return stretch._replace(members=(stretch.members[0], number), kind="band", spans=(one, other))


def _overlaid(
    rows: Sequence[Sequence[SignRun]],
) -> Iterator[tuple[Place, Place, tuple[State, ...], Ends | None]]:
    """Cut runs of the same range into pieces in which none of them changes; one row has ends."""
    if len(rows) == 1:
        for run in rows[0]:
            yield run.first, run.last, (run.state,), run.ends
        return
    positions = [0] * len(rows)
    while all(position < len(row) for position, row in zip(positions, rows, strict=True)):
        current = [row[position] for position, row in zip(positions, rows, strict=True)]
        first, last = max(run.first for run in current), min(run.last for run in current)
        if first <= last:
            yield first, last, tuple(run.state for run in current), None
        for i, run in enumerate(current):
            if run.last == last:
                positions[i] += 1


def _merged(stretches: Sequence[_Stretch], integer: bool) -> Iterator[_Stretch]:
    """Join neighbours that are alike."""
    current = stretches[0]
    for each in stretches[1:]:
        if (each.members, each.kind) == (current.members, current.kind) and (
            integer or each.first <= current.last
        ):
            known = current.spans and each.spans
            pairs = zip(current.spans, each.spans, strict=True) if known else ()
            spans = tuple(span.joined(other) for span, other in pairs)
            current = current._replace(last=each.last, spans=spans)
        else:
            yield current
            current = each
    yield current


def crossings(regimes: Sequence[Regime], change: Change, *, integer: bool) -> Iterator[Crossing]:
    """Yield the changes between adjacent regimes; `change` says where one gives way to the next."""
    skip = False
    for place, (one, other) in enumerate(pairwise(regimes)):
        following = regimes[place + 2] if place + 2 < len(regimes) else None
        if skip:
            skip = False
        elif {one.kind, other.kind} & {"undecided", "refused"}:
            continue
        elif other.kind == "band":
            skip = following is not None and following.kind in ("largest", "tie")
            yield _band(one, other, following if skip else None, integer=integer)
        elif one.kind == "band":
            yield _band(None, one, other, integer=integer)
        elif other.kind == "tie" and is_point(other) and following is not None:
            if following.kind != "largest":
                yield _simple(one, other, change(one, other), integer=integer)
                continue
            skip = True
            yield _at_a_tie(one, other, following, integer=integer)
        else:
            yield _simple(one, other, change(one, other), integer=integer)


def _band(one: Regime | None, band: Regime, other: Regime | None, *, integer: bool) -> Crossing:
    before = () if one is None else one.labels
    after = () if other is None else other.labels
    end = band.last if other is None else other.first
    first_integer = int(end) if integer and other is not None else None
    start = band.first if one is None else one.last
    return Crossing(before, after, (float(start), float(end)), first_integer, "band")


def _at_a_tie(one: Regime, tie: Regime, other: Regime, *, integer: bool) -> Crossing:
    enclosure = float(tie.first), float(tie.last)
    if one.labels == other.labels:
        first = int(tie.first) if integer else None
        return Crossing(one.labels, other.labels, enclosure, first, "touch")
    first = int(other.first) if integer else None
    return Crossing(one.labels, other.labels, enclosure, first, "tie")


def is_point(tie: Regime) -> bool:
    """Whether times are equal at one place, which for a real unknown may be an enclosure of it."""
    return tie.first == tie.last or (isinstance(tie.last, float) and is_narrow(tie.first, tie.last))


def _simple(one: Regime, other: Regime, change: OrderChange, *, integer: bool) -> Crossing:
    tie = "tie" in (one.kind, other.kind)
    return Crossing(
        one.labels,
        other.labels,
        (change.low, change.high),
        int(other.first) if integer else None,
        "jump" if change.jump else "tie" if tie else "switch",
    )


def change_of(
    times: Mapping[str, Expression], name: str, *, integer: bool, budget: Budget
) -> Change:
    """Return what encloses the place where another of some times becomes the largest."""

    def change(one: Regime, other: Regime) -> OrderChange:
        left, right = exchanged(one, other)
        pair = Pair(times[left], times[right], name, integer=integer)
        budget.spend(BUILDING * pair.cost)
        if integer and one.last > 0:
            return change_after(pair, int(one.last), budget)
        pair.left.over(float(one.last), float(other.first))
        pair.right.over(float(one.last), float(other.first))
        return OrderChange(float(one.last), float(other.first), pair.jumps > 0)

    return change


def exchanged(one: Regime, other: Regime) -> tuple[str, str]:
    """Return the labels that cross between two regimes.

    Of labels that tie, these are the ones that leave and that come.
    """
    left = next((each for each in one.labels if each not in other.labels), one.labels[0])
    right = next((each for each in other.labels if each not in one.labels), other.labels[0])
    if left == right:
        left = next(each for each in (*one.labels, *other.labels) if each != right)
    return left, right
