"""Which newlines end a statement: the filter between lexer and parser.

A newline ends a statement unless it stands inside parentheses, after a word that needs a right
side, or before a word that needs a left side. What counts becomes one `_END`; the rest is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token

# After these a statement goes on (or nothing has begun yet).
OPEN_AFTER = frozenset(
    "_END LBRACE RBRACE LPAR LSQB COMMA EQUAL COLON SIGN STAR SLASH CIRCUMFLEX RELATION TILDE "
    "DOTDOT AND OR NOT IF THEN ELSE IS ON IN FOR WITHIN EXPECT REQUIRE SOURCE LET PARAM USE "
    "AS".split()
)
# Before these it has not ended.
OPEN_BEFORE = frozenset(
    "THEN ELSE AND OR IS ON WITHIN PRINTED READ FAILS FOR IN SIGN STAR SLASH CIRCUMFLEX TILDE "
    "RELATION RPAR RSQB COMMA LBRACE".split()
)
OPENING = frozenset(("LPAR", "LSQB"))
CLOSING = frozenset(("RPAR", "RSQB"))


# Words only where a statement begins and a name follows, or where a text follows: elsewhere they
# are names, as in `let total = 3`, so that no file written before them reads otherwise.
BEFORE_A_NAME = frozenset(("total",))
BEFORE_A_TEXT = frozenset(("printed", "read"))
_STARTS = frozenset(("_NEWLINE", "LBRACE", "RBRACE"))


class StatementEnds:
    """Lark's `postlex`: turns `_NEWLINE` tokens into `_END` where a statement ends."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        previous = "_END"
        newline: Token | None = None
        last: Token | None = None
        for token in _with_words(stream):
            kind = token.type
            if kind == "_NEWLINE":
                # Only a newline can be dropped inside parentheses; a `;` there is a mistake.
                newline = newline or token
                continue
            if newline is not None:
                ends = depth == 0 and previous not in OPEN_AFTER and kind not in OPEN_BEFORE
                if ends or (";" in newline and previous not in OPEN_AFTER):
                    yield Token.new_borrow_pos("_END", "", newline)
                    previous, depth = "_END", 0
                newline = None
            if kind == "RBRACE":
                if previous not in OPEN_AFTER:
                    yield Token.new_borrow_pos("_END", "", token)
                depth = 0
            elif kind in OPENING:
                depth += 1
            elif kind in CLOSING:
                depth = max(0, depth - 1)
            yield token
            previous, last = kind, token
        if last is not None and previous not in OPEN_AFTER:
            yield Token.new_borrow_pos("_END", "", newline or last)


def _with_words(stream: Iterator[Token]) -> Iterator[Token]:
    before = "_NEWLINE"
    for token in stream:
        kind = token.type
        begins = before in _STARTS and token in BEFORE_A_NAME
        if kind == "NAME" and (begins or token in BEFORE_A_TEXT):
            following = next(stream, None)
            if following is not None and following.type == ("NAME" if begins else "STRING"):
                token.type = token.upper()
            yield token
            if following is None:
                return
            token, kind = following, following.type
        yield token
        before = kind
