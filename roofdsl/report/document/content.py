"""What documents are made of: cells, tables, equations, figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression.tree import Expression
from roofdsl.units.dimension import DIMENSIONLESS, Dimension


class Quantity(NamedTuple):
    """A number of SI base units, shown with its unit; `uncertainty` is relative to it."""

    value: float
    dimension: Dimension = DIMENSIONLESS
    digits: int = 4
    uncertainty: float | None = None


class Printed(NamedTuple):
    """A number to the digits it has: `0.000143`. Those of one column stand under one another."""

    text: str


class Code(NamedTuple):
    """A piece of a file or a name, set in a fixed width."""

    text: str


Cell: TypeAlias = str | Quantity | Printed | Code | Expression
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


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells. `label` names it in documents; `emphasised` rows are set apart."""

    caption: str
    label: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    emphasised: frozenset[int] = frozenset()


class Line(NamedTuple):
    """One form of a quantity, behind `=` or `→`; a formula, or a number with its unit."""

    relation: Literal["=", "→"]
    value: Expression | Quantity
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Equation:
    """A quantity by name, with its unit and its forms: in full, as it grows, with numbers."""

    name: Cell
    unit: str
    lines: tuple[Line, ...]
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Equations:
    """Equations under one title."""

    caption: str
    label: str
    items: tuple[Equation, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure: what it shows in words, and its bytes in the formats that are wanted.

    `svg` has classes, and `styles` are these in light and in dark pages; `pdf` is for LaTeX.
    """

    caption: str
    label: str
    alternative: str
    svg: str = ""
    styles: tuple[tuple[str, str, str], ...] = ()
    pdf: bytes = b""


Block: TypeAlias = Table | Equations | Drawing


def label(*words: str) -> str:
    """Return words as a name that every notation can refer to.

    >>> label("summa", "on karst", "β <script>")
    'summa-on-karst-script'
    """
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower()).strip("-") or "part"


def used_columns(
    columns: Sequence[Column], rows: Sequence[tuple[Cell, ...]]
) -> tuple[tuple[Column, ...], tuple[tuple[Cell, ...], ...]]:
    """Leave out the columns in which nothing stands."""
    kept = [place for place in range(len(columns)) if any(row[place] != "" for row in rows)]
    return (
        tuple(columns[place] for place in kept),
        tuple(tuple(row[place] for place in kept) for row in rows),
    )
