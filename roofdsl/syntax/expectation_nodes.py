"""The syntax of what a test expects."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.source import Span
from roofdsl.syntax.expressions import ExpressionSyntax, TextLiteral


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
