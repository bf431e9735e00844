"""Every node below a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from roofdsl.source import Span

Node = TypeVar("Node")


def walk(node: object, kind: type[Node]) -> Iterator[Node]:
    """Yield the nodes of one kind at and below a node, in the order of the text.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.nodes import NumberLiteral
    >>> from roofdsl.syntax.parse import parse_expression
    >>> node = parse_expression(Source("demo", "2*N + f(3 B)"))
    >>> [number.span.text for number in walk(node, NumberLiteral)]
    ['2', '3 B']
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, kind):
            yield current
        # Nodes are tuples of their parts; what is no tuple is a leaf.
        if isinstance(current, tuple) and not isinstance(current, Span):
            waiting += current[::-1]
