"""What to say of a character the language has no use for."""

from __future__ import annotations

import re

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Span

RELATIONS = {"<>": "!=", "=!": "!=", "=<": "<=", "=>": ">="}
# What people type for what the language writes.
REPLACEMENTS = {
    **RELATIONS,
    "×": "*", "·": "*", "⋅": "*", "∗": "*", "÷": "/", "∕": "/",
    "−": "-", "–": "-", "—": "-",
    "⁰": "^0", "¹": "^1", "²": "^2", "³": "^3", "⁴": "^4", "⁵": "^5", "⁶": "^6", "⁷": "^7",
    "⁸": "^8", "⁹": "^9", "⁻": "^-",
    "√": "sqrt(…)", "∑": "sum(… for k in 1..N)", "⌈": "ceil(…)", "⌊": "floor(…)",
    "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "∞": "unlimited",
    "&": "and", "&&": "and", "∧": "and", "||": "or", "∨": "or", "!": "not", "¬": "not",
    "?": "if … then … else …", "…": "..",
}  # fmt: skip
# A number with an uncertainty, as people write it: `(50 ± 5) GB/s`, `50 GB/s +/- 10%`.
_SIZE, _IN = r"(\d[\d_]*+(?:\.\d++)?)[ \t]*+", r"([^\W\d][\w/^]*+)?[ \t]*+"
_SPREAD = re.compile(
    rf"(?<![\w.]){_SIZE}{_IN}(?:±|\+/?-)[ \t]*+(-?){_SIZE}(%?)[ \t]*+{_IN}\)?[ \t]*+{_IN}"
)
_QUOTES = "“”„‟«»'‘’`"


def unreadable(span: Span) -> Diagnostic:
    """Return the diagnostic for the character at the start of `span`, which no token begins with.

    >>> from roofdsl.source import Source
    >>> print(unreadable(Span(Source("demo", "N²"), 1, 2)))
    error[R0104]: '²' means nothing in the language
      --> demo:1:2
       1 | N²
         |  ^
      = hint: write `^2`
    """
    text, start = span.source.text, span.start
    character = text[start]
    if character == '"':
        return _unclosed_text(span)
    if character == "." and (match := re.compile(r"\.\d+").match(text, start)):
        return _leading_point(Span(span.source, start, match.end()))
    end = start + 1
    pair = text[start : start + 2]
    if len(pair) == 2 and pair in REPLACEMENTS:
        end += 1
    elif character == "'" and (match := re.compile(r"'\d{3}(?:'\d{3})*").match(text, start)):
        before = re.search(r"\d+$", text[max(0, start - 30) : start])
        if before:
            return badly_grouped(Span(span.source, start - len(before[0]), match.end()))
    place = Span(span.source, start, end)
    shown = place.text if place.text.isprintable() else f"U+{ord(character):04X}"
    message = f"'{shown}' means nothing in the language"
    if shown == "'":
        message = "single quotes mean nothing in the language"
    elif shown == "±":
        message = "'±' stands between a number and how far it may be off"
    hint = spread(place) if shown == "±" else None
    return Diagnostic.at("R0104", message, place, hint=hint or _hint(place.text))


def spread(place: Span) -> str | None:
    """Return how the uncertainty in the line of a place is written, None where there is none.

    >>> from roofdsl.source import Source
    >>> spread(Span(Source("demo", "flops = 50 GFLOP/s ± 10%"), 19, 20))
    'write how far a number may be off before its unit: `50 ± 10% GFLOP/s`'
    """
    line = place.source.line(place.source.position(place.start)[0])
    match = _SPREAD.search(line)
    if match is None:
        return None
    size, behind, minus, error, percent, *units = match.groups()
    named = {unit for unit in (behind, *units) if unit}
    if minus:
        return f"how far a number may be off is above 0, and -{error} is below"
    if named == {"x"}:  # a factor, as of --set
        return "a factor is exact: write the value itself, as in `22 ± 0.4 GFLOP/s`"
    if float(error) >= (100 if percent else float(size)):
        return "how far a number may be off is less than the number itself: `22 ± 0.4 GFLOP/s`"
    written = f"{size} ± {error}{percent} {named.pop()}" if len(named) == 1 else "22 ± 0.4 GFLOP/s"
    return f"write how far a number may be off before its unit: `{written}`"


def badly_grouped(span: Span) -> Diagnostic:
    digits = re.sub("[,']", "_", span.text)
    message = "a number is grouped with `_`, or not at all"
    return Diagnostic.at("R0105", message, span, hint=f"write `{digits}`")


def _hint(text: str) -> str | None:
    if text in REPLACEMENTS:
        return f"write `{REPLACEMENTS[text]}`"
    if text == "|":
        return "write `or`; an absolute value is `abs(…)`"
    if text in _QUOTES:
        return 'a text stands in straight double quotes: "…"'
    if text == "±":
        return "write how far a number may be off before its unit, as in `22 ± 0.4 GFLOP/s`"
    if text == "\\":
        return "a formula goes on after an operator, and inside parentheses"
    if text.isspace():
        return "put a plain blank in its place"
    if not text.isprintable():
        return "remove it"
    if text.isalpha():
        return "names are made of ASCII and Greek letters, digits and `_`"
    if text.isnumeric():
        return "numbers are written with the digits 0 to 9"
    return None


def _unclosed_text(span: Span) -> Diagnostic:
    text, start = span.source.text, span.start
    line_end = text.find("\n", start)
    place = Span(span.source, start, len(text) if line_end < 0 else line_end)
    return Diagnostic.at(
        "R0107", "this text is not closed", place, hint='end it with `"` on the same line'
    )


def _leading_point(span: Span) -> Diagnostic:
    if span.source.text[max(0, span.start - 2) : span.start] == "..":
        dots = Span(span.source, span.start - 2, span.start + 1)
        return Diagnostic.at(
            "R0105", "a range is written with two dots", dots, hint=f"write `..{span.text[1:]}`"
        )
    return Diagnostic.at(
        "R0105", "a number begins with a digit", span, hint=f"write `0{span.text}`"
    )
