"""Whether a margin is so: at the corners of what rates may be off by, between, and beyond."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import mpmath
import numpy as np

from tests.oracle.contest import Contest
from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Arrays, Bounded, Exact, Undefined
from tests.oracle.sentences import UnreadError

_CORNERS = 64
_INNER = 30
_SHORT = Fraction(1) - Fraction(1, 10**9)
"""What holds by less than a share holds at this much of it."""

Factors = dict[str, Fraction]

_OFF = r"holds while every rate(?:, and of a latency its inverse,)? is off by less than (\S+) %"
_UNLESS = r"; with (?P<unless>\S+) % (?P<turns>[\w.]+) can bind"
_SENTENCES = {
    "any": r"holds at any rates",
    "slow": rf"holds however slow the rates are, and up to (\S+) × as fast(?:{_UNLESS})?",
    "little": r"rates that are off by (?:however little|less than (\S+) %) can turn it to "
    r"(?P<turns>[\w.]+)",
    "unknown": rf"how far rates may be off is not known(?:{_UNLESS})?",
    "off": rf"{_OFF}(?:{_UNLESS}|, then turns to (?P<then>[\w.]+))?",
}


def wrong_margin(
    case: Case, point: Fraction, text: str, said: Mapping[str, Any], random: Random
) -> list[str]:
    """Return what is wrong with the line on the margin at a point."""
    with mpmath.workdps(DIGITS):
        found = AtPoint(case, point)
        wrong = [*found.bound(said)]
        match = re.search(r"^  margin +(?:(\S+) × ([\w.]+); )?(.+)$", text, re.MULTILINE)
        if match is None:
            if said["margin"] is not None:
                wrong.append(f"no line for {said['margin']}")
            return [*wrong, *found.nothing_competes(random)]
        if match[1]:
            wrong += found.ratio(match[1], match[2])
        kind, sentence = _read(match[3])
        return [*wrong, *found.holds(kind, sentence, random), *found.turned(kind, sentence, said)]


def _read(sentence: str) -> tuple[str, re.Match[str]]:
    for kind, pattern in _SENTENCES.items():
        if match := re.fullmatch(pattern, sentence):
            return kind, match
    raise UnreadError(sentence)


class AtPoint:
    """A case at a value of its unknown, with rates that may be off."""

    def __init__(self, case: Case, point: Fraction) -> None:
        self.case = case
        self.contest = Contest(case)
        self.point = point
        self.values = case.values(Exact(), point)
        self.rates = case.machine.every_rate()
        self.first = self.winner({})

    def _amounts(self, factors: Mapping[str, Fraction]) -> Mapping[str, Any]:
        own = dict(self.values)
        for name, factor in factors.items():
            key, rate = self.rates[name]
            own[key] = rate * factor
        return self.contest.amounts(Exact(), own)

    def winner(self, factors: Mapping[str, Fraction]) -> str | None:
        amounts = self._amounts(factors)
        numbers = Exact()
        found: str | None = None
        for name, amount in amounts.items():
            if numbers.exceeds(amount, amounts[found] if found else Fraction(0)):
                found = name
        return found

    def other_winner(self, machines: Sequence[Factors]) -> tuple[Factors, str | None] | None:
        """Return the first of machines on which another wins than here, and which, None if none."""
        numbers = Arrays(len(machines))
        values = self.case.values(numbers, numbers.number(self.point))
        for name, (key, rate) in self.rates.items():
            several = np.array([float(rate * machine[name]) for machine in machines])
            values[key] = Bounded(several, abs(several) * 2.0**-52)
        with np.errstate(all="ignore"):
            bits = np.broadcast_to(self.contest.winners(numbers, values), (len(machines),))
        own = {2**place: name for place, name in enumerate(self.contest.names())}
        for machine, one, doubtful in zip(machines, bits, numbers.doubtful, strict=True):
            if doubtful or own.get(int(one)) != self.first:
                winner = self.winner(machine)
                if winner != self.first:
                    return machine, winner
        return None

    def bound(self, said: Mapping[str, Any]) -> Iterator[str]:
        if said["bound"] != self.first:
            yield f"the bound is {self.first}, not {said['bound']}"

    def nothing_competes(self, random: Random) -> Iterator[str]:
        found = self.other_winner([*self.some(Fraction(0), Fraction(10), random)])
        if found is not None:
            yield f"no margin: at {shown(found[0])} it is {found[1]}"

    def ratio(self, text: str, following: str) -> Iterator[str]:
        amounts = self._amounts({})
        floats = {name: float(amount) for name, amount in amounts.items()}
        own, other = floats[self.first or ""], floats.get(following, 0.0)
        if not other or abs(own / other / float(text) - 1) > 6e-3:
            yield f"{text} × {following}: of {self.first} {own}, {other}"
        if any(each > other * (1 + 1e-9) for name, each in floats.items() if name != self.first):
            yield f"{following} is not the next"

    def some(self, low: Fraction, high: Fraction, random: Random) -> Iterator[Factors]:
        """Yield factors of the rates: corners of what they may be, and some between."""
        low = low or Fraction(1, 1000)
        names = [*self.rates]
        corners = list(product((low, high), repeat=len(names)))
        for corner in random.sample(corners, min(_CORNERS, len(corners))):
            yield dict(zip(names, corner, strict=True))
        for _ in range(_INNER):
            yield {
                name: low + (high - low) * Fraction(random.choice((0.0, 1.0, random.random())))
                for name in names
            }

    def holds(self, kind: str, match: re.Match[str], random: Random) -> Iterator[str]:
        """Yield rates that are off by no more than is said, and turn it."""
        low = high = Fraction(1)
        if kind == "any":
            low, high = Fraction(0), Fraction(1000)
        elif kind == "slow":
            low, high = Fraction(0), 1 + (Fraction(match[1]) - 1) * _SHORT
        elif kind == "off":
            off = Fraction(match[1]) / 100 * _SHORT
            low, high = 1 - off, 1 + off
        if low == high:
            return
        found = self.other_winner([*self.some(low, high, random)])
        if found is not None:
            yield f"at {shown(found[0])} it is {found[1]}, not {self.first}"

    def turned(self, kind: str, match: re.Match[str], said: Mapping[str, Any]) -> Iterator[str]:
        """Yield that it is not turned where, or to what, it is said to be."""
        margin = said["margin"]
        turned = margin and margin["turned"]
        words = match.groupdict()
        to = words.get("turns") or words.get("then")
        if turned is None:
            # What turns only beyond a change of all but nothing is not looked for.
            if (kind == "off" and match[1] != "99.9") or kind == "little" or to:
                yield f"'{match[0]}', and no rates at which it turns"
            return
        factors = {name: Fraction(factor) for name, factor in turned["rates"].items()}
        most = max(abs(factor - 1) for factor in factors.values())
        if most > Fraction(turned["change"]) * (1 + Fraction(1, 10**9)) + Fraction(1, 10**15):
            yield f"rates are off by {float(most)}, not {turned['change']}"
        try:
            winner = self.winner(factors)
        except Undefined:
            winner = None
        if winner != turned["bound"] or winner == self.first:
            yield f"at {shown(factors)} it is {winner}, not {turned['bound']}"
        if to and to != turned["bound"]:
            yield f"turns to {to}, and to {turned['bound']} in JSON"
        if words.get("unless"):
            printed = Fraction(words["unless"]) / 100
            if not printed * Fraction("0.989") <= most <= printed * Fraction("1.011"):
                yield f"'{match[0]}': the rates are off by {float(most)}"
        elif kind == "off" and most > Fraction(match[1]) / 100 * Fraction("1.025"):
            yield f"'{match[0]}', and the rates at which it turns are off by {float(most)}"
        elif kind == "little" and most > Fraction(match[1] or Fraction(1, 10**4)) / 100:
            yield f"'{match[0]}': by {float(most)}"


def shown(factors: Mapping[str, Fraction]) -> str:
    numbers = {name: f"{float(factor):.6g}" for name, factor in factors.items()}
    as_in_files = {name: re.sub(r"e\+?(-?)0*", r"e\1", each) for name, each in numbers.items()}
    return ", ".join(f"{name} × {factor}" for name, factor in as_in_files.items())
