"""Numbers as a locale writes them: `2,508,800`, `2.508.800`, `65,77`; which it is, is not guessed.

A file is written in one locale. A number that has two readings, such as `2,508`, is read as those
are that have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.source import Span

_POINT, _COMMA = ".", ","
DECIMALS = (_POINT, _COMMA)
_LARGEST = 10**30
_GROUPS = " '\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{RIGHT SINGLE QUOTATION MARK}"
_LONGEST = 60
_UNGROUPED = re.compile(r"[0-9]{5}")


def _pattern(decimal: str) -> re.Pattern[str]:
    """Return what a number is like with this sign before its decimals; the other one groups."""
    signs = (_COMMA if decimal == _POINT else _POINT, *_GROUPS)
    groups = "|".join(rf"[1-9][0-9]{{0,2}}(?:{re.escape(sign)}[0-9]{{3}})+" for sign in signs)
    decimals = rf"(?:{re.escape(decimal)}([0-9]+))?([eE][+-]?[0-9]{{1,2}})?"
    return re.compile(rf"(-?)({groups}|[0-9]+){decimals}")


_PATTERNS = {decimal: _pattern(decimal) for decimal in DECIMALS}
_NO_DIGITS = re.compile(r"[^0-9]")


class Written(NamedTuple):
    """A number as it stands in a file; `whole` is set where it counts something."""

    text: str
    span: Span
    whole: bool = False


def decimal_sign(numbers: Iterable[Written], asked: str | None = None) -> str | Diagnostic:
    """Return which sign stands before the decimals of all numbers, or why none can be told.

    `asked` is what the user says of it. What is no number at all is left aside here.

    >>> from roofdsl.source import Source
    >>> def sign(*texts):
    ...     return decimal_sign(Written(x, Span(Source("demo", x), 0, len(x))) for x in texts)
    >>> sign("2.508.800", "1.234"), sign("12.5", "1.234"), sign("0,123"), sign("7", "123456")
    (',', '.', ',', '.')
    >>> sign("2,508").message
    "'2,508' can be read as 2508, and as 2.508"
    """
    told: dict[str, Written] = {}
    open_: Written | None = None
    ungrouped: Written | None = None
    for number in numbers:
        readings = _readings(number)
        if asked is not None or not readings:
            continue
        if len(readings) == 1:
            told.setdefault(next(iter(readings)), number)
        elif len(set(readings.values())) == 2:
            open_ = open_ or number
        elif _UNGROUPED.search(number.text):
            ungrouped = ungrouped or number
    if asked is not None:
        return asked
    if len(told) == 2:
        first, second = told.values()
        message = f"'{second.text}' is written in another way than '{first.text}'"
        hint = "numbers of one file have one decimal sign; --decimal says which"
        return Diagnostic.at(
            "R1232", message, second.span, Label(first.span, "this one"), hint=hint
        )
    if told:
        return next(iter(told))
    if open_ is None:
        return _POINT
    if ungrouped is not None:  # digits are not grouped, so what stands between them is the sign
        return _POINT if _POINT in open_.text else _COMMA
    ways = [_shown(value) for value in _readings(open_).values()]
    message = f"'{open_.text}' can be read as {ways[0]}, and as {ways[1]}"
    hint = "no other number of the file tells which: say --decimal . or --decimal ,"
    return Diagnostic.at("R1232", message, open_.span, hint=hint)


def read_number(number: Written, decimal: str) -> Fraction | None:
    """Return a number of 0 or more written with this sign, None where it is none."""
    found = _reading(number.text, decimal)
    return found if found is not None and 0 <= found <= _LARGEST else None


def no_number(number: Written, what: str) -> Diagnostic:
    """Return the problem of a text that is no number of 0 or more."""
    message = f"{what} is '{number.text[:40]}', which is not a number of 0 or more"
    return Diagnostic.at("R1233", message, number.span)


def _readings(number: Written) -> dict[str, Fraction]:
    found = {decimal: _reading(number.text, decimal) for decimal in DECIMALS}
    some = {decimal: value for decimal, value in found.items() if value is not None}
    if number.whole and len(some) == 2:  # 2,508 instructions are not 2.508 of them
        return {d: value for d, value in some.items() if value.denominator == 1}
    return some


def _reading(text: str, decimal: str) -> Fraction | None:
    match = _PATTERNS[decimal].fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    sign, digits, decimals, exponent = match.groups()
    whole = _NO_DIGITS.sub("", digits)
    return Fraction(f"{sign}{whole}.{decimals or 0}{exponent or ''}")


def _shown(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.12g}"
