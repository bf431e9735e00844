"""The operators of a traced module, with what they read."""

from __future__ import annotations

import operator as python_operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roofdsl.importers.graph.size import Shape, numbers, product
from roofdsl.importers.graph.values import Attribute, Operator, Value, Weight
from roofdsl.importers.torch_modules.sizes import Symbols
from roofdsl.importers.torch_modules.strides import moves
from roofdsl.importers.torch_modules.tracing import Traced, kind_of

if TYPE_CHECKING:
    import torch

_SAME_WEIGHT = (
    "_to_copy _unsafe_view alias clone contiguous detach expand flatten permute reshape squeeze t "
    "to transpose unflatten unsqueeze view"
).split()
_PART_OF_WEIGHT = "chunk narrow select slice split split_with_sizes unbind".split()
MADE_OF_SIZES = (
    "arange empty empty_like full full_like new_full new_ones new_zeros ones ones_like rand "
    "rand_like randn scalar_tensor sym_size zeros zeros_like"
).split()
"""What these make hangs on sizes alone."""

_CALLED = {"scaled_dot_product_attention": "attention"}
_LONGEST_LIST = 64


class Read:
    """The operators of a program, its inputs, and the elements of each parameter of the module."""

    def __init__(
        self,
        module: torch.nn.Module,
        traced: Traced,
        sizes: Mapping[str, int],
    ) -> None:
        program = traced.program
        self._taken_apart = traced.taken_apart
        self.symbols = Symbols(sizes)
        self.operators: list[Operator] = []
        self.inputs: list[Value] = []
        self.weights = {name: each.numel() for name, each in module.named_parameters()}
        self._paths: list[str] = []
        self._values: dict[object, Value | tuple[Value, ...]] = {}
        self._parameters = _identities(module)
        signature = {each.arg.name: each for each in program.graph_signature.input_specs}
        for node in program.graph.nodes:
            if node.op == "placeholder":
                self._placeholder(node, signature[node.name])
            elif node.op == "call_function":
                self._call(node)
            elif node.op == "get_attr":
                self._values[node] = Value(node.name, None, constant=True)
        self._name_by_modules()

    def _placeholder(
        self, node: torch.fx.Node, spec: torch.export.graph_signature.InputSpec
    ) -> None:
        kind = spec.kind.name
        given = node.meta.get("val")
        if not hasattr(given, "shape"):
            return
        if kind == "USER_INPUT":
            self.symbols.name(given.shape)
        value = self._value(node.name, given)
        if kind == "USER_INPUT":
            self.inputs.append(value)
        elif kind == "PARAMETER":
            root = self._parameters[str(spec.target)]
            count = self.weights[root]
            value = replace(value, weight=Weight(root, count, count))
        else:  # a buffer or a constant
            value = replace(value, constant=True)
        self._values[node] = value

    def _call(self, node: torch.fx.Node) -> None:
        if node.target is python_operator.getitem:
            whole = self._values.get(node.args[0])
            if isinstance(whole, tuple) and isinstance(node.args[1], int):
                self._values[node] = whole[node.args[1]]
            return
        # What is no operator of tensors but makes them, such as a branch, has its own name.
        kind, made = kind_of(node.target) or str(node.target), self._made(node)
        if not made:
            return
        inputs, names, attributes = self._given(node)
        read = any(each is not None and each.computed for each in inputs)
        if kind in MADE_OF_SIZES or not read:
            self._known_before(node, kind, inputs, made)
            return
        self._values[node] = made[0] if hasattr(node.meta["val"], "shape") else made
        copied = kind == "clone" and not self._taken_apart
        attributes["moves"] = copied or moves(node, kind)
        path, own = _place(node)
        self._paths.append(path if own else "")
        called = f"{path}_{_CALLED.get(kind, kind)}" if path else _CALLED.get(kind, kind)
        self.operators.append(Operator(kind, called, tuple(inputs), made, attributes, names))

    def _name_by_modules(self) -> None:
        """Have an operator that is all its module does bear the module's name."""
        alone = Counter(path for path in self._paths if path)
        for place, path in enumerate(self._paths):
            if alone[path] == 1:
                self.operators[place] = replace(self.operators[place], name=path)

    def _made(self, node: torch.fx.Node) -> tuple[Value, ...]:
        found = node.meta.get("val")
        if hasattr(found, "shape"):
            return (self._value(node.name, found),)
        if not isinstance(found, (list, tuple)):
            return ()
        if not any(hasattr(each, "shape") for each in found):
            return ()
        return tuple(
            self._value(name, each) if hasattr(each, "shape") else Value(name, None, constant=True)
            for name, each in ((f"{node.name}.{place}", each) for place, each in enumerate(found))
        )

    def _given(
        self, node: torch.fx.Node
    ) -> tuple[list[Value | None], dict[str, tuple[int, int]], dict[str, Attribute]]:
        """Return the tensors that a node reads, their places by name, and all else."""
        inputs, names = list[Value | None](), dict[str, tuple[int, int]]()
        attributes = dict[str, Attribute]()
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            return list(self._tensors([*node.args, *node.kwargs.values()])), names, attributes
        for place, argument in enumerate(schema.arguments):
            given = node.args[place] if place < len(node.args) else node.kwargs.get(argument.name)
            left_out = place >= len(node.args) and argument.name not in node.kwargs
            if left_out and argument.has_default_value():
                given = argument.default_value
            tensors = list(self._tensors(given))
            if tensors:
                names[argument.name] = len(inputs), len(inputs) + len(tensors)
                inputs += tensors
            elif not hasattr(given, "meta"):
                attributes[argument.name] = _attribute(given)
        return inputs, names, attributes

    def _tensors(self, given: object) -> Iterator[Value]:
        if isinstance(given, (list, tuple)):
            for each in given:
                yield from self._tensors(each)
            return
        try:
            found = self._values.get(given)
        except TypeError:  # no node
            return
        if isinstance(found, Value):
            yield found
        elif found is not None:
            yield from found

    def _known_before(
        self,
        node: torch.fx.Node,
        kind: str,
        inputs: Sequence[Value | None],
        made: tuple[Value, ...],
    ) -> None:
        """Note what hangs on weights and constants alone: it is known before the module runs."""
        weights = [each for each in inputs if each is not None and each.weight is not None]
        found = []
        for place, value in enumerate(made):
            if len(weights) == 1 and kind in _SAME_WEIGHT:
                found.append(replace(weights[0], name=value.name, shape=value.shape))
            elif len(weights) == 1 and kind in _PART_OF_WEIGHT:
                rest = [each for each in node.args[1:] if isinstance(each, int)]
                part = f"{kind}{place}{rest}"
                found.append(weights[0].as_part(value.name, value.shape, part))
            else:
                found.append(replace(value, constant=True))
        self._values[node] = found[0] if hasattr(node.meta["val"], "shape") else tuple(found)

    def _value(self, name: str, given: torch.Tensor) -> Value:
        return Value(name, self._shape(given.shape), _precision(given))

    def _shape(self, sizes: Sequence[object]) -> Shape | None:
        found = [self.symbols.size(each) for each in sizes]
        known = tuple(each for each in found if each is not None)
        if len(known) < len(found) or product(numbers(known) or (1,)) < 1:
            return None
        return known


def _identities(module: torch.nn.Module) -> dict[str, str]:
    """Return the name that each parameter is counted by, under all names that it has."""
    first: dict[int, str] = {}
    found = {}
    for name, each in module.named_parameters(remove_duplicate=False):
        found[name] = first.setdefault(id(each), name)
    return found


def _precision(given: torch.Tensor) -> str:
    name = str(given.dtype).rpartition(".")[2]
    known = {"float32": "fp32", "float64": "fp64", "float16": "fp16", "bfloat16": "bf16"}
    known |= {"uint8": "int8", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8"}
    return known.get(name, name)


def _attribute(given: object) -> Attribute:
    if isinstance(given, (bool, int, float, str)) or given is None:
        return given
    if isinstance(given, (list, tuple)) and len(given) <= _LONGEST_LIST:
        return tuple(_attribute(each) for each in given)
    return str(given)[:40]


def _place(node: torch.fx.Node) -> tuple[str, bool]:
    """Return the path of the module that an operator stands in, and whether it is one of PyTorch's.

    Those of PyTorch's that hold others are not meant.
    """
    stack = list(node.meta.get("nn_module_stack", {}).values())
    if not stack:
        return "", False
    path, kept = stack[-1]
    path = str(path).replace("L['self'].", "").replace("L['self']", "")
    return path, str(kept).startswith("torch.nn.modules.") and ".container." not in str(kept)
