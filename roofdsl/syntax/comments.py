"""Doc comments: the `##` lines above a declaration, or the `##` at the end of its line."""

from __future__ import annotations

from roofdsl.source import Span


def doc_comment(span: Span) -> str:
    """Return the doc comment of what stands at `span`, or ""; paragraphs are lines of it.

    >>> from roofdsl.source import Source
    >>> source = Source("demo", "## Copies.\\n## Nothing else.\\nmodel copy {}  # not this")
    >>> doc_comment(Span(source, 28, 41))
    'Copies. Nothing else.'
    >>> doc_comment(Span(Source("demo", "## Copies.\\nmodel copy { memory = 3 }"), 24, 34))
    ''
    """
    source = span.source
    above: list[str] = []
    row, column = source.position(span.start)
    # Lines above are of what stands first below them, not of what stands inside it.
    first = not source.line(row)[: column - 1].strip()
    number = row - 1 if first else 0
    while number >= 1:
        line = source.line(number).strip()
        if not line.startswith("##"):
            break
        above.append(line[2:].strip())
        number -= 1
    text = _paragraphs(list(reversed(above)))
    end_line, end_column = source.position(span.end)
    rest = source.line(end_line)[end_column - 1 :].lstrip(" \t;")
    if rest.startswith("##"):
        text = f"{text} {rest[2:].strip()}".strip()
    return text


def _paragraphs(lines: list[str]) -> str:
    """Return lines joined to paragraphs; an empty line ends one."""
    paragraphs: list[list[str]] = [[]]
    for line in lines:
        if line:
            paragraphs[-1].append(line)
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n".join(" ".join(words) for words in paragraphs if words)
