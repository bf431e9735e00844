"""Launches of kernels as they were measured, added up and written as a table of points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import listing
from roofdsl.importers.given import Given, Imported
from roofdsl.inert import csv_cell, in_a_line

_SHORT = 17
"""Digits up to which a number is written as it is; a longer one is that of a double."""
_UNITS = {"time": "s", "flops": "flop", "memory": "B", "network": "B"}
_FIRST = ("time", "flops", "memory", "network")


class Launch(NamedTuple):
    """One run of a kernel: what is known of it, by column, in SI base units.

    Columns are `time`, `flops`, `memory`, `network`, and `memory.L2` and such for the levels.
    """

    kernel: str
    amounts: Mapping[str, Fraction]


def points(
    given: Given, launches: Sequence[Launch], tool: str, notes: Sequence[str], *, each: bool = False
) -> Imported:
    """Return launches as a table of points, those of one kernel added up unless `each` is set.

    What is not known of all launches of a kernel stays empty, and is said in a note.

    >>> from pathlib import Path
    >>> half = {"time": Fraction(1, 2), "flops": Fraction(6)}
    >>> two = [Launch("triad", half), Launch("triad", half)]
    >>> made = points(Given(Path("a.csv"), "a.csv", b""), two, "a tool", ())
    >>> print(made.text.partition("\\n")[2], end="")
    kernel,calls,time [s],flops [flop]
    triad,2,1,12
    """
    found = [*_apart(launches)] if each else _together(launches)
    columns = _columns(launches)
    head = ",".join(["kernel", "calls", *(f"{name} [{_unit(name)}]" for name in columns)])
    lines = [f"# {given.source}: {in_a_line(tool)}", head]
    left_out: list[str] = []
    for kernel, runs in found:
        cells = [_text(kernel), str(len(runs))]
        for name in columns:
            known = [run.amounts[name] for run in runs if name in run.amounts]
            cells.append(_number(sum(known, Fraction(0))) if len(known) == len(runs) else "")
            if known and len(known) < len(runs):
                left_out.append(
                    f"'{in_a_line(kernel)}': {name} is known of {len(known)} of its {len(runs)} "
                    "launches, and left out"
                )
        lines.append(",".join(cells))
    return Imported("\n".join(lines) + "\n", (*notes, *left_out))


def unused(names: Iterable[str], what: str) -> list[str]:
    """Return the note on what a file has beside what is used, none where there is nothing.

    >>> unused(["a", "b", "a"], "column")
    ["2 columns are not used: 'a' and 'b'"]
    """
    some = [in_a_line(name) for name in dict.fromkeys(names) if name]
    if not some:
        return []
    one = len(some) == 1
    subject = f"1 {what} is" if one else f"{len(some)} {what}s are"
    return [f"{subject} not used: {listing(some)}"]


def _together(launches: Iterable[Launch]) -> list[tuple[str, list[Launch]]]:
    found: dict[str, list[Launch]] = {}
    for launch in launches:
        found.setdefault(launch.kernel, []).append(launch)
    return list(found.items())


def _apart(launches: Sequence[Launch]) -> Iterator[tuple[str, list[Launch]]]:
    """Yield each launch alone; of several by one name each is numbered: `triad #2`."""
    counts = {name: len(runs) for name, runs in _together(launches)}
    seen: dict[str, int] = {}
    for launch in launches:
        number = seen[launch.kernel] = seen.get(launch.kernel, 0) + 1
        name = f"{launch.kernel} #{number}" if counts[launch.kernel] > 1 else launch.kernel
        yield name, [launch]


def _columns(launches: Iterable[Launch]) -> list[str]:
    names = dict.fromkeys(name for launch in launches for name in launch.amounts)
    levels = sorted(name for name in names if name not in _FIRST)
    return (
        [name for name in _FIRST[:3] if name in names]
        + levels
        + (["network"] if "network" in names else [])
    )


def _unit(column: str) -> str:
    return _UNITS[column.partition(".")[0]]


def _text(kernel: str) -> str:
    """Return a name as a cell; quoted where it would end a cell, or the row be taken for a note."""
    shown = csv_cell(in_a_line(kernel))
    if any(char in shown for char in '",') or shown.startswith("#") or shown != shown.strip():
        return '"' + shown.replace('"', '""') + '"'
    return shown


def _number(value: Fraction) -> str:
    """Return a number without loss where it is short, else that of the closest double."""
    if value.denominator == 1 and abs(value.numerator) < 10**_SHORT:
        return str(value.numerator)
    return repr(float(value))
