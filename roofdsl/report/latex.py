r"""Cells in LaTeX: siunitx sets numbers and units, amsmath formulas."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from roofdsl.answer.answer import Shown
from roofdsl.answer.blocks import Table
from roofdsl.answer.cells import Cell, Code, Column, Printed, Quantity, Written
from roofdsl.expression.tree import Expression
from roofdsl.inert import visible
from roofdsl.report.layout import DIGIT, LINE, Page, Part, heading_lines, text_width
from roofdsl.report.notation import CellNotation, Grid
from roofdsl.typeset.escape import escape_latex
from roofdsl.typeset.latex import LATEX, in_lines, latex

_NUMBER = re.compile(r"(-?\d+(?:\.\d+)?(?:e-?\d+)?)(?: ± (\d+(?:\.\d+)?(?:e-?\d+)?))?(?: (\S+))?")
_UNIT = re.compile(r"[A-Za-z0-9_/^µ()-]+")
PAGE = 345.0
"""How wide a page is, in pt: `article` at 10 pt. What is wider than a `COLUMN` spans two."""
COLUMN = 240.0
REPORT = 472.0
"""How wide the page of a report is."""
HEIGHT = 440.0
"""How high what floats is at the most, without its caption and notes."""
_BELOW = 76.0  # that it may be higher with notes: of the 550 pt of a page, a caption takes 34
_SMALL, _SKIP = 0.8, 3.0  # how large notes are beside the text, and what is above each
_BROKEN_AT = 0.85  # of the width: long words leave their lines half empty
_USED = 0.98  # of the width: it is only known about
NAME = 105.0
"""What stands before an equation's lines, at the least."""
_RELATION = 25.0  # the equals sign, and the brackets around a unit
_OVER = 6.0  # digits that a line may be wider, before it is left out

_BROKEN = r"\raggedright\arraybackslash\renewcommand\_{\textunderscore\allowbreak}"


class Latex(CellNotation):
    def __init__(self, width: float = PAGE, height: float = HEIGHT) -> None:
        self.width = width
        self.page = Page(_USED * width, height, width / 2)

    @staticmethod
    def text(text: str) -> str:
        return escape_latex(text.replace("\u2003", "\u00a0\u00a0\u00a0")) if text else ""

    def code(self, text: str) -> str:
        return rf"\texttt{{{escape_latex(text)}}}"

    def number(self, shown: str) -> str:
        return latex_number(shown)

    def formula(self, tree: Expression) -> str:
        lines = self.page.formula_lines(tree)
        return f"${in_lines([line for line, _ in lines]) if lines else LATEX.ellipsis.text}$"

    def left_out(self, cell: Cell) -> bool:
        shown = cell.shown if isinstance(cell, Written) else cell
        if super().left_out(cell) or isinstance(shown, str | Code | Printed | Quantity | Written):
            return super().left_out(cell)
        return not self.page.formula_lines(shown)

    def display(self, tree: Expression, name: float) -> str:
        before = max(NAME, DIGIT * name + _RELATION)
        digits = (_USED * self.width - before) / DIGIT
        return latex(tree, width=digits, room=digits + _OVER)

    def grids(self, table: Table) -> list[Grid]:
        grids: list[Grid] = []
        above = 0.0
        room = self.page.height - max(0, text_width(table.caption) / self.width - 2) * LINE
        notation = Latex(self.width, self.page.height)
        notation.page = self.page._replace(height=room).beside_keys(table)
        for part in notation.page.parts(table):
            above += part.height
            apart = above > room and bool(grids)
            above = part.height if apart else above
            grid = self._grid(part)
            grids.append(grid._replace(apart=apart, height=above, notation=notation))
        return grids

    def aside(self, last: Grid, notes: Sequence[str]) -> bool:
        room = _BROKEN_AT * self.width / _SMALL
        lines = sum(math.ceil(text_width(note) / room) for note in notes)
        below = _SMALL * LINE * lines + _SKIP * len(notes)
        return last.height + below > self.page.height + _BELOW

    def _grid(self, part: Part) -> Grid:
        specifications, heads = [], []
        columns = part.table.columns
        for place, (column, width) in enumerate(zip(columns, part.widths, strict=True)):
            lines = [self.text(line) for line in heading_lines(column, width)]
            if not isinstance(column.heading, str):
                lines[0] = self.cell(column.heading)
            if column.unit:
                lines[-1] = f"{{}}[{_bare_unit(column.unit)}]"
            if column.align == "number":
                numbers = _format([row[place] for row in part.table.rows])
                specifications.append(f"S[table-format={numbers}]")
            elif part.broken[place]:
                share = width / self.width
                specifications.append(rf">{{{_BROKEN}}}p{{{share:.3f}\linewidth}}")
            else:
                specifications.append("r" if column.align == "right" else "l")
            heads.append(_head(column, lines))
        broad = part.width > COLUMN
        return Grid(part.table, tuple(specifications), tuple(heads), broad, part.tall)


def _head(column: Column, lines: Sequence[str]) -> str:
    if len(lines) > 1:
        side = "l" if column.align == "left" else "c" if column.align == "number" else "r"
        rows = r" \\ ".join(lines)
        shown = rf"\begin{{tabular}}[t]{{@{{}}{side}@{{}}}}{rows}\end{{tabular}}"
    else:
        shown = "".join(lines)
    return f"{{{shown}}}" if column.align == "number" else shown


def _format(cells: Sequence[Cell]) -> str:
    """Return how many digits printed numbers have before the point and after, and a sign."""
    shown = [cell.text.partition(".") for cell in cells if isinstance(cell, Printed)]
    numbers = [part for part in shown if part[0].lstrip("-").isdigit()]
    sign = "-" if any(whole.startswith("-") for whole, _, _ in numbers) else ""
    before = max((len(whole.lstrip("-")) for whole, _, _ in numbers), default=1)
    return f"{sign}{before}.{max((len(rest) for _, _, rest in numbers), default=0)}"


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


def _bare_unit(unit: str) -> str:
    return rf"\unit{{{latex_unit(unit)}}}" if _UNIT.fullmatch(unit) else escape_latex(unit)


def latex_unit(unit: str) -> str:
    r"""Return a unit as siunitx reads one written out.

    >>> print(latex_unit("flop^2/B"), latex_unit("µs/message"), latex_unit("my_unit"))
    flop^{2}/B \ensuremath{\mu}s/message my\_unit
    """
    unit = re.sub(r"\^(-?\d+|\([^)]*\))", r"^{\1}", unit)
    return unit.replace("_", r"\_").replace("µ", r"\ensuremath{\mu}")


def written(answer: Shown, width: float = PAGE) -> str:
    r"""Return an answer in LaTeX, ready for `\input` on a page of that width, in pt."""
    from roofdsl.report.templates import fragment

    return visible(fragment(answer.blocks(), "tables.tex", Latex(width)))
