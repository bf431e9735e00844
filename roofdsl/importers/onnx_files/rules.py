"""What operators of ONNX are as layers: one rule for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roofdsl.importers.graph.composer import Composer, Rule
from roofdsl.importers.graph.layers.joins import concatenated
from roofdsl.importers.graph.layers.norms import batch_norm, group_norm, row_norm
from roofdsl.importers.graph.layers.pointwise import (
    FUNCTIONS,
    LAYERS,
    converted,
    function,
    moved,
)
from roofdsl.importers.graph.layers.pooling import reduced
from roofdsl.importers.graph.layers.products import linear, product
from roofdsl.importers.graph.layers.tables import embedding
from roofdsl.importers.graph.size import times
from roofdsl.importers.graph.values import NoRule, Operator
from roofdsl.importers.onnx_files.recurrent_rules import recurrent_rule
from roofdsl.importers.onnx_files.window_rules import convolve, pool_globally, pool_in_windows

_VIEWS = (
    "Dropout Expand Flatten Identity Reshape Slice Split Squeeze Unsqueeze OptionalGetElement"
).split()
"""They cost nothing: their results lie where their first input does."""

_FUNCTIONS = {
    "Abs": "abs", "Add": "add", "And": "minimum", "Ceil": "ceil", "Clip": "clip", "Cos": "cos",
    "Div": "divide", "Elu": "elu", "Equal": "compare", "Erf": "erf", "Exp": "exp",
    "Floor": "floor", "Gelu": "gelu", "Greater": "compare", "GreaterOrEqual": "compare",
    "HardSigmoid": "hard_sigmoid", "HardSwish": "hard_swish", "LeakyRelu": "leaky_relu",
    "Less": "compare", "LessOrEqual": "compare", "Log": "log", "LogSoftmax": "log_softmax",
    "Max": "maximum", "Min": "minimum", "Mish": "mish", "Mul": "multiply", "Neg": "negative",
    "Not": "not", "Or": "maximum", "PRelu": "leaky_relu", "Pow": "power",
    "Reciprocal": "reciprocal", "Relu": "relu", "Round": "round", "Sigmoid": "sigmoid",
    "Sign": "sign", "Sin": "sin", "Softmax": "softmax", "Softplus": "softplus", "Sqrt": "sqrt",
    "Sub": "subtract", "Swish": "silu", "Tan": "tan", "Tanh": "tanh", "Where": "where",
    "Xor": "compare",
}  # fmt: skip

_REDUCTIONS = {
    "ReduceMean": "mean", "ReduceSum": "sum", "ReduceMax": "max", "ReduceMin": "min",
    "ReduceProd": "product",
}  # fmt: skip


def rule_of(operator: Operator) -> Rule | None:
    """Return the rule for an operator, None where there is none."""
    return _RULES.get(operator.kind)


def _view(operator: Operator, to: Composer) -> None:
    x = operator.need(0)
    for output in operator.outputs:
        to.becomes(output, x)


def _moved(operator: Operator, to: Composer) -> None:
    moved(operator, to, operator.need(0))


def _converted(operator: Operator, to: Composer) -> None:
    converted(operator, to, operator.need(0))


def _gather(operator: Operator, to: Composer) -> None:
    """Rows of a table of weights; of a tensor, one place is a view, several are copied."""
    x, indices = operator.need(0), operator.need(1)
    if x.weight is not None and operator.attributes.get("axis", 0) == 0:
        embedding(operator, to, x, indices)
    elif indices.constant and indices.shape == ():
        _view(operator, to)
    elif x.computed:
        E = operator.result.elements
        to.becomes(operator.result, to.add(operator, "rearrange", [x], {"E": E, "read": E}))
    else:
        raise NoRule("it takes from weights along another dimension than the first")


def _sum(operator: Operator, to: Composer) -> None:
    """A sum of tensors, two of them at a time."""
    if len(operator.inputs) <= 2:
        _function("add")(operator, to)
        return
    shape = operator.result.shape
    given = [each for each in operator.inputs if each is not None]
    if shape is None or any(each.shape != shape or not each.computed for each in given):
        raise NoRule("it adds up tensors of several shapes")
    E, step = operator.result.elements, to.source(given[0])
    for each in given[1:]:
        step = to.add(operator, "add", [step, each], {"E": E})
    to.becomes(operator.result, step)


def _gemm(operator: Operator, to: Composer) -> None:
    x, weight, bias = operator.need(0), operator.need(1), operator.given(2)
    if operator.attributes.get("transA", 0):
        raise NoRule("its first factor is transposed")
    if bias is not None and bias.constant:
        bias = None
    rows_first = bool(operator.attributes.get("transB", 0))
    linear(operator, to, x, weight, bias, rows_first=rows_first)


def _matmul(operator: Operator, to: Composer) -> None:
    product(operator, to, operator.need(0), operator.need(1))


def _batch_norm(operator: Operator, to: Composer) -> None:
    training = bool(operator.attributes.get("training_mode", 0))
    trained = tuple(each for each in operator.inputs[1:3] if each is not None)
    batch_norm(operator, to, operator.need(0), trained, training=training)


def _layer_norm(operator: Operator, to: Composer) -> None:
    x, axis = operator.need(0), operator.attributes.get("axis", -1)
    if not isinstance(axis, int):
        raise NoRule("its dimensions are not known")
    trained = tuple(each for each in operator.inputs[1:3] if each is not None)
    mean = operator.kind == "LayerNormalization"
    row_norm(operator, to, x, times(x.sides[axis:]), trained, mean=mean)


def _group_norm(operator: Operator, to: Composer) -> None:
    x = operator.need(0)
    groups = operator.attributes.get("num_groups")
    if operator.kind == "InstanceNormalization":
        groups = x.of_rank(2, 99)[1].value
    if not isinstance(groups, int):
        raise NoRule("its groups are not known")
    trained = tuple(each for each in operator.inputs[1:3] if each is not None)
    group_norm(operator, to, x, groups, trained)


def _local_response_norm(operator: Operator, to: Composer) -> None:
    x, n = operator.need(0), operator.attributes.get("size")
    if not isinstance(n, int) or n < 1:
        raise NoRule("its channels are not stated")
    rest = {} if n == 5 else {"n": n}
    step = to.add(operator, "local_response_norm", [x], {"E": x.elements, **rest})
    to.becomes(operator.result, step)


def _reduction(sort: str) -> Rule:
    def rule(operator: Operator, to: Composer) -> None:
        x = operator.need(0)
        axes = operator.attributes.get("axes", operator.attributes.get("input 1"))
        if axes is None and len(operator.inputs) > 1 and operator.given(1) is not None:
            raise NoRule("its dimensions are not known")
        along = [each for each in axes if isinstance(each, int)] if isinstance(axes, tuple) else []
        reduced(operator, to, x, along or range(len(x.sides)), sort)

    return rule


def _function(name: str) -> Rule:
    def rule(operator: Operator, to: Composer) -> None:
        function(operator, to, name)

    return rule


_OWN: Mapping[str, Callable[[Operator, Composer], None]] = {
    "AveragePool": pool_in_windows,
    "BatchNormalization": _batch_norm,
    "Concat": concatenated,
    "Conv": convolve,
    "ConvTranspose": convolve,
    "GRU": recurrent_rule,
    "Gather": _gather,
    "Gemm": _gemm,
    "GlobalAveragePool": pool_globally,
    "GlobalMaxPool": pool_globally,
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _group_norm,
    "LRN": _local_response_norm,
    "LSTM": recurrent_rule,
    "LayerNormalization": _layer_norm,
    "MatMul": _matmul,
    "MaxPool": pool_in_windows,
    "Pad": _moved,
    "RMSNormalization": _layer_norm,
    "RNN": recurrent_rule,
    "Sum": _sum,
    "Tile": _moved,
    "Transpose": _moved,
}

_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_VIEWS, _view),
    "Cast": _converted,
    "CastLike": _converted,
    **{kind: _function(name) for kind, name in _FUNCTIONS.items()},
    **{kind: _reduction(sort) for kind, sort in _REDUCTIONS.items()},
    **_OWN,
}

assert set(_FUNCTIONS.values()) <= {*FUNCTIONS, *LAYERS}
