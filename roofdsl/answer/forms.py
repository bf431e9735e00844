"""Derived quantities as equations: in full, as a parameter grows, with the numbers put in."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isinf
from typing import TYPE_CHECKING

from roofdsl.answer.blocks import Equation, Equations, Form, Relation, label
from roofdsl.answer.cells import Cell, Quantity, Written
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.rational import as_float
from roofdsl.expression.sign import sign
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ZERO, Add, Divide, Expression, Number
from roofdsl.typeset.text import text
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

if TYPE_CHECKING:
    from roofdsl.analysis.formulas import Derived

LINE = 80
"""A formula of more characters is long: beside its name it fills more than a line."""


def equations(caption: str, place: str, items: Iterable[Derived]) -> Equations:
    """Return derived quantities under a title; `place` makes its label one of its own."""
    shown = tuple(equation(item) for item in items)
    return Equations(caption[:1].upper() + caption[1:], label(place, caption), shown, caption)


def equation(item: Derived) -> Equation:
    """Return a derived quantity with all its forms that say something new."""
    # Most of what solves, and uses this file, shows no derived quantities.
    from roofdsl.analysis.difference.sameness import same_form

    long, brief = len(text(item.full)) > LINE, brief_form(item)
    lines = [Form("=", item.full if brief is None else brief)]
    shown = [item.full, *(() if brief is None else (brief,))]
    if item.leading is None or (long and len(text(item.leading)) > 2 * LINE):
        pass  # it would say no more than the numbers do
    elif not same_form(item.leading, item.full):
        known = isinstance(item.leading, Number)  # then its value would stand there twice
        constant = None if known else _number(item.leading_numbers, item.dimension)
        leading = with_unit(item.leading, item.dimension) if known else item.leading
        remark = f"as {item.growing} grows"
        lines.append(Form("→", leading, remark, constant, exact=item.leading_exact))
    elif len(text(item.leading)) < len(text(item.full)):
        shown.append(item.leading)  # the same formula, written shorter
        lines.append(Form("=", item.leading))
    if item.numbers not in shown and not _only_rounds(item):
        infinite = _infinite(item)
        relation: Relation = "=" if item.exact or infinite else "≈"
        lines.append(Form(relation, infinite or with_unit(item.numbers, item.dimension)))
    return Equation(item.name, unit_text(item.dimension), tuple(lines))


def _only_rounds(item: Derived) -> bool:
    """Whether the numbers are the full formula again, with nothing put in, but less exactly."""
    if item.exact or free_symbols(item.full) != free_symbols(item.numbers):
        return False
    full, numbers = ([*map(type, bottom_up(tree))] for tree in (item.full, item.numbers))
    return full == numbers


def brief_form(item: Derived) -> Expression | None:
    """Return a long formula in the names of other quantities, None for one shown as it is."""
    if item.brief is None or item.brief == item.full or len(text(item.full)) <= LINE:
        return None
    return item.brief


def _infinite(item: Derived) -> Quantity | None:
    """Return infinity where numbers are something above 0 by 0: flops for each byte of none."""
    tree = item.numbers
    terms = tree.terms if isinstance(tree, Add) else (tree,)
    above = [x.numerator for x in terms if isinstance(x, Divide) and x.denominator == ZERO]
    others = [x for x in terms if not (isinstance(x, Divide) and x.denominator == ZERO)]
    forms = map(normal_form, (*above, *others))
    endless = all(form is not None and sign(form) == 1 for form in forms)
    return Quantity(inf, item.dimension) if above and endless else None


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
