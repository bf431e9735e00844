"""Turn what the parser met into a message for the person who wrote it."""

from __future__ import annotations

import re
from typing import cast

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.source import Source, Span
from roofdsl.syntax.builder import DEEPEST, LONGEST_NUMBER

# What people type for what the language writes.
REPLACEMENTS = {
    "×": "*",
    "·": "*",
    "⋅": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "²": "^2",
    "³": "^3",
    "√": "sqrt(…)",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "∞": "unlimited",
    "“": '"',
    "”": '"',
    "‘": '"',
    "’": '"',
    "&": "and",
    "|": "or",
    "!": "not",
}
KEYWORDS = {
    "MODEL", "MACHINE", "TEST", "USE", "FUNCTION", "UNIT", "RESOURCE", "SOURCE", "PARAM", "LET",
    "REQUIRE", "TALLY", "CAPACITY", "DEFAULT", "EXPECT", "FAILS", "WITHIN", "IF", "THEN", "ELSE",
    "AND", "OR", "NOT", "IS", "ON", "IN", "FOR", "SUM", "AS", "SHARES", "TRUE", "FALSE",
}  # fmt: skip
STATEMENTS = (
    "param",
    "let",
    "require",
    "source",
    "tally",
    "function",
    "flops",
    "memory",
    "network",
)
DECLARATIONS = ("model", "machine", "test", "use", "function", "unit", "resource")
_OPERATORS = {"SIGN", "STAR", "SLASH", "CIRCUMFLEX", "RELATION", "AND", "OR", "NOT", "EQUAL"}
_VALUES = {"NUMBER", "NAME", "LPAR", "TRUE", "FALSE", "SUM"}
_CLOSERS = {"RBRACE": "}", "RPAR": ")", "RSQB": "]"}


def explain(error: UnexpectedInput, source: Source, end: int) -> Diagnostic:
    """Return the diagnostic for the place where the parser of `source[:end]` gave up."""
    if isinstance(error, UnexpectedCharacters):
        start = cast(int, error.pos_in_stream)  # declared as None in the base class alone
        return _character(Span(source, start, start + 1))
    assert isinstance(error, UnexpectedToken)
    token, expected = error.token, set(error.accepts or error.expected)
    return _token(token, expected, source, end)


def too_deep(span: Span) -> Diagnostic:
    place = Label(Span(span.source, span.start, span.start + 1), "here")
    return Diagnostic(
        "R0106",
        f"this expression nests deeper than {DEEPEST} levels",
        (place,),
        "name parts of it with `let`",
    )


def not_callable(span: Span, called: Span) -> Diagnostic:
    inside = span.source.text[called.end : span.end]
    return Diagnostic(
        "R0103",
        "two values stand side by side",
        (Label(span),),
        f"to multiply, write `{_short(called.text)}*{_short(inside)}`",
    )


def too_long(span: Span) -> Diagnostic:
    return Diagnostic(
        "R0109",
        f"this number has more than {LONGEST_NUMBER} characters",
        (Label(Span(span.source, span.start, span.start + 20)),),
        "write it with an exponent, such as 1e30, or as a power, such as 10^30",
    )


def _character(span: Span) -> Diagnostic:
    character, source = span.text, span.source
    if character == '"':
        line_end = source.text.find("\n", span.start)
        place = Span(source, span.start, len(source.text) if line_end < 0 else line_end)
        return Diagnostic(
            "R0107", "this text is not closed", (Label(place),), 'end it with `"` on the same line'
        )
    if character == "." and re.match(r"\.\d", source.text[span.start : span.start + 2]):
        place = Span(source, span.start, span.start + 2)
        return Diagnostic(
            "R0105", "a number begins with a digit", (Label(place),), f"write `0{place.text}`"
        )
    hint = None
    if character in REPLACEMENTS:
        hint = f"write `{REPLACEMENTS[character]}`"
    elif character.isalpha():
        hint = "names are made of ASCII and Greek letters, digits and `_`"
    shown = character if character.isprintable() else f"U+{ord(character):04X}"
    return Diagnostic("R0104", f"'{shown}' means nothing in the language", (Label(span),), hint)


def _token(token: Token, expected: set[str], source: Source, end: int) -> Diagnostic:
    kind = token.type
    if kind in ("$END", "_END") or token.end_pos is None:
        return _ended(token, expected, source, end)
    assert token.start_pos is not None
    span = Span(source, token.start_pos, token.end_pos)
    before = source.text[: span.start].rstrip(" \t")
    if kind in _VALUES and "STAR" in expected and before:
        return _missing_star(span, before)
    if kind == "DOT" and re.match(r"\.\d", source.text[span.start : span.start + 2]):
        return _character(span)
    if kind in KEYWORDS and "NAME" in expected:
        return Diagnostic(
            "R0108",
            f"'{token}' is a word of the language and cannot be a name",
            (Label(span),),
            f"choose another name, such as `{token}_`",
        )
    hint: str | None = None
    if kind == "EQUAL" and "RELATION" in expected and "_END" in expected:
        hint = "compare with `==`"
    elif kind == "NAME" and "EQUAL" not in expected and "PARAM" in expected:
        hint = did_you_mean(token, STATEMENTS)
    elif kind == "NAME" and "MODEL" in expected:
        hint = did_you_mean(token, DECLARATIONS)
    if hint is None and kind == "EQUAL" and before.endswith(("=", "!", "<", ">")):
        hint = "comparisons are written `==`, `!=`, `<=`, `>=`"
    previous = re.search(r"(\w+)$", before)
    if hint is None and previous and kind in ("NAME", "NUMBER", "STRING"):
        hint = did_you_mean(previous[1], (*DECLARATIONS, *STATEMENTS))
        if hint and f"'{previous[1]}'" in hint:
            hint = None
    return Diagnostic(
        "R0101", f"'{_short(token)}' does not fit here", (Label(span),), hint or _wanted(expected)
    )


def _missing_star(span: Span, before: str) -> Diagnostic:
    source = span.source
    left = re.search(r"(\)|[\w.]+)$", before)
    start = span.start if left is None else left.start() if left[1] != ")" else left.end() - 1
    joined = f"{before[start:]}*{span.text}"
    what = span.text if span.text != "(" else "("
    if before.endswith(")") and re.fullmatch(r"[A-Za-zµ]+(?:/[A-Za-z]+)?", what):
        hint = f"multiply: `… * {what}`, or for a unit `… * 1 {what}`"
    else:
        hint = f"to multiply, write `{joined if what != '(' else before[start:] + ' * (…)'}`"
    return Diagnostic(
        "R0103", "two values stand side by side", (Label(Span(source, start, span.end)),), hint
    )


def _ended(token: Token, expected: set[str], source: Source, end: int) -> Diagnostic:
    if token.type == "_END" and token.start_pos is not None:
        text = source.text[: token.start_pos].rstrip()
    else:
        text = re.sub(r"#[^\n]*\s*\Z", "", source.text[:end].rstrip()).rstrip()
    place = Span(source, max(0, len(text) - 1), max(1, len(text)))
    for name, closer in _CLOSERS.items():
        if name in expected and (token.type == "$END" or name != "RBRACE"):
            opener = {"}": "{", ")": "(", "]": "["}[closer]
            at = _last_open(text, opener, closer)
            labels = (Label(Span(source, at, at + 1), "opened here"),) if at >= 0 else ()
            if token.type == "$END" or labels:
                return Diagnostic(
                    "R0102",
                    f"'{opener}' is never closed",
                    labels or (Label(place),),
                    f"add `{closer}`",
                )
    return Diagnostic(
        "R0110",
        "the statement ends too early",
        (Label(place, "after this"),),
        _wanted(expected) or "finish it on this line, or put it in parentheses",
    )


def _last_open(text: str, opener: str, closer: str) -> int:
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        if text[index] == closer:
            depth += 1
        elif text[index] == opener:
            if depth == 0:
                return index
            depth -= 1
    return -1


def _wanted(expected: set[str]) -> str | None:
    if "NUMBER" in expected:
        return "a value is expected: a number, a name, or an expression in parentheses"
    if "_END" in expected and expected & _OPERATORS:
        return "an operator or the end of the statement is expected"
    if "PARAM" in expected:
        return "expected a statement: `param`, `let`, `require`, `source`, or `name = formula`"
    if "EXPECT" in expected:
        return "a test holds `let` and `expect` statements"
    if "MODEL" in expected:
        return f"expected a declaration: `{'`, `'.join(DECLARATIONS)}`"
    if "STRING" in expected and len(expected) == 1:
        return 'a text in double quotes is expected: "…"'
    if "LBRACE" in expected and len(expected) == 1:
        return "`{` is expected"
    if expected == {"NAME"}:
        return "a name is expected"
    if "EQUAL" in expected:
        return "`=` and a formula are expected"
    return None


def _short(token: str) -> str:
    return token if len(token) <= 30 else token[:29] + "…"
