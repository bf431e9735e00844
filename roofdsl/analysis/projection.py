"""Project a profile measured on one machine to another, group by group (Kwack et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from roofdsl.analysis.matching import default_key
from roofdsl.analysis.rates import bind_machine, machine_rates
from roofdsl.analysis.ratio import ratio
from roofdsl.analysis.varied import varied
from roofdsl.diagnostic import Diagnostic, Label, RoofError, raise_if_any
from roofdsl.model.layer import Varied
from roofdsl.model.types import MachineDefinition
from roofdsl.source import Span

_NO_WORK: Mapping[str, float] = MappingProxyType({})
_SHORTEST = Fraction(1, 10**300)  # [s]; numbers of times are doubles


class Group(NamedTuple):
    """A group of functions: its time [s] and the rate that bounds it, such as `memory.NUMA`.

    `work` is what it does, by the rate that it takes: flop of `flops`, bytes of `memory.L2`.
    Without a bound it is bound by what of its work takes longest; without work it is not projected.
    `span` is what a message about it points at.
    """

    name: str
    time: float
    bound: str | None
    span: Span | None = None
    work: Mapping[str, float] = _NO_WORK

    @property
    def works(self) -> bool:
        """Whether it does some work that may bound it."""
        return any(amount > 0 for amount in self.work.values())


class Profile(NamedTuple):
    """The groups of a program, and how long all of it took [s]."""

    groups: tuple[Group, ...]
    total: float


@dataclass(frozen=True, slots=True)
class Projection:
    """A profile on another machine.

    `groups` are those that were projected, each with its time there [s]. `coverage` is their part
    of the whole time, and `time` [s] takes the rest to change as they do. `error` is that of `time`
    over the measured time, in percent. `varied` is what the target has of several values. `by_work`
    are the groups whose bound comes from their own work, `without_rate` the sorts of work that the
    source has no rate for: they bound nothing.
    """

    source: str
    target: str
    groups: tuple[tuple[Group, float], ...]
    total: float
    coverage: float
    time: float
    measured: float | None
    varied: Mapping[str, Varied]
    by_work: tuple[str, ...] = ()
    without_rate: tuple[str, ...] = ()

    @property
    def speedup(self) -> float:
        return ratio(self.total, self.time)

    @property
    def error(self) -> float | None:
        if self.measured is None:
            return None
        return 100 * (self.time - self.measured) / self.measured


def project(
    profile: Profile,
    source: MachineDefinition,
    target: MachineDefinition,
    measured: float | None = None,
) -> Projection:
    """Project a profile from the machine it was measured on to another.

    A group takes `time · rate on the source / rate on the target`, the rates of what bounds it: of
    a threaded group the bandwidth of a node (Eq. 5), of a serial one that of a NUMA domain (Eq. 6).
    All of the program takes `sum of the projected times / coverage` (Eq. 7). `measured` is how long
    it took there [s]. A group without a bound is bound by the largest `work / rate on the source`
    of its own work, as the Roofline says.

    Raises RoofError where a machine has no rate for what bounds a group (R0917).

    >>> from roofdsl.model.library import find_machine
    >>> blue_waters, ivy_bridge = find_machine("blue_waters_xe")[0], find_machine("ivy_bridge")[0]
    >>> profile = Profile((Group("all", 100.0, "memory"),), total=100.0)
    >>> projection = project(profile, blue_waters, ivy_bridge, measured=70.0)
    >>> round(projection.time, 2), round(projection.speedup, 2), round(projection.error, 1)
    (66.95, 1.49, -4.4)
    """
    problems: dict[object, Diagnostic] = {}
    machines = [(machine, machine_rates(machine)) for machine in (source, target)]
    found: list[tuple[Group, float]] = []
    by_work = [group.name for group in profile.groups if group.bound is None and group.works]
    without: dict[str, None] = {}
    for given in profile.groups:
        group = _bounded(given, *machines[0], without, problems)
        if group.bound is not None:
            here, there = (_rate(group, machine, rates, problems) for machine, rates in machines)
            found.append((group, group.time * here / there))
    raise_if_any(problems.values())
    covered = math.fsum(group.time for group, _ in found)
    coverage = ratio(covered, profile.total)
    time = ratio(math.fsum(time for _, time in found), coverage)
    return Projection(
        source.name,
        target.name,
        tuple(found),
        profile.total,
        coverage,
        time,
        measured,
        varied(target, bind_machine(target)[0]),
        tuple(by_work),
        tuple(without),
    )


def measured_time(time: Fraction, which: str, *places: Label) -> float:
    """Return a measured time [s] as a double; raise RoofError for one that is none (R0405)."""
    if not _SHORTEST <= time <= 1 / _SHORTEST:
        message = f"{which} must be a time from 1e-300 s to 1e300 s, such as `1293 s`"
        raise RoofError([Diagnostic("R0405", message, places)])
    return float(time)


def _bounded(
    group: Group,
    machine: MachineDefinition,
    rates: dict[str, float],
    without: dict[str, None],
    problems: dict[object, Diagnostic],
) -> Group:
    """Return a group with the bound of its own work where it has none; note what has no rate."""
    if group.bound is not None or not group.works:
        return group
    times: dict[str, float] = {}
    for name, amount in group.work.items():
        key = _key(name, machine)
        if key in rates:
            times[name] = amount / rates[key]
        elif amount:
            without[name] = None
    if any(times.values()):
        return group._replace(bound=max(times, key=lambda name: times[name]))
    some = ", ".join(name for name, amount in group.work.items() if amount)
    problems.setdefault((machine.name, group.name), _no_rate(group, machine, rates, some))
    return group


def _key(bound: str, machine: MachineDefinition) -> str:
    return bound if machine.rate(bound) is not None else default_key(machine, bound)


def _rate(
    group: Group,
    machine: MachineDefinition,
    rates: dict[str, float],
    problems: dict[object, Diagnostic],
) -> float:
    """Return the rate that bounds a group on a machine; note each that is missing once."""
    bound = group.bound or ""
    key = _key(bound, machine)
    if key in rates:
        return rates[key]
    problems.setdefault((machine.name, bound), _no_rate(group, machine, rates, bound))
    return 1.0


def _no_rate(
    group: Group, machine: MachineDefinition, rates: dict[str, float], bound: str
) -> Diagnostic:
    """Return the problem of a machine without the rate that bounds a group."""
    places = [Label(group.span, f"'{group.name}' is bound by it")] if group.span else []
    return Diagnostic(
        "R0917",
        f"machine '{machine.name}' has no rate for {bound}",
        (*places, Label(machine.span, "the machine")),
        f"in the column `bound` of '{group.name}', write what it has: {', '.join(rates)}"
        if rates
        else "it has no rates",
    )
