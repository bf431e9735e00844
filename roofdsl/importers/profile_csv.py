"""Read a profile: how long each group of functions took, and what bounds its time."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

from roofdsl.analysis.projection import Group, Profile
from roofdsl.diagnostic import Diagnostic, did_you_mean
from roofdsl.importers.headed_csv import HeadedRow, HeadedTable, Layout, read_headed
from roofdsl.source import Span
from roofdsl.units.dimension import BYTE, FLOP, SECOND
from roofdsl.units.quantity import show_quantity

KINDS = {"threaded": "memory", "serial": "memory.NUMA"}
"""What bounds a group of this kind that does not say itself: Kwack et al. 2018, Eq. 5 and 6."""

_ROUNDING = 1e-3  # a total may be this much below the sum: the times of a profile are rounded
_BOUND = re.compile(r"[A-Za-z]\w*(\.\w+)?")
WORK = {"flops": FLOP, "memory": BYTE, "network": BYTE}
"""What a group does, by which it is bound where it does not say by what."""
_LAYOUT = Layout(
    "this profile",
    needed=(("group", "kernel"), ("kind", "bound", *WORK), ("time",)),
    known={**dict.fromkeys(("group", "kernel", "kind", "bound")), "time": SECOND, **WORK},
    header="group,time [s],kind",
    larger="keep the longest groups, and a row `Total`",
    levels=frozenset({"memory", "network"}),
)


def read_profile(
    path: Path, shown: str | None = None
) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
    """Read a CSV file with a row for each group; return the profile and every problem in it.

    The first row names the columns, in any order: `group`, `time [s]` (or another unit of time),
    `kind` (`threaded`, `serial`, or nothing for a group that is not to be projected), and, where
    that is not enough, `bound`, such as `flops` or `memory.L2`: it may stand alone. Where neither
    says by what a group is bound, its own `flops`, `memory`, `memory.L2` do, as a table of points
    has them; there a group is called `kernel`. Others are left aside. A row `Total` says how long
    all of it took.
    """
    table = read_headed(path, _LAYOUT, shown)
    if isinstance(table, Diagnostic):
        return None, (table,)
    return _ProfileReader(table).profile()


class _ProfileReader:
    def __init__(self, table: HeadedTable) -> None:
        self._table = table
        self._fail = table.fail
        self._seen: dict[str, Span] = {}
        self._total: tuple[float, Span] | None = None
        self._names = "group" if "group" in table.columns else "kernel"

    def profile(self) -> tuple[Profile | None, tuple[Diagnostic, ...]]:
        problems = self._table.problems
        groups = [group for row in self._table.rows() if (group := self._group(row)) is not None]
        total = self._whole(math.fsum(group.time for group in groups))
        if not problems and not any((g.bound or g.works) and g.time for g in groups):
            what = "has no group that can be projected" if groups else "has no groups"
            hint = (
                f"one has a kind, {' or '.join(KINDS)}, or work, and a time above 0"
                if groups
                else _LAYOUT.example
            )
            self._fail("R0911", f"this profile {what}", self._table.span, hint)
        if problems:
            return None, tuple(problems)
        return Profile(tuple(groups), total), ()

    def _group(self, row: HeadedRow) -> Group | None:
        """Return the group of a row; take a total aside."""
        name = row.cells[self._names]
        if not name.text:
            hint = f"name it in the column `{self._names}`"
            self._fail("R0913", "this group has no name", row.span, hint)
            return None
        if name.text in self._seen:
            message, first = f"'{name.text}' is in the profile twice", self._seen[name.text]
            self._fail("R0916", message, name.span, "put its times together", first)
            return None
        self._seen[name.text] = name.span
        time = self._table.number(row, "time")
        bound = self._bound(row)
        work = self._work(row)
        if time is None or bound is None or None in work.values():
            return None
        if name.text.lower() == "total" and self._names == "group":
            self._total = float(time), name.span
            return None
        amounts = {column: float(amount or 0) for column, amount in work.items()}
        return Group(name.text, float(time), bound or None, name.span, amounts)

    def _work(self, row: HeadedRow) -> dict[str, Fraction | None]:
        """Return what a group does, by column, None for a cell that is no number."""
        return {
            name: self._table.number(row, name)
            for name in row.cells
            if name.partition(".")[0] in WORK and self._table.text(row, name)
        }

    def _bound(self, row: HeadedRow) -> str | None:
        """Return the rate that bounds a group, "" if it is not to be projected."""
        kind, bound = (row.cells.get(name) for name in ("kind", "bound"))
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
        if total < summed * (1 - _ROUNDING) and not self._table.problems:
            shown = [show_quantity(time, SECOND, 6) for time in (total, summed)]
            message = f"the total is {shown[0]}, but the groups take {shown[1]} together"
            self._fail("R0916", message, place, "leave it out, and it is their sum")
        return max(total, summed)
