"""Build syntax nodes as the parser reduces its rules: one attribute a rule, named as there.

Most nodes have the fields that their rule has names, texts and nodes, in the same order: these are
made by `_node` from the children alone. The others have methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeVar, cast

from lark import Token

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Source, Span
from roofdsl.syntax import expectation_nodes, expressions, nodes, tensor_nodes
from roofdsl.syntax.expressions import ExpressionSyntax

DEEPEST = 200
LONGEST_NUMBER = 400

_DIGITS = r"([\d_]+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
_NUMBER = re.compile(rf"{_DIGITS}(?:[ \t]*(?:±|\+-)[ \t]*{_DIGITS}(?:[ \t]*(%))?)?")


class _Placed(Protocol):
    @property
    def span(self) -> Span: ...


Child: TypeAlias = Token | _Placed | None
_Node = TypeVar("_Node")


class Refusal(Exception):
    """Raised for what the grammar allows and the language does not."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic


def _node(kind: type[_Node], *, many: bool = False) -> Callable[[Builder, list[Child]], _Node]:
    """Return the rule of a node whose fields are the rule's names, texts and nodes in this order.

    Words and signs are left out; of what may be missing there is None. `many`: the last field is a
    tuple of all that is left.
    """
    fields: tuple[str, ...] = getattr(kind, "_fields", ())
    made = cast("Callable[..., _Node]", kind)
    alone = len(fields) - 2  # but for the span and the last

    def rule(builder: Builder, children: list[Child]) -> _Node:
        span = builder.around(children)
        parts: list[object] = []
        for child in children:
            if not isinstance(child, Token):
                parts.append(child)
            elif child.type == "NAME":
                parts.append(builder.identifier(child))
            elif child.type == "STRING":
                parts.append(builder.text(child))
        if many:
            return made(span, *parts[:alone], tuple(parts[alone:]))
        if "depth" in fields:
            return made(span, builder.depth(span, *parts), *parts)
        return made(span, *parts)

    return rule


def _made(kind: type[_Node]) -> Callable[[Builder, list[Child]], _Node]:
    """Return the rule of what has a name, what it is made from, if anything, and statements."""
    made = cast("Callable[..., _Node]", kind)

    def rule(builder: Builder, children: list[Child]) -> _Node:
        inside = _nodes_among(children)
        based = any(_is_sign(child, "WITH") for child in children)
        path, items = (inside[0], inside[1:]) if based else (None, inside)
        return made(builder.around(children), builder.identifier(children[1]), path, items)

    return rule


class Builder:
    """Lark's `transformer`: makes nodes of `source` out of the children of each rule."""

    def __init__(self) -> None:
        self.source = Source("", "")

    def around(self, children: Sequence[Child]) -> Span:
        """Return the place of children, from the first that is there to the last."""
        present = [child for child in children if child is not None]
        first, last = present[0], present[-1]
        start = first.start_pos if isinstance(first, Token) else first.span.start
        end = last.end_pos if isinstance(last, Token) else last.span.end
        assert start is not None and end is not None
        return Span(self.source, start, end)

    def identifier(self, token: Child) -> expressions.Identifier:
        return expressions.Identifier(self.around([token]), str(token))

    def text(self, token: Child) -> expressions.TextLiteral:
        raw = str(token)[1:-1]
        if "\\" in raw:
            raw = re.sub(
                r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), raw
            )
        return expressions.TextLiteral(self.around([token]), raw)

    def depth(self, span: Span, *operands: object) -> int:
        """Return how deep a node at `span` is, one more than its operands; refuse what nests on."""
        depth = 1 + max([getattr(operand, "depth", 0) for operand in operands], default=0)
        if depth > DEEPEST:
            message = f"this expression nests deeper than {DEEPEST} levels"
            place = Label(Span(span.source, span.start, span.start + 1), "it begins here")
            raise Refusal(
                Diagnostic.at("R0106", message, place, hint="name parts of it with `let`")
            )
        return depth

    # Files and declarations

    def start(self, children: list[nodes.Declaration | Token]) -> tuple[nodes.Declaration, ...]:
        return tuple(child for child in children if not isinstance(child, Token))

    def single(self, children: list[ExpressionSyntax]) -> ExpressionSyntax:
        return children[0]

    test = _node(nodes.TestDeclaration, many=True)
    unit = _node(nodes.UnitDeclaration)
    resource = _node(nodes.ResourceDeclaration)

    model = _made(nodes.ModelDeclaration)
    mix = _made(nodes.MixDeclaration)
    machine = variant = _made(nodes.MachineDeclaration)
    device_in_place = _made(nodes.DeviceStatement)

    def device(self, children: list[Child]) -> nodes.DeviceStatement:
        path = cast(expressions.PathSyntax, children[2])
        return nodes.DeviceStatement(
            self.around(children), self.identifier(children[1]), path, None
        )

    def use(self, children: list[Child]) -> nodes.UseDeclaration:
        path = cast(expressions.PathSyntax, children[1])
        alias = self.identifier(children[2]) if children[2] is not None else None
        return nodes.UseDeclaration(self.around(children), path, None, alias)

    def use_file(self, children: list[Child]) -> nodes.UseDeclaration:
        file, alias = self.text(children[1]), self.identifier(children[2])
        return nodes.UseDeclaration(self.around(children), None, file, alias)

    def function(self, children: list[Child]) -> nodes.FunctionDeclaration:
        name, *parameters = [self.identifier(token) for token in children[1:-1]]
        body = cast(ExpressionSyntax, children[-1])
        return nodes.FunctionDeclaration(self.around(children), name, tuple(parameters), body)

    # Statements

    source_ = _node(nodes.SourceStatement)
    parameter = _node(nodes.ParameterStatement)
    kind = _node(nodes.Kind)
    bounds = _node(nodes.BoundsSyntax)
    let = _node(nodes.LetStatement)
    require = _node(nodes.RequireStatement)
    tally = _node(nodes.TallyStatement)
    total = _node(nodes.TotalStatement)
    metric = _node(nodes.MetricStatement)
    job = _node(nodes.JobStatement)
    capacity = _node(nodes.CapacityStatement)
    energy = _node(nodes.EnergyStatement)
    startup = _node(nodes.StartupStatement)
    assignment = _node(nodes.Assignment)
    default = _node(nodes.DefaultStatement)
    operation = _node(nodes.OperationStatement, many=True)
    kept = _node(tensor_nodes.KeptStatement, many=True)
    keep_to = _node(tensor_nodes.KeepToStatement)
    recompute = _node(nodes.RecomputeStatement, many=True)
    sources = _node(tensor_nodes.SourcesSyntax, many=True)
    step_in_place = _node(nodes.StepInPlace, many=True)
    overlap = _node(nodes.OverlapStatement, many=True)
    otherwise = _node(nodes.ElseSyntax, many=True)
    expect = _node(expectation_nodes.Expect)
    expect_failure = _node(expectation_nodes.ExpectFailure)

    def unit_text(self, children: list[Child]) -> expressions.Identifier:
        span = self.around(children)
        return expressions.Identifier(span, "".join(span.text.split()))

    def block(self, children: list[Child]) -> nodes.BlockStatement:
        items = cast("tuple[nodes.Assignment, ...]", _nodes_among(children))
        return nodes.BlockStatement(self.around(children), self.identifier(children[0]), items)

    def choice(self, children: list[Child]) -> nodes.IfStatement:
        condition, *parts = _nodes_among(children)
        otherwise = parts.pop() if children[-1] is not None else None
        return nodes.IfStatement(
            self.around(children),
            cast(ExpressionSyntax, condition),
            cast("tuple[nodes.PartSyntax, ...]", tuple(parts)),
            cast("nodes.ElseSyntax | None", otherwise),
        )

    def loop(self, children: list[Child]) -> nodes.LoopStatement:
        made = cast("Callable[..., nodes.LoopStatement]", nodes.LoopStatement)
        times, *parts = _nodes_among(children)
        keeping = parts.pop(0) if any(_is_sign(child, "KEEPING") for child in children) else None
        return made(self.around(children), str(children[0]), times, tuple(parts), keeping)

    repeat = iterate = wait = loop

    def tensor(self, children: list[Child]) -> tensor_nodes.TensorStatement:
        word, name, value, since = children
        return tensor_nodes.TensorStatement(
            self.around(children),
            cast('Literal["in", "out", "hold"]', str(word)),
            self.identifier(name),
            cast("ExpressionSyntax | None", value),
            None if since is None else self.identifier(since),
        )

    def keep(self, children: list[Child]) -> tensor_nodes.KeepStatement:
        _, name, value, begins, _, ends = children
        return tensor_nodes.KeepStatement(
            self.around(children),
            self.identifier(name),
            cast(ExpressionSyntax, value),
            cast("expressions.PathSyntax | None", begins),
            cast("expressions.PathSyntax | None", ends),
        )

    def step(self, children: list[Child]) -> nodes.StepCall:
        _, name, value, sources, _, place = children
        return nodes.StepCall(
            self.around(children),
            self.identifier(name),
            cast(ExpressionSyntax, value),
            cast("tensor_nodes.SourcesSyntax | None", sources),
            None if place is None else self.identifier(place),
        )

    def serial(self, children: list[Child]) -> nodes.SerialStatement:
        return nodes.SerialStatement(self.around(children), self._paths(children))

    def concurrent(self, children: list[Child]) -> nodes.ConcurrentStatement:
        return nodes.ConcurrentStatement(self.around(children), self._paths(children))

    def _paths(self, children: list[Child]) -> tuple[expressions.PathSyntax, ...]:
        return cast("tuple[expressions.PathSyntax, ...]", _nodes_among(children))

    def rate(self, children: list[Child]) -> nodes.RateStatement:
        path = cast(expressions.PathSyntax, children[0])
        operation, parameters = self._operation(children[1:])
        value = cast(ExpressionSyntax, children[-1])
        return nodes.RateStatement(self.around(children), path, operation, parameters, value)

    def measured(self, children: list[Child]) -> nodes.MeasuredStatement:
        path = cast(expressions.PathSyntax, children[1])
        operation, parameters = self._operation(children[2:])
        return nodes.MeasuredStatement(
            self.around(children),
            path,
            operation,
            parameters,
            self.text(children[-2]),
            children[-1] is not None,
        )

    def _operation(
        self, children: Sequence[Child]
    ) -> tuple[expressions.Identifier | None, tuple[expressions.Identifier, ...]]:
        """Return what stands behind `as`, if anything, and the names in parentheses."""
        word, name, *others = children
        end = next(place for place, child in enumerate(others) if _is_sign(child, "RPAR"))
        named = [self.identifier(token) for token in others[:end]]
        return (None if word is None else self.identifier(name)), tuple(named)

    def expect_close(self, children: list[Child]) -> expectation_nodes.ExpectClose:
        actual, expected, tolerance = cast("list[ExpressionSyntax]", children[1:4])
        percent, word, text = children[4:7]
        return expectation_nodes.ExpectClose(
            self.around(children),
            actual,
            expected,
            tolerance,
            percent is not None,
            word == "read",
            self.text(text) if text is not None else None,
        )

    # Expressions

    argument = _node(expressions.ArgumentSyntax)
    conditional = _node(expressions.IfThenElse)
    grouped = _node(expressions.Grouped)
    is_test = _node(expressions.IsTest)
    on = _node(expressions.On)
    path = _node(expressions.PathSyntax, many=True)
    raised = _node(expressions.Raised)
    sum_over = _node(expressions.SumOver)

    def member(self, children: list[Child]) -> expressions.Member:
        span, value = self.around(children), cast(ExpressionSyntax, children[0])
        depth = self.depth(span, value)
        return expressions.Member(span, depth, value, self.identifier(children[1]))

    def machine_value(self, children: list[Child]) -> expressions.MachineValue:
        return expressions.MachineValue(self.around(children), self.identifier(children[1]))

    def _chain(self, children: list[Child]) -> expressions.Chain:
        operands = cast("tuple[ExpressionSyntax, ...]", tuple(children[::2]))
        span = self.around(children)
        operators = tuple(str(operator) for operator in children[1::2])
        return expressions.Chain(span, self.depth(span, *operands), operators, operands)

    disjunction = conjunction = sum = product = _chain

    def prefix(self, children: list[Child]) -> expressions.Prefix:
        span, operand = self.around(children), cast(ExpressionSyntax, children[1])
        return expressions.Prefix(span, self.depth(span, operand), str(children[0]), operand)

    def relation(self, children: list[Child]) -> expressions.RelationSyntax:
        left, right = cast("list[ExpressionSyntax]", children[::2])
        span = self.around(children)
        depth = self.depth(span, left, right)
        return expressions.RelationSyntax(span, depth, str(children[1]), left, right)

    def number(self, children: list[Token]) -> expressions.NumberLiteral:
        token, span = children[0], self.around(children)
        if len(token) > LONGEST_NUMBER:
            hint = "write it with an exponent, such as 1e30, or as a power, such as 10^30"
            message = (
                f"this number has {len(token):,} characters; at most {LONGEST_NUMBER} are read"
            )
            place = Span(self.source, span.start, span.start + 20)
            raise Refusal(Diagnostic.at("R0109", message, place, hint=hint))
        match = _NUMBER.match(token)
        assert match is not None
        unit = token[match.end() :].lstrip()
        unit_span = Span(self.source, span.end - len(unit), span.end)
        uncertainty = f"{match[2] or ''}{match[3] or ''}"
        return expressions.NumberLiteral(span, match[1], uncertainty, unit, unit_span)

    measure = number

    def name(self, children: list[Token]) -> expressions.NameUse:
        return expressions.NameUse(self.around(children), str(children[0]))

    def truth(self, children: list[Token]) -> expressions.TruthLiteral:
        return expressions.TruthLiteral(self.around(children), children[0] == "true")

    def call(self, children: list[Child]) -> expressions.Call:
        span = self.around(children)
        arguments = tuple(each for each in children if isinstance(each, expressions.ArgumentSyntax))
        depth = self.depth(span, *(argument.value for argument in arguments))
        function = cast(ExpressionSyntax, children[0])
        name = _dotted(function)
        if name is None:
            from roofdsl.syntax.mistakes.values import two_values  # only a mistake needs it

            end, text = function.span.end, span.source.text
            if isinstance(function, expressions.NumberLiteral) and text[end] == "(":
                # What is called was taken for the unit of the number: `3 cg(…)`.
                end = function.unit_span.start
            left, right = text[span.start : end].strip(), text[end : span.end].strip()
            raise Refusal(two_values(span, left, right))
        return expressions.Call(span, depth, expressions.Identifier(function.span, name), arguments)


def _nodes_among(children: Sequence[Child]) -> tuple[Child, ...]:
    return tuple(each for each in children if each is not None and not isinstance(each, Token))


def _is_sign(child: Child, kind: str) -> bool:
    return isinstance(child, Token) and child.type == kind


def _dotted(node: ExpressionSyntax) -> str | None:
    """Return the text of a name, or of names joined by dots; None for anything else."""
    if isinstance(node, expressions.NameUse):
        return node.name
    if isinstance(node, expressions.Member):
        holder = _dotted(node.value)
        return None if holder is None else f"{holder}.{node.name.name}"
    return None
