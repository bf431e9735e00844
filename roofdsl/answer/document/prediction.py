"""What a model means on one machine: formulas, numbers, regimes, crossovers, sensitivities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.domain import domain_of
from roofdsl.analysis.formulas import formulas
from roofdsl.analysis.node import kernels
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result, evaluated
from roofdsl.analysis.sensitivity import sensitivity
from roofdsl.analysis.unknown import unknown_named
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.blocks import Block, Text, label
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
from roofdsl.answer.studied import sensitivity_blocks
from roofdsl.answer.titles import on
from roofdsl.answer.uncertainties import uncertainty_notes, uncertainty_table
from roofdsl.diagnostic import RoofError
from roofdsl.model.types import MachineDefinition, ModelDefinition

MOST_KERNELS = 12
"""A composition of more kernels is given in numbers alone: its formulas fill pages."""
MOST_UNKNOWNS = 2
MOST_CROSSOVERS = 40


@dataclass(frozen=True, slots=True)
class Predicted:
    """A model's part of one machine, and what other parts of the report use of it."""

    part: PredictionPart
    prediction: Prediction | None = None
    result: Result | None = None
    shared: tuple[Block, ...] = ()


def predicted(
    model: ModelDefinition, machine: MachineDefinition, given: Arguments, point: Start | None
) -> Predicted:
    """Return all a report says of a model on a machine.

    `shared` are the formulas that do not depend on the machine: work, intensities, tallies.
    """
    asked, place = ModelOnMachine(model, machine), label(model.name, "on", machine.name)
    growing = frozenset(point.growing if point else growing_parameters(model, given))
    kept = {key: value for key, value in given.items() if key not in growing}
    try:
        symbolic = asked.at(kept, growing)
    except RoofError as error:
        return Predicted(PredictionPart(machine.name, place, problem=_told(error)))
    shared, own = formula_blocks(symbolic)
    part = PredictionPart(machine.name, place, blocks=own, notes=symbolic.notes)
    if point is None:
        missing = "No example was found that the requirements allow, so there are no numbers here."
        return Predicted(part._replace(assumption=missing), symbolic, None, shared)
    try:
        numeric = asked.at(point.arguments)
        result = evaluated(numeric)
    except RoofError as error:
        return Predicted(part._replace(problem=_told(error)), symbolic, None, shared)
    headings = Column("result"), Column("value")
    outcome = verdict_table(result, numeric)._replace(columns=headings)
    blocks: list[Block] = [*work_tables(result, numeric), outcome]
    blocks += [*uncertainty_table(result), *energy_table(result, numeric)]
    if result.breakdown.children:
        blocks.append(breakdown_table(result))
    if len(kernels(numeric.root)) <= MOST_KERNELS:
        blocks += _solved(asked, point)
        blocks += sensitivity_blocks(sensitivity(model, machine, point.arguments), numeric)
    told = verdict(result, numeric)
    # Formulas and regimes may not know what the point does: what was measured there.
    notes = tuple(dict.fromkeys((*result.notes, *symbolic.notes, *uncertainty_notes(result))))
    part = part._replace(blocks=(*blocks, *own), verdict=told, notes=notes)
    return Predicted(part, numeric, result, shared)


def formula_blocks(prediction: Prediction) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    """Return the formulas of work and intensities, and those of times."""
    if len(kernels(prediction.root)) > MOST_KERNELS:
        return (), ()
    derived = formulas(prediction.opened(decided=True), prediction)
    shared = work_blocks(derived, prediction.model.name)
    if derived.tallies:
        shared.append(equations("tallies", prediction.model.name, derived.tallies))
    own, place = time_blocks(derived, prediction), on(prediction)
    if derived.metrics:
        own.append(equations("metrics", place, derived.metrics))
    if derived.growing is not None:
        own.append(Text(eventual_bound(derived, prediction)))
    return (
        tuple(with_shared_parts(shared, prediction.model.name)),
        tuple(with_shared_parts(own, place)),
    )


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
