"""Collectives carried out among up to 16 ranks: what they send is what the library says.

After the rounds each rank must have what the collective is for; only then they are counted. The
algorithms are written from their descriptions here, apart from `collective_rounds`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import NamedTuple

import pytest

import roofdsl as rd
from tests.library.carried_out import (
    Counted,
    Group,
    Held,
    Message,
    Of,
    Round,
    Rounds,
    at_once,
    carry_out,
    everybody,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    vectors,
)

ELEMENTS = 2 * 720720  # that every number of ranks, and half of one, divides
BYTES = 4 * ELEMENTS
MOST = 16


def below(P: int) -> list[int]:
    """Return 1, 2, 4, … below P."""
    found, distance = [], 1
    while distance < P:
        found.append(distance)
        distance *= 2
    return found


def tree_down(P: int) -> Rounds:
    for distance in below(P):
        yield [Message(r, r + distance, ["v"]) for r in range(min(distance, P - distance))]


def tree_up(P: int) -> Rounds:
    for distance in reversed(below(P)):
        yield [
            Message(r + distance, r, ["v"], added=True) for r in range(min(distance, P - distance))
        ]


def tree_all_reduce(P: int) -> Rounds:
    yield from tree_up(P)
    yield from tree_down(P)


def doubling_all_reduce(P: int) -> Rounds:
    """Ranks beyond a power of two hand their vector to a neighbour, and get the sum after."""
    power = max([1, *(2 * distance for distance in below(P) if 2 * distance <= P)])
    beyond = range(power, P)
    if beyond:
        yield [Message(r, r - power, ["v"], added=True) for r in beyond]
    for distance in below(power):
        yield [Message(r, r ^ distance, ["v"], added=True) for r in range(power)]
    if beyond:
        yield [Message(r - power, r, ["v"]) for r in beyond]


def halving(P: int) -> Rounds:
    """Each keeps the half that it is in, and sends its partner the other."""
    half = P // 2
    while half:
        yield [
            Message(
                r,
                r ^ half,
                [chunk for chunk in range(P) if chunk // half == (r ^ half) // half],
                added=True,
            )
            for r in range(P)
        ]
        half //= 2


def bruck(P: int) -> Rounds:
    """Each has its own chunk and those after; it sends as many as are wanted to ranks before it."""
    for distance in below(P):
        count = min(distance, P - distance)
        yield [
            Message(r, (r - distance) % P, [(r + i) % P for i in range(count)]) for r in range(P)
        ]


def bruck_backwards(P: int) -> Rounds:
    for messages in reversed([*bruck(P)]):
        yield [Message(each.receiver, each.sender, each.chunks, added=True) for each in messages]


def doubling(P: int) -> Rounds:
    for distance in below(P):
        yield [
            Message(r, r ^ distance, [c for c in range(P) if c // distance == r // distance])
            for r in range(P)
        ]


def whole(P: int) -> bool:
    return P & (P - 1) == 0


def reduce_scatter(P: int) -> Rounds:
    return halving(P) if whole(P) else bruck_backwards(P)


def all_gather(P: int) -> Rounds:
    return doubling(P) if whole(P) else bruck(P)


def rabenseifner(P: int) -> Rounds:
    yield from reduce_scatter(P)
    yield from all_gather(P)


def scatter(P: int) -> Rounds:
    """Who has a run of chunks sends on those from the middle."""
    runs = {0: P}  # by rank: where its run ends; it begins with its own
    for distance in reversed(below(P)):
        messages: Round = []
        for rank, end in [*runs.items()]:
            middle = rank + distance
            if middle < end:
                messages.append(Message(rank, middle, [*range(middle, end)]))
                runs[rank], runs[middle] = middle, end
        yield messages


def scatter_and_ring(P: int) -> Rounds:
    yield from scatter(P)
    yield from ring_all_gather(range(P))


def pairwise(P: int) -> Rounds:
    for step in range(1, P):
        yield [Message(r, (r + step) % P, [(r, (r + step) % P)]) for r in range(P)]


def bruck_all_to_all(P: int) -> Rounds:
    """A chunk goes as far as a stage reaches if that is a binary digit of the way it has to go."""
    at = {(source, target): source for source in range(P) for target in range(P)}
    for distance in below(P):
        going = {c: rank for c, rank in at.items() if (c[1] - c[0]) % P & distance}
        yield [
            Message(r, (r + distance) % P, [c for c, rank in going.items() if rank == r])
            for r in range(P)
        ]
        at |= {c: (rank + distance) % P for c, rank in going.items()}


# What ranks have at the end


def sums_everywhere(held: Held) -> bool:
    return all(value == everybody(len(held)) for own in held for value in own.values())


def sums_of_their_own(held: Held) -> bool:
    return all(own[rank] == everybody(len(held)) for rank, own in enumerate(held))


def sum_at_the_root(held: Held) -> bool:
    return held[0]["v"] == everybody(len(held))


def all_chunks(held: Held) -> bool:
    return all(own == {rank: 1 << rank for rank in range(len(held))} for own in held)


def the_roots(held: Held) -> bool:
    return all(own == held[0] for own in held)


def transposed(held: Held) -> bool:
    ranks = range(len(held))
    return all(
        own[source, rank] == 1 << source for rank, own in enumerate(held) for source in ranks
    )


def whole_vectors(P: int) -> Held:
    return vectors(P, ["v"])


def chunked(P: int) -> Held:
    return vectors(P, range(P))


def of_their_own(P: int) -> Held:
    return [{rank: 1 << rank} for rank in range(P)]


def of_the_root(P: int) -> Held:
    return [{"v": 1}, *({} for _ in range(P - 1))]


def chunks_of_the_root(P: int) -> Held:
    return [{chunk: 1 << chunk for chunk in range(P)}, *({} for _ in range(P - 1))]


def for_each(P: int) -> Held:
    return [{(rank, target): 1 << rank for target in range(P)} for rank in range(P)]


class Collective(NamedTuple):
    held: Callable[[int], Held]
    rounds: Callable[[int], Rounds]
    done: Callable[[Held], bool]
    chunks: bool = True  # of one part of P, not the whole vector


def stated(model: rd.Model, **values: int) -> dict[str, float]:
    """Return the numbers of a model without a machine."""
    found = model.evaluate(**values)
    return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}


COLLECTIVES = {
    "all_reduce_ring": Collective(chunked, lambda P: ring_all_reduce(range(P)), sums_everywhere),
    "all_reduce_tree": Collective(whole_vectors, tree_all_reduce, sums_everywhere, chunks=False),
    "all_reduce_recursive_doubling": Collective(
        whole_vectors, doubling_all_reduce, sums_everywhere, chunks=False
    ),
    "all_reduce_rabenseifner": Collective(chunked, rabenseifner, sums_everywhere),
    "reduce_scatter_ring": Collective(
        chunked, lambda P: ring_reduce_scatter(range(P)), sums_of_their_own
    ),
    "reduce_scatter_halving": Collective(chunked, reduce_scatter, sums_of_their_own),
    "all_gather_ring": Collective(of_their_own, lambda P: ring_all_gather(range(P)), all_chunks),
    "all_gather_recursive_doubling": Collective(of_their_own, all_gather, all_chunks),
    "broadcast_binomial": Collective(of_the_root, tree_down, the_roots, chunks=False),
    "broadcast_scatter_all_gather": Collective(chunks_of_the_root, scatter_and_ring, the_roots),
    "reduce_binomial": Collective(whole_vectors, tree_up, sum_at_the_root, chunks=False),
    "all_to_all_bruck": Collective(for_each, bruck_all_to_all, transposed),
    "all_to_all_pairwise": Collective(for_each, pairwise, transposed),
}
MPI = rd.load("collectives.mpi").models
# Here other ranks send in other stages: no rank need send as much in all as the stages take.
IN_TURN = {"reduce_binomial", "all_reduce_tree", "all_reduce_recursive_doubling"}


def run(name: str, P: int) -> Counted:
    collective = COLLECTIVES[name]
    held = collective.held(P)
    chunk = Fraction(1, P) if collective.chunks else Fraction(1)
    counted = carry_out(held, collective.rounds(P), chunk)
    assert collective.done(held)
    return counted


def test_every_collective_is_carried_out() -> None:
    assert {*COLLECTIVES} == {*MPI}


@pytest.mark.parametrize("P", range(1, MOST + 1))
@pytest.mark.parametrize("name", COLLECTIVES)
def test_what_is_sent_is_what_the_model_says(name: str, P: int) -> None:
    counted = run(name, P)
    said = stated(MPI[name], bytes=BYTES, ranks=P)
    if name == "all_to_all_bruck" and not whole(P):
        assert counted.network * BYTES <= said["network"]  # at most, as the model says
    else:
        assert said["network"] == counted.network * BYTES
    assert said["messages"] == counted.messages
    assert said.get("flops.vector.fp32", 0) == counted.flops * ELEMENTS
    assert said["total.network"] == counted.all_network * BYTES
    assert said["total.messages"] == counted.all_messages
    assert said.get("total.flops", 0) == counted.all_flops * ELEMENTS
    assert max(counted.sent) <= counted.network
    assert max(counted.sent) == counted.network or name in IN_TURN


@pytest.mark.parametrize("P", range(1, MOST + 1))
def test_up_a_tree_each_sends_once_and_the_root_receives_in_every_stage(P: int) -> None:
    counted = run("reduce_binomial", P)
    said = stated(MPI["reduce_binomial"], bytes=BYTES, ranks=P)
    assert counted.sent == [0] + [1] * (P - 1)
    assert said["sent"] == max(counted.sent) * BYTES
    assert said["received"] == max(counted.received) * BYTES == counted.received[0] * BYTES


# Two levels: rank i of node j is number inside·j + i, and chunk (i, j) is one of all.

SHAPES = [
    (inside, nodes)
    for inside in range(1, MOST + 1)
    for nodes in range(1, MOST + 1)
    if inside * nodes <= MOST
]
PARALLEL = rd.load("collectives.parallel").models


class Levels:
    """The runs of a collective in two levels: all nodes at once, then all ranks of one place."""

    def __init__(self, inside: int, nodes: int) -> None:
        self.inside, self.nodes = inside, nodes
        self.ranks = inside * nodes
        self.chunk = Fraction(1, self.ranks)

    def chunks(self) -> list[Hashable]:
        return [(i, j) for i in range(self.inside) for j in range(self.nodes)]

    def own(self, rank: int) -> Hashable:
        return rank % self.inside, rank // self.inside

    def within(self, ring: Callable[[Group, Of], Rounds]) -> Rounds:
        """A ring in each node; a part is all chunks of one place."""

        def of(i: int) -> list[Hashable]:
            return [(i, j) for j in range(self.nodes)]

        nodes = [range(self.inside * j, self.inside * (j + 1)) for j in range(self.nodes)]
        return at_once(ring(node, of) for node in nodes)

    def across(self, ring: Callable[[Group, Of], Rounds]) -> Rounds:
        """A ring among those in the same place of their nodes, of the chunks of that place."""

        def of(i: int) -> Of:
            return lambda j: [(i, j)]

        return at_once(ring(range(i, self.ranks, self.inside), of(i)) for i in range(self.inside))

    def all_reduce(self) -> list[tuple[str, Counted]]:
        held = vectors(self.ranks, self.chunks())
        counted = [
            ("intra", carry_out(held, self.within(ring_reduce_scatter), self.chunk)),
            ("inter", carry_out(held, self.across(ring_all_reduce), self.chunk)),
            ("intra", carry_out(held, self.within(ring_all_gather), self.chunk)),
        ]
        assert sums_everywhere(held)
        return counted

    def reduce_scatter(self) -> list[tuple[str, Counted]]:
        held = vectors(self.ranks, self.chunks())
        counted = [
            ("intra", carry_out(held, self.within(ring_reduce_scatter), self.chunk)),
            ("inter", carry_out(held, self.across(ring_reduce_scatter), self.chunk)),
        ]
        assert all(own[self.own(rank)] == everybody(self.ranks) for rank, own in enumerate(held))
        return counted

    def all_gather(self) -> list[tuple[str, Counted]]:
        held: Held = [{self.own(rank): 1 << rank} for rank in range(self.ranks)]
        counted = [
            ("inter", carry_out(held, self.across(ring_all_gather), self.chunk)),
            ("intra", carry_out(held, self.within(ring_all_gather), self.chunk)),
        ]
        assert all(own == held[0] and len(own) == self.ranks for own in held)
        return counted


def compare(said: dict[str, float], runs: list[tuple[str, Counted]], size: int = BYTES) -> None:
    for level in ("intra", "inter"):
        sent = sum(counted.network for where, counted in runs if where == level) * size
        assert said[f"network.{level}"] == pytest.approx(float(sent), rel=1e-14)
    assert said["messages"] == sum(counted.messages for _, counted in runs)
    additions = sum(counted.flops for _, counted in runs) * size / 4
    assert said.get("flops.vector.fp32", 0) == pytest.approx(float(additions), rel=1e-14)
    for _, counted in runs:
        assert {*counted.sent} == {counted.network}  # all ranks send as much


@pytest.mark.parametrize(("inside", "nodes"), SHAPES)
def test_two_levels(inside: int, nodes: int) -> None:
    levels, shape = Levels(inside, nodes), {"inside": inside, "nodes": nodes}
    reduced, scattered, gathered = (
        levels.all_reduce(),
        levels.reduce_scatter(),
        levels.all_gather(),
    )
    for name, runs in (
        ("all_reduce_two_level", reduced),
        ("reduce_scatter_two_level", scattered),
        ("all_gather_two_level", gathered),
    ):
        compare(stated(PARALLEL[name], bytes=BYTES, **shape), runs)
    compare(stated(PARALLEL["data_parallel"], parameters=ELEMENTS, **shape), reduced)
    compare(
        stated(PARALLEL["sharded"], parameters=ELEMENTS, **shape),
        gathered + gathered + scattered,
    )
    said = stated(PARALLEL["tensor_parallel"], B=2, s=ELEMENTS // 8, h=4, layers=3, **shape)
    compare(said, 4 * 3 * reduced)
