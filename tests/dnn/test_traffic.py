"""Memory bytes of every layer in stdlib/dnn, against what it reads and writes, tensor by tensor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import roofdsl as rd
from tests.agreement.points import files, models_of
from tests.dnn.family_traffic import family_cases
from tests.dnn.traffic import (
    Case,
    Convolution,
    Traffic,
    across,
    across_back,
    added,
    block,
    block_back,
    both,
    elementwise,
    gated,
    gated_back,
    line,
    linear,
    linear_back,
    linear_input,
    linear_weights,
    norm,
    norm_back,
    pool,
    scores,
    scores_back,
    transposed,
    update,
)

KARST = rd.load_machine("karst")
PRECISIONS = {"fp32": 4, "bf16": 2}

# Sizes that share no factor: B images or inputs, C channels, H × W, E elements, and so on.
B, C, H, W, E, M, P = 3, 5, 11, 7, 1009, 13, 1013
IMAGE = B * C * H * W

CASES: dict[str, list[Case]] = {
    "activation": [Case({"E": E, "operations": 3}, Traffic([E], [E]))],
    "add": [elementwise(E, 2, 1)],
    "multiply": [elementwise(E, 2, 1)],
    "multiply_backward": [elementwise(E, 3, 2)],  # both factors and dy
    "softmax": [elementwise(E, 1, 1)],
    "softmax_backward": [elementwise(E, 2, 1)],  # y and dy
    "mse": [elementwise(E, 2, 0)],
    "mse_backward": [elementwise(E, 2, 1)],
    "binary_cross_entropy": [elementwise(E, 2, 0)],
    "binary_cross_entropy_backward": [elementwise(E, 2, 1)],
    "dropout": [Case({"E": E}, Traffic([E], [E], E))],
    "dropout_add": [Case({"E": E}, Traffic([E, E], [E], E))],
    "dropout_backward": [Case({"E": E}, Traffic([E], [E], E))],
    "cross_entropy": [Case({"M": M, "V": 101}, Traffic([M * 101], [], 8 * M))],
    "cross_entropy_backward": [Case({"M": M, "V": 101}, Traffic([M * 101], [M * 101], 8 * M))],
    "logits": [
        Case({"M": M, "h": 17, "V": 101}, linear(M, 17, 101, False)),
        Case({"M": M, "h": 17, "V": 101, "bias": True}, linear(M, 17, 101)),
    ],
    "linear": [
        Case({"M": M, "I": 17, "O": 5}, linear(M, 17, 5)),
        Case({"M": M, "I": 17, "O": 5, "bias": False}, linear(M, 17, 5, False)),
    ],
    "linear_input_gradient": [Case({"M": M, "I": 17, "O": 5}, linear_input(M, 17, 5))],
    "linear_weight_gradient": [Case({"M": M, "I": 17, "O": 5}, linear_weights(M, 17, 5))],
    "linear_backward": [Case({"M": M, "I": 17, "O": 5}, linear_back(M, 17, 5))],
    "linear_update": [Case({"I": 17, "O": 5}, update(17 * 5 + 5))],
    "linear_training": [
        Case(
            {"M": M, "I": 17, "O": 5},
            both(linear(M, 17, 5), linear_back(M, 17, 5), update(17 * 5 + 5)),
        )
    ],
    "embedding": [
        Case(
            {"B": B, "V": 101, "d": 17, "L": 7},
            Traffic([B * 7 * 17], [B * 17], 8 * B * 7),
        )
    ],
    "embedding_backward": [
        Case({"B": B, "V": 101, "d": 17, "L": 7}, Traffic([B * 17], [B * 7 * 17], 8 * B * 7))
    ],
    "embedding_update": [
        Case({"B": B, "d": 17, "L": 7}, Traffic([B * 7 * 17] * 2, [B * 7 * 17], 8 * B * 7))
    ],
    "dot_interaction": [
        Case({"B": B, "F": 9, "d": 17}, Traffic([B * 9 * 17], [B * 36])),
    ],
    "dot_interaction_backward": [
        Case({"B": B, "F": 9, "d": 17}, Traffic([B * 36, B * 9 * 17], [B * 9 * 17])),
    ],
    "rotary": [
        Case({"B": B, "s": 11, "heads": 9, "d": 14}, Traffic([B * 11 * 126, 154], [B * 11 * 126]))
    ],
    "rotary_backward": [
        Case({"B": B, "s": 11, "heads": 9, "d": 14}, Traffic([B * 11 * 126, 154], [B * 11 * 126]))
    ],
}

for _name in ("relu", "sigmoid", "tanh", "silu", "gelu"):
    CASES[_name] = [elementwise(E, 1, 1)]
    CASES[f"{_name}_backward"] = [elementwise(E, 2, 1)]  # what was kept, and dy


# Norms. Statistics of a batch need a pass of their own.
_IMAGES: dict[str, int | bool] = {"B": B, "C": C, "H": H, "W": W}
_ROWS: dict[str, int | bool] = {"M": M, "h": 17}
_GROUPS = _IMAGES | {"groups": 1}
CASES |= {
    "batch_norm": [
        Case(_IMAGES, Traffic([IMAGE, IMAGE, 2 * C], [IMAGE])),
        Case(_IMAGES | {"cached": True}, Traffic([IMAGE, 2 * C], [IMAGE])),
        Case(_IMAGES | {"training": False}, Traffic([IMAGE, 2 * C, 2 * C], [IMAGE])),
    ],
    "batch_norm_inference": [Case(_IMAGES, Traffic([IMAGE, 2 * C, 2 * C], [IMAGE]))],
    "batch_norm_backward": [
        Case(_IMAGES, Traffic([IMAGE] * 4 + [2 * C], [IMAGE, 2 * C])),
        Case(_IMAGES | {"cached": True}, norm_back(IMAGE, 2 * C)),
    ],
    "layer_norm": [
        Case(_ROWS, norm(M * 17, 34)),
        Case(_ROWS | {"affine": False}, norm(M * 17, 0)),
    ],
    "layer_norm_backward": [
        Case(_ROWS, norm_back(M * 17, 34)),
        Case(_ROWS | {"affine": False}, norm_back(M * 17, 0)),
    ],
    "rms_norm": [Case(_ROWS, norm(M * 17, 17))],
    "row_norm": [
        Case(_ROWS, norm(M * 17, 34)),
        Case(_ROWS | {"rms": True}, norm(M * 17, 17)),
        Case(_ROWS | {"shift": False}, norm(M * 17, 17)),
    ],
    "row_norm_backward": [
        Case(_ROWS, norm_back(M * 17, 34)),
        Case(_ROWS | {"rms": True}, norm_back(M * 17, 17)),
    ],
    "rms_norm_backward": [Case(_ROWS, norm_back(M * 17, 17))],
    "group_norm": [
        Case(_GROUPS, norm(IMAGE, 2 * C)),
        Case(_GROUPS | {"cached": False}, Traffic([IMAGE, IMAGE, 2 * C], [IMAGE])),
        Case(_GROUPS | {"affine": False}, norm(IMAGE, 0)),
    ],
    "group_norm_backward": [
        Case(_GROUPS, norm_back(IMAGE, 2 * C)),
        Case(_GROUPS | {"cached": False}, Traffic([IMAGE] * 4 + [2 * C], [IMAGE, 2 * C])),
    ],
    "instance_norm": [
        Case(_IMAGES, norm(IMAGE, 0)),
        Case(_IMAGES | {"affine": True}, norm(IMAGE, 2 * C)),
    ],
    "instance_norm_backward": [Case(_IMAGES, norm_back(IMAGE, 0))],
    "upsample_bilinear2d": [Case(_IMAGES | {"scale": 3}, Traffic([IMAGE], [9 * IMAGE]))],
    "upsample_bilinear2d_backward": [Case(_IMAGES | {"scale": 3}, Traffic([9 * IMAGE], [IMAGE]))],
}


# Pooling: windows that overlap, that leave the last lines out, and with gaps between them.
def _pools() -> Iterator[tuple[str, Case]]:
    for K, stride in ((3, 2), (2, 2), (2, 3), (1, 2), (3, 3)):
        values = _IMAGES | {"K": K, "stride": stride}
        image, read, out = pool(B, C, H, W, K, stride)
        yield "max_pool2d", Case(values, Traffic([read], [out]))
        yield "max_pool2d", Case(values | {"training": True}, Traffic([read], [out], 8 * out))
        yield "max_pool2d_backward", Case(values, Traffic([out], [image], 8 * out))
        yield "average_pool2d", Case(values, Traffic([read], [out]))
        yield "average_pool2d_backward", Case(values, Traffic([out], [image]))


# Convolutions: elements, taps, step, padding and distance of taps along each line.
_LINES = [
    (11, 3, 1, 0, 1),
    (11, 3, 2, 1, 1),
    (12, 3, 2, 0, 1),  # the last is in no window
    (11, 1, 2, 0, 1),
    (11, 2, 3, 1, 1),
    (13, 3, 2, 2, 3),
    (17, 3, 4, 1, 2),
    (31, 4, 4, 3, 6),
    (11, 2, 1, 0, 9),
]


def _convolutions() -> Iterator[tuple[str, Case]]:
    for (n, K, stride, padding, dilation), groups, bias in (
        (each, groups, bias) for each in _LINES for groups, bias in ((1, True), (3, False))
    ):
        steps: dict[str, int | bool] = {"stride": stride, "padding": padding}
        steps |= {"dilation": dilation, "groups": groups}
        common: dict[str, int | bool] = {"B": B, "Ci": 6, "Co": 9} | steps
        kernel: dict[str, int | bool] = {"Ci": 6, "Co": 9, "groups": groups, "bias": bias}
        first, rest = (n, K, stride, padding, dilation), (stride, padding, dilation)
        wide = (n + 3, K, *rest)
        one = Convolution(B, 6, 9, [first], groups, bias)
        yield from _phases("conv1d", one, common | {"N": n, "K": K}, kernel | {"K": K}, bias)
        two = Convolution(B, 6, 9, [first, wide], groups, bias)
        values = common | {"H": n, "W": n + 3, "K": K}
        yield from _phases("conv2d", two, values, kernel | {"K": K}, bias)
        yield "conv2d_im2col", Case(values | {"bias": bias}, two.im2col())
        everything = both(two.forward(), two.input(), two.weights(), two.update())
        yield "conv2d_training", Case(values | {"bias": bias}, everything)
        depth = (n + 2, K, stride + 1, padding + 1, dilation)
        three = Convolution(B, 6, 9, [depth, first, wide], groups, bias)
        deep = {"D": n + 2, "depth_stride": stride + 1, "depth_padding": padding + 1}
        yield from _phases("conv3d", three, values | deep, kernel | {"K": K}, bias)
    for Ho, K, stride in ((10, 1, 3), (11, 3, 2), (11, 2, 3), (7, 3, 1)):
        high = (Ho - K) // stride + 1
        for bias in (True, False):
            forward, image, weights = transposed(B, 6, 9, high, Ho, K, stride, bias)
            values = {"B": B, "Ci": 6, "H": high, "Co": 9, "K": K, "stride": stride}
            name = "conv_transpose2d"
            yield name, Case(values | {"bias": bias}, forward)
            yield f"{name}_input_gradient", Case(values, image)
            yield f"{name}_weight_gradient", Case(values | {"bias": bias}, weights)
            yield f"{name}_backward", Case(values | {"bias": bias}, both(image, weights))
            shape: dict[str, int | bool] = {"Ci": 6, "Co": 9, "K": K, "bias": bias}
            yield f"{name}_update", Case(shape, update(54 * K * K + 9 * bias))


def _phases(
    name: str,
    convolution: Convolution,
    values: dict[str, int | bool],
    kernel: dict[str, int | bool],
    bias: bool,
) -> Iterator[tuple[str, Case]]:
    with_bias = values | {"bias": bias}
    yield name, Case(with_bias, convolution.forward())
    yield f"{name}_input_gradient", Case(values, convolution.input())
    yield f"{name}_weight_gradient", Case(with_bias, convolution.weights())
    yield f"{name}_backward", Case(with_bias, both(convolution.input(), convolution.weights()))
    yield f"{name}_update", Case(kernel, convolution.update())


# Products of many matrices, and of two inputs.
def _joins() -> Iterator[tuple[str, Case]]:
    left, right, out = 2 * 5, 5 * 7, 2 * 7
    values: dict[str, int | bool] = {"B": B, "m": 2, "k": 5, "n": 7}
    yield "batched_product", Case(values, Traffic([B * left, B * right], [B * out]))
    back = both(
        Traffic([B * out, B * right], [B * left]), Traffic([B * left, B * out], [B * right])
    )
    yield "batched_product_backward", Case(values, back)
    # Of the left factor, m × k: the gradient times the right factor.
    one: dict[str, int | bool] = values | {"k": values["n"], "n": values["k"]}
    step = Traffic([B * out, B * right], [B * left])
    yield "batched_product_gradient", Case(one | {"read": out}, step)
    I, J, O = 5, 7, 4  # noqa: E741, the library's names
    sums, z, y = M * J * O, M * J, M * O
    for bias in (True, False):
        vector = O if bias else 0
        join = Traffic([sums, z, vector], [y])
        back = Traffic([y, sums, z], [sums, z, vector])
        inner: dict[str, int | bool] = {"M": M, "J": J, "O": O, "bias": bias}
        yield "bilinear_join", Case(inner, join)
        yield "bilinear_join_backward", Case(inner, back)
        yield "bilinear", Case(inner | {"I": I}, both(linear(M, I, O * J, False), join))
        whole = both(linear_back(M, I, O * J, False), back)
        yield "bilinear_backward", Case(inner | {"I": I}, whole)
        shape: dict[str, int | bool] = {"I": I, "J": J, "O": O, "bias": bias}
        yield "bilinear_update", Case(shape, update(I * J * O + vector))


# Recurrent layers: weights at every step, read, and backward their gradients too.
def _recurrent() -> Iterator[tuple[str, Case]]:
    T, I, h = 7, 5, 11  # noqa: E741, the library's names
    for name, gates in (("rnn", 1), ("gru", 3), ("lstm", 4), ("recurrent", 5)):
        weights = gates * h * (I + h + 2)
        x, y, inside = B * T * I, B * T * h, B * T * gates * h
        values: dict[str, int | bool] = {"B": B, "T": T, "I": I, "H": h}
        if name == "recurrent":
            values |= {"gates": gates}
        for cached, times in ((False, T), (True, 1)):
            given = values | {"cached": cached}
            read = [x, *[weights] * times]
            yield name, Case(given, Traffic(read, [y]))
            yield name, Case(given | {"training": True}, Traffic(read, [y, inside]))
            kept = [x, inside, y, y, *[weights] * times]  # the outputs, and dy
            back = Traffic(kept, [x, *[weights] * times])
            yield f"{name}_backward", Case(given, back)
            first = Traffic(kept, [weights] * times)
            yield f"{name}_backward", Case(given | {"input_gradient": False}, first)


# Attention, and the blocks around it.
def _attention() -> Iterator[tuple[str, Case]]:
    a, s, d, t, kv = 6, 5, 7, 11, 3
    q, k = B * a * s * d, B * kv * t * d
    values: dict[str, int | bool] = {"B": B, "a": a, "s": s, "d": d, "t": t, "kv": kv}
    yield "attention", Case(values, scores(B, a, s, d, t, kv))
    yield "attention", Case(values | {"fused": True}, Traffic([q, k, k], [q]))
    yield "flash_attention", Case(values, Traffic([q, k, k], [q]))
    yield "attention_backward", Case(values, scores_back(B, a, s, d, t, kv))
    fused = Traffic([q, k, k, q, q], [q, k, k])  # q, k, v, the result and its gradient
    yield "attention_backward", Case(values | {"fused": True}, fused)
    h, f = 42, 65
    sizes: dict[str, int | bool] = {"B": B, "s": s, "h": h, "a": a, "f": f}
    forward, back = block(B, s, h, a, f), block_back(B, s, h, a, f)
    for name in ("transformer_block", "transformer_block_post"):
        yield name, Case(sizes, forward)
        yield f"{name}_backward", Case(sizes, back)
    yield "transformer_block_recomputed", Case(sizes, both(forward, back))
    yield "transformer_block_training", Case(sizes, both(forward, back))
    yield "gated_block", Case(sizes | {"kv": kv}, gated(B, s, h, a, kv, f))
    yield "gated_block_backward", Case(sizes | {"kv": kv}, gated_back(B, s, h, a, kv, f))
    turned, even = B * s * (a + kv) * 8, {"h": 48, "kv": kv, "fused": False}
    served = both(gated(B, s, 48, a, kv, f), Traffic([turned, B * s * 8], [turned]))
    yield "mixed_block", Case(sizes | even, served)
    two: dict[str, int | bool] = {"B": B, "s": s, "t": t, "h": h, "a": a}
    yield "cross_attention_block", Case(two, across(B, s, t, h, a))
    yield "cross_attention_block_backward", Case(two, across_back(B, s, t, h, a))


# Attention as single kernels: queries, keys, values and scores, each read or written once.
def _kernels() -> Iterator[tuple[str, Case]]:
    a, s, d, t, kv = 6, 5, 7, 11, 3
    q, k, p = B * a * s * d, B * kv * t * d, B * a * s * t
    values: dict[str, int | bool] = {"B": B, "a": a, "s": s, "d": d, "t": t, "kv": kv}
    yield "attention_scores", Case(values, Traffic([q, k], [p]))
    yield "attention_scores_backward", Case(values, Traffic([p, k, p, q], [q, k]))
    yield "attention_values", Case(values, Traffic([p, k], [q]))
    yield "attention_values_backward", Case(values, Traffic([q, k, q, p], [p, k]))
    rows, heads = M * (a + kv) * d, {"M": M, "a": a, "kv": kv, "d": d}
    yield "query_key_norm", Case({**heads}, norm(rows, 2 * d))
    yield "query_key_norm_backward", Case({**heads}, norm_back(rows, 2 * d))


# Products of groups of rows: each as a layer of its own, but for groups without any row.
def _grouped() -> Iterator[tuple[str, Case]]:
    I, O = 17, 5  # noqa: E741, the library's names
    for used, bias in ((4, False), (3, True)):
        sizes: dict[str, int | bool] = {"G": 4, "M": M, "I": I, "O": O, "used": used}
        biased = sizes | {"bias": bias}
        yield "grouped_linear", Case(biased, both(*[linear(M, I, O, bias)] * used))
        yield "grouped_linear_backward", Case(biased, both(*[linear_back(M, I, O, bias)] * used))
        yield "grouped_linear_input_gradient", Case(sizes, both(*[linear_input(M, I, O)] * used))
        weights = both(*[linear_weights(M, I, O, bias)] * used)
        yield "grouped_linear_weight_gradient", Case(biased, weights)


# The blocks of ResNet; with a step of 2, of the 1 × 1 around it a quarter is read.
def _bottlenecks() -> Iterator[tuple[str, Case]]:
    width, high = 3, 9
    for name, before, stride in (("bottleneck", 12, 1), ("bottleneck_projected", 10, 2)):
        low = -(-high // stride)
        near = [(high, 1, 1, 0, 1)] * 2
        middle = [(high, 3, stride, 1, 1)] * 2
        far, around = [(low, 1, 1, 0, 1)] * 2, [(high, 1, stride, 0, 1)] * 2
        layers = [
            Convolution(B, before, width, near, bias=False),
            Convolution(B, width, width, middle, bias=False),
            Convolution(B, width, 12, far, bias=False),
        ]
        norms = [(width, high), (width, low), (12, low)]
        if stride > 1:
            layers.append(Convolution(B, before, 12, around, bias=False))
            norms.append((12, low))
        relus = [B * width * high**2, B * width * low**2, B * 12 * low**2]
        values: dict[str, int | bool] = {"batch": B, "Ci": before, "H": high, "width": width}
        if stride > 1:
            values |= {"stride": stride}
        for training in (True, False):
            parts = [layer.forward() for layer in layers]
            for channels, side in norms:
                image = B * channels * side**2
                again = [image] if training else [2 * channels]
                parts.append(Traffic([image, *again, 2 * channels], [image]))
            parts += [Traffic([size], [size]) for size in relus]
            whole = both(*parts, added(relus[-1]))
            yield name, Case(values | {"training": training}, whole)
        parts = [part for layer in layers for part in (layer.input(), layer.weights())]
        for channels, side in norms:
            image = B * channels * side**2
            parts.append(Traffic([image] * 4 + [2 * channels], [image, 2 * channels]))
        parts += [Traffic([size, size], [size]) for size in relus]
        # The gradients of both ways join, in the sizes of the input.
        yield f"{name}_backward", Case(values, both(*parts, added(B * before * high**2)))


# Layers by the sizes of their tensors: in general form what the others are in theirs.
def _general() -> Iterator[tuple[str, Case]]:
    for groups, bias in ((1, True), (3, False)):
        one = Convolution(B, 6, 9, [(11, 3, 2, 1, 1), (12, 2, 3, 0, 1)], groups, bias)
        across, down = line(11, 3, 2, 1), line(12, 2, 3)
        values: dict[str, int | bool] = {"B": B, "Ci": 6, "inputs": 11 * 12, "Co": 9, "taps": 6}
        values |= {"outputs": across[0] * down[0], "read": across[1] * down[1]}
        values |= {"groups": groups, "bias": bias}
        yield "convolution", Case(values, one.forward())
        yield "convolution", Case(values | {"tied": True}, one.forward())
        up, _, _ = transposed(B, 6, 9, 5, 11, 3, 2, bias)
        made: dict[str, int | bool] = {"B": B, "Ci": 6, "inputs": 25, "Co": 9, "outputs": 121}
        kind: dict[str, int | bool] = {"bias": bias}
        yield "convolution", Case(made | {"taps": 9, "transposed": True} | kind, up)
    image, read, out = pool(B, C, H, W, 2, 3)
    assert image == IMAGE
    sides: dict[str, int | bool] = {"inputs": H * W, "outputs": out // (B * C), "taps": 4}
    yield "pool", Case({"B": B * C, "read": read // (B * C)} | sides, Traffic([read], [out]))
    smaller: dict[str, int | bool] = {"first": 7, "second": 5, "third": E, "trained": 3}
    yield "pointwise", Case({"E": E} | smaller, Traffic([7, 5, E, 3], [E]))
    yield "pointwise", elementwise(E, 1, 1)
    yield "norm_of_rows", Case(_ROWS | {"trained": 17}, norm(M * 17, 17))
    yield "norm_of_rows", Case(_ROWS | {"trained": 34, "tied": True}, norm(M * 17, 34))
    yield "local_response_norm", elementwise(E, 1, 1)
    yield "rearrange", Case({"E": E, "read": 7}, Traffic([7], [E]))
    yield "concatenate", elementwise(E, 1, 1)
    yield "convert", Case({"E": E}, Traffic([], [E], 4 * E))


_ATTENTION = (_attention, _kernels, _grouped)
_MAKERS = (_general, _pools, _convolutions, _joins, _recurrent, *_ATTENTION, _bottlenecks)
for _maker in (*_MAKERS, family_cases):
    for _name, _case in _maker():
        CASES.setdefault(_name, []).append(_case)

# Optimisers: weights and gradients in one precision, their state in fp32, 4 bytes a number.
_STATE = {"sgd": 0, "momentum": 2, "adam": 4, "rmsprop": 2, "adagrad": 2}
for _name, _moved in _STATE.items():
    CASES[_name] = [Case({"parameters": P}, Traffic([P, P], [P], 4 * _moved * P))]
CASES["adam"].append(Case({"parameters": P, "master": True}, Traffic([P], [P], 4 * 6 * P)))
CASES["gradient_clipping"] = [Case({"parameters": P}, Traffic([P, P], [P]))]
# The first pass writes a direction in the place of the gradient, the second reads it.
CASES["lamb"] = [Case({"parameters": P}, Traffic([P, P, P, P], [P, P], 4 * 4 * P))]


def _layers() -> list[str]:
    bundled = [file for file in files() if file.startswith("dnn.")]
    return [model.name for file in bundled for model in models_of(file)]


@pytest.mark.parametrize("layer", _layers())
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_bytes_are_those_of_the_tensors(layer: str, dtype: str) -> None:
    for case in CASES[layer]:
        result = rd.load_model(layer).on(KARST).evaluate(dtype=dtype, **case.values)
        assert result.memory == case.traffic.bytes(PRECISIONS[dtype]), (layer, case.values)


def test_the_table_has_all_layers_and_no_others() -> None:
    assert set(CASES) == set(_layers())
