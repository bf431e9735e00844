"""The least change of all rates that turns a bound, exactly: kernels, and steps one after another.

What is charged to the bound more than to another resource is, over the kernels, a sum: a kernel
adds its time where it is bound by the one, takes its time away where it is bound by the other, and
adds nothing where a third binds it. Slower rates of the bound make its times longer, and bind more
kernels by it: none of that makes the sum less. Slower rates of the other never make it more. So the
sum is least where the rates of the bound are the fastest and those of the other the slowest. Rates
of a third only take kernels away, each one at a factor of its own: with one such rate the sum is a
function of it with steps, whose least value is found by going through these factors in order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.margin import NEVER
from roofdsl.analysis.scaled import Amount, Form, Scaled, Term
from roofdsl.analysis.turning import Point, Turn, factors_of

_FASTEST = 1e15
_HALVINGS = 60
_NEAR = 1e-12
_LEAST = 1e-3
_BEYOND = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4)
"""How far beyond the change that turns a bound a point is looked for at which it has turned."""


class _Line(NamedTuple):
    """How much there is of the least factor, of the largest, of 1, and of the third's own."""

    fastest: Amount
    slowest: Amount
    fixed: Amount
    third: Amount

    @classmethod
    def of(cls, form: Form, roles: Mapping[int, int]) -> _Line:
        found: list[Amount] = [0, 0, form[-1], 0]
        for place, each in enumerate(form[:-1]):
            if each:
                found[roles[place]] += each
        return cls(*found)


_Kernel: TypeAlias = tuple[tuple[_Line, _Line], ...]
"""Each of the times of a kernel, and what it adds where that is the longest."""
_FASTEST_ROLE, _SLOWEST_ROLE, _THIRD_ROLE = 0, 1, 3


@dataclass(frozen=True, slots=True)
class Steps:
    """What is charged to the bound, how much more than to another, and the roles of factors in it.

    `fastest` are the places of factors that belong to the bound, `slowest` those of the other;
    `third` is the place of the one that is left, None where there is none. `always` is what hangs
    on no choice, `kernels` what does.
    """

    mine: Scaled
    gap: Scaled
    fastest: frozenset[int]
    slowest: frozenset[int]
    third: int | None
    always: _Line
    kernels: tuple[_Kernel, ...]

    def least(self, low: Amount, high: Amount) -> tuple[Amount, Amount]:
        """Return the least value while all factors lie between two, and the third factor there.

        Of equals that which makes more counts: the ends themselves do not belong to it.
        """
        fastest, slowest, fixed, _ = self.always
        found = fastest * low + slowest * high + fixed
        leaving: list[tuple[Amount, Amount]] = []
        for kernel in self.kernels:
            here, gone = _bound(kernel, low, high)
            if gone is None or gone > low:
                found += here
                if gone is not None and gone < high:
                    leaving.append((gone, -here))
        least, at, before = found, low, None
        for place, less in sorted(leaving):
            # All that leave at one factor have left beyond it.
            if place != before and found < least:
                least, at = found, before if before is not None else low
            found += less
            before = place
        if found < least and before is not None:
            least, at = found, before
        return least, at

    def factors(self, low: Amount, high: Amount, third: Amount) -> list[Amount]:
        """Return the factors where the rates of the bound are fast and those of the other slow."""
        size = len(self.gap.form)
        found: list[Amount] = [low - low + 1] * size
        for place in range(size):
            if place in self.fastest:
                found[place] = low
            elif place in self.slowest:
                found[place] = high
        if self.third is not None:
            found[self.third] = third
        return found


def steps_of(mine: Scaled, gap: Scaled, used: Sequence[int]) -> Steps | None:
    """Return the roles of the factors `used` in a gap, None unless it is a sum over kernels.

    At most one factor may be left over.
    """
    fastest = {place for place, each in enumerate(gap.form[:-1]) if each > 0}
    slowest = {place for place, each in enumerate(gap.form[:-1]) if each < 0}
    for term in gap.terms:
        for option in term.options:
            if option.terms:
                return None
            fastest.update(place for place, each in enumerate(option.form[:-1]) if each > 0)
            slowest.update(place for place, each in enumerate(option.form[:-1]) if each < 0)
    others = [place for place in used if place not in fastest | slowest]
    if fastest & slowest or len(others) > 1:
        return None
    third = others[0] if others else None
    if not all(_is_kernel(term, fastest, slowest, third) for term in gap.terms):
        return None
    roles = dict.fromkeys(fastest, _FASTEST_ROLE) | dict.fromkeys(slowest, _SLOWEST_ROLE)
    roles |= dict.fromkeys(others, _THIRD_ROLE)
    kernels = tuple(
        tuple(
            (_Line.of(value.form, roles), _Line.of(option.form, roles))
            for value, option in zip(term.choice.values, term.options, strict=True)
        )
        for term in gap.terms
    )
    always = _Line.of(gap.form, roles)
    return Steps(mine, gap, frozenset(fastest), frozenset(slowest), third, always, kernels)


def _is_kernel(term: Term, fastest: set[int], slowest: set[int], third: int | None) -> bool:
    """Whether each role has at most one of the times, and adds, takes away, or does nothing."""
    roles = []
    for value, option in zip(term.choice.values, term.options, strict=True):
        held = {place for place, each in enumerate(value.form[:-1]) if each}
        mine, theirs = held <= fastest, held <= slowest
        signs = {(each > 0) - (each < 0) for each in option.form} - {0}
        if value.terms or len(signs) > 1 or not (mine or theirs or held == {third}):
            return False
        if not held:  # what no rate changes
            continue
        if (mine and -1 in signs) or (theirs and 1 in signs) or (held == {third} and signs):
            return False
        roles.append("mine" if mine else "theirs" if theirs else "third")
    return len(roles) == len(set(roles))


def _bound(kernel: _Kernel, low: Amount, high: Amount) -> tuple[Amount, Amount | None]:
    """Return what a kernel adds while no third binds it, and the factor from which one does."""
    best: Amount | None = None
    adds: Amount = 0
    gone: _Line | None = None
    for time, option in kernel:
        fastest, slowest, fixed, third = time
        if third:
            gone = time
            continue
        spent = fastest * low + slowest * high + fixed
        if best is None or spent >= best:
            fastest, slowest, fixed, _ = option
            counts = fastest * low + slowest * high + fixed
            if best is None or spent > best or counts > adds:
                best, adds = spent, counts
    if gone is None or best is None:
        return adds, None
    return adds, (best - gone.fixed) / gone.third


def turned(steps: Steps, nearer: float) -> tuple[float, Turn | None]:
    """Return up to which change a gap is not negative, but for rounding, and what turns it then.

    `nearer` is a change of the rates that is known to turn the bound: no larger one matters.
    """
    if steps.least(*factors_of(nearer))[0] >= 0:
        return nearer, None
    low, high = 0.0, nearer
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if high - low <= _NEAR * middle:
            break
        if steps.least(*factors_of(middle))[0] < 0:
            high = middle
        else:
            low = middle
    return low, _beyond(steps, high)


def _beyond(steps: Steps, change: float) -> Turn | None:
    """Return a point just beyond a change at which the bound has turned."""
    for more in _BEYOND:
        wider = min(change * (1 + more) + more * _LEAST, NEVER)
        low, high = factors_of(wider)
        least, third = steps.least(low, high)
        if least >= 0:
            continue
        third = min(third * (1 + more), high)
        factors = tuple(float(each) for each in steps.factors(low, high, third))
        if Point(factors).surely_turns(steps.gap, steps.mine):
            return Turn(wider, factors)
    return None


def faster_alone(steps: Steps) -> float:
    """Return the change that turns a bound which holds however slow the rates are.

    Nothing competes then but times that no rate changes: only faster rates of the bound itself turn
    it, and a change of 300 % is one to four times the rate. Infinite where none does.
    """
    low, high = 1.0, 2.0
    while steps.least(1 / (1 + high), 1.0)[0] >= 0:
        low, high = high, 2 * high
        if high > _FASTEST:
            return math.inf
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if steps.least(1 / (1 + middle), 1.0)[0] < 0:
            high = middle
        else:
            low = middle
    return low
