"""Cells in HTML."""

from __future__ import annotations

import re

from roofdsl.answer.cells import Cell
from roofdsl.expression.tree import Expression, Symbol
from roofdsl.report.notation import CellNotation, is_long
from roofdsl.roles import Binding
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.mathml import mathml

_NO_BREAK = "\u00a0"
WIDTH = 84

_MATH = re.compile(r'<math aria-label="([^"]*)" displaystyle="true">(.*)</math>', re.DOTALL)
_UNSEEN = str.maketrans({"\u2062": "&it;", "\u2061": "&af;"})
"""Operators that nobody sees: who reads the file does, and that no other character hides there."""
_TAG = re.compile(r"<[^>]*>")
_VALUE = re.compile(r'="0?([\w.]+)"')


class Html(CellNotation):
    @staticmethod
    def text(text: str) -> str:
        return escape_html(text)

    def cell(self, cell: Cell) -> str:
        if isinstance(cell, Binding) and cell.startswith("←"):
            return self.number(cell)  # an arrow and what it is of stand on one line
        return super().cell(cell)

    def code(self, text: str) -> str:
        return f"<code>{self.text(text)}</code>"

    def number(self, shown: str) -> str:
        return self.text(shown.replace(" ", _NO_BREAK))

    def formula(self, tree: Expression) -> str:
        if isinstance(tree, Symbol) and is_long(tree.name):
            return self.text(tree.name)  # a formula cannot be broken inside of a name
        return _in_a_page(mathml(tree, width=WIDTH))


def _in_a_page(math: str) -> str:
    """Return MathML without what a page's style sheet says, and a label that says nothing more.

    What a notebook is given must bring all of it along.

    >>> _in_a_page('<math aria-label="N" displaystyle="true"><mi>N</mi></math>')
    '<math><mi>N</mi></math>'
    >>> _in_a_page('<math aria-label="-N" displaystyle="true"><mo form="prefix">−</mo></math>')
    '<math aria-label="-N"><mo form=prefix>−</mo></math>'
    """
    match = _MATH.fullmatch(math)
    assert match is not None
    label, inside = match.groups()
    inside = inside.replace('<mtd style="text-align: left">', "<mtd>")
    inside = inside.replace('<mtable displaystyle="true">', "<mtable>")
    inside = _TAG.sub(lambda tag: _VALUE.sub(r"=\1", tag[0]), inside)
    said = "" if _TAG.sub("", inside) == label else f' aria-label="{label}"'
    return f"<math{said}>{inside.translate(_UNSEEN)}</math>"
