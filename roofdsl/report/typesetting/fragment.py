"""Tables and equations by themselves, to be put into a document of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from roofdsl.report.document.content import Block
from roofdsl.report.typesetting.latex import Latex
from roofdsl.report.typesetting.markdown import Markdown
from roofdsl.report.typesetting.notation import CellNotation
from roofdsl.report.typesetting.templates import render
from roofdsl.report.typesetting.view import view

Form: TypeAlias = Literal["latex", "markdown"]
FORMS: dict[str, tuple[str, CellNotation]] = {
    "latex": ("tables.tex", Latex()),
    "markdown": ("tables.md", Markdown()),
}


def fragment(blocks: Sequence[Block], form: str) -> str:
    r"""Return tables and equations in LaTeX, ready for `\input`, or in Markdown.

    >>> from roofdsl.report.document.content import Column, Printed, Table
    >>> table = Table("Times", "times", (Column("Layer"), Column("Time", "s", "number")),
    ...     (("fc1", Printed("0.000143")),))
    >>> print(fragment([table], "markdown"))
    **Times**
    <BLANKLINE>
    | Layer | Time [s] |
    | :--- | ---: |
    | fc1 | 0.000143 |
    """
    name, notation = FORMS[form]
    text = render(name, notation, {"blocks_shown": [view(block, notation) for block in blocks]})
    return text.strip("\n")
