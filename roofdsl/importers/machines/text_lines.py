"""Lines of a text that a tool printed, and their words, with places."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source, Span

MOST_LINES = 200_000
_WORD = re.compile(r"\S+")


class Line(NamedTuple):
    """A line without its end, and where it stands."""

    text: str
    span: Span

    def words(self) -> list[Span]:
        """Return the places of its words.

        >>> source = Source("demo", "# Size\\n8    1.25\\n")
        >>> [[word.text for word in line.words()] for line in lines(source)]
        [['#', 'Size'], ['8', '1.25']]
        """
        found = _WORD.finditer(self.text)
        start = self.span.start
        return [self.span._replace(start=start + m.start(), end=start + m.end()) for m in found]

    def part(self, match: re.Match[str], group: int) -> Span:
        """Return the place of what a group of a pattern matched in the line."""
        start, end = match.span(group)
        return self.span._replace(start=self.span.start + start, end=self.span.start + end)


def lines(source: Source) -> Iterator[Line]:
    """Yield the lines of a text that are not empty, at most `MOST_LINES`."""
    start = 0
    for count, text in enumerate(source.text.split("\n")):
        if count == MOST_LINES:
            return
        if text.strip():
            yield Line(text, Span(source, start, start + len(text)))
        start += len(text) + 1


def ended(source: Source, message: str, hint: str = "is the file whole?") -> Diagnostic:
    """Return that something is missing where a file ends (R1222)."""
    text = source.text.rstrip("\n")
    end = len(text)
    place = Span(source, max(0, end - 1), max(1, end) if source.text else 0)
    return Diagnostic.at("R1222", message, place, hint=hint)


def cut_off(source: Source) -> Diagnostic:
    """Return that a file ends inside a line (R1222): a number there may be a part of one."""
    hint = "is the file whole? the last line of a whole one ends with a line break"
    return ended(source, "the file ends in the middle of a line", hint)
