"""The rounds that are counted do what the collective is for: carried out with every vector's parts.

A part of a sum is the set of those whose vectors are in it, as the bits of a number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.library import collective_rounds as rounds
from tests.library.collective_rounds import Rounds

SOME = [*range(1, 35), 63, 64, 65, 100]
Held = list[list[int]]  # by process and part; 0 is nothing


def carried_out(held: Held, algorithm: Rounds) -> Held:
    """Return what all hold in the end; nothing is sent that is not there, or added twice."""
    parts = len(held[0])
    for each in algorithm:
        before = [list(row) for row in held]
        columns = np.stack((each.senders, each.receivers, each.first, each.end))
        for sender, receiver, first, end in columns.T.tolist():
            assert sender != receiver
            for part in range(first, end):
                arriving = before[sender][part % parts]
                assert arriving
                if each.added:
                    assert held[receiver][part % parts] & arriving == 0
                    arriving |= held[receiver][part % parts]
                held[receiver][part % parts] = arriving
    return held


@pytest.mark.parametrize("P", SOME)
@pytest.mark.parametrize(
    ("algorithm", "parts"),
    [(rounds.all_reduce_doubling, lambda _: 1), (rounds.rabenseifner, lambda P: P)],
)
def test_all_have_the_sum(
    algorithm: Callable[[int], Rounds], parts: Callable[[int], int], P: int
) -> None:
    held = carried_out([[1 << process] * parts(P) for process in range(P)], algorithm(P))
    assert held == [[(1 << P) - 1] * parts(P)] * P


@pytest.mark.parametrize("P", SOME)
def test_each_has_its_part_of_the_sum(P: int) -> None:
    own = [[1 << process] * P for process in range(P)]
    held = carried_out(own, rounds.reduce_scatter_halving(P))
    assert [held[process][process] for process in range(P)] == [(1 << P) - 1] * P


@pytest.mark.parametrize("P", SOME)
def test_all_have_all_parts(P: int) -> None:
    whole = [1 << part for part in range(P)]
    own = [[whole[part] * (part == process) for part in range(P)] for process in range(P)]
    for algorithm in (rounds.all_gather_doubling, rounds.bruck_all_gather):
        assert carried_out([list(row) for row in own], algorithm(P)) == [whole] * P


@pytest.mark.parametrize("P", SOME)
def test_each_is_sent_its_part(P: int) -> None:
    whole = [1 << part for part in range(P)]
    held = carried_out([whole, *([0] * P for _ in range(P - 1))], rounds.scatter(P))
    assert [held[process][process] for process in range(P)] == whole


@pytest.mark.parametrize("P", SOME)
def test_what_is_meant_for_a_process_comes_to_it(P: int) -> None:
    gone = [0] * P  # by how far it has to go
    for distance, going in rounds.bruck_all_to_all(P):
        for far in going.tolist():
            gone[far] += distance
    assert gone == list(range(P))
