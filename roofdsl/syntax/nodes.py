"""The syntax of declarations and statements; that of expressions is in `expressions`."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from roofdsl.source import Span
from roofdsl.syntax.expressions import (
    ArgumentSyntax,
    ExpressionSyntax,
    Identifier,
    PathSyntax,
    TextLiteral,
)


class SourceStatement(NamedTuple):
    span: Span
    text: TextLiteral


class BoundsSyntax(NamedTuple):
    span: Span
    low: ExpressionSyntax | None
    high: ExpressionSyntax | None


class Kind(NamedTuple):
    """`integer[2..]`, `GB/s`: a kind or a unit, as text, and bounds."""

    span: Span
    unit: Identifier
    bounds: BoundsSyntax | None


class ParameterStatement(NamedTuple):
    span: Span
    name: Identifier
    kind: Kind | None
    default: ExpressionSyntax | None


class LetStatement(NamedTuple):
    span: Span
    name: Identifier
    value: ExpressionSyntax


class RequireStatement(NamedTuple):
    span: Span
    condition: ExpressionSyntax


class TallyStatement(NamedTuple):
    span: Span
    name: Identifier
    unit: Identifier
    value: ExpressionSyntax


class TotalStatement(NamedTuple):
    """`total flops = value`: the work of all processes; `total even`, which has no value."""

    span: Span
    path: PathSyntax
    selector: Identifier | None
    value: ExpressionSyntax | None


class CapacityStatement(NamedTuple):
    span: Span
    path: PathSyntax
    value: ExpressionSyntax


class Assignment(NamedTuple):
    """`flops[dtype] = value`, `memory.L2 = value`."""

    span: Span
    path: PathSyntax
    selector: Identifier | None
    value: ExpressionSyntax


class DefaultStatement(NamedTuple):
    span: Span
    path: PathSyntax


class BlockStatement(NamedTuple):
    """`memory { L1 = …; DRAM = …; default DRAM }`."""

    span: Span
    name: Identifier
    items: tuple[Assignment | DefaultStatement, ...]


class DeviceStatement(NamedTuple):
    """`device gpu = gtx_titan`."""

    span: Span
    name: Identifier
    path: PathSyntax


class OperationStatement(NamedTuple):
    """`as gemm(m = batch, n = O, k = I)`: which operation a kernel is."""

    span: Span
    name: Identifier
    arguments: tuple[ArgumentSyntax, ...]


class MeasuredStatement(NamedTuple):
    """`measured gemm(m, n, k) from "gemm.csv" interpolate`."""

    span: Span
    name: Identifier
    parameters: tuple[Identifier, ...]
    file: TextLiteral
    interpolate: bool


class StepCall(NamedTuple):
    """`step name = model(arguments) on device`."""

    span: Span
    name: Identifier
    value: ExpressionSyntax


class StepInPlace(NamedTuple):
    """`step name on device { … }`: a kernel that sees the names around it."""

    span: Span
    name: Identifier
    device: PathSyntax | None
    items: tuple[LetStatement | TotalStatement | Assignment | BlockStatement, ...]


class OverlapStatement(NamedTuple):
    """`overlap { … }`: its parts run at once."""

    span: Span
    parts: tuple[PartSyntax, ...]


class RepeatStatement(NamedTuple):
    """`repeat count { … }`: its parts run `times` times."""

    span: Span
    times: ExpressionSyntax
    parts: tuple[PartSyntax, ...]


PartSyntax: TypeAlias = StepCall | StepInPlace | OverlapStatement | RepeatStatement


class Expect(NamedTuple):
    span: Span
    condition: ExpressionSyntax


class ExpectClose(NamedTuple):
    """`expect actual ~ expected [within tolerance [%]] [printed|read "line of a paper"]`."""

    span: Span
    actual: ExpressionSyntax
    expected: ExpressionSyntax
    tolerance: ExpressionSyntax | None
    percent: bool
    read: bool
    line: TextLiteral | None


class ExpectFailure(NamedTuple):
    span: Span
    value: ExpressionSyntax
    message: TextLiteral | None


class FunctionDeclaration(NamedTuple):
    span: Span
    name: Identifier
    parameters: tuple[Identifier, ...]
    body: ExpressionSyntax


class UnitDeclaration(NamedTuple):
    span: Span
    name: Identifier


class ResourceDeclaration(NamedTuple):
    span: Span
    name: Identifier
    unit: Identifier
    shares: Identifier | None


class UseDeclaration(NamedTuple):
    """`use linalg.summa`, `use "./mine.roof" as mine`: a path or a file."""

    span: Span
    path: PathSyntax | None
    file: TextLiteral | None
    alias: Identifier | None

    @property
    def name(self) -> Identifier:
        """What the file is called here: as `as` says, else the last part of its path."""
        if self.alias is not None:
            return self.alias
        assert self.path is not None  # the grammar asks for `as` behind a file
        return self.path.names[-1]


class ModelDeclaration(NamedTuple):
    span: Span
    name: Identifier
    items: tuple[ModelItem, ...]


class MachineDeclaration(NamedTuple):
    span: Span
    name: Identifier
    items: tuple[MachineItem, ...]


class TestDeclaration(NamedTuple):
    span: Span
    title: TextLiteral
    items: tuple[TestItem, ...]


_Item: TypeAlias = (
    SourceStatement
    | ParameterStatement
    | LetStatement
    | RequireStatement
    | FunctionDeclaration
    | Assignment
    | BlockStatement
)
ModelItem: TypeAlias = _Item | TallyStatement | TotalStatement | OperationStatement | PartSyntax
MachineItem: TypeAlias = _Item | CapacityStatement | DeviceStatement | MeasuredStatement
TestItem: TypeAlias = LetStatement | Expect | ExpectClose | ExpectFailure
Declaration: TypeAlias = (
    ModelDeclaration
    | MachineDeclaration
    | TestDeclaration
    | UseDeclaration
    | FunctionDeclaration
    | UnitDeclaration
    | ResourceDeclaration
)
