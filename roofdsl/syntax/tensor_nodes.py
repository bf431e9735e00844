"""The syntax of tensors: what a model reads, makes, holds and keeps, and what a step reads."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from roofdsl.source import Span
from roofdsl.syntax.expressions import ExpressionSyntax, Identifier, PathSyntax


class TensorStatement(NamedTuple):
    """`in x = bytes`, `out y = bytes`, `hold weights = bytes`; `since` is `here`, or not said.

    A composition may read `in x`: of as many bytes as the step has that reads it.
    """

    span: Span
    word: Literal["in", "out", "hold"]
    name: Identifier
    value: ExpressionSyntax | None
    since: Identifier | None


class KeptStatement(NamedTuple):
    """`keep x, y`: tensors that the gradients need."""

    span: Span
    names: tuple[Identifier, ...]


class KeepStatement(NamedTuple):
    """`keep index = bytes`, `keep hidden = bytes from relu to relu_back`."""

    span: Span
    name: Identifier
    value: ExpressionSyntax
    begins: PathSyntax | None
    ends: PathSyntax | None


class KeepToStatement(NamedTuple):
    """`keep forward to backward`: what steps of the one keep, until those of the other are done."""

    span: Span
    begins: PathSyntax
    ends: PathSyntax


class SourcesSyntax(NamedTuple):
    """`from conv3, relu1`: the steps, or tensors, that a step reads."""

    span: Span
    paths: tuple[PathSyntax, ...]


TensorItem: TypeAlias = TensorStatement | KeptStatement | KeepStatement | KeepToStatement
