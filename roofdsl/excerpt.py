"""Show a diagnostic as text: the sentence, the lines of the source, a caret under each place."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Source

WIDEST_LINE = 160


def render(diagnostic: Diagnostic) -> str:
    """Return the diagnostic with its source lines, carets, notes and hint, without colour."""
    parts = [f"{diagnostic.severity}[{diagnostic.code}]: {visible(diagnostic.message)}"]
    parts.extend(_excerpts(diagnostic.labels))
    parts.extend(f"  = note: {visible(note)}" for note in diagnostic.notes)
    if diagnostic.hint:
        parts.append(f"  = hint: {visible(diagnostic.hint)}")
    return "\n".join(parts)


def visible(text: str) -> str:
    """Return text with control characters, which could rewrite a terminal, shown as `�`."""
    return "".join(
        char if char.isprintable() or char == "\n" else " " if char == "\t" else "\ufffd"
        for char in text
    )


def _excerpts(labels: tuple[Label, ...]) -> list[str]:
    lines: list[str] = []
    seen: Source | None = None
    last_line = 0
    for label in labels:
        source, start, end = label.span
        number, column = source.position(start)
        if source is not seen:
            arrow = "-->" if seen is None else ":::"
            lines.append(f"  {arrow} {visible(source.name)}:{number}:{column}")
            seen, last_line = source, 0
        text, column, width = _clip(source.line(number), column, end - start)
        if number != last_line:
            lines.append(f"{number:>4} | {visible(text)}")
        caret = "^" if label is labels[0] else "-"
        note = f" {visible(label.text)}" if label.text else ""
        lines.append(f"     | {' ' * (column - 1)}{caret * width}{note}")
        last_line = number
    return lines


def _clip(text: str, column: int, width: int) -> tuple[str, int, int]:
    """Cut a very long line down to the part around the caret; keep the caret on the line."""
    if len(text) > WIDEST_LINE:
        start = max(0, min(column - 1 - WIDEST_LINE // 3, len(text) - WIDEST_LINE))
        end = start + WIDEST_LINE
        before, after = "…" if start else "", "…" if end < len(text) else ""
        text, column = before + text[start:end] + after, column - start + len(before)
    return text, column, max(1, min(width, len(text) - column + 1))
