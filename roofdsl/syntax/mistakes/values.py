"""Values and operators: missing, badly written, or borrowed from another language."""

from __future__ import annotations

import re
from decimal import Decimal

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Span
from roofdsl.syntax import words
from roofdsl.syntax.mistakes.expected import form, shown
from roofdsl.syntax.situation import CLOSERS, Situation
from roofdsl.syntax.tokens import BEFORE_A_TEXT, BETWEEN_COUNTS
from roofdsl.syntax.unreadable import RELATIONS, badly_grouped, spread, unreadable

_VALUES = {"NUMBER", "NAME", "TRUE", "FALSE", "SUM"}
_OPERATORS = {
    "SIGN", "STAR", "SLASH", "CIRCUMFLEX", "RELATION", "EQUAL", "TILDE", "AND", "OR", "NOT", "IF",
    "THEN", "ELSE", "WITHIN", "REQUIRE", "EXPECT", "DOTDOT", "COMMA", "IN", "LPAR",
}  # fmt: skip
_FOREIGN = {
    "**": "a power is written with `^`",
    "//": "a comment begins with `#`",
    "/*": "a comment begins with `#`",
    "+/": "an uncertainty is written with `±` or `+-`",
    "<-": "a value is given with `=`",
    "+=": "what is added up stands in one formula",
    **{pair: f"write `{relation}`" for pair, relation in RELATIONS.items()},
    "~=": "write `~`",
    "=~": "write `~`",
    ":=": "a default follows the kind: `param N: integer = 4096`",
}


def foreign(s: Situation) -> Diagnostic | None:
    text = s.source.text
    before = s.last.span.text if s.last and s.last.span.end == s.place.start else ""
    for start in (s.place.start - len(before), s.place.start):
        pair = text[start : start + 2]
        if pair in _FOREIGN and start <= s.place.start < start + 2:
            return Diagnostic.at(
                "R0104",
                f"'{pair}' means nothing in the language",
                Span(s.source, start, start + 2),
                hint=(spread(s.place) if pair == "+/" else None) or _FOREIGN[pair],
            )
    return None


def comparison(s: Situation) -> Diagnostic | None:
    hint = ""
    if s.kind == "EQUAL" and "RELATION" in s.expected:
        hint = "compare with `==`"
    elif s.kind == "RELATION" and "RELATION" not in s.expected:
        if "EQUAL" in s.expected:
            hint = "a value is given with a single `=`"
        elif "AND" in s.expected:
            hint = "comparisons are joined with `and`: `1 < N and N < 3`"
    return s.unfit(hint) if hint else None


def missing_value(s: Situation) -> Diagnostic | None:
    if s.last is None:
        return None
    before = s.pieces[-2] if len(s.pieces) > 1 else None
    if s.wants_value and s.last.kind in _OPERATORS:
        closes = s.kind in CLOSERS.values()
        if s.at_end or closes or not s.same_line(s.last.span, s.place):
            return _nothing_after(s.last.span)
    elif before is None or before.kind not in _OPERATORS or before.kind == "LPAR":
        return None
    elif s.begins_line(s.last.span) and not s.same_line(before.span, s.last.span):
        # What was taken for the value is the next statement.
        return _nothing_after(before.span, Label(s.last.span, "this is taken for the value"))
    return None


def _nothing_after(operator: Span, *others: Label) -> Diagnostic:
    return Diagnostic(
        "R0110",
        f"a value is missing after `{operator.text}`",
        (Label(operator), *others),
        "a value is a number, a name, or an expression in parentheses",
    )


def missing_name(s: Situation) -> Diagnostic | None:
    if s.last is None or s.expected not in ({"NAME"}, {"NAME", "CAPACITY"}):
        return None
    closes = s.kind in CLOSERS.values() or (s.kind == "IN" and s.last.kind == "FOR")
    if not (s.at_end or closes) and s.same_line(s.last.span, s.place):
        return None
    return Diagnostic.at(
        "R0110", f"a name is missing after `{s.last.span.text}`", s.last.span, hint=form(s)
    )


def missing_then(s: Situation) -> Diagnostic | None:
    for word in ("THEN", "ELSE"):
        if word in s.expected and s.kind not in _OPERATORS:
            opened = s.innermost("IF", ended_by="ELSE")
            labels = (Label(opened.span),) if opened else (Label(s.place),)
            return Diagnostic(
                "R0110",
                f"this `if` has no `{word.lower()}`",
                labels,
                "write `if condition then value else value`",
            )
    return None


def two_values(span: Span, left: str, right: str, hint: str = "") -> Diagnostic:
    hint = f"to multiply, write `{shown(left)}*{shown(right)}`{hint}"
    return Diagnostic.at("R0103", "two values stand side by side", span, hint=hint)


def side_by_side(s: Situation) -> Diagnostic | None:
    if s.kind not in _VALUES or "STAR" not in s.expected or s.last is None:
        return None
    left, right = s.left_of(s.last), _right(s)
    if right.text in BEFORE_A_TEXT and "WITHIN" in s.expected:
        hint = f"`{words.EXPRESSION_WORDS[right.text.upper()]}`"
        message = f"the line of a paper is missing after `{right.text}`"
        return Diagnostic.at("R0110", message, right, hint=f"it is written like {hint}")
    if BETWEEN_COUNTS in (right.text, left.text.rpartition(" ")[2]):
        hint = f"only of an `iterate`: `{words.EXPRESSION_WORDS[BETWEEN_COUNTS.upper()]}`"
        message = f"`{BETWEEN_COUNTS}` says nothing here"
        return Diagnostic.at("R0103", message, left.to(right), hint=hint)
    if s.kind == "NAME" and re.search(r"±|\+-", left.text) and (written := spread(left)):
        message = "an uncertainty stands without parentheses"
        return Diagnostic.at("R0103", message, left.to(right), hint=written)
    hint = ""
    if "COMMA" in s.expected:
        hint = "; to separate arguments, write `,`"
    elif s.kind == "NAME" and (s.last.kind == "RPAR" or "/" in right.text):
        hint = f"; a unit needs a number of its own: `{shown(left.text)} * 1 {right.text}`"
    return two_values(left.to(right), left.text, right.text, hint)


def _right(s: Situation) -> Span:
    """Return the value that begins where the parser stopped: a name with what it is divided by."""
    match = re.compile(r"\w+(?:/[^\W\d]\w*)*").match(s.source.text, s.place.start, s.end)
    if s.kind != "NAME" or match is None:
        return s.place
    return Span(s.source, s.place.start, match.end())


def badly_written_number(s: Situation) -> Diagnostic | None:
    if s.kind == "DOT" and re.match(r"\.\d", s.source.text[s.place.start : s.place.start + 2]):
        return unreadable(s.place)
    if s.last is None:
        return None
    if s.kind == "PERCENT":
        if re.search(r"±|\+-", s.last.span.text) and (written := spread(s.place)):
            return s.unfit(written)
        digits = re.fullmatch(r"\d+(?:\.\d+)?", s.last.span.text)
        share = f"; write `{(Decimal(digits[0]) / 100).normalize():f}`" if digits else ""
        return s.unfit(f"`%` stands only behind the tolerance of an `expect`{share}")
    if s.last.kind == "DOT" and len(s.pieces) > 1:
        number = s.pieces[-2].span
        if not re.fullmatch(r"[\d_]+(?:\.\d+)?", number.text):
            return None
        if s.kind == "NUMBER":
            place = number.to(s.place)
            return Diagnostic.at("R0105", "a number has one decimal point", place)
        place = number.to(s.last.span)
        hint = f"write `{number.text}` or `{number.text}.0`"
        return Diagnostic.at("R0105", "a number ends with a digit", place, hint=hint)
    if s.kind == "COMMA" and re.fullmatch(r"\d{1,3}", s.last.span.text):
        match = re.compile(r"(?:,\d{3})+(?!\d)").match(s.source.text, s.place.start)
        if match:
            return badly_grouped(Span(s.source, s.last.span.start, match.end()))
    return None
