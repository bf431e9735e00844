"""Whether elasticities are derivatives of the time, and finite changes what they are said to be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor
from typing import Any

import mpmath

from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Exact, Undefined
from tests.oracle.sentences import UnreadError

_LITTLE = Fraction(1, 10**40)
_TOLERANCE = 1e-6
_JUMPS = 1e20
"""A slope beyond this is that of a jump: there is no derivative."""
_PERCENT = Fraction(1, 100)
_REASONS = ("in steps", "jumps", "no formula", "no time", "undefined")
_FAR = 1000
"""So many whole numbers are looked through for one that is allowed."""


def wrong_sensitivity(case: Case, point: Fraction, text: str, said: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the sensitivities at a point, in text and in JSON."""
    with mpmath.workdps(DIGITS):
        rows = _rows(text)
        found = _Point(case, point)
        wrong: list[str] = []
        for item in said["elasticities"]:
            problems = [*found.of_item(item), *_row(item, rows.pop(item["name"], None))]
            wrong += [f"{item['name']}: {problem}" for problem in problems]
        return wrong + [f"{name} is in the text alone" for name in rows]


class _Point:
    """A case at a value of its unknown."""

    def __init__(self, case: Case, point: Fraction) -> None:
        self.case = case
        self.given: dict[str, Any] = {case.unknown: point, **case.given}
        self.here = case.completed(Exact(), self.given)
        machine = case.machine
        self.names = {f"{machine.name}.{key}": x for key, x in machine.every_rate().items()}
        self.time = self._time({})

    def _time(self, changed: Mapping[str, Any]) -> Any:
        values = self.case.completed(Exact(), {**self.given, **changed})
        return mpmath.mpf(1) * self.case.root.run(self.case.machine, Exact(), values).time

    def slope(self, key: str, value: Any, side: int) -> float | None:
        """Return the elasticity towards a side, None at a jump; raise Undefined at an end."""
        if not self.time:
            return None
        other = self._time({key: value * (1 + side * _LITTLE)})
        slope = float((other / self.time - 1) / (side * mpmath.mpf(1) / 10**40))
        return None if abs(slope) > _JUMPS else slope

    def of_item(self, item: Mapping[str, Any]) -> Iterator[str]:
        name = item["name"]
        key, value = self.names[name] if item["rate"] else (name, self.here[name])
        whole = self._whole(name)
        unsaid = item["below"] is None and item["above"] is None
        if item["reason"] != "in steps" and not unsaid:
            for side, where in ((-1, "below"), (1, "above")):
                with suppress(Undefined):
                    slope = self.slope(key, value, side)
                    said = item["value"] if item["value"] is not None else item[where]
                    # A whole number does not come to where the time jumps right beside it.
                    if not (_same(said, slope) or (slope is None and whole)):
                        yield f"elasticity {where} is {slope}, not {said}"
        if item["reason"] is not None and not self._is_reason(item["reason"], key, value):
            yield f"{item['reason']} is the reason that is given"
        for side, what in ((-1, "smaller"), (1, "larger")):
            yield from self._change(key, value, side, what, item)

    def _is_reason(self, reason: str, key: str, value: Any) -> bool:
        """Return whether there is no elasticity for the reason that is given."""
        if reason == "in steps":
            return self.case.rounds()
        if reason == "no time":
            return not self.time
        if reason == "no formula":
            return bool(self.case.machine.measured)
        slopes = []
        for side in (-1, 1):
            with suppress(Undefined):
                slopes.append(self.slope(key, value, side))
        return None in slopes if reason == "jumps" else len(slopes) < 2

    def _whole(self, name: str) -> bool:
        return any(each.name == name and each.integer for each in self.case.parameters)

    def _change(
        self, key: str, value: Any, side: int, what: str, item: Mapping[str, Any]
    ) -> Iterator[str]:
        change = item[what]
        whole = self._whole(key)
        wanted = self._next(key, value, side) if whole else value * (1 + side * _PERCENT)
        if change is None or wanted is None:
            if (change is None) != (wanted is None) and whole:
                yield f"{what}: {change}, and {wanted} is allowed"
            return
        if not _same(change["value"], float(wanted), 1e-12):
            yield f"{what} is {change['value']}, not {wanted}"
            return
        time = self._time({key: wanted})
        if not _same(change["time"], float(time), 1e-12):
            yield f"{what}: the time is {time}, not {change['time']}"
        if not self.time:
            if change["share"] != ("inf" if time else 0.0):
                yield f"{what}: the share of {time} in no time is {change['share']}"
            return
        share = float(time / self.time - 1)
        if abs(change["share"] - share) > 1e-9 * abs(share) + 1e-12:
            yield f"{what}: the share is {share}, not {change['share']}"

    def _next(self, key: str, value: Any, side: int) -> Fraction | None:
        """Return the nearest whole number beyond 1 % that is allowed."""
        edge = value * (1 + side * _PERCENT)
        first = ceil(edge) if side > 0 else floor(edge)
        for step in range(_FAR):
            found = Fraction(first + side * step)
            if found < 1:
                return None
            if self._allowed({key: found}):
                return found
        return None

    def _allowed(self, changed: Mapping[str, Any]) -> bool:
        try:
            values = self.case.completed(Exact(), {**self.given, **changed})
        except Undefined:
            return False
        return self.case.accepts(values)


def _same(said: float | None, actual: float | None, tolerance: float = _TOLERANCE) -> bool:
    if said is None or actual is None:
        return said is None and actual is None
    return abs(said - actual) <= tolerance * max(abs(actual), 1e-3)


def _rows(text: str) -> dict[str, tuple[str, str, str]]:
    """Return the rows of the table by name: elasticity, 1 % larger, 1 % smaller."""
    rows: dict[str, tuple[str, str, str]] = {}
    for line in text.splitlines()[1:]:
        cells = re.split(r"  +", line.strip())
        match cells:
            case [""] | ["elasticity", "1 % larger", "1 % smaller"]:
                continue
            case [name, slope, larger, smaller]:
                rows[name] = (slope, larger, smaller)
            case [only] if re.match(r"computed from other parameters, |note: ", only):
                continue
            case _:
                raise UnreadError(line)
    return rows


def _row(item: Mapping[str, Any], row: tuple[str, str, str] | None) -> Iterator[str]:
    """Yield what a row of the text says that the values, which are checked, do not."""
    if row is None:
        yield "is not in the text"
        return
    slope, *effects = row
    alone = item["value"] is not None
    wanted = [item["value"]] if alone else [item["below"], item["above"]]
    match = re.fullmatch(r"(\S+) below, (\S+) above", slope)
    said = [*match.groups()] if match else [slope]
    if slope in _REASONS:
        right = item["reason"] == slope and wanted == [None, None]
    else:
        right = all(_prints(one, value) for one, value in zip(said, wanted, strict=True))
    if not right:
        yield f"{slope} is printed for {wanted}"
    for what, effect in zip(("larger", "smaller"), effects, strict=True):
        yield from _effect(item[what], effect)


def _prints(text: str, value: float | None) -> bool:
    if value is None or text in _REASONS:
        return value is None and text in _REASONS
    return abs(float(text) - value) <= 6e-4 * abs(value) + 1e-12


def _effect(change: Mapping[str, Any] | None, effect: str) -> Iterator[str]:
    match = re.fullmatch(
        r"(?:at (?P<at>\S+): )?"
        r"(?:(?P<share>\S+) % (?P<sense>more|less) time|(?P<none>no|hardly any) effect)",
        effect,
    )
    if change is None or match is None:
        if change is not None or effect != "none allowed was found":
            yield f"'{effect}' is printed for {change}"
        return
    if match["at"] and float(match["at"]) != change["value"]:
        yield f"'{effect}' is printed for {change}"
    if match["none"]:
        if abs(change["share"]) > (1e-12 if match["none"] == "no" else 1e-11):
            yield f"'{effect}' is printed for {change}"
        return
    if match["share"] == "∞" or change["share"] == "inf":
        if (match["share"], match["sense"], change["share"]) != ("∞", "more", "inf"):
            yield f"'{effect}' is printed for {change}"
        return
    share = float(match["share"]) / 100 * (1 if match["sense"] == "more" else -1)
    if abs(share - change["share"]) > 6e-3 * abs(change["share"]):
        yield f"'{effect}' is printed for {change}"
