"""Cells of tables: texts, numbers, formulas; and columns of them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression.tree import Expression
from roofdsl.source import Span
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

NOTHING = "–"
"""What stands in a cell that has no value."""
LONGEST = 300
"""A formula of more digits in print is left out."""
ELLIPSIS = "…"
"""What stands in its place."""
LEFT_OUT = (
    f"{ELLIPSIS} stands for a formula that is too long for this table;"
    " roofdsl show MODEL has what it is made of."
)


class Quantity(NamedTuple):
    """A number of SI base units, shown with its unit, and a remark behind it: `(measured)`.

    `uncertainty` is relative to the number.
    """

    value: float
    dimension: Dimension = DIMENSIONLESS
    digits: int = 4
    uncertainty: float | None = None
    remark: str = ""


class Printed(NamedTuple):
    """A number to the digits it has: `0.000143`. Those of one column stand under one another."""

    text: str


class Code(NamedTuple):
    """A piece of a file or a name, set in a fixed width."""

    text: str


class Written(NamedTuple):
    """What a file has, and what notations other than plain text show: a formula, or a name."""

    text: str
    shown: Expression | str


Cell: TypeAlias = str | Quantity | Printed | Code | Written | Expression
"""A text, a number, or a formula."""

Align: TypeAlias = Literal["left", "right", "number"]


class Column(NamedTuple):
    """A column: its heading, the unit all its numbers have, and how its cells stand.

    `number` sets `Printed` cells by their points. A `wide` column holds sentences, and breaks.
    """

    heading: Cell
    unit: str = ""
    align: Align = "left"
    wide: bool = False


def right_side(span: Span) -> str:
    """Return what a statement has behind its first `=`, on one line."""
    return " ".join(span.text.partition("=")[2].split())


def width(tree: Expression) -> float:
    """Return about how many characters wide a formula is in print."""
    from roofdsl.typeset.breaking import widths  # only answers in formulas need it

    return widths(tree)[id(tree)]


def too_long(value: Expression | Quantity | Written, longest: float = LONGEST) -> bool:
    """Whether a formula is too long to be written out."""
    if isinstance(value, Quantity):
        return False
    tree = value.shown if isinstance(value, Written) else value
    return not isinstance(tree, str) and width(tree) > longest
