"""What binds along columns of a plane: what its cells leave open is decided further there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.numeric.array_program import Array
from roofdsl.numeric.plane_cells import UNDECIDED, Cells, Codes, box_between
from roofdsl.numeric.plane_program import Boxes

# How far, relatively, the ends of an undecided part may lie apart.
_CLOSE = 1e-10
_ROUNDS = 60
# More parts than this are not followed: what binds changes too often there.
_MOST = 20_000
# One column more stands between two whose codes differ, or whose boundaries are further apart than
# this part of the height, down to this part of the width: a boundary may jump.
_HIGHEST = 1 / 50
_FINEST = 1 / 1000
_NARROW = 2 * _FINEST
# Where a boundary begins or ends between two columns, so many stand between them, so many times:
# they are then as close as 3·10⁻⁸ of the width. More such places than these are not looked for.
_BETWEEN, _TIMES, _PLACES = 7, 5, 60
# What is undecided along no more than this part of the height is where the code changes.
_SEEN = 1 / 2000


class PlaneColumn(NamedTuple):
    """What was decided along y at one x: codes from the lowest y, and where each begins and ends.

    Of n codes there are n + 1 ends.
    """

    x: float
    codes: tuple[int, ...]
    ends: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """Parts of columns: the number of the column, the ends of y, and the code of each."""

    column: NDArray[np.int64]
    low: Array
    high: Array
    codes: Codes

    def where(self, chosen: NDArray[np.bool_ | np.intp]) -> _Parts:
        low, high = self.low[chosen], self.high[chosen]
        return _Parts(self.column[chosen], low, high, self.codes[chosen])

    @classmethod
    def joined(cls, parts: Sequence[_Parts]) -> _Parts:
        return cls(
            np.concatenate([each.column for each in parts]),
            np.concatenate([each.low for each in parts]),
            np.concatenate([each.high for each in parts]),
            np.concatenate([each.codes for each in parts]),
        )


def columns_of(
    cells: Cells, decide: Callable[[Boxes], Codes], places: Iterable[float]
) -> list[PlaneColumn]:
    """Return the columns at some x, and those between that a picture needs, from the left."""
    found = {column.x: column for column in _decided(cells, decide, [*places])}
    height = float(cells.y[-1] / cells.y[0])
    width = float(cells.x[-1] / cells.x[0])
    waiting = [*pairwise(sorted(found.values()))]
    while waiting:
        wanted = [(one, other) for one, other in waiting if _far(one, other, height, width)]
        middles = [float(np.sqrt(one.x) * np.sqrt(other.x)) for one, other in wanted]
        between = _decided(cells, decide, middles)
        found |= {column.x: column for column in between}
        rows = zip(wanted, between, strict=True)
        waiting = [pair for (one, other), new in rows for pair in ((one, new), (new, other))]
    return [*_seen(_ended(cells, decide, sorted(found.values())), width)]


def _ended(
    cells: Cells, decide: Callable[[Boxes], Codes], columns: list[PlaneColumn]
) -> list[PlaneColumn]:
    """Return the columns, with more where their codes change, so that two such are close."""
    differing = _changes(columns)
    for _ in range(_TIMES):
        if not 0 < len(differing) <= _PLACES:
            break
        rows = [np.geomspace(one.x, other.x, _BETWEEN + 2)[1:-1] for one, other in differing]
        between = iter(_decided(cells, decide, np.concatenate(rows).tolist()))
        found = [[one, *islice(between, _BETWEEN), other] for one, other in differing]
        differing = [pair for row in found for pair in _changes(row)]
        columns = sorted({*columns, *(column for pair in differing for column in pair)})
    return columns


def _changes(columns: Sequence[PlaneColumn]) -> list[tuple[PlaneColumn, PlaneColumn]]:
    return [(one, other) for one, other in pairwise(columns) if one.codes != other.codes]


def _seen(columns: Sequence[PlaneColumn], width: float) -> Iterator[PlaneColumn]:
    """Yield the columns, single ones that are undecided, as on a jump, like the one beside them."""
    for number, column in enumerate(columns):
        beside = [*columns[max(0, number - 1) : number], *columns[number + 1 : number + 2]]
        near = all(max(x, column.x) <= min(x, column.x) * width**_NARROW for x, *_ in beside)
        alone = all(UNDECIDED not in each.codes for each in beside)
        thin = near and alone and UNDECIDED in column.codes
        yield beside[-1]._replace(x=column.x) if thin else column


def _far(one: PlaneColumn, other: PlaneColumn, height: float, width: float) -> bool:
    """Whether a column is missing between two."""
    if other.x / one.x <= width**_FINEST:
        return False
    if one.codes != other.codes:
        return True
    pairs = zip(one.ends, other.ends, strict=True)
    return any(max(pair) > height**_HIGHEST * min(pair) for pair in pairs)


def _decided(
    cells: Cells, decide: Callable[[Boxes], Codes], places: Sequence[float]
) -> list[PlaneColumn]:
    if not places:
        return []
    rows = []
    for number, place in enumerate(places):
        lines, codes = cells.column(place)
        # Of a boundary that is upright many cells above each other are undecided.
        starts = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1])
        stops = np.append(starts[1:], len(codes)) - 1
        low, high = cells.y[lines[starts, 0]], cells.y[lines[stops, 1]]
        rows.append(_Parts(np.full(len(starts), number), low, high, codes[starts]))
    parts = _Parts.joined(rows)
    x = np.array(places)
    done = [parts.where(parts.codes != UNDECIDED)]
    left = parts.where(parts.codes == UNDECIDED)
    for _ in range(_ROUNDS):
        wide = left.high > left.low * (1 + _CLOSE)
        if not 0 < 2 * wide.sum() <= _MOST:
            break
        done.append(left.where(~wide))
        left = left.where(wide)
        middle = np.sqrt(left.low) * np.sqrt(left.high)
        column = np.tile(left.column, 2)
        low, high = np.concatenate([left.low, middle]), np.concatenate([middle, left.high])
        codes = decide(box_between((x[column], x[column]), (low, high)))
        halves = _Parts(column, low, high, codes)
        done.append(halves.where(codes != UNDECIDED))
        left = halves.where(codes == UNDECIDED)
    every = _Parts.joined([*done, left])
    order = np.lexsort((every.low, every.column))
    ends = np.searchsorted(every.column[order], np.arange(len(places) + 1))
    seen = float(cells.y[-1] / cells.y[0]) ** _SEEN
    return [
        _column(place, every.where(order[start:stop]), seen)
        for place, (start, stop) in zip(places, pairwise(ends.tolist()), strict=True)
    ]


def _column(place: float, parts: _Parts, seen: float) -> PlaneColumn:
    """Return a column, each run of one code taken together; what is too short to be seen left out.

    Two codes meet in the middle of what is left out between them.
    """
    runs: list[tuple[int, float, float]] = []
    for code, low, high in _runs(parts):
        if code == UNDECIDED and high <= low * seen:
            continue
        if runs and runs[-1][0] == code:
            runs[-1] = (code, runs[-1][1], high)
        else:
            runs.append((code, low, high))
    bottom, top = float(parts.low[0]), float(parts.high[-1])
    if not runs:
        runs = [(UNDECIDED, bottom, top)]
    between = [(one[2] + other[1]) / 2 for one, other in pairwise(runs)]
    return PlaneColumn(place, tuple(run[0] for run in runs), (bottom, *between, top))


def _runs(parts: _Parts) -> Iterator[tuple[int, float, float]]:
    changes = np.flatnonzero(np.diff(parts.codes)) + 1
    bounds = [0, *changes.tolist(), len(parts.codes)]
    for start, stop in pairwise(bounds):
        yield int(parts.codes[start]), float(parts.low[start]), float(parts.high[stop - 1])
