"""Answers as cards: what notebooks show, in HTML and in LaTeX.

A card carries no colours, styles or resources of its own, so it fits light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofdsl.answer import blocks
from roofdsl.answer.cells import width
from roofdsl.expression.tree import Expression
from roofdsl.report.notation import CellNotation
from roofdsl.typeset.escape import escape_html, escape_latex
from roofdsl.typeset.latex import latex
from roofdsl.typeset.mathml import mathml
from roofdsl.typeset.numeral import ELLIPSIS

WIDEST = 100
LONGEST = 1500
MOST_ROWS = 100
_LEFT = 'style="text-align: left"'
_CAPTION = 'style="text-align: left; padding-top: 0.5em"'


class _Html(CellNotation):
    longest = LONGEST

    @staticmethod
    def text(text: str) -> str:
        return escape_html(text)

    def formula(self, tree: Expression) -> str:
        return ELLIPSIS if width(tree) > LONGEST else mathml(tree, width=WIDEST)


class _Latex(CellNotation):
    longest = LONGEST

    @staticmethod
    def text(text: str) -> str:
        return rf"\text{{{escape_latex(text)}}}" if text else ""

    def formula(self, tree: Expression) -> str:
        shown = r"\ldots" if width(tree) > LONGEST else latex(tree, width=WIDEST)
        return rf"\displaystyle {shown}"


def card_html(parts: Sequence[blocks.Block]) -> str:
    """Return blocks as HTML with MathML formulas; the first text is the title.

    >>> table = blocks.tabular("Work", "work", [["", ""], ["flops", "2"]], head="work")
    >>> print(card_html([blocks.Text("model <b>"), table]))
    <div class="roofdsl">
    <p><strong>model &lt;b&gt;</strong></p>
    <table>
    <caption style="text-align: left; padding-top: 0.5em">work</caption>
    <tr><th scope="row" style="text-align: left">flops</th><td style="text-align: left">2</td></tr>
    </table>
    </div>
    """
    lines = ['<div class="roofdsl">']
    for place, block in enumerate(parts):
        for text in _paragraphs(block):
            shown = escape_html(text)
            lines.append(f"<p>{shown if place else f'<strong>{shown}</strong>'}</p>")
        title, headings, rows = _rows(block, _Html())
        if rows:
            caption = [f"<caption {_CAPTION}>{escape_html(title)}</caption>"] if title else []
            head = [_html_row(headings, 'th scope="col"')] if any(headings) else []
            lines += ["<table>", *caption, *head, *(_html_row(row) for row in rows), "</table>"]
    return "\n".join([*lines, "</div>"])


def _html_row(cells: Sequence[str], tag: str = "td") -> str:
    first = tag if tag != "td" else 'th scope="row"'
    tags = [first, *[tag] * (len(cells) - 1)]
    shown = (f"<{t} {_LEFT}>{c}</{t[:2]}>" for t, c in zip(tags, cells, strict=True))
    return f"<tr>{''.join(shown)}</tr>"


def card_latex(parts: Sequence[blocks.Block]) -> str:
    r"""Return blocks as a LaTeX formula, as notebooks show it.

    >>> table = blocks.tabular("Work", "work", [["", ""], ["flops", "2"]], head="work")
    >>> print(card_latex([blocks.Text("model scale"), table]))
    $\displaystyle \begin{array}{l}
    \textbf{model scale} \\
    \text{work} \\
    \quad \begin{array}{ll} \text{flops} & \text{2} \end{array}
    \end{array}$
    """
    lines = []
    for place, block in enumerate(parts):
        for text in _paragraphs(block):
            style = "text" if place else "textbf"
            lines.append(rf"\{style}{{{escape_latex(text)}}}")
        title, headings, rows = _rows(block, _Latex())
        if rows:
            shown = [headings, *rows] if any(headings) else rows
            inside = r" \\[0.5ex] ".join(" & ".join(row) for row in shown)
            lines += [rf"\text{{{escape_latex(title)}}}"] if title else []
            columns = "l" * max(len(row) for row in rows)
            lines.append(rf"\quad \begin{{array}}{{{columns}}} {inside} \end{{array}}")
    inside = " \\\\\n".join(lines)
    return f"$\\displaystyle \\begin{{array}}{{l}}\n{inside}\n\\end{{array}}$"


def _paragraphs(block: blocks.Block) -> Sequence[str]:
    match block:
        case blocks.Text():
            return block.text.split("\n")
        case blocks.Prose():
            return block.paragraphs
    return ()


def _rows(block: blocks.Block, notation: CellNotation) -> tuple[str, list[str], list[list[str]]]:
    """Return a block's title, headings and rows; an empty title or headings where it has none."""
    match block:
        case blocks.Table():
            headings = [notation.cell(column.heading) for column in block.columns]
            rows = [[notation.cell(cell) for cell in row] for row in block.rows[:MOST_ROWS]]
            left = len(block.rows) - MOST_ROWS
            more = [f"and {left} more"] if left > 0 else []
            ends = [[notation.text(text)] for text in (*more, *block.notes)]
            return block.head or block.caption, headings, rows + ends
        case blocks.Equations():
            rows = [row for item in block.items for row in _equation(item, notation)]
            return block.head or block.caption, [], rows
        case blocks.Findings():
            rows = [_finding(item, notation) for item in block.items]
            return block.caption or block.head, [], rows
        case blocks.Notes():
            return "notes", [], [[notation.text(note)] for note in block.items]
    return "", [], []


def _equation(item: blocks.Equation, notation: CellNotation) -> Iterator[list[str]]:
    name, unit = notation.cell(item.name), notation.text(item.unit)
    if not item.lines:
        yield [name, "", notation.text(item.remark)]
    for place, line in enumerate(item.lines):
        remark = line.remark or ("" if place else item.remark)
        first = ["", ""] if place else [name, unit]
        sign = notation.relation(line.relation)
        yield [first[0], sign, notation.cell(line.value), first[1], notation.text(remark)]


def _finding(item: blocks.Finding, notation: CellNotation) -> list[str]:
    found = [notation.text("; ".join((item.text, *item.details)))]
    for line in item.lines:
        found += [notation.relation(line.relation), notation.cell(line.value)]
    if item.symbol is not None:
        found.insert(1, notation.cell(item.symbol))
    return found
