"""How a machine was measured, in words: no name of a host or a user, and no path."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import NamedTuple

from roofdsl.measure.arithmetic import BLOCK
from roofdsl.measure.bandwidth import Size, windows
from roofdsl.measure.found import best
from roofdsl.measure.hardware import Hardware
from roofdsl.measure.job import Groups
from roofdsl.measure.loops import WORDS, Loops
from roofdsl.measure.messages import Links
from roofdsl.measure.plan import Plan
from roofdsl.measure.rounding import as_measured
from roofdsl.units.dimension import BYTE, SECOND
from roofdsl.units.quantity import show_binary, show_number


class Told(NamedTuple):
    """What the words are made of."""

    plan: Plan
    threads: int
    machine: Hardware
    blas: str
    loops: Loops
    size: Size
    network: Links


def sources(told: Told, groups: Groups) -> tuple[str, ...]:
    """Return how each rate was measured, and with what."""
    return tuple(_sources(told, groups))


def _sources(told: Told, groups: Groups) -> Iterator[str]:
    import numpy as np

    machine, plan = told.machine, told.plan
    yield f"processor: {machine.processor}; {', '.join(_parts(machine))}; {machine.system}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield f"software: {python}, NumPy {np.__version__}, {told.blas}; {told.loops.how}"
    of = "one thread" if told.threads == 1 else f"{told.threads} threads"
    scatter = "each the median of its repeats, ± half the distance of its quartiles"
    yield f"rates: of one process with {of}, {scatter}; by roofdsl {version('roofdsl')}"
    orders = ", ".join(map(str, plan.orders))
    yield f"flops.matrix: NumPy's products of square matrices, the best of orders {orders}"
    block = show_binary(BLOCK)
    yield f"flops.vector: multiply-adds on {block} in a cache, {told.loops.how}"
    yield f"flops.special: NumPy's exp on {block} in a cache, each one flop"
    if any(name.startswith("memory.") for name in groups):
        yield f"memory of caches: STREAM triad on working sets well within each, {told.loops.how}"
    if "stream.triad" in groups:
        yield _stream(told, groups)
    if told.network.found:
        yield _network(told.network)


def _parts(machine: Hardware) -> Iterator[str]:
    for cache in machine.caches:
        shared = f" of {cache.shared} processors" if cache.shared > 1 else ""
        yield f"L{cache.level} {show_binary(cache.size)}{shared}"
    if machine.memory is not None:
        yield f"{show_binary(machine.memory)} of memory"


def _stream(told: Told, groups: Groups) -> str:
    caches = told.size.caches
    times = f", {show_number(caches, 2)} times the largest cache" if caches else ""
    others = ", ".join(
        f"{name} {as_measured(best(groups[f'stream.{name}']).rate, BYTE / SECOND)}"
        for name in WORDS
        if name != "triad"
    )
    # Where the system has large pages for who asks, NumPy asks: a plain malloc sees less bandwidth.
    arrays = f"arrays of {show_binary(told.size.size)}{times}, allocated by NumPy"
    return f"memory.DRAM: STREAM triad, {arrays}, bytes as STREAM counts; {others}"


def _network(network: Links) -> str:
    where = "in this machine, and between two" if network.nodes else "in this machine"
    how = f"half of the way to another process and back, {where}"
    return f"network, messages: {how}, of 8 B and of the size that is fastest; {network.mpi}"


def left_out(told: Told) -> Iterator[str]:
    """Yield which rates are not there, and why."""
    caches = told.machine.caches
    if not caches:
        yield "no cache was measured: the system does not say how large they are"
    elif not told.loops.compiled:
        yield "no cache was measured: loops of NumPy are too slow for them"
    else:
        for cache, within in zip(caches, windows(caches, told.threads), strict=True):
            if within is None:
                yield f"L{cache.level} was not measured: it is hardly larger than the one before"
    if told.size.caches is not None and told.size.caches < _ENOUGH:
        times = show_number(told.size.caches, 2)
        yield f"arrays of STREAM are {times} times the largest cache: there is no more room"


_ENOUGH = 3.9
