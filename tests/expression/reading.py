"""Expressions read from the language's own notation."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic
from roofdsl.expression.tree import Expression
from roofdsl.model.elaborate import elaborate
from roofdsl.model.scope import Scope, within
from roofdsl.model.types import Formula
from roofdsl.source import Source
from roofdsl.syntax.parse import parse_expression
from tests.expression.random_trees import SYMBOLS


class Refused(Exception):
    """The language refuses a formula: a constant in it has no value."""


def read(text: str) -> Expression:
    """Return the tree of a text in the names of `SYMBOLS`."""
    node = parse_expression(Source("formula", text))
    assert not isinstance(node, Diagnostic), (text, str(node))
    problems: list[Diagnostic] = []
    names = {symbol.name: Formula(symbol) for symbol in SYMBOLS}
    formula = elaborate(node, within(Scope(problems.append, {}, {}), names))
    if formula is None:
        # Only for that reason: a formula that cannot be read at all is a mistake.
        assert {problem.code for problem in problems} <= {"R0407", "R0305"}, (text, problems)
        raise Refused(text)
    return formula.tree
