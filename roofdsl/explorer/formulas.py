"""Formulas, each written once: as functions of JavaScript, and as MathML with its names marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofdsl.expression.tree import Expression
from roofdsl.typeset.breaking import widths
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.javascript import javascript
from roofdsl.typeset.mathml import MathML, mathml
from roofdsl.typeset.notation import Notated

WIDEST = 56
LONGEST = 900
"""A formula of more characters in print is left out."""


class Functions:
    """A table of functions of the values of `symbols`, in that order.

    >>> from roofdsl.expression.tree import Divide, Symbol
    >>> functions = Functions(["N", "P"])
    >>> functions.place(Divide(Symbol("N"), Symbol("P"))), functions.place(Symbol("N"))
    (0, 1)
    >>> functions.code()
    '[(p) => known(divide(p[0], p[1])), (p) => known(p[0])]'
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self._identifiers: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self.know(symbols)

    @property
    def symbols(self) -> tuple[str, ...]:
        return (*self._identifiers,)

    def know(self, symbols: Iterable[str]) -> None:
        """Append symbols that are not known yet."""
        for name in symbols:
            self._identifiers.setdefault(name, f"p[{len(self._identifiers)}]")

    def place(self, tree: Expression) -> int:
        """Return the place of a formula's function."""
        return self._places.setdefault(javascript(tree, self._identifiers), len(self._places))

    def place_or_none(self, tree: Expression | None) -> int | None:
        return None if tree is None else self.place(tree)

    def code(self) -> str:
        """Return the table."""
        return f"[{', '.join(f'(p) => known({text})' for text in self._places)}]"


class Marked(MathML):
    """MathML with `data-name` on each name."""

    def name(self, name: str) -> Notated:
        piece = super().name(name)
        marked = f'<mrow data-name="{escape_html(name)}">{piece.text}</mrow>'
        return piece._replace(text=marked)


MARKED = Marked()


class Templates:
    """The formulas of a page, each once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, tree: Expression) -> int | None:
        """Return the place of a formula's template, None for one that is too long to be shown."""
        if widths(tree)[id(tree)] > LONGEST:
            return None
        text = mathml(tree, width=WIDEST, notation=MARKED)
        return self._places.setdefault(text, len(self._places))

    def html(self) -> str:
        """Return them as `template` elements, `formula-0` and so on."""
        return "\n".join(
            f'<template id="formula-{place}">{text}</template>'
            for text, place in self._places.items()
        )
