"""What kinds, start-ups, rates by size and energies mean, in exact fractions, from the rules alone.

It shares nothing with the package, nor with `tests/analysis/law.py`, and knows of no formula:
only of one machine, one kernel after another, and numbers.

- All work of a kernel that one rate serves takes work / rate(work); no work takes no time.
- What one part of the machine does adds up: kinds of flops, messages and the network they go by
  (the link that the kernel names, of two that between nodes), what the machine calls `serial`.
  Units of flops that it calls `concurrent` run at once; others keep each of them busy.
- Other parts of the machine work at once: a kernel takes as long as the slowest of them. Before it
  starts there is its start-up, if it has any work.
- One after another adds up; `repeat` and `iterate` multiply. Of what runs at once, each part of the
  machine does the work of all, and it takes as long as the slowest part or the longest child.
- `wait` takes time, and does nothing.
- Energy is that of all work of all processes, and what is drawn all the time by each process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

Amounts = dict[str, Fraction]
ZERO = Fraction()


@dataclass(frozen=True)
class Speed:
    """R = top · w / (w + half), or top · w / (w + each · other): of large work it is `top`."""

    top: Fraction
    half: Fraction = ZERO
    other: str = ""

    def time(self, work: Fraction, kernel: Amounts) -> Fraction:
        """Return how long work takes, which is work / R."""
        if not work:
            return ZERO
        lost = self.half * (kernel.get(self.other, ZERO) if self.other else 1)
        return (work + lost) / self.top


@dataclass(frozen=True)
class Box:
    """A machine of one process; `served` says what serves work that has no rate of its name."""

    speeds: dict[str, Speed]
    served: dict[str, str]
    startup: Fraction
    startups: Amounts
    serial: frozenset[str]
    concurrent: frozenset[str]
    energies: Amounts
    power: Fraction
    price: Fraction

    def speed(self, work: str) -> str:
        """Return the speed that serves work."""
        return self.served.get(work, work)


@dataclass(frozen=True)
class Part:
    """A kernel with work, or parts in a sequence, an overlap or a wait; it runs `times` times."""

    name: str
    sort: str
    work: Amounts = field(default_factory=dict)
    parts: tuple[Part, ...] = ()
    times: Fraction = Fraction(1)


@dataclass(frozen=True)
class Spent:
    time: Fraction
    busy: Amounts
    charged: Amounts
    work: Amounts


def spent(part: Part, box: Box, compose: str = "written") -> Spent:
    """Return what a part takes as written, or with all (`max`) or nothing at once (`sum`)."""
    once = _run(part, box, compose)
    if compose != "max":
        return once
    time, charged = _longest(_lengths(once.busy, box))
    return Spent(time, once.busy, charged, once.work)


def energy(whole: Spent, box: Box, processes: int) -> tuple[Fraction, Fraction]:
    """Return the energy of the work of all processes, and what they draw besides."""
    work = sum(
        (box.energies[box.speed(name)] * amount for name, amount in whole.work.items()), ZERO
    )
    return processes * work, processes * box.power * whole.time


def _run(part: Part, box: Box, compose: str) -> Spent:
    if part.sort == "kernel":
        once = _kernel(part.work, box, compose)
    else:
        inside = [_run(each, box, compose) for each in part.parts]
        together = part.sort == "overlap" and compose != "sum"
        once = _at_once(inside, box) if together else _added(inside)
    n = part.times
    if part.sort == "wait":
        return Spent(once.time * n, {}, {"wait": once.time * n}, {})
    return Spent(
        once.time * n,
        {name: time * n for name, time in once.busy.items()},
        {name: time * n for name, time in once.charged.items()},
        {name: amount * n for name, amount in once.work.items()},
    )


def _kernel(work: Amounts, box: Box, compose: str) -> Spent:
    busy: Amounts = {}
    by_speed = _sums({box.speed(name): amount} for name, amount in work.items())
    for name, amount in by_speed.items():
        time = box.speeds[name].time(amount, work)
        resource, _, kind = name.partition(".")
        group = _link(work) if resource == "messages" else name
        if resource == "flops":
            unit = f"flops.{kind.partition('.')[0]}"
            group = unit if unit in box.concurrent else "flops"
        busy[group] = busy.get(group, ZERO) + time
    for name, start in box.startups.items():
        used = any(
            amount and box.speed(key).partition(".")[0] == name for key, amount in work.items()
        )
        if used:
            busy[name] = busy.get(name, ZERO) + start
    start = box.startup if any(work.values()) else ZERO
    first = {"startup": start} if start else {}
    if compose == "sum":
        return Spent(start + sum(busy.values(), ZERO), busy | first, busy | first, work)
    time, charged = _longest(_lengths(busy, box))
    return Spent(start + time, busy | first, charged | first, work)


def _link(work: Amounts) -> str:
    links = [name for name in work if name.partition(".")[0] == "network"]
    if len(links) == 1:
        return links[0]
    return "network" if "network" in links or not links else "network.inter"


def _lengths(busy: Amounts, box: Box) -> list[tuple[Fraction, Amounts]]:
    """Return how long each part of the machine takes, and what that is charged to."""
    units = [name for name in busy if name in box.concurrent]
    found: dict[str, Amounts] = {}
    for name, time in busy.items():
        if name == "flops" and units:  # what no unit of these does keeps them all busy
            groups = units
        else:
            serial = name in box.serial or name.partition(".")[0] in box.serial
            groups = ["serial" if serial else name]
        for group in groups:
            found.setdefault(group, {})[name] = time
    return [(sum(members.values(), ZERO), members) for members in found.values()]


def _added(parts: Iterable[Spent]) -> Spent:
    parts = list(parts)
    return Spent(
        sum((part.time for part in parts), ZERO),
        _sums(part.busy for part in parts),
        _sums(part.charged for part in parts),
        _sums(part.work for part in parts),
    )


def _at_once(parts: list[Spent], box: Box) -> Spent:
    both = _added(parts)
    longest = max(parts, key=lambda part: part.time, default=both)  # the first of equals
    time, charged = longest.time, longest.charged
    for length, members in _lengths(both.busy, box):
        if length > time:
            time, charged = length, members
    return Spent(time, both.busy, charged, both.work)


def _longest(lengths: list[tuple[Fraction, Amounts]]) -> tuple[Fraction, Amounts]:
    return max(lengths, key=lambda each: each[0], default=(ZERO, {}))  # the first of equals


def _sums(tables: Iterable[Amounts]) -> Amounts:
    found: Amounts = {}
    for table in tables:
        for name, amount in table.items():
            found[name] = found.get(name, ZERO) + amount
    return found
