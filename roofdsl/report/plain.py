"""Cells as plain text."""

from __future__ import annotations

from roofdsl.answer.blocks import Table
from roofdsl.answer.cells import Cell, Quantity, Written
from roofdsl.expression.tree import Expression
from roofdsl.inert import visible
from roofdsl.lines import like
from roofdsl.report.notation import CellNotation
from roofdsl.typeset.text import text


class Plain(CellNotation):
    gap = "  "

    @staticmethod
    def text(text: str) -> str:
        return visible(text.replace("\u2003", "  ").replace("\n", " "))

    def number(self, shown: str) -> str:
        return shown

    def formula(self, tree: Expression) -> str:
        return text(tree)

    def written(self, cell: Written) -> str:
        return cell.text

    def cell(self, cell: Cell) -> str:
        """Write a cell of any kind, in the role that it has, or its remark."""
        said = cell.remark if isinstance(cell, Quantity) else cell
        return like(super().cell(cell), said if isinstance(said, str) else "")


PLAIN = Plain()


def rows_of(table: Table) -> list[list[str]]:
    """Return a table in rows of texts, headings first."""
    headings = [
        PLAIN.cell(column.heading) + (f" [{column.unit}]" if column.unit else "")
        for column in table.columns
    ]
    return [headings, *([PLAIN.cell(cell) for cell in row] for row in table.rows)]
