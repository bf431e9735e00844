"""Numbers in files of other tools: exact, in bounds, each with its place."""

from __future__ import annotations

import re
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Span

LEAST, MOST = Fraction(1, 10**9), Fraction(10**15)
"""What a rate, a time or a size lies between, in the unit of its file."""

LONGEST = 40
"""Characters of a number; what is written with more was not measured."""

NUMBER = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]{1,3})?")


def amount(
    text: str, place: Span, what: str, problems: list[Diagnostic], *, zero: bool = False
) -> Fraction | None:
    """Return a number above 0 as it is written; where `zero` is allowed, from 0 on.

    None, and a problem (R1221), for what is none, such as `nan`, or is out of bounds.

    >>> from roofdsl.source import Source
    >>> source = Source("demo", "12.5 -1 nan")
    >>> problems: list[Diagnostic] = []
    >>> amount("12.5", Span(source, 0, 4), "bandwidth", problems)
    Fraction(25, 2)
    >>> [amount(text, Span(source, 5, 7), "bandwidth", problems) for text in ("-1", "nan")]
    [None, None]
    >>> [str(problem.message) for problem in problems]
    ['a bandwidth of -1 is below 0', "'nan' is not a number: a bandwidth is meant"]
    """

    def refuse(message: str, hint: str) -> None:
        problems.append(Diagnostic.at("R1221", message, place, hint=hint))

    shown = text.strip()
    if not shown:
        refuse(f"the {what} is missing", "is the file whole?")
    elif len(shown) > LONGEST or not NUMBER.fullmatch(shown):
        hint = "numbers have digits and a point, such as 97.6; nothing is written in their place"
        refuse(f"'{shown[:LONGEST]}' is not a number: {_a(what)} is meant", hint)
    elif shown.startswith("-") and Fraction(shown):
        refuse(f"{_a(what)} of {shown} is below 0", "was it measured?")
    elif zero and not Fraction(shown):
        return Fraction(0)
    elif not LEAST <= Fraction(shown) <= MOST:
        refuse(f"{_a(what)} of {shown} is out of bounds", "it lies in 1e-9 .. 1e15, in its unit")
    else:
        return Fraction(shown)
    return None


def _a(what: str) -> str:
    return f"{'an' if what[0] in 'aeiou' else 'a'} {what}"


def decimal(value: Fraction) -> str | None:
    """Return a number in digits if they end, None where they do not.

    >>> [decimal(Fraction(text)) for text in ("97.60", "1e3", "1/3")]
    ['97.6', '1000', None]
    """
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest //= prime
            count += 1
        places = max(places, count)
    if rest > 1:
        return None
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    whole, part = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{whole}.{part}" if part else whole


def rounded(value: Fraction, digits: int = 6) -> Fraction:
    """Return a number above 0 with so many digits, the closest there is.

    >>> rounded(Fraction(1, 3)), rounded(Fraction(2_000_000, 3), 2)
    (Fraction(333333, 1000000), Fraction(670000, 1))
    """
    exponent = len(str(value.numerator)) - len(str(value.denominator))
    while value >= Fraction(10) ** exponent:
        exponent += 1
    while value < Fraction(10) ** (exponent - 1):
        exponent -= 1
    step = Fraction(10) ** (exponent - digits)
    return round(value / step) * step
