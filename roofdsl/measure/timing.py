"""How long something takes: done again and again, its times by median and quartiles."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median, quantiles
from typing import NamedTuple

BATCH = 1e-3
"""What is shorter is done several times between two looks at the clock [s]."""


class Clock(NamedTuple):
    """What tells the time of day and of the processor, both in seconds."""

    wall: Callable[[], float] = time.perf_counter
    processor: Callable[[], float] = time.process_time


CLOCK = Clock()


class Timed(NamedTuple):
    """The times of something that was done again and again [s].

    `share` is how much of one processor it had: the processor's seconds over the clock's, which
    are about the number of its threads where nothing else runs.
    """

    median: float
    low: float
    high: float
    repeats: int
    share: float


class Effort(NamedTuple):
    """How often something is done: at least so often and so long, at the most so often."""

    seconds: float = 0.2
    least: int = 5
    most: int = 1000


def timed(
    work: Callable[[], object],
    effort: Effort = Effort(),  # noqa: B008 - a named tuple, which nothing changes
    *,
    warm: int = 1,
    clock: Clock = CLOCK,
) -> Timed:
    """Do something again and again, and return how long it takes once.

    It is done `warm` times before, which are not counted. What takes less than `BATCH` is done
    several times between two looks at the clock, and a time is then the mean of these.

    >>> from itertools import count
    >>> ticks = count()
    >>> even = Clock(lambda: next(ticks) / 2, lambda: 0.0)  # half a second from look to look
    >>> timed(lambda: None, Effort(2.0), clock=even)
    Timed(median=0.5, low=0.5, high=0.5, repeats=5, share=0.0)
    """
    for _ in range(warm):
        work()
    calls = _calls(work, clock)
    times = list[float]()
    began, used = clock.wall(), clock.processor()
    while True:
        start = clock.wall()
        for _ in range(calls):
            work()
        times.append((clock.wall() - start) / calls)
        if len(times) >= effort.most:
            break
        if len(times) >= effort.least and sum(times) * calls >= effort.seconds:
            break
    passed, used = clock.wall() - began, clock.processor() - used
    return summary(times, share=used / passed if passed > 0 else 0.0)


def _calls(work: Callable[[], object], clock: Clock) -> int:
    """Return how often something is done so that it takes `BATCH`: a power of two."""
    calls = 1
    while True:
        start = clock.wall()
        for _ in range(calls):
            work()
        if clock.wall() - start >= BATCH or calls >= 1 << 20:
            return calls
        calls *= 2


def summary(times: Sequence[float], *, share: float = 1.0) -> Timed:
    """Return the median and the quartiles of times [s], of which there is one at least.

    Quartiles lie between two times where they must, in proportion, as the median does.

    >>> summary([4.0, 1.0, 2.0, 3.0, 5.0])
    Timed(median=3.0, low=2.0, high=4.0, repeats=5, share=1.0)
    """
    if len(times) == 1:
        return Timed(times[0], times[0], times[0], 1, share)
    low, _, high = quantiles(times, n=4, method="inclusive")
    return Timed(median(times), low, high, len(times), share)


class Rate(NamedTuple):
    """A rate in SI base units, and half of the distance between its quartiles."""

    value: float
    spread: float


def rate(amount: float, times: Timed) -> Rate:
    """Return how much is done in a second: an amount over the median of the times.

    The spread is that of the amount over each quartile: (amount/low - amount/high)/2.

    >>> rate(6.0, Timed(median=3.0, low=2.0, high=4.0, repeats=5, share=1.0))
    Rate(value=2.0, spread=0.75)
    """
    return Rate(amount / times.median, (amount / times.low - amount / times.high) / 2)
