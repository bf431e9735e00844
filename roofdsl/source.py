"""Text a person wrote, and places in it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import NamedTuple


class Source:
    """A named text: a `.roof` file, a command-line argument, a string in Python.

    Text before `begin` is only shown, as the `-p N=` of an argument is; `body` is what is read.

    >>> source = Source("demo.roof", "model m {\\n}\\n")
    >>> source.position(10)
    (2, 1)
    >>> source.line(1)
    'model m {'
    """

    def __init__(self, name: str, text: str, path: Path | None = None, begin: int = 0) -> None:
        self.name = name
        self.text = text
        self.path = path
        self.begin = begin
        self.uses: list[str] = []
        """The digests of what it means something by: files that it uses, tables, earlier cells."""
        self.earlier: Source | None = None
        """The text before it whose words it knows, such as the cell of a notebook above it."""

    @property
    def body(self) -> str:
        return self.text[self.begin :]

    @cached_property
    def digest(self) -> str:
        """What is the same where its text is, and the texts that it uses."""
        from hashlib import sha256  # most files use none, and are not compared

        return sha256(repr([self.text, *self.uses]).encode()).hexdigest()

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int) -> int:
        """Return where a line (from 1) begins."""
        return self._line_starts[line - 1]

    def line(self, number: int) -> str:
        """Return line `number` (from 1) without its line end."""
        starts = self._line_starts
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    @property
    def line_count(self) -> int:
        return len(self._line_starts)


class Span(NamedTuple):
    """A stretch of a source: characters `start` up to but not including `end`."""

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, other.end)

    def __str__(self) -> str:
        line, column = self.source.position(self.start)
        return f"{self.source.name}:{line}:{column}"
