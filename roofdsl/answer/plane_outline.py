"""The regions and boundaries of a plane, from what was decided along its columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from roofdsl.answer.regime_map import OUTSIDE, Boundary, Region, Root

# Part of the height that can be seen.
_SEEN = 1 / 2000


@dataclass(frozen=True, slots=True)
class RegimeSlice:
    """The regimes along y at one x: their bounds from the lowest y, and where they begin and end.

    Of n bounds there are n + 1 ends.
    """

    x: float
    bounds: tuple[str, ...]
    ends: tuple[float, ...]


class _Upright(NamedTuple):
    """A boundary at one x, between the bounds at its left and at its right."""

    x: float
    left: str
    right: str
    low: float
    high: float

    def continues(self, below: str, above: str, height: float) -> bool:
        """Whether a boundary between two such bounds goes on along this one."""
        return {self.left, self.right} == {below, above} and height in (self.low, self.high)

    def from_end(self, height: float) -> float:
        """Return the end that is not at such a height."""
        return self.high if height == self.low else self.low


def outline(
    columns: Sequence[RegimeSlice], closed_form: Callable[[RegimeSlice, int], Root | None]
) -> tuple[tuple[Region, ...], tuple[Boundary, ...]]:
    """Return the regions between columns and their boundaries; lines between two are straight.

    `closed_form` is that of a boundary, by a column and the number of it there.
    """
    regions: list[Region] = []
    boundaries: list[Boundary] = []
    runs = [*_runs(columns)]
    joints = [[], *(_upright(one[-1], other[0]) for one, other in pairwise(runs)), []]
    continued: set[_Upright] = set()
    for run, before, after in zip(runs, joints, joints[1:], strict=False):
        places = np.array([column.x for column in run])
        ends = np.array([column.ends for column in run])
        bounds = run[0].bounds
        for number, bound in enumerate(bounds):
            regions.append(Region(bound, places, ends[:, number], ends[:, number + 1]))
        for number, (below, above) in enumerate(pairwise(bounds)):
            if OUTSIDE in (below, above):
                continue
            x, y = places.tolist(), ends[:, number + 1].tolist()
            for joint, end in ((before, 0), (after, -1)):
                height = y[end]
                for each in (one for one in joint if one.continues(below, above, height)):
                    continued.add(each)
                    x.insert(end and len(x), each.x)
                    y.insert(end and len(y), each.from_end(height))
            root = closed_form(run[len(run) // 2], number)
            boundaries.append(Boundary(below, above, np.array(x), np.array(y), root))
    seen = (columns[0].ends[-1] / columns[0].ends[0]) ** _SEEN
    for each in (one for joint in joints for one in joint if one not in continued):
        if each.high > each.low * seen:
            x, y = np.full(2, each.x), np.array([each.low, each.high])
            boundaries.append(Boundary(each.left, each.right, x, y))
    return tuple(regions), tuple(boundaries)


def _runs(columns: Sequence[RegimeSlice]) -> Iterable[list[RegimeSlice]]:
    """Yield runs of columns with the same bounds; two runs meet halfway."""
    run: list[RegimeSlice] = []
    for column in columns:
        if run and column.bounds != run[-1].bounds:
            before = run[-1]
            yield [*run, _halfway(before, column)]
            run = [_halfway(column, before)]
        run.append(column)
    if run:
        yield run


def _halfway(column: RegimeSlice, other: RegimeSlice) -> RegimeSlice:
    """Return a column halfway to another: a boundary that both have goes on to that one."""
    pairs = [*pairwise(column.bounds)]
    others = [*pairwise(other.bounds)]
    ends = [*column.ends]
    for number, pair in enumerate(pairs, 1):
        if pairs.count(pair) == others.count(pair) == 1:
            ends[number] = float(np.sqrt(ends[number] * other.ends[others.index(pair) + 1]))
    return RegimeSlice(float(np.sqrt(column.x * other.x)), column.bounds, tuple(ends))


def _upright(left: RegimeSlice, right: RegimeSlice) -> list[_Upright]:
    """Return the boundaries between two columns at one place, from below."""
    ends = sorted({*left.ends, *right.ends})
    found = []
    for low, high in pairwise(ends):
        one, other = (each.bounds[bisect_right(each.ends, low) - 1] for each in (left, right))
        if one != other and OUTSIDE not in (one, other):
            found.append(_Upright(left.x, one, other, low, high))
    return found
