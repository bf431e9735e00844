"""Collectives on a torus, carried out hop by hop: the bytes of ports are what the library says.

A chunk goes both ways round a ring, to the chip opposite one half of it each way; or along a line.
Of several axes, each share of the vector is on another one at a time. A reduce-scatter is that
backwards: what arrives is added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple

import pytest

import roofdsl as rd

SIZE = 4 * 720720
MODELS = rd.load("collectives.torus").models


class Chunk(NamedTuple):
    """Half of what one chip has of a share."""

    share: int
    owner: int
    half: int


class Port(NamedTuple):
    chip: int
    axis: int
    up: bool


class Hop(NamedTuple):
    """What a chip sends by one of its ports, in a phase that ends before the next one begins."""

    phase: int
    step: int
    port: Port
    receiver: int
    chunks: list[Chunk]


class Torus(NamedTuple):
    lengths: tuple[int, ...]
    wrap: bool

    @property
    def chips(self) -> int:
        return prod(self.lengths)

    def orders(self) -> list[list[int]]:
        """Return the axes in the order in which each share takes them."""
        count = len(self.lengths)
        return [[(first + k) % count for k in range(count)] for first in range(count)]

    def lines(self, axis: int) -> Iterator[list[int]]:
        """Yield the chips along an axis, in each place of the others."""
        places = [*product(*(range(length) for length in self.lengths))]
        number = {place: chip for chip, place in enumerate(places)}
        for place in places:
            if place[axis] == 0:
                along = range(self.lengths[axis])
                yield [number[(*place[:axis], i, *place[axis + 1 :])] for i in along]

    def gather(self) -> list[Hop]:
        """Return the hops of an all-gather, phase after phase."""
        found: list[Hop] = []
        orders = self.orders()
        held = {
            (share, chip): [Chunk(share, chip, half) for half in (0, 1)]
            for share in range(len(orders))
            for chip in range(self.chips)
        }
        for phase in range(len(self.lengths)):
            for share, order in enumerate(orders):
                for line in self.lines(order[phase]):
                    blocks = [[*held[share, chip]] for chip in line]
                    found += self.along(phase, order[phase], line, blocks)
                    for chip in line:
                        held[share, chip] = [chunk for block in blocks for chunk in block]
        return found

    def along(
        self, phase: int, axis: int, line: list[int], blocks: list[list[Chunk]]
    ) -> Iterator[Hop]:
        """Yield the hops by which all blocks come to all chips of a ring or a line."""
        n = len(line)
        for step in range(1, n // 2 + 1 if self.wrap else n):
            for i, up in product(range(n), (True, False)):
                to, source = (i + 1, i - step + 1) if up else (i - 1, i + step - 1)
                if not self.wrap and not (0 <= to < n and 0 <= source < n):
                    continue
                block = blocks[source % n]
                if self.wrap and 2 * step == n:  # to the chip opposite, half of it each way
                    block = [chunk for chunk in block if chunk.half == up]
                yield Hop(phase, step, Port(line[i], axis, up), line[to % n], block)


class Counted(NamedTuple):
    network: Fraction  # of the busiest port of each phase, in vectors
    messages: int
    additions: Fraction  # of the busiest chip


def carry_out(torus: Torus, hops: list[Hop], *, added: bool) -> Counted:
    """Do the hops in their order, those of a phase and step at once; each port sends once."""
    shares = range(len(torus.lengths))
    part = Fraction(1, 2 * torus.chips * len(torus.lengths))
    every = [Chunk(s, chip, half) for s in shares for chip in range(torus.chips) for half in (0, 1)]
    held = [
        {chunk: 1 << chip for chunk in every if added or chunk.owner == chip}
        for chip in range(torus.chips)
    ]
    sent: defaultdict[int, defaultdict[Port, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    sums = [Fraction(0)] * torus.chips
    together: defaultdict[tuple[int, int], list[Hop]] = defaultdict(list)
    for hop in hops:
        together[hop.phase, hop.step].append(hop)
    for key in sorted(together, reverse=added):
        now = together[key]
        assert len({hop.port for hop in now}) == len(now)
        arriving = [[held[hop.port.chip][chunk] for chunk in hop.chunks] for hop in now]
        for hop, values in zip(now, arriving, strict=True):
            own = held[hop.receiver]
            sent[hop.phase][hop.port] += part * len(values)
            for chunk, value in zip(hop.chunks, values, strict=True):
                if added:
                    assert own[chunk] & value == 0
                    own[chunk] |= value
                    sums[hop.receiver] += part
                else:
                    own[chunk] = value
    everybody = (1 << torus.chips) - 1
    for chip, own in enumerate(held):
        if added:
            assert all(v == everybody for chunk, v in own.items() if chunk.owner == chip)
        else:
            assert own == {chunk: 1 << chunk.owner for chunk in every}
    busiest = sum((max(ports.values()) for ports in sent.values()), Fraction(0))
    return Counted(busiest, len(together), max(sums))


def backwards(hops: list[Hop]) -> list[Hop]:
    """Send each hop back, by the port of its receiver that goes there."""
    return [
        hop._replace(
            port=Port(hop.receiver, hop.port.axis, not hop.port.up), receiver=hop.port.chip
        )
        for hop in hops
    ]


def compare(torus: Torus, name: str, **lengths: int) -> None:
    hops = torus.gather()
    gathered = carry_out(torus, hops, added=False)
    scattered = carry_out(torus, backwards(hops), added=True)
    for kind, counted in (
        ("all_gather", [gathered]),
        ("reduce_scatter", [scattered]),
        ("all_reduce", [scattered, gathered]),
    ):
        said = MODELS[f"{kind}_{name}"].evaluate(bytes=SIZE, wrap=torus.wrap, **lengths)
        sent = sum(each.network for each in counted) * SIZE
        assert said["network.port"] == pytest.approx(float(sent), rel=1e-14)
        assert said["messages"] == sum(each.messages for each in counted)
        additions = sum(each.additions for each in counted) * SIZE / 4
        assert said.get("flops.vector.fp32", 0) == pytest.approx(float(additions), rel=1e-14)


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize("axis", range(1, 17))
def test_one_axis(axis: int, wrap: bool) -> None:
    compare(Torus((axis,), wrap), "axis", axis=axis)


@pytest.mark.parametrize("wrap", [True, False])
@pytest.mark.parametrize(
    "lengths",
    [
        *product(range(1, 6), repeat=2),
        *((8, 4), (2, 8), (7, 3)),
        *product(range(2, 4), repeat=3),
        *((4, 4, 4), (4, 2, 2), (2, 2, 6), (5, 1, 3), (1, 4, 2)),
    ],
)
def test_several_axes(lengths: tuple[int, ...], wrap: bool) -> None:
    compare(Torus(lengths, wrap), "torus", **dict(zip("xyz", lengths, strict=False)))
