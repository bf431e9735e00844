"""Show a diagnostic as text: the sentence, the lines of the source, a caret under each place."""

from __future__ import annotations

import re
from collections.abc import Iterable

from roofdsl.diagnostic import Diagnostic, Label, worth_telling
from roofdsl.inert import in_a_line, visible
from roofdsl.lines import Line, all_within, columns_of, within
from roofdsl.roles import Bad, Open
from roofdsl.source import Source

WIDEST_LINE = 120
LONGEST_WORD = 80
_NARROWEST = 12
_MARGIN = 10  # as wide as "  = note: "
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD},}}")


def render(diagnostic: Diagnostic) -> str:
    """Return the diagnostic with its source lines, carets, notes and hint, without colour."""
    return "\n".join(map("".join, rendered(diagnostic)))


def rendered(diagnostic: Diagnostic, width: int | None = None) -> list[Line]:
    """Return the lines of a diagnostic, in at most so many columns."""
    message = _LONG_WORD.sub(lambda word: _shortened(word[0]), in_a_line(diagnostic.message))
    role = Bad if diagnostic.severity == "error" else Open
    head = (role(f"{diagnostic.severity}[{diagnostic.code}]"), f": {message}")
    lines = [head, *_excerpts(diagnostic.labels, role, width)]
    remarks = [("note", note) for note in diagnostic.notes]
    remarks += [("hint", diagnostic.hint)] if diagnostic.hint else []
    for word, text in remarks:
        lines += [(line,) for line in _remark(word, text).split("\n")]
    return all_within(lines, width)


def told(problems: Iterable[Diagnostic], width: int | None = None) -> list[list[Line]]:
    """Return the lines of each problem that is worth telling, and of what is said of the others."""
    first, more = worth_telling(problems)
    found = [rendered(each, width) for each in first]
    found += [[(line,)] for line in more]
    return found


def _shortened(word: str) -> str:
    return f"{word[: LONGEST_WORD // 2]}…{word[-LONGEST_WORD // 4 :]}"


def _remark(word: str, text: str) -> str:
    shown = _LONG_WORD.sub(lambda long: _shortened(long[0]), visible(text))
    return f"  = {word}: " + shown.replace("\n", "\n" + " " * _MARGIN)


def _excerpts(labels: tuple[Label, ...], role: type[Bad | Open], width: int | None) -> list[Line]:
    lines: list[Line] = []
    seen: Source | None = None
    last_line = left = 0
    positions = [label.span.source.position(label.span.start) for label in labels]
    gutter = max([4, *(len(str(number)) for number, _ in positions)])
    room = WIDEST_LINE if width is None else min(WIDEST_LINE, max(_NARROWEST, width - gutter - 5))
    for label, (number, column) in zip(labels, positions, strict=True):
        source, start, end = label.span
        if source is not seen:
            arrow = "-->" if seen is None else ":::"
            place = "" if source.begin else f":{number}:{column}"
            lines.append((f"  {arrow} {in_a_line(source.name)}{place}",))
            seen, last_line = source, 0
        begin = left if number == last_line else None
        text, column, wide, left = _clip(source.line(number), column, end - start, begin, room)
        if begin != left:
            shown = "" if source.begin else number
            lines.append((f"{shown:>{gutter}} | {_line(text)}",))
        caret = "^" if label is labels[0] else "-"
        before, marked = _line(text[: column - 1]), _line(text[column - 1 : column - 1 + wide])
        indent = " " * (gutter + 1) + "| " + " " * columns_of(before)
        carets = caret * max(1, columns_of(marked))
        lines.append((indent, role(carets) if label is labels[0] else carets))
        if label.text:
            lines[-1:] = _labelled(lines[-1], in_a_line(label.text), width)
        last_line = number
    return lines


def _labelled(carets: Line, text: str, width: int | None) -> list[Line]:
    """Return carets with what is said of them, on the lines below where there is no room."""
    beside = (*carets, f" {text}")
    if width is None or sum(map(columns_of, beside)) <= width:
        return [beside]
    bar = carets[0].index("|") + 1
    below = within((text,), max(_NARROWEST, width - bar - 1), 0)
    return [carets, *((carets[0][:bar], " ", *line) for line in below)]


def _line(text: str) -> str:
    return visible(text).replace("\t", " ")


def _clip(
    text: str, column: int, width: int, begin: int | None, room: int
) -> tuple[str, int, int, int]:
    """Cut a very long line down to the part around the caret; keep the caret on the line.

    The part begins at `begin`, where it has been shown already, if the caret is in that.
    """
    start = 0
    if len(text) > room:
        start = max(0, min(column - 1 - room // 3, len(text) - room))
        if begin is not None and begin <= column - 1 < begin + room:
            start = begin
        end = start + room
        before, after = "…" if start else "", "…" if end < len(text) else ""
        text, column = before + text[start:end] + after, column - start + len(before)
    return text, column, max(1, min(width, len(text) - column + 1)), start
