"""Build syntax nodes as the parser reduces its rules: one method a rule, named as there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol, TypeAlias, cast

from lark import Token

from roofdsl.source import Source, Span
from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import ExpressionSyntax

DEEPEST = 200
LONGEST_NUMBER = 400

_DIGITS = r"([\d_]+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_NUMBER = re.compile(rf"{_DIGITS}(?:[ \t]*(?:±|\+-)[ \t]*{_DIGITS})?")


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


Child: TypeAlias = Token | _Placed | None


class Refusal(Exception):
    """Raised for what the grammar allows and the language does not."""

    def __init__(self, span: Span) -> None:
        super().__init__(str(span))
        self.span = span


class TooDeep(Refusal):
    """An expression nests deeper than `DEEPEST`."""


class TooLong(Refusal):
    """A number has more than `LONGEST_NUMBER` characters."""


class NotCallable(Refusal):
    """Parentheses follow something that is not a name, which ends where `called` does."""

    def __init__(self, span: Span, called: Span) -> None:
        super().__init__(span)
        self.called = called


class Builder:
    """Lark's `transformer`: makes nodes of `source` out of the children of each rule."""

    def __init__(self) -> None:
        self.source = Source("", "")

    def _span(self, first: Child, last: Child) -> Span:
        assert first is not None and last is not None
        start = first.start_pos if isinstance(first, Token) else first.span.start
        end = last.end_pos if isinstance(last, Token) else last.span.end
        assert start is not None and end is not None
        return Span(self.source, start, end)

    def _around(self, children: Sequence[Child]) -> Span:
        present = [child for child in children if child is not None]
        return self._span(present[0], present[-1])

    def _identifier(self, token: Child) -> nodes.Identifier:
        return nodes.Identifier(self._span(token, token), str(token))

    def _text(self, token: Child) -> nodes.Text:
        raw = str(token)[1:-1]
        if "\\" in raw:
            raw = re.sub(
                r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), raw
            )
        return nodes.Text(self._span(token, token), raw)

    def _depth(self, span: Span, *operands: ExpressionSyntax) -> int:
        depth = 1 + max([getattr(operand, "depth", 0) for operand in operands], default=0)
        if depth > DEEPEST:
            raise TooDeep(span)
        return depth

    # Files and declarations

    def start(self, children: list[nodes.Declaration | Token]) -> tuple[nodes.Declaration, ...]:
        return tuple(child for child in children if not isinstance(child, Token))

    def single(self, children: list[ExpressionSyntax]) -> ExpressionSyntax:
        return children[0]

    def _items(self, children: list[Child]) -> list[Child]:
        return [child for child in children if not isinstance(child, Token)]

    def model(self, children: list[Child]) -> nodes.ModelDeclaration:
        items = cast("list[nodes.ModelItem]", self._items(children[2:-1]))
        name = self._identifier(children[1])
        return nodes.ModelDeclaration(self._around(children), name, tuple(items))

    def machine(self, children: list[Child]) -> nodes.MachineDeclaration:
        items = cast("list[nodes.MachineItem]", self._items(children[2:-1]))
        name = self._identifier(children[1])
        return nodes.MachineDeclaration(self._around(children), name, tuple(items))

    def test(self, children: list[Child]) -> nodes.TestDeclaration:
        items = cast("list[nodes.TestItem]", self._items(children[2:-1]))
        return nodes.TestDeclaration(self._around(children), self._text(children[1]), tuple(items))

    def use(self, children: list[Child]) -> nodes.UseDeclaration:
        path = cast(nodes.PathSyntax, children[1])
        alias = self._identifier(children[2]) if children[2] is not None else None
        return nodes.UseDeclaration(self._around(children), path, None, alias)

    def use_file(self, children: list[Child]) -> nodes.UseDeclaration:
        return nodes.UseDeclaration(
            self._around(children), None, self._text(children[1]), self._identifier(children[2])
        )

    def function(self, children: list[Child]) -> nodes.FunctionDeclaration:
        parameters = tuple(self._identifier(token) for token in children[2:-1])
        body = cast(ExpressionSyntax, children[-1])
        name = self._identifier(children[1])
        return nodes.FunctionDeclaration(self._around(children), name, parameters, body)

    def unit(self, children: list[Child]) -> nodes.UnitDeclaration:
        return nodes.UnitDeclaration(self._around(children), self._identifier(children[1]))

    def resource(self, children: list[Child]) -> nodes.ResourceDeclaration:
        shares = self._identifier(children[3]) if children[3] is not None else None
        return nodes.ResourceDeclaration(
            self._around(children),
            self._identifier(children[1]),
            cast(nodes.Identifier, children[2]),
            shares,
        )

    # Statements

    def source_(self, children: list[Child]) -> nodes.SourceStatement:
        return nodes.SourceStatement(self._around(children), self._text(children[1]))

    def parameter(self, children: list[Child]) -> nodes.ParameterStatement:
        return nodes.ParameterStatement(
            self._around(children),
            self._identifier(children[1]),
            cast("nodes.Kind | None", children[2]),
            cast("ExpressionSyntax | None", children[3]),
        )

    def kind(self, children: list[Child]) -> nodes.Kind:
        unit, bounds = children
        return nodes.Kind(
            self._around(children),
            cast(nodes.Identifier, unit),
            cast("nodes.Bounds | None", bounds),
        )

    def bounds(self, children: list[Child]) -> nodes.Bounds:
        low, high = cast("list[ExpressionSyntax | None]", [children[1], children[3]])
        return nodes.Bounds(self._around(children), low, high)

    def unit_text(self, children: list[Child]) -> nodes.Identifier:
        span = self._around(children)
        return nodes.Identifier(span, "".join(span.text.split()))

    def let(self, children: list[Child]) -> nodes.LetStatement:
        value = cast(ExpressionSyntax, children[2])
        return nodes.LetStatement(self._around(children), self._identifier(children[1]), value)

    def require(self, children: list[Child]) -> nodes.RequireStatement:
        return nodes.RequireStatement(self._around(children), cast(ExpressionSyntax, children[1]))

    def tally(self, children: list[Child]) -> nodes.TallyStatement:
        return nodes.TallyStatement(
            self._around(children),
            self._identifier(children[1]),
            cast(nodes.Identifier, children[2]),
            cast(ExpressionSyntax, children[3]),
        )

    def total(self, children: list[Child]) -> nodes.TotalStatement:
        selector = self._identifier(children[2]) if children[2] is not None else None
        path, value = (
            cast(nodes.PathSyntax, children[1]),
            cast("ExpressionSyntax | None", children[3]),
        )
        return nodes.TotalStatement(self._around(children), path, selector, value)

    def capacity(self, children: list[Child]) -> nodes.CapacityStatement:
        path, value = cast(nodes.PathSyntax, children[1]), cast(ExpressionSyntax, children[2])
        return nodes.CapacityStatement(self._around(children), path, value)

    def assignment(self, children: list[Child]) -> nodes.Assignment:
        index = self._identifier(children[1]) if children[1] is not None else None
        path, value = cast(nodes.PathSyntax, children[0]), cast(ExpressionSyntax, children[2])
        return nodes.Assignment(self._around(children), path, index, value)

    def block(self, children: list[Child]) -> nodes.Block:
        items = cast("list[nodes.Assignment | nodes.DefaultStatement]", self._items(children[1:]))
        return nodes.Block(self._around(children), self._identifier(children[0]), tuple(items))

    def default(self, children: list[Child]) -> nodes.DefaultStatement:
        return nodes.DefaultStatement(self._around(children), cast(nodes.PathSyntax, children[1]))

    def device(self, children: list[Child]) -> nodes.DeviceStatement:
        path = cast(nodes.PathSyntax, children[2])
        return nodes.DeviceStatement(self._around(children), self._identifier(children[1]), path)

    def operation(self, children: list[Child]) -> nodes.OperationStatement:
        arguments = tuple(child for child in children if isinstance(child, nodes.Argument))
        name = self._identifier(children[1])
        return nodes.OperationStatement(self._around(children), name, arguments)

    def measured(self, children: list[Child]) -> nodes.MeasuredStatement:
        place = next(
            i for i, child in enumerate(children) if getattr(child, "type", "") == "STRING"
        )
        parameters = tuple(self._identifier(token) for token in children[2:place])
        return nodes.MeasuredStatement(
            self._around(children),
            self._identifier(children[1]),
            parameters,
            self._text(children[place]),
            children[place + 1] is not None,
        )

    def step(self, children: list[Child]) -> nodes.StepCall:
        value = cast(ExpressionSyntax, children[2])
        return nodes.StepCall(self._around(children), self._identifier(children[1]), value)

    def step_in_place(self, children: list[Child]) -> nodes.StepInPlace:
        items = cast(
            "list[nodes.LetStatement | nodes.TotalStatement | nodes.Assignment | nodes.Block]",
            self._items(children[3:]),
        )
        device = cast("nodes.PathSyntax | None", children[2])
        name = self._identifier(children[1])
        return nodes.StepInPlace(self._around(children), name, device, tuple(items))

    def overlap(self, children: list[Child]) -> nodes.OverlapStatement:
        parts = cast("list[nodes.PartSyntax]", self._items(children))
        return nodes.OverlapStatement(self._around(children), tuple(parts))

    def repeat(self, children: list[Child]) -> nodes.RepeatStatement:
        times = cast(ExpressionSyntax, children[1])
        parts = cast("list[nodes.PartSyntax]", self._items(children[2:]))
        return nodes.RepeatStatement(self._around(children), times, tuple(parts))

    def expect(self, children: list[Child]) -> nodes.Expect:
        return nodes.Expect(self._around(children), cast(ExpressionSyntax, children[1]))

    def expect_close(self, children: list[Child]) -> nodes.ExpectClose:
        actual, expected, tolerance = cast("list[ExpressionSyntax]", children[1:4])
        return nodes.ExpectClose(
            self._around(children), actual, expected, tolerance, children[4] is not None
        )

    def expect_failure(self, children: list[Child]) -> nodes.ExpectFailure:
        message = self._text(children[3]) if children[3] is not None else None
        value = cast(ExpressionSyntax, children[1])
        return nodes.ExpectFailure(self._around(children), value, message)

    # Expressions

    def _chain(self, children: list[Child]) -> nodes.Chain:
        operands = cast("tuple[ExpressionSyntax, ...]", tuple(children[::2]))
        span = self._span(children[0], children[-1])
        operators = tuple(str(operator) for operator in children[1::2])
        return nodes.Chain(span, self._depth(span, *operands), operators, operands)

    disjunction = conjunction = sum = product = _chain

    def conditional(self, children: list[Child]) -> nodes.IfThenElse:
        condition, consequence, alternative = cast("list[ExpressionSyntax]", children[1:])
        span = self._around(children)
        depth = self._depth(span, condition, consequence, alternative)
        return nodes.IfThenElse(span, depth, condition, consequence, alternative)

    def prefix(self, children: list[Child]) -> nodes.Prefix:
        span, operand = self._around(children), cast(ExpressionSyntax, children[1])
        return nodes.Prefix(span, self._depth(span, operand), str(children[0]), operand)

    def relation(self, children: list[Child]) -> nodes.RelationSyntax:
        left, right = cast("list[ExpressionSyntax]", children[::2])
        span = self._around(children)
        depth = self._depth(span, left, right)
        return nodes.RelationSyntax(span, depth, str(children[1]), left, right)

    def is_test(self, children: list[Child]) -> nodes.IsTest:
        value, path = cast(ExpressionSyntax, children[0]), cast(nodes.PathSyntax, children[1])
        span = self._around(children)
        return nodes.IsTest(span, self._depth(span, value), value, path)

    def on(self, children: list[Child]) -> nodes.On:
        value, path = cast(ExpressionSyntax, children[0]), cast(nodes.PathSyntax, children[1])
        span = self._around(children)
        return nodes.On(span, self._depth(span, value), value, path)

    def raised(self, children: list[Child]) -> nodes.Raised:
        base, exponent = cast("list[ExpressionSyntax]", children)
        span = self._around(children)
        return nodes.Raised(span, self._depth(span, base, exponent), base, exponent)

    def member(self, children: list[Child]) -> nodes.Member:
        value, name = cast(ExpressionSyntax, children[0]), self._identifier(children[1])
        span = self._around(children)
        return nodes.Member(span, self._depth(span, value), value, name)

    def number(self, children: list[Token]) -> nodes.NumberLiteral:
        token = children[0]
        span = self._span(token, token)
        if len(token) > LONGEST_NUMBER:
            raise TooLong(span)
        match = _NUMBER.match(token)
        assert match is not None
        unit = token[match.end() :].lstrip()
        unit_span = Span(self.source, span.end - len(unit), span.end)
        return nodes.NumberLiteral(span, match[1], match[2] or "", unit, unit_span)

    def name(self, children: list[Token]) -> nodes.NameUse:
        return nodes.NameUse(self._span(children[0], children[0]), str(children[0]))

    def truth(self, children: list[Token]) -> nodes.TruthLiteral:
        return nodes.TruthLiteral(self._span(children[0], children[0]), children[0] == "true")

    def machine_value(self, children: list[Child]) -> nodes.MachineValue:
        return nodes.MachineValue(self._around(children), self._identifier(children[1]))

    def argument(self, children: list[Child]) -> nodes.Argument:
        name = self._identifier(children[0]) if children[0] is not None else None
        return nodes.Argument(self._around(children), name, cast(ExpressionSyntax, children[1]))

    def call(self, children: list[Child]) -> nodes.Call:
        span = self._around(children)
        arguments = tuple(child for child in children if isinstance(child, nodes.Argument))
        depth = self._depth(span, *(argument.value for argument in arguments))
        function = cast(ExpressionSyntax, children[0])
        name = _dotted(function)
        if name is None:
            raise NotCallable(span, function.span)
        return nodes.Call(span, depth, nodes.Identifier(function.span, name), arguments)

    def sum_over(self, children: list[Child]) -> nodes.SumOver:
        body, low, high = cast("list[ExpressionSyntax]", [children[1], children[3], children[5]])
        span = self._around(children)
        depth = self._depth(span, body, low, high)
        return nodes.SumOver(span, depth, body, self._identifier(children[2]), low, high)

    def grouped(self, children: list[Child]) -> nodes.Grouped:
        span, inner = self._around(children), cast(ExpressionSyntax, children[1])
        return nodes.Grouped(span, self._depth(span, inner), inner)

    def path(self, children: list[Child]) -> nodes.PathSyntax:
        names = tuple(self._identifier(token) for token in children)
        return nodes.PathSyntax(self._around(children), names)


def _dotted(node: ExpressionSyntax) -> str | None:
    """Return the text of a name, or of names joined by dots; None for anything else."""
    if isinstance(node, nodes.NameUse):
        return node.name
    if isinstance(node, nodes.Member):
        holder = _dotted(node.value)
        return None if holder is None else f"{holder}.{node.name.name}"
    return None
