"""Trace a module of PyTorch by `torch.export`, with sizes left open."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch


class Untraceable(Exception):
    """Raised where a module cannot be traced, with the reason that PyTorch gives."""


class Traced(NamedTuple):
    """A program; where operators were `taken_apart`, what does nothing is there as a copy."""

    program: torch.export.ExportedProgram
    taken_apart: bool


def traced(
    module: torch.nn.Module,
    inputs: object,
    sizes: Mapping[str, int],
    has_rule: Callable[[str], bool],
) -> Traced:
    """Return what a module does with inputs like these; `sizes` names dimensions that are open.

    Where it works with the sizes of these inputs alone, they stay. Operators that there is no rule
    for are taken apart where PyTorch knows what they are made of.
    """
    import torch

    args, kwargs = _called(inputs)
    axes = set(sizes.values())
    for axis in axes:
        args, kwargs = _twice(args, axis, kwargs)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        try:
            shapes = _open(args, kwargs, axes)
            program = torch.export.export(module, args, kwargs, dynamic_shapes=shapes)
        except Exception:  # noqa: BLE001 - of many kinds; without open sizes it may work
            program = _closed(module, *_called(inputs))
        return _taken_apart(program, has_rule)


def _closed(
    module: torch.nn.Module, args: tuple[object, ...], kwargs: dict[str, object]
) -> torch.export.ExportedProgram:
    import torch

    try:
        return torch.export.export(module, args, kwargs)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        raise Untraceable(lines[0][:200] if lines else type(error).__name__) from error


def _called(inputs: object) -> tuple[tuple[object, ...], dict[str, object]]:
    """Return what a module is called with: one tensor, several by place, or several by name."""
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    if isinstance(inputs, Sequence):
        return tuple(inputs), {}
    return (inputs,), {}


def _twice(
    args: tuple[object, ...], axis: int, kwargs: dict[str, object]
) -> tuple[tuple[object, ...], dict[str, object]]:
    """Repeat tensors that all have a size of one: PyTorch takes one for a number that stays."""
    import torch

    found = [x for x in _tensors([*args, *kwargs.values()]) if x.dim() > axis]
    if not found or any(x.shape[axis] != 1 for x in found):
        return args, kwargs

    def repeated(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return torch.cat([value, value], axis) if value.dim() > axis else value
        if isinstance(value, (list, tuple)):
            return type(value)(map(repeated, value))
        if isinstance(value, dict):
            return {key: repeated(each) for key, each in value.items()}
        return value

    return tuple(map(repeated, args)), {key: repeated(each) for key, each in kwargs.items()}


def _tensors(values: Sequence[object]) -> list[torch.Tensor]:
    import torch

    found = list[torch.Tensor]()
    for value in values:
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found += _tensors(value)
        elif isinstance(value, dict):
            found += _tensors(list(value.values()))
    return found


def _open(args: tuple[object, ...], kwargs: dict[str, object], axes: set[int]) -> object:
    """Return which dimensions are open, in the form of the inputs."""
    import torch

    def shape(value: object) -> object:
        if isinstance(value, torch.Tensor):
            return {axis: torch.export.Dim.AUTO for axis in axes if axis < value.dim()}
        if isinstance(value, (list, tuple)):
            return type(value)(map(shape, value))
        if isinstance(value, dict):
            return {key: shape(each) for key, each in value.items()}
        return None

    if kwargs:
        return {key: shape(each) for key, each in kwargs.items()}
    return tuple(map(shape, args))


def _taken_apart(program: torch.export.ExportedProgram, has_rule: Callable[[str], bool]) -> Traced:
    import torch

    known = torch.export.default_decompositions()
    unknown = {}
    for node in program.graph.nodes:
        name = kind_of(node.target)
        if node.op == "call_function" and name and not has_rule(name) and node.target in known:
            unknown[node.target] = known[node.target]
    if not unknown:
        return Traced(program, taken_apart=False)
    return Traced(program.run_decompositions(unknown), taken_apart=True)


def kind_of(target: object) -> str:
    """Return the name of an operator of PyTorch, without what says that it works in place.

    What is no operator of tensors, such as arithmetic on sizes, has none.
    """
    schema = getattr(target, "_schema", None)
    if schema is None:
        return ""
    space, _, name = str(schema.name).rpartition("::")
    name = name if name.startswith("_") or not name.endswith("_") else name[:-1]
    return name if space == "aten" else f"{space}.{name}"
