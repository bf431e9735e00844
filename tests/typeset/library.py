"""All formulas of the bundled models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from roofdsl.analysis.counting import total_work
from roofdsl.expression.tree import Expression
from roofdsl.model.library import bundled
from roofdsl.model.types import ModelDefinition
from tests.agreement.points import models_of


def bundled_models() -> Iterator[ModelDefinition]:
    for file in bundled("model"):
        yield from models_of(file)


@cache
def bundled_formulas() -> list[Expression]:
    """Return work, tallies and requirements of every bundled model."""
    found: list[Expression] = []
    for model in bundled_models():
        found += [total_work(model, work.key) for work in model.work]
        found += [item.formula.tree for item in model.intermediates]
        found += [tally.formula.tree for tally in model.tallies]
        found += [item.condition for item in model.requirements]
    return found
