"""Whether what the solver says of a case is so."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, pairwise
from math import ceil, floor
from random import Random

import mpmath

from tests.oracle.contest import REFUSED, Ask, Contest, asked, asked_exactly, members
from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Signed, Undefined
from tests.oracle.sentences import Change, Number, Said, Stretch

EXHAUSTIVE = 2000
_INNER = 60
DISAGREE = {True: {(True, False), (False, True)}, False: {(False, True)}}
"""Whether some are said to have no value, and some seen to: of all, or of a few, places."""
_NEAR = 1e-5


def wrong_regimes(contest: Contest, said: Said, random: Random) -> list[str]:
    """Return what is wrong with stretches of what binds, or is the fastest, and their changes."""
    case, ask, names = contest.case, contest.winners, contest.names()
    wrong = [*_cover(case, said.stretches), *_proof(said)]
    places = points(case, said, random)
    found = asked(case, ask, places)
    for stretch in said.stretches:
        inside = _within(places, stretch.first.high, stretch.last.low)
        for bits in {*found[inside]}:
            binding = {*members(names, max(0, bits))}
            if not agrees(stretch, binding, bits == REFUSED):
                place = places[found.index(bits, inside.start)]
                wrong.append(f"{stretch.labels} {stretch.kind} at {place}: it is {binding}")
        begins = stretch is said.stretches[0] and stretch.kind != "refused"
        if stretch.told == "none" or (case.integer and (stretch.told or begins)):
            told = Change((), (), first=stretch.first, told=stretch.told, allowed=stretch.allowed)
            wrong += _wrong_allowed(case, told, said)
        if stretch.holes and stretch.last.low - stretch.first.low < EXHAUSTIVE:
            wrong += [] if REFUSED in found[inside] else [f"{stretch}: all have a value"]
        if stretch.kind in ("band", "shared") and stretch.last.low - stretch.first.low < EXHAUSTIVE:
            every = {*found[_within(places, stretch.first.low, stretch.last.low)]} - {REFUSED}
            seen = {name for bits in every for name in members(names, bits)}
            seen |= {"nothing"} if 0 in every else set()
            if seen != {*stretch.labels}:
                wrong.append(f"{stretch.kind} by {stretch.labels}: it is {seen}")
    if said.none is not None and any(not change.step for change in said.changes):
        wrong.append("no crossover, and then some")
    if said.none is not None and {s.kind for s in said.stretches} & {"band"}:
        wrong.append("no crossover, and then a band")
    for change in said.changes:
        if not change.step:
            wrong += _wrong_change(contest, change, said, names)
    return wrong


def _within(places: Sequence[Fraction | int], low: Fraction, high: Fraction) -> slice:
    """Return where in an ascending row what lies between two ends stands."""
    return slice(bisect_left(places, low), bisect_right(places, high))


def agrees(stretch: Stretch, binding: set[str], refused: bool) -> bool:
    if stretch.holes and refused:
        return True
    if not binding and not refused and "nothing" in stretch.labels:
        return True
    if stretch.kind in ("refused", "idle") or not binding:
        kind = "refused" if refused else "idle"
        return stretch.kind in (kind, "undecided") and not binding
    if stretch.kind in ("band", "undecided"):
        return bool(binding & {*stretch.labels})
    if stretch.kind == "shared":
        return stretch.labels[0] in binding <= {*stretch.labels}
    return binding == {*stretch.labels}


def _cover(case: Case, stretches: Sequence[Stretch]) -> Iterator[str]:
    """Yield where stretches leave something out, overlap, or do not end where the range does."""
    if not stretches:
        yield "no stretches"
        return
    if case.integer:
        if stretches[0].first.middle != ceil(case.low):
            yield f"begins at {stretches[0].first.middle}, not {case.low}"
        if stretches[-1].last.middle != floor(case.high):
            yield f"ends at {stretches[-1].last.middle}, not {case.high}"
        for one, other in pairwise(stretches):
            if one.last.middle + 1 != other.first.middle:
                yield f"{one} is followed by {other}"
        return
    if not stretches[0].first.low <= case.low <= stretches[0].first.high:
        yield f"begins at {stretches[0].first}, not {case.low}"
    if not stretches[-1].last.low <= case.high <= stretches[-1].last.high:
        yield f"ends at {stretches[-1].last}, not {case.high}"
    for one, other in pairwise(stretches):
        gap = other.first.middle - one.last.middle
        if abs(gap) > _NEAR * abs(other.first.middle):
            yield f"{one} is followed by {other}"


def _proof(said: Said) -> Iterator[str]:
    undecided = [stretch for stretch in said.stretches if stretch.kind == "undecided"]
    says = [said.proven, said.up_to is not None, said.not_from_the_start]
    if says.count(True) != 1:
        yield f"how far it is proven is said {says.count(True)} times"
    if said.proven and undecided:
        yield "proven, and undecided"
    if said.up_to is not None and undecided and said.up_to.low > undecided[0].first.high:
        yield f"proven up to {said.up_to}, but undecided from {undecided[0].first}"


def points(case: Case, said: Said, random: Random) -> Sequence[Fraction | int]:
    """Return where to look: ends and what lies beside them, powers, and between, ascending."""
    low, high = case.low, case.high
    if case.integer and high - low <= EXHAUSTIVE:
        return range(ceil(low), floor(high) + 1)
    found = {low, high}
    numbers = [n for s in said.stretches for n in (s.first, s.last)]
    numbers += [n for s in said.holds for n in s.at or ()]
    for end in numbers:
        if case.integer:
            found |= {end.middle + step for step in range(-3, 4)}
        else:
            found |= {end.low, end.high}
            found |= {
                end.middle * (1 + sign * Fraction(1, 10**k)) for k in (4, 3, 2) for sign in (-1, 1)
            }
    ends = sorted({low, high, *(end.middle for end in numbers)})
    for one, other in pairwise(ends):
        found |= {between(one, other, random) for _ in range(max(10, 100 // len(ends)))}
    if case.integer:
        whole = {round(each) for each in found} | BESIDE_POWERS
        first, last = ceil(low), floor(high)
        return sorted(x for x in whole if first <= x <= last)
    return sorted(each for each in found if low <= each <= high)


BESIDE_POWERS = {
    b**k + d for b, most in ((2, 60), (10, 18)) for k in range(most) for d in (-1, 0, 1)
}


def between(low: Fraction, high: Fraction, random: Random) -> Fraction:
    """Return a number between two, as likely in each decade as in another, or in each part."""
    if low > 0 and random.random() < 0.7:
        return low * Fraction(float(high / low) ** random.random())
    return low + (high - low) * Fraction(random.random())


def _wrong_change(contest: Contest, change: Change, said: Said, names: list[str]) -> Iterator[str]:
    case, ask = contest.case, contest.winners
    if change.first is not None:
        first = change.first.middle
        now = {*members(names, max(0, asked_exactly(case, ask, first)))}
        touches = change.kind in ("touch", "band")
        if now and not (now >= {*change.after} if touches else now == {*change.after}):
            yield f"{change}: at {first} it is {now}"
        before = asked_exactly(case, ask, first - 1) if first > case.low else REFUSED
        was = {*members(names, max(0, before))}
        if was and change.kind != "band" and not was <= {*change.before, *change.after}:
            yield f"{change}: at {first - 1} it is {was}"
        yield from _wrong_allowed(case, change, said)
    elif change.at is not None and change.kind in ("switch", "touch", "tie"):
        yield from wrong_root(contest, change, change.at, "at")
    if change.equal is not None:
        yield from wrong_root(contest, change, change.equal, "equal")
    if change.closed is not None and change.kind == "jump" and change.first is not None:
        # Of a composition: where the bound of the step changes that makes the whole jump.
        if (
            not change.first.middle - 1 <= change.closed.high
            or change.closed.low > change.first.high
        ):
            yield f"closed form {float(change.closed.low)} of a jump at {change.first.middle}"
    elif change.closed is not None:
        yield from wrong_root(contest, change, (change.closed, change.closed), "closed form")


def wrong_root(
    contest: Contest,
    change: Change,
    where: tuple[Number, Number],
    what: str,
    near: float = _NEAR,
) -> Iterator[str]:
    """Yield that two times are not equal, or nearly, where it is said."""
    low, high = where[0].low, where[1].high
    left = [name for name in change.before if name not in change.after] or [*change.before]
    right = [name for name in change.after if name not in change.before] or [*change.after]
    gaps = []
    with mpmath.workdps(DIGITS):
        beside = () if change.first is None else (change.first.middle - 1, change.first.middle)
        for place in (low, (low + high) / 2, high, *(x for x in beside if low < x < high)):
            with suppress(Undefined):
                rivals = contest.amounts(Signed(), contest.case.values(Signed(), place))
                one, other = mpmath.mpf(1) * rivals[left[0]], mpmath.mpf(1) * rivals[right[-1]]
                gaps.append((one - other) / (max(abs(one), abs(other)) or 1))
        if not gaps:
            yield f"{what} {float(low)}..{float(high)}: no value there"
        elif len(gaps) > 1 and min(gaps) * max(gaps) > 0 and min(map(abs, gaps)) > near:
            yield f"{what} {float(low)}..{float(high)}: {left} and {right} are not equal"


def _wrong_allowed(case: Case, change: Change, said: Said) -> Iterator[str]:
    assert change.first is not None
    first = change.first.middle
    stretch = next((s for s in said.stretches if s.first.middle == first), None)
    last = stretch.last.middle if stretch else case.high
    if change.told in ("none", "unknown"):
        found = first_allowed(case, first, last)
        if found is not None and change.told == "none":
            yield f"none is allowed from {first}: {found} is"
        return
    value = change.allowed.middle if change.allowed is not None else first
    if not case.allows(value):
        yield f"{value} is said to be allowed, and is not"
        return
    if not first <= value <= last:
        yield f"{value} is allowed, but not in {first}..{last}"
    found = first_allowed(case, first, value - 1)
    if found is not None and change.told != "some":
        yield f"first allowed is {value}: {found} is, too"


def first_allowed(case: Case, first: Fraction, last: Fraction) -> int | None:
    """Return the first whole number that is allowed, None where none was seen.

    All of a short range; of a long one its beginning, and numbers of few prime factors.
    """
    begin, end = ceil(first), floor(last)
    near = range(begin, min(end, begin + 300) + 1)
    likely = sorted({x for x in LIKELY if begin <= x <= end})[:200]
    return next((x for x in (*near, *likely) if case.allows(Fraction(x))), None)


def _likely() -> Iterator[int]:
    for factor in (1, 3, 5, 7, 12):
        for power in range(61):
            yield factor * 2**power
        for power in range(19):
            yield factor * 10**power
    for root in (*range(1, 400), *(10**k + d for k in range(2, 10) for d in (0, 1))):
        yield root**2
        yield root**3


LIKELY = sorted({x for x in _likely() if x <= 10**18})


def _wrong_some(case: Case, change: Change, ask: Ask) -> Iterator[str]:
    """Yield what is wrong with a condition that holds at some of a range, first and last."""
    assert change.at is not None and change.inside is not None
    (low, high), (first, last) = change.at, change.inside
    for name, place in (("first", first.middle), ("last", last.middle)):
        if name in change.kind and asked_exactly(case, ask, place) != 1:
            yield f"does not hold {name} at {place}"
    before = range(ceil(low.middle), min(ceil(first.middle), ceil(low.middle) + 300))
    after = range(max(floor(last.middle), floor(high.middle) - 300) + 1, floor(high.middle) + 1)
    tried = [*before, *after]
    for place, found in zip(tried, asked(case, ask, tried), strict=True):
        if found == 1:
            yield f"holds at {place} as well, before the first or after the last"
    inside = range(ceil(first.middle), min(floor(last.middle), ceil(first.middle) + EXHAUSTIVE) + 1)
    states = asked(case, ask, inside)
    if last.middle - first.middle < EXHAUSTIVE and (1 not in states or 0 not in states):
        yield f"holds at some of {low.middle}..{high.middle}: {set(states)}"


def wrong_holds(case: Case, said: Said, random: Random, ask: Ask) -> list[str]:
    """Return what is wrong with the stretches in which a condition is said to hold."""
    wrong: list[str] = []
    says = [said.proven, said.up_to is not None, said.not_from_the_start]
    if says.count(True) != 1:
        wrong.append(f"how far it is proven is said {says.count(True)} times")
    places = points(case, said, random)
    known = case.high if said.proven else said.up_to.low if said.up_to else case.low - 1
    found = asked(case, ask, places)
    beside = [place > known for place in places]
    for change in said.holds:
        assert change.at is not None
        low, high = change.at
        inside = _within(places, low.high, high.low)
        if not change.inside and 0 in found[inside]:
            wrong.append(f"does not hold at {places[found.index(0, inside.start)]}")
        every = high.high - low.low < EXHAUSTIVE
        if not change.inside and (change.holes, REFUSED in found[inside]) in DISAGREE[every]:
            wrong.append(f"{change}: what has a value is said wrongly")
        span = _within(places, low.low, high.high)
        beside[span] = [True] * len(places[span])
    holds = (x for x, state, told in zip(places, found, beside, strict=True) if state == 1 > told)
    wrong += [f"holds at {place} as well" for place in islice(holds, 1)]
    if said.none is not None and said.holds:
        wrong.append("holds nowhere, and then somewhere")
    for change in said.holds:
        assert change.at is not None
        if change.inside is not None:
            wrong += _wrong_some(case, change, ask)
        elif case.integer:
            begun = Change((), (), first=change.at[0], allowed=change.allowed)
            begun.told = change.told
            last = change.at[1].middle
            inside_said = Said(stretches=[Stretch("", (), change.at[0], change.at[1])])
            wrong += _wrong_allowed(case, begun, inside_said) if last else ()
    return wrong
