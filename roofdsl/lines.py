"""Lines of a terminal: how many columns a text takes, and where a line is broken that is too long.

A line is a tuple of pieces. Those that are a `Role` are one still, however they are broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias
from unicodedata import combining, east_asian_width

from roofdsl.roles import Role

Line: TypeAlias = tuple[str, ...]
"""Pieces that stand one behind the other."""

_BREAK = (
    r" {2,}"
    r"|(?<![=≤≥<>±×→])(?<! \.\.) (?!\.\. |[=≤≥<>±×→%])(?!(?<=\d )[A-Za-zµ][A-Za-z]{,5}(?![A-Za-z]))"
)
"""Where a line may end: not beside a sign, nor between a number and its unit."""
_FIRST_UNUSUAL = "\u0300"
"""From here on are characters that take no column, or two."""
_SIGNS = "._:/,-*+( "
"""Behind these a word may be broken that is longer than a line."""


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    >>> columns_of("µs → ∞"), columns_of("行列")
    (6, 4)
    """
    if text.isascii():
        return len(text)
    return len(text) + sum(_more(char) for char in text if char >= _FIRST_UNUSUAL)


def _more(char: str) -> int:
    return -1 if combining(char) else int(east_asian_width(char) in "WF")


def like(text: str, pattern: str) -> str:
    """Return a text in the role of another, if that has one."""
    return type(pattern)(text) if isinstance(pattern, Role) else text


def within(line: Line, width: int | None, hanging: int | None = None) -> list[Line]:
    """Return a line in lines of at most so many columns; without a width there is one.

    Further lines stand `hanging` columns to the right, by default a little more than the first.

    >>> for (line,) in within(("  note: a rate of 22 GFLOP/s is enough",), 22):
    ...     print(line)
      note: a rate of
        22 GFLOP/s
        is enough
    """
    if width is None or sum(map(columns_of, line)) <= width:
        return [line]
    whole = "".join(line)
    indent = len(whole) - len(whole.lstrip(" ")) + 2 if hanging is None else hanging
    before = " " * min(indent, width // 2)
    lines: list[list[str]] = [[]]
    left, least = width, width
    for gap, word, piece in _words(line):
        if columns_of(gap + word) > left < least:
            lines.append([before])
            left = least = width - len(before)
            gap = ""
        text = gap + word
        while columns_of(text) > left:
            at = _end(text, left)
            lines[-1].append(like(text[:at], piece))
            lines.append([before])
            left = least = width - len(before)
            text = text[at:].lstrip(" ")
        lines[-1].append(like(text, piece))
        left -= columns_of(text)
    return [(like("".join(pieces), line[0]),) if len(line) == 1 else (*pieces,) for pieces in lines]


def all_within(lines: Iterable[Line], width: int | None) -> list[Line]:
    """Return lines in lines of at most so many columns."""
    return [part for line in lines for part in within(line, width)]


def words_of(text: str) -> Iterator[str]:
    """Yield what is not broken if it fits a line: words, numbers with their units.

    >>> [*words_of("takes 22 GFLOP/s")]
    ['takes', '22 GFLOP/s']
    """
    return (word for _, word, _ in _words((text,)))


def _words(line: Line) -> Iterator[tuple[str, str, str]]:
    """Yield the words of a line, the spaces before each, and the piece it is of."""
    gap = ""
    for piece in line:
        at = 0
        for found in re.finditer(_BREAK, piece):
            if found.start() > at:
                yield gap, piece[at : found.start()], piece
                gap = ""
            gap += found[0]
            at = found.end()
        if at < len(piece):
            yield gap, piece[at:], piece
            gap = ""


def _end(text: str, width: int) -> int:
    """Return where a word that is too long is broken: behind a sign, if one is not too early."""
    most, used = 0, 0
    for char in text:
        used += columns_of(char)
        if used > width:
            break
        most += 1
    most = max(most, 1)
    return max(text.rfind(sign, most // 2, most) for sign in _SIGNS) + 1 or most
