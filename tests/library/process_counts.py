"""What each process of an algorithm does, one after another, written from the algorithms.

A count is a run of stages. A stage holds, for each resource, what every process does in it. All of
it together is the total; the busiest process of each stage, summed over the stages, is what the
others wait for, and what the library calls the work of one process.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from math import isqrt, log2
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tests.library import collective_rounds, double_tree
from tests.library.collective_rounds import Numbers, Rounds

Each: TypeAlias = NDArray[np.float64]
Stage: TypeAlias = dict[str, Each]


class Counted:
    """The totals and the busiest work of stages, by resource."""

    def __init__(self, stages: Iterable[Stage]) -> None:
        self.total: defaultdict[str, float] = defaultdict(float)
        self.busiest: defaultdict[str, float] = defaultdict(float)
        for stage in stages:
            for resource, each in stage.items():
                self.total[resource] += float(np.sum(each))
                self.busiest[resource] += float(np.max(each))


def parts(n: int, P: int) -> Each:
    """Spread n things over P processes as evenly as can be."""
    return n // P + (np.arange(P) < n % P).astype(float)


@cache
def passed_on(P: int) -> Numbers:
    """Return how often each part is sent when parts go once round a ring.

    In stage s, process r passes on the part that process r - s began with.
    """
    twice = np.concatenate((np.arange(P), np.arange(P)))
    stages = sliding_window_view(twice, P)[2 : P + 1]  # the last stage first
    return np.bincount(stages.ravel(), minlength=P)


def ring(n: int, P: int) -> tuple[float, float]:
    """Return what all send, and the busiest of each stage, when parts of n go once round a ring.

    Every part is on its way in every stage, so that the busiest has the largest part.
    """
    sizes = parts(n, P)
    return float(sizes @ passed_on(P)), float(sizes.max() * (P - 1))


def rounds(n: int, P: int, **each: float) -> Counted:
    """Count a ring by what a stage does for each element that it moves."""
    total, busiest = ring(n, P)
    found = Counted([])
    for resource, amount in each.items():
        found.total[resource] = amount * total
        found.busiest[resource] = amount * busiest
    return found


def both(*counts: Counted) -> Counted:
    """Return what is done one after another."""
    found = Counted([])
    for count in counts:
        for resource in count.total:
            found.total[resource] += count.total[resource]
            found.busiest[resource] += count.busiest[resource]
    return found


def tree(P: int) -> Iterator[tuple[Each, Each]]:
    """Yield who sends, and who receives, in each stage of a broadcast from process 0."""
    holders = 1
    while holders < P:
        sends, receives = np.zeros(P), np.zeros(P)
        for process in range(min(holders, P - holders)):
            sends[process] = receives[process + holders] = 1
        yield sends, receives
        holders *= 2


# Linear algebra


def element_of_a_product(N: int) -> int:
    """Count an element of αAB + βC: products, additions between them, by α, by β, and added."""
    return N + (N - 1) + 1 + 1 + 1


def dgemv(P: int, N: int, word: float = 8) -> Counted:
    rows = parts(N, P)
    moved = rows * N + rows + 2 * rows  # of A, of x, and y both ways
    local = Counted([{"flops": rows * element_of_a_product(N), "memory": word * moved}])
    return both(local, rounds(N, P, network=word))


def ddot(P: int, N: int, word: float = 8) -> Counted:
    own = parts(N, P)
    return Counted([{"flops": own + (own - 1), "memory": word * (own + own + 1)}])


def summa(P: int, N: int, word: float = 8) -> Counted:
    side = isqrt(P)
    rows = columns = inner = parts(N, side)
    of_c = np.outer(rows, columns)
    line, cache = 64 / word, 16 * 2**10 / word  # elements that each of them holds
    for_each = 1 + N / cache**0.5  # of C: elements that come with its lines, and that come again
    moved = word * (of_c * for_each + line / P)
    local = {"flops": of_c * element_of_a_product(N), "memory": moved}
    stages = list(tree(side))

    def broadcasts() -> Iterator[Stage]:
        for step in range(side):
            for sends, _ in stages:
                turned = np.roll(sends, step)  # the one that holds the block begins
                yield {"network": word * np.outer(rows * inner[step], turned)}
                yield {"network": word * np.outer(turned, columns * inner[step])}

    return both(Counted([local]), Counted(broadcasts()))


def block_products(P: int, N: int, B: int, at_once: int) -> Counted:
    """Deal the products of two blocks to the processes, round by round; the rest stay idle."""
    b = N // B
    own = np.zeros(P)
    working = min(P, at_once)
    for task in range(b**3):
        own[task % working] += 1
    product = B * B * (B + B)  # of two blocks, added to a third
    return Counted([{"flops": own * product}])


def cannon(P: int, N: int, B: int) -> Counted:
    return block_products(P, N, B, (N // B) ** 2)


def johnson(P: int, N: int, B: int) -> Counted:
    return block_products(P, N, B, (N // B) ** 3)


# Grids, transforms, graphs


def stencil2d(P: int, N: int, word: float = 8, words: int = 7) -> Counted:
    rows = parts(N - 2, P)
    neighbours = np.array([(process > 0) + (process < P - 1) for process in range(P)], dtype=float)
    points = rows * (N - 2)
    return Counted(
        [{"flops": 4 * points, "memory": words * word * points, "network": neighbours * word * N}]
    )


def fft(P: int, N: int, word: float = 8, passes: int = 3, crossings: int = 2) -> Counted:
    points = parts(N, P)
    work = {"flops": 5 * log2(N) * points, "memory": passes * 2 * word * points}
    sent = crossings * 2 * word * log2(P) * points
    return Counted([{**work, "network": sent}])


def fft_transpose(P: int, N: int, word: float = 8) -> Counted:
    """Exchange equal blocks of a matrix three times, packed and placed if there are several."""
    block = N // P**2 * 2 * word
    sent = np.array([sum(block for other in range(P) if other != own) for own in range(P)])
    held = np.full(P, P * block)
    exchanges = 3 * [{"memory": (4 if P > 1 else 2) * held, "network": sent}]
    transforms = 2 * [{"flops": np.full(P, 5 * N * log2(N) / (2 * P)), "memory": 2 * held}]
    return Counted([*exchanges, *transforms, {"memory": 3 * held}])


def mst(P: int, E: int, V: int) -> Counted:
    compared, trees = np.zeros(P), V
    while trees > 1:
        compared += parts(E, P)
        trees //= 2
    return Counted([{"flops": compared}])


def dijkstra(P: int, E: int, V: int) -> Counted:
    return Counted([{"flops": parts(E, P) + log2(V) * parts(V, P)}])


def cg(P: int, N: int, word: float = 8, index: float = 4) -> Counted:
    planes = parts(N, P)
    ends = np.concatenate(([0], np.cumsum(planes)))
    around = [min(z + 2, N) - max(z - 1, 0) for z in range(N)]  # planes with neighbours of one
    pairs = np.array([sum(around[int(a) : int(b)]) for a, b in itertools.pairwise(ends)])
    nonzeros = pairs * sum(min(y + 2, N) - max(y - 1, 0) for y in range(N)) ** 2
    points, plane = planes * N**2, word * N**2
    neighbours = np.array([(process > 0) + (process < P - 1) for process in range(P)], dtype=float)
    stored = nonzeros * (word + index) + points * index
    product = {"flops": 2 * nonzeros, "memory": stored + 2 * word * points + neighbours * plane}
    halo = {"network": neighbours * plane, "messages": neighbours}
    vectors = {"flops": points * (5 * 2), "memory": word * points * (2 + 3 + 3 + 1 + 3)}
    sums = [doubling_all_reduce(P, 1, word)] * 2  # p·Ap and r·r
    return both(Counted([halo]), Counted([product]), Counted([vectors]), *sums)


# Collectives: n elements of `word` bytes


def reduce_scatter(P: int, n: int, word: float = 4) -> Counted:
    return both(rounds(n, P, network=word, flops=1), each_sends(P, P - 1))


def all_gather(P: int, n: int, word: float = 4) -> Counted:
    return both(rounds(n, P, network=word), each_sends(P, P - 1))


def all_reduce(P: int, n: int, word: float = 4) -> Counted:
    return both(reduce_scatter(P, n, word), all_gather(P, n, word))


def by_rounds(P: int, rounds: Rounds, sizes: Each, word: float = 4) -> Counted:
    """Count what is sent and added, round by round, of parts of so many elements."""
    before = np.concatenate(([0], np.cumsum(np.concatenate((sizes, sizes)))))  # twice round

    def each(processes: Numbers, done: Each | float) -> Each:
        found = np.zeros(P)
        found[processes] = done  # each of them once in a round
        return found

    def stages() -> Iterator[Stage]:
        for senders, receivers, first, end, added in rounds:
            elements = before[end] - before[first]
            yield {"network": each(senders, word * elements), "messages": each(senders, 1)}
            if added:
                yield {"flops": each(receivers, elements)}

    return Counted(stages())


def doubling_all_reduce(P: int, n: int, word: float = 4) -> Counted:
    return by_rounds(P, collective_rounds.all_reduce_doubling(P), parts(n, 1), word)


def rabenseifner(P: int, n: int) -> Counted:
    return by_rounds(P, collective_rounds.rabenseifner(P), parts(n, P))


def halving_reduce_scatter(P: int, n: int) -> Counted:
    return by_rounds(P, collective_rounds.reduce_scatter_halving(P), parts(n, P))


def doubling_all_gather(P: int, n: int) -> Counted:
    return by_rounds(P, collective_rounds.all_gather_doubling(P), parts(n, P))


def scatter_all_gather(P: int, n: int) -> Counted:
    return both(by_rounds(P, collective_rounds.scatter(P), parts(n, P)), all_gather(P, n))


def bruck(P: int, n: int, word: float = 4) -> Counted:
    """Each has n elements for all of them, as many for each."""
    stages = ((len(going), np.ones(P)) for _, going in collective_rounds.bruck_all_to_all(P))
    return Counted(
        {"network": word * n / P * count * every, "messages": every} for count, every in stages
    )


def each_sends(P: int, messages: int) -> Counted:
    return Counted([{"messages": np.full(P, float(messages))}])


def broadcast(P: int, n: int, word: float = 4) -> Counted:
    return Counted({"network": word * n * sends, "messages": sends} for sends, _ in tree(P))


def reduce(P: int, n: int, word: float = 4) -> Counted:
    """A broadcast backwards: who sent receives, and adds."""
    return Counted(
        {"network": word * n * sends, "messages": sends, "flops": n * receives}
        for receives, sends in reversed(list(tree(P)))
    )


def tree_all_reduce(P: int, n: int, word: float = 4) -> Counted:
    return both(reduce(P, n, word), broadcast(P, n, word))


def two_trees(P: int, n: int, word: float = 4, pieces: int = 16) -> Counted:
    """Count pieces of two halves up and down two trees; in a round each edge of a turn has one."""
    edges = double_tree.trees(P)
    depth, turn = double_tree.depths(edges), double_tree.turns(edges)
    piece = n / (2 * pieces)

    def stages() -> Iterator[Stage]:
        for stage in range(max(depth.values(), default=0) + pieces):
            for now in (0, 1):
                busy = [turn[e] == now and 0 <= stage - depth[e] < pieces for e in edges]
                each = np.ones(max(1, sum(busy))) * any(busy)
                yield {"network": word * piece * each, "messages": each, "flops": piece * each}
                yield {"network": word * piece * each, "messages": each}

    return Counted(stages())


def pairwise(P: int, n: int, word: float = 4) -> Counted:
    """Each has n elements for all of them; in each stage it sends one other process its part."""
    sizes = parts(n, P)
    return Counted(
        {"network": word * np.roll(sizes, -stage), "messages": np.ones(P)} for stage in range(1, P)
    )


def experts(P: int, tokens: int, h: int, layers: int, top: int = 2) -> Counted:
    """Tokens go to experts and come back, and so do their gradients, in each layer."""
    return both(*[pairwise(P, tokens * top * h)] * 4 * layers)


def handed_on(P: int, steps: int, sent: float) -> Counted:
    """In each step everybody sends one message."""
    every = np.ones(P)
    return Counted({"network": sent * every, "messages": every} for _ in range(steps))


def ring_attention(P: int, B: int, s: int, kv: int, d: int) -> Counted:
    return handed_on(P, P - 1, 2 * (B * s // P) * kv * d * 2)  # keys, values; 2 bytes


def ring_attention_backward(P: int, B: int, s: int, kv: int, d: int) -> Counted:
    gradients = handed_on(P, P - 1, 2 * (B * s // P) * kv * d * 4)
    return both(ring_attention(P, B, s, kv, d), gradients)


def context_parallel(P: int, B: int, s: int, kv: int, d: int, layers: int) -> Counted:
    both_ways = (ring_attention(P, B, s, kv, d), ring_attention_backward(P, B, s, kv, d))
    return both(*both_ways * layers)


# Training: each process has a batch


def products(P: int, word: float, *shapes: tuple[int, int, int]) -> Counted:
    """Count products of r × k by k × c, the same on each process: operands read, result written."""
    flops = sum(r * c * (k + k) for r, k, c in shapes)
    moved = sum(r * k + k * c + r * c for r, k, c in shapes)
    return Counted([{"flops": np.full(P, flops), "memory": np.full(P, word * moved)}])


def without(count: Counted, *resources: str) -> Counted:
    for resource in resources:
        del count.total[resource], count.busiest[resource]
    return count


def layer(P: int, batch: int, I: int, O: int, word: float = 4) -> Counted:  # noqa: E741 its names
    """The gradients to a layer's input and weights; those to weights are summed in a ring."""
    gradients = products(P, word, (batch, O, I), (I, batch, O))
    return both(gradients, all_reduce(P, I * O, word))


def layer_and_ring(P: int, batch: int, I: int, O: int, word: float = 4) -> Counted:  # noqa: E741
    gradients = products(P, word, (batch, O, I), (I, batch, O))
    return both(gradients, without(all_reduce(P, I * O, word), "flops"))


# Ranks that share the tables of a network: how often they exchange an element of how many features
# for each of 26 tables. Its forward and backward alone have no ring.
EXCHANGES = {
    f"{network}:{network}{phase}": (times, features)
    for network, features in (("dlrm_kaggle", 16), ("dlrm_mlperf", 128))
    for phase, times in (("", 1), ("_backward", 1), ("_training", 2))
}


def of_training(
    P: int, weights: int, exchanges: tuple[int, int] | None, word: float, batch: int = 2
) -> Counted:
    """Gradients of weights go round a ring; rows of tables are exchanged, and their gradients."""
    ring = [all_reduce(P, weights, word)] if weights else []
    times, features = exchanges or (0, 0)
    return both(*ring, *[pairwise(P, batch * 26 * features, word)] * times)


def mlp_training(P: int, batch: int, h: int, word: float = 4) -> Counted:
    """A layer of h × h forward, its gradients, and a ring of which the bytes alone are counted."""
    work = products(P, word, (batch, h, h), (batch, h, h), (h, batch, h))
    return both(work, without(all_reduce(P, h * h, word), "flops", "messages"))
