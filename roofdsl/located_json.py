"""JSON with places: every value knows its line and column, so that a message can point at it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Source, Span

DEEPEST = 40
"""How many lists and objects may stand inside one another."""
MOST_VALUES = 200_000
LONGEST_NUMBER = 40
"""Digits; what is written with more is no number that a file of settings has."""

Value: TypeAlias = "bool | int | float | str | tuple[Located, ...] | Mapping[str, Located] | None"

# Possessive, so that no text takes more than one pass.
_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?(?![\w.])")
_WORD = re.compile(r"[\w.+-]++")
_WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NO_NUMBERS = {"nan", "infinity", "-infinity", "inf", "-inf"}


class Located(NamedTuple):
    """A value, and where it stands; `key` is where the name of a member of an object does."""

    value: Value
    span: Span
    key: Span | None = None


def read_json(source: Source, most: int = MOST_VALUES) -> Located | Diagnostic:
    """Read a text that is one value of JSON (RFC 8259), or say where it is none (R1202, R1203).

    A name stands once in an object; whole numbers stay exact. At most so many values are read.

    >>> found = read_json(Source("demo.json", '{"layers": 32, "norm": [1e-5, null]}'))
    >>> assert isinstance(found, Located) and isinstance(found.value, Mapping)
    >>> found.value["layers"].value, str(found.value["layers"].span)
    (32, 'demo.json:1:12')
    >>> print(str(read_json(Source("demo.json", '{"layers": 32')).message))
    the file ends inside an object
    """
    try:
        return _Reader(source, most).whole()
    except _Broken as broken:
        return broken.diagnostic


class _Broken(Exception):
    """Raised inside where the text is no JSON; it does not leave this file."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__()
        self.diagnostic = diagnostic


class _Reader:
    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._most = most
        self._text = source.text
        self._at = 0
        self._count = 0

    def whole(self) -> Located:
        found = self._value(0, "the file")
        self._skip()
        if self._at < len(self._text):
            raise self._broken("something stands behind the end of the value", self._word())
        return found

    def _value(self, depth: int, inside: str) -> Located:
        self._skip()
        start = self._at
        self._count += 1
        if self._count > self._most:
            hint = "is it the file that is meant?"
            raise self._broken(f"the file has more than {self._most:,} values", hint=hint)
        match self._text[start : start + 1]:
            case "":
                raise self._ended(inside)
            case "{" | "[" if depth == DEEPEST:
                raise self._broken(
                    f"more than {DEEPEST} lists and objects stand inside one another"
                )
            case "{":
                value: Value = self._object(depth)
            case "[":
                value = self._list(depth)
            case '"':
                value = self._string()
            case _:
                value = self._plain()
        return Located(value, Span(self._source, start, self._at))

    def _object(self, depth: int) -> Mapping[str, Located]:
        found: dict[str, Located] = {}
        self._at += 1
        while self._goes_on("}", bool(found), "an object"):
            start = self._at
            if self._text[start] != '"':
                hint = 'names of fields stand in quotes: "hidden_size"'
                raise self._broken("a name is expected here", self._word(), hint)
            name, key = self._string(), Span(self._source, start, self._at)
            if name in found:
                first = found[name].key
                assert first is not None
                raise _Broken(
                    Diagnostic.at(
                        "R1203",
                        f"'{name}' stands twice in one object",
                        key,
                        Label(first, "first here"),
                        hint="keep the one that is meant",
                    )
                )
            self._expect(":", ":", "a name", "an object")
            found[name] = self._value(depth + 1, "an object")._replace(key=key)
        return found

    def _list(self, depth: int) -> tuple[Located, ...]:
        found: list[Located] = []
        self._at += 1
        while self._goes_on("]", bool(found), "a list"):
            found.append(self._value(depth + 1, "a list"))
        return tuple(found)

    def _goes_on(self, end: str, begun: bool, inside: str) -> bool:
        """Whether another member follows; move behind what ends or separates them."""
        self._skip()
        if self._text[self._at : self._at + 1] == end:
            self._at += 1
            return False
        if begun:
            self._expect(",", f", or {end}", "a value", inside)
            self._skip()
            if self._text[self._at : self._at + 1] == end:
                raise self._broken(f"a value is expected between , and {end}")
        if self._at == len(self._text):
            raise self._ended(inside)
        return True

    def _expect(self, char: str, shown: str, behind: str, inside: str) -> None:
        self._skip()
        if self._at == len(self._text):
            raise self._ended(inside)
        if self._text[self._at] != char:
            raise self._broken(f"{shown} is expected behind {behind}", self._word())
        self._at += 1

    def _string(self) -> str:
        match = _STRING.match(self._text, self._at)
        if match is None:
            end = self._text.find("\n", self._at)
            place = (self._at, len(self._text) if end < 0 else end)
            raise self._broken("this text is not closed, or has a character that it may not", place)
        self._at = match.end()
        if "\\" not in match[1]:
            return match[1]
        text = _ESCAPE.sub(_unescaped, match[1])
        # Two halves of a character outside the first plane; a half alone is none.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _plain(self) -> Value:
        start = self._at
        if match := _NUMBER.match(self._text, start):
            self._at = match.end()
            return self._number(match)
        place = self._word()
        word = self._text[start : place[1]]
        if word in _WORDS:
            self._at = place[1]
            return _WORDS[word]
        hint = None
        if word.lower() in _NO_NUMBERS:
            hint = "JSON has no such number"
        elif word.lower() in {"true", "false", "none"}:
            hint = "JSON has true, false and null"
        raise self._broken(f"'{word[:40]}' is no value", place, hint)

    def _number(self, match: re.Match[str]) -> int | float:
        place = match.span()
        if len(match[0]) > LONGEST_NUMBER:
            raise self._broken(f"a number has at most {LONGEST_NUMBER} characters here", place)
        if match[1] is None and match[2] is None:
            return int(match[0])
        number = float(match[0])
        if number in (float("inf"), float("-inf")):
            raise self._broken("this number is too large", place)
        return number

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self._at)
        assert match is not None  # it may be empty
        self._at = match.end()

    def _word(self) -> tuple[int, int]:
        """Return the place of what is no value: a word, or a character."""
        match = _WORD.match(self._text, self._at)
        return self._at, match.end() if match else min(self._at + 1, len(self._text))

    def _ended(self, inside: str) -> _Broken:
        end = len(self._text.rstrip())
        what = f"the file ends inside {inside}" if inside != "the file" else "the file is empty"
        return self._broken(what, (max(0, end - 1), max(end, 1)), "is it whole?")

    def _broken(
        self, message: str, place: tuple[int, int] | None = None, hint: str | None = None
    ) -> _Broken:
        start, end = place or (self._at, self._at + 1)
        return _Broken(Diagnostic.at("R1202", message, Span(self._source, start, end), hint=hint))


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2])
