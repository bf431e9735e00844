"""What `roofdsl solve` asks of a model on a machine, or of several that are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.open_parameters import refuse_given
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.solving import find_changes, find_holding
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.crossovers import CrossoverAnswer
from roofdsl.cli.combinations import Combination
from roofdsl.cli.solve_range import read_range
from roofdsl.model.types import ModelDefinition
from roofdsl.numeric.place import Place
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
    from roofdsl.answer.open_orders import OpenOrdersAnswer
    from roofdsl.answer.over_rates import OverRatesAnswer
    from roofdsl.answer.solved import FasterAnswer, ThresholdAnswer

    Answer: TypeAlias = (
        CrossoverAnswer | OpenCrossoverAnswer | OpenOrdersAnswer | ThresholdAnswer | OverRatesAnswer
    )
    Question: TypeAlias = Callable[[Prediction, Unknown, tuple[Place, Place]], Answer]


def answers(
    questions: Sequence[Question],
    model: ModelDefinition,
    name: str,
    swept: Sequence[str],
    range_text: str | None,
    at: Combination,
    *,
    closed: bool,
) -> Iterator[Answer]:
    """Yield the answer to each question at a combination.

    What else has no value is left open for all of its values, unless it is to be `closed`.
    """
    machine, unknown = asked_on(name, model, at.machines[0], closed=closed)
    _refuse_swept(unknown, swept)
    prediction = ModelOnMachine(model, machine).bound(at.values, unknown.free)
    domain = open_domain(prediction, unknown)
    limits = read_range(range_text, domain)
    for asked in questions:
        yield asked(domain.noted(prediction), unknown, limits)


def _refuse_swept(unknown: Unknown, swept: Sequence[str]) -> None:
    """Raise RoofError where what is solved for is given several values (R0712)."""
    refuse_given(unknown.name, {each.replace(" ", "."): each for each in swept})


def holding(
    prediction: Prediction,
    unknown: Unknown,
    limits: tuple[Place, Place],
    condition: Source,
    *,
    closed: bool,
) -> ThresholdAnswer | OpenCrossoverAnswer:
    """Return where a condition holds, for all values of what else is open unless it is `closed`."""
    from roofdsl.analysis.such_that import read_condition
    from roofdsl.analysis.threshold import Thresholds, find_thresholds
    from roofdsl.answer.solved import ThresholdAnswer

    wanted = read_condition(condition, prediction)
    find = find_thresholds if closed else find_holding
    found = find(prediction, wanted, unknown, *limits)
    if isinstance(found, Thresholds):
        return ThresholdAnswer(found, prediction)
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer

    return OpenCrossoverAnswer(found, prediction)


def over_rates(
    prediction: Prediction, unknown: Unknown, limits: tuple[Place, Place], rates: str
) -> OverRatesAnswer:
    """Return what binds on all machines whose rates are off by so much."""
    from roofdsl.analysis.over_rates import find_over_rates
    from roofdsl.analysis.rate_box import rate_box
    from roofdsl.answer.over_rates import OverRatesAnswer

    near = find_over_rates(prediction, unknown, *limits, rate_box(rates, prediction))
    return OverRatesAnswer(near, prediction)


def changes(
    prediction: Prediction,
    unknown: Unknown,
    limits: tuple[Place, Place],
    between: Sequence[Source],
    *,
    closed: bool,
) -> CrossoverAnswer | OpenCrossoverAnswer | OpenOrdersAnswer:
    """Return every change of the bound, in what else is open unless it is `closed`."""
    if closed:
        from roofdsl.analysis.larger import find_between

        return CrossoverAnswer(find_between(prediction, unknown, *limits, between), prediction)
    found = find_changes(prediction, unknown, *limits, between)
    if isinstance(found, Crossovers):
        return CrossoverAnswer(found, prediction)
    from roofdsl.analysis.open_regimes import OpenRegions
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
    from roofdsl.answer.open_orders import OpenOrdersAnswer

    if isinstance(found, OpenRegions):
        return OpenCrossoverAnswer(found, prediction)
    return OpenOrdersAnswer(found, prediction)


def lowest(
    models: Sequence[ModelDefinition],
    name: str,
    swept: Sequence[str],
    range_text: str | None,
    by: Source,
    at: Combination,
) -> Iterator[FasterAnswer]:
    """Yield which of several models or machines has the least of something at a combination."""
    from roofdsl.answer.contest import contest

    subjects = [ModelOnMachine(model, machine) for model in models for machine in at.machines]
    answer = contest(subjects, at.values, name, partial(read_range, range_text), by)
    _refuse_swept(answer.found.unknown, swept)
    yield answer
