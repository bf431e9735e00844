"""Projections of a profile: the times of its groups on other machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roofdsl.analysis.projection import Profile, Projection
from roofdsl.answer.blocks import Block, Text, label, tabular
from roofdsl.answer.cells import Cell, Printed, Quantity
from roofdsl.answer.head import opening
from roofdsl.answer.plain import Json, fields_of, number
from roofdsl.units.dimension import SECOND
from roofdsl.units.quantity import show_number, show_percent

MOST_ROWS = 20
_COLUMNS = "source target group bound time projected speedup measured error".split()
_OF_WORK = "is bound by what of its own work takes longest on"
DIGITS = 5  # a tenth of a second in an hour


@dataclass(frozen=True, slots=True)
class ProjectionAnswer:
    """A profile, by its file's name, and its projections, one for each target machine."""

    name: str
    profile: Profile
    projections: tuple[Projection, ...]

    def values(self) -> dict[str, Json]:
        """Return times in seconds, errors in percent, `coverage` as a part of 1."""
        first = self.projections[0]
        has = [item for each in self.projections for item in each.varied.items()]
        varied: dict[str, Json] = {name: str(item.dimension) for name, item in has}
        return {
            **opening("projection"),
            "profile": self.name,
            **fields_of(first, "source", "total", "coverage"),
            **({"by_work": [*first.by_work]} if first.by_work else {}),
            **({"without_rate": [*first.without_rate]} if first.without_rate else {}),
            "targets": [_target(projection) for projection in self.projections],
            "units": {
                "values": {"total": "s"},
                "targets": {"time": "s", "measured": "s", "error": "%", "projected": "s"},
                **({"varied": varied} if varied else {}),
            },
        }

    def rows(self) -> list[dict[str, Json]]:
        """Return a row for each group on each machine, and one without a group for the whole."""
        found: list[dict[str, Json]] = []
        for projection in self.projections:
            rows: list[tuple[Json, ...]] = []
            for group, time in projection.groups:
                speedup = group.time / time if time else None
                rows.append((group.name, group.bound, group.time, time, speedup, None, None))
            whole = (projection.total, projection.time, projection.speedup)
            rows.append((None, None, *whole, projection.measured, projection.error))
            place = (projection.source, projection.target)
            found += [
                {**dict(zip(_COLUMNS, (*place, *row), strict=True)), **_varied(projection)}
                for row in rows
            ]
        names = dict.fromkeys(name for row in found for name in row)
        return [{name: row.get(name) for name in names} for row in found]

    def blocks(self) -> list[Block]:
        first = self.projections[0]
        count = "1 group" if len(first.groups) == 1 else f"{len(first.groups)} groups"
        covered = f"{count}, {show_percent(first.coverage)} of the time"
        title = f"{self.name}, measured on {first.source}: {covered}"
        blocks: list[Block] = [tabular(title, label("projection", self.name), self._table())]
        if first.coverage < 1:
            blocks.append(Text("  the rest is taken to change as the groups do"))
        if first.by_work:
            all_ = len(first.by_work) == len(first.groups)
            whose = "each group" if all_ else "a group that does not say what bounds it"
            blocks.append(Text(f"  {whose} {_OF_WORK} {first.source}"))
        if first.without_rate:
            names = ", ".join(first.without_rate)
            blocks.append(Text(f"  {first.source} has no rate for {names}, which bound nothing"))
        return blocks

    def _table(self) -> list[list[Cell]]:
        """Return the times of each group on every machine, the longest groups first."""
        profile, projections = self.profile, self.projections
        first = projections[0]
        order = sorted(range(len(first.groups)), key=lambda place: -first.groups[place][0].time)
        names = [_named(projection) for projection in projections]
        rows: list[list[Cell]] = [["group", "bound", first.source, "share", *names]]
        for place in order[:MOST_ROWS]:
            group, _ = first.groups[place]
            there = [projection.groups[place][1] for projection in projections]
            rows.append(self._row(group.name, group.bound or "", group.time, there))
        left = len(order) - MOST_ROWS
        if left > 0:
            rows.append([f"… and {left} more", *[""] * (len(rows[0]) - 1)])
        rest = 1 - first.coverage
        if rest > 0:
            there = [projection.time * rest for projection in projections]
            rows.append(self._row("the rest", "", profile.total * rest, there))
        rows.append(["all", "", _time(profile.total), "", *(_time(p.time) for p in projections)])
        speedups = (Printed(show_number(p.speedup)) for p in projections)
        rows.append(["speed-up", "", "", "", *speedups])
        if any(projection.measured is not None for projection in projections):
            measured = ["" if p.measured is None else _time(p.measured) for p in projections]
            errors = ["" if p.error is None else Printed(f"{p.error:+.2f} %") for p in projections]
            rows += [["measured", "", "", "", *measured], ["error", "", "", "", *errors]]
        return rows

    def _row(self, name: str, bound: str, time: float, there: Sequence[float]) -> list[Cell]:
        share = Printed(show_percent(time / self.profile.total))
        return [name, bound, _time(time), share, *map(_time, there)]


def _named(projection: Projection) -> str:
    """Return the machine that a projection is to, with what it has of several values."""
    has = projection.varied.items()
    values = (f"{name.partition('.')[2]} = {item.written}" for name, item in has)
    return ", ".join([projection.target, *values])


def _varied(projection: Projection) -> dict[str, Json]:
    return {name: item.value for name, item in projection.varied.items()}


def _target(projection: Projection) -> Json:
    varied = _varied(projection)
    return {
        "machine": projection.target,
        **({"varied": varied} if varied else {}),
        **fields_of(projection, "time", "speedup", "measured", "error"),
        "groups": [
            {**fields_of(group, "name", "bound", "time"), "projected": number(time)}
            for group, time in projection.groups
        ],
    }


def _time(seconds: float) -> Quantity:
    return Quantity(seconds, SECOND, DIGITS)
