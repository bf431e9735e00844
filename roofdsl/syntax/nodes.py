"""The syntax of declarations and statements; that of expressions is in `expressions`."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from roofdsl.source import Span
from roofdsl.syntax.expectation_nodes import Expect, ExpectClose, ExpectFailure
from roofdsl.syntax.expressions import (
    ArgumentSyntax,
    ExpressionSyntax,
    Identifier,
    NumberLiteral,
    PathSyntax,
    TextLiteral,
)
from roofdsl.syntax.tensor_nodes import SourcesSyntax, TensorItem


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


class MetricStatement(NamedTuple):
    """`metric tokens_per_s: token/s = value`: what is worked out of the results."""

    span: Span
    name: Identifier
    unit: Identifier | None
    value: ExpressionSyntax


class JobStatement(NamedTuple):
    """`job solver = 1000 * cg(N = 1e9)`: a run of a mix, and how often there is one."""

    span: Span
    name: Identifier
    value: ExpressionSyntax


class CapacityStatement(NamedTuple):
    span: Span
    path: PathSyntax
    value: ExpressionSyntax


class EnergyStatement(NamedTuple):
    """`energy flops.bf16 = 0.6 pJ/flop`."""

    span: Span
    path: PathSyntax
    value: ExpressionSyntax


class StartupStatement(NamedTuple):
    """`startup network = 10 us`."""

    span: Span
    path: PathSyntax
    value: ExpressionSyntax


class Assignment(NamedTuple):
    """`flops[dtype] = value`, `memory.L2 = value`."""

    span: Span
    path: PathSyntax
    selector: Identifier | None
    value: ExpressionSyntax


class RateStatement(NamedTuple):
    """`memory(w) = value`, `flops.matrix as gemm(m, n, k) = value`: a rate of a kernel's work."""

    span: Span
    path: PathSyntax
    operation: Identifier | None
    parameters: tuple[Identifier, ...]
    value: ExpressionSyntax


class DefaultStatement(NamedTuple):
    span: Span
    path: PathSyntax


class BlockStatement(NamedTuple):
    """`memory { L1 = …; DRAM = …; default DRAM }`."""

    span: Span
    name: Identifier
    items: tuple[Assignment | RateStatement | DefaultStatement, ...]


class SerialStatement(NamedTuple):
    """`serial issue, memory`: their times add up."""

    span: Span
    paths: tuple[PathSyntax, ...]


class ConcurrentStatement(NamedTuple):
    """`concurrent flops.matrix, flops.vector`: units that run at once."""

    span: Span
    paths: tuple[PathSyntax, ...]


class DeviceStatement(NamedTuple):
    """`device gpu = gtx_titan`, `device cpu { … }`, `device gpu = gtx_titan with { … }`.

    `path` is the machine that it is, `items` what it has of its own, None without braces.
    """

    span: Span
    name: Identifier
    path: PathSyntax | None
    items: tuple[MachineItem, ...] | None


class OperationStatement(NamedTuple):
    """`as gemm(m = batch, n = O, k = I)`: which operation a kernel is."""

    span: Span
    name: Identifier
    arguments: tuple[ArgumentSyntax, ...]


class MeasuredStatement(NamedTuple):
    """`measured gemm(m, n, k) from "gemm.csv" interpolate`, `measured flops as gemm(m, n, k) …`.

    `path` is the operation, or what has the rates; then `operation` is that which is meant, if any.
    """

    span: Span
    path: PathSyntax
    operation: Identifier | None
    parameters: tuple[Identifier, ...]
    file: TextLiteral
    interpolate: bool


class StepCall(NamedTuple):
    """`step name = model(arguments) on device from sources in place`."""

    span: Span
    name: Identifier
    value: ExpressionSyntax
    sources: SourcesSyntax | None
    place: Identifier | None


class StepInPlace(NamedTuple):
    """`step name on device { … }`: a kernel, or parts, that see the names around them."""

    span: Span
    name: Identifier
    device: PathSyntax | None
    items: tuple[StepItem, ...]


class OverlapStatement(NamedTuple):
    """`overlap { … }`: its parts run at once."""

    span: Span
    parts: tuple[PartSyntax, ...]


class ElseSyntax(NamedTuple):
    """`else { … }`, `else if condition { … }` behind an `if`."""

    span: Span
    parts: tuple[PartSyntax, ...]


class IfStatement(NamedTuple):
    """`if condition { … } else { … }`: parts that run where the condition holds, or where not."""

    span: Span
    condition: ExpressionSyntax
    parts: tuple[PartSyntax, ...]
    otherwise: ElseSyntax | None


class LoopStatement(NamedTuple):
    """`repeat count { … }`; `iterate`: the same parts again; `wait`: idle for so long.

    `keeping` is of how many rounds of an `iterate` what they keep is there at once.
    """

    span: Span
    word: Literal["repeat", "iterate", "wait"]
    times: ExpressionSyntax
    parts: tuple[PartSyntax, ...]
    keeping: ExpressionSyntax | None = None


class RecomputeStatement(NamedTuple):
    """`recompute { … }`: its parts ran before, and kept what they read alone."""

    span: Span
    parts: tuple[PartSyntax, ...]


PartSyntax: TypeAlias = (
    StepCall | StepInPlace | OverlapStatement | IfStatement | LoopStatement | RecomputeStatement
)
StepItem: TypeAlias = (
    LetStatement
    | RequireStatement
    | TallyStatement
    | TotalStatement
    | OperationStatement
    | Assignment
    | BlockStatement
    | TensorItem
    | PartSyntax
)


class FunctionDeclaration(NamedTuple):
    span: Span
    name: Identifier
    parameters: tuple[Identifier, ...]
    body: ExpressionSyntax


class UnitDeclaration(NamedTuple):
    """`unit token`, `unit Mtoken = 1e6 token`."""

    span: Span
    name: Identifier
    measure: NumberLiteral | None


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
    """`model layer { … }`, `model gpt2 = decoder with { … }`: `base` is what it is made from."""

    span: Span
    name: Identifier
    base: PathSyntax | None
    items: tuple[ModelItem, ...]


class MixDeclaration(NamedTuple):
    """`mix month { … }`, `mix june = month with { … }`."""

    span: Span
    name: Identifier
    base: PathSyntax | None
    items: tuple[MixItem, ...]


class MachineDeclaration(NamedTuple):
    """`machine karst { … }`, `machine fast = karst with { … }`: `base` is what it is made from."""

    span: Span
    name: Identifier
    base: PathSyntax | None
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
ModelItem: TypeAlias = (
    _Item
    | TallyStatement
    | TotalStatement
    | MetricStatement
    | OperationStatement
    | TensorItem
    | PartSyntax
)
MixItem: TypeAlias = (
    SourceStatement
    | ParameterStatement
    | LetStatement
    | RequireStatement
    | FunctionDeclaration
    | MetricStatement
    | JobStatement
)
MachineItem: TypeAlias = (
    _Item
    | CapacityStatement
    | EnergyStatement
    | StartupStatement
    | RateStatement
    | SerialStatement
    | ConcurrentStatement
    | DeviceStatement
    | MeasuredStatement
)
TestItem: TypeAlias = LetStatement | Expect | ExpectClose | ExpectFailure
Declaration: TypeAlias = (
    ModelDeclaration
    | MixDeclaration
    | MachineDeclaration
    | TestDeclaration
    | UseDeclaration
    | FunctionDeclaration
    | UnitDeclaration
    | ResourceDeclaration
)
