"""What to say when dimensions do not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofdsl.diagnostic import Label
from roofdsl.expression.tree import Number
from roofdsl.model.precision import PRECISION, PRECISIONS
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.expressions import Raised
from roofdsl.units.dimension import BYTE, DIMENSIONLESS, JOULE, SECOND, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

_NUMBER = r"-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?"
_NUMBER_WITH_UNIT = rf"(?:{_NUMBER})\s*[^\W\d]\S*"
_LONGEST_SHOWN = 40


def common_dimension(
    operands: Sequence[tuple[Formula, Span]], what: str, scope: Scope
) -> Dimension | None:
    """Return the dimension all operands have (a literal 0 fits any), or report two that differ.

    `what` is done to them ("added"), or what they are ("the arguments of `max`").
    """
    first: tuple[Formula, Span] | None = None
    precise = any(formula.dimension == PRECISION for formula, _ in operands)
    for formula, span in operands:
        if isinstance(formula.tree, Number) and formula.tree.value == 0 and not precise:
            continue
        if first is None or not first[0].dimension.is_known:
            first = formula, span
        elif formula.dimension != first[0].dimension and formula.dimension.is_known:
            _differ(first, (formula, span), what, scope)
            return None
    return first[0].dimension if first else operands[0][0].dimension


def _differ(
    first: tuple[Formula, Span], second: tuple[Formula, Span], what: str, scope: Scope
) -> None:
    left, right = first[0].dimension, second[0].dimension
    both = f"{left.describe()} and {right.describe()}"
    rows = [(excerpt(first[1]), left), (excerpt(second[1]), right)]
    hint = fix(right, left, second[1], scope)
    if re.fullmatch(_NUMBER, first[1].text) and not re.fullmatch(_NUMBER, second[1].text):
        hint = fix(left, right, first[1], scope)
    message = f"{what} have different units: {both}" if " " in what else f"{both} cannot be {what}"
    places = [Label(span, f"this is {f.dimension.describe()}") for f, span in (second, first)]
    scope.refuse("R0301", message, *places, hint=hint, notes=factors(rows))


def assigned(
    target: str,
    formula: Formula,
    span: Span,
    wanted: Dimension,
    declared: Span,
    scope: Scope,
    hint: str | None = None,
) -> None:
    """Report a value whose unit is not that of what it is given to."""
    given, needed = formula.dimension, wanted.describe()
    message = f"{target} is given {measured(given)}, but it must be {needed}"
    here = Label(span, f"this is {given.describe()}")
    there = Label(declared, f"this needs {needed}")
    hint, notes = hint or fix(given, wanted, span, scope), [("given", given), ("needed", wanted)]
    scope.refuse("R0302", message, here, there, hint=hint, notes=factors(notes))


def measured(dimension: Dimension) -> str:
    """Return how a value is measured: `in bytes (B)`, `as a plain number`."""
    text = dimension.describe()
    return f"{'as' if text.startswith('a ') else 'in'} {text}"


def factors(rows: Sequence[tuple[str, Dimension]]) -> tuple[str, ...]:
    """Return a note with the factors of dimensions in columns, where that shows more than a name.

    >>> from roofdsl.units.dimension import FLOP
    >>> print(*factors([("oi", FLOP / BYTE), ("rate", FLOP / SECOND)]))
    oi    flop  B^-1
    rate  flop        s^-1
    """
    sizes = [len(dimension.powers) for _, dimension in rows]
    if max(sizes) < 2 or min(sizes) == 0:
        return ()
    powers = [dict(dimension.powers) for _, dimension in rows]
    names = dict.fromkeys(name for row in powers for name in row)
    ordered = [name for name, _ in Dimension.of(dict.fromkeys(names, 1)).powers]
    # What stands above a fraction line comes first, as people write it.
    bases = sorted(ordered, key=lambda name: all(row.get(name, 0) <= 0 for row in powers))
    columns = [[label for label, _ in rows]]
    for base in bases:
        columns.append(
            [str(Dimension.of({base: row[base]})) if base in row else "" for row in powers]
        )
    widths = [max(map(len, column)) for column in columns]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    )
    return ("\n".join(lines),)


def fix(given: Dimension, wanted: Dimension, span: Span, scope: Scope) -> str:
    """Return a hint that turns the value at `span` from one dimension into another."""
    text, missing, surplus = excerpt(span), wanted / given, given / wanted
    if _is_precise(wanted):
        return f"precisions: {', '.join(PRECISIONS)}"
    if _is_precise(given):
        return f"a precision is compared with `==`; its bytes are `size({text})`"
    if given == DIMENSIONLESS and re.fullmatch(_NUMBER, text) and _is_unit(wanted, scope):
        unit = "W" if wanted == JOULE / SECOND else str(wanted)
        return f"give it its unit: `{text} {unit}`"
    if given * wanted == DIMENSIONLESS:
        return f"is it upside down? `1 / ({text})` is {wanted.describe()}"
    named = _factor_in_scope(missing, surplus, text, scope)
    if named:
        return named
    if missing == BYTE:
        return "multiply by the bytes of one element, such as `8 B`"
    if re.fullmatch(_NUMBER_WITH_UNIT, text):
        if surplus == SECOND and wanted.powers:
            return f"a rate is per second: `{text}/s`"
        return f"write it in {wanted}" if wanted.powers else "write it without a unit"
    for factor, verb in ((missing, "multiply"), (surplus, "divide")):
        if len(factor.powers) == 1 and factor.powers[0][1] == 1:
            return f"{verb} by a value in {factor}, such as `1 {factor}`"
    return f"a factor in {missing} is missing"


def _is_precise(dimension: Dimension) -> bool:
    return PRECISION.powers[0] in dimension.powers


def with_unit(span: Span, unit: str) -> str | None:
    """Return a hint to write a bare number with its unit, None where there is more than one."""
    return f"give it its unit: `{span.text} {unit}`" if re.fullmatch(_NUMBER, span.text) else None


def leave_out(given: Dimension, wanted: Dimension, span: Span, scope: Scope) -> str | None:
    """Return a hint to leave out a name that gives work its unit, if it is one name alone."""
    for name, formula in scope.formulas().items():
        if formula.dimension == given and re.search(rf"\b{re.escape(name)}\b", span.text):
            return f"without `{name}` it is a plain number, which is taken in {wanted}"
    return None


def _factor_in_scope(missing: Dimension, surplus: Dimension, text: str, scope: Scope) -> str | None:
    for name, formula in scope.formulas().items():
        if formula.truth or formula.dimension == DIMENSIONLESS or name == text:
            continue
        if formula.dimension == missing:
            return f"multiply by `{name}`, which is {missing.describe()}"
        if formula.dimension == surplus:
            return f"divide by `{name}`, which is {surplus.describe()}"
    return None


def _is_unit(dimension: Dimension, scope: Scope) -> bool:
    return not isinstance(read_unit(str(dimension), scope.units), UnknownUnit)


def not_plain(span: Span, dimension: Dimension, what: str, scope: Scope) -> None:
    """Report a value with a unit where a plain number is needed; `what` says where it stands."""
    given, hint = dimension.describe(), fix(dimension, DIMENSIONLESS, span, scope)
    place = Label(span, f"this is {given}")
    scope.refuse("R0304", f"{what} must be a plain number, not {given}", place, hint=hint)


def same_sort(formula: Formula, truth: bool, span: Span, scope: Scope) -> bool:
    """Whether a value is true or false, or a number, as it must be; report what is not."""
    if formula.truth == truth:
        return True
    if truth:
        not_a_truth(formula, span, scope, "write `true` or `false`")
    else:
        not_a_number(span, scope)
    return False


def not_a_number(span: Span, scope: Scope, hint: str | None = None) -> None:
    """Report true or false where a number is needed."""
    shown = excerpt(span)
    if shown in ("true", "false"):
        message = f"`{shown}` is not a number, but one is needed here"
    else:
        message = f"`{shown}` is true or false, but a number is needed here"
        hint = hint or f"choose between two numbers: `if {shown} then … else …`"
    scope.refuse("R0306", message, span, hint=hint)


def not_a_truth(formula: Formula, span: Span, scope: Scope, hint: str | None = None) -> None:
    """Report a number, or a precision, where true or false is needed."""
    precise = formula.dimension == PRECISION
    this = "a precision" if precise else "a number"
    message = f"`{excerpt(span)}` is {this}, but true or false is needed here"
    compared = "`==`, `!=`" if precise else "`==`, `!=`, `<`, `<=`, `>`, `>=`, `is integer`"
    hint = hint or f"compare it: {compared}"
    scope.refuse("R0307", message, span, hint=hint)


def not_a_quantity(span: Span, scope: Scope) -> None:
    """Report a precision where a number is needed."""
    message = f"`{excerpt(span)}` is a precision, but a number is needed here"
    scope.refuse("R0308", message, span, hint=fix(PRECISION, DIMENSIONLESS, span, scope))


def exponent_too_large(node: Raised, largest: int, scope: Scope) -> None:
    """Report an exponent that nobody means, and nothing could compute."""
    message = f"the exponent `{excerpt(node.exponent.span)}` is beyond ±{largest}"
    hint = "work grows with a small power of the parameters"
    scope.refuse("R0305", message, node.exponent.span, hint=hint)


def exponent_not_literal(node: Raised, base: Formula, scope: Scope) -> None:
    """Report a value with a unit that is raised to a power not known from the text."""
    message = f"a value in {base.dimension} can only be raised to a fixed power"
    exponent = Label(node.exponent.span, "this can vary")
    place = Label(node.base.span, f"this is {base.dimension.describe()}")
    hint = "write the exponent as a number, or make the base a plain number"
    scope.refuse("R0305", message, exponent, place, hint=hint)


def excerpt(span: Span) -> str:
    """Return the text of a span on one line, shortened if it is long."""
    text = " ".join(span.text[: 2 * _LONGEST_SHOWN].split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"
