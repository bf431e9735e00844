"""Every node below a node, and the names an expression uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from roofdsl.source import Span
from roofdsl.syntax.expressions import ExpressionSyntax, NameUse, SumOver

N = TypeVar("N")


def walk(node: object, kind: type[N]) -> Iterator[N]:
    """Yield the nodes of one kind at and below a node, in the order of the text.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.parse import parse_expression
    >>> node = parse_expression(Source("demo", "2*N + f(3 B*P)"))
    >>> [use.name for use in walk(node, NameUse)]
    ['N', 'P']
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, kind):
            yield current
        # Nodes are tuples of their parts; what is no tuple is a leaf.
        if isinstance(current, tuple) and not isinstance(current, Span):
            waiting += current[::-1]


def names_used(node: ExpressionSyntax) -> tuple[str, ...]:
    """Return the names an expression uses, functions and indices of sums left out.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.parse import parse_expression
    >>> names_used(parse_expression(Source("demo", "2*N + sum(k*M for k in 1..P)")))
    ('N', 'P', 'M')
    """
    found: dict[str, None] = {}
    waiting: list[tuple[object, frozenset[str]]] = [(node, frozenset())]
    while waiting:
        current, bound = waiting.pop()
        match current:
            case NameUse(name=name):
                if name not in bound:
                    found.setdefault(name)
            case SumOver():
                inner = bound | {current.variable.name}
                waiting.append((current.body, inner))
                waiting += [(current.high, bound), (current.low, bound)]
            case tuple() if not isinstance(current, Span):
                waiting += [(part, bound) for part in current[::-1]]
    return tuple(found)
