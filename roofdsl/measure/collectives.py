"""What many processes do together, made of messages between two, so that each is counted.

Each function is called by all processes of a `group`, a list of ranks that is the same to all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from roofdsl.measure.communicator import Array, Communicator

Item = TypeVar("Item", bound=np.generic)


def broadcast(own: Communicator, values: Array, root: int, group: Sequence[int]) -> None:
    """Send the root's array to all of a group, over a binomial tree.

    The root sends it ceil(log2 p) times to the p processes, all together p - 1 times.
    """
    count = len(group)
    first = group.index(root)
    place = (group.index(own.rank) - first) % count
    step = 1
    while step < count:
        if place < step and place + step < count:
            own.send(values, group[(first + place + step) % count])
        elif step <= place < 2 * step:
            own.receive(values, group[(first + place - step) % count])
        step *= 2


def gather_ring(own: Communicator, parts: Sequence[Array]) -> None:
    """Have all know all parts, of which each has its own: the ring, in p - 1 steps.

    Each process sends every part but one on to the next: p - 1 parts.
    """
    following, before = (own.rank + 1) % own.size, (own.rank - 1) % own.size
    for step in range(own.size - 1):
        going = parts[(own.rank - step) % own.size]
        coming = parts[(own.rank - step - 1) % own.size]
        own.exchange(going, following, coming, before)


def reduce_to_all(own: Communicator, values: NDArray[Item], join: Callable[..., object]) -> None:
    """Join the arrays of all in place, by `join(one, other, into)` such as `np.add`.

    This is recursive doubling.

    Of 2^k processes each sends its array k times. Of others, those beyond the largest power of two
    send theirs to a partner first, and get the result back from it.
    """
    other = np.empty_like(values)
    even = 1 << (own.size.bit_length() - 1)
    beyond = own.size - even
    if own.rank >= even:
        own.send(values, own.rank - even)
        own.receive(values, own.rank - even)
        return
    if own.rank < beyond:
        own.receive(other, own.rank + even)
        join(values, other, values)
    step = 1
    while step < even:
        own.exchange(values, own.rank ^ step, other, own.rank ^ step)
        join(values, other, values)
        step *= 2
    if own.rank < beyond:
        own.send(values, own.rank + even)


def exchange_all(own: Communicator, going: Sequence[Array], coming: Sequence[Array]) -> None:
    """Send a part to each other process, and get one from each; its own it copies.

    Each process sends p - 1 parts, to one after another, in an order in which no two send to one.
    """
    coming[own.rank][...] = going[own.rank]
    for step in range(1, own.size):
        to, sender = (own.rank + step) % own.size, (own.rank - step) % own.size
        own.exchange(going[to], to, coming[sender], sender)


def largest(own: Communicator, values: Sequence[float]) -> list[float]:
    """Return the row of the process whose first value is the largest, the same to all."""
    row = np.array(values)
    rows = [row if rank == own.rank else np.empty_like(row) for rank in range(own.size)]
    gather_ring(own, rows)
    return [float(value) for value in max(rows, key=lambda each: float(each[0]))]


def gather_to_first(
    own: Communicator, values: NDArray[Item], shapes: Sequence[int | tuple[int, ...]]
) -> list[NDArray[Item]]:
    """Return the arrays of all on the first process, whose shapes are given; [] on others."""
    if own.rank:
        own.send(values, 0)
        return []
    found = [values]
    for rank in range(1, own.size):
        part = np.empty(shapes[rank], values.dtype)
        own.receive(part, rank)
        found.append(part)
    return found


def reduce_ring(own: Communicator, values: NDArray[Item]) -> None:
    """Add up the vectors of all in place: parts are added along a ring, then go round it.

    Each process sends 2 (p - 1) parts, a p-th of the vector each.
    """
    parts = np.array_split(values, own.size)
    following, before = (own.rank + 1) % own.size, (own.rank - 1) % own.size
    for step in range(own.size - 1):
        going, coming = parts[(own.rank - step) % own.size], parts[(own.rank - step - 1) % own.size]
        added = np.empty_like(coming)
        own.exchange(going, following, added, before)
        np.add(coming, added, out=coming)
    gather_ring(own, [*parts[1:], parts[0]])
