"""The bandwidth of memory by STREAM's four loops, and that of caches by triads that fit in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from typing import NamedTuple, TypeAlias

from roofdsl.measure.hardware import Cache, Hardware
from roofdsl.measure.job import Job
from roofdsl.measure.loops import WORDS, Arrays, Loops, arrays_of
from roofdsl.measure.timing import Effort, Timed, timed

Together: TypeAlias = "Callable[[Callable[[], object]], None]"
"""Does a work in each of the threads at once."""

_TIMES_CACHE = 4
"""An array of STREAM's is so many times the largest cache, as its rules ask."""
_UNKNOWN_CACHE = 64 << 20
_LEAST = 80_000_000
"""Bytes of an array of STREAM's, as its rules ask: ten million elements."""
_PART = 1 / 4
"""Of the free memory that the three arrays may take."""
_WORD = 8
_AT_ONCE = 200e6
"""Bytes that a loop moves between two looks at the clock: Python's part of the time is small."""


class Size(NamedTuple):
    """The bytes of one array of STREAM's, and how many times the largest cache that is."""

    size: int
    caches: float | None


def stream_size(machine: Hardware, most: int | None = None) -> Size:
    """Return how large arrays are: as STREAM asks, but not more than there is room for.

    >>> machine = Hardware("p", (Cache(3, 32 << 20, 8),), 8 << 30, 6 << 30, "Linux")
    >>> stream_size(machine)
    Size(size=134217728, caches=4.0)
    >>> stream_size(machine._replace(available=384 << 20))
    Size(size=33554432, caches=1.0)
    """
    cache = machine.last_cache
    size = max(_LEAST, _TIMES_CACHE * (cache or _UNKNOWN_CACHE))
    if machine.available is not None:
        size = min(size, int(machine.available * _PART / 3))
    if most is not None:
        size = min(size, most)
    size -= size % 64
    return Size(size, size / cache if cache else None)


def stream(
    loops: Loops, together: Together, size: int, threads: int, effort: Effort
) -> Iterator[Job]:
    """Yield the jobs of STREAM's four loops on arrays of so many bytes, in parts of the threads."""
    count = size // _WORD // threads
    for name, words in WORDS.items():
        yield Job(
            f"stream.{name}",
            (size,),
            float(words * _WORD * count * threads),
            partial(_timed, loops, together, name, count, 1, effort),
            threads,
        )


def levels(
    machine: Hardware, loops: Loops, together: Together, threads: int, effort: Effort, points: int
) -> Iterator[Job]:
    """Yield the jobs of triads in each cache, on working sets well within it and out of the last.

    A cache that is hardly larger than the one before has none.
    """
    for cache, within in zip(machine.caches, windows(machine.caches, threads), strict=True):
        for working_set in between(within, points) if within else ():
            count = max(16, working_set // (3 * _WORD) // 16 * 16)
            passes = ceil(_AT_ONCE / (3 * _WORD * count))
            yield Job(
                f"memory.L{cache.level}",
                (3 * _WORD * count,),
                float(3 * _WORD * count * passes * threads),
                partial(_timed, loops, together, "triad", count, passes, effort),
                threads,
            )


def windows(caches: tuple[Cache, ...], threads: int) -> list[tuple[int, int] | None]:
    """Return the least and the largest working set [B] of a thread that each cache serves.

    Well within it is at most half of it, and at least an eighth, or twice the one before.

    >>> windows((Cache(1, 32768), Cache(2, 1 << 20), Cache(3, 1 << 21)), 1)
    [(4096, 16384), (131072, 524288), None]
    """
    found = list[tuple[int, int] | None]()
    before = 0
    for cache in caches:
        size = cache.of_one(threads)
        least, most = max(2 * before, size // 8), size // 2
        found.append((least, most) if least < most else None)
        before = max(before, size)
    return found


def between(ends: tuple[int, int], points: int) -> list[int]:
    """Return so many working sets from one end to the other, each as many times the one before.

    >>> between((4096, 16384), 3)
    [4096, 8192, 16384]
    """
    low, high = ends
    return [round(low * (high / low) ** (k / (points - 1))) for k in range(points)]


def _timed(
    loops: Loops,
    together: Together,
    name: str,
    count: int,
    passes: int,
    effort: Effort,
) -> Timed:
    """Return how long the passes of a loop take that each thread does on arrays of its own.

    Each thread fills its own, so that they lie in the memory that is nearest to it.
    """
    made = list[Arrays]()
    together(lambda: made.append(arrays_of(count, "fp64")))

    def work() -> None:
        left = iter(made)  # taking the next is one step, which no other thread interrupts
        together(lambda: loops.run(name, "fp64", next(left), passes))

    return timed(work, effort)
