"""Few numbers, some of which `eval` refuses: what is the largest at each of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression.condition import compare
from roofdsl.expression.tree import Comparison, Expression
from roofdsl.numeric.dense import MOST_SHORT_RUNS, SHORT
from roofdsl.numeric.every_place import decided
from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place
from roofdsl.numeric.refinement import merged, refined
from roofdsl.numeric.regime import Regime, RegimeKind
from roofdsl.numeric.run import ORDERS, STATES, SignRun, State
from roofdsl.numeric.turns import Extent

_Told: TypeAlias = tuple[RegimeKind, tuple[str, ...]]
"""What is known at a number: the kind of its regime, and the labels of that."""


def at_every_number(
    times: Mapping[str, Expression],
    demanded: Sequence[Comparison],
    name: str,
    ends: tuple[int, int],
    budget: Budget,
) -> Iterator[Regime]:
    """Yield which of some times is the largest at the numbers at which what is demanded holds.

    Many regimes that are short become one, of which it is said that some numbers have no value.
    """
    compared = [*combinations(times, 2)]
    sides = [(times[one], times[other]) for one, other in compared]
    sides += [(each.left, each.right) for each in demanded]
    shares = budget.shares(len(sides))
    rows = [_orders(*pair, name, ends, share) for pair, share in zip(sides, shares, strict=True)]
    runs = merged(
        (first, last, _told([*times], compared, states, demanded))
        for first, last, states in refined(rows)
    )
    for short, row in groupby(runs, lambda run: run[1] - run[0] < SHORT):
        alike = [*row]
        if short and len(alike) >= MOST_SHORT_RUNS:
            yield _together(alike, [*times])
        else:
            yield from (Regime(first, last, told[1], told[0]) for first, last, told in alike)


def _orders(
    left: Expression, right: Expression, name: str, ends: tuple[int, int], budget: Budget
) -> list[tuple[Place, Place, State]]:
    pair = Pair(left, right, name, integer=True, budget=budget)
    if pair.sign is not None:
        return [(*ends, STATES[pair.sign])]
    runs = decided(pair, [SignRun(*ends, "undecided")], budget)
    return [(run.first, run.last, run.state) for run in runs]


def _told(
    names: Sequence[str],
    compared: Sequence[tuple[str, str]],
    states: Sequence[State],
    demanded: Sequence[Comparison],
) -> _Told:
    held = [
        compare(each.relation, ORDERS[state], 0) if state in ORDERS else None
        for each, state in zip(demanded, states[len(compared) :], strict=True)
    ]
    if False in held:
        return "refused", ()
    orders = [*zip(compared, states, strict=False)]
    less = {pair[0] for pair, state in orders if state == "below"}
    less |= {pair[1] for pair, state in orders if state == "above"}
    largest = tuple(name for name in names if name not in less)
    doubtful = {name for pair, state in orders if state not in ORDERS for name in pair}
    if None in held or doubtful & {*largest}:
        return "undecided", largest
    return "largest" if len(largest) == 1 else "tie", largest


def _together(runs: Sequence[tuple[Place, Place, _Told]], names: Sequence[str]) -> Regime:
    """Return runs as one regime."""
    first, last = runs[0][0], runs[-1][1]
    kinds = {kind for _, _, (kind, _) in runs}
    told = [run for run in runs if run[2][1]]
    every = {label for _, _, (_, labels) in told for label in labels}
    labels = tuple(name for name in names if name in every)
    if "undecided" in kinds or not told:
        return Regime(first, last, labels, "undecided")
    extents: dict[str, Extent] = {}
    for start, end, (_, (leader, *_)) in told:
        extents[leader] = extents.get(leader, Extent(start, end)).joined(Extent(start, end))
    some = "refused" in kinds
    if len(extents) > 1:
        leaders = tuple(name for name in names if name in extents)
        row = tuple(extents[name] for name in leaders)
        return Regime(first, last, leaders, "band", row, some)
    (leader,) = extents
    alike = {labels for _, _, (_, labels) in told}
    kind: RegimeKind = "shared" if len(alike) > 1 else "tie" if len(labels) > 1 else "largest"
    ordered = (leader, *(label for label in labels if label != leader))
    return Regime(first, last, ordered, kind, (), some)
