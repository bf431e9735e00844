"""Tallies of one name add up over steps, so they must count the same thing."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from roofdsl.diagnostic import Diagnostic, Label, Reporter
from roofdsl.model.types import ModelDefinition, Part, Step, Tally
from roofdsl.units.dimension import BYTE, Dimension

FOOTPRINT = "footprint"
ACTIVATIONS, PEAK_MEMORY = "activations", "peak_memory"
"""What follows from tensors: the bytes kept for gradients, and the most that is there at once."""


def check_tallies(model: ModelDefinition, report: Reporter) -> None:
    """Report each step whose model tallies something else under a name already used.

    And each tally that says what follows from tensors.
    """
    known = {tally.name: tally for tally in model.tallies}
    for step in steps_in(model.parts):
        for tally in _all_of(step.model):
            first = known.setdefault(tally.name, tally)
            if first.formula.dimension != tally.formula.dimension:
                left, right = (each.formula.dimension.describe() for each in (first, tally))
                message = f"the tally '{tally.name}' adds up different units: {left} and {right}"
                here = Label(step.span, f"this step tallies {right}")
                there = Label(first.span, f"this is {left}")
                hint = "give one of them another name"
                report(Diagnostic("R0301", message, (here, there), hint))
    of_tensors = [known[name] for name in (ACTIVATIONS, PEAK_MEMORY) if name in known]
    if of_tensors and any(each.tensors or each.keeps for each in models_in([model])):
        for tally in of_tensors:
            message = f"the tally '{tally.name}' follows from tensors here"
            hint = "leave one of them out, or give the tally another name"
            report(Diagnostic.at("R0218", message, tally.span, hint=hint))


def tallies_of(model: ModelDefinition) -> dict[str, Dimension]:
    """Return what a model and its steps tally, with the dimension of each."""
    found: dict[str, Dimension] = {}
    for tally in _all_of(model):
        found.setdefault(tally.name, tally.formula.dimension)
    inside = models_in([model])
    if any(keep.size is None for each in inside for keep in each.keeps):
        found.setdefault(ACTIVATIONS, BYTE)
    if has_tensors(inside):
        found.setdefault(PEAK_MEMORY, BYTE)
    return found


def has_to_fit(tallies: Container[str]) -> str | None:
    """Return the tally that must be within a machine's capacity: the peak, else the footprint.

    >>> has_to_fit({"footprint", "weights"}), has_to_fit({"footprint", "peak_memory"})
    ('footprint', 'peak_memory')
    """
    return next((name for name in (PEAK_MEMORY, FOOTPRINT) if name in tallies), None)


def has_tensors(models: Iterable[ModelDefinition]) -> bool:
    """Whether any of some models states a tensor, or keeps one."""
    return any(each.tensors or each.keeps for each in models)


def steps_in(parts: Sequence[Part]) -> list[Step]:
    """Return the steps of a model, those in its overlaps and repeats among them."""
    found: list[Step] = []
    waiting = list(reversed(parts))
    while waiting:
        part = waiting.pop()
        if isinstance(part, Step):
            found.append(part)
        else:
            waiting += reversed(part.parts)
    return found


def models_in(models: Iterable[ModelDefinition]) -> list[ModelDefinition]:
    """Return models and those of their steps, each once."""
    found: dict[int, ModelDefinition] = {}
    waiting = list(models)
    while waiting:
        model = waiting.pop()
        if id(model) not in found:
            found[id(model)] = model
            waiting += [step.model for step in steps_in(model.parts)]
    return list(found.values())


def _all_of(model: ModelDefinition) -> list[Tally]:
    return [tally for each in models_in([model]) for tally in each.tallies]
