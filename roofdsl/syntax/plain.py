"""Nodes of syntax as plain data, and back: numbers, texts, tuples and lists, which any form keeps.

A node is a tuple: the number of its kind, where its span starts and ends, its other fields. A span
is one without other fields, a list stands for a tuple of nodes or texts.
"""

from __future__ import annotations

from typing import TypeAlias, cast

from roofdsl.source import Source, Span
from roofdsl.syntax import expectation_nodes, expressions, nodes, tensor_nodes
from roofdsl.syntax.nodes import Declaration

Plain: TypeAlias = "int | str | tuple[Plain, ...] | list[Plain] | None"

_KINDS: tuple[type, ...] = (
    Span,
    *(
        kind
        for module in (expressions, nodes, expectation_nodes, tensor_nodes)
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
    ),
)
_NUMBER_OF = {kind: number for number, kind in enumerate(_KINDS)}


def plain(value: object) -> Plain:
    """Return the plain data of declarations, or of a part of one."""
    if isinstance(value, str):
        return str(value)  # of a token the text alone
    if not isinstance(value, tuple):
        return cast("int | None", value)
    number = _NUMBER_OF.get(type(value))
    if number is None:
        return [plain(item) for item in value]
    if isinstance(value, Span):
        return number, value.start, value.end
    span: Span = value[0]
    return (number, span.start, span.end, *map(plain, value[1:]))


def declarations_of(data: Plain, source: Source) -> tuple[Declaration, ...]:
    """Return the declarations of a source that `plain` made this data of."""

    def node(item: Plain) -> object:
        if type(item) is tuple:
            number, start, end, *fields = item
            span = Span(source, cast(int, start), cast(int, end))
            return _KINDS[cast(int, number)](span, *map(node, fields)) if number else span
        return tuple([node(each) for each in item]) if type(item) is list else item

    return cast("tuple[Declaration, ...]", node(data))
