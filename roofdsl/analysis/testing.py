"""Run the `test` blocks of a file: each `expect` is evaluated, and says what it got instead."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from roofdsl.analysis.members import LIMITS, NO_SUCH, beyond_numbers, member, names_of
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, Ridge, evaluated, machine_ridge
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean, listing
from roofdsl.expression.tree import Comparison, Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.arguments import Argument, argument
from roofdsl.model.elaborate import elaborate, truth, value
from roofdsl.model.library import find_machine, find_model
from roofdsl.model.literal import decimal
from roofdsl.model.precision import PRECISION, named
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, MachineDefinition, ModelDefinition, Module
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import ExpressionSyntax, TestDeclaration
from roofdsl.units.dimension import DIMENSIONLESS, SECOND
from roofdsl.units.quantity import show_quantity

# What a comparison says when it does not hold.
CONTRARY = {
    "==": "is not",
    "!=": "is",
    "<": "is not less than",
    "<=": "is more than",
    ">": "is not more than",
    ">=": "is less than",
}
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
    scope = _TestScope(module, problems.append)

    def attempt(item: nodes.TestItem, step: Callable[[nodes.TestItem, _TestScope], None]) -> None:
        scope.at = item.span
        try:
            step(item, scope)
        except RoofError as error:
            problems.append(_inside(error, scope.at))
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


def _run(item: nodes.TestItem, scope: _TestScope) -> None:
    match item:
        case nodes.LetStatement():
            scope.let(item)
        case nodes.Expect(condition=condition):
            _expect(condition, scope)
        case nodes.ExpectClose():
            _expect_close(item, scope)
        case nodes.ExpectFailure():
            _expect_failure(item, scope)


def _read(item: nodes.TestItem, scope: _TestScope) -> None:
    """See that a `let` has a value though nothing asked for it."""
    if isinstance(item, nodes.LetStatement) and not isinstance(_ungrouped(item.value), nodes.On):
        scope.formula(item.name.name, item.name.span)


def _published(test: TestDeclaration) -> int:
    if CITATION.search(test.title.value) is None:
        return 0
    return sum(
        isinstance(item, nodes.ExpectClose)
        and item.tolerance is None
        and isinstance(_ungrouped(item.expected), nodes.NumberLiteral)
        for item in test.items
    )


class _TestScope(Scope):
    """The names of a test: its `let`s, the module's models and machines, the bundled library."""

    def __init__(self, module: Module, report: Callable[[Diagnostic], None]) -> None:
        super().__init__(report, module.units, dict(module.functions))
        self._module = module
        self._results: dict[str, Result] = {}
        self._failed: set[str] = set()
        self.at = Span(module.source, 0, 0)  # what is being evaluated

    def let(self, statement: nodes.LetStatement) -> None:
        node, name = _ungrouped(statement.value), statement.name.name
        if not isinstance(node, nodes.On):
            self.declare(statement.name, lambda: self._elaborated(statement.value))
        elif self.declare(statement.name, lambda: self._not_a_number(statement.name)):
            self._failed.add(name)
            result = self.result(node)
            if result is not None:
                self._results[name] = result
                self._failed.discard(name)

    def _elaborated(self, node: ExpressionSyntax) -> Formula | None:
        try:
            return elaborate(node, self)
        except RoofError as error:
            self.report(_inside(error, self.at))
            return None

    def _not_a_number(self, name: nodes.Identifier) -> None:
        if name.name in self._results:
            message, hint = (
                f"`{name.name}` is a prediction",
                f"ask for a number: `{name.name}.time`",
            )
            self.report(Diagnostic("R0604", message, (Label(self.at),), hint))

    def special(self, node: ExpressionSyntax) -> Formula | None:
        if isinstance(node, nodes.Member):
            holder = self.holder(node.value)
            if holder is None:
                return None
            name = node.name.name
            found = member(holder, name)
            if isinstance(found, Formula):
                return found
            known = names_of(holder)
            hint = f"it is expected with `is`: `{node.span.text} {found}`"
            if name == "bound":
                hint = f"a bound is tested with `is`: `{node.span.text} is flops`"
            elif found == NO_SUCH:
                hint = did_you_mean(name, known) or f"a prediction has {', '.join(known)}"
            message = f"`{node.span.text}` {found}"
            self.report(Diagnostic("R0604", message, (Label(node.name.span),), hint))
            return None
        return super().special(node)

    def holder(self, node: ExpressionSyntax) -> Result | Ridge | None:
        """Return what a member is asked of: a prediction, or the ridge points of one."""
        node = _ungrouped(node)
        if isinstance(node, nodes.On):
            return self.result(node)
        if isinstance(node, nodes.NameUse) and node.name in self._results:
            return self._results[node.name]
        if isinstance(node, nodes.NameUse) and node.name in self._failed:
            return None  # which has been reported
        if isinstance(node, nodes.Member) and node.name.name == "ridge":
            inner = _ungrouped(node.value)
            if isinstance(inner, nodes.NameUse) and inner.name not in self._results:
                return machine_ridge(self.machine(inner.name))
            holder = self.holder(node.value)
            return holder.ridge if isinstance(holder, Result) else None
        self.report(
            Diagnostic(
                "R0604",
                f"`{node.span.text}` is not a prediction",
                (Label(node.span),),
                "a prediction is written `model(name = value, …) on machine`",
            )
        )
        return None

    def result(self, node: nodes.On) -> Result | None:
        """Evaluate `model(arguments) on machine`."""
        call = _ungrouped(node.value)
        if not isinstance(call, nodes.Call):
            self.report(
                Diagnostic(
                    "R0603",
                    "only a model can be put on a machine",
                    (Label(call.span),),
                    "write `model(name = value, …) on machine`",
                )
            )
            return None
        self.at = call.function.span
        model = self.model(call.function.name)
        known = {parameter.name: parameter for parameter in model.parameters}
        arguments: dict[str, Argument] = {}
        for index, given in enumerate(call.arguments):
            if given.name is not None:
                name = given.name.name
            elif index < len(known):
                name = list(known)[index]
            else:
                message = f"'{model.name}' has {len(known)} parameters, and no more arguments"
                hint = f"it has {listing(known)}"
                self.report(Diagnostic("R0205", message, (Label(given.span),), hint))
                return None
            if name in arguments:
                message = f"'{name}' is given twice"
                self.report(Diagnostic("R0205", message, (Label(given.span),)))
                return None
            found = argument(known.get(name), given.value, self)
            if found is None:
                return None
            arguments[name] = found
        self.at = node.path.span
        machine = self.machine(node.path.text)
        self.at = node.span
        prediction, problems = predict(model, machine, arguments)
        if problems:
            raise RoofError(problems)
        return evaluated(prediction)

    def model(self, name: str) -> ModelDefinition:
        return self._module.models.get(name) or find_model(name, self._module)[0]

    def machine(self, name: str) -> MachineDefinition:
        return self._module.machines.get(name) or find_machine(name, self._module)[0]


def _expect(condition: ExpressionSyntax, scope: _TestScope) -> None:
    node = _ungrouped(condition)
    if isinstance(node, nodes.IsTest) and isinstance(node.value, nodes.Member):
        if node.value.name.name == "bound":
            _expect_bound(node, node.value, scope)
            return
        if node.path.text in LIMITS:
            _expect_limit(node, node.value, scope)
            return
    tree = truth(node, scope)
    if tree is not None and not evaluate(tree, {}):
        shown = _sides(tree, node, scope)
        message = f"`{mismatch.excerpt(condition.span)}` does not hold"
        scope.report(Diagnostic("R0601", message, (Label(condition.span, shown),)))


def _expect_bound(node: nodes.IsTest, member: nodes.Member, scope: _TestScope) -> None:
    holder = scope.holder(member.value)
    if isinstance(holder, Result) and holder.bound != node.path.text:
        times = ", ".join(
            f"{name} {show_quantity(time, SECOND)}" for name, time in holder.times.items()
        )
        scope.report(
            Diagnostic(
                "R0601",
                f"the bound is {holder.bound or 'undefined'}, not {node.path.text}",
                (Label(node.span),),
                f"times: {times}",
            )
        )


def _expect_limit(node: nodes.IsTest, asked: nodes.Member, scope: _TestScope) -> None:
    holder = scope.holder(asked.value)
    if holder is None:
        return
    limit = beyond_numbers(holder, asked.name.name)
    if limit is None:
        scope.special(asked)
    elif limit != node.path.text:
        found = scope.special(asked) if not limit else None
        shown = show_quantity(evaluate(found.tree, {}), found.dimension, 6) if found else limit
        message = f"`{asked.span.text}` is {shown}, not {node.path.text}"
        scope.report(Diagnostic("R0601", message, (Label(node.span),)))


def _sides(tree: Expression, node: ExpressionSyntax, scope: _TestScope) -> str:
    if not isinstance(tree, Comparison) or not isinstance(node, nodes.RelationSyntax):
        return ""
    formula = elaborate(node.left, scope)
    dimension = formula.dimension if formula else DIMENSIONLESS
    values = [evaluate(side, {}) for side in (tree.left, tree.right)]
    left, right = (
        named(value) if dimension == PRECISION else show_quantity(value, dimension, 6)
        for value in values
    )
    return f"{left} {CONTRARY[tree.relation]} {right}"


def _expect_close(item: nodes.ExpectClose, scope: _TestScope) -> None:
    actual, expected = value(item.actual, scope), value(item.expected, scope)
    if actual is None or expected is None:
        return
    pair = [(actual, item.actual.span), (expected, item.expected.span)]
    dimension = mismatch.common_dimension(pair, "compared", scope)
    tolerance = _tolerance(item, expected, scope)
    if dimension is None or tolerance is None:
        return
    got, wanted = evaluate(actual.tree, {}), evaluate(expected.tree, {})
    # A rounding error of the comparison itself must not decide it.
    if abs(got - wanted) > tolerance * (1 + 1e-9):
        percent = f", off by {100 * abs(got - wanted) / abs(wanted):.2g} %" if wanted else ""
        scope.report(
            Diagnostic(
                "R0601",
                f"expected {show_quantity(wanted, dimension, 6)}, "
                f"got {show_quantity(got, dimension, 6)}{percent}",
                (Label(item.actual.span), Label(item.expected.span, "expected")),
            )
        )


def _tolerance(item: nodes.ExpectClose, expected: Formula, scope: _TestScope) -> float | None:
    """Return how far off a value may be: what `within` says, else half the last digit written."""
    if item.tolerance is None:
        return _half_last_digit(item.expected, scope)
    formula = value(item.tolerance, scope)
    if formula is None:
        return None
    size = evaluate(formula.tree, {})
    if item.percent:
        return abs(evaluate(expected.tree, {})) * size / 100
    if formula.dimension == expected.dimension:
        return size
    span, wanted, place = item.tolerance.span, expected.dimension, item.expected.span
    mismatch.assigned("the tolerance", formula, span, wanted, place, scope)
    return None


def _half_last_digit(node: ExpressionSyntax, scope: _TestScope) -> float | None:
    node = _ungrouped(node)
    if isinstance(node, nodes.Prefix):
        node = node.operand
    if not isinstance(node, nodes.NumberLiteral):
        scope.report(
            Diagnostic(
                "R0605",
                "it is not said how close the two must be",
                (Label(node.span, "this is not a number as printed"),),
                "say it with `within 1%`, or compare with a number written out",
            )
        )
        return None
    mantissa, _, exponent = node.digits.replace("_", "").lower().partition("e")
    places = len(mantissa.partition(".")[2])
    step = decimal(f"1e{int(exponent or 0) - places}")
    whole = value(node, scope)
    assert step is not None and whole is not None and isinstance(whole.tree, Number)
    size = decimal(node.digits)
    factor = whole.tree.value / size if size else Fraction(1)
    return evaluate(Number(step * factor / 2), {})


def _expect_failure(item: nodes.ExpectFailure, scope: _TestScope) -> None:
    before: list[Diagnostic] = []
    keep, scope.report = scope.report, before.append
    try:
        node = _ungrouped(item.value)
        if isinstance(node, nodes.On):
            scope.result(node)
        else:
            elaborate(node, scope)
    except RoofError as error:
        before.extend(error.diagnostics)
    finally:
        scope.report = keep
    wanted = item.message.value if item.message else ""
    if not before:
        scope.report(
            Diagnostic("R0601", "this was expected to fail, and did not", (Label(item.span),))
        )
    elif not any(wanted in diagnostic.message for diagnostic in before):
        scope.report(
            Diagnostic(
                "R0601",
                f"this fails with another message: {before[0].message}",
                (Label(item.message.span if item.message else item.span),),
            )
        )


def _inside(error: RoofError, place: Span) -> Diagnostic:
    """Return what was found wrong while something was evaluated, with its place in the test."""
    first, *others = error.diagnostics
    labels = first.labels
    if not labels or labels[0].span.source is not place.source:
        labels = (Label(place), *labels)
    notes = (*first.notes, f"and {len(others)} more") if others else first.notes
    message = f"this cannot be evaluated: {first.message}"
    return Diagnostic("R0602", message, labels, first.hint, notes)


def _ungrouped(node: ExpressionSyntax) -> ExpressionSyntax:
    while isinstance(node, nodes.Grouped):
        node = node.inner
    return node
