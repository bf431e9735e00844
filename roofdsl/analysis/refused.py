"""Where a prediction has no value: an amount is below 0 there, or not defined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.analysis.domain import Domain
from roofdsl.expression.condition import OPPOSITE
from roofdsl.expression.tree import Comparison
from roofdsl.numeric.place import Place, place_after, place_before
from roofdsl.numeric.run import holding_in
from roofdsl.numeric.sign_runs import sign_runs

Refusal: TypeAlias = Literal["none", "all", "some", "perhaps"]


class Hole(NamedTuple):
    """A part of a range, ends included, and whether `eval` refuses its values.

    `some`: it refuses the first and the last of them, among others; `perhaps`: that is not decided.
    """

    first: Place
    last: Place
    refusal: Refusal


def demanded_of(domain: Domain) -> list[Comparison]:
    """Return what holds wherever a prediction has a value, as far as it is compared."""
    return [each for each in domain.demanded if isinstance(each, Comparison)]


def refused(domain: Domain, low: Place, high: Place, budget: Budget) -> tuple[Hole, ...]:
    """Return the parts of a range in which `eval` refuses values, by what it demands.

    What is required of parameters is not among that, as it may hold at single numbers only. What is
    demanded holds wherever there is a value: so there is none where it does not.
    """
    found: list[Hole] = []
    name, integer = domain.unknown.name, domain.unknown.integer
    conditions = demanded_of(domain)
    for condition, share in zip(conditions, budget.shares(len(conditions)), strict=True):
        sides = condition.left, condition.right
        for run in sign_runs(*sides, name, low, high, integer=integer, budget=share).runs:
            broken = holding_in(run, OPPOSITE[condition.relation])
            if isinstance(broken, tuple):
                found.append(Hole(*broken, "some"))
            elif broken is not False:
                found.append(Hole(run.first, run.last, "all" if broken else "perhaps"))
    return tuple(found)


def cut(first: Place, last: Place, holes: Sequence[Hole]) -> Iterator[Hole]:
    """Yield the parts of a stretch that lie in holes, and those between.

    Of a hole that is cut, what is left is said to have `some` where it has an end of it.

    >>> [tuple(part) for part in cut(1, 9, [Hole(3, 4, "all"), Hole(4, 6, "all")])]
    [(1, 2, 'none'), (3, 4, 'all'), (5, 6, 'all'), (7, 9, 'none')]
    >>> [tuple(part) for part in cut(1, 9, [Hole(5, 5, "perhaps"), Hole(5, 5, "all")])]
    [(1, 4, 'none'), (5, 5, 'all'), (6, 9, 'none')]
    >>> [tuple(part) for part in cut(4, 9, [Hole(3, 10, "some")])]
    [(4, 9, 'perhaps')]
    """
    place = first
    for hole in sorted(holes, key=lambda each: (*each[:2], each.refusal != "all")):
        start, end = max(hole.first, place), min(hole.last, last)
        if start > end:
            continue
        if place < start:
            yield Hole(place, place_before(start), "none")
        cut_off = hole.refusal == "some" and hole.first < start and end < hole.last
        yield Hole(start, end, "perhaps" if cut_off else hole.refusal)
        place = place_after(end)
    if place <= last:
        yield Hole(place, last, "none")
