"""What to say when dimensions do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.tree import Number
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.nodes import Raised
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, Dimension


def common_dimension(
    operands: Sequence[tuple[Formula, Span]], what: str, scope: Scope
) -> Dimension | None:
    """Return the dimension all operands have (a literal 0 fits any), or report two that differ."""
    first: tuple[Formula, Span] | None = None
    for formula, span in operands:
        if isinstance(formula.tree, Number) and formula.tree.value == 0:
            continue
        if first is None:
            first = formula, span
        elif formula.dimension != first[0].dimension:
            _differ(first, (formula, span), what, scope)
            return None
    return first[0].dimension if first else operands[0][0].dimension


def _differ(
    first: tuple[Formula, Span], second: tuple[Formula, Span], what: str, scope: Scope
) -> None:
    left, right = first[0].dimension, second[0].dimension
    message = f"{what} have different units" if " " in what else f"different units cannot be {what}"
    scope.report(
        Diagnostic(
            "R0301",
            f"{message}: {left.describe()} and {right.describe()}",
            (
                Label(second[1], f"this is {right.describe()}"),
                Label(first[1], f"this is {left.describe()}"),
            ),
            fix(right, left, scope),
        )
    )


def assigned(
    target: str, formula: Formula, span: Span, wanted: Dimension, declared: Span, scope: Scope
) -> None:
    """Report a value whose unit is not that of what it is given to."""
    scope.report(
        Diagnostic(
            "R0302",
            f"{target} is given in {formula.dimension.describe()}, "
            f"but it must be {wanted.describe()}",
            (Label(span, f"this is {formula.dimension.describe()}"), Label(declared)),
            fix(formula.dimension, wanted, scope),
        )
    )


def fix(given: Dimension, wanted: Dimension, scope: Scope) -> str | None:
    """Return a hint that turns `given` into `wanted` by one factor, if there is an obvious one."""
    missing, surplus = wanted / given, given / wanted
    if surplus * surplus == given / wanted * surplus and given * wanted == DIMENSIONLESS:
        return "is it upside down?"
    for name, formula in scope.formulas().items():
        if not formula.truth and formula.dimension != DIMENSIONLESS:
            if formula.dimension == missing:
                return f"multiply by `{name}`, which is {missing.describe()}"
            if formula.dimension == surplus:
                return f"divide by `{name}`, which is {surplus.describe()}"
    if missing == BYTE:
        return "multiply by the bytes of one element, such as `8 B`"
    unit, inverse = str(missing), str(surplus)
    if "/" not in unit and "^" not in unit:
        return f"multiply by a value in {unit}, such as `1 {unit}`"
    if "/" not in inverse and "^" not in inverse:
        return f"divide by a value in {inverse}, such as `1 {inverse}`"
    return f"it differs by the factor {unit}"


def not_plain(span: Span, dimension: Dimension, what: str, scope: Scope) -> None:
    scope.report(
        Diagnostic(
            "R0304",
            f"{what} must be a plain number, not {dimension.describe()}",
            (Label(span, f"this is {dimension.describe()}"),),
            f"divide by a value in {dimension}",
        )
    )


def not_a_number(span: Span, scope: Scope) -> None:
    scope.report(
        Diagnostic(
            "R0306",
            "a number is expected, not a truth value",
            (Label(span, "this is true or false"),),
            "choose between two numbers with `if … then … else …`",
        )
    )


def not_a_truth(span: Span, scope: Scope) -> None:
    scope.report(
        Diagnostic(
            "R0307",
            "a condition is expected, not a number",
            (Label(span, "this is a number"),),
            "compare it: `==`, `!=`, `<`, `<=`, `>`, `>=`, `is integer`",
        )
    )


def exponent_not_literal(node: Raised, base: Formula, scope: Scope) -> None:
    scope.report(
        Diagnostic(
            "R0305",
            f"a value in {base.dimension} can only be raised to a fixed power",
            (
                Label(node.exponent.span, "this can vary"),
                Label(node.base.span, f"this is {base.dimension.describe()}"),
            ),
            "write the exponent as a number, or make the base a plain number",
        )
    )
