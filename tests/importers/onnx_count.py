"""Multiply-adds and parameters of a file of ONNX, counted operator by operator from its message.

Shares no code with the importer: shapes are those of the formulas of each operator, at the batch
that the file states.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

Sizes = list[int]


class Count(NamedTuple):
    multiply_adds: int
    parameters: int
    kinds: dict[str, int]
    shapes: dict[str, Sizes]


def count(model: Any) -> Count:
    graph = model.graph
    shapes: dict[str, Sizes] = {each.name: list(each.dims) for each in graph.initializer}
    for given in graph.input:
        if given.name not in shapes:
            sizes = [each.dim_value for each in given.type.tensor_type.shape.dim]
            shapes[given.name] = sizes
    stored = {each.name: _contents(each) for each in graph.initializer if each.data_type == 7}
    weights = {each.name for each in graph.initializer if each.data_type == 1}
    products, kinds = 0, dict[str, int]()
    statistics, used = set[str](), set[str]()
    for node in graph.node:
        kinds[node.op_type] = kinds.get(node.op_type, 0) + 1
        about = {each.name: each for each in node.attribute}
        given_shapes = [shapes[name] for name in node.input]
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = stored[node.input[0]]
            weights.add(node.output[0])
            continue
        result = _result(node.op_type, about, given_shapes, [stored.get(n) for n in node.input])
        shapes[node.output[0]] = result
        for name in node.output[1:]:
            shapes[name] = result
        if node.op_type == "Conv":
            products += prod(result) * prod(given_shapes[1][1:])
        elif node.op_type == "Gemm":
            products += prod(result) * given_shapes[0][1]
        elif node.op_type == "BatchNormalization":
            statistics |= set(node.input[3:])
        used |= set(node.input)
    trained = (weights & used) - statistics
    return Count(products, sum(prod(shapes[name]) for name in trained), kinds, shapes)


def _result(kind: str, about: dict[str, Any], given: list[Sizes], stored: list[Any]) -> Sizes:
    x = given[0]
    if kind == "Conv":
        kernel = given[1]
        return [x[0], kernel[0], *_places(x[2:], kernel[2:], about)]
    if kind in ("MaxPool", "AveragePool"):
        return [*x[:2], *_places(x[2:], list(about["kernel_shape"].ints), about)]
    if kind == "GlobalAveragePool":
        return [*x[:2], 1, 1]
    if kind == "Gemm":
        assert about["transB"].i == 1 and "transA" not in about
        assert given[1][1] == x[1]
        return [x[0], given[1][0]]
    if kind == "Concat":
        axis = about["axis"].i
        return [*x[:axis], sum(each[axis] for each in given), *x[axis + 1 :]]
    if kind == "Reshape":
        sizes = list(stored[1])
        sizes = [x[place] if size == 0 else size for place, size in enumerate(sizes)]
        if -1 in sizes:
            sizes[sizes.index(-1)] = prod(x) // -prod(sizes)
        assert prod(sizes) == prod(x)
        return sizes
    if kind == "Unsqueeze":
        sizes = list(x)
        for axis in about["axes"].ints:
            sizes.insert(axis, 1)
        return sizes
    if kind == "Transpose":
        return [x[place] for place in about["perm"].ints]
    assert kind in ("Relu", "BatchNormalization", "Mul", "Add", "Sum", "Softmax", "LRN", "Dropout")
    return x


def _places(lengths: Sizes, kernel: Sizes, about: dict[str, Any]) -> Sizes:
    assert "auto_pad" not in about and "ceil_mode" not in about and "dilations" not in about
    sides = len(kernel)
    pads = list(about["pads"].ints) if "pads" in about else [0] * 2 * sides
    steps = list(about["strides"].ints) if "strides" in about else [1] * sides
    return [
        (length + pads[side] + pads[side + sides] - kernel[side]) // steps[side] + 1
        for side, length in enumerate(lengths)
    ]


def _contents(tensor: Any) -> list[int]:
    if tensor.int64_data:
        return list(tensor.int64_data)
    data = tensor.raw_data
    places = range(0, len(data), 8)
    return [int.from_bytes(data[at : at + 8], "little", signed=True) for at in places]
