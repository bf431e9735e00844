"""Run the `test` blocks of a file, or look at them without running anything."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from roofdsl.allowance import RAISE, Exhausted, computing, counting, operations
from roofdsl.analysis.expectation import expect, expect_close, expect_failure
from roofdsl.analysis.names_of_tests import TestScope, inside
from roofdsl.analysis.outlines import OutlineScope
from roofdsl.analysis.printed import Origin, not_printed, origins
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.model.types import Module
from roofdsl.numeric.failure import EvaluationError, TooMuch
from roofdsl.source import Span
from roofdsl.syntax import expectation_nodes, expressions, nodes
from roofdsl.syntax.expressions import ungrouped
from roofdsl.syntax.nodes import TestDeclaration

_OPERATIONS = 1000
"""What a statement of a test takes besides the formulas that it computes."""


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """A test that was run: how many expectations it held, and what went wrong.

    `printed` says of each number that a paper prints, and that came back to its digits, how.
    `ran` is False where the operations of the command did not do for it; the first such test says
    so.
    """

    __test__ = False  # pytest must not collect it

    title: str
    expectations: int
    problems: tuple[Diagnostic, ...]
    printed: tuple[Origin, ...] = ()
    ran: bool = True

    @property
    def passed(self) -> bool:
        return self.ran and not self.problems


def run_tests(module: Module) -> tuple[TestOutcome, ...]:
    """Run every test of a module; a failing expectation does not stop those after it.

    Each file may compute as much as a command, however many there are.
    """
    with counting(afresh=True):
        return _outcomes(module)


def _outcomes(module: Module) -> tuple[TestOutcome, ...]:
    outcomes: list[TestOutcome] = []
    titles: dict[str, Span] = {}
    for test in module.tests:
        title, count = test.title.value, _expectations(test)
        problems = list(_misshapen(test, titles))
        try:
            with computing(f'"{title}"', test.title.span):
                operations().spend(len(test.items) * _OPERATIONS)
                _go_through(test, TestScope(module, problems.append))
        except Exhausted as error:
            note = f'"{title}" is not run, nor is any test after it'
            problem = replace(error.diagnostic(), notes=(note,))
            told = () if outcomes and not outcomes[-1].ran else (problem,)
            outcomes.append(TestOutcome(title, 0, told, ran=False))
        else:
            printed = () if problems else origins(test)
            outcomes.append(TestOutcome(title, count, tuple(problems), printed))
    return tuple(outcomes)


def look_at_tests(module: Module) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the tests of a module, other than expectations that do not hold.

    Predictions are not made: whether their arguments fit bounds and requirements, only a run says.
    """
    problems: list[Diagnostic] = []
    titles: dict[str, Span] = {}

    def report(problem: Diagnostic) -> None:
        # The numbers are made up: that they do not hold, or have no logarithm, means nothing.
        if problem.code not in ("R0601", "R0407", "R0412"):
            problems.append(problem)

    for test in module.tests:
        problems.extend(_misshapen(test, titles))
        with computing(f'"{test.title.value}"', test.title.span):
            _go_through(test, OutlineScope(module, report))
    return tuple(problems)


def _misshapen(test: TestDeclaration, titles: dict[str, Span]) -> Iterator[Diagnostic]:
    """Yield what is wrong with a test as a whole; its title is added to the earlier `titles`."""
    title = test.title
    if not _expectations(test):
        hint = "say what must hold: `expect r.bound is memory`"
        yield Diagnostic("R0606", "this test expects nothing", (Label(title.span),), hint)
    yield from not_printed(test)
    first = titles.setdefault(title.value, title.span)
    if first is not title.span:
        labels = (Label(title.span, "again here"), Label(first, "first here"))
        hint = "give each test a title of its own"
        yield Diagnostic("R0607", f'two tests are called "{title.value}"', labels, hint)


def _expectations(test: TestDeclaration) -> int:
    return sum(not isinstance(item, nodes.LetStatement) for item in test.items)


def _go_through(test: TestDeclaration, scope: TestScope) -> None:
    """Take one statement after the other, and report what is wrong with each to the scope."""
    for step in (_run, _read):
        for item in test.items:
            scope.at = item.span
            try:
                step(item, scope)
            except RoofError as error:
                scope.report(inside(error, scope.at))
            except TooMuch as error:
                message = f"this is not computed: {error.reason}"
                scope.report(Diagnostic("R0412", message, (Label(item.span),), RAISE))
            except EvaluationError as error:
                scope.without_value(item.span, error.reason)


def _run(item: nodes.TestItem, scope: TestScope) -> None:
    match item:
        case nodes.LetStatement():
            scope.let(item)
        case expectation_nodes.Expect(condition=condition):
            expect(condition, scope)
        case expectation_nodes.ExpectClose():
            expect_close(item, scope)
        case expectation_nodes.ExpectFailure():
            expect_failure(item, scope)


def _read(item: nodes.TestItem, scope: TestScope) -> None:
    """Evaluate a `let` that nothing used, so that its mistakes are reported too."""
    if isinstance(item, nodes.LetStatement) and not isinstance(
        ungrouped(item.value), expressions.On
    ):
        scope.formula(item.name.name, item.name.span)
