"""The operators of a graph of ONNX, in the order they run, with what they read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofdsl.importers.graph.size import numbers, product
from roofdsl.importers.graph.values import Attribute, Operator, Value, Weight
from roofdsl.importers.onnx_files.broken import Broken
from roofdsl.importers.onnx_files.shapes import Graph

if TYPE_CHECKING:
    import onnx

_MADE_WEIGHTS = {"ConstantOfShape", "DequantizeLinear"}
"""What makes weights of what the file has for them: their shape, or their quantised numbers."""
_PART_OF_WEIGHT = {"Gather", "Slice", "Split"}
_MADE_OF_SHAPES = {"Shape", "Size", "Constant", "ConstantOfShape", "Range"}
_TRAINED = re.compile(r"[./_](kernel|weights?|bias(es)?|gamma|beta|scale|[wbs]|[WRB])([._]?\d+)?$")
_WITHOUT_MEANING = re.compile(r"[A-Za-z]{0,2}_?\d*")


def operators_of(
    graph: Graph,
) -> tuple[tuple[Operator, ...], tuple[Value, ...], dict[str, int]]:
    """Return operators, what they are given from outside, and the elements of each parameter.

    What no output hangs on is not there. Constants, and what hangs on them alone, are known before
    the network runs: only what shape a weight is read in matters of that.
    """
    reading = _Reading(graph)
    found = []
    for node in _needed(graph.proto):
        operator = reading.operator(node)
        if operator is not None:
            found.append(operator)
    named = _without_prefix([each.name for each in found])
    operators = tuple(replace(each, name=name) for each, name in zip(found, named, strict=True))
    weights = reading.read_before | {
        value.weight.root: value.weight.whole
        for each in operators
        for place, value in enumerate(each.inputs)
        if value is not None and value.weight is not None
        # A mean and a variance that were kept are no parameters.
        if each.kind != "BatchNormalization" or place < 3
    }
    return operators, tuple(reading.inputs), weights


class _Reading:
    """What is known of the values of a graph, as its nodes are read one after another."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._values: dict[str, Value] = {}
        self._contents: dict[str, tuple[int, ...]] = {}
        constant = {each.name for each in graph.proto.initializer}
        for tensor in graph.proto.initializer:
            self._constant(tensor.name, tensor)
        self.inputs = []
        self.read_before: dict[str, int] = {}
        """Parameters that are made into others before the network runs, with their elements."""
        read = {name for node in graph.proto.node for name in node.input}
        for given in graph.proto.input:
            if given.name not in constant:
                value = self._value(given.name)
                self._values[given.name] = value
                if given.name in read:
                    self.inputs.append(value)

    def operator(self, node: onnx.NodeProto) -> Operator | None:
        """Return what a node does as the network runs, None where that is nothing."""
        inputs = tuple(self._given(node, name) for name in node.input)
        outputs = tuple(self._value(name) for name in node.output if name)
        if not outputs:
            return None
        attributes = dict(_attributes(node))
        if not any(each is not None and each.computed for each in inputs) or (
            node.op_type in _MADE_OF_SHAPES
        ):
            self._known_before(node, inputs, outputs)
            return None
        for value in outputs:
            self._values[value.name] = value
        for place, name in enumerate(node.input):
            if name in self._contents:
                attributes[f"input {place}"] = self._contents[name]
        domain = f"{node.domain}." if node.domain not in ("", "ai.onnx") else ""
        kind = f"{domain}{node.op_type}"
        return Operator(kind, _called(node, inputs), inputs, outputs, attributes)

    def _given(self, node: onnx.NodeProto, name: str) -> Value | None:
        if not name:
            return None
        found = self._values.get(name)
        if found is None:
            raise Broken(f"reads '{name[:80]}' in '{node.op_type}', which nothing before it makes")
        return found

    def _known_before(
        self, node: onnx.NodeProto, inputs: Sequence[Value | None], outputs: Sequence[Value]
    ) -> None:
        """Note what is computed before the network runs: a weight in another form, or constants."""
        weights = [each for each in inputs if each is not None and each.weight is not None]
        self.read_before |= {each.weight.root: each.weight.whole for each in weights if each.weight}
        for place, value in enumerate(outputs):
            made = replace(value, constant=True)
            if node.op_type in _MADE_WEIGHTS and value.shape and value.is_real:
                made = _as_weight(value)
            elif len(weights) == 1 and _is_all_of(value, weights[0]):
                made = replace(weights[0], name=value.name, shape=value.shape)
            elif len(weights) == 1 and node.op_type in _PART_OF_WEIGHT:
                made = weights[0].as_part(value.name, value.shape, f"{node.name}{place}")
            self._values[value.name] = made
        if node.op_type == "Constant":
            for each in node.attribute:
                if each.name == "value":
                    self._contents |= dict(_numbers(node.output[0], each.t))

    def _constant(self, name: str, tensor: onnx.TensorProto) -> None:
        value = self._value(name)
        self._values[name] = replace(value, constant=True)
        if value.is_real and value.shape:
            self._values[name] = _as_weight(value)
        self._contents |= dict(_numbers(name, tensor))

    def _value(self, name: str) -> Value:
        kind = _precision(self._graph.types.get(name, 0))
        return Value(name, self._graph.shapes.get(name), kind)


def _is_all_of(value: Value, weight: Value) -> bool:
    """Whether a value has as many elements as the weight that it is made from."""
    assert weight.weight is not None
    known = numbers(value.shape) if value.shape is not None else None
    return known is not None and product(known) == weight.weight.elements


def _as_weight(value: Value) -> Value:
    known = numbers(value.shape or ())
    count = product(known) if known is not None else 0
    return replace(value, weight=Weight(value.name, count, count))


def _needed(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the nodes that some output hangs on."""
    wanted = {each.name for each in graph.output}
    found = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            found.append(node)
            wanted.update(node.input)
    return found[::-1]


def _precision(kind: int) -> str:
    from onnx import TensorProto

    return {
        TensorProto.FLOAT: "fp32",
        TensorProto.DOUBLE: "fp64",
        TensorProto.FLOAT16: "fp16",
        TensorProto.BFLOAT16: "bf16",
        TensorProto.FLOAT8E4M3FN: "fp8",
        TensorProto.FLOAT8E5M2: "fp8",
        TensorProto.INT64: "int64",
        TensorProto.INT32: "int32",
        TensorProto.INT16: "int16",
        TensorProto.INT8: "int8",
        TensorProto.UINT8: "int8",
        TensorProto.BOOL: "bool",
    }.get(kind, "another")


def _attributes(node: onnx.NodeProto) -> Iterator[tuple[str, Attribute]]:
    from onnx import AttributeProto

    for each in node.attribute:
        if each.type == AttributeProto.INT:
            yield each.name, each.i
        elif each.type == AttributeProto.FLOAT:
            yield each.name, each.f
        elif each.type == AttributeProto.STRING:
            yield each.name, each.s.decode("utf-8", "replace")
        elif each.type == AttributeProto.INTS:
            yield each.name, tuple(each.ints)


def _numbers(name: str, tensor: onnx.TensorProto) -> Iterator[tuple[str, tuple[int, ...]]]:
    from onnx import TensorProto, numpy_helper

    whole = tensor.data_type in (TensorProto.INT64, TensorProto.INT32)
    if whole and tensor.data_location != TensorProto.EXTERNAL and len(tensor.dims) <= 1:
        try:
            yield name, tuple(int(each) for each in numpy_helper.to_array(tensor).reshape(-1))
        except (ValueError, TypeError):  # its contents were left out, or do not fit its shape
            return


def _called(node: onnx.NodeProto, inputs: Sequence[Value | None]) -> str:
    """Return what a node is called: by itself, else by its weights, else by what it does."""
    own, kind = str(node.name), str(node.op_type)
    plain = own.lower().removeprefix(kind.lower())
    if not _WITHOUT_MEANING.fullmatch(plain) and not re.fullmatch(r"_?\d*", plain):
        return own
    for value in inputs[1:]:
        if value is not None and value.weight is not None:
            return _TRAINED.sub("", value.weight.root)
    return kind


def _without_prefix(names: Sequence[str]) -> list[str]:
    """Return names without the folder that most of them are in."""
    folders = [name.partition("/")[0] for name in names if "/" in name]
    if folders and len(folders) > len(names) / 4 and len(set(folders)) == 1:
        return [name.removeprefix(f"{folders[0]}/") for name in names]
    return list(names)
