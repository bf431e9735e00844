"""Which of two is faster: two models on one machine, or one model on two machines.

Or which has less of another quantity, such as energy or cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from roofdsl.allowance import Budget, question
from roofdsl.analysis.crossover import Crossovers, check_dependence
from roofdsl.analysis.domain import Domain, domain_of
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import QuantityScope, put_in
from roofdsl.analysis.regimes import FOR_PIECES, Compared, RegimesOver, part_at
from roofdsl.analysis.roots import Leaders, Rivals, Root, known_of, largest_at
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.construct import negate
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.model.arguments import read_value
from roofdsl.model.types import Formula
from roofdsl.numeric.place import Place
from roofdsl.numeric.regime import Crossing, Regimes
from roofdsl.source import Source, Span


def common_domain(predictions: Sequence[Prediction], unknown: Unknown) -> Domain:
    """Return the values of an unknown that each of several predictions allows."""
    return reduce(Domain.also, (domain_of(prediction, unknown) for prediction in predictions))


@question
def find_faster(
    contenders: Sequence[tuple[str, Prediction]], unknown: Unknown, low: Place, high: Place
) -> Crossovers:
    """Find which contender is the fastest on each stretch of the unknown's range."""
    predictions = dict(contenders)
    times = {
        name: substitute(prediction.time(), unknown.known(prediction.rates))
        for name, prediction in predictions.items()
    }
    check_dependence(times.values(), unknown, contenders[0][1])
    domain = common_domain([*predictions.values()], unknown)
    parts, found = _compared(predictions, unknown, domain, low, high)

    def root_at(crossing: Crossing) -> Root:
        there = part_at(parts, crossing.enclosure[0]).times
        rivals = Rivals(unknown, {**there}, {}, {}, times)
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


@question
def find_lowest(
    contenders: Sequence[tuple[str, Prediction]],
    unknown: Unknown,
    low: Place,
    high: Place,
    by: Source,
) -> Crossovers:
    """Find which contender has the least of a quantity on each stretch of the unknown's range.

    Raises RoofError for what is no number of each of them (R0707), for different units (R0301),
    and for what is not answered (R0610).
    """
    predictions = dict(contenders)
    asked = {name: _read(by, name, each) for name, each in predictions.items()}
    trees = {name: put_in(asked[name].tree, each) for name, each in predictions.items()}
    _check_units(by, asked)
    numbers = {
        name: substitute(trees[name], unknown.known(each.rates))
        for name, each in predictions.items()
    }
    check_dependence(numbers.values(), unknown, contenders[0][1], asked=f"'{by.body}'")
    domain = common_domain([*predictions.values()], unknown)
    over = RegimesOver(contenders[0][1], unknown, low, high)
    over.domain = domain
    amounts = {name: negate(tree) for name, tree in numbers.items()}
    parts = [Compared(over.low, over.high, amounts)]
    found = over.regimes(parts, bounds=False)

    def root_at(crossing: Crossing) -> Root:
        symbols: dict[str, Expression] = {}
        known: dict[str, Expression] = {}
        for name, each in predictions.items():
            symbols[name] = negate(put_in(asked[name].tree, each.opened()))
            known.update(known_of(each, unknown))
        return Rivals(unknown, amounts, symbols, known).root_at(crossing)

    return Crossovers.of(Leaders(parts, found, root_at), domain, low, high)


def _read(by: Source, name: str, prediction: Prediction) -> Formula:
    scope = QuantityScope(prediction, conditions=False)
    found = read_value(by, scope)
    if found is None or scope.problems:
        whose = f"'{name}'"
        if name != prediction.model.name:
            whose = f"'{prediction.model.name}' on '{name}'"
        raise RoofError([_of_contender(problem, whose) for problem in scope.problems])
    return found


def _of_contender(problem: Diagnostic, whose: str) -> Diagnostic:
    """Return what is said of a name that is no result, with the contender that has none such."""
    named = problem.code == "R0707"
    return replace(problem, message=f"{problem.message} of {whose}") if named else problem


def _check_units(by: Source, asked: Mapping[str, Formula]) -> None:
    """Raise RoofError unless a quantity has one unit, whoever has it (R0301)."""
    (first, one), *others = asked.items()
    for name, other in others:
        if other.dimension != one.dimension:
            of_first, of_other = one.dimension.describe(), other.dimension.describe()
            message = f"{by.body} of '{first}' is {of_first}, but of '{name}' it is {of_other}"
            place = (Label(Span(by, by.begin, len(by.text))),)
            hint = "compare quantities of one unit"
            raise RoofError([Diagnostic("R0301", message, place, hint)])


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
