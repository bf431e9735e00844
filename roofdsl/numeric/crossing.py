"""The changes between regimes: how and where what is the largest gives way to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression.tree import Expression
from roofdsl.numeric.interval import around
from roofdsl.numeric.order_change import OrderChange, change_between
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.regime import Crossing, Regime, is_point

ChangeBetween: TypeAlias = Callable[[Regime, Regime], OrderChange]
"""Where one regime gives way to the next."""


def crossings(
    regimes: Sequence[Regime], change: ChangeBetween, *, integer: bool
) -> Iterator[Crossing]:
    """Yield the changes between adjacent regimes; `change` says where one gives way to the next."""
    skip = False
    for place, (one, other) in enumerate(pairwise(regimes)):
        following = regimes[place + 2] if place + 2 < len(regimes) else None
        if skip:
            skip = False
        elif {one.kind, other.kind} & {"undecided", "refused", "idle"}:
            continue
        elif other.kind == "band":
            skip = following is not None and following.certain
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
    before = () if one is None else one.leading
    after = () if other is None else other.leading
    end = band.last if other is None else other.first
    first_integer = int(end) if integer and other is not None else None
    start = band.first if one is None else one.last
    enclosure = around(Fraction(start))[0], around(Fraction(end))[1]
    return Crossing(before, after, enclosure, first_integer, "band")


def _at_a_tie(one: Regime, tie: Regime, other: Regime, *, integer: bool) -> Crossing:
    enclosure = float(tie.first), float(tie.last)
    before, after = one.leading, other.leading
    if before == after:
        first = int(tie.first) if integer else None
        return Crossing(before, after, enclosure, first, "touch")
    first = int(other.first) if integer else None
    return Crossing(before, after, enclosure, first, "tie")


def _simple(one: Regime, other: Regime, change: OrderChange, *, integer: bool) -> Crossing:
    tie = "tie" in (one.kind, other.kind)
    return Crossing(
        one.leading,
        other.leading,
        (change.low, change.high),
        int(other.first) if integer else None,
        "jump" if change.jump else "tie" if tie else "switch",
    )


def change_of(
    times: Mapping[str, Expression], name: str, *, integer: bool, budget: Budget
) -> ChangeBetween:
    """Return what encloses the place where another of some times becomes the largest."""

    def change(one: Regime, other: Regime) -> OrderChange:
        left, right = (times[label] for label in exchanged(one.leading, other.leading))
        pair = Pair(left, right, name, integer=integer, budget=budget)
        return change_between(pair, one.last, other.first, budget)

    return change


def exchanged(before: Sequence[str], after: Sequence[str]) -> tuple[str, str]:
    """Return the labels that cross where the largest change.

    Of labels that tie, these are the ones that leave and that come.
    """
    left = next((each for each in before if each not in after), before[0])
    right = next((each for each in after if each not in before), after[0])
    if left == right:
        left = next(each for each in (*before, *after) if each != right)
    return left, right
