"""What was written and what it means, apart from where it was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass

from roofdsl.diagnostic import Diagnostic
from roofdsl.model.types import Definition, FunctionDefinition, Module, Step
from roofdsl.source import Source, Span
from roofdsl.syntax.parse import parse

PLACES = ("span", "source", "doc", "written", "text", "place", "layers")


def shape(node: object) -> object:
    """Return a tree of syntax, or of meaning, as nested tuples without places.

    >>> from roofdsl.syntax.parse import parse_expression
    >>> one, other = (parse_expression(Source("demo", text)) for text in ("1 + x", "1+  x"))
    >>> one == other, shape(one) == shape(other)
    (False, True)
    """
    if isinstance(node, Span):
        return None
    if isinstance(node, Step) and not node.in_place:  # what it calls is looked at where it stands
        own = ((name, getattr(node, name)) for name in node._fields if name != "model")
        parts = [(name, shape(value)) for name, value in own if name not in PLACES]
        return ("Step", ("calls", node.model.name), *parts)
    if is_dataclass(node) and not isinstance(node, type):
        # What a function sees, it may be among.
        sees = isinstance(node, FunctionDefinition)
        names = [f.name for f in fields(node) if not (sees and f.name == "functions")]
    elif isinstance(node, tuple) and hasattr(node, "_fields"):
        names = list(node._fields)
    elif isinstance(node, tuple | list):
        return tuple(shape(item) for item in node)
    elif isinstance(node, dict):
        # By name: the order of declarations is of no account.
        return tuple(sorted((key, shape(value)) for key, value in node.items()))
    else:
        return node
    parts = [(name, shape(getattr(node, name))) for name in names if name not in PLACES]
    return (type(node).__name__, *parts)


def syntax(text: str) -> object:
    """Return the shape of a whole file's syntax; it must have no error."""
    declarations, diagnostics = parse(Source("layout.roof", text))
    assert not diagnostics, f"{text}\n{diagnostics[0]}"
    return shape(declarations)


def meaning(module: Module) -> object:
    """Return what a module defines, by name: the order of its statements is of no account."""
    found = []
    definitions: list[Definition] = [*module.models.values()]
    for definition in (*definitions, *module.machines.values()):
        parts: list[object] = [definition.name]
        for field in fields(definition):
            value = getattr(definition, field.name)
            if field.name in PLACES:
                continue
            inside = shape(value)
            if isinstance(inside, tuple) and field.name not in ("name", "parts", "sources"):
                inside = tuple(sorted(inside, key=repr))
            parts.append((field.name, inside))
        found.append(tuple(parts))
    return sorted(found, key=repr), sorted(module.units), sorted(module.functions)


def said(diagnostics: Iterable[Diagnostic]) -> list[tuple[str, str]]:
    """Return the codes and messages of diagnostics, without places, in no order."""
    return sorted((diagnostic.code, diagnostic.message) for diagnostic in diagnostics)
