"""What was measured of a machine: rates by the names that the language has for them."""

from __future__ import annotations

from statistics import median
from typing import NamedTuple

from roofdsl.measure.hardware import Hardware
from roofdsl.measure.job import Done, Groups
from roofdsl.measure.timing import Rate, summary
from roofdsl.units.dimension import BYTE, FLOP, MESSAGE, SECOND, Dimension

_OF = {
    "flops": FLOP / SECOND,
    "memory": BYTE / SECOND,
    "stream": BYTE / SECOND,
    "network": BYTE / SECOND,
    "messages": SECOND / MESSAGE,
}


class Found(NamedTuple):
    """A rate of a resource, such as `flops.matrix.fp64`; of `messages` it is the time of one."""

    resource: str
    rate: Rate
    note: str = ""

    @property
    def dimension(self) -> Dimension:
        """The dimension of the rate."""
        return _OF[self.resource.partition(".")[0]]


class Card(NamedTuple):
    """A card that computes, by its name and that of the library that was asked; its rates."""

    name: str
    library: str
    found: tuple[Found, ...]


class Measured(NamedTuple):
    """What was measured: all that the text of a machine is made of.

    `sources` say how; `notes` what was left out, and why; `busy` what was seen of others' work.
    """

    hardware: Hardware
    threads: int
    found: tuple[Found, ...]
    sources: tuple[str, ...]
    notes: tuple[str, ...] = ()
    busy: str | None = None
    tables: tuple[tuple[str, tuple[Done, ...]], ...] = ()
    """Times of products (m, n, k), by their precision."""
    card: Card | None = None


def best(done: list[Done]) -> Done:
    """Return what had the highest rate, by the medians of the times."""
    return max(done, key=lambda each: each.rate.value)


def plateau(done: list[Done]) -> Rate:
    """Return the rate in the middle of those of several sizes.

    The spread is that between the sizes, or that of each size where it is larger.

    >>> from roofdsl.measure.timing import Timed
    >>> of = lambda seconds: Done((1,), 12.0, Timed(seconds, seconds, seconds, 5, 1.0))
    >>> plateau([of(2.0), of(3.0), of(4.0)])
    Rate(value=4.0, spread=0.75)
    """
    rates = [each.rate for each in done]
    over_sizes = summary([each.value for each in rates])
    spread = max((over_sizes.high - over_sizes.low) / 2, median(each.spread for each in rates))
    return Rate(over_sizes.median, spread)


def rates_of(groups: Groups) -> list[Found]:
    """Return the rates of flops and of memory that groups of jobs tell, in their order."""
    found = list[Found]()
    for name, done in groups.items():
        if name.startswith("flops.matrix."):
            top = best(done)
            found.append(Found(name, top.rate, f"of order {top.detail[0]}"))
        elif name.startswith("flops."):
            found.append(Found(name, best(done).rate))
        elif name.startswith("memory."):
            found.append(Found(name, plateau(done)))
    if "stream.triad" in groups:
        found.append(Found("memory.DRAM", best(groups["stream.triad"]).rate))
    return found
