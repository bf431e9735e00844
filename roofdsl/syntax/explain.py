"""Turn what the parser met into a message for the person who wrote it.

Each rule looks for one kind of mistake and returns its diagnostic, or None where it is another.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from lark import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source, Span
from roofdsl.syntax.builder import Refusal
from roofdsl.syntax.mistakes import values, words
from roofdsl.syntax.mistakes.expected import used, wanted
from roofdsl.syntax.situation import Situation
from roofdsl.syntax.unreadable import unreadable

_USE = re.compile(r"^[ \t]*(?P<use>use)[ \t]+\Z", re.MULTILINE)
RULES = (
    words.unclosed,
    words.unopened,
    values.badly_written_number,
    values.foreign,
    values.missing_value,
    values.missing_name,
    values.missing_then,
    values.comparison,
    values.side_by_side,
    words.misplaced_word,
    words.misspelt,
    words.ended,
)


def explain(error: UnexpectedInput | Refusal, source: Source, end: int) -> Diagnostic:
    """Return the diagnostic for the place where the parser of `source[:end]` gave up."""
    if isinstance(error, Refusal):
        return error.diagnostic
    if isinstance(error, UnexpectedCharacters):
        start = cast(int, error.pos_in_stream)  # declared as None in the base class alone
        unread = unreadable(Span(source, start, start + 1))
        before = _USE.search(source.text, 0, start)  # a file in quotes that are not straight
        hint = used(Span(source, *before.span("use"))) if before else None
        return replace(unread, hint=hint or unread.hint)
    assert isinstance(error, UnexpectedToken)
    situation = Situation.of(error, source, end)
    for rule in RULES:
        found = rule(situation)
        if found is not None:
            return found
    return situation.unfit(wanted(situation))
