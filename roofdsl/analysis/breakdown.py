"""A composed prediction in numbers: time, bound and share of every step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from roofdsl.analysis.load import Load, grouped
from roofdsl.analysis.node import STATED, Node
from roofdsl.expression.tree import ONE, Expression, Number
from roofdsl.source import Span

Composing: TypeAlias = Literal["written", "max", "sum"]
"""How times combine: as the model says, or everything overlapped, or nothing."""

NEARLY = 1e-12
"""Two times that differ by less, relatively, are a tie: it is below what rounding may do."""

Amount = Callable[[str, Expression, Span], float]
"""Evaluates an expression; reports by name and place one that has no value."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A node in numbers, over all its runs.

    `charged` is its time by what it is bound by: a kernel's whole time goes to its bound, hidden
    work counts nothing. `busy` is how long each resource works. `model` is the model of this part.
    `tallies` are those of the part and of all inside.
    """

    name: str
    arrangement: str
    times: float
    time: float
    work: dict[str, float]
    busy: dict[str, float]
    charged: dict[str, float]
    children: tuple[Measured, ...]
    model: str = ""
    tallies: dict[str, float] = field(default_factory=dict)

    @property
    def bound(self) -> str | None:
        """What most of the time is charged to; the first of several that are equal."""
        ties = self.ties
        return ties[0] if ties else None

    @property
    def ties(self) -> tuple[str, ...]:
        """Everything that as much time is charged to; of a kernel, all resources that bind."""
        if self.arrangement == "kernel" and self.charged and STATED not in self.charged:
            return largest(self.busy)
        return largest(self.charged)


def measure(
    node: Node,
    rates: dict[str, float],
    amount: Amount,
    composing: Composing = "written",
    tally: Amount | None = None,
) -> Measured:
    """Return a node in numbers; `rates` by the name of their symbols.

    `tally` evaluates what it tallies, which may be below 0; `amount` does where it is not given.
    Raises OverflowError where a sum over steps is beyond what a float holds.
    """
    count = tally or amount
    own = {item.name: count(item.name, item.amount, item.span) for item in node.tallies}
    times = 1.0 if node.times is ONE else _count(node, amount)
    if node.arrangement == "kernel":
        return _kernel(node, times, rates, amount, own, composing)
    children = tuple(measure(child, rates, amount, composing, tally) for child in node.children)
    busy = _summed([child.busy for child in children], times)
    if STATED in busy:
        busy[STATED] = times * max(child.busy.get(STATED, 0.0) for child in children)
    work = _summed([child.work for child in children], times)
    if node.arrangement == "overlap" and composing != "sum":
        charged = _overlapped(children)
    else:
        charged = _summed([child.charged for child in children], 1.0)
    charged = {name: spent * times for name, spent in charged.items()}
    time = math.fsum(charged.values())
    tallies = _summed([own, *(child.tallies for child in children)], times)
    return Measured(
        node.name, node.arrangement, times, time, work, busy, charged, children, node.model, tallies
    )


def overlapped_entirely(measured: Measured) -> Measured:
    """Return a measured tree with its time replaced by the largest busy time of all."""
    bound = largest(measured.busy)
    charged = {bound[0]: measured.busy[bound[0]]} if bound else {}
    return Measured(
        measured.name,
        measured.arrangement,
        measured.times,
        math.fsum(charged.values()),
        measured.work,
        measured.busy,
        charged,
        measured.children,
        measured.model,
        measured.tallies,
    )


def largest(times: dict[str, float]) -> tuple[str, ...]:
    """Return the names of the largest of some times, none where all are 0."""
    most = max(times.values(), default=0.0)
    return tuple(name for name, time in times.items() if time >= most * (1 - NEARLY) and most > 0)


def _kernel(
    node: Node,
    times: float,
    rates: dict[str, float],
    amount: Amount,
    own: dict[str, float],
    composing: Composing,
) -> Measured:
    work = {load.name: amount(load.name, load.work, load.stated.span) for load in node.loads}
    if node.stated is None:
        busy = {name: _spent(loads, work, rates) for name, loads in grouped(node.loads).items()}
        bound = largest(busy)
        time = math.fsum(busy.values()) if composing == "sum" else max(busy.values(), default=0.0)
        charged = {bound[0]: time} if bound else {}
        if composing == "sum":
            charged = {name: spent for name, spent in busy.items() if spent}
    else:
        time = amount("time", node.stated, node.span)
        names = list(dict.fromkeys(load.group for load in node.loads))
        busy = dict.fromkeys(names or [STATED], time)
        charged = {next(iter(busy)): time} if time else {}
    return Measured(
        node.name,
        "kernel",
        times,
        time * times,
        {name: value * times for name, value in work.items()},
        {name: value * times for name, value in busy.items()},
        {name: value * times for name, value in charged.items()},
        (),
        node.model,
        {name: value * times for name, value in own.items()},
    )


def _spent(loads: tuple[Load, ...], work: dict[str, float], rates: dict[str, float]) -> float:
    times: list[float] = []
    for load in loads:
        if isinstance(load.spent, Number):
            times.append(float(load.spent.value))
        elif load.rate is not None:
            times.append(work[load.name] / rates[load.rate.name])
    return math.fsum(times)


def _overlapped(children: tuple[Measured, ...]) -> dict[str, float]:
    """Return what an overlap's time is charged to: its longest child, or a resource they share."""
    longest = max(children, key=lambda child: child.time, default=None)
    if longest is None:
        return {}
    shared = _summed([child.busy for child in children], 1.0)
    users: dict[str, int] = {}
    for child in children:
        for name in child.busy:
            users[name] = users.get(name, 0) + 1
    together = {name: t for name, t in shared.items() if users[name] > 1 and name != STATED}
    most = largest(together)
    if most and together[most[0]] > longest.time:
        return {most[0]: together[most[0]]}
    return longest.charged


def _summed(tables: list[dict[str, float]], times: float) -> dict[str, float]:
    parts: dict[str, list[float]] = {}
    for table in tables:
        for name, value in table.items():
            parts.setdefault(name, []).append(value)
    return {name: _total(values) * times for name, values in parts.items()}


def _total(values: list[float]) -> float:
    try:
        return math.fsum(values)
    except ValueError:  # infinite ones of both signs: each was a number before it was repeated
        raise OverflowError from None


def _count(node: Node, amount: Amount) -> float:
    return amount("the count of a repeat", node.times, node.span)
