"""The work of a composition and of its steps in one parameter, from the start of a page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from roofdsl.allowance import counting
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.step_times import called
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.step_work import worked
from roofdsl.diagnostic import RoofError
from roofdsl.explorer.controls import Described
from roofdsl.explorer.formulas import Templates
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.types import MachineDefinition, ModelDefinition

MOST_STEPS = 20
"""The formulas of more steps are left to `roofdsl report`."""


def collapsed(
    model: ModelDefinition, machine: MachineDefinition, start: Arguments, templates: Templates
) -> Described | None:
    """Return formulas in the first number of a composition, with all else as at the start.

    Sums over layers are added up in them: the flops of a network are a short polynomial in the
    batch. None of a kernel, and where nothing is open.
    """
    opened = next((x.name for x in model.parameters if x.is_number and x.name in start), None)
    if not model.parts or opened is None:
        return None
    given = {name: value for name, value in start.items() if name != opened}
    try:
        with counting(afresh=True):
            prediction = ModelOnMachine(model, machine).at(given, [opened], peaks=False)
            shown = [
                (name, place)
                for name, tree in _formulas(prediction)
                if not isinstance(tree, Number) and (place := templates.place(tree)) is not None
            ]
    except RoofError:
        return None
    return {"open": opened, "formulas": shown} if shown else None


def _formulas(prediction: Prediction) -> Iterator[tuple[str, Expression]]:
    yield from worked(prediction.formulas).items()
    for step in islice(called(prediction.formulas.children), MOST_STEPS):
        for name, tree in worked(step).items():
            yield f"{step.name}, run once: {name}", tree
