"""Formulas as JavaScript functions, each written once."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.expression.tree import Expression
from roofdsl.typeset.javascript import javascript


class Functions:
    """A table of functions of the values of `symbols`, in that order.

    >>> from roofdsl.expression.tree import Divide, Symbol
    >>> functions = Functions(["N", "P"])
    >>> functions.place(Divide(Symbol("N"), Symbol("P"))), functions.place(Symbol("N"))
    (0, 1)
    >>> functions.code()
    '[(p) => divide(p[0], p[1]), (p) => p[0]]'
    """

    def __init__(self, symbols: Sequence[str]) -> None:
        self.symbols = tuple(symbols)
        self._identifiers = {name: f"p[{place}]" for place, name in enumerate(symbols)}
        self._places: dict[str, int] = {}

    def place(self, tree: Expression) -> int:
        """Return the place of a formula's function."""
        return self._places.setdefault(javascript(tree, self._identifiers), len(self._places))

    def code(self) -> str:
        """Return the table."""
        return f"[{', '.join(f'(p) => {text}' for text in self._places)}]"
