"""Which work counts as a model's flops, memory and network traffic, with a machine and without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from roofdsl.allowance import computing, operations
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
_OPERATIONS = 400
"""What it takes to put the arguments of a step in."""


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

    Of a composition it is that of all its steps, none of what is waited for; a mix has none of its
    own. Where a step takes a default from the machine, a
    name such as `machine.cores` stays.
    """
    return total_works(model, (resource,))[resource]


def total_works(model: ModelDefinition, resources: Iterable[str]) -> dict[str, Expression]:
    """Return a model's work on several resources, each as `total_work` does."""
    names = tuple(dict.fromkeys(resources))
    return dict(zip(names, _Totals(names).of(model, bind_open(model)), strict=True))


class _Totals:
    """Adds up the work of steps; those that call one model alike are added up once."""

    def __init__(self, resources: tuple[str, ...]) -> None:
        self.resources = resources
        self._known: dict[object, list[Expression]] = {}

    def of(self, model: ModelDefinition, binding: Binding) -> list[Expression]:
        with computing(f"the work of '{model.name}'", model.span):
            operations().spend(_OPERATIONS)
        if model.parts:
            return self._parts(model.parts, binding)
        found: list[Expression] = []
        for resource in self.resources:
            if "." in resource:
                work = [work for work in model.work if work.key == resource]
            else:
                work = counted(model.work, resource)
            found.append(add(*(binding.expand(item.value) for item in work)) if work else ZERO)
        return found

    def _parts(self, parts: tuple[Part, ...], binding: Binding) -> list[Expression]:
        each = [self._part(part, binding) for part in parts]
        works = [add(*amounts) for amounts in zip(*each, strict=True)]
        return works or [ZERO] * len(self.resources)

    def _part(self, part: Part, binding: Binding) -> list[Expression]:
        if isinstance(part, Repeat) and part.word in ("wait", "job"):
            return [ZERO] * len(self.resources)
        if isinstance(part, Repeat):
            count = binding.expand(part.times)
            return [multiply(count, work) for work in self._parts(part.parts, binding)]
        if not isinstance(part, Step):
            return self._parts(part.parts, binding)
        if part.in_place:
            return self.of(part.model, binding)
        arguments = arguments_of(part, binding.trees)
        key = id(part.model), frozenset((n, tree) for n, (tree, _) in arguments.items())
        found = self._known.get(key)
        if found is None:
            inner, _ = bind(part.model, arguments, from_outside=True)
            found = self._known[key] = self.of(part.model, inner)
        return found
