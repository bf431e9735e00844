"""An all-reduce along two trees, carried out piece by piece: what the library says of it."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import NamedTuple

import pytest

import roofdsl as rd
from tests.library.carried_out import (
    Counted,
    Held,
    Message,
    Rounds,
    at_once,
    carry_out,
    everybody,
    ring_all_gather,
    ring_reduce_scatter,
    vectors,
)
from tests.library.double_tree import depths, trees, turns

ELEMENTS = 720720
MOST = 16
MODELS = rd.load("collectives.double_tree").models


def down(ranks: list[int], pieces: int) -> Rounds:
    """Every two rounds each piece goes one edge further, in each tree."""
    edges = trees(len(ranks))
    if not edges:
        return
    depth, turn = depths(edges), turns(edges)
    together = max(turn.values()) + 1
    for stage in range(max(depth.values()) + pieces):
        for now in range(together):
            yield [
                Message(ranks[edge.above], ranks[edge.below], [(edge.tree, stage - depth[edge])])
                for edge in edges
                if turn[edge] == now and 0 <= stage - depth[edge] < pieces
            ]


def up_and_down(ranks: list[int], pieces: int) -> Rounds:
    """Up is down, backwards, and what arrives is added."""
    for messages in reversed([*down(ranks, pieces)]):
        yield [Message(each.receiver, each.sender, each.chunks, added=True) for each in messages]
    yield from down(ranks, pieces)


def halves(P: int, pieces: int) -> Held:
    return vectors(P, [(half, piece) for half in (0, 1) for piece in range(pieces)])


def sums_everywhere(held: Held) -> bool:
    return all(value == everybody(len(held)) for own in held for value in own.values())


def stated(name: str, **values: int) -> dict[str, float]:
    found = MODELS[name].evaluate(**values)
    return {key: float(value) for key, value in found.items() if isinstance(value, int | float)}


@pytest.mark.parametrize("pieces", [1, 2, 5, 16])
@pytest.mark.parametrize("P", range(1, MOST + 1))
def test_two_trees(P: int, pieces: int) -> None:
    held = halves(P, pieces)
    rounds = [*up_and_down([*range(P)], pieces)]
    piece = Fraction(1, 2 * pieces)
    counted = carry_out(held, rounds, piece)
    assert sums_everywhere(held)
    said = stated("all_reduce_double_tree", bytes=4 * ELEMENTS, ranks=P, pieces=pieces)

    # Every round is counted; on each way at most one of them is without a message.
    assert said["messages"] == len(rounds)
    assert len(rounds) - counted.messages <= 2
    assert said["network"] == pytest.approx(float(len(rounds) * piece * 4 * ELEMENTS), rel=1e-14)
    additions = len(rounds) // 2 * piece * ELEMENTS
    assert said["flops.vector.fp32"] == pytest.approx(float(additions), rel=1e-14)
    assert counted.flops * ELEMENTS <= additions

    assert said["total.network"] == counted.all_network * 4 * ELEMENTS
    assert said["total.messages"] == counted.all_messages
    assert said["total.flops"] == counted.all_flops * ELEMENTS
    # Whoever sends most sends no more than twice the vector, as in a ring of very many.
    assert max(counted.sent) <= 2


@pytest.mark.parametrize("P", range(2, MOST + 1))
def test_who_hands_on_in_one_tree_is_at_the_end_of_the_other(P: int) -> None:
    hands_on = [{each.above for each in trees(P) if each.tree == number} for number in (0, 1)]
    assert len(hands_on[0] & hands_on[1]) <= P % 2  # of an odd number, the first one


class Nodes(NamedTuple):
    """Ranks of nodes, rank i of node j as number inside·j + i."""

    inside: int
    nodes: int

    def all_reduce(self, pieces: int) -> list[tuple[str, Counted, int]]:
        """Carry it out in three parts: by which link, what was counted, in how many rounds."""
        size = self.inside * self.nodes

        def of(place: int) -> list[Hashable]:
            return [(place, (half, piece)) for half in (0, 1) for piece in range(pieces)]

        def across(place: int) -> Rounds:
            for messages in up_and_down([*range(place, size, self.inside)], pieces):
                yield [each._replace(chunks=[(place, c) for c in each.chunks]) for each in messages]

        groups = [range(self.inside * j, self.inside * (j + 1)) for j in range(self.nodes)]
        held = vectors(size, [chunk for place in range(self.inside) for chunk in of(place)])
        counted = []
        for link, rounds in (
            ("intra", at_once(ring_reduce_scatter(node, of) for node in groups)),
            ("inter", at_once(across(place) for place in range(self.inside))),
            ("intra", at_once(ring_all_gather(node, of) for node in groups)),
        ):
            every = [*rounds]
            found = carry_out(held, every, Fraction(1, 2 * pieces * self.inside))
            counted.append((link, found, len(every)))
        assert sums_everywhere(held)
        return counted


@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("inside", [1, 2, 3, 4])
@pytest.mark.parametrize("nodes", [1, 2, 3, 4, 5])
def test_two_trees_between_nodes(inside: int, nodes: int, pieces: int) -> None:
    size = 4 * ELEMENTS
    said = stated(
        "all_reduce_double_tree_two_level", bytes=size, inside=inside, nodes=nodes, pieces=pieces
    )
    counted = Nodes(inside, nodes).all_reduce(pieces)
    (turns,) = (rounds for link, _, rounds in counted if link == "inter")
    inner = sum(found.network for link, found, _ in counted if link == "intra")
    assert said["messages"] == sum(rounds for _, _, rounds in counted)
    assert said["network.intra"] == pytest.approx(float(inner * size), rel=1e-14)
    assert said["network.inter"] == pytest.approx(turns * size / (2 * pieces * inside), rel=1e-14)
