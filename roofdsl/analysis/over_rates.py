"""What binds over a range on all machines near one: proven, or shown to differ.

What binds on every machine binds on the machine itself. Where that is the largest at its least and
all others at their most, it is on every machine of the box. Where it is not, single machines are
asked: two of them with different bounds show that it depends on the rates. What neither proves nor
shows is left undecided, and said to be. Where there is no work, or an amount has no value, is so at
all rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal, TypeAlias

from roofdsl.allowance import Budget, question
from roofdsl.analysis.branches import Branching
from roofdsl.analysis.composition import composed
from roofdsl.analysis.crossover import check_dependence
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.node import walk
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.rate_box import RateBox, Verdict
from roofdsl.analysis.rate_branches import Between, RateBranching
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.unknown import Unknown
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.refinement import refined
from roofdsl.numeric.regime import Regime

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

    `bounds` are those that were found; none binds all machines where there is no work. Where it
    depends, `machines` has rates for each of them, as factors of the machine's, at the first place
    of the stretch. `some_refused`: the first place has no value, and others may have none.
    """

    first: Place
    last: Place
    verdict: Verdict | Literal["refused"]
    bounds: tuple[str, ...]
    machines: tuple[dict[str, float], ...] = ()
    some_refused: bool = False


@dataclass(frozen=True, slots=True)
class OverRates(Proven):
    """What binds over a range on all machines of a box; proven where nothing is undecided."""

    unknown: Unknown
    low: Place
    high: Place
    box: RateBox
    regimes: tuple[RatesRegime, ...]
    proof: Proof


_Row: TypeAlias = Sequence[tuple[Place, Place, Regime | None]]
"""What binds one machine."""


@question
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
    over = RegimesOver(prediction, unknown, low, high, budget.share(_PROVING))
    runs = over.runs(over.parts())
    told = _joined(_told(over, runs, box, budget.share(_PROVING)), unknown)
    likely = dict.fromkeys(bound for regime in told for bound in regime.bounds)
    found: list[RatesRegime] = []
    for regime in told:
        if regime.verdict != "undecided":
            found.append(regime)
        elif not _is_narrow(regime, unknown) or (regime.first, regime.last) == (low, high):
            machines = _corners(prediction, unknown, box, [*likely])
            for each in _asked(over, runs, regime, box, machines, budget):
                # Between the runs of a real unknown lie enclosures, of which nothing is said.
                part = unknown.integer and (each.first, each.last) != (regime.first, regime.last)
                share = budget.share(_ONE_MACHINE)
                sure = part and len(each.bounds) == 1 and _binds_all(over, each, box, share)
                found.append(replace(each, verdict="all") if sure else each)
    regimes = tuple(_joined(found, unknown))
    proof = Proof.of((each.last, each.verdict != "undecided") for each in regimes)
    return OverRates(unknown, low, high, box, regimes, proof)


def _told(
    over: RegimesOver, runs: Sequence[Regime], box: RateBox, budget: Budget
) -> Iterator[RatesRegime]:
    """Yield where what binds the machine itself binds every machine, and where that is open."""
    pieces = over.algebra
    pieces.shares = _shares(over.prediction, budget)
    rivals = composed(over.prediction.root, RateBranching(pieces, box.factors)).rivals
    for run in runs:
        if run.kind in ("refused", "idle"):
            yield RatesRegime(run.first, run.last, "all" if run.kind == "idle" else "refused", ())
        elif not run.certain:
            yield RatesRegime(run.first, run.last, "undecided", ())
        else:
            bound = run.labels[0]
            for first, last, ahead in _ahead(pieces, rivals, bound, run.first, run.last):
                if ahead:
                    yield RatesRegime(first, last, "all", (bound,), (), run.some_refused)
                else:
                    yield RatesRegime(first, last, "undecided", ())


def _shares(prediction: Prediction, budget: Budget) -> Iterator[Budget]:
    count = sum(node.arrangement != "sequence" for node in walk(prediction.root))
    return budget.shares_without_end(4 * count + 2)


def _ahead(
    pieces: Branching, rivals: Mapping[str, Between], bound: str, low: Place, high: Place
) -> Iterator[tuple[Place, Place, bool]]:
    """Yield whether one, at its least, is the largest, all others at their most."""
    names = [*rivals]
    values = [rivals[name].least if name == bound else rivals[name].most for name in names]
    for first, last, trees in pieces.within(values, low, high):
        for each in pieces.regimes(trees, first, last):
            # Of equals the first declared binds.
            yield each.first, each.last, each.certain and names[int(each.labels[0])] == bound


def _binds_all(over: RegimesOver, regime: RatesRegime, box: RateBox, budget: Budget) -> bool:
    """Whether what was seen to bind some machines is proven to bind all, in a part of a stretch.

    Over the whole stretch jumps may be too dense to be listed, which are few in the part.
    """
    (bound,) = regime.bounds
    ends, rates = (regime.first, regime.last), over.prediction.rates
    pieces = Branching(over.unknown, rates, *ends, _shares(over.prediction, budget))
    rivals = composed(over.prediction.root, RateBranching(pieces, box.factors)).rivals
    return all(ahead for _, _, ahead in _ahead(pieces, rivals, bound, *ends))


def _asked(
    over: RegimesOver,
    runs: Sequence[Regime],
    stretch: RatesRegime,
    box: RateBox,
    machines: Iterable[dict[str, Fraction]],
    budget: Budget,
) -> list[RatesRegime]:
    """Return what single machines of a box show of a stretch, until it depends everywhere."""
    unknown, ends = over.unknown, (stretch.first, stretch.last)
    rows: list[_Row] = [[(*ends, None)]]
    seen: list[dict[str, float]] = []
    found: list[RatesRegime] = []
    for machine in machines:
        there = runs
        if machine:
            prediction = box.at(over.prediction, machine)
            other = RegimesOver(prediction, unknown, *ends, budget.share(_ONE_MACHINE))
            there = other.runs(other.parts())
        rows.append([(run.first, run.last, run) for run in there])
        seen.append({rate_key(name): float(factor) for name, factor in machine.items()})
        found = [*_compared(rows, seen)]
        if all(each.verdict == "depends" for each in found):
            break
    return [each for each in found if not _is_narrow(each, unknown) or len(found) == 1]


def _compared(rows: Sequence[_Row], seen: Sequence[dict[str, float]]) -> Iterator[RatesRegime]:
    """Yield what several machines show where none of them changes its bound."""
    for first, last, (_, *runs) in refined(rows):
        found: dict[str, dict[str, float]] = {}
        for run, machine in zip(runs, seen, strict=True):
            if run is not None and run.certain and run.labels:
                found.setdefault(run.labels[0], machine)
        some = any(run is not None and run.some_refused for run in runs)
        if len(found) > 1:
            machines = () if some else tuple(found.values())
            yield RatesRegime(first, last, "depends", tuple(found), machines, some)
        else:
            yield RatesRegime(first, last, "undecided", tuple(found), (), some)


def _is_narrow(regime: RatesRegime, unknown: Unknown) -> bool:
    return not unknown.integer and regime.last - regime.first <= _NARROW * abs(regime.last)


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


def _joined(regimes: Iterable[RatesRegime], unknown: Unknown) -> list[RatesRegime]:
    """Join neighbours that say the same."""
    found: list[RatesRegime] = []
    said: object = None
    for each in regimes:
        says = each.verdict, {*each.bounds}, each.some_refused
        if says == said and each.first <= found[-1].last + unknown.integer:
            found[-1] = replace(found[-1], last=each.last)
        else:
            found.append(each)
        said = says
    return found
