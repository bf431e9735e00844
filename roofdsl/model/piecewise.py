"""A file of the library of which only the models asked for are read: most uses need one of many."""

from __future__ import annotations

import re

from roofdsl.diagnostic import Diagnostic
from roofdsl.model.definitions import Definitions
from roofdsl.model.neighbours import Neighbours
from roofdsl.model.types import Module
from roofdsl.model.vocabulary import vocabulary
from roofdsl.source import Source, Span
from roofdsl.syntax.nodes import Declaration
from roofdsl.syntax.parse import pieces
from roofdsl.syntax.parsed import Pieces

HEAD = re.compile(r"(model|machine|test)[ \t]+(\w+|\")")
_WORD = re.compile(r"[^\W\d]\w*")


class Piecewise:
    """Builds models of one file into one module, each with those of the file that it names.

    Where anything is wrong in what was read, nothing is built: read as a whole, the file says what.
    """

    def __init__(self, source: Source, neighbours: Neighbours) -> None:
        self._wrong = 0
        self._source = source
        self._pieces = Pieces(source)
        self._unread: dict[str, tuple[int, int]] = {}
        others: list[Declaration] = []
        for start, end in pieces(source):
            head = HEAD.match(source.text, start)
            if head is None:
                others += self._read(start, end)
            elif head[1] == "model":
                self._wrong += head[2] in self._unread
                self._unread[head[2]] = start, end
        self._names = frozenset(self._unread)
        self.module: Module = vocabulary(source, others, neighbours, self._report)
        self._definitions = Definitions(self.module, others, neighbours, self._report)

    def build(self, name: str) -> bool:
        """Build a model and what it needs of its file; return whether the module now has it."""
        if name not in self._names:
            return False
        waiting, declarations = [name], list[Declaration]()
        while waiting:
            place = self._unread.pop(waiting.pop(), None)
            if place is not None:
                declarations += self._read(*place)
                words = set(_WORD.findall(self._source.text, *place))
                waiting += sorted(words & self._unread.keys())
        self._pieces.keep()
        self._definitions.add(declarations)
        self._definitions.model(name, Span(self._source, 0, 0))
        return not self._wrong and name in self.module.models

    def _read(self, start: int, end: int) -> tuple[Declaration, ...]:
        found = self._pieces.read(start, end)
        self._wrong += found is None
        return found or ()

    def _report(self, _problem: Diagnostic) -> None:
        self._wrong += 1
