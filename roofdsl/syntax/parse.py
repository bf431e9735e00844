"""Parse `.roof` text with Lark: a file into declarations, or one expression.

Syntax errors come back as diagnostics. After one, the parser resumes at the next declaration, so
each declaration of a file reports its first error.
"""

from __future__ import annotations

import re
from typing import cast

from roofdsl.diagnostic import MOST_PROBLEMS, Diagnostic
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import ExpressionSyntax, NumberLiteral
from roofdsl.syntax.nodes import Declaration
from roofdsl.syntax.parsed import Pieces

_DECLARATION = re.compile(
    r"^(?:model|mix(?=[ \t]+\w)|machine(?![.])|test|use|function|unit|resource)\b", re.MULTILINE
)
_INDENTED = re.compile(r"^[ \t]*(?:model|mix|machine|test)[ \t]+[\w\"]", re.MULTILINE)
_PLAIN_NUMBER = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,6})?")


def parse(source: Source) -> tuple[tuple[Declaration, ...], tuple[Diagnostic, ...]]:
    """Parse a whole file.

    >>> declarations, diagnostics = parse(Source("demo", "model copy { memory = 16 B }"))
    >>> declarations[0].name.name, diagnostics
    ('copy', ())
    """
    result = _run(source, "start")
    if not isinstance(result, Diagnostic):
        return cast("tuple[Declaration, ...]", result), ()
    declarations: list[Declaration] = []
    diagnostics: list[Diagnostic] = []
    # What is indented stands inside another declaration, unless all of them are.
    pattern = _DECLARATION if _DECLARATION.search(source.text) else _INDENTED
    starts = [match.start() for match in pattern.finditer(source.text)]
    for start, end in zip([0, *starts], [*starts, len(source.text)], strict=True):
        part = _run(source, "start", start, end)
        if isinstance(part, Diagnostic):
            diagnostics.append(part)
        else:
            declarations.extend(cast("tuple[Declaration, ...]", part))
        if len(diagnostics) > MOST_PROBLEMS:
            break
    # A brace left open may make the whole file wrong though each of its pieces reads well.
    return tuple(declarations), tuple(diagnostics) or (result,)


def parse_without_tests(source: Source) -> tuple[Declaration, ...] | None:
    """Parse a file without its `test` blocks, None if anything is wrong with the rest.

    A model is used far more often than tested, and the tests are half of most files.
    """
    declarations: list[Declaration] = []
    parsed = Pieces(source)
    for start, end in pieces(source):
        if source.text.startswith("test", start):
            continue
        part = parsed.read(start, end)
        if part is None:
            return None
        declarations.extend(part)
    parsed.keep()
    return tuple(declarations)


def pieces(source: Source) -> list[tuple[int, int]]:
    """Return where each declaration of a file begins and ends, by its first word alone.

    What stands before the first is a piece too, if anything does.

    >>> pieces(Source("demo", "unit edge\\nmodel copy { memory = 16 B }\\n"))
    [(0, 10), (10, 39)]
    """
    starts = [match.start() for match in _DECLARATION.finditer(source.text)]
    places = zip([0, *starts], [*starts, len(source.text)], strict=True)
    return [(start, end) for start, end in places if start < end]


def parse_expression(source: Source, end: int | None = None) -> ExpressionSyntax | Diagnostic:
    """Parse one expression, such as a value on the command line, up to an end.

    >>> parse_expression(Source("demo", "1e6")).digits
    '1e6'
    """
    end = len(source.text) if end is None else end
    start = min(source.begin, end)  # of a text of blanks alone, the end may be before them
    if _PLAIN_NUMBER.fullmatch(source.text, start, end):
        # Most values are such numbers: with no other expression, Lark need not be loaded.
        digits, at_end = source.text[start:end], Span(source, end, end)
        return NumberLiteral(Span(source, start, end), digits, "", "", at_end)
    return cast("ExpressionSyntax | Diagnostic", _run(source, "single", start, end))


def _run(source: Source, rule: str, start: int = 0, end: int | None = None) -> object:
    from roofdsl.syntax.parser import run  # loads Lark

    return run(source, rule, start, len(source.text) if end is None else end)
