"""Cells in Markdown as GitHub and GitLab read it; formulas in LaTeX's mathematics."""

from __future__ import annotations

from roofdsl.answer.answer import Shown
from roofdsl.expression.tree import Expression
from roofdsl.inert import visible
from roofdsl.report.html import Html
from roofdsl.typeset.escape import escape_markdown
from roofdsl.typeset.latex import latex

_BAR = r"\vert "
_BACKTICK = r"\textasciigrave "


class Markdown(Html):
    @staticmethod
    def text(text: str) -> str:
        return escape_markdown(text)

    def formula(self, tree: Expression) -> str:
        # A bar would end a table's cell, and a backtick the formula.
        line = " ".join(latex(tree).split())
        return f"$`{line.replace('|', _BAR).replace('`', _BACKTICK)}`$"


def written(answer: Shown) -> str:
    """Return an answer in Markdown."""
    from roofdsl.report.templates import fragment

    return visible(fragment(answer.blocks(), "tables.md", Markdown()))
