"""Derived quantities as equations: in full, as a parameter grows, with the numbers put in."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf
from typing import TYPE_CHECKING

from roofdsl.answer.blocks import Equation, Equations, Form, label
from roofdsl.answer.cells import Cell, Quantity, Written
from roofdsl.expression.rational import as_float
from roofdsl.expression.tree import Expression, Number
from roofdsl.typeset.text import text
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

if TYPE_CHECKING:
    from roofdsl.analysis.formulas import Derived


def equations(caption: str, place: str, items: Iterable[Derived]) -> Equations:
    """Return derived quantities under a title; `place` makes its label one of its own."""
    shown = tuple(equation(item) for item in items)
    return Equations(caption[:1].upper() + caption[1:], label(place, caption), shown, caption)


def equation(item: Derived) -> Equation:
    """Return a derived quantity with all its forms that say something new."""
    # Most of what solves, and uses this file, shows no derived quantities.
    from roofdsl.analysis.difference.sameness import same_form

    lines = [Form("=", item.full)]
    shown = [item.full]
    if item.leading is not None and not same_form(item.leading, item.full):
        constant = _number(item.leading_numbers, item.dimension)
        lines.append(Form("→", item.leading, f"as {item.growing} grows", constant))
    elif item.leading is not None and len(text(item.leading)) < len(text(item.full)):
        shown.append(item.leading)  # the same formula, written shorter
        lines.append(Form("=", item.leading))
    if item.numbers not in shown:
        lines.append(Form("=", with_unit(item.numbers, item.dimension)))
    return Equation(item.name, unit_text(item.dimension), tuple(lines))


def stated(
    name: Cell,
    value: Expression | Quantity | Written,
    dimension: Dimension = DIMENSIONLESS,
    remark: str = "",
) -> Equation:
    """Return a quantity with the one form that a file states, or that is derived."""
    return Equation(name, unit_text(dimension), (Form("=", value),), remark)


def unit_text(dimension: Dimension) -> str:
    """Return a unit as it stands behind a name; "" for plain numbers."""
    return "" if dimension == DIMENSIONLESS else str(dimension)


def with_unit(tree: Expression, dimension: Dimension) -> Expression | Quantity:
    """Return a formula that is a number as one with its unit, any other as it is."""
    return _number(tree, dimension) or tree


def _number(tree: Expression | None, dimension: Dimension) -> Quantity | None:
    if not isinstance(tree, Number):
        return None
    number = as_float(tree.value)
    return None if isinf(number) else Quantity(number, dimension)
