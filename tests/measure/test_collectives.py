"""What many processes do together reaches all, and each sends what the text says it does."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest

from roofdsl.measure.collectives import (
    broadcast,
    exchange_all,
    gather_ring,
    gather_to_first,
    largest,
    reduce_to_all,
)
from roofdsl.measure.communicator import Communicator
from tests.measure.threads import on_threads

SIZES = (1, 2, 3, 4, 5, 7, 8)


@pytest.mark.parametrize("size", SIZES)
def test_a_broadcast_reaches_all_over_a_binomial_tree(size: int) -> None:
    for root in range(size):

        def work(own: Communicator, root: int = root) -> tuple[list[float], int]:
            values = np.full(3, 1.5 if own.rank == root else np.nan)
            broadcast(own, values, root, range(own.size))
            return values.tolist(), own.messages

        found = on_threads(size, work)
        assert all(values == [1.5] * 3 for values, _ in found)
        assert sum(messages for _, messages in found) == size - 1
        assert found[root][1] == ceil(log2(size))


def test_a_broadcast_stays_in_its_group() -> None:
    def work(own: Communicator) -> tuple[list[float], int]:
        values = np.full(2, float(own.rank))
        if own.rank in (1, 3):
            broadcast(own, values, 3, [1, 3])
        return values.tolist(), own.messages

    assert on_threads(4, work) == [([0, 0], 0), ([3, 3], 0), ([2, 2], 0), ([3, 3], 1)]


@pytest.mark.parametrize("size", SIZES)
def test_a_ring_brings_all_parts_to_all(size: int) -> None:
    def work(own: Communicator) -> tuple[list[float], int]:
        whole = np.full(2 * size, np.nan)
        parts = np.split(whole, size)
        parts[own.rank][...] = own.rank
        gather_ring(own, parts)
        return whole.tolist(), own.sent

    expected = [float(rank) for rank in range(size) for _ in range(2)]
    assert on_threads(size, work) == [(expected, 16 * (size - 1))] * size


@pytest.mark.parametrize("size", SIZES)
def test_a_sum_reaches_all(size: int) -> None:
    def work(own: Communicator) -> tuple[float, int]:
        values = np.array([2.0**own.rank])
        reduce_to_all(own, values, np.add)
        return float(values[0]), own.messages

    found = on_threads(size, work)
    assert {value for value, _ in found} == {2.0**size - 1}
    if size.bit_count() == 1:
        assert {messages for _, messages in found} == {size.bit_length() - 1}


@pytest.mark.parametrize("size", SIZES)
def test_each_gets_its_part_of_each(size: int) -> None:
    def work(own: Communicator) -> tuple[list[int], int]:
        going = [np.array([10 * own.rank + to]) for to in range(size)]
        coming = [np.array([-1]) for _ in range(size)]
        exchange_all(own, going, coming)
        return [int(part[0]) for part in coming], own.messages

    found = on_threads(size, work)
    assert found == [([10 * one + to for one in range(size)], size - 1) for to in range(size)]


@pytest.mark.parametrize("size", SIZES)
def test_the_first_gets_what_all_have(size: int) -> None:
    def work(own: Communicator) -> list[list[int]]:
        values = np.full((own.rank + 1,), own.rank)
        parts = gather_to_first(own, values, [rank + 1 for rank in range(size)])
        return [part.tolist() for part in parts]

    first, *others = on_threads(size, work)
    assert first == [[rank] * (rank + 1) for rank in range(size)]
    assert others == [[]] * (size - 1)


def test_the_largest_is_told_with_its_row() -> None:
    rows = [[1.0, 5.0], [3.0, 2.0], [2.0, 9.0]]
    assert on_threads(3, lambda own: largest(own, rows[own.rank])) == [[3.0, 2.0]] * 3
