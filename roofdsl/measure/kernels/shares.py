"""What each process has of a problem, and how its answer is compared with a serial one."""

from __future__ import annotations

from math import isnan

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Points = NDArray[np.complex128]


def share(count: int, size: int, rank: int) -> int:
    """Return how many of `count` things a process has: they differ by one at the most.

    >>> [share(10, 4, rank) for rank in range(4)]
    [3, 3, 2, 2]
    """
    return count // size + (rank < count % size)


def numbers(shape: int | tuple[int, ...], *seed: int) -> Numbers:
    """Return numbers from 0 to 1, the same for the same seed: each process makes its own."""
    return np.random.default_rng(seed).random(shape)


def distance(found: NDArray[np.inexact], expected: NDArray[np.inexact]) -> float:
    """Return the largest difference over the largest value expected; inf for what is no number.

    >>> distance(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    0.5
    >>> distance(np.array([np.nan]), np.ones(1))
    inf
    """
    largest = float(np.max(np.abs(expected), initial=0.0)) or 1.0
    off = float(np.max(np.abs(found - expected), initial=0.0)) / largest
    return float("inf") if isnan(off) else off
