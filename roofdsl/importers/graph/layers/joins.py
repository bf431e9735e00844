"""Tensors that are put together."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.values import Operator


def concatenated(operator: Operator, to: Composer) -> None:
    """Add a copy of all inputs to one tensor; weights among them are counted as held alone."""
    given = [each for each in operator.inputs if each is not None and each.weight is None]
    step = to.add(operator, "concatenate", given, {"E": operator.result.elements})
    to.becomes(operator.result, step)
