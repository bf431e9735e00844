"""Numbers written the way other languages, and people, write them."""

from __future__ import annotations

import re

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Span
from roofdsl.syntax.situation import Situation
from roofdsl.syntax.unreadable import unreadable


def badly_written_number(s: Situation) -> Diagnostic | None:
    if s.kind == "DOT" and re.match(r"\.\d", s.source.text[s.place.start : s.place.start + 2]):
        return unreadable(s.place)
    if s.last is None:
        return None
    if s.kind == "PERCENT":
        digits = re.fullmatch(r"\d+(?:\.\d+)?", s.last.span.text)
        share = f"; write `{float(digits[0]) / 100:g}`" if digits else ""
        return Diagnostic.at(
            "R0101",
            "'%' does not fit here",
            s.place,
            hint=f"`%` stands only behind the tolerance of an `expect`{share}",
        )
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
            grouped = s.last.span.text + match[0]
            return Diagnostic.at(
                "R0105",
                "a number is grouped with `_`, or not at all",
                Span(s.source, s.last.span.start, match.end()),
                hint=f"write `{grouped.replace(',', '_')}`",
            )
    return None
