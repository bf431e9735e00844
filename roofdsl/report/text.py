"""Answers for a terminal, or as a page of plain text."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from roofdsl.answer import blocks
from roofdsl.answer.answer import Shown
from roofdsl.answer.cells import ELLIPSIS, NOTHING, Code, Quantity
from roofdsl.inert import visible
from roofdsl.lines import Line, all_within, like
from roofdsl.report.fitting import aligned, fitted, one_line_each
from roofdsl.report.forms import equation_lines, form_lines
from roofdsl.report.plain import rows_of
from roofdsl.report.terminal import PIPE, Terminal, painted

WIDTH = 88
LONGEST_LINE = 100
"""Formulas that need more characters are broken."""
INDENT = "  "


def written(answer: Shown, terminal: Terminal = PIPE) -> str:
    """Return an answer as a page of text, as wide as a terminal."""
    lines: list[Line] = []
    for block in answer.blocks():
        lines += [("",)] if lines else []
        lines += all_within(_block(block, terminal), terminal.width)
    return painted(lines, terminal)


def _block(block: blocks.Block, terminal: Terminal) -> list[Line]:
    match block:
        case blocks.Text():
            return lines_of(block.text)
        case blocks.Prose():
            width = min(WIDTH, terminal.width or WIDTH)
            return lines_of("\n\n".join("\n".join(wrap(x, width)) for x in block.paragraphs))
        case blocks.Notes():
            return [line for note in block.items for line in lines_of(f"  note: {note}")]
        case blocks.Table():
            return _table(block, terminal)
        case blocks.Equations():
            head = block.caption if block.head is None else block.head
            lines = equation_lines(block.items, min(LONGEST_LINE, terminal.width or LONGEST_LINE))
            return lines_of("\n".join([head, *lines] if head else lines))
        case blocks.Findings():
            return _findings(block, min(LONGEST_LINE, terminal.width or LONGEST_LINE))
        case blocks.Drawing():
            return lines_of(block.caption)


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text, in its role if it has one."""
    return [(like(line, text),) for line in visible(text).split("\n")]


def _table(table: blocks.Table, terminal: Terminal) -> list[Line]:
    rows = rows_of(table)
    titled = table.head is not None and table.head.endswith("\n")  # does not name a column
    if not any(rows[0]) or (table.head and len(rows[0]) == 1 and not titled):
        del rows[0]
    lines, notes = _rows(table, rows, terminal)
    lines = _indented(lines)
    lines += [line for note in (*table.notes, *notes) for line in lines_of(f"  {note}")]
    if table.head is None:
        return [*lines_of(table.caption), ("",), *lines]
    return [*lines_of(table.head), *lines] if table.head else lines


def _rows(
    table: blocks.Table, rows: Sequence[Sequence[str]], terminal: Terminal
) -> tuple[list[Line], list[str]]:
    """Return the lines of a table's rows, and what is not shown in them."""
    if not rows:
        return [], []
    if terminal.width is None:
        return aligned(rows), []
    width = terminal.width - len(INDENT)
    if table.one_line:
        lines = one_line_each(rows, width)
        whole = any(line[0].endswith(ELLIPSIS) for line in lines)
        return lines, [_said(f"{ELLIPSIS} stands for what has no room", terminal)] if whole else []
    names = rows_of(table)[0]
    spare = [names.index(name) for name in table.spare if name in names]
    fixed = [_is_fixed(table, place) for place in range(len(names))]
    lines, left_out = fitted(rows, fixed, spare, width)
    if not left_out:
        return lines, []
    told = ", ".join(names[place] for place in sorted(left_out))
    return lines, [_said(f"not shown at this width: {told}", terminal)]


def _said(what: str, terminal: Terminal) -> str:
    return f"{what}; {terminal.fuller}" if terminal.fuller else what


def _is_fixed(table: blocks.Table, place: int) -> bool:
    """Whether a column holds numbers or formulas alone, which are not broken."""
    cells = (row[place] for row in table.rows)
    return all(
        cell in ("", NOTHING)
        or not isinstance(cell, str | Code | Quantity)
        or (isinstance(cell, Quantity) and not cell.remark)
        for cell in cells
    )


def _findings(findings: blocks.Findings, width: int) -> list[Line]:
    shown: list[Line] = []
    for item in findings.items:
        shown += [("",)] if shown and not findings.head else []
        lines = [*lines_of(item.text), *(line for x in item.details for line in lines_of(f"  {x}"))]
        name = "" if item.symbol is None else f"{item.symbol.name}*"
        for place, found in enumerate(item.lines):
            before = f"  {'' if place else name:<{len(name)}} "
            lines += [(line,) for line in form_lines(found, before, width)]
        shown += _indented(lines) if findings.head else lines
    return [*lines_of(findings.head), *shown] if findings.head else shown


def _indented(lines: Sequence[Line]) -> list[Line]:
    return [(INDENT, *line) if any(line) else line for line in lines]
