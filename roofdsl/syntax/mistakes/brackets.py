"""Brackets that are not closed, or close nothing."""

from __future__ import annotations

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.syntax.situation import BRACKETS, CLOSERS, Situation
from roofdsl.syntax.words import DECLARATIONS


def unclosed(s: Situation) -> Diagnostic | None:
    if not s.opened:
        return None
    opener = s.opened[-1]
    labels = [Label(opener.span, "opened here")]
    closer = CLOSERS[opener.kind]
    if opener.kind == "LBRACE":
        before = s.source.text[max(0, s.place.start - 1) : s.place.start]
        begins = s.kind in DECLARATIONS and before in ("", "\n")
        if s.kind != "$END" and not begins:
            return None
        if begins:
            labels.append(Label(s.place, "before this begins"))
    elif s.kind in CLOSERS.values() and s.kind != closer:
        if s.kind != "RBRACE":
            labels.append(Label(s.place, f"this closes a `{BRACKETS[_opener_of(s.kind)]}`"))
    elif not s.at_end:
        last = s.last.span if s.last and s.last is not opener else s.place
        begin = any(
            s.begins_line(place) and place.start > opener.span.end for place in (s.place, last)
        )
        if not begin or s.closed_later(opener):
            return None
    return Diagnostic(
        "R0102",
        f"'{BRACKETS[opener.kind]}' is never closed",
        tuple(labels),
        f"add `{BRACKETS[closer]}`",
    )


def unopened(s: Situation) -> Diagnostic | None:
    if s.kind not in CLOSERS.values():
        return None
    if s.opened and s.opened[-1].kind == _opener_of(s.kind):
        return None
    if s.kind == "RBRACE" and s.opened:
        return None
    opener = BRACKETS[_opener_of(s.kind)]
    return Diagnostic.at(
        "R0102",
        f"'{s.place.text}' closes nothing",
        s.place,
        hint=f"remove it, or open with `{opener}` before",
    )


def _opener_of(closer: str) -> str:
    return next(opener for opener, other in CLOSERS.items() if other == closer)
