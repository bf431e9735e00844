"""Constants of sums of largest terms, by least squares of relative errors.

At any constants each largest term is one of its pieces, so that times are linear; least squares on
these pieces give other constants, and so on. As the pieces may be chosen in many ways, it begins in
several places, and the best end is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from roofdsl.numeric.linear_terms import Terms
from roofdsl.numeric.nonnegative import Array, determined, non_negative

_ROUNDS = 40
_HALVINGS = 12
_RANDOM = 6
_SPREAD = 1.0
"""Random beginnings differ from others by factors of about e to this."""
_BETTER = 1e-9
_SEED = 18
_CHANCE = 4.0
"""One more constant lessens the misfit by less, in 19 of 20 cases, where it means nothing."""
_NOTHING = 1e-20


class Known(NamedTuple):
    """Constants by least squares, each with its standard error, None where it has none.

    By place: `unseen` are those on which no time depends, `alike` groups of which only some sum is
    known, and without a `spare` one the rest fits as well, within chance: up to `limit`, where
    `misfit` is that of all.
    """

    values: tuple[float, ...]
    errors: tuple[float | None, ...]
    unseen: tuple[int, ...]
    alike: tuple[tuple[int, ...], ...]
    spare: tuple[int, ...]
    misfit: float
    limit: float


class Solution(NamedTuple):
    """Constants, in order; the equations they solve, relative to what was measured; the misfit."""

    values: Array
    matrix: Array
    right: Array
    misfit: float


def best_constants(
    equations: Sequence[tuple[Terms, float, float]],
    names: Sequence[str],
    stated: Sequence[float | None],
    *,
    testing: bool = False,
) -> Known:
    """Return the constants ≥ 0 with the least Σ ((time - measured) · weight)².

    Each equation is a time, what was measured, and its weight. What is `stated` is where it begins,
    and what an unseen one stays at. It is the least of what was found from several places to begin.
    `testing` finds the spare ones: it fits once more without each.

    >>> twice = Terms({"a": 2.0, "": 1.0})
    >>> [round(x, 6) for x in best_constants([(twice, 5.0, 0.2)], ["a"], [None]).values]
    [2.0]
    """
    system = Equations([time for time, _, _ in equations], names)
    measured = np.array([each for _, each, _ in equations])
    weights = np.array([each for _, _, each in equations])
    limits = system.envelope(measured)
    pairs = zip(stated, limits, strict=True)
    start = np.array([limit if each is None else each for each, limit in pairs])
    found = solved(system, measured, weights, [start])
    values = found.values.copy()
    known = determined(found.matrix, found.right, values)
    before = system.times(values)
    for place in known.unseen:
        changed = values.copy()
        changed[place] = start[place]
        if np.allclose(system.times(changed), before, rtol=1e-12, atol=0.0):
            values = changed
    spare: list[int] = []
    told = {*known.unseen, *(place for group in known.alike for place in group)}
    limit = found.misfit * (1 + _CHANCE / max(1, len(measured) - len(names))) + _NOTHING
    for place in range(len(names)) if testing and len(names) > 1 else ():
        if values[place] > 0 and place not in told:
            others = Equations(
                [time for time, _, _ in equations], [*names[:place], *names[place + 1 :]]
            )
            begin = np.delete(values, place)
            if solved(others, measured, weights, [begin]).misfit <= limit:
                spare.append(place)
    return Known(tuple(map(float, values)), *known, tuple(spare), found.misfit, limit)


def times_at(times: Sequence[Terms], names: Sequence[str], values: Sequence[float]) -> list[float]:
    """Return times [s] at constants.

    >>> times_at([Terms({"": 1.0}, (({"a": 2.0}, {"": 3.0}),))], ["a"], [2.0])
    [5.0]
    """
    if not times:
        return []
    return [float(each) for each in Equations(times, names).times(np.array(values, dtype=float))]


class Equations:
    """Times in terms of constants: `values` for any of them, and the pieces that count there."""

    def __init__(self, times: Sequence[Terms], names: Sequence[str]) -> None:
        column = {name: place for place, name in enumerate([*names, ""])}
        rows: list[list[float]] = []
        groups: list[int] = []
        owners: list[int] = []
        for owner, time in enumerate(times):
            for pieces in ((time.base,), *time.maxima):
                groups.append(len(rows))
                owners.append(owner)
                for piece in pieces:
                    row = [0.0] * (len(names) + 1)
                    for name, value in piece.items():
                        if name in column:  # others take no time
                            row[column[name]] = value
                    rows.append(row)
        self._pieces = np.array(rows, dtype=float).reshape(len(rows), len(names) + 1)
        self._groups = np.array(groups, dtype=int)
        self._sizes = np.diff([*groups, len(rows)])
        self._group_of = np.repeat(np.arange(len(groups)), self._sizes)
        self._owners = np.array(owners, dtype=int)
        self.count = len(times)

    def times(self, constants: Array) -> Array:
        """Return the times [s]."""
        lengths = self._pieces[:, :-1] @ constants + self._pieces[:, -1]
        return self._by_time(np.maximum.reduceat(lengths, self._groups))

    def active(self, constants: Array) -> Array:
        """Return the pieces that count, a row for each time; the last column stands for itself."""
        lengths = self._pieces[:, :-1] @ constants + self._pieces[:, -1]
        largest = np.repeat(np.maximum.reduceat(lengths, self._groups), self._sizes)
        longest = np.flatnonzero(~(lengths < largest))  # what is no number, too
        _, first = np.unique(self._group_of[longest], return_index=True)
        chosen = longest[first]
        found = np.zeros((self.count, self._pieces.shape[1]))
        np.add.at(found, self._owners, self._pieces[chosen])
        return found

    def envelope(self, measured: Array) -> Array:
        """Return for each constant the most that no single term is longer than what was measured.

        0 where no term has it.
        """
        limits = np.full(self._pieces.shape[1] - 1, np.inf)
        lengths = measured[np.repeat(self._owners, self._sizes)]
        for place in range(len(limits)):
            used = (self._pieces[:, place] > 0) & (lengths > 0)
            if used.any():
                limits[place] = np.min(lengths[used] / self._pieces[used, place])
        limits[np.isinf(limits)] = 0.0
        return limits

    def _by_time(self, values: Array) -> Array:
        found = np.zeros(self.count)
        np.add.at(found, self._owners, values)
        return found


def solved(
    equations: Equations, measured: Array, weights: Array, starts: Sequence[Array]
) -> Solution:
    """Return the constants with the least Σ ((time - measured) · weight)².

    It begins at the `starts`, where each term just reaches what was measured, and at some random
    places about these, always the same ones.
    """
    envelope = equations.envelope(measured)
    generator = np.random.default_rng(_SEED)
    about = [envelope, *starts]
    begun = [*starts, envelope, envelope / 2]
    for place in range(_RANDOM):
        factors = np.exp(_SPREAD * generator.standard_normal(len(envelope)))
        begun.append(np.where(about[place % len(about)] > 0, about[place % len(about)], envelope))
        begun[-1] = begun[-1] * factors
    best: Solution | None = None
    for start in begun:
        found = _descended(equations, measured, weights, start)
        if best is None or found.misfit < best.misfit * (1 - _BETTER):
            best = found
    assert best is not None
    return best


def _descended(equations: Equations, measured: Array, weights: Array, start: Array) -> Solution:
    here = start
    misfit = _misfit(equations, measured, weights, here)
    for _ in range(_ROUNDS):
        matrix, right = _relative(equations, measured, weights, here)
        seen = np.any(matrix != 0, axis=0)
        there = here.copy()
        there[seen] = non_negative(matrix[:, seen], right) if seen.any() else 0.0
        for _ in range(_HALVINGS):
            found = _misfit(equations, measured, weights, there)
            if found < misfit:
                break
            there = (here + there) / 2
        if not found < misfit * (1 - _BETTER):
            break
        here, misfit = there, found
    matrix, right = _relative(equations, measured, weights, here)
    return Solution(here, matrix, right, misfit)


def _relative(
    equations: Equations, measured: Array, weights: Array, here: Array
) -> tuple[Array, Array]:
    active = equations.active(here)
    right: Array = (measured - active[:, -1]) * weights
    return active[:, :-1] * weights[:, None], right


def _misfit(equations: Equations, measured: Array, weights: Array, here: Array) -> float:
    rest = (equations.times(here) - measured) * weights
    return float(rest @ rest)
