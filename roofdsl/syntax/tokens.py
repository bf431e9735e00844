"""Which newlines end a statement: the filter between lexer and parser.

A newline ends a statement unless it stands inside parentheses, after a word that needs a right
side, or before a word that needs a left side. What counts becomes one `_END`; the rest is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from lark import Token

# After these a statement goes on (or nothing has begun yet).
OPEN_AFTER = frozenset(
    "_END LBRACE RBRACE LPAR LSQB COMMA EQUAL COLON SIGN STAR SLASH CIRCUMFLEX RELATION TILDE "
    "DOTDOT AND OR NOT IF THEN ELSE IS ON IN FOR WITHIN EXPECT REQUIRE SOURCE LET PARAM USE "
    "AS WITH".split()
)
# Before these it has not ended.
OPEN_BEFORE = frozenset(
    "THEN ELSE AND OR IS ON WITHIN PRINTED READ FAILS FOR SIGN STAR SLASH CIRCUMFLEX TILDE "
    "RELATION RPAR RSQB COMMA LBRACE FROM".split()
)
OPENING = frozenset(("LPAR", "LSQB"))
CLOSING = frozenset(("RPAR", "RSQB"))


# Words only where a statement begins and a name, or a count, follows, where a text follows,
# between a name and a brace, or between two counts: elsewhere they are names, as in `let total =
# 3`, so that no file written before them reads otherwise.
BEFORE_A_NAME = frozenset(
    "concurrent energy hold job keep metric mix out serial startup total".split()
)
BEFORE_A_COUNT = frozenset(("iterate", "wait"))
BEFORE_A_BRACE = frozenset(("with",))
BEGINS_BRACES = frozenset(("recompute",))
BETWEEN_NAMES = frozenset(("to",))
BETWEEN_COUNTS = "keeping"
BEFORE_A_TEXT = frozenset(("printed", "read"))
_PARTS = frozenset(("STEP", "OVERLAP", "IF", "REPEAT"))
_STARTS = frozenset(("", "_END", "LBRACE", "RBRACE"))
_ENDS_A_VALUE = frozenset(("NAME", "NUMBER", "RPAR", "TRUE", "FALSE", "CAPACITY"))
_BEGINS_A_VALUE = frozenset(
    ("NAME", "NUMBER", "LPAR", "TRUE", "FALSE", "MACHINE", "SUM", "IF", "NOT", "LBRACE")
)
_AFTER_A_NAME = frozenset(("EQUAL", "DOT", "LSQB", "LBRACE", "AS"))


class StatementEnds:
    """Lark's `postlex`: turns `_NEWLINE` tokens into `_END` where a statement ends."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return _with_keeping(_with_words(_ended(_with_words_before_texts(stream))))


def _ended(stream: Iterator[Token]) -> Iterator[Token]:
    depth = 0
    previous = "_END"
    newline: Token | None = None
    last: Token | None = None
    for token in stream:
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
    """Make words of the names that can only be words."""
    before, held = "", next(stream, None)
    while (token := next(stream, None)) is not None:
        assert held is not None
        if held.type == "NAME" and before in _STARTS:
            named = held in BEFORE_A_NAME and token.type == "NAME"
            # A text may begin with a name, as an expression, but not with a count.
            counted = before and held in BEFORE_A_COUNT and token.type not in _AFTER_A_NAME
            braced = held in BEGINS_BRACES and token.type == "LBRACE"
            if braced:
                inside = list(islice(stream, 2))
                stream = chain(inside, stream)
                braced = _is_part(inside)
            if named or counted or braced:
                held.type = held.upper()
        elif (held in BETWEEN_NAMES and before == "NAME" and token.type == "NAME") or (
            held in BEFORE_A_BRACE and before == "NAME" and token.type == "LBRACE"
        ):
            held.type = held.upper()
        yield held
        before, held = held.type, token
    if held is not None:
        yield held


def _is_part(tokens: list[Token]) -> bool:
    """Whether some tokens begin a part, and no `name = formula` of a block."""
    if tokens and tokens[0].type == "NAME":
        word = tokens[0] in BEFORE_A_COUNT or tokens[0] in BEGINS_BRACES
        return word and len(tokens) > 1 and tokens[1].type not in ("EQUAL", "DOT", "LSQB")
    return bool(tokens) and tokens[0].type in _PARTS


def _with_words_before_texts(stream: Iterator[Token]) -> Iterator[Token]:
    held = next(stream, None)
    for token in stream:
        assert held is not None
        if held in BEFORE_A_TEXT and held.type == "NAME" and token.type == "STRING":
            held.type = held.upper()
        yield held
        held = token
    if held is not None:
        yield held


def _with_keeping(stream: Iterator[Token]) -> Iterator[Token]:
    """Make a word of `keeping` behind the count of an `iterate`, where no name can stand."""
    counting, before, held = False, "", next(stream, None)
    while held is not None:
        token = next(stream, None)
        counting = held.type == "ITERATE" or (counting and held.type not in ("LBRACE", "_END"))
        if counting and held.type == "NAME" and held == BETWEEN_COUNTS:
            held.type = "KEEPING" if before in _ENDS_A_VALUE else held.type
        elif counting and held.type == "NUMBER" and token is not None:
            number, word = _parted(held) if token.type in _BEGINS_A_VALUE else (held, None)
            if word is not None:
                yield number
                held = word
        yield held
        before, held = held.type, token


def _parted(number: Token) -> tuple[Token, Token | None]:
    """Return a number and the word that was taken as its unit, as in `iterate 12 keeping k`."""
    before = number.removesuffix(BETWEEN_COUNTS)
    digits = before.rstrip(" \t")
    if before == number or digits[-1] not in "0123456789%":
        return number, None
    start, column = number.start_pos or 0, number.column or 0
    ended = number.update(value=digits)
    ended.end_pos, ended.end_column = start + len(digits), column + len(digits)
    word = number.update(type="KEEPING", value=BETWEEN_COUNTS)
    word.start_pos, word.column = start + len(before), column + len(before)
    return ended, word
