"""The two trees of Sanders, Speck, Träff 2009, in the form that NCCL gives them."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple


class Edge(NamedTuple):
    """From a rank to one below it, in one of the two trees."""

    tree: int
    above: int
    below: int


def tree(P: int) -> dict[int, int]:
    """Return who is above each rank but 0: odd ranks are at the end, more zeros are higher."""
    above = {}
    for rank in range(1, P):
        digit = rank & -rank
        up = (rank ^ digit) | (digit << 1)
        above[rank] = up if up < P else rank ^ digit
    return above


def trees(P: int) -> list[Edge]:
    """The second tree is the first one mirrored; shifted by one, if the ranks are odd in number."""
    edges = []
    for below, above in tree(P).items():
        edges.append(Edge(0, above, below))
        other = [P - 1 - r if P % 2 == 0 else (r + 1) % P for r in (above, below)]
        edges.append(Edge(1, *other))
    return edges


def depths(edges: list[Edge]) -> dict[Edge, int]:
    """Return how many edges are above each."""
    by_rank = {(each.tree, each.below): each for each in edges}

    def depth(edge: Edge) -> int:
        above = by_rank.get((edge.tree, edge.above))
        return 0 if above is None else depth(above) + 1

    return {each: depth(each) for each in edges}


def turns(edges: list[Edge]) -> dict[Edge, int]:
    """Deal edges to two turns: a rank sends down one edge, and is sent down one, in each."""
    of_sender, of_receiver = defaultdict(list), defaultdict(list)
    for each in edges:
        of_sender[each.above].append(each)
        of_receiver[each.below].append(each)
    found: dict[Edge, int] = {}
    for first in edges:
        waiting = [] if first in found else [(first, 0)]
        while waiting:
            edge, turn = waiting.pop()
            if edge in found:
                assert found[edge] == turn
                continue
            found[edge] = turn
            others = of_sender[edge.above] + of_receiver[edge.below]
            waiting += [(other, 1 - turn) for other in others if other != edge]
    return found
