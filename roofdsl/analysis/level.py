"""How many bytes the steps of a part reach, and what is left after them: a level, and its sums."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeGuard

from roofdsl.allowance import operations
from roofdsl.expression.construct import maximum
from roofdsl.expression.normal_form import NormalForm, number_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import NO_POWERS, Powers, Rational, is_positive
from roofdsl.expression.tree import Expression, Symbol

_MOST_PAIRS = 64
"""Of parts that run at once so many pairs of what they reach stand as sums, more as one `max`."""
NOTHING = number_form(0)
ONCE = number_form(1)


_OPERATIONS = 20
"""What a term of a sum takes that is compared with another."""


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
    most = largest(peaks)
    return Level(most, left, since, most if since == NOTHING else largest(again))


def at_once(levels: Sequence[Level]) -> Level:
    """Return the level of parts that run at once: no less than what they reach together."""
    left, since = total(x.left for x in levels), total(x.since for x in levels)
    peaks = _together([x.peaks for x in levels])
    return Level(peaks, left, since, _together([x.again for x in levels]))


def _together(levels: Sequence[tuple[NormalForm, ...]]) -> tuple[NormalForm, ...]:
    found: tuple[NormalForm, ...] = (NOTHING,)
    for peaks in levels:
        if len(found) * len(peaks) > _MOST_PAIRS:
            found, peaks = _as_one(found), _as_one(peaks)
        found = largest([one + other for one in found for other in peaks])
    return found


def _as_one(peaks: tuple[NormalForm, ...]) -> tuple[NormalForm, ...]:
    return peaks if len(peaks) == 1 else (symbol_form(maximum(*(x.tree() for x in peaks))),)


def repeated(level: Level, count: NormalForm) -> Level:
    """Return the level of so many rounds: the first or the last of them reaches the most."""
    before = level.left * (count - ONCE)
    last = tuple(before + each for each in level.peaks)
    before -= level.since * (count - ONCE)
    again = tuple(before + each for each in level.again)
    left, since = level.left * count, level.since * count
    return _both((*level.peaks, *last), (*level.again, *again), left, since)


def adds_nothing(level: Level, count: NormalForm, beside: Level) -> bool:
    """Whether rounds of which there may be none reach no more then than what runs beside them."""
    if has_any(count):
        return True
    grown = level.left - level.since
    both = (level.peaks, level.left, beside.peaks), (level.again, grown, beside.again)
    return all(
        any(is_least(other - each) for other in (NOTHING, *others))
        for peaks, step, others in both
        for peak in peaks
        for each in (peak, peak - step)
    )


def raised(level: Level, by: NormalForm) -> Level:
    """Return a level that begins so many bytes higher."""
    peaks = tuple(by + each for each in level.peaks)
    return level._replace(peaks=peaks, again=tuple(by + each for each in level.again))


def same_again(level: Level) -> Level:
    """Return the level of runs of the same: gradients are there from the first on, and added to.

    They are more than one: what a run makes is gone when the next begins.
    """
    if level.since == NOTHING:
        return level
    peaks = (*level.peaks, *(level.since + each for each in level.again))
    return level._replace(peaks=largest(peaks))


def form_of(tree: Expression) -> NormalForm:
    """Return the normal form of bytes or of a count; one that grows too long is a name."""
    made = normal_form(tree)
    return symbol_form(tree) if made is None else made


def largest(peaks: Sequence[NormalForm]) -> tuple[NormalForm, ...]:
    """Return those of some sums that are not certainly at most another."""
    different = [*dict.fromkeys(peaks)]
    reached = _reached(different)
    if reached is not None:
        return reached
    kept: list[NormalForm] = []
    for peak in different:
        if any(is_least(other - peak) for other in kept):
            continue
        kept = [other for other in kept if not is_least(peak - other)]
        kept.append(peak)
    return _reached(kept) or tuple(kept)


def _reached(peaks: Sequence[NormalForm]) -> tuple[NormalForm, ...] | None:
    """Return those of some sums that are the largest at any value; None unless all are of a number.

    At a value the largest is a·n + b. One of a greater slope c, with d, is larger from the first
    whole number above (b - d)/(c - a) on.
    """
    operations().spend(_OPERATIONS * len(peaks))
    lines = [line for peak in peaks if (line := _line(peak)) is not None]
    if len(lines) < len(peaks) or len({line.name for line in lines if line.slope}) > 1:
        return None
    kept: list[NormalForm] = []
    place = 1
    while True:
        at, most = max(
            enumerate(lines), key=lambda x: (x[1].slope * place + x[1].start, x[1].slope)
        )
        kept.append(peaks[at])
        steeper = [line for line in lines if line.slope > most.slope]
        if not steeper:
            return tuple(kept)
        place = min((most.start - x.start) // (x.slope - most.slope) + 1 for x in steeper)


class _Line(NamedTuple):
    """A sum that grows with one whole number, from `start` by `slope`."""

    slope: Rational
    start: Rational
    name: str


def _line(form: NormalForm) -> _Line | None:
    terms = dict(form.terms)
    start = terms.pop(NO_POWERS, 0)
    if not terms:
        return _Line(0, start, "")
    (powers, slope), *more = terms.items()
    (atom, exponent), *others = powers
    if more or others or exponent != 1 or not _is_count(atom):
        return None
    return _Line(slope, start, atom.name)


def is_least(difference: NormalForm) -> bool:
    """Whether a sum is 0 or more, by its terms alone, of positive names.

    None is taken away, or no more than there is of it times whole names, which are 1 or more:
    batch·hidden − batch is 0 or more.
    """
    operations().spend(_OPERATIONS * (len(difference.terms) + 1))
    if not all(is_positive(atom) for powers in difference.terms for atom, _ in powers):
        return False
    there = {powers: amount for powers, amount in difference.terms.items() if amount > 0}
    for powers, amount in difference.terms.items():
        lacking = -amount
        for larger in there if lacking > 0 else ():
            if there[larger] and _is_as_large(larger, powers):
                taken = min(lacking, there[larger])
                there[larger] -= taken
                lacking -= taken
        if lacking > 0:
            return False
    return True


def _is_as_large(larger: Powers, powers: Powers) -> bool:
    """Whether a product is another times whole names."""
    exponents = dict(larger)
    for atom, exponent in powers:
        exponents[atom] = exponents.get(atom, 0) - exponent
    return all(
        exponent == 0 or (exponent > 0 and _is_count(atom)) for atom, exponent in exponents.items()
    )


def _is_count(atom: Expression) -> TypeGuard[Symbol]:
    """Whether it stands for a whole number, 1 or more."""
    return isinstance(atom, Symbol) and atom.integer and atom.positive


def has_any(count: NormalForm) -> bool:
    """Whether a count is 1 or more, by its terms."""
    if count.constant is not None:
        return count.constant >= 1
    return sum(count.terms.values()) >= 1 and all(
        not powers
        or (coefficient > 0 and all(_is_count(x) and exponent > 0 for x, exponent in powers))
        for powers, coefficient in count.terms.items()
    )
