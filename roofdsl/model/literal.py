"""Numbers as written, with their units, into exact numbers in SI base units."""

from __future__ import annotations

from fractions import Fraction

from roofdsl.expression.tree import Number
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula
from roofdsl.source import Span
from roofdsl.syntax.expressions import NumberLiteral
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

LARGEST_EXPONENT = 400


def literal(node: NumberLiteral, scope: Scope) -> Formula | None:
    """Return the number of a literal in SI base units, or report what is wrong with it."""
    value = decimal(node.digits)
    if value is None or decimal(node.uncertainty.removesuffix("%") or "0") is None:
        message = f"the exponent of this number is beyond ±{LARGEST_EXPONENT}"
        scope.refuse("R0109", message, node.span, hint="numbers range from 1e-400 to 1e400")
        return None
    if not node.unit:
        return Formula(Number(value), DIMENSIONLESS)
    unit = unit_at(node.unit, node.unit_span, scope, after=node.digits)
    if unit is None:
        return None
    factor, dimension = unit
    return Formula(Number(value * factor), dimension)


def spread(node: NumberLiteral) -> Fraction:
    """Return how far a number may be off by what is written behind `±`, relative to it.

    Of 0 it is without a limit, and said to be 2: more than all of it, which nothing may be off by.
    The number is one that `literal` reads.
    """
    error, percent = node.uncertainty.removesuffix("%"), node.uncertainty.endswith("%")
    size, off = decimal(node.digits), decimal(error or "0")
    if not size or not off:
        return Fraction(2 if off and not percent else 0)
    return off / 100 if percent else off / size


def decimal(digits: str) -> Fraction | None:
    """Return decimal digits such as `1.5e9` as a fraction, or None when the exponent is too large.

    >>> decimal("13.9"), decimal("1e401")
    (Fraction(139, 10), None)
    """
    mantissa, _, exponent = digits.replace("_", "").lower().partition("e")
    power = int(exponent or 0) if len(exponent) < 8 else LARGEST_EXPONENT + 1
    return Fraction(mantissa) * Fraction(10) ** power if abs(power) <= LARGEST_EXPONENT else None


def unit_at(
    text: str, span: Span, scope: Scope, after: str = ""
) -> tuple[Fraction, Dimension] | None:
    """Return factor and dimension of the unit `text` at `span`, or report it as unknown."""
    unit = read_unit(text, scope.units)
    if not isinstance(unit, UnknownUnit):
        return unit.factor, unit.dimension
    start = span.start + unit.start
    place = Span(span.source, start, start + len(unit.part))
    hint = unit.hint
    if after and unit.part in scope.names():
        before, behind = text[: unit.start].rstrip("/"), text[unit.start + len(unit.part) :]
        if before:
            hint = f"'{unit.part}' is a name: write `{after} {before} / {unit.part}{behind}`"
        else:
            hint = f"'{unit.part}' is a name: to multiply, write `{after}*{text}`"
    elif hint is None and unit.part == "x":
        hint = "so many times what is stated is for --set karst.memory=2x; here, write the number"
    elif hint is None and unit.part.isidentifier():
        where = "in a file of your own" if span.source.begin else "at the top of the file"
        hint = f"a count of your own is declared {where}: `unit {unit.part}`"
    scope.refuse("R0303", f"'{unit.part}' is not a unit", place, hint=hint)
    return None
