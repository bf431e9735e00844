"""The expectations of a test: what holds, what is close, what fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from roofdsl.analysis.ends import FIRST_ORDER, bound_elsewhere
from roofdsl.analysis.members import LIMITS, Unanswered, member
from roofdsl.analysis.names_of_tests import TestScope, inside
from roofdsl.analysis.result import Result
from roofdsl.codes import REFUSALS
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.tree import Comparison, Expression, Number
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, truth, value
from roofdsl.model.literal import decimal
from roofdsl.model.precision import PRECISION, named
from roofdsl.model.types import Formula
from roofdsl.numeric.failure import EvaluationError, TooMuch
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Span
from roofdsl.syntax import expectation_nodes, expressions
from roofdsl.syntax.expressions import ExpressionSyntax, Identifier, ungrouped
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_percent, show_quantity, show_uncertain

# What a comparison says when it does not hold.
CONTRARY = {
    "==": "is not",
    "!=": "is",
    "<": "is not less than",
    "<=": "is more than",
    ">": "is not more than",
    ">=": "is less than",
}

_NO_REFUSAL = "`fails` asks for values that are refused; this is a mistake in the test itself"


def expect(condition: ExpressionSyntax, scope: TestScope) -> None:
    """Report a condition that does not hold, with the numbers of both sides."""
    node = ungrouped(condition)
    if isinstance(node, expressions.IsTest) and isinstance(node.value, expressions.Member):
        if node.value.name.name == "bound":
            _expect_bound(node, node.value, scope)
            return
        match node.value:
            case expressions.Member(name=Identifier(name="kind"), value=inner) if (
                isinstance(inner, expressions.Member) and inner.name.name == "bound"
            ):
                _expect_bound(node, inner, scope, of_kind=True)
                return
        if node.path.text in LIMITS:
            _expect_limit(node, node.value, scope)
            return
    tree = truth(node, scope)
    if tree is not None and not evaluate(tree, {}):
        shown = _sides(tree, node, scope)
        message = f"`{mismatch.excerpt(condition.span)}` does not hold"
        scope.refuse("R0601", message, Label(condition.span, shown))


def _expect_bound(
    node: expressions.IsTest,
    asked: expressions.Member,
    scope: TestScope,
    *,
    of_kind: bool = False,
) -> None:
    found = scope.asked(asked)
    holder = found[0] if found else None
    if isinstance(holder, Result) and of_kind and holder.bound_kind != node.path.text:
        known = holder.bound_kind or "undefined"
        message = f"most of the bound, {holder.bound}, is {known}, not {node.path.text}"
        scope.refuse("R0601", message, node.span)
    elif isinstance(holder, Result) and not of_kind and holder.bound != node.path.text:
        times = ", ".join(
            f"{name} {show_quantity(time, SECOND)}" for name, time in holder.times.items()
        )
        message = f"the bound is {holder.bound or 'undefined'}, not {node.path.text}"
        scope.refuse("R0601", message, node.span, hint=f"times: {times}")
    elif isinstance(holder, Result) and not of_kind and (wrong := bound_elsewhere(holder)):
        scope.refuse("R0601", f"`{asked.span.text}` is {wrong}", node.span)


def _expect_limit(node: expressions.IsTest, asked: expressions.Member, scope: TestScope) -> None:
    what = scope.asked(asked)
    if what is None:
        return
    found = member(*what)
    if found is None or isinstance(found, Unanswered):
        scope.special(asked)  # which reports it
    elif found != node.path.text:
        shown = found if isinstance(found, str) else _value(found.tree, found)
        message = f"`{asked.span.text}` is {shown}, not {node.path.text}"
        scope.refuse("R0601", message, node.span)


def _value(tree: Expression, formula: Formula) -> str:
    """Return the value of a tree that is of a formula's kind: with its unit, or as a word."""
    number = evaluate(tree, {})
    if formula.truth:
        return "true" if number else "false"
    if formula.dimension == PRECISION:
        return named(number)
    return show_quantity(number, formula.dimension, digits=6)


def _sides(tree: Expression, node: ExpressionSyntax, scope: TestScope) -> str:
    if not isinstance(tree, Comparison) or not isinstance(node, expressions.RelationSyntax):
        return ""
    formula = elaborate(node.left, scope)
    if formula is None:
        return ""
    left, right = (_value(side, formula) for side in (tree.left, tree.right))
    return f"{left} {CONTRARY[tree.relation]} {right}"


def expect_close(item: expectation_nodes.ExpectClose, scope: TestScope) -> None:
    """Report a value that is further off than the digits written, or `within`, allow."""
    number = ungrouped(item.expected)
    if isinstance(number, expressions.NumberLiteral) and number.uncertainty:
        _expect_off(item, number, scope)
        return
    actual, expected = value(item.actual, scope), value(item.expected, scope)
    if actual is None or expected is None:
        return
    _refuse_given(item, scope)
    pair = [(actual, item.actual.span), (expected, item.expected.span)]
    dimension = mismatch.common_dimension(pair, "compared", scope)
    allowed = tolerance(item, expected, scope)
    if dimension is None or allowed is None:
        return
    got, wanted = evaluate(actual.tree, {}), evaluate(expected.tree, {})
    # A rounding error of the comparison itself must not decide it.
    if abs(got - wanted) > allowed * (1 + 1e-9):
        percent = f", off by {show_percent(abs(got - wanted) / abs(wanted), 2)}" if wanted else ""
        shown = [show_quantity(each, dimension, 6) for each in (wanted, got)]
        message = f"expected {shown[0]}, got {shown[1]}{percent}"
        scope.refuse("R0601", message, item.actual.span, Label(item.expected.span, "expected"))


def _refuse_given(item: expectation_nodes.ExpectClose, scope: TestScope) -> None:
    """Report a number of a paper's that comes back as the test gave it."""
    if item.line is not None and not item.read and scope.is_given(item.actual):
        hint = "say `read` of what comes back as it was typed"
        scope.refuse("R0609", "this is a parameter, as it was given", item.actual.span, hint=hint)


def _expect_off(
    item: expectation_nodes.ExpectClose, expected: expressions.NumberLiteral, scope: TestScope
) -> None:
    """Report a result that is another, or that is off to first order by another half."""
    node, alone = ungrouped(item.actual), expected._replace(uncertainty="")
    if item.tolerance is not None:
        message, hint = "it is said twice how close the two must be", "leave out `within`"
        scope.refuse("R0605", message, item.tolerance.span, hint=hint)
        return
    if not isinstance(node, expressions.Member):
        hint = "write it behind a prediction: `expect r.time ~ 51.6 ± 0.9 ms`"
        scope.refuse("R0605", "only a result is off to first order", item.actual.span, hint=hint)
        return
    actual, wanted = value(item.actual, scope), value(alone, scope)
    if actual is None or wanted is None:
        return
    pair = [(actual, item.actual.span), (wanted, item.expected.span)]
    dimension = mismatch.common_dimension(pair, "compared", scope)
    if dimension is None:
        return
    _refuse_given(item, scope)
    asked = Identifier(node.name.span, FIRST_ORDER)
    off = value(expressions.Member(node.span, node.depth + 1, node, asked), scope)
    if off is None:
        return
    half = alone._replace(digits=expected.uncertainty.removesuffix("%"))
    got, found = evaluate(actual.tree, {}), evaluate(off.tree, {})
    share = found / abs(got) if got else 0.0
    if expected.uncertainty.endswith("%"):
        half, found = half._replace(unit=""), 100 * share
    pairs = ((got, alone), (found, half))
    if not all(_agrees(number, digits, scope) for number, digits in pairs):
        shown = show_uncertain(got, share, dimension)
        message = f"expected {mismatch.excerpt(item.expected.span)}, got {shown} to first order"
        scope.refuse("R0601", message, item.actual.span, Label(item.expected.span, "expected"))


def _agrees(found: float, digits: expressions.NumberLiteral, scope: TestScope) -> bool:
    """Whether a number rounds to the digits written."""
    wanted, allowed = value(digits, scope), _half_last_digit(digits, scope)
    assert wanted is not None and allowed is not None  # its unit has been read
    return abs(found - evaluate(wanted.tree, {})) <= allowed * (1 + 1e-9)


def tolerance(
    item: expectation_nodes.ExpectClose, expected: Formula, scope: TestScope
) -> float | None:
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
    if isinstance(node, expressions.Prefix):
        node = node.operand
    if not isinstance(node, expressions.NumberLiteral):
        place = Label(node.span, "this is not a number as printed")
        hint = "say it with `within 1%`, or compare with a number written out"
        scope.refuse("R0605", "it is not said how close the two must be", place, hint=hint)
        return None
    mantissa, _, exponent = node.digits.replace("_", "").lower().partition("e")
    places = len(mantissa.partition(".")[2])
    step = decimal(f"1e{int(exponent or 0) - places}")
    whole = value(node, scope)
    assert step is not None and whole is not None and isinstance(whole.tree, Number)
    size = decimal(node.digits)
    factor = whole.tree.value / size if size else Fraction(1)
    return evaluate(Number(step * factor / 2), {})


def expect_failure(item: expectation_nodes.ExpectFailure, scope: TestScope) -> None:
    """Report a value that is not refused, another message, or a mistake of the test itself."""
    found: list[Diagnostic] = []
    raised: RoofError | None = None
    report, scope.report = scope.report, found.append
    try:
        node = ungrouped(item.value)
        if isinstance(node, expressions.On):
            scope.result(node)
        elif (formula := elaborate(node, scope)) is not None:
            evaluate(formula.tree, {})
    except RoofError as error:
        raised = error
    except TooMuch:
        raise  # another budget would have computed it
    except EvaluationError as error:
        found.append(Diagnostic("R0407", error.reason, (Label(item.value.span),)))
    finally:
        scope.report = report
    mistakes = [problem for problem in found if not _refuses(problem, item.span)]
    if raised is not None and any(part.code not in REFUSALS for part in raised.diagnostics):
        mistakes.append(inside(raised, scope.at))
    for mistake in mistakes:
        reason = () if mistake.code == "R0412" else (_NO_REFUSAL,)
        report(replace(mistake, notes=(*mistake.notes, *reason)))
    if mistakes:
        return
    found.extend(raised.diagnostics if raised else ())
    wanted = item.message.value if item.message else ""
    if not found:
        report(Diagnostic("R0601", "this was expected to fail, and did not", (Label(item.span),)))
    elif not any(wanted in diagnostic.message for diagnostic in found):
        place = Label(item.message.span if item.message else item.span)
        message = f"this fails with another message: {found[0].message}"
        report(Diagnostic("R0601", message, (place,)))


def _refuses(problem: Diagnostic, statement: Span) -> bool:
    if problem.code in REFUSALS:
        return True
    place = problem.span
    elsewhere = place is not None and not (
        place.source is statement.source and statement.start <= place.start < statement.end
    )
    return elsewhere and problem.code.startswith("R03")
