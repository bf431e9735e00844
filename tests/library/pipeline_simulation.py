"""Pipelines, operation by operation: each rank does its own in the order of a published schedule.

An operation begins when its rank has done the one before it, and the part of the network before
(backward: behind) has done the same micro-batch. Part s of the network is the part s // p of rank
s mod p.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias


class Operation(NamedTuple):
    """A micro-batch through a part of the network on this rank, forward or its gradients back."""

    backward: bool
    chunk: int
    micro: int


Order: TypeAlias = list[Operation]
Schedule: TypeAlias = Callable[[int, int, int, int], Order]  # rank, ranks, micro-batches, chunks
Times: TypeAlias = Sequence[Fraction]  # of each part of the network


class Simulated(NamedTuple):
    """When all is done; by rank, what it did, what it kept at most, and what it sent to others."""

    time: Fraction
    busy: list[Fraction]
    ended: list[Fraction]
    kept: list[int]
    sent: list[int]


def gpipe(_rank: int, _p: int, n: int, _v: int = 1) -> Order:
    """All micro-batches forward, then all back (Huang et al. 2019, Figure 2)."""
    return [Operation(backward, 0, micro) for backward in (False, True) for micro in range(n)]


def alternating(forward: Order, backward: Order, ahead: int) -> Order:
    """So many forward, then one forward and one backward in turn, then the rest backward."""
    steady = len(forward) - ahead
    pairs = zip(forward[ahead:], backward[:steady], strict=True)
    return [*forward[:ahead], *(each for pair in pairs for each in pair), *backward[steady:]]


def one_forward_one_backward(rank: int, p: int, n: int, _v: int = 1) -> Order:
    """Narayanan et al. 2021, Figure 4, above: a rank forwards as many as are behind it first."""
    forward = [Operation(False, 0, micro) for micro in range(n)]
    backward = [Operation(True, 0, micro) for micro in range(n)]
    return alternating(forward, backward, min(n, p - 1 - rank))


def interleaved(rank: int, p: int, n: int, v: int) -> Order:
    """Narayanan et al. 2021, Figure 4, below: p micro-batches through each part in turn."""
    groups = range(0, n, p)
    forward = [
        Operation(False, chunk, first + k)
        for first in groups
        for chunk in range(v)
        for k in range(p)
    ]
    backward = [
        Operation(True, chunk, first + k)
        for first in groups
        for chunk in reversed(range(v))
        for k in range(p)
    ]
    return alternating(forward, backward, min(n * v, (v - 1) * p + 2 * (p - 1 - rank)))


def interleaved_all_forward(rank: int, p: int, n: int, v: int) -> Order:
    """The same, but that as many micro-batches as ranks all go forward first, as in Megatron-LM."""
    order = interleaved(rank, p, n, v)
    return sorted(order, key=lambda each: each.backward) if n == p else order


def needed(part: int, operation: Operation, parts: int) -> tuple[bool, int, int] | None:
    """Return what must be done before: whether backward, in which part, of which micro-batch."""
    if operation.backward:
        behind = part + 1 < parts
        return (behind, part + 1 if behind else part, operation.micro)
    return (False, part - 1, operation.micro) if part else None


def simulate(
    schedule: Schedule, p: int, n: int, v: int, forward: Times, backward: Times
) -> Simulated:
    """Carry out a schedule; a rank that waits for what never comes is an error."""
    parts = p * v
    orders = [schedule(rank, p, n, v) for rank in range(p)]
    assert all(sorted(order) == sorted({*order}) for order in orders)
    assert all(len(order) == 2 * n * v for order in orders)
    done: dict[tuple[bool, int, int], Fraction] = {}
    clock, busy = [Fraction(0)] * p, [Fraction(0)] * p
    at, keeps, kept, sent = [0] * p, [0] * p, [0] * p, [0] * p
    while any(at[rank] < len(orders[rank]) for rank in range(p)):
        before = len(done)
        for rank in range(p):
            while at[rank] < len(orders[rank]):
                operation = orders[rank][at[rank]]
                part = operation.chunk * p + rank
                wanted = needed(part, operation, parts)
                if wanted is not None and wanted not in done:
                    break
                ready = Fraction(0) if wanted is None else done[wanted]
                takes = (backward if operation.backward else forward)[part]
                clock[rank] = max(clock[rank], ready) + takes
                done[operation.backward, part, operation.micro] = clock[rank]
                busy[rank] += takes
                keeps[rank] += -1 if operation.backward else 1
                kept[rank] = max(kept[rank], keeps[rank])
                target = part - 1 if operation.backward else part + 1
                sent[rank] += 0 <= target < parts and target % p != rank
                at[rank] += 1
        assert len(done) > before
    return Simulated(max(clock), busy, clock, kept, sent)
