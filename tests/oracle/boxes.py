"""Whether what is said to bind on all machines near one does, and where it is said to depend."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from random import Random
from typing import Any

import mpmath

from tests.oracle.claims import between
from tests.oracle.margins import AtPoint, shown
from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Undefined
from tests.oracle.sentences import HOLES, UnreadError, number

_SAID = {
    "on every machine": "all",
    "it depends on the rates": "depends",
    "not decided": "undecided",
    "an amount is below 0 there, or has no value": "refused",
}
_POINTS = 3


def wrong_box(
    case: Case, off: Fraction, text: str, said: Mapping[str, Any], random: Random
) -> list[str]:
    """Return what is wrong with an answer over a range on all machines that are off by so much."""
    with mpmath.workdps(DIGITS):
        wrong = [*_rows(case, text, said["regimes"])]
        for regime in said["regimes"]:
            wrong += _regime(case, off, regime, random)
        return wrong


def _rows(case: Case, text: str, regimes: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield where the text says anything else than the values, which are checked."""
    name = re.escape(case.unknown)
    table = text.split("\n\n")[1].splitlines()[1:]
    for line, regime in zip(table, regimes, strict=True):
        cells = re.split(r"  +", line.strip())
        where = rf"(?:for (.+) ≤ {name} ≤ (.+?)|at {name} = (.+?))({HOLES})?"
        match = re.fullmatch(where, cells[1])
        if match is None or len(cells) != 3:
            raise UnreadError(line)
        ends = [int(number(match[x] or match[3], True).middle) for x in (1, 2)]
        bounds = [] if cells[0] in ("–", "nothing") else cells[0].split(" or ")
        read = [*ends, _SAID.get(cells[2]), bounds, match[4] is not None]
        if read != [regime[key] for key in ("from", "to", "verdict", "bounds", "some_refused")]:
            yield f"'{line}' is printed for {regime}"


def _regime(case: Case, off: Fraction, regime: Mapping[str, Any], random: Random) -> Iterator[str]:
    first, last = Fraction(regime["from"]), Fraction(regime["to"])
    if regime["verdict"] == "all":
        inner = {Fraction(round(between(first, last, random))) for _ in range(_POINTS)}
        for point in sorted({first, last, *inner}):
            try:
                at = AtPoint(case, point)
            except Undefined:
                if regime["some_refused"]:
                    continue
                yield f"{point} has no value, and {regime}"
                return
            found = at.other_winner([*at.some(1 - off, 1 + off, random)])
            if at.first != next(iter(regime["bounds"]), None) or found is not None:
                yield f"at {point} it is {at.first}, and {found}, not {regime}"
                return
    if regime["verdict"] == "depends":
        for bound, machine in zip(regime["bounds"], regime["machines"], strict=False):
            # Read as they are printed: 0.9 is nine tenths, at which two may be equal.
            factors = {name: Fraction(str(factor)) for name, factor in machine.items()}
            most = max((abs(factor - 1) for factor in factors.values()), default=Fraction(0))
            if most > off * (1 + Fraction(1, 10**12)):
                yield f"{machine} is off by {float(most)}"
            try:
                winner = AtPoint(case, first).winner(factors)
            except Undefined:
                winner = None
            if winner != bound:
                yield f"at {first} with {shown(factors)} it is {winner}, not {bound}"
