"""The syntax of expressions: what was written, where. Names and units are not resolved here.

Nodes are named tuples, which are quick to define and to build; every one carries its `span`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from roofdsl.source import Span


class Identifier(NamedTuple):
    """A name and its place."""

    span: Span
    name: str


class TextLiteral(NamedTuple):
    """A string and its place."""

    span: Span
    value: str


class NumberLiteral(NamedTuple):
    """A number as written, with its unit: `22 ± 0.4 GFLOP/s`. `unit` is "" when there is none.

    So is `uncertainty`; `2%` of the number is one, too.
    """

    span: Span
    digits: str
    uncertainty: str
    unit: str
    unit_span: Span


class NameUse(NamedTuple):
    """A bare name."""

    span: Span
    name: str


class TruthLiteral(NamedTuple):
    span: Span
    value: bool


class Chain(NamedTuple):
    """Operands joined by operators of one level: `+ -`, or `* /`, or `and`, or `or`."""

    span: Span
    depth: int
    operators: tuple[str, ...]
    operands: tuple[ExpressionSyntax, ...]


class Prefix(NamedTuple):
    """`-x`, `+x` or `not x`."""

    span: Span
    depth: int
    operator: str
    operand: ExpressionSyntax


class Raised(NamedTuple):
    """`base ^ exponent`."""

    span: Span
    depth: int
    base: ExpressionSyntax
    exponent: ExpressionSyntax


class Grouped(NamedTuple):
    """An expression in parentheses."""

    span: Span
    depth: int
    inner: ExpressionSyntax


class RelationSyntax(NamedTuple):
    """`left < right` and the like."""

    span: Span
    depth: int
    relation: str
    left: ExpressionSyntax
    right: ExpressionSyntax


class IsTest(NamedTuple):
    """`value is integer`, `r.bound is gpu.memory`."""

    span: Span
    depth: int
    value: ExpressionSyntax
    path: PathSyntax


class IfThenElse(NamedTuple):
    span: Span
    depth: int
    condition: ExpressionSyntax
    consequence: ExpressionSyntax
    alternative: ExpressionSyntax


class SumOver(NamedTuple):
    """`sum(body for variable in low..high)`."""

    span: Span
    depth: int
    body: ExpressionSyntax
    variable: Identifier
    low: ExpressionSyntax
    high: ExpressionSyntax


class ArgumentSyntax(NamedTuple):
    """`value` or `name = value` in a call."""

    span: Span
    name: Identifier | None
    value: ExpressionSyntax


class Call(NamedTuple):
    """`name(arguments)`; the name may be dotted."""

    span: Span
    depth: int
    function: Identifier
    arguments: tuple[ArgumentSyntax, ...]


class Member(NamedTuple):
    """`value.name`."""

    span: Span
    depth: int
    value: ExpressionSyntax
    name: Identifier


class MachineValue(NamedTuple):
    """`machine.name` in a parameter's default."""

    span: Span
    name: Identifier


class On(NamedTuple):
    """`value on machine`."""

    span: Span
    depth: int
    value: ExpressionSyntax
    path: PathSyntax


class PathSyntax(NamedTuple):
    """Names joined by dots: `linalg.summa`, `memory.L2`."""

    span: Span
    names: tuple[Identifier, ...]

    @property
    def text(self) -> str:
        return ".".join(part.name for part in self.names)


ExpressionSyntax: TypeAlias = (
    NumberLiteral
    | NameUse
    | TruthLiteral
    | Chain
    | Prefix
    | Raised
    | Grouped
    | RelationSyntax
    | IsTest
    | IfThenElse
    | SumOver
    | Call
    | Member
    | MachineValue
    | On
)


def ungrouped(node: ExpressionSyntax) -> ExpressionSyntax:
    """Return what stands in parentheses, without them."""
    while isinstance(node, Grouped):
        node = node.inner
    return node
