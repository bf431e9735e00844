"""Points of a sweep that arrays do not tell for certain: what is not allowed, or nearly not."""

from __future__ import annotations

import numpy as np

from roofdsl.numeric.array_program import Array, Truths

_ROUNDING = 1e-13
"""What is off by more is looked at alone: more than rounding does, less than is forgiven."""


def no_rate(value: Array) -> Truths | None:
    """Find where a rate is not above 0."""
    return None if value.min() > 0 else ~(value > 0)


def below_zero(value: Array) -> Truths | None:
    """Find what is below 0."""
    return None if value.min() >= 0 else ~(value >= 0)


def failing(holds: Truths) -> Truths:
    """Find where a condition does not hold."""
    return ~holds if holds.dtype == bool else np.not_equal(holds, True)


def refuted(total: Array, processes: Array, work: Array) -> Truths:
    """Find where a total is less than the busiest process does, or more than all can do."""
    less = total < work
    if less.any():
        less = total < work * (1 - _ROUNDING)
    most = np.asarray(processes * work)
    most *= 1 + _ROUNDING
    return less | (total > most)


def working(place: Array, time: Array) -> Array:
    """Return the place of the bound, -1 where there is no work."""
    positive = time > 0
    return place if positive.all() else np.where(positive, place, np.int8(-1))
