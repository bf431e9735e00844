"""What binds over a range on all machines near one: proven, or shown to differ.

Where one time is the largest at its least and all others at their most, it is on every machine of
the box. Where none is, single machines are asked: two of them with different bounds show that it
depends on the rates. What neither proves nor shows is left undecided, and said to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal, NamedTuple

from roofdsl.analysis.branches import Branching
from roofdsl.analysis.composition import composed
from roofdsl.analysis.crossover import check_dependence
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.node import walk
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.rate_box import RateBox, Verdict
from roofdsl.analysis.rate_branches import RateBranching
from roofdsl.analysis.refused import Hole, cut, refused
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.unknown import Unknown
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven

_PROVING = 1 / 2
_ONE_MACHINE = 1 / 4
_ALL_CORNERS = 4
"""Of more rates, only some corners of a box are asked."""
_NARROW = 1e-9
"""Relatively narrower stretches of a real unknown are enclosures of changes."""


@dataclass(frozen=True, slots=True)
class RatesRegime:
    """What binds from `first` to `last`: one on all machines; or several, each on some; or unknown.

    Where it is `refused`, an amount is below 0 or has no value, so nothing can be said.

    `bounds` are those that were found. Where it depends, `machines` has rates for each of them, as
    factors of the machine's, at the first place of the stretch.
    """

    first: Place
    last: Place
    verdict: Verdict | Literal["refused"]
    bounds: tuple[str, ...]
    machines: tuple[dict[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class OverRates(Proven):
    """What binds over a range on all machines of a box; proven where nothing is undecided."""

    unknown: Unknown
    low: Place
    high: Place
    box: RateBox
    regimes: tuple[RatesRegime, ...]
    proof: Proof


class _Stretch(NamedTuple):
    first: Place
    last: Place
    bound: str


def find_over_rates(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    box: RateBox,
    budget: Budget | None = None,
) -> OverRates:
    """Return what binds over a range of the unknown on all machines of a box.

    A box has one rate for each of the machine's, whatever that was stated as; see `RateBox`.

    Raises RoofError where nothing depends on the unknown (R0704).
    """
    check_dependence(prediction.rivals.values(), unknown, prediction)
    budget = budget or Budget()
    proven = [*_proven(prediction, unknown, (low, high), box, budget.share(_PROVING))]
    step = _step(unknown)
    likely = dict.fromkeys(each.bound for each in proven)
    found = [RatesRegime(each.first, each.last, "all", (each.bound,)) for each in proven]
    for first, last in _between(proven, low, high, unknown):
        machines = _corners(prediction, unknown, box, [*likely])
        found += _asked(prediction, unknown, (first, last), box, machines, budget)
    holes = refused(domain_of(prediction, unknown), low, high, budget.share(_ONE_MACHINE))
    found = [*_with_holes(sorted(found, key=lambda each: each.first), holes)]
    regimes = tuple(_joined(found, step))
    proof = Proof.of((each.last, each.verdict != "undecided") for each in regimes)
    return OverRates(unknown, low, high, box, regimes, proof)


def _with_holes(regimes: Iterable[RatesRegime], holes: Sequence[Hole]) -> Iterator[RatesRegime]:
    """Yield regimes with what has no value on any machine taken out of them."""
    for regime in regimes:
        for first, last, refusal in cut(regime.first, regime.last, holes) if holes else ():
            if refusal == "all":
                yield RatesRegime(first, last, "refused", ())
            elif refusal != "none":
                yield RatesRegime(first, last, "undecided", regime.bounds)
            else:
                # Its machines were asked at its first place.
                machines = regime.machines if first == regime.first else ()
                yield replace(regime, first=first, last=last, machines=machines)
        if not holes:
            yield regime


def _proven(
    prediction: Prediction,
    unknown: Unknown,
    ends: tuple[Place, Place],
    box: RateBox,
    budget: Budget,
) -> Iterator[_Stretch]:
    """Yield where one binds on every machine."""
    count = sum(node.arrangement != "sequence" for node in walk(prediction.root))
    pieces = Branching(unknown, prediction.rates, *ends, budget.shares_without_end(4 * count + 2))
    rivals = composed(prediction.root, RateBranching(pieces, box.factors)).rivals
    names = [*rivals]
    for bound in names:
        # It at its least, all others at their most; of equals the first declared binds.
        values = [rivals[name].least if name == bound else rivals[name].most for name in names]
        for first, last, trees in pieces.overlaid(values):
            for regime in pieces.regimes(trees, first, last):
                if regime.certain and names[int(regime.labels[0])] == bound:
                    yield _Stretch(regime.first, regime.last, bound)


def _between(
    proven: Sequence[_Stretch], low: Place, high: Place, unknown: Unknown
) -> Iterator[tuple[Place, Place]]:
    """Yield what is left of a range; of a real unknown, not what encloses a change."""
    step = _step(unknown)
    start = low
    for stretch in sorted(proven):
        if start < stretch.first and not _narrow(start, stretch.first, unknown):
            yield start, stretch.first - step
        start = max(start, stretch.last + step)
    if start <= high and (step or start < high or not proven):
        yield start, high


def _narrow(first: Place, last: Place, unknown: Unknown) -> bool:
    return not unknown.integer and last - first <= _NARROW * abs(last)


def _asked(
    prediction: Prediction,
    unknown: Unknown,
    ends: tuple[Place, Place],
    box: RateBox,
    machines: Iterable[dict[str, Fraction]],
    budget: Budget,
) -> list[RatesRegime]:
    """Return what single machines of a box show of a stretch, until it depends everywhere."""
    seen: list[tuple[dict[str, float], list[_Stretch]]] = []
    found: list[RatesRegime] = []
    for machine in machines:
        over = RegimesOver(box.at(prediction, machine), unknown, *ends, budget.share(_ONE_MACHINE))
        regimes = over.regimes(over.parts()).regimes
        stretches = [_Stretch(x.first, x.last, x.labels[0]) for x in regimes if x.certain]
        seen.append((_factors(machine, prediction), stretches))
        found = [*_compared(seen, ends, unknown)]
        if all(each.verdict == "depends" for each in found):
            break
    return found


def _compared(
    seen: Sequence[tuple[dict[str, float], Sequence[_Stretch]]],
    ends: tuple[Place, Place],
    unknown: Unknown,
) -> Iterator[RatesRegime]:
    for first, last in _cut([stretches for _, stretches in seen], *ends, _step(unknown)):
        if _narrow(first, last, unknown) and ends != (first, last):
            continue  # it encloses a change on one of the machines
        bounds: dict[str, dict[str, float]] = {}
        for machine, stretches in seen:
            for each in stretches:
                if each.first <= first and last <= each.last:
                    bounds.setdefault(each.bound, machine)
        if len(bounds) > 1:
            yield RatesRegime(first, last, "depends", tuple(bounds), tuple(bounds.values()))
        else:
            yield RatesRegime(first, last, "undecided", tuple(bounds))


def _step(unknown: Unknown) -> int:
    return 1 if unknown.integer else 0


def _corners(
    prediction: Prediction, unknown: Unknown, box: RateBox, likely: Sequence[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield machines of a box: first those on which what is likely takes longest."""
    groups: dict[str, set[str]] = {}
    for load in prediction.placed:
        if load.rate is not None and load.rate.name in box.factors.keys() - {unknown.name}:
            groups.setdefault(load.group, set()).add(load.rate.name)
    names = sorted({name for each in groups.values() for name in each})
    for group in sorted(groups, key=lambda name: name not in likely):
        yield {n: box.factors[n][0 if n in groups[group] else 1] for n in names}
    yield {}
    if len(names) <= _ALL_CORNERS:
        for ends in product((0, 1), repeat=len(names)):
            yield {n: box.factors[n][end] for n, end in zip(names, ends, strict=True)}


def _factors(machine: Mapping[str, Fraction], prediction: Prediction) -> dict[str, float]:
    prefix = len(prediction.machine.name) + 1
    return {name[prefix:]: float(factor) for name, factor in machine.items()}


def _cut(
    seen: Iterable[Sequence[_Stretch]], low: Place, high: Place, step: int
) -> Iterator[tuple[Place, Place]]:
    """Cut a stretch where what binds on any of some machines begins or ends."""
    starts = {low}
    for stretches in seen:
        for each in stretches:
            starts.update(at for at in (each.first, each.last + step) if low < at <= high)
    ordered = sorted(starts)
    for place, first in enumerate(ordered):
        last = ordered[place + 1] - step if place + 1 < len(ordered) else high
        if first < last or step or low == high:
            yield first, last


def _joined(regimes: Sequence[RatesRegime], step: int) -> Iterator[RatesRegime]:
    """Join neighbours that say the same."""
    current: RatesRegime | None = None
    for regime in regimes:
        if current is not None and (
            (regime.verdict, {*regime.bounds}) == (current.verdict, {*current.bounds})
            and regime.first <= current.last + step
        ):
            current = RatesRegime(
                current.first, regime.last, current.verdict, current.bounds, current.machines
            )
            continue
        if current is not None:
            yield current
        current = regime
    if current is not None:
        yield current
