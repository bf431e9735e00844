"""Where the parser gave up: the token it met, what it could have taken, what it had read so far."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from lark import Token, UnexpectedToken

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source, Span
from roofdsl.syntax.words import DECLARATIONS, HOMES, STATEMENT_WORDS

CLOSERS = {"LBRACE": "RBRACE", "LPAR": "RPAR", "LSQB": "RSQB"}
BRACKETS = {"LBRACE": "{", "RBRACE": "}", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]"}
_OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
_SKIPPED = re.compile(r'"(?:[^"\\\n]|\\[^\n])*"|#[^\n]*|[()\[\]{}]')
_LONGEST_LOOK = 100_000
LONGEST_SHOWN = 30


class Piece(NamedTuple):
    """Something already read: a token by its kind, or a finished part of the tree (kind "")."""

    kind: str
    span: Span


@dataclass(frozen=True)
class Situation:
    """What the parser had read (`pieces`), and the token of `kind` at `place` that did not fit.

    `expected` are the kinds of token that would have; `end` is where the text being read ends.
    """

    source: Source
    end: int
    kind: str
    place: Span
    expected: frozenset[str]
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, error: UnexpectedToken, source: Source, end: int) -> Situation:
        token = error.token
        stack: Iterable[object] = ()
        if error.interactive_parser is not None:
            stack = error.interactive_parser.parser_state.value_stack
        pieces = tuple(piece for value in stack if (piece := _piece(value, source)))
        if token.type in ("$END", "_END") or token.start_pos is None or token.end_pos is None:
            after = pieces[-1].span.end if pieces else source.begin
            place = Span(source, after, after)
        else:
            place = Span(source, token.start_pos, token.end_pos)
        expected = frozenset(error.accepts or error.expected)
        return cls(source, end, token.type, place, expected, pieces)

    @property
    def at_end(self) -> bool:
        """Whether a statement or the text ended where something more was needed."""
        return self.kind in ("$END", "_END")

    @property
    def last(self) -> Piece | None:
        return self.pieces[-1] if self.pieces else None

    @property
    def wants_value(self) -> bool:
        return "NUMBER" in self.expected

    @cached_property
    def opened(self) -> tuple[Piece, ...]:
        """The brackets that are still open, the innermost last."""
        found: list[Piece] = []
        for piece in self.pieces:
            if piece.kind in CLOSERS:
                found.append(piece)
            elif found and piece.kind == CLOSERS[found[-1].kind]:
                found.pop()
        return tuple(found)

    @cached_property
    def inside(self) -> str:
        """What the text stands in: a key of `words.IN`."""
        kinds = [piece.kind for piece in self._outside_brackets()]
        if "LBRACE" not in kinds:
            return "file"
        opened = len(kinds) - 1 - kinds[::-1].index("LBRACE")
        for kind in reversed(kinds[:opened]):
            if kind.lower() in HOMES:
                return kind.lower()
            if kind in ("LBRACE", "RBRACE", "_END"):
                break
        return "block"

    @cached_property
    def statement(self) -> Piece | None:
        """The word that begins the statement at hand, None where it begins with a name."""
        found = first = None
        for piece in reversed(self._outside_brackets()):
            if piece.kind in ("LBRACE", "RBRACE", "_END"):
                break
            first = piece
            if piece.kind in STATEMENT_WORDS or piece.kind in DECLARATIONS:
                found = piece
        # Elsewhere an `if` is a part of a formula.
        return None if found is not first and found and found.kind in ("IF", "ELSE") else found

    def unfit(self, hint: str | None) -> Diagnostic:
        """Return the problem that what was met does not fit."""
        message = f"'{short(self.place.text)}' does not fit here"
        return Diagnostic.at("R0101", message, self.place, hint=hint)

    def innermost(self, kind: str, ended_by: str) -> Piece | None:
        """Return the last piece of a kind that no piece of kind `ended_by` follows."""
        closed = 0
        for piece in reversed(self.pieces):
            if piece.kind == ended_by:
                closed += 1
            elif piece.kind == kind:
                if not closed:
                    return piece
                closed -= 1
        return None

    def begins_line(self, span: Span) -> bool:
        """Whether nothing stands before a span on its line."""
        start = self.source.text.rfind("\n", 0, span.start) + 1
        return not self.source.text[start : span.start].strip()

    def same_line(self, first: Span, second: Span) -> bool:
        return "\n" not in self.source.text[first.end : second.start]

    def closed_later(self, opener: Piece) -> bool:
        """Whether the text closes a `(` or `[` before the next brace."""
        end = min(self.end, opener.span.end + _LONGEST_LOOK)
        depth = 0
        for match in _SKIPPED.finditer(self.source.text, opener.span.start, end):
            if match[0] in "([":
                depth += 1
            elif match[0] in ")]":
                depth -= 1
                if depth == 0:
                    return True
            elif match[0] in "{}":
                return False
        return False

    def left_of(self, piece: Piece) -> Span:
        """Return the whole value a piece ends: from its `(`, and its name for a call."""
        if piece.kind not in _OPENERS:
            return piece.span
        depth = 0
        for index in range(len(self.pieces) - 1, -1, -1):
            other = self.pieces[index]
            depth += (other.kind == piece.kind) - (other.kind == _OPENERS[piece.kind])
            if depth == 0:
                before = self.pieces[index - 1] if index else None
                called = before is not None and before.kind in ("NAME", "") and before.span.text
                if before and called and before.span.end == other.span.start:
                    return before.span.to(piece.span)
                return other.span.to(piece.span)
        return piece.span

    def _outside_brackets(self) -> list[Piece]:
        """Return the pieces that stand in no `(` or `[`."""
        found: list[Piece] = []
        depth = 0
        for piece in self.pieces:
            if piece.kind in ("LPAR", "LSQB"):
                depth += 1
            elif piece.kind in ("RPAR", "RSQB"):
                depth -= 1
            elif depth == 0:
                found.append(piece)
        return found


def short(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _piece(value: object, source: Source) -> Piece | None:
    if isinstance(value, Token):
        start, end = value.start_pos, value.end_pos
        if start is None or end is None:
            return None
        return Piece(value.type, Span(source, start, end))
    span = getattr(value, "span", None)
    return Piece("", span) if isinstance(span, Span) else None
