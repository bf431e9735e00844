"""How firm a bound is: how far the next resource is, and whether small errors could turn it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from roofdsl.analysis.composition import Composed, Composing, Table, composed
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
    composing: Composing = "written",
) -> Margin | None:
    """Return how firm the bound of a prediction is, None where nothing competes with it.

    Of a kernel, busy times are compared; of a composition, what the time is charged to. A stated
    time is what it is, whatever the rates.
    """
    alone = parts.arrangement == "kernel" or composing == "max"
    if root.stated is not None or not parts.ties:
        return None
    times = parts.busy if alone else parts.charged
    others = [name for name, time in times.items() if name != parts.bound and time > 0]
    if not others or parts.bound is None:
        return None
    following = max(others, key=times.__getitem__)
    ratio = times[parts.bound] / times[following]
    if alone:
        # Each busy time is divided by rates alone, so it moves by no more than they do.
        holds = ratio * (1 - ERROR) > (1 + ERROR) * (1 + _ROUNDING)
        return Margin(parts.bound, following, ratio, holds)
    widened = {name: (rate * (1 - ERROR), rate * (1 + ERROR)) for name, rate in rates.items()}
    ends = composed(root, _Intervals(amounts, widened), composing).charged
    least = ends.get(parts.bound, (0.0, 0.0))[0]
    most = max(end for name, (_, end) in ends.items() if name != parts.bound)
    return Margin(parts.bound, following, ratio, least > most * (1 + _ROUNDING))


class _Intervals:
    """Intervals that enclose what rates anywhere within theirs give.

    Each time falls as a rate grows and grows with work, which is not below 0, so the ends of an
    interval come from the ends of others. Where several steps, or resources, may be the longest,
    what the time is charged to encloses every case.
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
        return count[0] * value[0], count[1] * value[1]

    def divide(self, work: Interval, rate: Interval) -> Interval:
        return work[0] / rate[1], work[1] / rate[0]

    def largest(self, values: Sequence[Interval]) -> Interval:
        return max(low for low, _ in values), max(high for _, high in values)

    def choice(self, values: Sequence[Interval], _: Sequence[Table[Interval]]) -> list[int]:
        """Return the places of all that may be the largest."""
        least = max(low for low, _ in values) * (1 - _ROUNDING)
        return [place for place, (_, high) in enumerate(values) if high >= least]

    def chosen(self, choice: list[int], tables: Sequence[Table[Interval]]) -> Table[Interval]:
        cases = [tables[place] for place in choice]
        names = dict.fromkeys(name for case in cases for name in case)
        return {name: _hull([case.get(name, self.zero) for case in cases]) for name in names}

    def ties(self, _: Table[Interval]) -> tuple[str, ...]:
        return ()


def _hull(values: Sequence[Interval]) -> Interval:
    return min(low for low, _ in values), max(high for _, high in values)
