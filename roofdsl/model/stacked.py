"""Statements in layers sorted out: which of them rule, which are about a device of a machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.model.layer import Layer
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import ExpressionSyntax, PathSyntax


class Scaled(NamedTuple):
    """A statement that no file has: what is stated before, times a factor.

    `sort` is the word before the path, as in `capacity memory`; "" for rates and names.
    """

    span: Span
    path: PathSyntax
    factor: Fraction
    sort: str


class Given(NamedTuple):
    """What a later layer gives a parameter or `let` of an earlier one: a value, or a factor."""

    value: ExpressionSyntax | Fraction
    layer: int
    span: Span


class OfDevice(NamedTuple):
    """Statements of a layer about a device; the `statement` that makes it one, if that is there."""

    layer: int
    statement: nodes.DeviceStatement | None
    items: tuple[object, ...]


class Stack(NamedTuple):
    """The statements of each layer about the machine itself; what is given to names; devices."""

    items: tuple[tuple[object, ...], ...]
    given: Mapping[str, Sequence[Given]]
    devices: Mapping[str, Sequence[OfDevice]]
    again: Sequence[nodes.DeviceStatement]


def stacked(layers: Sequence[Layer]) -> Stack:
    """Sort out the statements of layers: what a later one states rules over an earlier one.

    A name that is declared again is a new one. A value of a name, or of a device's resource, goes
    where that was declared. `again` are devices that one layer has twice.
    """
    found: list[list[object]] = []
    given: dict[str, list[Given]] = {}
    devices: dict[str, list[OfDevice]] = {}
    again: list[nodes.DeviceStatement] = []
    names: set[str] = set()
    for place, layer in enumerate(layers):
        items = tuple(_plain(layer.items))
        own = {item.name.name for item in items if isinstance(item, _NAMES)}
        for name in own & names:
            given.pop(name, None)
        for lower in found:
            lower[:] = [x for x in lower if not (isinstance(x, _NAMES) and x.name.name in own)]
        for item in items:
            if isinstance(item, nodes.DeviceStatement):
                key = item.name.name
                if any(part.layer == place for part in devices.get(key, ())):
                    again.append(item)
                else:
                    devices[key] = [OfDevice(place, item, item.items or ())]
        kept: list[object] = []
        for item in items:
            if isinstance(item, nodes.BlockStatement) and item.name.name in devices:
                devices[item.name.name].append(OfDevice(place, None, item.items))
            elif isinstance(item, _PATHS):
                path = item.path.names
                if len(path) > 1 and path[0].name in devices:
                    inner = item._replace(path=PathSyntax(item.path.span, path[1:]))
                    devices[path[0].name].append(OfDevice(place, None, (inner,)))
                elif isinstance(item, nodes.Assignment) and item.path.text in names - own:
                    given[item.path.text] = [Given(item.value, place, item.span)]
                elif isinstance(item, Scaled) and not item.sort and item.path.text in names:
                    given.setdefault(item.path.text, []).append(
                        Given(item.factor, place, item.span)
                    )
                else:
                    kept.append(item)
            elif not isinstance(item, nodes.DeviceStatement):
                kept.append(item)
        names |= own
        found.append(kept)
    return Stack(tuple(map(tuple, found)), given, devices, again)


_NAMES = nodes.ParameterStatement | nodes.LetStatement
_PATHS = (
    nodes.Assignment
    | nodes.RateStatement
    | nodes.CapacityStatement
    | nodes.EnergyStatement
    | nodes.StartupStatement
    | nodes.MeasuredStatement
    | Scaled
)


def _plain(items: Iterable[object]) -> Iterator[object]:
    """Yield statements; `capacity { memory = … }`, or of energies, as one for each resource."""
    for item in items:
        entries = item.items if isinstance(item, nodes.BlockStatement) else ()
        plain = [x for x in entries if isinstance(x, nodes.Assignment) and x.selector is None]
        statement = _BLOCKS.get(item.name.name) if isinstance(item, nodes.BlockStatement) else None
        if statement is None or len(plain) < len(entries):
            yield item
        else:
            yield from (statement(x.span, x.path, x.value) for x in plain)


_BLOCKS: dict[str, Callable[[Span, PathSyntax, ExpressionSyntax], object]] = {
    "capacity": nodes.CapacityStatement,
    "energy": nodes.EnergyStatement,
    "startup": nodes.StartupStatement,
}


def stated(items: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield what statements give a value to, and that as written: `memory.L2`, `64 GB/s`."""
    for item in _plain(items):
        match item:
            case nodes.ParameterStatement(name=name, default=value) if value is not None:
                yield name.name, _text(value.span)
            case nodes.LetStatement():
                yield item.name.name, _text(item.value.span)
            case nodes.CapacityStatement():
                yield f"capacity {item.path.text}", _text(item.value.span)
            case nodes.EnergyStatement():
                yield f"energy {item.path.text}", _text(item.value.span)
            case nodes.StartupStatement():
                yield f"startup {item.path.text}", _text(item.value.span)
            case nodes.RateStatement(operation=name) if name is not None:
                yield f"{item.path.text} as {name.name}", _text(item.value.span)
            case nodes.Assignment() | nodes.RateStatement():
                yield item.path.text, _text(item.value.span)
            case nodes.DefaultStatement(path=path):
                yield "default", path.text
            case Scaled(sort=sort):
                yield f"{sort} {item.path.text}".strip(), _text(item.span)
            case nodes.BlockStatement(name=name, items=inner):
                yield from ((f"{name.name}.{key}", text) for key, text in stated(inner))
            case nodes.DeviceStatement(name=name, span=span):
                yield f"device {name.name}", _text(span).partition("=")[2].strip()
            case nodes.MeasuredStatement(path=path, operation=name, file=file):
                own = f" as {name.name}" if name is not None else ""
                yield f"measured {path.text}{own}", _text(file.span)


def _text(span: Span) -> str:
    return " ".join(span.text.split())
