"""The regions and boundaries of a plane, from what was decided along its columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from roofdsl.answer.regime_map import OUTSIDE, Boundary, Region, Root


@dataclass(frozen=True, slots=True)
class RegimeSlice:
    """The regimes along y at one x: their bounds from the lowest y, and where they begin and end.

    Of n bounds there are n + 1 ends.
    """

    x: float
    bounds: tuple[str, ...]
    ends: tuple[float, ...]


def outline(
    columns: Sequence[RegimeSlice], closed_form: Callable[[RegimeSlice, int], Root | None]
) -> tuple[tuple[Region, ...], tuple[Boundary, ...]]:
    """Return the regions between columns and their boundaries; lines between two are straight.

    `closed_form` is that of a boundary, by a column and the number of it there.
    """
    regions: list[Region] = []
    boundaries: list[Boundary] = []
    runs = [*_runs(columns)]
    for place, run in enumerate(runs):
        before = runs[place - 1][-1] if place else None
        after = runs[place + 1][0] if place + 1 < len(runs) else None
        places = np.array([column.x for column in run])
        ends = np.array([column.ends for column in run])
        bounds = run[0].bounds
        for number, bound in enumerate(bounds):
            regions.append(Region(bound, places, ends[:, number], ends[:, number + 1]))
        for number, (below, above) in enumerate(pairwise(bounds)):
            if OUTSIDE in (below, above):
                continue
            root = closed_form(run[len(run) // 2], number)
            first, last = _beside(run[0], number, before), _beside(run[-1], number, after)
            heights = np.array([*first, *ends[:, number + 1], *last])
            along = np.array([*places[: len(first)], *places, *places[: -len(last) - 1 : -1]])
            boundaries.append(Boundary(below, above, along, heights, root))
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


def _beside(column: RegimeSlice, number: int, other: RegimeSlice | None) -> tuple[float, ...]:
    """Return to where a boundary goes on along its column, if the other there does not have it.

    One of its two bounds holds on in the other column, beside the region of the one that ends, up
    to where the other column has that, too.
    """
    below, above = column.bounds[number : number + 2]
    if other is None or (below, above) in pairwise(other.bounds):
        return ()
    height = column.ends[number + 1]
    met = other.bounds[bisect_right(other.ends[1:-1], height)]
    if met == below:
        starts = [low for low, b in zip(other.ends, other.bounds, strict=False) if b == above]
        return (min(end for end in (column.ends[number + 2], *starts) if end >= height),)
    if met == above:
        stops = [high for high, b in zip(other.ends[1:], other.bounds, strict=True) if b == below]
        return (max(end for end in (column.ends[number], *stops) if end <= height),)
    return ()
