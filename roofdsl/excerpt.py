"""Show a diagnostic as text: the sentence, the lines of the source, a caret under each place."""

from __future__ import annotations

import re
from unicodedata import combining, east_asian_width

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.inert import in_a_line, visible
from roofdsl.source import Source

WIDEST_LINE = 120
LONGEST_WORD = 80
_MARGIN = 10  # as wide as "  = note: "
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")


def render(diagnostic: Diagnostic) -> str:
    """Return the diagnostic with its source lines, carets, notes and hint, without colour."""
    message = _LONG_WORD.sub(lambda word: _shortened(word[0]), in_a_line(diagnostic.message))
    parts = [f"{diagnostic.severity}[{diagnostic.code}]: {message}"]
    parts.extend(_excerpts(diagnostic.labels))
    parts.extend(_remark("note", note) for note in diagnostic.notes)
    if diagnostic.hint:
        parts.append(_remark("hint", diagnostic.hint))
    return "\n".join(parts)


def _shortened(word: str) -> str:
    return f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 4 :]}"


def _remark(word: str, text: str) -> str:
    shown = _LONG_WORD.sub(lambda long: _shortened(long[0]), visible(text))
    return f"  = {word}: " + shown.replace("\n", "\n" + " " * _MARGIN)


def _excerpts(labels: tuple[Label, ...]) -> list[str]:
    lines: list[str] = []
    seen: Source | None = None
    last_line = left = 0
    positions = [label.span.source.position(label.span.start) for label in labels]
    gutter = max([4, *(len(str(number)) for number, _ in positions)])
    for label, (number, column) in zip(labels, positions, strict=True):
        source, start, end = label.span
        if source is not seen:
            arrow = "-->" if seen is None else ":::"
            place = "" if source.begin else f":{number}:{column}"
            lines.append(f"  {arrow} {in_a_line(source.name)}{place}")
            seen, last_line = source, 0
        begin = left if number == last_line else None
        text, column, width, left = _clip(source.line(number), column, end - start, begin)
        if begin != left:
            shown = "" if source.begin else number
            lines.append(f"{shown:>{gutter}} | {_line(text)}")
        caret = "^" if label is labels[0] else "-"
        note = f" {in_a_line(label.text)}" if label.text else ""
        before, marked = _line(text[: column - 1]), _line(text[column - 1 : column - 1 + width])
        indent = " " * (gutter + 1) + "| " + " " * _columns(before)
        lines.append(f"{indent}{caret * max(1, _columns(marked))}{note}")
        last_line = number
    return lines


def _line(text: str) -> str:
    return visible(text).replace("\t", " ")


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def _clip(text: str, column: int, width: int, begin: int | None) -> tuple[str, int, int, int]:
    """Cut a very long line down to the part around the caret; keep the caret on the line.

    The part begins at `begin`, where it has been shown already, if the caret is in that.
    """
    start = 0
    if len(text) > WIDEST_LINE:
        start = max(0, min(column - 1 - WIDEST_LINE // 3, len(text) - WIDEST_LINE))
        if begin is not None and begin <= column - 1 < begin + WIDEST_LINE:
            start = begin
        end = start + WIDEST_LINE
        before, after = "…" if start else "", "…" if end < len(text) else ""
        text, column = before + text[start:end] + after, column - start + len(before)
    return text, column, max(1, min(width, len(text) - column + 1)), start
