"""Which of two is faster: two models on one machine, or one model on two machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.analysis.crossover import (
    NO_ROOT,
    Rivals,
    Root,
    check_dependence,
    compare,
    exchanged,
    known_of,
    largest_at,
    root_of,
)
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import negate
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.crossover import Crossing
from roofdsl.numeric.search import Place


@dataclass(frozen=True, slots=True)
class Lead:
    """Values of the unknown over which one contender takes the least time; several when equal."""

    first: Place
    last: Place
    fastest: tuple[str, ...]
    proven: bool


@dataclass(frozen=True, slots=True)
class Faster:
    """Who is fastest over a range, proven, and the closed form of each change of the lead."""

    unknown: Unknown
    low: Place
    high: Place
    leads: tuple[Lead, ...]
    changes: tuple[tuple[Crossing, Expression | None, float | None], ...]
    complete: bool


def find_faster(
    contenders: Sequence[tuple[str, Prediction]], unknown: Unknown, low: Place, high: Place
) -> Faster:
    """Find which contender is the fastest on each stretch of the unknown's range."""
    # The fastest has the largest of the negative times.
    negated = {
        name: negate(substitute(prediction.time(), unknown.known(prediction.rates)))
        for name, prediction in contenders
    }
    check_dependence(negated.values(), unknown, contenders[0][1])
    found = compare(Rivals(negated), unknown, low, high)
    leads = tuple(
        Lead(r.first, r.last, r.labels, r.kind in ("largest", "tie")) for r in found.regimes
    )
    changes = tuple(
        (crossing, *_closed(crossing, dict(contenders), unknown)) for crossing in found.crossings
    )
    return Faster(unknown, low, high, leads, changes, found.complete)


def _closed(crossing: Crossing, contenders: dict[str, Prediction], unknown: Unknown) -> Root:
    """Return the closed form of a change of lead: there the bounds of both take equally long."""
    pair = exchanged(crossing)
    if pair is None or not all(contenders[name].is_kernel for name in pair):
        return NO_ROOT
    rivals = Rivals({})
    for name in pair:
        prediction = contenders[name]
        numbers = unknown.put_in(prediction.rates, prediction.times())
        bound = largest_at(numbers, unknown, sum(crossing.enclosure) / 2)
        if bound is None:
            return NO_ROOT
        rivals.numbers[name] = numbers[bound]
        rivals.symbols[name] = prediction.opened().times()[bound]
        rivals.known.update(known_of(prediction, unknown))
    return root_of(*pair, rivals, crossing.enclosure, unknown)
