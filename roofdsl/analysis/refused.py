"""Where a prediction has no value: an amount is below 0 there, or not defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, nextafter
from typing import NamedTuple

from roofdsl.analysis.domain import Domain
from roofdsl.expression.condition import compare
from roofdsl.expression.tree import Comparison
from roofdsl.numeric.box import Place
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.sign_runs import sign_runs

_ORDERS = {"above": 1, "equal": 0, "below": -1}


class Stretch(NamedTuple):
    """A part of a range, ends included; `refused`: `eval` refuses every value of it."""

    first: Place
    last: Place
    refused: bool


def refused(domain: Domain, low: Place, high: Place, budget: Budget) -> tuple[Stretch, ...]:
    """Return the parts of a range in which `eval` refuses every value, by what it demands.

    What is required of parameters is not among that, as it may hold at single numbers only.
    """
    found: list[Stretch] = []
    name, integer = domain.unknown.name, domain.unknown.integer
    conditions = [each for each in domain.demanded if isinstance(each, Comparison)]
    for condition, share in zip(conditions, budget.shares(len(conditions)), strict=True):
        sides = condition.left, condition.right
        runs = sign_runs(*sides, name, low, high, integer=integer, budget=share).runs
        # What is demanded holds wherever there is a value: so there is none where it does not.
        found += [
            Stretch(run.first, run.last, True)
            for run in runs
            if run.state in _ORDERS and not compare(condition.relation, _ORDERS[run.state], 0)
        ]
    return tuple(found)


def cut(first: Place, last: Place, holes: Sequence[Stretch]) -> Iterator[Stretch]:
    """Yield the parts of a stretch that lie in holes, and those between.

    >>> [tuple(part) for part in cut(1, 9, [Stretch(3, 4, True), Stretch(4, 6, True)])]
    [(1, 2, False), (3, 4, True), (5, 6, True), (7, 9, False)]
    """
    place = first
    for hole in sorted(holes):
        start, end = max(hole.first, place), min(hole.last, last)
        if start > end:
            continue
        if place < start:
            yield Stretch(place, _before(start), False)
        yield Stretch(start, end, True)
        place = _after(end)
    if place <= last:
        yield Stretch(place, last, False)


def _before(place: Place) -> Place:
    return place - 1 if isinstance(place, int) else nextafter(place, -inf)


def _after(place: Place) -> Place:
    return place + 1 if isinstance(place, int) else nextafter(place, inf)
