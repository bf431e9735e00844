"""Measure the rates of this machine, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import NamedTuple, TypeAlias

from roofdsl.measure import arithmetic, bandwidth, products, words
from roofdsl.measure.busy import processors
from roofdsl.measure.cards import card, measured_card
from roofdsl.measure.found import Card, Measured, rates_of
from roofdsl.measure.hardware import Hardware, hardware
from roofdsl.measure.job import Job, Watch, all_of
from roofdsl.measure.loops import Loops, best_loops, in_threads
from roofdsl.measure.messages import Links, links
from roofdsl.measure.plan import Plan

Progress: TypeAlias = Callable[[int], AbstractContextManager[Callable[[str], None]]]
"""Shows how many of so many jobs are done: gives what to call after each, with what it was."""


class Asked(NamedTuple):
    """What is to be measured, with how many threads; with `hosts`, between these machines too."""

    plan: Plan
    threads: int = 1
    gemm: bool = True
    busy: bool = False
    hosts: Path | None = None


class _Means(NamedTuple):
    """What it is measured with."""

    machine: Hardware
    loops: Loops
    together: bandwidth.Together
    size: bandwidth.Size


def measure(asked: Asked, progress: Progress, watch: Watch | None = None) -> Measured:
    """Measure this machine; raise RoofError where it is busy (R1522) or a package lacks (R1521)."""
    watch = watch or Watch(accept=asked.busy)
    library = products.blas()
    machine = hardware()
    notes = list[str]()
    watch.begin()
    with ExitStack() as held:
        loops = held.enter_context(best_loops(notes.append))
        together = held.enter_context(in_threads(asked.threads))
        held.enter_context(library.limited(asked.threads))
        size = bandwidth.stream_size(machine, asked.plan.largest)
        means = _Means(machine, loops, together, size)
        jobs = _jobs(asked, means)
        tick = held.enter_context(progress(len(jobs) + asked.plan.messages + asked.plan.cards))
        groups = all_of(jobs, watch, tick)
        network = Links()
        if asked.plan.messages:
            network = links(asked.hosts, watch, notes.append)
            tick("messages")
        computing: Card | None = None
        if asked.plan.cards:
            computing = _computing(notes.append)
            tick("cards")
    told = words.Told(asked.plan, asked.threads, machine, library.name, loops, size, network)
    return Measured(
        machine,
        asked.threads,
        (*rates_of(groups), *network.found),
        words.sources(told, groups),
        (*notes, *words.left_out(told)),
        watch.told(),
        tuple(
            (name.partition(".")[2], tuple(done))
            for name, done in groups.items()
            if name.startswith("gemm.")
        ),
        computing,
    )


def _jobs(asked: Asked, means: _Means) -> list[Job]:
    """Return all that this process measures by itself, in the order in which it is measured."""
    plan, threads = asked.plan, asked.threads
    machine, loops, together, size = means
    jobs = list[Job]()
    for precision in plan.precisions:
        jobs += products.square(plan.orders, precision, plan.products, threads)
    for precision in plan.precisions:
        jobs += arithmetic.vector(loops, together, precision, threads, plan.loops)
    for precision in plan.precisions:
        jobs += arithmetic.special(together, precision, threads, plan.loops)
    if loops.compiled:
        jobs += bandwidth.levels(machine, loops, together, threads, plan.loops, plan.points)
    jobs += bandwidth.stream(loops, together, size.size, threads, plan.loops)
    for precision in plan.precisions if asked.gemm else ():
        jobs += products.table(plan.table, precision, plan.entries, threads)
    return jobs


def _computing(said: Callable[[str], None]) -> Card | None:
    found = card()
    if isinstance(found, str):
        said(found)
        return None
    return measured_card(found)


def threads_of(text: str) -> int | None:
    """Return how many threads `--threads` says: a number, or `all` processors; None if neither.

    >>> threads_of("2"), threads_of("0"), threads_of("many")
    (2, None, None)
    """
    if text == "all":
        return processors()
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        return None
    return int(text) or None
