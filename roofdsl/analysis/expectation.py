"""The expectations of a test: what holds, what is close, what fails."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.analysis.members import LIMITS, beyond_numbers
from roofdsl.analysis.names_of_tests import TestScope, ungrouped
from roofdsl.analysis.result import Result
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.tree import Comparison, Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, truth, value
from roofdsl.model.literal import decimal
from roofdsl.model.precision import PRECISION, named
from roofdsl.model.types import Formula
from roofdsl.numeric.scalar import evaluate
from roofdsl.syntax import nodes
from roofdsl.syntax.nodes import ExpressionSyntax
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


def expect(condition: ExpressionSyntax, scope: TestScope) -> None:
    """Report a condition that does not hold, with the numbers of both sides."""
    node = ungrouped(condition)
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


def _expect_bound(node: nodes.IsTest, member: nodes.Member, scope: TestScope) -> None:
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


def _expect_limit(node: nodes.IsTest, asked: nodes.Member, scope: TestScope) -> None:
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


def _sides(tree: Expression, node: ExpressionSyntax, scope: TestScope) -> str:
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


def expect_close(item: nodes.ExpectClose, scope: TestScope) -> None:
    """Report a value that is further off than the digits written, or `within`, allow."""
    actual, expected = value(item.actual, scope), value(item.expected, scope)
    if actual is None or expected is None:
        return
    pair = [(actual, item.actual.span), (expected, item.expected.span)]
    dimension = mismatch.common_dimension(pair, "compared", scope)
    allowed = tolerance(item, expected, scope)
    if dimension is None or allowed is None:
        return
    got, wanted = evaluate(actual.tree, {}), evaluate(expected.tree, {})
    # A rounding error of the comparison itself must not decide it.
    if abs(got - wanted) > allowed * (1 + 1e-9):
        percent = f", off by {100 * abs(got - wanted) / abs(wanted):.2g} %" if wanted else ""
        scope.report(
            Diagnostic(
                "R0601",
                f"expected {show_quantity(wanted, dimension, 6)}, "
                f"got {show_quantity(got, dimension, 6)}{percent}",
                (Label(item.actual.span), Label(item.expected.span, "expected")),
            )
        )


def tolerance(item: nodes.ExpectClose, expected: Formula, scope: TestScope) -> float | None:
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


def _half_last_digit(node: ExpressionSyntax, scope: TestScope) -> float | None:
    node = ungrouped(node)
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


def expect_failure(item: nodes.ExpectFailure, scope: TestScope) -> None:
    """Report what does not fail, or with a message that does not hold the expected words."""
    before: list[Diagnostic] = []
    keep, scope.report = scope.report, before.append
    try:
        node = ungrouped(item.value)
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
