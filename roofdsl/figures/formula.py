"""A formula in a figure: its plain text, and how it is set where there is room for that."""

from __future__ import annotations

from roofdsl.expression.tree import Expression, Symbol
from roofdsl.typeset.mathtext import mathtext, upright


class Formula(str):
    """A text that can be typeset; everywhere else, as in tables and names, it is that text.

    `math` is for mathtext, and has only commands of TeX's own.
    """

    __slots__ = ("math",)
    math: str

    def __new__(cls, text: str, math: str) -> Formula:
        found = super().__new__(cls, text)
        found.math = math
        return found


def formula(text: str, tree: Expression) -> str:
    """Return a text as the formula it says; as it is, where that is a name or no label.

    >>> from roofdsl.expression.construct import divide
    >>> formula("a/b", divide(Symbol("a"), Symbol("b"))).math
    '\\\\dfrac{a}{b}'
    """
    math = "" if isinstance(tree, Symbol) else mathtext(tree)
    return Formula(text, math) if math else text


def followed(text: str, by: str) -> str:
    """Return a text, perhaps a formula, with a plain one behind it."""
    if not isinstance(text, Formula) or not (behind := upright(by)):
        return text + by
    return Formula(text + by, text.math + behind)


def math_of(text: str) -> str:
    """Return what a text is for mathtext, "" where it is plain."""
    return f"${text.math}$" if isinstance(text, Formula) else ""
