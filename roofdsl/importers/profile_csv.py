"""Read a profile: how long each group of functions took, and what bounds its time."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from roofdsl.analysis.projection import Group, Profile
from roofdsl.diagnostic import Diagnostic, Label, did_you_mean, listing
from roofdsl.located_csv import LocatedCell, LocatedRow, rows
from roofdsl.reading import read_source
from roofdsl.source import Source, Span
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_quantity
from roofdsl.units.unit import UnknownUnit, read_unit

KINDS = {"threaded": "memory", "serial": "memory.NUMA"}
"""What bounds a group of this kind that does not say itself: Kwack et al. 2018, Eq. 5 and 6."""

MOST_PROBLEMS = 20
_ROUNDING = 1e-3  # a total may be this much below the sum: the times of a profile are rounded
_TIME = re.compile(r"time *\[([^\]]*)\]")
_NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_BOUND = re.compile(r"[A-Za-z]\w*(\.\w+)?")
_HEADER = "its first row names the columns: group,time [s],kind"


class _Columns(NamedTuple):
    """Where the columns stand, and the seconds of the unit of time."""

    width: int
    group: int
    time: int
    kind: int | None
    bound: int | None
    factor: float


def read_profile(
    path: Path, shown: str | None = None
) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
    """Read a CSV file with a row for each group; return the profile and every problem in it.

    The first row names the columns, in any order: `group`, `time [s]` (or another unit of time),
    `kind` (`threaded`, `serial`, or nothing for a group that is not to be projected), and, where
    that is not enough, `bound`, such as `flops` or `memory.L2`: it may stand alone. Others are left
    aside. A row `Total` says how long all of it took.
    """
    source = read_source(path, shown)
    if isinstance(source, Diagnostic):
        # The hints of the reader are about .roof files.
        hint = "keep the longest groups, and a row `Total`" if " bytes;" in source.message else None
        return None, (replace(source, hint=hint),)
    return _ProfileReader(source).profile()


class _ProfileReader:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._problems: list[Diagnostic] = []
        self._seen: dict[str, Span] = {}
        self._total: tuple[float, Span] | None = None

    def profile(self) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
        table = rows(self._source)
        first = next(table, None)
        columns = None if first is None else self._columns(first)
        groups: list[Group] = []
        for row in table if columns is not None else ():
            assert columns is not None
            group = self._group(row, columns)
            if group is not None:
                groups.append(group)
            if len(self._problems) >= MOST_PROBLEMS:
                break
        total = self._whole(math.fsum(group.time for group in groups))
        if not self._problems and not any(group.bound and group.time for group in groups):
            end = len(self._source.text)
            place = first.span if first else Span(self._source, 0, min(1, end))
            what = "has no group that can be projected" if groups else "has no groups"
            hint = (
                f"one has a kind, {' or '.join(KINDS)}, and a time above 0" if groups else _HEADER
            )
            self._fail("R0911", f"this profile {what}", place, hint)
        if self._problems:
            return None, tuple(self._problems)
        return Profile(tuple(groups), total), ()

    def _columns(self, row: LocatedRow) -> _Columns | None:
        """Return where the columns stand; report those that are missing."""
        if row.broken is not None:
            self._broken(row.broken)
            return None
        names = [cell.text for cell in row.cells]
        times = [place for place, name in enumerate(names) if _TIME.fullmatch(name)]
        counts = {name: names.count(name) for name in ("group", "kind", "bound")}
        counts["time [s]"] = len(times)
        optional = ("bound", "kind" if counts["bound"] else "")
        missing = [f"`{name}`" for name, n in counts.items() if not n and name not in optional]
        if missing:
            message = f"this profile has no column {', '.join(missing)}"
            hint = f"{_HEADER}; here they are {listing(names)}"
            if len(names) == 1:
                hint = f"its columns are separated by commas, and {_HEADER}"
            self._fail("R0912", message, row.span, hint)
        for name in (name for name, count in counts.items() if count > 1):
            message = f"this profile has {counts[name]} columns `{name}`"
            self._fail("R0912", message, row.span, "keep one of them")
        if self._problems:
            return None
        factor = self._seconds(row.cells[times[0]])
        if factor is None:
            return None
        kind, bound = (names.index(x) if x in names else None for x in ("kind", "bound"))
        return _Columns(len(names), names.index("group"), times[0], kind, bound, factor)

    def _seconds(self, cell: LocatedCell) -> float | None:
        match = _TIME.fullmatch(cell.text)
        assert match is not None
        unit = read_unit(match[1].strip())
        if isinstance(unit, UnknownUnit) or unit.dimension != SECOND:
            message = f"'{match[1].strip()}' is not a unit of time"
            self._fail("R0912", message, cell.span, "write `time [s]`, or ms, min, h")
            return None
        return float(unit.factor)

    def _group(self, row: LocatedRow, columns: _Columns) -> Group | None:
        """Return the group of a row; take a total aside."""
        if row.broken is not None:
            self._broken(row.broken)
            return None
        if len(row.cells) != columns.width:
            message = f"this row has {len(row.cells)} cells, and the first row {columns.width}"
            hint = "a name with a comma stands in quotes; a number has a point, not a comma"
            self._fail("R0913", message, row.span, hint)
            return None
        name = row.cells[columns.group]
        if not name.text:
            self._fail("R0913", "this group has no name", row.span, "name it in the column `group`")
            return None
        if name.text in self._seen:
            message, first = f"'{name.text}' is in the profile twice", self._seen[name.text]
            self._fail("R0916", message, name.span, "put its times together", first)
            return None
        self._seen[name.text] = name.span
        time = self._number(row.cells[columns.time])
        bound = self._bound(row, columns)
        if time is None or bound is None:
            return None
        if name.text.lower() == "total":
            self._total = time * columns.factor, name.span
            return None
        return Group(name.text, time * columns.factor, bound or None, name.span)

    def _number(self, cell: LocatedCell) -> float | None:
        positive = cell.text.removeprefix("-")
        if _NUMBER.fullmatch(positive) and math.isfinite(float(positive)):
            if positive == cell.text or not float(positive):
                return float(positive)
            message = f"a time of {cell.text} is below 0"
            self._fail("R0914", message, cell.span, "a group takes 0 or more")
            return None
        message = f"'{cell.text[:40]}' is not a number" if cell.text else "the time is missing"
        self._fail("R0914", message, cell.span, "write digits and a point, such as 997.6")
        return None

    def _bound(self, row: LocatedRow, columns: _Columns) -> str | None:
        """Return the rate that bounds a group, "" if it is not to be projected."""
        kind, bound = (
            None if place is None else row.cells[place] for place in (columns.kind, columns.bound)
        )
        if kind and kind.text and kind.text not in KINDS:
            hint = did_you_mean(kind.text, KINDS) or f"kinds: {', '.join(KINDS)}, or nothing"
            self._fail("R0915", f"'{kind.text[:40]}' is not a kind of group", kind.span, hint)
            return None
        if bound is None or not bound.text:
            return KINDS.get(kind.text, "") if kind else ""
        if not _BOUND.fullmatch(bound.text):
            message = f"'{bound.text[:40]}' is not the name of a rate"
            self._fail("R0915", message, bound.span, "such as `flops` or `memory.L2`")
            return None
        return bound.text

    def _whole(self, summed: float) -> float:
        """Return the time of the whole program, and report a total below the sum of the groups."""
        if self._total is None:
            return summed
        total, place = self._total
        if total < summed * (1 - _ROUNDING) and not self._problems:
            shown = [show_quantity(time, SECOND, 6) for time in (total, summed)]
            message = f"the total is {shown[0]}, but the groups take {shown[1]} together"
            self._fail("R0916", message, place, "leave it out, and it is their sum")
        return max(total, summed)

    def _broken(self, place: Span) -> None:
        hint = 'a quote inside quotes is doubled: `"say ""this"""`'
        self._fail("R0913", "these quotes do not match", place, hint)

    def _fail(
        self, code: str, message: str, place: Span, hint: str, other: Span | None = None
    ) -> None:
        labels = (Label(place), *((Label(other, "first here"),) if other else ()))
        self._problems.append(Diagnostic(code, message, labels, hint))
