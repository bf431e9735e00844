"""Which of two is faster: two models on one machine, or one model on two machines."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from roofdsl.analysis import crossover
from roofdsl.analysis.crossover import NO_ROOT, Crossover, Crossovers, Rivals, Root
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import Part, part_at, times_compared
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.box import Place
from roofdsl.numeric.regime import Crossing


def common_domain(predictions: Sequence[Prediction], unknown: Unknown) -> Domain:
    """Return the values of an unknown that each of several predictions allows."""
    return reduce(Domain.also, (domain_of(prediction, unknown) for prediction in predictions))


def find_faster(
    contenders: Sequence[tuple[str, Prediction]], unknown: Unknown, low: Place, high: Place
) -> Crossovers:
    """Find which contender is the fastest on each stretch of the unknown's range."""
    times = [
        substitute(prediction.time(), unknown.known(prediction.rates))
        for _, prediction in contenders
    ]
    crossover.check_dependence(times, unknown, contenders[0][1])
    parts, found = times_compared(dict(contenders), unknown, low, high)
    domain = common_domain([prediction for _, prediction in contenders], unknown)
    changes = tuple(
        Crossover.of(
            crossing,
            crossover.allowed_after(crossing, found, domain),
            _closed(crossing, dict(contenders), unknown, parts),
        )
        for crossing in found.crossings
    )
    allowed = domain.first_of_each(found.regimes)
    return Crossovers(unknown, low, high, found.regimes, changes, found.proof, allowed)


def _closed(
    crossing: Crossing, contenders: dict[str, Prediction], unknown: Unknown, parts: Sequence[Part]
) -> Root:
    """Return the closed form of a change of lead: there both take equally long."""
    pair = crossover.exchanged(crossing)
    if pair is None:
        return NO_ROOT
    if not all(contenders[name].is_kernel for name in pair):
        times = part_at(parts, crossing.enclosure[0]).times
        return Rivals(unknown, {**times}, {}, {}).root(*pair, crossing.enclosure)
    rivals = Rivals(unknown, {}, {}, {})
    for name in pair:
        prediction = contenders[name]
        numbers = unknown.put_in(prediction.rates, prediction.times())
        bound = crossover.largest_at(numbers, unknown, sum(crossing.enclosure) / 2)
        if bound is None:
            return NO_ROOT
        rivals.numbers[name] = numbers[bound]
        rivals.symbols[name] = prediction.opened().times()[bound]
        rivals.known.update(crossover.known_of(prediction, unknown))
    return rivals.root(*pair, crossing.enclosure)
