"""Turn what the parser met into a message for the person who wrote it.

Each rule looks for one kind of mistake and returns its diagnostic, or None where it is another.
"""

from __future__ import annotations

from typing import cast

from lark import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Source, Span
from roofdsl.syntax.builder import (
    DEEPEST,
    LONGEST_NUMBER,
    NotCallable,
    NumberTooLong,
    Refusal,
    TooDeep,
)
from roofdsl.syntax.mistakes.expected import short, shown, wanted
from roofdsl.syntax.mistakes.values import (
    badly_written_number,
    comparison,
    foreign,
    missing_name,
    missing_then,
    missing_value,
    side_by_side,
    two_values,
)
from roofdsl.syntax.mistakes.words import ended, misplaced_word, misspelt, unclosed, unopened
from roofdsl.syntax.situation import Situation
from roofdsl.syntax.unreadable import unreadable

RULES = (
    unclosed,
    unopened,
    badly_written_number,
    foreign,
    missing_value,
    missing_name,
    missing_then,
    comparison,
    side_by_side,
    misplaced_word,
    misspelt,
    ended,
)


def explain(error: UnexpectedInput | Refusal, source: Source, end: int) -> Diagnostic:
    """Return the diagnostic for the place where the parser of `source[:end]` gave up."""
    match error:
        case TooDeep(span=span):
            return _too_deep(span)
        case NumberTooLong(span=span):
            return _too_long(span)
        case NotCallable(span=span, called=called):
            return _not_callable(span, called)
    if isinstance(error, UnexpectedCharacters):
        start = cast(int, error.pos_in_stream)  # declared as None in the base class alone
        return unreadable(Span(source, start, start + 1))
    assert isinstance(error, UnexpectedToken)
    situation = Situation.of(error, source, end)
    for rule in RULES:
        found = rule(situation)
        if found is not None:
            return found
    message = f"'{short(situation.place.text)}' does not fit here"
    return Diagnostic.at("R0101", message, situation.place, hint=wanted(situation))


def _too_deep(span: Span) -> Diagnostic:
    """Return the diagnostic for an expression that nests too deep."""
    place = Label(Span(span.source, span.start, span.start + 1), "it begins here")
    return Diagnostic.at(
        "R0106",
        f"this expression nests deeper than {DEEPEST} levels",
        place,
        hint="name parts of it with `let`",
    )


def _too_long(span: Span) -> Diagnostic:
    """Return the diagnostic for a number with too many digits."""
    return Diagnostic.at(
        "R0109",
        f"this number has {span.end - span.start:,} characters; at most {LONGEST_NUMBER} are read",
        Span(span.source, span.start, span.start + 20),
        hint="write it with an exponent, such as 1e30, or as a power, such as 10^30",
    )


def _not_callable(span: Span, called: Span) -> Diagnostic:
    """Return the diagnostic for `2(N + 1)`: parentheses after something that is not a name."""
    factor = span.source.text[called.end : span.end].strip()
    return two_values(span, f"to multiply, write `{shown(called.text)}*{shown(factor)}`")
