"""Cells as plain text, and tables for a terminal and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO

from roofdsl.expression.tree import Expression
from roofdsl.report.columns import aligned, indented
from roofdsl.report.document.content import Block, Drawing, Equations, Table
from roofdsl.report.typesetting.notation import CellNotation
from roofdsl.typeset.text import text


class Plain(CellNotation):
    def text(self, text: str) -> str:
        return text

    def code(self, text: str) -> str:
        return text

    def number(self, shown: str) -> str:
        return shown

    def formula(self, tree: Expression) -> str:
        return text(tree)

    def display(self, tree: Expression) -> str:
        return text(tree)


PLAIN = Plain()


def plain_text(blocks: Sequence[Block]) -> str:
    """Return tables and equations for a terminal."""
    return "\n\n".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block:
        case Table():
            notes = [f"  {note}" for note in block.notes]
            return "\n".join([block.caption, "", indented(aligned(rows_of(block))), *notes])
        case Equations():
            return "\n".join([block.caption, *_equations(block)])
        case Drawing():
            return block.caption


def _equations(block: Equations) -> list[str]:
    lines = []
    for item in block.items:
        name = PLAIN.cell(item.name) + (f" [{item.unit}]" if item.unit else "")
        if item.remark:
            name += f"   {item.remark}"
        lines.append(f"  {name}")
        lines += [
            f"    {line.relation} {PLAIN.cell(line.value)}   {line.remark}".rstrip()
            for line in item.lines
        ]
    return lines


def rows_of(table: Table) -> list[list[str]]:
    """Return a table in rows of texts, headings first."""
    headings = [
        PLAIN.cell(column.heading) + (f" [{column.unit}]" if column.unit else "")
        for column in table.columns
    ]
    return [headings, *([PLAIN.cell(cell) for cell in row] for row in table.rows)]


def csv_text(table: Table) -> str:
    """Return a table as CSV, numbers as they are shown."""
    output = StringIO()
    csv.writer(output, lineterminator="\n").writerows(rows_of(table))
    return output.getvalue().rstrip("\n")
