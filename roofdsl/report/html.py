"""Cells in HTML."""

from __future__ import annotations

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.report.notation import CellNotation, is_long
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.mathml import mathml

_NO_BREAK = "\u00a0"
WIDTH = 84


class Html(CellNotation):
    @staticmethod
    def text(text: str) -> str:
        return escape_html(text)

    def code(self, text: str) -> str:
        return f"<code>{self.text(text)}</code>"

    def number(self, shown: str) -> str:
        return self.text(shown.replace(" ", _NO_BREAK))

    def formula(self, tree: Expression) -> str:
        if isinstance(tree, Symbol) and is_long(tree.name):
            return self.text(tree.name)  # a formula cannot be broken inside of a name
        # A page has a style sheet; what a notebook is given must bring its styles along.
        return mathml(tree, width=WIDTH).replace('<mtd style="text-align: left">', "<mtd>")
