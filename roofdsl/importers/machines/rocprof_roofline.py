"""Read `roofline.csv` of rocprof-compute (once Omniperf): measured roofs of cards, with bands."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label, listing
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.text_lines import cut_off, ended
from roofdsl.importers.machines.written import Machine, Rate, imported
from roofdsl.located_csv import LocatedCell, LocatedRow, rows
from roofdsl.reading import as_text

LARGEST = 4_000_000
_MOST_DEVICES = 100
_COLUMN = re.compile(
    r"(?:(HBM|MALL|L2|L1|LDS)Bw|(MFMA)?[-_]?(MX)?(FP|BF|F|I|FI)?([0-9]+(?:F4)?)(?:Flops|Ops))"
    r"(Low|High)?",
    re.IGNORECASE,
)
_DEVICE = {"device", "devid"}
_PRECISIONS = {
    "f64": "fp64", "fp64": "fp64", "f32": "fp32", "fp32": "fp32", "f16": "fp16", "fp16": "fp16",
    "bf16": "bf16", "f8": "fp8", "fp8": "fp8", "f4": "fp4", "fp4": "fp4", "i8": "int8",
    "fi8": "int8", "i32": "int32", "i64": "int64",
}  # fmt: skip
"""How columns spell precisions; one of `MFMAFI8OpsLow` is a slip of theirs."""
_FIRST = ("vector.fp32", "vector.fp64")


class _Column(NamedTuple):
    """What a column holds: the level or kind, and "" for the mean, "low" or "high"."""

    resource: str
    level: str
    band: str


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its first row has a device, and a bandwidth of HBM or of L2."""
    del name
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].lower()
    return re.match(rb'"?(device|devid)"?\s*,', first) is not None and b"bw" in first


def read(given: Given) -> Import:
    """Return a machine for each card, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = rows(source)
    first = next(table, None)
    problems: list[Diagnostic] = []
    notes: list[str] = []
    machines: list[Machine] = []
    columns = [] if first is None else _columns(first, notes, problems)
    for row in table if first is not None and not problems else ():
        assert first is not None
        if row.broken or len(row.cells) != len(first.cells):
            problems.append(_uneven(row, first))
        elif len(machines) < _MOST_DEVICES:
            machines.append(_machine(given, row, columns, notes, problems))
        if len(problems) >= 20:
            break
    if not problems and not machines:
        problems.append(ended(source, "no row of a card is in this file"))
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if problems:
        return None, tuple(problems)
    if len(machines) == 1:
        machines[0] = machines[0]._replace(called=given.path.stem)
    return imported(given, machines, notes)


def _uneven(row: LocatedRow, first: LocatedRow) -> Diagnostic:
    message = f"this row has {len(row.cells)} cells, and the first row {len(first.cells)}"
    if row.broken is not None:
        return Diagnostic.at("R1222", "these quotes do not match", row.broken)
    return Diagnostic.at("R1222", message, row.span, hint="is the file whole?")


def _columns(
    first: LocatedRow, notes: list[str], problems: list[Diagnostic]
) -> list[_Column | None]:
    found: list[_Column | None] = []
    seen: dict[_Column, LocatedCell] = {}
    unknown: list[str] = []
    for place, cell in enumerate(first.cells):
        column = _column(cell.text)
        if column is not None and column in seen:
            places = (Label(cell.span), Label(seen[column].span, "first here"))
            message = f"two columns are the same: '{cell.text[:40]}'"
            problems.append(Diagnostic("R1223", message, places, "keep one of them"))
        elif column is not None:
            seen[column] = cell
        elif place > 0 and cell.text:
            unknown.append(cell.text[:40])
        found.append(column)
    if unknown:
        notes.append(f"columns that are not known are left aside: {listing(unknown)}")
    return found


def _column(heading: str) -> _Column | None:
    match = _COLUMN.fullmatch(heading)
    if match is None:
        return None
    band = (match[6] or "").lower()
    if match[1]:
        return _Column("memory", match[1].upper(), band)
    precision = _PRECISIONS.get(f"{match[4] or ''}{match[5]}".lower())
    if precision is None or match[3]:  # of blocks with a scale, and mixes of two precisions
        return None
    return _Column("flops", f"{'matrix' if match[2] else 'vector'}.{precision}", band)


def _machine(
    given: Given,
    row: LocatedRow,
    columns: list[_Column | None],
    notes: list[str],
    problems: list[Diagnostic],
) -> Machine:
    rates = [*_rates(row, columns, notes, problems)]
    kinds = [rate.level for rate in rates if rate.resource == "flops"]
    about = [
        "Imported from rocprof-compute: what its benchmark reached on one card, in decimal units.",
        "",
        "`matrix` are the matrix cores, `vector` the other cores; ± is the band of its samples.",
    ]
    device = row.cells[0].text
    return Machine(
        f"{given.path.stem}_{device}"[:60],
        about,
        [f"{given.source}: rocprof-compute, device {device[:40]}"],
        rates,
        defaults=_defaults(kinds),
    )


def _defaults(kinds: Collection[str]) -> list[str]:
    """Return one kind for each precision: of vectors in fp32 and fp64, of matrices in others."""
    found: dict[str, str] = {}
    for kind in (*_FIRST, *sorted(kinds)):
        if kind in kinds:
            found.setdefault(kind.partition(".")[2], kind)
    return [*found.values()]


def _rates(
    row: LocatedRow,
    columns: list[_Column | None],
    notes: list[str],
    problems: list[Diagnostic],
) -> Iterator[Rate]:
    cells = {
        column: cell for column, cell in zip(columns, row.cells, strict=True) if column is not None
    }
    for column, cell in cells.items():
        if column.band:
            continue
        what, unit = ("bandwidth", "GB/s") if column.resource == "memory" else ("rate", "GFLOP/s")
        mean = amount(cell.text, cell.span, what, problems, zero=True)
        bands = [cells.get(column._replace(band=band)) for band in ("low", "high")]
        ends = [amount(x.text, x.span, what, problems, zero=True) for x in bands if x is not None]
        if mean is None or None in ends:
            continue
        if not mean:
            notes.append(f"{column.resource}.{column.level} is 0, not measured, and left out")
            continue
        off = max((abs(end - mean) for end in ends if end is not None), default=Fraction(0))
        if off >= mean:
            message = f"the band of '{column.level}' is as wide as the rate itself"
            problems.append(Diagnostic.at("R1221", message, cell.span, hint="was it measured?"))
            continue
        yield Rate(column.resource, column.level, mean, unit, cell.span, off=off or None)
