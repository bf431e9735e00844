"""Whether scaling is what it is said to be, against all counts of processes that are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil
from random import Random
from typing import Any

import mpmath

from tests.oracle.claims import BESIDE_POWERS, LIKELY, between
from tests.oracle.contest import asked
from tests.oracle.formula import Values
from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Exact, Numbers
from tests.oracle.sentences import MORE, UnreadError, number

_ALL = 2000
_SOME = 300
_COUNT = r"(\d[\d ]*|10\^\d+)"
_STRONG = r"strong: the problem stays the same; efficiency is .+"
_WEAK = r"weak: .+; efficiency is (T\(\d+\) / T\(P\)|.+)"
_ABOVE = r"with (one process|[\d ]+ processes) it is more than 100 %(: .+)?"
_BY_DEFAULT = r"(\w+) = .* by default: .* (?:has|have) \1 = .*; for a problem that grows so, .*"
_FEWEST = rf"the fewest processes allowed, {_COUNT}, have by definition 100 %"
_USEFUL = {
    "undecided": "the most useful count of processes is undecided",
    "falls": rf"more processes still make it faster at {_COUNT} \(proven\)",
    "up to": rf"up to {_COUNT} processes none are faster than {_COUNT}, proven; "
    "beyond is undecided",
    "last": rf"no count is faster than {_COUNT}, the most the model allows \(proven\)",
    "most": rf"more than {_COUNT} process(?:es)? never makes? it faster "
    rf"\(proven up to {_COUNT}(, the most the model allows)?\)",
}


def wrong_scaling(case: Case, text: str, said: Mapping[str, Any], random: Random) -> list[str]:
    """Return what is wrong with an answer on scaling over the unknown."""
    with mpmath.workdps(DIGITS):
        found = _Scaling(case, said)
        wrong = [*found.points()]
        _, *blocks = text.split("\n\n")
        for block in blocks:
            wrong += found.block(block, random)
        return wrong


class _Scaling:
    def __init__(self, case: Case, said: Mapping[str, Any]) -> None:
        self.case, self.said = case, said
        self.strong = said["kind"] == "strong"

    def time(self, count: Fraction) -> Any:
        return mpmath.mpf(1) * self.case.spent(Exact(), count).time

    def points(self) -> Iterator[str]:
        """Yield what is wrong with the points, in JSON."""
        base = Fraction(self.said["base"])
        before = next((x for x in range(1, int(base)) if self.case.allows(Fraction(x))), None)
        if before is not None:
            yield f"the fewest allowed are {before}, not {base}"
        for point in self.said["points"]:
            count = Fraction(point["processes"])
            if not self.case.allows(count):
                yield f"{count} processes are shown, and are not allowed"
                continue
            time = self.time(count)
            if abs(time / mpmath.mpf(point["time"]) - 1) > 1e-12:
                yield f"T({count}) is {time}, not {point['time']}"
            if self.strong:
                efficiency = base * self.time(base) / (int(count) * time)
                if abs(efficiency / mpmath.mpf(point["efficiency"]) - 1) > 1e-9:
                    yield f"the efficiency of {count} is {efficiency}, not {point['efficiency']}"

    def block(self, block: str, random: Random) -> Iterator[str]:
        first, *others = block.split("\n")
        if first in ("strong scaling", "weak scaling"):
            yield from self._rows(others[1:])
        elif re.fullmatch(_STRONG, first):
            if not self.strong:
                yield f"'{first}' of what is weak"
        elif re.fullmatch(_WEAK, first):
            if self.strong:
                yield f"'{first}' of what is strong"
        elif re.fullmatch(_ABOVE, first):
            above = [p for p in self.said["points"] if p["efficiency"] > 1 + 1e-9]
            if not above:
                yield f"'{first}', and no point is"
        elif match := re.fullmatch(_BY_DEFAULT, first):
            if match[1] not in self.said["defaults"] or match[1] in self.case.given:
                yield f"'{first}', and it is given, or does not follow"
        elif match := re.fullmatch(_FEWEST, first):
            if _count(match[1]) != self.said["base"]:
                yield f"'{first}', and the fewest are {self.said['base']}"
        elif first.startswith("least ") and " that keeps an efficiency of " in first:
            yield from self._sizes(first, others[1:])
        elif not first.startswith("  note: "):
            yield from self._useful(first, random)

    def _rows(self, rows: list[str]) -> Iterator[str]:
        for row, point in zip(filter(None, rows), self.said["points"], strict=True):
            cells = re.split(r"  +", row.strip())
            printed = [number(cell.removesuffix(" %"), False) for cell in cells]
            values = [point[name] for name in ("processes", "time", "speedup", "efficiency")]
            values[3] *= 100
            for cell, one, value in zip(cells, printed, values, strict=True):
                if abs(float(one.middle) - value) > 6e-3 * abs(value):
                    yield f"{cell} is printed for {value}"

    def _useful(self, sentence: str, random: Random) -> Iterator[str]:
        kind, match = _read(sentence.removesuffix(MORE))
        if kind == "undecided":
            return
        case = self.case
        counts = [_count(each) for each in match.groups()[:2] if each]
        best, end = counts[0], counts[-1]
        if kind == "up to":
            end, best = counts
        if kind == "falls":
            found = next((x for x in range(end, end - 3000, -1) if case.allows(Fraction(x))), None)
            if found is None:
                return  # what is allowed is too sparse for this check
            best = found
        if not case.allows(Fraction(best)):
            yield f"'{sentence}': {best} are not allowed"
            return
        tried = [x for x in self._tried(best, end, random) if x <= end]
        time = self.time(Fraction(best))
        faster = asked(case, self._faster(best), [Fraction(x) for x in tried])
        for count, is_faster in zip(tried, faster, strict=True):
            if is_faster == 1 and case.allows(Fraction(count)):
                yield f"'{sentence}': {count} are faster, {self.time(Fraction(count))} < {time}"
                return
        if kind == "last" or (kind == "most" and match[3]):
            beyond = [x for x in self._tried(end, 10**18, random) if x > end]
            more = next((x for x in beyond if case.allows(Fraction(x))), None)
            if more is not None:
                yield f"'{sentence}': {more} are allowed"

    def _faster(self, best: int) -> Any:
        case = self.case

        def faster(numbers: Numbers, values: Values) -> Any:
            least = case.values(numbers, numbers.number(Fraction(best)))
            limit, own = (case.root.run(case.machine, numbers, x).time for x in (least, values))
            return 1 * numbers.exceeds(limit, own)

        return faster

    def _tried(self, best: int, end: int, random: Random) -> list[int]:
        low, high = Fraction(1), Fraction(max(2, end))
        found = {*range(1, min(end, _ALL) + 1), *range(max(1, best - 50), best + 50)}
        found |= {x for x in (*BESIDE_POWERS, *LIKELY) if x <= end}
        found |= {round(between(low, high, random)) for _ in range(_SOME)}
        return sorted(found)

    def _sizes(self, head: str, rows: list[str]) -> Iterator[str]:
        """Yield what is wrong with the least sizes that keep an efficiency."""
        match = re.fullmatch(r"least (\w+) that keeps an efficiency of (\S+) %", head)
        if match is None:
            raise UnreadError(head)
        efficiency = Fraction(match[2]) / 100
        for place, (row, least) in enumerate(
            zip(filter(None, rows), self.said["sizes"], strict=True)
        ):
            _, shown = re.split(r"  +", row.strip())
            size, count = least["size"], Fraction(least["processes"])
            if size is None:
                if (shown == "undecided") == least["proven"]:
                    yield f"'{row}' is printed for {least}"
            elif abs(float(number(shown, False).middle) - size) > 1e-5 * size:
                yield f"'{row}' is printed for {least}"
            if not least["proven"] or place % 4:  # each takes long to look through
                continue
            if size is not None and self._keeps(count, match[1], Fraction(size), efficiency) != 1:
                yield f"{size} does not keep {efficiency} on {count}"
            most = Fraction(size) if size is not None else Fraction(10**18)
            below = (Fraction(x) for x in self._below(most))
            smaller = (x for x in below if self._keeps(count, match[1], x, efficiency) == 1)
            found = next(smaller, None)
            if found is not None:
                yield f"{found} keeps {efficiency} on {count}, and is less than {size}"

    def _below(self, size: Fraction) -> list[int]:
        near = range(max(1, ceil(size) - 15), ceil(size))
        return [*range(1, min(15, ceil(size))), *near, *(x for x in LIKELY[::40] if x < size)]

    def _keeps(self, count: Fraction, name: str, size: Fraction, efficiency: Fraction) -> int:
        """Return 1 where a size is allowed and keeps an efficiency."""
        base, times = Fraction(self.said["base"]), []
        for processes in (base, count):
            values = {**self.case.given, name: size, self.case.unknown: processes}
            values = self.case.completed(Exact(), values)
            if not self.case.accepts(values):
                return 0
            times.append(self.case.root.run(self.case.machine, Exact(), values).time)
        weighed = times[1] * (efficiency * count / base if self.strong else efficiency)
        return int(not Exact().exceeds(weighed, times[0]))


def _read(sentence: str) -> tuple[str, re.Match[str]]:
    for kind, pattern in _USEFUL.items():
        if match := re.fullmatch(pattern, sentence):
            return kind, match
    raise UnreadError(sentence)


def _count(text: str) -> int:
    return int(number(text, True).middle)
