r"""Cells in LaTeX: siunitx sets numbers and units, amsmath formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofdsl.answer.answer import Shown
from roofdsl.answer.blocks import Table
from roofdsl.answer.cells import Cell, Printed
from roofdsl.expression.tree import Expression
from roofdsl.inert import visible
from roofdsl.report.notation import CellNotation
from roofdsl.typeset.escape import escape_latex
from roofdsl.typeset.latex import latex

_NUMBER = re.compile(
    r"(-?\d+(?:\.\d+)?(?:e[+-]\d+)?)(?: ± (\d+(?:\.\d+)?(?:e[+-]\d+)?))?(?: (\S+))?"
)
_UNIT = re.compile(r"[A-Za-z0-9_/^µ()-]+")
PAGE = 96
"""About so many characters fit on a line of a table."""
NARROW = 20
"""A column of more characters is broken where the table would be too wide."""
CELL_WIDTH = 40
WIDTH = 64


class Latex(CellNotation):
    def text(self, text: str) -> str:
        return escape_latex(text.replace("\u2003", "\u00a0\u00a0\u00a0")) if text else ""

    def code(self, text: str) -> str:
        return rf"\texttt{{{escape_latex(text)}}}"

    def number(self, shown: str) -> str:
        return latex_number(shown)

    def specifications(self, table: Table, breadths: Sequence[float]) -> list[str]:
        room = PAGE - 2 * len(breadths)
        narrow = sum(breadth for breadth in breadths if breadth <= NARROW)
        broad = sum(breadth for breadth in breadths if breadth > NARROW)
        fits = narrow + broad <= room
        left = max(room - narrow, 0.3 * PAGE)
        found: list[str] = []
        for place, (column, breadth) in enumerate(zip(table.columns, breadths, strict=True)):
            if column.align == "number":
                before, after = _digits([row[place] for row in table.rows])
                found.append(f"S[table-format={before}.{after}]")
            elif fits or breadth <= NARROW:
                found.append("r" if column.align == "right" else "l")
            else:
                share = min(breadth, left * breadth / broad) / PAGE
                found.append(rf">{{\raggedright\arraybackslash}}p{{{share:.3f}\linewidth}}")
        return found

    def formula(self, tree: Expression) -> str:
        return f"${latex(tree, width=CELL_WIDTH)}$"

    def display(self, tree: Expression) -> str:
        return latex(tree, width=WIDTH)


def _digits(cells: Sequence[Cell]) -> tuple[int, int]:
    """Return how many characters printed numbers have before the point, a sign too, and after."""
    parts = [cell.text.partition(".") for cell in cells if isinstance(cell, Printed)]
    numbers = [part for part in parts if part[0].lstrip("-").isdigit()]
    before = max((len(part[0]) for part in numbers), default=1)
    return before, max((len(part[2]) for part in numbers), default=0)


def latex_number(shown: str) -> str:
    r"""Return a number with its unit for siunitx; what is no number, as text.

    >>> print(latex_number("13.9 GB/s"), latex_number("22 ± 0.4 GFLOP/s"), latex_number("2 µs"))
    \qty{13.9}{GB/s} \qty{22 \pm 0.4}{GFLOP/s} \qty{2}{\ensuremath{\mu}s}
    >>> print(latex_number("61952"), latex_number("∞ flop/B"))
    \num{61952} $\infty$ flop/B
    """
    match = _NUMBER.fullmatch(shown)
    if match is None or (match[3] is not None and not _UNIT.fullmatch(match[3])):
        return escape_latex(shown)
    number = match[1] if match[2] is None else rf"{match[1]} \pm {match[2]}"
    if match[3] is None:
        return rf"\num{{{number}}}"
    return rf"\qty{{{number}}}{{{latex_unit(match[3])}}}"


def latex_unit(unit: str) -> str:
    r"""Return a unit as siunitx reads one written out.

    >>> print(latex_unit("flop^2/B"), latex_unit("µs/message"), latex_unit("my_unit"))
    flop^{2}/B \ensuremath{\mu}s/message my\_unit
    """
    unit = re.sub(r"\^(-?\d+|\([^)]*\))", r"^{\1}", unit)
    return unit.replace("_", r"\_").replace("µ", r"\ensuremath{\mu}")


def written(answer: Shown) -> str:
    r"""Return an answer in LaTeX, ready for `\input`."""
    from roofdsl.report.templates import fragment

    return visible(fragment(answer.blocks(), "tables.tex", Latex()))
