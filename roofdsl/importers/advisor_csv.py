"""Intel Advisor: a row for each loop, as its Python API or its report writes them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.counter_table import cut_off, find_table, first_with, no_table
from roofdsl.importers.decimals import Written, decimal_sign, no_number, read_number
from roofdsl.importers.given import Given, Import
from roofdsl.importers.points import Launch, points, unused
from roofdsl.located_csv import LocatedCell, LocatedRow
from roofdsl.reading import as_text

LARGEST = 16_000_000
TOOL = "Intel Advisor"
_MOST_PROBLEMS = 20
_GIGA = 10**9
_NAMES = ("loop_name", "function_call_sites_and_loops")
_PERFORMANCE = "self_gflops"
_NUMBERS = (
    "self_ai", "self_arithmetic_intensity", _PERFORMANCE, "self_time", "self_elapsed_time",
    "self_gflop", "self_memory_gb", "self_l2_gb", "self_l3_gb", "self_dram_gb",
)  # fmt: skip
_LEVELS = {"self_dram_gb": "memory", "self_l2_gb": "memory.L2", "self_l3_gb": "memory.L3"}

_OF_CORES = (
    "memory.L1 is what the cores load and store, by which Advisor gives its intensities: "
    "draw it with --level L1"
)
_OF_THREADS = (
    "self_time is added up over threads: where there are several, export self_elapsed_time too"
)


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its header has loops and their GFLOPS."""
    del name  # it may be called as its user likes
    first = head.decode("utf-8", "replace")
    return any(_is_header([_plain(x) for x in line.split(",")]) for line in first.splitlines()[:20])


def read(given: Given) -> Import:
    """Return the loops of a file as points, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    table = find_table(source, lambda names: _is_header([_plain(name) for name in names]))
    if table is None:
        return None, (no_table(source, TOOL, "loop_name, self_ai, self_gflops, self_time"),)
    if cut := cut_off(source):
        return None, (cut,)
    problems: list[Diagnostic] = []
    loops: list[dict[str, LocatedCell]] = []
    for row in table.rows:
        if misfit := table.misfit(row):
            problems.append(misfit)
        else:
            loops.append({_plain(name): cell for name, cell in table.by_name(row).items()})
        if len(problems) >= _MOST_PROBLEMS:
            break
    if problems:
        return None, tuple(problems)
    return _points(given, table.header, loops)


def _points(given: Given, header: LocatedRow, loops: list[dict[str, LocatedCell]]) -> Import:
    cells = (loop[name] for loop in loops for name in _NUMBERS if name in loop)
    sign = decimal_sign(
        (Written(cell.text, cell.span) for cell in cells if cell.text), given.decimal
    )
    if isinstance(sign, Diagnostic):
        return None, (sign,)
    notes: dict[str, None] = {}
    problems: list[Diagnostic] = []
    launches: list[Launch] = []
    for loop in loops:
        name = first_with(loop, *_NAMES)
        assert name is not None  # the header has one
        if not name.text:
            problems.append(Diagnostic.at("R1231", "this loop has no name", name.span))
        values = _values(loop, sign, problems)
        launches.append(Launch(name.text, _amounts(values, notes)))
    if not problems and not any(launch.amounts for launch in launches):
        message = "no loop has a time or GFLOPS"
        problems.append(
            Diagnostic.at("R1236", message, header.span, hint="collect trip counts and FLOP")
        )
    if problems:
        return None, tuple(problems[:_MOST_PROBLEMS])
    names = [_plain(cell.text) for cell in header.cells]
    notes.update(
        dict.fromkeys(unused((x for x in names if x not in (*_NUMBERS, *_NAMES)), "column"))
    )
    return points(given, launches, TOOL, [*notes], each=given.each), ()


def _values(
    loop: Mapping[str, LocatedCell], sign: str, problems: list[Diagnostic]
) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    for name in _NUMBERS:
        cell = loop.get(name)
        if cell is None or not cell.text:
            continue
        written = Written(cell.text, cell.span)
        number = read_number(written, sign)
        if number is None:
            problems.append(no_number(written, name))
        else:
            found[name] = number
    return found


def _amounts(values: Mapping[str, Fraction], notes: dict[str, None]) -> dict[str, Fraction]:
    """Return what is known of a loop: flop = GFLOPS · time, bytes = flop / intensity."""
    found: dict[str, Fraction] = {}
    time = values.get("self_elapsed_time", values.get("self_time"))
    if time is not None:
        found["time"] = time
        if "self_elapsed_time" not in values:
            notes[_OF_THREADS] = None
    flops = values.get("self_gflop")
    if flops is None and time is not None and _PERFORMANCE in values:
        flops = values[_PERFORMANCE] * time
    if flops is not None:
        found["flops"] = flops * _GIGA
    for column, level in _LEVELS.items():
        if column in values:
            found[level] = values[column] * _GIGA
    intensity = values.get("self_ai", values.get("self_arithmetic_intensity"))
    if "self_memory_gb" in values:
        found["memory.L1"] = values["self_memory_gb"] * _GIGA
    elif intensity and flops is not None:
        found["memory.L1"] = flops * _GIGA / intensity
    if "memory.L1" in found:
        notes[_OF_CORES] = None
    return found


def _is_header(names: list[str]) -> bool:
    return any(name in names for name in _NAMES) and _PERFORMANCE in names


def _plain(name: str) -> str:
    """Return a column's name as the API calls it: `Self GFLOPS` is `self_gflops`."""
    return name.strip().strip('"').lower().replace(" ", "_")
