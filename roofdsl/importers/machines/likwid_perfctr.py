"""Read CSV of `likwid-perfctr -O`: regions of a program, each with its work and its time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.text_lines import cut_off, ended
from roofdsl.importers.points import Launch, points, unused
from roofdsl.inert import in_a_line
from roofdsl.located_csv import LocatedCell, LocatedRow, rows
from roofdsl.reading import as_text
from roofdsl.source import Span

LARGEST = 16_000_000
_MOST_TABLES = 10_000
_TIME = "Runtime (RDTSC) [s]"
_FLOPS = re.compile(r"(DP|SP|HP) \[MFLOP/s\]")
_VOLUMES = {
    "Memory data volume [GBytes]": "memory",
    "L3 data volume [GBytes]": "memory.L3",
    "L2 data volume [GBytes]": "memory.L2",
}
_ASIDE = re.compile(r"Runtime unhalted \[s\]|Clock \[MHz\]|CPI|.*\[MBytes/s\]|Operational.*")
"""What says the same once more, or nothing of the work."""


class _Table(NamedTuple):
    """A table of metrics: its region, whether it is of statistics, and its rows by name."""

    region: str
    group: str
    statistics: bool
    header: tuple[str, ...]
    rows: dict[str, LocatedRow]
    span: Span


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: blocks that begin with STRUCT or TABLE."""
    del name
    found = rb"^(?:\xef\xbb\xbf)?(?:STRUCT,Info,|TABLE,(?:Region |Group )[^,\n]*)"
    return re.search(found, head, re.MULTILINE) is not None


def read(given: Given) -> Import:
    """Return the regions of a file as points, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    problems: list[Diagnostic] = []
    facts: dict[str, str] = {}
    tables = [*_tables(rows(source), facts, problems)]
    regions = {table.region: table for table in tables if table.statistics}
    regions |= {table.region: table for table in tables if not table.statistics}
    problems += _twice(tables)
    notes: list[str] = []
    launches = [_launch(table, notes, problems) for table in regions.values()]
    found = [launch for launch in launches if launch is not None]
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if not problems and not found:
        message = "no table of metrics with a time and a work is in this file"
        problems.append(ended(source, message, "measure a group such as MEM_DP, with -O"))
    if problems:
        return None, tuple(problems[:20])
    names = [name.removesuffix(" STAT") for table in regions.values() for name in table.rows]
    aside = [name for name in names if not _known(name)]
    tool = ", ".join(["likwid-perfctr", *(f"{name} {value}" for name, value in facts.items())])
    return points(given, found, tool, (*notes, *unused(aside, "metric")), each=given.each), ()


def _known(name: str) -> bool:
    known = name == _TIME or name in _VOLUMES or _FLOPS.fullmatch(name) or _ASIDE.fullmatch(name)
    return bool(known)


def _tables(
    found: Iterator[LocatedRow], facts: dict[str, str], problems: list[Diagnostic]
) -> Iterator[_Table]:
    """Yield the tables of metrics; those of raw events are left out."""
    table: _Table | None = None
    info = False
    count = 0
    for row in found:
        cells = [cell.text for cell in row.cells]
        if row.broken is not None and table is None and not info:
            continue  # what the program itself printed
        if row.broken is not None:
            problems.append(Diagnostic.at("R1222", "these quotes do not match", row.broken))
            return
        if cells[0] in ("TABLE", "STRUCT"):
            if table is not None:
                yield table
            info = cells[:2] == ["STRUCT", "Info"]
            table = _begun(cells, row) if cells[0] == "TABLE" else None
            count += 1
            if count > _MOST_TABLES:
                return
        elif info and len(cells) > 1 and cells[0] in ("CPU name:", "CPU type:", "CPU clock:"):
            facts[cells[0].removesuffix(":")] = in_a_line(cells[1])[:80]
        elif table is not None:
            table = _with(table, row, problems)
    if table is not None:
        yield table


def _begun(cells: list[str], row: LocatedRow) -> _Table | None:
    """Return the table that a line begins: TABLE,[Region R,]Group 1 Metric[ STAT],MEM_DP,n."""
    region = cells[1].removeprefix("Region ") if cells[1:2] and "Region " in cells[1] else ""
    rest = cells[2:] if region else cells[1:]
    kind = rest[0] if rest else ""
    if not re.fullmatch(r"(Group [0-9]+ )?Metric( STAT| Stat)?", kind):
        return None
    group = rest[1] if len(rest) > 1 else ""
    return _Table(region, group, kind.upper().endswith("STAT"), (), {}, row.span)


def _with(table: _Table, row: LocatedRow, problems: list[Diagnostic]) -> _Table:
    name = row.cells[0].text
    if name == "Metric":
        header = [cell.text for cell in row.cells]
        while header and not header[-1]:
            header.pop()
        return table._replace(header=tuple(header))
    width = len(table.header)
    if len(row.cells) < width or any(cell.text for cell in row.cells[width:]):
        message = f"this row has {len(row.cells)} cells, and its header {len(table.header)}"
        problems.append(Diagnostic.at("R1222", message, row.span, hint="is the file whole?"))
    elif name in table.rows:
        places = (Label(row.span), Label(table.rows[name].span, "first here"))
        message = f"'{name[:60]}' stands twice in one table"
        problems.append(Diagnostic("R1223", message, places, "keep one of them"))
    else:
        table.rows[name] = row
    return table


def _twice(tables: list[_Table]) -> Iterator[Diagnostic]:
    seen: dict[tuple[str, bool], _Table] = {}
    for table in tables:
        first = seen.setdefault((table.region, table.statistics), table)
        if first is not table:
            places = (Label(table.span), Label(first.span, "first here"))
            shown = f" of the region '{in_a_line(table.region)[:40]}'" if table.region else ""
            message = f"metrics{shown} stand twice, of {first.group[:20]} and {table.group[:20]}"
            hint = "one file is one group of counters: put each into a file of its own"
            yield Diagnostic("R1223", message, places, hint)


def _launch(table: _Table, notes: list[str], problems: list[Diagnostic]) -> Launch | None:
    """Return a region: its time is the longest of a thread, its work that of all together."""
    region = table.region or "program"
    before = len(problems)
    times = _cells(table, _TIME)
    flops = [name for name in table.rows if _FLOPS.fullmatch(name.removesuffix(" STAT"))]
    amounts: dict[str, Fraction] = {}
    seconds = [_value(cell, "time", problems) for cell in times]
    if table.statistics:
        notes.append(f"'{in_a_line(region)[:40]}' has statistics alone: flops are Sum times Max")
    if not seconds or not any(seconds):
        notes.append(f"'{in_a_line(region)[:40]}' has no {_TIME}; it is left out")
        return None
    amounts["time"] = max(seconds)
    for name in flops:
        rates = [_value(cell, "rate", problems) for cell in _cells(table, name)]
        work = [rate * 10**6 * time for rate, time in zip(rates, seconds, strict=False)]
        amounts["flops"] = amounts.get("flops", Fraction(0)) + sum(work)
    for name, column in _VOLUMES.items():
        if cells := _cells(table, name, total=True):
            volumes = [_value(cell, "data volume", problems) for cell in cells]
            amounts[column] = sum(volumes, Fraction(0)) * 10**9
    if len(problems) > before:
        return None
    if len(amounts) == 1:
        notes.append(f"'{in_a_line(region)[:40]}' has no work that is known; it is left out")
        return None
    return Launch(region, amounts)


def _value(cell: LocatedCell, what: str, problems: list[Diagnostic]) -> Fraction:
    return amount(cell.text, cell.span, what, problems, zero=True) or Fraction(0)


def _cells(table: _Table, name: str, *, total: bool = False) -> list[LocatedCell]:
    """Return the cells of a metric, one for each thread; of statistics, one that stands for all.

    Counters outside the cores are those of a socket, and stand beside one of its threads: of
    statistics their sum is right, and of a time its largest.
    """
    found = table.rows.get(name) or table.rows.get(f"{name} STAT")
    if found is None:
        return []
    if not table.statistics:
        return list(found.cells[1 : len(table.header)])
    column = "Max" if name == _TIME and not total else "Sum"
    place = table.header.index(column) if column in table.header else 0
    return [found.cells[place]] if place else []
