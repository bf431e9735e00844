"""Read `NAME_roofline.csv` of the CARM tool: bandwidths and peaks, a machine for each row."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.text_lines import cut_off, ended
from roofdsl.importers.machines.written import MOST_MACHINES, Machine, Rate, imported
from roofdsl.inert import in_a_line
from roofdsl.located_csv import LocatedRow, rows
from roofdsl.reading import as_text

LARGEST = 4_000_000
_FIRST = ("Date", "ISA", "Precision", "Threads", "Loads", "Stores", "Interleaved", "DRAM Bytes")
_UNITS = {"GB/s": ("memory", "bandwidth"), "Gflop/s": ("flops", "rate")}
_PRECISIONS = {"dp": "fp64", "sp": "fp32"}


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its first row has a name and sizes of caches, its second ISA."""
    del name
    lines = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 2)
    return lines[0].startswith(b"Name:") and b"L1 Size:" in lines[0]


def read(given: Given) -> Import:
    """Return a machine for each row, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = rows(source)
    levels, columns = next(table, None), next(table, None)
    problems: list[Diagnostic] = []
    if levels is None or columns is None:
        problems.append(ended(source, "two rows of headings are expected", "is the file whole?"))
        return None, tuple(problems)
    found = _columns(levels, columns, problems)
    called = levels.cells[1].text if len(levels.cells) > 1 else given.path.stem
    machines: list[Machine] = []
    notes: list[str] = []
    for row in table if not problems else ():
        if row.broken or len(row.cells) != len(columns.cells):
            message = (
                f"this row has {len(row.cells)} cells, and the second one {len(columns.cells)}"
            )
            hint = "is the file whole? quotes in a cell are doubled"
            problems.append(Diagnostic.at("R1222", message, row.broken or row.span, hint=hint))
        elif len(machines) < MOST_MACHINES:
            machines.append(_machine(given, called, row, found, notes, problems))
        if len(problems) >= 20:
            break
    if not problems and not machines:
        problems.append(ended(source, "no row of a measurement is in this file"))
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if problems:
        return None, tuple(problems)
    return imported(given, machines, notes)


def _columns(
    levels: LocatedRow, columns: LocatedRow, problems: list[Diagnostic]
) -> list[tuple[str, str] | None]:
    """Return of each column the resource and what the row of levels calls it, None for no rate."""
    names = [cell.text for cell in columns.cells]
    if tuple(names[: len(_FIRST)]) != _FIRST:
        hint = f"the second row begins with {', '.join(_FIRST)}"
        problems.append(
            Diagnostic.at("R1222", "these headings are not known", columns.span, hint=hint)
        )
        return []
    above = [cell.text for cell in levels.cells]
    found: list[tuple[str, str] | None] = []
    for place, name in enumerate(names):
        level = above[place] if place < len(above) else ""
        known = name in _UNITS and place > len(_FIRST)
        found.append((name, level) if known and level else None)
        if known and not level:
            cell = columns.cells[place]
            message = f"the first row does not say of what these {name} are"
            problems.append(Diagnostic.at("R1222", message, cell.span, hint="is the file whole?"))
    if not any(found) and not problems:
        message = "no column has a unit: GB/s or Gflop/s"
        problems.append(Diagnostic.at("R1222", message, columns.span, hint="is the file whole?"))
    return found


def _machine(
    given: Given,
    called: str,
    row: LocatedRow,
    columns: list[tuple[str, str] | None],
    notes: list[str],
    problems: list[Diagnostic],
) -> Machine:
    date, isa, precision, threads, loads, stores, interleaved, size, operation = (
        in_a_line(row.cells[place].text)[:60] for place in range(9)
    )
    rates = [*_rates(row, columns, operation, notes, problems)]
    about = [
        f"Imported from the CARM tool: {isa}, {precision}, {threads} threads together.",
        "",
        "Bandwidths are those of loads and stores as the cores see them, of data in each level.",
    ]
    said = (
        f"{given.source}: CARM tool, {in_a_line(called)[:60]}, {date}: {loads} loads to {stores} "
        f"stores, interleaved: {interleaved}, {size} B of DRAM"
    )
    kinds = [rate.level for rate in rates if rate.resource == "flops"][-1:]
    name = "_".join((called[:30], isa, precision, threads))
    return Machine(name, about, [said], rates, defaults=kinds)


def _rates(
    row: LocatedRow,
    columns: list[tuple[str, str] | None],
    operation: str,
    notes: list[str],
    problems: list[Diagnostic],
) -> Iterator[Rate]:
    precision = row.cells[2].text
    for cell, column in zip(row.cells, columns, strict=True):
        if column is None:
            continue
        resource, what = _UNITS[column[0]]
        value = amount(cell.text, cell.span, what, problems, zero=True)
        level = column[1] if resource == "memory" else _kind(column[1], precision, operation)
        if value is None:
            continue
        if not value:
            notes.append(f"{resource}.{level} is 0, not measured, and left out")
            continue
        unit = "GB/s" if resource == "memory" else "GFLOP/s"
        yield Rate(resource, level, value, unit, cell.span)


def _kind(column: str, precision: str, operation: str) -> str:
    """Return what a peak is called: that of multiply-adds has the name of the precision alone."""
    kind = _PRECISIONS.get(precision, precision)
    return kind if "FMA" in column else f"{kind}_{operation or 'other'}"
