"""A machine's links as its text states them: the latency of a message, and the bandwidth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from roofdsl.diagnostic import RoofError
from roofdsl.measure.found import Found
from roofdsl.measure.job import Job, Watch
from roofdsl.measure.ping_pong import Echoed, ping_pong
from roofdsl.measure.timing import Rate, Timed, rate

_SMALL = 8
"""Bytes of the message whose time is the latency."""


class Links(NamedTuple):
    """Rates of a network, and which MPI it was measured with; between nodes, by a link of its own.

    `nodes` says whether the machine has processes of several nodes.
    """

    found: tuple[Found, ...] = ()
    mpi: str = ""
    nodes: bool = False


def links(hosts: Path | None, watch: Watch, said: Callable[[str], None]) -> Links:
    """Return what a message takes in this machine, and between the hosts that a file names.

    Where there is no MPI, it is said what to install, and nothing is found. Raises RoofError for
    hosts that do not answer, and for a busy machine (R1522).
    """
    from roofdsl.measure.mpi import launcher

    try:
        version = launcher().version
    except RoofError as error:
        if hosts is not None:
            raise
        said(f"no network was measured: {_first(error)}")
        return Links()
    try:
        inside = _found(None, watch)
    except RoofError as error:
        if error.diagnostics[0].code == "R1522":
            raise
        said(f"no network was measured: {_first(error)}")
        return Links()
    if hosts is None:
        return Links(tuple(_named(inside, "")), version)
    between = _found(hosts, watch)
    return Links((*_named(inside, ".intra"), *_named(between, ".inter")), version, nodes=True)


def _first(error: RoofError) -> str:
    first = error.diagnostics[0]
    return f"{first.message}: {first.hint}" if first.hint else first.message


class _Link(NamedTuple):
    bandwidth: Rate
    latency: Rate


def _found(hosts: Path | None, watch: Watch) -> _Link:
    echoed = list[Echoed]()

    def work() -> Timed:
        echoed[:] = ping_pong(hosts=hosts)
        return echoed[0].trip

    watch.measured(Job("network", (), 0.0, work, threads=0))
    return link(echoed)


def link(echoed: list[Echoed]) -> _Link:
    """Return the largest bandwidth of a message there and back, and the time of a small one."""
    small = min(echoed, key=lambda each: abs(each.size - _SMALL)).trip
    bandwidth = max((rate(each.size, each.trip) for each in echoed), key=lambda each: each.value)
    return _Link(bandwidth, Rate(small.median, (small.high - small.low) / 2))


def _named(found: _Link, link: str) -> list[Found]:
    return [Found(f"network{link}", found.bandwidth), Found(f"messages{link}", found.latency)]
