"""A card: what a notebook shows of a model, a machine or a prediction, in HTML and in LaTeX.

It carries no colours, styles or resources of its own, so it fits light and dark pages.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from roofdsl.expression.tree import Expression
from roofdsl.typeset.breaking import widths
from roofdsl.typeset.escape import escape_html, escape_latex
from roofdsl.typeset.latex import latex
from roofdsl.typeset.mathml import mathml
from roofdsl.typeset.numeral import ELLIPSIS

WIDEST = 100
LONGEST = 1500
"""A formula of more characters in print is left out."""

Cell: TypeAlias = str | Expression
"""A text, or a formula; `=` is a sign between two formulas."""


class Row(NamedTuple):
    """Cells beside one another; the remark, a longer text, is only shown in HTML.

    Without cells, the row is a remark over the whole width.
    """

    cells: tuple[Cell, ...]
    remark: str = ""


class Section(NamedTuple):
    """Rows with a title."""

    title: str
    rows: tuple[Row, ...]


class Card(NamedTuple):
    """A title such as `model summa`, a text, and the sections; those without rows are not shown."""

    title: str
    text: str
    sections: tuple[Section, ...]


def card_html(card: Card) -> str:
    """Return a card as HTML with MathML formulas.

    >>> print(card_html(Card("model <b>", "", (Section("work", (Row(("flops", "2")),)),))))
    <div class="roofdsl">
    <p><strong>model &lt;b&gt;</strong></p>
    <table>
    <caption style="text-align: left; padding-top: 0.5em">work</caption>
    <tr><th scope="row" style="text-align: left">flops</th><td style="text-align: left">2</td></tr>
    </table>
    </div>
    """
    text = f": {escape_html(card.text)}" if card.text else ""
    lines = ['<div class="roofdsl">', f"<p><strong>{escape_html(card.title)}</strong>{text}</p>"]
    for section in card.sections:
        if section.rows:
            style = "text-align: left; padding-top: 0.5em"
            title = f'<caption style="{style}">{escape_html(section.title)}</caption>'
            lines += ["<table>", title, *map(_html_row, section.rows), "</table>"]
    return "\n".join([*lines, "</div>"])


def card_latex(card: Card) -> str:
    r"""Return a card as a LaTeX formula, as notebooks show it.

    >>> print(card_latex(Card("model scale", "", (Section("work", (Row(("flops", "=", "2")),)),))))
    $\displaystyle \begin{array}{l}
    \textbf{model scale} \\
    \text{work} \\
    \quad \begin{array}{lll} \text{flops} & = & \text{2} \end{array}
    \end{array}$
    """
    lines = [rf"\textbf{{{escape_latex(card.title)}}}"]
    for section in card.sections:
        columns = "l" * max((len(row.cells) for row in section.rows), default=0)
        if columns:
            rows = r" \\[0.5ex] ".join(
                " & ".join(map(_latex_cell, row.cells)) for row in section.rows
            )
            lines.append(rf"\text{{{escape_latex(section.title)}}}")
            lines.append(rf"\quad \begin{{array}}{{{columns}}} {rows} \end{{array}}")
    inside = " \\\\\n".join(lines)
    return f"$\\displaystyle \\begin{{array}}{{l}}\n{inside}\n\\end{{array}}$"


def _html_row(row: Row) -> str:
    left = 'style="text-align: left"'
    head = "".join(f'<th scope="row" {left}>{_html_cell(cell)}</th>' for cell in row.cells[:1])
    cells = (*row.cells[1:], row.remark) if row.remark else row.cells[1:]
    return f"<tr>{head}{''.join(f'<td {left}>{_html_cell(cell)}</td>' for cell in cells)}</tr>"


def _html_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escape_html(cell)
    return ELLIPSIS if _too_long(cell) else mathml(cell, width=WIDEST)


def _latex_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell if cell in ("", "=") else rf"\text{{{escape_latex(cell)}}}"
    return r"\ldots" if _too_long(cell) else rf"\displaystyle {latex(cell, width=WIDEST)}"


def _too_long(tree: Expression) -> bool:
    return widths(tree)[id(tree)] > LONGEST
