"""Run the `test` blocks of a file: each `expect` is evaluated, and says what it got instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from roofdsl.analysis.expectation import expect, expect_close, expect_failure
from roofdsl.analysis.names_of_tests import TestScope, inside, ungrouped
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.types import Module
from roofdsl.numeric.failure import EvaluationError
from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import TestDeclaration

CITATION = re.compile(r"§|\b(Tables?|Eq\.|Figs?\.) ?[\dIVX]")
"""What a test's title has that says where in a paper its numbers stand."""


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """A test that was run: how many expectations it held, and what went wrong.

    `published` are the expectations that give a number back to the digits printed: `~` a number
    and no `within`, in a test whose title cites a table, figure, equation or section.
    """

    __test__ = False  # pytest must not collect it

    title: str
    expectations: int
    problems: tuple[Diagnostic, ...]
    published: int = 0

    @property
    def passed(self) -> bool:
        return not self.problems


def run_tests(module: Module) -> tuple[TestOutcome, ...]:
    """Run every test of a module."""
    return tuple(run_test(test, module) for test in module.tests)


def run_test(test: TestDeclaration, module: Module) -> TestOutcome:
    """Run one test; a failing expectation does not stop those after it."""
    problems: list[Diagnostic] = []
    scope = TestScope(module, problems.append)

    def attempt(item: nodes.TestItem, step: Callable[[nodes.TestItem, TestScope], None]) -> None:
        scope.at = item.span
        try:
            step(item, scope)
        except RoofError as error:
            problems.append(inside(error, scope.at))
        except EvaluationError as error:
            problems.append(
                Diagnostic("R0602", f"this has no value: {error.reason}", (Label(item.span),))
            )

    for item in test.items:
        attempt(item, _run)
    for item in test.items:
        attempt(item, _read)
    count = sum(not isinstance(item, nodes.LetStatement) for item in test.items)
    return TestOutcome(test.title.value, count, tuple(problems), _published(test))


def _run(item: nodes.TestItem, scope: TestScope) -> None:
    match item:
        case nodes.LetStatement():
            scope.let(item)
        case nodes.Expect(condition=condition):
            expect(condition, scope)
        case nodes.ExpectClose():
            expect_close(item, scope)
        case nodes.ExpectFailure():
            expect_failure(item, scope)


def _read(item: nodes.TestItem, scope: TestScope) -> None:
    """See that a `let` has a value though nothing asked for it."""
    if isinstance(item, nodes.LetStatement) and not isinstance(ungrouped(item.value), nodes.On):
        scope.formula(item.name.name, item.name.span)


def _published(test: TestDeclaration) -> int:
    if CITATION.search(test.title.value) is None:
        return 0
    return sum(
        isinstance(item, nodes.ExpectClose)
        and item.tolerance is None
        and isinstance(ungrouped(item.expected), nodes.NumberLiteral)
        for item in test.items
    )
