"""A step of a prediction as a prediction of its own: what its model gives alone, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeVar

from roofdsl.analysis.composition import Composed
from roofdsl.analysis.node import Node
from roofdsl.analysis.prediction import Prediction
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Expression
from roofdsl.model.tally import steps_in
from roofdsl.model.types import ModelDefinition

V = TypeVar("V")


class StepPlace(NamedTuple):
    """Where a step is in the tree of its parent, and how often it runs there.

    It `is_unrun` inside what an `if` does not run: nothing was worked out of it.
    """

    path: tuple[int, ...]
    node: Node
    runs: Expression
    is_unrun: bool

    @property
    def model(self) -> ModelDefinition:
        """The model of the step."""
        assert self.node.site is not None
        return self.node.site.model

    def part(self, parent: Composed[V]) -> Composed[V] | None:
        """Return what the law of composition says of one run of the step, None of one unrun."""
        if self.is_unrun:
            return None
        for place in self.path:
            parent = (parent.waited_for or parent.children)[place]
        return parent


def steps_of(prediction: Prediction) -> dict[str, StepPlace]:
    """Return the steps of a prediction by name, those inside its overlaps and repeats too."""
    return {step.node.name: step for step in _steps(prediction.root, (), ())}


def _steps(
    around: Node, path: tuple[int, ...], counts: tuple[Expression, ...], *, unrun: bool = False
) -> Iterator[StepPlace]:
    for place, node in enumerate(around.unrun or around.children):
        here, runs = (*path, place), (*counts, node.count)
        if node.site is not None:
            yield StepPlace(here, node, multiply(*runs), unrun)
        else:
            yield from _steps(node, here, runs, unrun=unrun or bool(node.unrun))


def step_prediction(prediction: Prediction, node: Node) -> Prediction:
    """Return what the model of a step gives alone, once, with its arguments, on its device."""
    assert node.site is not None
    model, binding, device = node.site
    own = [step for step in steps_in(prediction.model.parts) if step.name == node.name]
    # A step in place is run by as many processes as what is around it.
    around = prediction.processes if any(step.in_place for step in own) else None
    return replace(
        prediction,
        model=model,
        binding=binding,
        root=node,
        checks={},
        device=device,
        around=around,
        within=(prediction, node.name),
    )
