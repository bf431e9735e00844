"""Which work counts as a model's flops, memory and network traffic, with a machine and without."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from roofdsl.analysis.binding import Binding, arguments_of, bind, bind_open
from roofdsl.expression.construct import add, multiply
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.model.types import ModelDefinition, Part, Repeat, Resource, Step


class _OnResource(Protocol):
    @property
    def key(self) -> str: ...

    @property
    def resource(self) -> Resource: ...


T = TypeVar("T", bound=_OnResource)


def counted(items: Sequence[T], resource: str, default: str | None = None) -> list[T]:
    """Return what of one kernel's work counts on a resource.

    Kinds of flops and links of the network add up. Levels of memory see the same traffic: plain
    `memory` counts, else the level that it means on the machine, `default`, else the last one
    stated.
    """
    found = [item for item in items if item.resource.name == resource]
    if resource != "memory" or len(found) < 2:
        return found
    keys = [item.key for item in found]
    chosen = next((key for key in (resource, default) if key in keys), keys[-1])
    return [item for item in found if item.key == chosen]


def total_work(model: ModelDefinition, resource: str) -> Expression:
    """Return a model's work on a resource, or on one of its levels, in its parameters alone.

    Of a composition it is that of all its steps. Where a step takes a default from the machine, a
    name such as `machine.cores` stays.
    """
    return _total(model, resource, bind_open(model))


def _total(model: ModelDefinition, resource: str, binding: Binding) -> Expression:
    if model.parts:
        return _parts(model.parts, resource, binding)
    if "." in resource:
        work = [work for work in model.work if work.key == resource]
    else:
        work = counted(model.work, resource)
    return add(*(binding.expand(item.value) for item in work)) if work else ZERO


def _parts(parts: tuple[Part, ...], resource: str, binding: Binding) -> Expression:
    return add(*(_part(part, resource, binding) for part in parts)) if parts else ZERO


def _part(part: Part, resource: str, binding: Binding) -> Expression:
    if isinstance(part, Repeat):
        return multiply(binding.expand(part.times), _parts(part.parts, resource, binding))
    if not isinstance(part, Step):
        return _parts(part.parts, resource, binding)
    if part.in_place:
        return _total(part.model, resource, binding)
    inner, _ = bind(part.model, arguments_of(part, binding.trees), from_outside=True)
    return _total(part.model, resource, inner)
