"""What a model means on one machine: formulas, numbers, regimes, crossovers, sensitivities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from roofdsl.allowance import counting
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.formulas import PredictionFormulas
from roofdsl.analysis.node import kernels
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Block, Text, in_a_row, label
from roofdsl.answer.breakdown import breakdown_table
from roofdsl.answer.cells import Column
from roofdsl.answer.crossovers import CrossoverAnswer
from roofdsl.answer.document.report import PredictionPart
from roofdsl.answer.example import Start, growing_parameters
from roofdsl.answer.forms import equations
from roofdsl.answer.formulas import eventual_bound, time_blocks, work_blocks
from roofdsl.answer.point import verdict, verdict_table, work_tables
from roofdsl.answer.shared import with_shared_parts
from roofdsl.answer.spending import energy_table
from roofdsl.answer.step_work import step_work
from roofdsl.answer.studied import sensitivity_blocks
from roofdsl.answer.titles import on, parameters_text
from roofdsl.answer.uncertainties import uncertainty_notes, uncertainty_table
from roofdsl.diagnostic import RoofError

MOST_KERNELS = 12
"""A composition of more kernels has formulas in one parameter, the others at their values."""
_FIRST_OPENED = "batch"
_NO_EXAMPLE = "No example was found that the requirements allow, so there are no numbers here."
MOST_UNKNOWNS = 2
MOST_CROSSOVERS = 40


class Formed(NamedTuple):
    """The formulas that do not depend on the machine, and the machine's own."""

    shared: tuple[Block, ...]
    own: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Predicted:
    """A model's part of one machine, and what other parts of the report use of it."""

    part: PredictionPart
    prediction: Prediction | None = None
    result: Result | None = None
    shared: tuple[Block, ...] = ()


def predicted(
    asked: ModelOnMachine, given: Arguments, point: Start | None, *, alone: bool
) -> Predicted:
    """Return all a report says of a model on a machine.

    `shared` are the formulas that do not depend on the machine: work, intensities, tallies. They
    are left out unless it is `alone`: the report has them of another machine.
    """
    model, machine = asked.model, asked.machine
    place = label(model.name, "on", machine.name)
    at = _at(asked, point)
    numeric = None if at is None or isinstance(at, RoofError) else at[0]
    opened = _opened(asked, given, point, numeric, alone=alone)
    part = PredictionPart(machine.name, place)
    if isinstance(opened, RoofError):
        told = f"Formulas are left out: {_told(opened)}."
        symbolic, formed = None, Formed((), (Text(told),))
    else:
        symbolic, formed = opened
        part = part._replace(blocks=formed.own, notes=symbolic.notes)
    if point is None or at is None:
        if isinstance(opened, RoofError):
            return Predicted(part._replace(problem=_told(opened)))
        return Predicted(part._replace(assumption=_NO_EXAMPLE), symbolic, None, formed.shared)
    if isinstance(at, RoofError):
        return Predicted(part._replace(problem=_told(at)), symbolic, None, formed.shared)
    numeric, result = at
    blocks = [*_numbers(numeric, result), *_solved_at(asked, point, numeric)]
    # Formulas and regimes may not know what the point does: what was measured there.
    notes = tuple(dict.fromkeys((*result.notes, *part.notes, *uncertainty_notes(result))))
    told = verdict(result, numeric)
    part = part._replace(blocks=(*blocks, *formed.own), verdict=told, notes=notes)
    return Predicted(part, numeric, result, formed.shared)


def _at(asked: ModelOnMachine, point: Start | None) -> tuple[Prediction, Result] | RoofError | None:
    """Return what is predicted at a point, or why nothing is."""
    if point is None:
        return None
    try:
        with counting(afresh=True):
            found = asked.at(point.arguments)
            return found, evaluated(found)
    except RoofError as error:
        return error


def _opened(
    asked: ModelOnMachine,
    given: Arguments,
    point: Start | None,
    numeric: Prediction | None,
    *,
    alone: bool,
) -> tuple[Prediction, Formed] | RoofError:
    """Return the prediction in what grows, with its formulas, or why there are none.

    Of many kernels they are in one parameter alone: a polynomial in the batch is short.
    """
    growing = point.growing if point else growing_parameters(asked.model, given)
    if point is not None and numeric is not None and _is_large(numeric):
        growing = (_FIRST_OPENED,) if _FIRST_OPENED in growing else growing[:1]
        given = point.arguments
    try:
        with counting(afresh=True):
            found = asked.at({x: given[x] for x in given if x not in growing}, growing)
            return found, formula_blocks(found, alone=alone)
    except RoofError as error:
        return error


def _is_large(prediction: Prediction) -> bool:
    return len(kernels(prediction.root)) > MOST_KERNELS


def _numbers(prediction: Prediction, result: Result) -> Iterator[Block]:
    """Yield the tables of numbers at a point."""
    headings = Column("result"), Column("value")
    yield from work_tables(result, prediction)
    yield verdict_table(result, prediction)._replace(columns=headings)
    yield from uncertainty_table(result)
    yield from energy_table(result, prediction)
    if result.breakdown.children:
        # Who reads a document has no command whose options could help.
        yield breakdown_table(result, hint="")


def _solved_at(asked: ModelOnMachine, point: Start, prediction: Prediction) -> list[Block]:
    """Return regimes, crossovers and sensitivities around a point; nothing of many kernels."""
    if _is_large(prediction):
        return []
    try:
        with counting(afresh=True):
            found = sensitivity(asked.model, asked.machine, point.arguments)
            return [*_solved(asked, point), *sensitivity_blocks(found, prediction)]
    except RoofError as error:
        return [Text(f"Regimes and sensitivities are left out: {_told(error)}.")]


def formula_blocks(prediction: Prediction, *, alone: bool) -> Formed:
    """Return the formulas of work and intensities if it is `alone`, and those of times."""
    derived = PredictionFormulas(prediction.opened(decided=True, peaks=alone), prediction)
    shared = [*_shared(derived, prediction)] if alone else []
    own, place = time_blocks(derived, prediction), on(prediction)
    if derived.metrics:
        own.append(equations("metrics", place, derived.metrics))
    if derived.growing is not None:
        own.append(Text(eventual_bound(derived, prediction)))
    return Formed(
        tuple(with_shared_parts(shared, prediction.model.name)),
        tuple(with_shared_parts(own, place)),
    )


def _shared(derived: PredictionFormulas, prediction: Prediction) -> Iterator[Block]:
    """Yield the formulas that no machine changes."""
    yield from _open_in(prediction)
    yield from work_blocks(derived, prediction.model.name)
    yield from step_work(prediction)
    if derived.tallies:
        yield equations("tallies", prediction.model.name, derived.tallies)


def _open_in(prediction: Prediction) -> Iterator[Text]:
    """Yield what formulas are in, and the values that are put in where they have numbers."""
    known = parameters_text(prediction)
    if prediction.free:
        free = in_a_row([parameter.name for parameter in prediction.free])
        yield Text(f"Formulas for any {free}{known and f', with {known}'}.")


def _solved(asked: ModelOnMachine, point: Start) -> Iterator[Block]:
    """Yield regimes and crossovers over each growing parameter, the others at the point."""
    for name in point.growing[:MOST_UNKNOWNS]:
        arguments = {key: value for key, value in point.arguments.items() if key != name}
        unknown = unknown_named(name, asked.model, asked.machine)
        try:
            prediction = asked.at(arguments, [name])
            limits = domain_of(prediction, unknown).range()
            found = find_crossovers(prediction, unknown, *limits)
        except RoofError:
            continue  # it is not allowed there, or the bound does not depend on it
        yield from CrossoverAnswer(found, prediction, MOST_CROSSOVERS).changes()


def _told(error: RoofError) -> str:
    return "; ".join(dict.fromkeys(problem.message for problem in error.diagnostics))
