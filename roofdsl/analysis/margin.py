"""How firm a bound is: how far the next resource is, and whether small errors could turn it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roofdsl.analysis.composition import ByName, Composed, Composing, composed
from roofdsl.analysis.node import Node
from roofdsl.expression.tree import Expression, Symbol

ERROR = 0.1
"""The relative error of every rate, up or down, that a firm bound survives."""
_ROUNDING = 1e-9
"""Far above what rounding can do to the ends of intervals, which are computed in plain floats."""

Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Margin:
    """The time charged to the bound is `ratio` times that charged to `next`.

    `holds` says that the bound is the same for every combination of rates within ±10 % of the
    machine's; where it is False, that is not proven.
    """

    bound: str
    next: str
    ratio: float
    holds: bool


def margin(
    root: Node,
    parts: Composed[float],
    amounts: Mapping[int, float],
    rates: Mapping[str, float],
    composing: Composing,
) -> Margin | None:
    """Return how firm the bound of a prediction is, None where nothing competes with it.

    A stated time is what it is, whatever the rates.
    """
    if root.stated is not None or parts.bound is None:
        return None
    times = parts.rivals
    others = [name for name, time in times.items() if name != parts.bound and time > 0]
    if not others:
        return None
    following = max(others, key=times.__getitem__)
    ratio = times[parts.bound] / times[following]
    if parts.arrangement == "kernel" and all(load.spent is None for load in root.loads):
        # Each time is a sum of work / rate, so it changes by no more than its rates do.
        holds = ratio * (1 - ERROR) * (1 - _ROUNDING) > 1 + ERROR
    else:
        widened = {name: (rate * (1 - ERROR), rate * (1 + ERROR)) for name, rate in rates.items()}
        intervals = _Intervals(amounts, widened)
        holds = composed(root, intervals, composing).ties == (parts.bound,)
    return Margin(parts.bound, following, ratio, holds)


class _Intervals:
    """Intervals that enclose what rates anywhere within theirs give.

    Each time falls as a rate grows and grows with work, which is not below 0, so the ends of an
    interval come from the ends of others. Where several steps, or resources, may be the longest,
    what the time is charged to encloses every case, and all of them tie.
    """

    zero: Interval = (0.0, 0.0)

    def __init__(self, amounts: Mapping[int, float], rates: Mapping[str, Interval]) -> None:
        self.amounts = amounts
        self.rates = rates

    def of(self, tree: Expression) -> Interval:
        value = self.amounts[id(tree)]
        return value, value

    def rate(self, symbol: Symbol) -> Interval:
        return self.rates[symbol.name]

    def add(self, values: Sequence[Interval]) -> Interval:
        return sum(low for low, _ in values), sum(high for _, high in values)

    def multiply(self, count: Interval, value: Interval) -> Interval:
        (fewest, most), (low, high) = count, value
        return fewest * low, most * high

    def divide(self, work: Interval, rate: Interval) -> Interval:
        (least, most), (slowest, fastest) = work, rate
        return least / fastest, most / slowest

    def largest(self, values: Sequence[Interval]) -> Interval:
        return max(low for low, _ in values), max(high for _, high in values)

    def choice(self, values: Sequence[Interval], _: Sequence[ByName[Interval]]) -> list[int]:
        """Return the places of all that may be the largest."""
        least = max(low for low, _ in values) * (1 - _ROUNDING)
        return [place for place, (_, high) in enumerate(values) if high >= least]

    def chosen(self, choice: list[int], tables: Sequence[ByName[Interval]]) -> ByName[Interval]:
        cases = [tables[place] for place in choice]
        names = dict.fromkeys(name for case in cases for name in case)
        return {name: _hull([case.get(name, self.zero) for case in cases]) for name in names}

    def ties(self, table: ByName[Interval]) -> tuple[str, ...]:
        """Return the names of all that may be the largest."""
        names = [*table]
        return tuple(names[place] for place in self.choice([*table.values()], [])) if table else ()


def _hull(values: Sequence[Interval]) -> Interval:
    return min(low for low, _ in values), max(high for _, high in values)
