"""Which of two is faster: two models on one machine, or one model on two machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from roofdsl.allowance import Budget, question
from roofdsl.analysis.crossover import Crossovers, check_dependence
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import FOR_PIECES, Compared, RegimesOver, part_at
from roofdsl.analysis.roots import Leaders, Rivals, Root, known_of, largest_at
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import negate
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Crossing, Regimes


def common_domain(predictions: Sequence[Prediction], unknown: Unknown) -> Domain:
    """Return the values of an unknown that each of several predictions allows."""
    return reduce(Domain.also, (domain_of(prediction, unknown) for prediction in predictions))


@question
def find_faster(
    contenders: Sequence[tuple[str, Prediction]], unknown: Unknown, low: Place, high: Place
) -> Crossovers:
    """Find which contender is the fastest on each stretch of the unknown's range."""
    predictions = dict(contenders)
    times = [
        substitute(prediction.time(), unknown.known(prediction.rates))
        for prediction in predictions.values()
    ]
    check_dependence(times, unknown, contenders[0][1])
    domain = common_domain([*predictions.values()], unknown)
    parts, found = _compared(predictions, unknown, domain, low, high)

    def root_at(crossing: Crossing) -> Root:
        rivals = Rivals(unknown, {**part_at(parts, crossing.enclosure[0]).times}, {}, {})
        # A kernel's time is that of what binds it there: so it has a formula with names.
        for name in {*crossing.before, *crossing.after}:
            prediction = predictions[name]
            if prediction.is_largest:
                numbers = unknown.put_in(prediction.rates, prediction.times())
                bound = largest_at(numbers, unknown, sum(crossing.enclosure) / 2)
                if bound is not None:
                    rivals.symbols[name] = prediction.opened().times()[bound]
                    rivals.known.update(known_of(prediction, unknown))
        return rivals.root_at(crossing)

    return Crossovers.of(Leaders(parts, found, root_at), domain, low, high)


def _compared(
    contenders: Mapping[str, Prediction],
    unknown: Unknown,
    domain: Domain,
    low: Place,
    high: Place,
) -> tuple[tuple[Compared, ...], Regimes]:
    """Return the negative times of several predictions, piece by piece, and which is the largest.

    That is the fastest.
    """
    budget = Budget()
    shares = budget.share(FOR_PIECES).shares(len(contenders))
    each = [
        RegimesOver(prediction, unknown, low, high, share)
        for prediction, share in zip(contenders.values(), shares, strict=True)
    ]
    times = [over.whole.time for over in each]
    algebra = each[0].algebra
    algebra.gaps += [gap for over in each[1:] for gap in over.algebra.gaps]
    parts = tuple(
        Compared(first, last, dict(zip(contenders, map(negate, trees), strict=True)))
        for first, last, trees in algebra.overlaid(times)
    )
    each[0].domain = domain
    return parts, each[0].regimes(parts, budget, bounds=False)
