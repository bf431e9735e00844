"""What operators of PyTorch are as layers: one rule for each kind."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from roofdsl.importers.graph.composer import Argument, Composer, Rule
from roofdsl.importers.graph.layers.attention import attention
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
from roofdsl.importers.graph.layers.products import add_product, linear, product
from roofdsl.importers.graph.layers.tables import embedding
from roofdsl.importers.graph.size import Size
from roofdsl.importers.graph.values import NoRule, Operator, Value
from roofdsl.importers.torch_modules.graph import MADE_OF_SIZES
from roofdsl.importers.torch_modules.recurrent_rules import recurrent_rule
from roofdsl.importers.torch_modules.window_rules import (
    convolve,
    pool_in_windows,
    pool_to_size,
)

_VIEWS = (
    "_unsafe_view alias as_strided broadcast_to chunk detach diagonal expand expand_as lift_fresh "
    "lift_fresh_copy movedim narrow numpy_T permute ravel select slice split split_with_sizes "
    "squeeze swapaxes swapdims t tensor_split transpose unbind unflatten unfold unsqueeze view "
    "view_as"
).split()
"""They cost nothing: their results lie where what they read does."""

_COPIES = (
    "constant_pad_nd flip gather index index_select pad pixel_shuffle pixel_unshuffle repeat "
    "repeat_interleave roll take_along_dim tril triu upsample_nearest1d upsample_nearest2d "
    "upsample_nearest3d"
).split()

_FUNCTIONS = {
    "_log_softmax": "log_softmax", "_softmax": "softmax", "abs": "abs", "add": "add",
    "bitwise_and": "minimum", "bitwise_not": "not", "bitwise_or": "maximum", "ceil": "ceil",
    "clamp": "clip", "clamp_max": "maximum", "clamp_min": "maximum", "cos": "cos",
    "div": "divide", "elu": "elu", "eq": "compare", "erf": "erf", "exp": "exp",
    "floor": "floor", "ge": "compare", "gelu": "gelu", "gt": "compare",
    "hardsigmoid": "hard_sigmoid", "hardswish": "hard_swish", "hardtanh": "clip",
    "le": "compare", "leaky_relu": "leaky_relu", "log": "log", "log_softmax": "log_softmax",
    "logical_and": "minimum", "logical_not": "not", "logical_or": "maximum", "lt": "compare",
    "masked_fill": "where", "maximum": "maximum", "minimum": "minimum", "mish": "mish",
    "mul": "multiply", "ne": "compare", "neg": "negative", "prelu": "leaky_relu",
    "reciprocal": "reciprocal", "relu": "relu", "relu6": "clip", "round": "round",
    "rsqrt": "rsqrt", "rsub": "subtract", "selu": "selu", "sigmoid": "sigmoid", "sign": "sign",
    "silu": "silu", "sin": "sin", "softmax": "softmax", "softplus": "softplus", "sqrt": "sqrt",
    "square": "square", "sub": "subtract", "tan": "tan", "tanh": "tanh", "where": "where",
}  # fmt: skip

_REDUCTIONS = {"amax": "max", "amin": "min", "mean": "mean", "prod": "product", "sum": "sum"}


def rule_of(operator: Operator) -> Rule | None:
    """Return the rule for an operator, None where there is none."""
    return _RULES.get(operator.kind)


def has_rule(kind: str) -> bool:
    """Whether there is a rule for a kind of operator."""
    return kind in _RULES or kind in MADE_OF_SIZES or "." in kind or kind.startswith("_assert")


def _view(operator: Operator, to: Composer) -> None:
    for output in operator.outputs:
        to.becomes(output, operator.need(0))


def _view_or_copy(operator: Operator, to: Composer) -> None:
    if operator.attributes["moves"]:
        moved(operator, to, operator.need(0))
    else:
        _view(operator, to)


def _copy(operator: Operator, to: Composer) -> None:
    """A copy of all; of what is larger than the result, only that much is read."""
    x, E = operator.need(0), operator.result.elements
    large = x.elements.value, E.value
    if None not in large and (large[0] or 0) > (large[1] or 0):
        arguments: dict[str, Argument] = {"E": E}
        to.becomes(operator.result, to.add(operator, "rearrange", [x], arguments))
    else:
        moved(operator, to, x)


def _converted(operator: Operator, to: Composer) -> None:
    converted(operator, to, operator.need(0))


def _dropout(operator: Operator, to: Composer) -> None:
    """Dropout in training; else nothing happens."""
    if operator.attributes.get("train") and operator.attributes.get("p"):
        x = operator.need(0)
        to.becomes(operator.result, to.add(operator, "dropout", [x], {"E": x.elements}))
    else:
        _view(operator, to)


def _power(operator: Operator, to: Composer) -> None:
    square = operator.attributes.get("exponent") == 2
    function(operator, to, "square" if square else "power")


def _linear(operator: Operator, to: Composer) -> None:
    linear(operator, to, operator.need(0), operator.need(1), _one(operator, "bias"))


def _addmm(operator: Operator, to: Composer) -> None:
    left, right = _needed(operator, "mat1"), _needed(operator, "mat2")
    linear(operator, to, left, right, operator.need(0), rows_first=False)


def _product(operator: Operator, to: Composer) -> None:
    product(operator, to, operator.need(0), operator.need(1))


def _baddbmm(operator: Operator, to: Composer) -> None:
    left, right = _needed(operator, "batch1"), _needed(operator, "batch2")
    add_product(operator, to, left, right, operator.need(0))


def _batch_norm(operator: Operator, to: Composer) -> None:
    trained = (*operator.named("weight"), *operator.named("bias"))
    training = bool(operator.attributes.get("training"))
    batch_norm(operator, to, operator.need(0), trained, training=training)


def _row_norm(operator: Operator, to: Composer) -> None:
    sides = operator.attributes.get("normalized_shape")
    numbers = [each for each in sides if isinstance(each, int)] if isinstance(sides, tuple) else []
    if not numbers:
        raise NoRule("its rows are not stated")
    trained = (*operator.named("weight"), *operator.named("bias"))
    h, mean = Size.of(prod(numbers)), operator.kind == "layer_norm"
    row_norm(operator, to, operator.need(0), h, trained, mean=mean)


def _group_norm(operator: Operator, to: Composer) -> None:
    x, groups = operator.need(0), operator.attributes.get("num_groups")
    if operator.kind == "instance_norm":
        groups = x.of_rank(2, 99)[1].value
    if not isinstance(groups, int):
        raise NoRule("its groups are not stated")
    trained = (*operator.named("weight"), *operator.named("bias"))
    group_norm(operator, to, x, groups, trained)


def _embedding(operator: Operator, to: Composer) -> None:
    embedding(operator, to, operator.need(0), operator.need(1))


def _attention(operator: Operator, to: Composer) -> None:
    causal = bool(operator.attributes.get("is_causal"))
    if operator.named("attn_mask"):
        to.remark("a mask of attention is not counted: neither its bytes, nor what it leaves out")
    queries, keys, values = (operator.need(place) for place in range(3))
    attention(operator, to, queries, keys, values, causal=causal)


def _bilinear(operator: Operator, to: Composer) -> None:
    x = operator.need(0).of_rank(4)
    made = operator.result.of_rank(4)
    scales = {
        (high.value or 0) / (low.value or 1) for high, low in zip(made[2:], x[2:], strict=True)
    }
    scale = scales.pop()
    if scales or scale < 1 or scale != int(scale):
        raise NoRule("it makes images larger by no whole number")
    image: dict[str, Argument] = {"B": x[0], "C": x[1], "H": x[2], "scale": int(scale)}
    if x[2] != x[3]:
        image["W"] = x[3]
    step = to.add(operator, "upsample_bilinear2d", [operator.need(0)], image)
    to.becomes(operator.result, step)


def _reduction(sort: str) -> Rule:
    def rule(operator: Operator, to: Composer) -> None:
        x, axes = operator.need(0), operator.attributes.get("dim")
        along = axes if isinstance(axes, tuple) else (axes,)
        numbers = [each for each in along if isinstance(each, int)]
        reduced(operator, to, x, numbers or range(len(x.sides)), sort)

    return rule


def _function(name: str) -> Rule:
    def rule(operator: Operator, to: Composer) -> None:
        function(operator, to, name)

    return rule


def _one(operator: Operator, name: str) -> Value | None:
    found = operator.named(name)
    return found[0] if found else None


def _needed(operator: Operator, name: str) -> Value:
    found = _one(operator, name)
    if found is None:
        raise NoRule("one of its inputs is left out")
    return found


_OWN: Mapping[str, Rule] = {
    "_to_copy": _converted,
    "adaptive_avg_pool1d": pool_to_size,
    "adaptive_avg_pool2d": pool_to_size,
    "adaptive_avg_pool3d": pool_to_size,
    "adaptive_max_pool2d": pool_to_size,
    "addmm": _addmm,
    "baddbmm": _baddbmm,
    "batch_norm": _batch_norm,
    "bmm": _product,
    "cat": concatenated,
    "clone": _view_or_copy,
    "contiguous": _view_or_copy,
    "dropout": _dropout,
    "embedding": _embedding,
    "feature_dropout": _dropout,
    "flatten": _view_or_copy,
    "group_norm": _group_norm,
    "instance_norm": _group_norm,
    "layer_norm": _row_norm,
    "linear": _linear,
    "matmul": _product,
    "mm": _product,
    "pow": _power,
    "reshape": _view_or_copy,
    "rms_norm": _row_norm,
    "scaled_dot_product_attention": _attention,
    "stack": concatenated,
    "to": _converted,
    "type_as": _converted,
    "upsample_bilinear2d": _bilinear,
}

_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_VIEWS, _view),
    **dict.fromkeys(_COPIES, _copy),
    **{kind: _function(name) for kind, name in _FUNCTIONS.items()},
    **{kind: _reduction(sort) for kind, sort in _REDUCTIONS.items()},
    **dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu"), recurrent_rule),
    **{f"conv{sides}d": convolve for sides in (1, 2, 3)},
    **{f"conv_transpose{sides}d": convolve for sides in (1, 2, 3)},
    **{f"max_pool{sides}d": pool_in_windows for sides in (1, 2, 3)},
    **{f"avg_pool{sides}d": pool_in_windows for sides in (1, 2, 3)},
    **_OWN,
}

assert set(_FUNCTIONS.values()) <= {*FUNCTIONS, *LAYERS}
