"""The shapes of a graph of ONNX, with its batch left open where it can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from roofdsl.importers.graph.naming import Names
from roofdsl.importers.graph.size import Shape, Size
from roofdsl.importers.onnx_files.broken import Broken
from roofdsl.importers.onnx_files.inference import inferred

if TYPE_CHECKING:
    import onnx

BATCH = "batch"
_DOCUMENTED = {BATCH: "inputs at once", "seq": "tokens of an input"}
_KEPT = 64
"""Numbers of a constant that are kept: shapes and axes have no more."""

Dimension: TypeAlias = int | str | None
Dimensions: TypeAlias = tuple[Dimension, ...] | None


class Graph(NamedTuple):
    """A graph with what is known of its tensors; `sizes` are the names in shapes."""

    proto: onnx.GraphProto
    shapes: Mapping[str, Shape | None]
    types: Mapping[str, int]
    sizes: Mapping[str, str]
    notes: tuple[str, ...]


def shaped(model: onnx.ModelProto) -> Graph:
    """Infer the shapes of all tensors; a first dimension that is stated is left open if it can be.

    It can be if all shapes are known without it, and are those of the file where it is put in.
    """
    _without_contents(model.graph)
    sizes = {each.dim[0].dim_value for each in _stated(model.graph)}
    opened = [_opened(model, *sizes)] if len(sizes) == 1 else []
    found, *after = inferred([model, *opened])
    if isinstance(found, Broken):
        raise found
    first = dict(_dimensions(found.graph))
    names = _names_of(found.graph, first)
    note = ""
    if BATCH not in names.values():
        open_too = _holding(after[0], first, *sizes) if after else None
        if open_too is not None:
            found, first = open_too
            names[BATCH] = BATCH
        elif sizes:
            note = "its first dimension is as in the file: shapes hang on it"
    shapes = {name: _shape(each, names) for name, each in first.items()}
    documented = {name: _DOCUMENTED.get(name, "as in the file") for name in names.values()}
    types, notes = dict(_types(found.graph)), (note,) * bool(note)
    return Graph(found.graph, shapes, types, documented, notes)


def _without_contents(graph: onnx.GraphProto) -> None:
    """Drop the contents of weights: their shapes are all that is asked for."""
    from onnx import TensorProto

    tensors = [*graph.initializer]
    tensors += [each.t for node in graph.node for each in node.attribute if each.HasField("t")]
    for tensor in tensors:
        count = 1
        for each in tensor.dims:
            count *= each
        if tensor.data_type in (TensorProto.INT64, TensorProto.INT32) and 0 <= count <= _KEPT:
            continue
        for part in ("raw_data", "float_data", "double_data", "int32_data", "int64_data"):
            tensor.ClearField(part)


def _opened(model: onnx.ModelProto, size: int) -> onnx.ModelProto:
    """Return the model with its first dimension left open."""
    import onnx

    opened = onnx.ModelProto()
    opened.CopyFrom(model)
    graph = opened.graph
    for shape in _stated(graph):
        shape.dim[0].dim_param = BATCH
    del graph.value_info[:]
    for output in graph.output:
        output.type.tensor_type.ClearField("shape")
    _reshape_open(graph, size)
    return opened


def _holding(
    opened: onnx.ModelProto | Broken, stated: Mapping[str, Dimensions], size: int
) -> tuple[onnx.ModelProto, dict[str, Dimensions]] | None:
    """Return the model that is open with its shapes, None where shapes hang on the size."""
    if isinstance(opened, Broken):
        return None
    found = dict(_dimensions(opened.graph))
    for name, before in stated.items():
        after = found.get(name)
        if before is None or None in before:
            continue
        put_in = after and tuple(size if each == BATCH else each for each in after)
        if put_in != before:
            return None
    return (opened, found) if _holds_open(opened.graph, stated, found, size) else None


def _holds_open(
    graph: onnx.GraphProto,
    stated: Mapping[str, Dimensions],
    found: Mapping[str, Dimensions],
    size: int,
) -> bool:
    """Whether the open dimension goes through to the outputs, and through all that is reshaped."""

    def open_sides(name: str) -> int:
        return (found.get(name) or ()).count(BATCH)

    for node in graph.node:
        if node.op_type == "Reshape" and open_sides(node.input[0]) != open_sides(node.output[0]):
            return False
    return all(
        (found.get(each.name) or ())[:1] == (BATCH,)
        for each in graph.output
        if (stated.get(each.name) or ())[:1] == (size,)
    )


def _stated(graph: onnx.GraphProto) -> Iterator[onnx.TensorShapeProto]:
    """Yield the shapes of inputs whose first dimension is a number."""
    constant = {each.name for each in graph.initializer}
    read = {name for node in graph.node for name in node.input}
    for value in graph.input:
        shape = value.type.tensor_type.shape
        given = value.name not in constant and value.name in read
        if given and len(shape.dim) > 1 and shape.dim[0].dim_value > 0:
            yield shape


def _reshape_open(graph: onnx.GraphProto, size: int) -> None:
    """Have each Reshape to a shape that begins with the batch take that of its input."""
    from onnx import numpy_helper

    shapes = {node.input[1] for node in graph.node if node.op_type == "Reshape" and node.input[1:]}
    for tensor in graph.initializer:
        if tensor.name in shapes and 1 <= len(tensor.dims) == 1:
            numbers = numpy_helper.to_array(tensor).copy()
            if numbers.size and numbers[0] == size:
                numbers[0] = 0
                tensor.CopyFrom(numpy_helper.from_array(numbers, tensor.name))


def _dimensions(graph: onnx.GraphProto) -> Iterator[tuple[str, Dimensions]]:
    for value in (*graph.input, *graph.value_info, *graph.output):
        tensor = value.type.tensor_type
        if not tensor.HasField("shape"):
            yield value.name, None
            continue
        yield (
            value.name,
            tuple(
                each.dim_value if each.HasField("dim_value") else each.dim_param or None
                for each in tensor.shape.dim
            ),
        )
    for constant in graph.initializer:
        yield constant.name, tuple(constant.dims)


def _types(graph: onnx.GraphProto) -> Iterator[tuple[str, int]]:
    for value in (*graph.input, *graph.value_info, *graph.output):
        yield value.name, value.type.tensor_type.elem_type
    for constant in graph.initializer:
        yield constant.name, constant.data_type


def _names_of(graph: onnx.GraphProto, dimensions: Mapping[str, Dimensions]) -> dict[str, str]:
    """Return the names in the shapes of inputs, with those that the model has for them."""
    constant = {each.name for each in graph.initializer}
    names, found = Names(["dtype", "causal", "fused"]), dict[str, str]()
    for value in graph.input:
        for place, each in enumerate(dimensions.get(value.name) or ()):
            if isinstance(each, str) and each not in found and value.name not in constant:
                usual = BATCH if not place and BATCH not in found.values() else ""
                if "seq" in each.lower() and "seq" not in found.values():
                    usual = "seq"
                found[each] = names.take(usual or each, "size")
    return found


def _shape(dimensions: Dimensions, names: Mapping[str, str]) -> Shape | None:
    if dimensions is None:
        return None
    sizes = list[Size]()
    for each in dimensions:
        if isinstance(each, int) and each > 0:
            sizes.append(Size.of(each))
        elif isinstance(each, str) and each in names:
            sizes.append(Size.of(names[each]))
        else:
            return None
    return tuple(sizes)
