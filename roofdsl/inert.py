"""Texts of others made inert: what could drive a terminal or a spreadsheet is shown instead.

A text may come from a stranger's file. Every text for people passes `visible` where it leaves, and
every cell of CSV `csv_value`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import isnan
from unicodedata import category

# Controls, formats (what turns the direction of writing among them), surrogates, private use,
# unassigned, and what ends a line: all that moves a cursor, or that nobody sees.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNUSUAL = re.compile(r"[^\n\t -~]+")
# What a spreadsheet takes for a formula, and what has been kept from that before.
_FORMULA = re.compile("'*[=+@\\t\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}"
                      "\N{FULLWIDTH COMMERCIAL AT}\N{FULLWIDTH HYPHEN-MINUS}-]")  # fmt: skip


def visible(text: str) -> str:
    r"""Return a text with each character that nobody sees, or a terminal obeys, by its number.

    Line breaks and tabs stay.

    >>> print(visible("\x1b[31m, \x9b, \u202e, é"))
    \x1b[31m, \x9b, <U+202E>, é
    """
    # What is printable has none of these. Most texts are, and it is told much sooner.
    if text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return _UNUSUAL.sub(lambda run: _spelled(run[0]), text)


def in_a_line(text: str) -> str:
    r"""Return a text, such as the name of a file, as `visible` does, with line breaks and tabs too.

    >>> print(in_a_line("x.roof\nerror"))
    x.roof\x0aerror
    """
    return visible(text).replace("\n", r"\x0a").replace("\t", r"\x09")


def quoted(text: str) -> str:
    r"""Return a text as the language writes it in quotes, on one line.

    >>> print(quoted('the "large" one\n'))
    "the \"large\" one\\x0a"
    """
    shown = in_a_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'


def escaped(text: str) -> str:
    r"""Return a text of JSON or YAML with such characters as these write them inside a string.

    >>> print(escaped("\x9b, \u202e, \U000e0041"))
    \u009b, \u202e, \udb40\udc41
    """
    if text.isascii() and "\x7f" not in text:  # of ASCII, JSON escapes all others itself
        return text
    return _UNUSUAL.sub(lambda run: "".join(map(_in_json, run[0])), text)


def csv_cell(text: str) -> str:
    r"""Return a text for a cell of CSV; what a spreadsheet would compute has a `'` in front.

    >>> [csv_cell(text) for text in ("=1+1", "copy", "-inf", "'@", "'n'")]
    ["'=1+1", 'copy', '-inf', "''@", "'n'"]
    """
    shown = visible(text)
    return f"'{shown}" if _FORMULA.match(shown) and not _is_number(shown) else shown


def csv_value(value: object) -> object:
    """Return a value of which a writer of CSV makes the shortest text, none where it is undefined.

    >>> [csv_value(value) for value in ("=1+1", True, 4096.0, 0.5, float("inf"), float("nan"))]
    ["'=1+1", 'true', 4096, 0.5, inf, None]
    """
    if isinstance(value, str):
        return csv_cell(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return int(value)
    return None if isinstance(value, float) and isnan(value) else value


def read_csv_cell(text: str) -> str:
    """Return the text that `csv_cell` was given.

    >>> [read_csv_cell(text) for text in ("'=1+1", "copy", "''@", "'n'")]
    ['=1+1', 'copy', "'@", "'n'"]
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=256)
def _spelled(run: str) -> str:
    return "".join(
        char
        if category(char) not in _UNSEEN
        else f"\\x{ord(char):02x}"
        if char < "\u0100"
        else f"<U+{ord(char):04X}>"
        for char in run
    )


def _in_json(char: str) -> str:
    if category(char) not in _UNSEEN:
        return char
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
