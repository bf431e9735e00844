"""How many bytes the steps of a part reach, and what is left after them: a level, and its sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roofdsl.expression.construct import maximum
from roofdsl.expression.normal_form import NormalForm, number_form, symbol_form
from roofdsl.expression.product import is_positive

NOTHING = number_form(0)
ONCE = number_form(1)


class Level(NamedTuple):
    """What the steps of a part reach above where it begins, and what is left after it.

    Of what is left, `since` are gradients. `again` is what is reached where they are there already:
    what is added to them is there for a step alone.
    """

    peaks: tuple[NormalForm, ...]
    left: NormalForm
    since: NormalForm
    again: tuple[NormalForm, ...]


FLAT = Level((NOTHING,), NOTHING, NOTHING, (NOTHING,))


def level_of(peak: NormalForm, left: NormalForm) -> Level:
    """Return the level of a part that reaches a peak once, and what is left after it."""
    peaks = (NOTHING, peak)
    return Level(peaks, left, NOTHING, peaks)


def total(forms: Iterable[NormalForm]) -> NormalForm:
    """Return the sum of some bytes."""
    total = NOTHING
    for form in forms:
        total = total + form
    return total


def product(forms: Iterable[NormalForm]) -> NormalForm:
    """Return the product of some counts."""
    total = ONCE
    for form in forms:
        total = total * form
    return total


def less(size: NormalForm) -> Level:
    """Return the level of what frees so many bytes."""
    return FLAT._replace(left=-size)


def stacked(levels: Sequence[Level]) -> Level:
    """Return the level of parts one after another."""
    peaks: list[NormalForm] = []
    again: list[NormalForm] = []
    left = since = NOTHING
    for level in levels:
        peaks += [left + each for each in level.peaks]
        again += [left - since + each for each in level.again]
        left, since = left + level.left, since + level.since
    return _both(peaks, again, left, since)


def _both(
    peaks: Sequence[NormalForm], again: Sequence[NormalForm], left: NormalForm, since: NormalForm
) -> Level:
    most = _largest(peaks)
    return Level(most, left, since, most if since == NOTHING else _largest(again))


def at_once(levels: Sequence[Level]) -> Level:
    """Return the level of parts that run at once: no less than what they reach together."""
    left, since = total(x.left for x in levels), total(x.since for x in levels)
    peaks = _together([x.peaks for x in levels])
    return Level(peaks, left, since, _together([x.again for x in levels]))


def _together(levels: Sequence[tuple[NormalForm, ...]]) -> tuple[NormalForm, ...]:
    reached = [peaks for peaks in levels if peaks != (NOTHING,)]
    if len(reached) < 2:
        return reached[0] if reached else (NOTHING,)
    one = [x[0] if len(x) == 1 else symbol_form(maximum(*(y.tree() for y in x))) for x in reached]
    return (total(one),)


def repeated(level: Level, count: NormalForm) -> Level:
    """Return the level of so many rounds: the first or the last of them reaches the most."""
    before = level.left * (count - ONCE)
    last = tuple(before + each for each in level.peaks)
    before -= level.since * (count - ONCE)
    again = tuple(before + each for each in level.again)
    left, since = level.left * count, level.since * count
    return _both((*level.peaks, *last), (*level.again, *again), left, since)


def raised(level: Level, by: NormalForm) -> Level:
    """Return a level that begins so many bytes higher."""
    peaks = tuple(by + each for each in level.peaks)
    return level._replace(peaks=peaks, again=tuple(by + each for each in level.again))


def same_again(level: Level) -> Level:
    """Return the level of runs of the same: gradients are there from the first on, and added to.

    It is taken to run more than once: what a run makes is gone when the next begins.
    """
    if level.since == NOTHING:
        return level
    peaks = (*level.peaks, *(level.since + each for each in level.again))
    return level._replace(peaks=_largest(peaks))


def _largest(peaks: Sequence[NormalForm]) -> tuple[NormalForm, ...]:
    """Return those of some sums that are not certainly at most another."""
    kept: list[NormalForm] = []
    for peak in dict.fromkeys(peaks):
        if any(_is_least(other - peak) for other in kept):
            continue
        kept = [other for other in kept if not _is_least(peak - other)]
        kept.append(peak)
    return tuple(kept)


def _is_least(difference: NormalForm) -> bool:
    """Whether a sum is 0 or more, by its terms alone: of positive names, none is taken away."""
    return all(
        coefficient >= 0 and all(is_positive(atom) for atom, _ in powers)
        for powers, coefficient in difference.terms.items()
    )
