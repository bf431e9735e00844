"""Where a prediction has no value: an amount is below 0 there, or not defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.analysis.domain import Domain
from roofdsl.expression.condition import compare
from roofdsl.expression.tree import Comparison, Relation
from roofdsl.numeric.box import Place, place_after, place_before
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.sign_runs import SignRun, sign_runs

_ORDERS = {"above": 1, "equal": 0, "below": -1}
_BREAKING: dict[Relation, str] = {
    ">=": "below",
    ">": "not_above",
    "<=": "above",
    "<": "not_below",
}
"""The order of two sides, as `Ends` has it, in which a relation does not hold."""


class Stretch(NamedTuple):
    """A part of a range, ends included.

    `refused`: whether `eval` refuses every value of it, True, or none, False; None: it refuses some
    among others, or that is not decided.
    """

    first: Place
    last: Place
    refused: bool | None


def refused(domain: Domain, low: Place, high: Place, budget: Budget) -> tuple[Stretch, ...]:
    """Return the parts of a range in which `eval` refuses values, by what it demands.

    What is required of parameters is not among that, as it may hold at single numbers only.
    """
    found: list[Stretch] = []
    name, integer = domain.unknown.name, domain.unknown.integer
    conditions = [each for each in domain.demanded if isinstance(each, Comparison)]
    for condition, share in zip(conditions, budget.shares(len(conditions)), strict=True):
        sides = condition.left, condition.right
        runs = sign_runs(*sides, name, low, high, integer=integer, budget=share).runs
        found += filter(None, (_without_value(run, condition.relation) for run in runs))
    return tuple(found)


def _without_value(run: SignRun, relation: Relation) -> Stretch | None:
    """Return the part of a run in which what is demanded does not hold, None if there is none.

    What is demanded holds wherever there is a value: so there is none where it does not.
    """
    if run.state in _ORDERS:
        holds = compare(relation, _ORDERS[run.state], 0)
        return None if holds else Stretch(run.first, run.last, True)
    if run.ends is None or relation not in _BREAKING:
        return Stretch(run.first, run.last, None)
    broken: tuple[Place, Place] | None = getattr(run.ends, _BREAKING[relation])
    return None if broken is None else Stretch(*broken, None)


def cut(first: Place, last: Place, holes: Sequence[Stretch]) -> Iterator[Stretch]:
    """Yield the parts of a stretch that lie in holes, and those between.

    >>> [tuple(part) for part in cut(1, 9, [Stretch(3, 4, True), Stretch(4, 6, True)])]
    [(1, 2, False), (3, 4, True), (5, 6, True), (7, 9, False)]
    >>> [tuple(part) for part in cut(1, 9, [Stretch(5, 5, None), Stretch(5, 5, True)])]
    [(1, 4, False), (5, 5, True), (6, 9, False)]
    """
    place = first
    for hole in sorted(holes, key=lambda each: (*each[:2], each.refused is None)):
        start, end = max(hole.first, place), min(hole.last, last)
        if start > end:
            continue
        if place < start:
            yield Stretch(place, place_before(start), False)
        yield Stretch(start, end, hole.refused)
        place = place_after(end)
    if place <= last:
        yield Stretch(place, last, False)
