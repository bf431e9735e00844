"""Show a diagnostic as text: the sentence, the lines of the source, a caret under each place."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Source

WIDEST_LINE = 160
_MARGIN = 10  # as wide as "  = note: "


def render(diagnostic: Diagnostic) -> str:
    """Return the diagnostic with its source lines, carets, notes and hint, without colour."""
    parts = [f"{diagnostic.severity}[{diagnostic.code}]: {visible(diagnostic.message)}"]
    parts.extend(_excerpts(diagnostic.labels))
    parts.extend(_remark("note", note) for note in diagnostic.notes)
    if diagnostic.hint:
        parts.append(_remark("hint", diagnostic.hint))
    return "\n".join(parts)


def visible(text: str) -> str:
    """Return text with control characters, which could rewrite a terminal, shown as `�`."""
    return "".join(
        char if char.isprintable() or char == "\n" else " " if char == "\t" else "\ufffd"
        for char in text
    )


def _remark(word: str, text: str) -> str:
    return f"  = {word}: " + visible(text).replace("\n", "\n" + " " * _MARGIN)


def _excerpts(labels: tuple[Label, ...]) -> list[str]:
    lines: list[str] = []
    seen: Source | None = None
    last_line = 0
    for label in labels:
        source, start, end = label.span
        number, column = source.position(start)
        if source is not seen:
            arrow = "-->" if seen is None else ":::"
            place = "" if source.begin else f":{number}:{column}"
            lines.append(f"  {arrow} {visible(source.name)}{place}")
            seen, last_line = source, 0
        text, column, width = _clip(source.line(number), column, end - start)
        if number != last_line:
            shown = "" if source.begin else number
            lines.append(f"{shown:>4} | {visible(text)}")
        caret = "^" if label is labels[0] else "-"
        note = f" {visible(label.text)}" if label.text else ""
        before, marked = text[: column - 1], text[column - 1 : column - 1 + width]
        lines.append(f"     | {' ' * _columns(before)}{caret * max(1, _columns(marked))}{note}")
        last_line = number
    return lines


def _columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def _clip(text: str, column: int, width: int) -> tuple[str, int, int]:
    """Cut a very long line down to the part around the caret; keep the caret on the line."""
    if len(text) > WIDEST_LINE:
        start = max(0, min(column - 1 - WIDEST_LINE // 3, len(text) - WIDEST_LINE))
        end = start + WIDEST_LINE
        before, after = "…" if start else "", "…" if end < len(text) else ""
        text, column = before + text[start:end] + after, column - start + len(before)
    return text, column, max(1, min(width, len(text) - column + 1))
