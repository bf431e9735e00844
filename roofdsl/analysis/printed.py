"""Numbers that a paper prints: whether a test computes, reads back, or corrects them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Literal, TypeAlias, get_args

from roofdsl.diagnostic import Diagnostic
from roofdsl.model.functions import BUILT_IN
from roofdsl.syntax import expressions
from roofdsl.syntax.expectation_nodes import ExpectClose
from roofdsl.syntax.expressions import ExpressionSyntax, ungrouped
from roofdsl.syntax.names import walk
from roofdsl.syntax.nodes import LetStatement, TestDeclaration

Origin: TypeAlias = Literal["computed", "read back", "corrected"]
"""How a printed number comes back to its digits; `corrected`: the paper prints another."""
ORIGINS: tuple[Origin, ...] = get_args(Origin)
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def origins(test: TestDeclaration) -> tuple[Origin, ...]:
    """Return how each printed number of a test comes back, if all its expectations hold."""
    lines = (item for item in test.items if isinstance(item, ExpectClose))
    return tuple(_origin(item, item.line.value) for item in lines if item.line is not None)


def not_printed(test: TestDeclaration) -> Iterator[Diagnostic]:
    """Yield what is wrong with the expectations that say in which line of a paper they are printed.

    What a model, a machine or a function of one's own gives is worth comparing with; a number
    written out beside another is not.
    """
    derived: set[str] = set()
    for item in test.items:
        if isinstance(item, LetStatement) and _is_derived(item.value, derived):
            derived.add(item.name.name)
        if not isinstance(item, ExpectClose) or item.line is None:
            continue
        if item.tolerance is not None:
            message, place = "a printed number comes back to its digits", item.tolerance.span
            yield Diagnostic.at("R0609", message, place, hint="leave out `within`, or the line")
        if not _NUMBER.search(item.line.value):
            hint = 'quote what prints it: `printed "an intensity of 11.3"`'
            yield Diagnostic.at("R0609", "this line prints no number", item.line.span, hint=hint)
        if not _is_derived(item.actual, derived):
            message, place = "this comes from no model, machine or function", item.actual.span
            hint = "compute it from a model, or leave out the line of the paper"
            yield Diagnostic.at("R0609", message, place, hint=hint)
        elif not item.read and _is_typed(item.actual, derived):
            message, place = "this is what the machine's file says", item.actual.span
            hint = "say `read` of what comes back as it was typed"
            yield Diagnostic.at("R0609", message, place, hint=hint)


def _is_derived(node: ExpressionSyntax, derived: set[str]) -> bool:
    """Return whether a value comes from a prediction, a machine or a function of one's own."""
    for part in walk(node, tuple):
        match part:
            case expressions.On() | expressions.Member():
                return True
            case expressions.Call(function=function) if function.name not in BUILT_IN:
                return True
            case expressions.NameUse(name=name) if name in derived:
                return True
    return False


def _is_typed(node: ExpressionSyntax, lets: set[str]) -> bool:
    """Return whether a value is a rate or parameter of a machine, as it stands in its file."""
    first, *rest = ungrouped(node).span.text.split(".")
    return (
        isinstance(ungrouped(node), expressions.Member)
        and first.isidentifier()
        and first not in lets
        and "ridge" not in rest
    )


def _origin(item: ExpectClose, line: str) -> Origin:
    expected = ungrouped(item.expected)
    if isinstance(expected, expressions.Prefix):
        expected = expected.operand
    assert isinstance(expected, expressions.NumberLiteral)  # else it has not passed
    printed = [number.replace(",", "") for number in _NUMBER.findall(line)]
    if not any(_same(expected.digits.replace("_", ""), number, line) for number in printed):
        return "corrected"
    return "read back" if item.read else "computed"


def _same(expected: str, printed: str, line: str) -> bool:
    """Return whether two numbers have the same digits, in units that may differ by a prefix.

    In a line with a percent sign one of them may be the ratio: 84.6 and 0.846.
    """
    if significant(expected) != significant(printed):
        return False
    if not significant(expected):
        return True
    decades = round(math.log10(float(expected) / float(printed)))
    return decades % 3 == 0 or (abs(decades) == 2 and "%" in line)


def significant(digits: str) -> str:
    """Return a number's digits without what units and notation change: 12,937.6 is 129376."""
    mantissa = digits.lower().partition("e")[0]
    return re.sub(r"[,._]", "", mantissa).strip("0")
