"""Derived quantities as equations: in full, as a parameter grows, with the numbers put in."""

from __future__ import annotations

from collections.abc import Iterable

from roofdsl.analysis.difference.sameness import same_form
from roofdsl.analysis.formulas import Derived
from roofdsl.expression.tree import Expression, Number
from roofdsl.report.document.content import Cell, Equation, Equations, Line, Quantity, label
from roofdsl.typeset.breaking import widths
from roofdsl.units.dimension import Dimension
from roofdsl.units.quantity import show_quantity

LONGEST = 250
"""A formula of more characters in print is left out."""


def equations(caption: str, place: str, items: Iterable[Derived]) -> Equations:
    """Return derived quantities under a title; `place` makes its label one of its own."""
    return Equations(caption, label(place, caption), tuple(equation(item) for item in items))


def equation(item: Derived) -> Equation:
    """Return a derived quantity with all its forms that say something new."""
    unit = "" if str(item.dimension) == "1" else str(item.dimension)
    if too_long(item.full):
        return Equation(item.name, unit, (), "too long to be written out")
    lines = [Line("=", item.full)]
    shown = [item.full]
    if item.leading is not None and not too_long(item.leading):
        if not same_form(item.leading, item.full):
            remark = f"{_constant(item)}as {item.growing} grows"
            lines.append(Line("→", item.leading, remark))
        elif width(item.leading) < width(item.full):
            shown.append(item.leading)  # the same formula, written shorter
            lines.append(Line("=", item.leading))
    if item.numbers not in shown and not too_long(item.numbers):
        lines.append(Line("=", with_unit(item.numbers, item.dimension)))
    return Equation(item.name, unit, tuple(lines))


def with_unit(tree: Expression, dimension: Dimension) -> Expression | Quantity:
    """Return a formula that is a number as one with its unit, any other as it is."""
    if not isinstance(tree, Number):
        return tree
    try:
        return Quantity(float(tree.value), dimension)
    except OverflowError:
        return tree


def formula_cell(tree: Expression, dimension: Dimension | None = None) -> Cell:
    """Return a formula, or an ellipsis for one too long to be written out."""
    if too_long(tree):
        return "…"
    return tree if dimension is None else with_unit(tree, dimension)


def _constant(item: Derived) -> str:
    if not isinstance(item.leading_numbers, Number):
        return ""
    try:
        value = float(item.leading_numbers.value)
    except OverflowError:
        return ""
    return f"= {show_quantity(value, item.dimension)} "


def width(tree: Expression) -> float:
    """Return about how many characters wide a formula is in print."""
    return widths(tree)[id(tree)]


def too_long(tree: Expression) -> bool:
    """Whether a formula is too long to be written out."""
    return width(tree) > LONGEST
