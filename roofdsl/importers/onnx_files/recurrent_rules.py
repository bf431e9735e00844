"""Recurrent operators of ONNX."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.layers.recurrent import Cells, recurrent
from roofdsl.importers.graph.size import Size
from roofdsl.importers.graph.values import NoRule, Operator, Weight


def recurrent_rule(operator: Operator, to: Composer) -> None:
    """Add LSTM, GRU or RNN: tensors of W, R and B have a part for each direction."""
    x, H = operator.need(0), operator.attributes.get("hidden_size")
    shape = x.of_rank(3)
    if not isinstance(H, int) or H < 1:
        raise NoRule("the features of its state are not stated")
    if operator.given(4) is not None:
        raise NoRule("its inputs have several lengths")
    if operator.given(7) is not None:
        raise NoRule("its gates look at its memory")
    directions = 2 if operator.attributes.get("direction") == "bidirectional" else 1
    batch_first = bool(operator.attributes.get("layout", 0))
    B, T = shape[:2] if batch_first else shape[1::-1]
    given = [each for each in operator.inputs[1:4] if each is not None]
    weights = [each.weight for each in given if each.weight is not None]
    parts = [[_half(each, directions, place) for each in weights] for place in range(directions)]
    cells = Cells(B, T, shape[2], Size.of(H))
    step = recurrent(operator, to, operator.kind.lower(), x, cells, parts)
    for output in operator.outputs:
        to.becomes(output, step)


def _half(weight: Weight, directions: int, place: int) -> Weight:
    if directions == 1:
        return weight
    elements = weight.elements // directions
    return Weight(weight.root, elements, weight.whole, f"{weight.part}/{place}")
