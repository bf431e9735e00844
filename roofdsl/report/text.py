"""Answers for a terminal; cells as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from roofdsl.answer import blocks
from roofdsl.answer.answer import Shown
from roofdsl.answer.cells import Written
from roofdsl.expression.tree import Expression
from roofdsl.inert import visible
from roofdsl.report.notation import CellNotation
from roofdsl.typeset.text import text
from roofdsl.typeset.wrapping import wrapped

WIDTH = 88
LONGEST_LINE = 100
"""Formulas that need more characters are broken."""
HANGING = " " * 6
"""What stands before the second line of a formula, and those below."""
LONGEST_NAME = 16
"""The forms of a quantity with a longer name stand below it, those of others beside."""


class Plain(CellNotation):
    gap = "  "

    @staticmethod
    def text(text: str) -> str:
        return text.replace("\u2003", "  ").replace("\n", " ")

    def number(self, shown: str) -> str:
        return shown

    def formula(self, tree: Expression) -> str:
        return text(tree)

    def written(self, cell: Written) -> str:
        return cell.text


PLAIN = Plain()


def written(answer: Shown) -> str:
    """Return an answer as a page of text."""
    return visible("\n\n".join(map(_block, answer.blocks())))


def _block(block: blocks.Block) -> str:
    match block:
        case blocks.Text():
            return block.text
        case blocks.Prose():
            return "\n\n".join("\n".join(wrap(text, WIDTH)) for text in block.paragraphs)
        case blocks.Notes():
            return "\n".join(f"  note: {note}" for note in block.items)
        case blocks.Table():
            return _table(block)
        case blocks.Equations():
            lines = _equations(block.items)
            head = block.caption if block.head is None else block.head
            return "\n".join([head, *lines] if head else lines)
        case blocks.Findings():
            return _findings(block)
        case blocks.Drawing():
            return block.caption


def _table(table: blocks.Table) -> str:
    rows = rows_of(table)
    titled = table.head is not None and table.head.endswith("\n")  # does not name a column
    if not any(rows[0]) or (table.head and len(rows[0]) == 1 and not titled):
        del rows[0]
    lines = [indented(aligned(rows))] if rows else []
    lines += [f"  {note}" for note in table.notes]
    if table.head is None:
        return "\n".join([table.caption, "", *lines])
    return "\n".join([table.head, *lines] if table.head else lines)


def _equations(items: Sequence[blocks.Equation]) -> list[str]:
    if any(item.remark for item in items) and all(len(item.lines) == 1 for item in items):
        rows = [[_beside(item) + _shown(item.lines[0]), _unit(item), item.remark] for item in items]
        used = [at for at in range(3) if any(row[at] for row in rows)]
        lines = indented(aligned([[row[at] for at in used] for row in rows], gap="   "))
        if max(map(len, lines.split("\n"))) <= LONGEST_LINE:
            return [lines]
    return [line for item in items for line in _lines(item)]


def _lines(item: blocks.Equation) -> list[str]:
    """Return a quantity with its forms; those of a long name stand below it."""
    name = PLAIN.cell(item.name)
    if len(name) > LONGEST_NAME or not item.lines:
        title = f"{name:<10} {_unit(item)}".rstrip()
        head = f"  {title}   {item.remark}".rstrip()
        return [head, *(line for form in item.lines for line in _form(form, " " * 4))]
    named = f"  {_beside(item)}"
    told = "   ".join(text for text in (_unit(item), item.remark) if text)
    first, *others = item.lines
    lines = [line for form in others for line in _form(form, " " * len(named))]
    return [*_form(first, named, told), *lines]


def _beside(item: blocks.Equation) -> str:
    """Return the name of a quantity as it stands before its first form."""
    return f"{PLAIN.cell(item.name):<10} "


def _unit(item: blocks.Equation) -> str:
    return f"[{item.unit}]" if item.unit else ""


def _shown(line: blocks.Form) -> str:
    number = "" if line.number is None else f" = {PLAIN.cell(line.number)}"
    remark = f"   {line.remark}" if line.remark else ""
    return f"{line.relation} {PLAIN.cell(line.value)}{number}{remark}"


def _form(line: blocks.Form, before: str, told: str = "") -> list[str]:
    """Return the lines of a form: what stands before it, and what is told of it behind."""
    whole = "   ".join(text for text in (before + _shown(line), told) if text)
    if len(whole) <= LONGEST_LINE:
        return [whole]
    start = f"{before}{line.relation} "
    formula = PLAIN.cell(line.value)
    behind = whole[len(start) + len(formula) :]
    first, *others = wrapped(formula, LONGEST_LINE - len(HANGING), LONGEST_LINE - len(start))
    lines = [start + first, *(HANGING + other for other in others)]
    if len(lines[-1]) + len(behind) > LONGEST_LINE:
        return [*lines, HANGING + behind.strip()]
    return [*lines[:-1], lines[-1] + behind]


def _findings(findings: blocks.Findings) -> str:
    shown = []
    for item in findings.items:
        lines = [item.text, *(f"  {detail}" for detail in item.details)]
        name = "" if item.symbol is None else f"{item.symbol.name}*"
        for place, found in enumerate(item.lines):
            lines += _form(found, f"  {'' if place else name:<{len(name)}} ")
        shown.append("\n".join(lines))
    if findings.head:
        return "\n".join([findings.head, *map(indented, shown)])
    return "\n\n".join(shown)


def rows_of(table: blocks.Table) -> list[list[str]]:
    """Return a table in rows of texts, headings first."""
    headings = [
        PLAIN.cell(column.heading) + (f" [{column.unit}]" if column.unit else "")
        for column in table.columns
    ]
    return [headings, *([PLAIN.cell(cell) for cell in row] for row in table.rows)]


def aligned(rows: Sequence[Sequence[str]], gap: str = "  ") -> str:
    """Return rows of cells as columns, each as wide as its widest cell.

    >>> print(aligned([["N", "bound"], ["4096", "network"]]))
    N     bound
    4096  network
    """
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [gap.join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def indented(text: str) -> str:
    """Return text with every line moved to the right."""
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))
