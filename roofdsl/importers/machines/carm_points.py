"""Read `NAME_applications.csv` of the CARM tool: programs as points of a roofline."""

from __future__ import annotations

import re
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.text_lines import cut_off, ended
from roofdsl.importers.points import Launch, points
from roofdsl.inert import in_a_line
from roofdsl.located_csv import LocatedRow, rows
from roofdsl.reading import as_text

LARGEST = 4_000_000
_HEADER = (
    "Date", "Method", "Name", "ISA", "Precision", "Threads", "AI", "Gflops", "Bandwidth", "Time",
)  # fmt: skip
_SECONDS = re.compile(r"(DR|DBI|SDE|PMU)\b.*|(DR|DBI|SDE|PMU)_.*", re.IGNORECASE)
_MILLISECONDS = {"MIX"}
_MOST_ROWS = 10_000


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant, by its first row."""
    del name
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return first.decode("utf-8", "replace").strip().split(",") == list(_HEADER)


def read(given: Given) -> Import:
    """Return the programs as points, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = rows(source)
    first = next(table, None)
    if first is None or tuple(cell.text for cell in first.cells) != _HEADER:
        message = "the columns of the CARM tool's applications are not in this file"
        return None, (ended(source, message, f"the first row is {','.join(_HEADER)}"),)
    problems: list[Diagnostic] = []
    notes: list[str] = []
    launches: list[Launch] = []
    for row in table:
        if row.broken or len(row.cells) != len(_HEADER):
            message = f"this row has {len(row.cells)} cells, and the first row {len(_HEADER)}"
            place = row.broken or row.span
            problems.append(Diagnostic.at("R1222", message, place, hint="is the file whole?"))
        elif len(launches) < _MOST_ROWS:
            launch = _launch(row, notes, problems)
            launches += [launch] if launch else []
        if len(problems) >= 20:
            break
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if not problems and not launches:
        problems.append(ended(source, "no program whose time is known is in this file"))
    if problems:
        return None, tuple(problems)
    notes.append("Bandwidth is left aside: some of its methods write Gbit/s; bytes are flops / AI")
    notes.append("memory.L1 is what the cores load and store: draw it with --level L1")
    return points(given, launches, "CARM tool", tuple(dict.fromkeys(notes)), each=given.each), ()


def _launch(row: LocatedRow, notes: list[str], problems: list[Diagnostic]) -> Launch | None:
    """Return a program: its work follows from its rate, its time and its intensity."""
    cells = dict(zip(_HEADER, row.cells, strict=True))
    name, method = cells["Name"], cells["Method"].text
    what = {"AI": "intensity", "Gflops": "rate", "Time": "time"}
    found = {
        column: amount(cells[column].text, cells[column].span, each, problems, zero=True)
        for column, each in what.items()
    }
    intensity, rate, time = (found[column] for column in what)
    if intensity is None or rate is None or time is None:
        return None
    if not name.text:
        problems.append(Diagnostic.at("R1222", "this program has no name", name.span))
        return None
    if method in _MILLISECONDS:
        time /= 1000
    elif not _SECONDS.fullmatch(method):
        notes.append(f"the unit of the time by '{in_a_line(method)[:20]}' is not known: left out")
        return None
    if not time:
        notes.append(f"'{in_a_line(name.text)[:40]}' took no time; it is left out")
        return None
    flops = rate * 10**9 * time
    amounts: dict[str, Fraction] = {"time": time, "flops": flops}
    if intensity:
        amounts["memory.L1"] = flops / intensity
    return Launch(name.text, amounts)
