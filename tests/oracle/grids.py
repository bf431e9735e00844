"""Whether scaling over grids of processes is what it is said to be, against every grid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import mpmath

from tests.oracle.model import Case
from tests.oracle.numbers import DIGITS, Exact, Undefined
from tests.oracle.sentences import UnreadError, number

_GRID = r"(\d+ × \d+)"
_USEFUL = {
    "last": rf"no count is faster than (\d+) \({_GRID}\), the most the model allows \(proven\)",
    "most": rf"more than (\d+) process(?:es)? \({_GRID}\) never makes? it faster "
    r"\(proven for all grids that the model allows\)",
}
Times = dict[tuple[int, ...], Any]


def wrong_grids(case: Case, text: str, said: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an answer on scaling over two counts that are bounded."""
    with mpmath.workdps(DIGITS):
        times = _times(case, said["sides"])
        best: dict[int, Any] = {}
        for grid, time in times.items():
            best[prod(grid)] = min(time, best.get(prod(grid), time))
        return [*_points(times, best, said), *_useful(best, text, said), *_rows(text, said)]


def _times(case: Case, sides: Sequence[str]) -> Times:
    """Return the time on each grid that is allowed."""
    one, other = (each for name in sides for each in case.parameters if each.name == name)
    ends = [each.high.value(Exact(), {}) for each in (one, other) if each.high is not None]
    found: Times = {}
    for p in range(1, int(ends[0]) + 1):
        for q in range(1, int(ends[1]) + 1):
            values = {**case.given, one.name: Fraction(p), other.name: Fraction(q)}
            try:
                values = case.completed(Exact(), values)
                if case.accepts(values):
                    spent = case.root.run(case.machine, Exact(), values).time
                    found[p, q] = mpmath.mpf(1) * spent
            except Undefined:
                continue
    return found


def _points(times: Times, best: Mapping[int, Any], said: Mapping[str, Any]) -> Iterator[str]:
    base = min(best)
    if said["base"] != base:
        yield f"the fewest allowed are {base}, not {said['base']}"
    for point in said["points"]:
        count, grid = point["processes"], tuple(point["grid"])
        if prod(grid) != count or grid not in times:
            yield f"{point}: no such grid is allowed"
            continue
        speedup = best[base] / best[count]
        wanted = best[count], speedup, base * speedup / count
        for name, value in zip(("time", "speedup", "efficiency"), wanted, strict=True):
            if abs(value / mpmath.mpf(point[name]) - 1) > 1e-12:
                yield f"{name} of {count} is {value}, not {point[name]}"
        if times[grid] > best[count] * (1 + mpmath.mpf(10) ** -12):
            yield f"{grid} is not the fastest grid of {count}"
    shown = {point["processes"] for point in said["points"]}
    if left := {2**k for k in range(12)} & {*best} - shown:
        yield f"{left} are allowed, and not shown"


def _useful(best: Mapping[int, Any], text: str, said: Mapping[str, Any]) -> Iterator[str]:
    most = max(best)
    least = min(best, key=lambda count: (best[count], count))
    if (said["most_useful"], said["complete"]) != (least, True):
        yield f"{least} are the most useful, not {said['most_useful']}"
    for kind, pattern in _USEFUL.items():
        if match := re.search(rf"^{pattern}$", text, re.MULTILINE):
            grid = [int(side) for side in match[2].split(" × ")]
            if int(match[1]) != least or prod(grid) != least or (kind == "last" and least != most):
                yield f"'{match[0]}': {least} of {most} are the most useful"
            return
    raise UnreadError(text)


def _rows(text: str, said: Mapping[str, Any]) -> Iterator[str]:
    """Yield where the table says anything else than the values."""
    table = next(block for block in text.split("\n\n") if block.startswith("strong scaling"))
    for row, point in zip(table.splitlines()[2:], said["points"], strict=True):
        count, grid, *cells = re.split(r"  +", row.strip())
        if (int(count), grid) != (point["processes"], " × ".join(map(str, point["grid"]))):
            yield f"'{row}' is printed for {point}"
        values = [point["time"], point["speedup"], 100 * point["efficiency"]]
        for cell, value in zip(cells, values, strict=True):
            if abs(float(number(cell.removesuffix(" %"), False).middle) - value) > 6e-3 * value:
                yield f"{cell} is printed for {value}"
