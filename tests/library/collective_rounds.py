"""Who sends which parts of a vector to whom, round by round, in collectives of P processes.

Written from the algorithms: Thakur, Rabenseifner, Gropp 2005; for numbers of processes that are no
powers of two MPICH (recursive doubling) and Träff 2024 (reduce-scatter). `process_counts` counts
the rounds; `test_collective_rounds` carries them out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]


class Round(NamedTuple):
    """What is sent at once: by each sender to its receiver, parts from `first` up to `end`.

    Parts are numbered round a circle: behind the last is part 0. What arrives is added to what the
    receiver has, or takes its place.
    """

    senders: Numbers
    receivers: Numbers
    first: Numbers
    end: Numbers
    added: bool


Rounds: TypeAlias = Iterator[Round]


def sent(
    senders: Numbers, receivers: Numbers, first: Numbers | int, end: Numbers | int, *, added: bool
) -> Round:
    each = np.zeros(len(senders), dtype=np.int64)
    return Round(senders, receivers, each + first, each + end, added)


def power_below(P: int) -> int:
    """Return the largest power of two up to P."""
    return 1 << (P.bit_length() - 1)


def distances(P: int) -> list[int]:
    """Return 1, 2, 4, … below P."""
    return [1 << stage for stage in range((P - 1).bit_length())]


def halving(P: int) -> Rounds:
    """Each sends its partner the half of its parts that the partner keeps."""
    every = np.arange(P)
    for distance in reversed(distances(P)):
        low = every - every % (2 * distance)
        first = np.where(every & distance, low, low + distance)
        yield sent(every, every ^ distance, first, first + distance, added=True)


def doubling(P: int) -> Rounds:
    """Each sends its partner all parts that it has."""
    every = np.arange(P)
    for distance in distances(P):
        first = every - every % distance
        yield sent(every, every ^ distance, first, first + distance, added=False)


def all_reduce_doubling(P: int) -> Rounds:
    """Exchange the whole vector, which is one part, at distances that double.

    As many as there are beyond a power of two hand it to a neighbour before, and get the sum after.
    """
    beyond = P - power_below(P)
    even = np.arange(0, 2 * beyond, 2)
    odd = even + 1
    yield sent(even, odd, 0, 1, added=True)
    working = np.concatenate((odd, np.arange(2 * beyond, P)))
    number = np.arange(len(working))
    for distance in distances(len(working)):
        yield sent(working, working[number ^ distance], 0, 1, added=True)
    yield sent(odd, even, 0, 1, added=False)


def reduce_scatter_halving(P: int) -> Rounds:
    """Halve, or go the way of Bruck's all-gather back, which adds up what it spread."""
    if P == power_below(P):
        yield from halving(P)
    else:
        for senders, receivers, first, end, _ in reversed([*bruck_all_gather(P)]):
            yield Round(receivers, senders, first, end, added=True)


def all_gather_doubling(P: int) -> Rounds:
    if P == power_below(P):
        yield from doubling(P)
    else:
        yield from bruck_all_gather(P)


def rabenseifner(P: int) -> Rounds:
    yield from reduce_scatter_halving(P)
    yield from all_gather_doubling(P)


def bruck_all_gather(P: int) -> Rounds:
    """Each sends the parts it has, its own first, to the process before it: 1, 2, 4, … before."""
    every = np.arange(P)
    for distance in distances(P):
        count = min(distance, P - distance)
        yield sent(every, (every - distance) % P, every, every + count, added=False)


def scatter(P: int) -> Rounds:
    """Down a tree from process 0: who holds a run of parts sends on the second half of it."""
    for distance in reversed(distances(P)):
        senders = np.arange(0, P - distance, 2 * distance)
        first = senders + distance
        yield sent(senders, first, first, np.minimum(first + distance, P), added=False)


def bruck_all_to_all(P: int) -> Iterator[tuple[int, Numbers]]:
    """Yield how far each stage goes, and how far what each process sends in it has to go in all."""
    every = np.arange(P)
    for distance in distances(P):
        yield distance, every[(every & distance) > 0]
