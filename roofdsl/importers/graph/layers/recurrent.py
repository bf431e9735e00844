"""Recurrent layers, one for each layer and direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofdsl.importers.graph.composer import Argument, Composer
from roofdsl.importers.graph.size import Size, times
from roofdsl.importers.graph.values import NoRule, Operator, Value, Weight

GATES = {"rnn": 1, "gru": 3, "lstm": 4}


class Cells(NamedTuple):
    """The sizes of recurrent cells: batch, tokens, features in and of the state."""

    B: Size
    T: Size
    I: Size  # noqa: E741, the library's names
    H: Size


def recurrent(
    operator: Operator,
    to: Composer,
    sort: str,
    x: Value | str,
    cells: Cells,
    weights: Sequence[Sequence[Weight]],
) -> str:
    """Add one layer, of one direction or of two that are put together; return its last step."""
    steps = []
    for direction, each in enumerate(weights):
        trained = GATES[sort] * cells.H.number * (cells.I.number + cells.H.number + 2)
        if cells.I.names or cells.H.names or sum(w.elements for w in each) != trained:
            raise NoRule("its weights are not two matrices and two biases")
        if not all(to.first_use(weight) for weight in each):
            raise NoRule("its weights are shared")
        suffix = "_back" if direction else ""
        sizes: dict[str, Argument] = {"B": cells.B, "T": cells.T, "I": cells.I, "H": cells.H}
        steps.append(to.add(operator, sort, [x], sizes, suffix=suffix))
    if len(steps) == 1:
        return steps[0]
    E = times([cells.B, cells.T, Size.of(len(steps)), cells.H])
    return to.add(operator, "concatenate", steps, {"E": E}, suffix="_both")
