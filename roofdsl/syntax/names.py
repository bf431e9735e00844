"""The names and calls an expression uses."""

from __future__ import annotations

from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import ExpressionSyntax


def names_used(node: ExpressionSyntax) -> tuple[str, ...]:
    """Return the names an expression uses, functions and indices of sums left out.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.parse import parse_expression
    >>> names_used(parse_expression(Source("demo", "2*N + sum(k*M for k in 1..P)")))
    ('N', 'P', 'M')
    """
    found: dict[str, None] = {}
    waiting: list[tuple[ExpressionSyntax, frozenset[str]]] = [(node, frozenset())]
    while waiting:
        current, bound = waiting.pop()
        match current:
            case nodes.NameUse(name=name):
                if name not in bound:
                    found.setdefault(name)
            case nodes.SumOver():
                inner = bound | {current.variable.name}
                waiting.append((current.body, inner))
                waiting += [(current.high, bound), (current.low, bound)]
            case _:
                waiting += [(child, bound) for child in reversed(_operands(current))]
    return tuple(found)


def calls_in(node: ExpressionSyntax) -> tuple[nodes.Call, ...]:
    """Return the calls in an expression, as they stand in the text.

    >>> from roofdsl.source import Source
    >>> from roofdsl.syntax.parse import parse_expression
    >>> node = parse_expression(Source("demo", "f(g(1)) + h(2)"))
    >>> [call.function.name for call in calls_in(node)]
    ['f', 'g', 'h']
    """
    found: list[nodes.Call] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, nodes.Call):
            found.append(current)
        waiting += reversed(_operands(current))
    return tuple(found)


def _operands(node: ExpressionSyntax) -> tuple[ExpressionSyntax, ...]:
    match node:
        case nodes.SumOver():
            return node.body, node.low, node.high
        case nodes.Chain():
            return node.operands
        case nodes.Prefix():
            return (node.operand,)
        case nodes.Raised():
            return node.base, node.exponent
        case nodes.Grouped():
            return (node.inner,)
        case nodes.RelationSyntax():
            return node.left, node.right
        case nodes.IsTest() | nodes.On() | nodes.Member():
            return (node.value,)
        case nodes.IfThenElse():
            return node.condition, node.consequence, node.alternative
        case nodes.Call():
            return tuple(argument.value for argument in node.arguments)
        case _:
            return ()
