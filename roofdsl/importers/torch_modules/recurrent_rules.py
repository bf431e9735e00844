"""Recurrent operators of PyTorch: several layers, each of one direction or two."""

from __future__ import annotations

from roofdsl.importers.graph.composer import Composer
from roofdsl.importers.graph.layers.recurrent import GATES, Cells, recurrent
from roofdsl.importers.graph.size import Size
from roofdsl.importers.graph.values import NoRule, Operator, Value


def recurrent_rule(operator: Operator, to: Composer) -> None:
    """Add LSTM, GRU or RNN, layer by layer."""
    sort = operator.kind.partition("_")[0]
    x, trained = operator.need(0), operator.named("params")
    shape, layers = x.of_rank(3), operator.attributes.get("num_layers")
    if not isinstance(layers, int) or not operator.attributes.get("has_biases"):
        raise NoRule("it has no biases")
    if operator.attributes.get("train") and operator.attributes.get("dropout"):
        raise NoRule("it has dropout between its layers")
    B, T = shape[:2] if operator.attributes.get("batch_first") else shape[1::-1]
    directions = 2 if operator.attributes.get("bidirectional") else 1
    weights = [each.weight for each in trained if each.weight is not None]
    if len(weights) != 4 * layers * directions:
        raise NoRule("its weights are not two matrices and two biases")
    H = Size.of(trained[1].of_rank(2)[1].number)
    if trained[0].of_rank(2)[0].number != GATES[sort] * H.number:
        raise NoRule("its state is projected")
    step: Value | str = x
    I = shape[2]  # noqa: E741, the library's name
    for layer in range(layers):
        first = 4 * directions * layer
        parts = [weights[first + 4 * each : first + 4 * each + 4] for each in range(directions)]
        step = recurrent(operator, to, sort, step, Cells(B, T, I, H), parts)
        I = Size.of(directions * H.number)  # noqa: E741, the library's name
    for output in operator.outputs:
        to.becomes(output, step)
