"""Sparse LU by nested dissection, against an elimination of the grid, unknown by unknown."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

import roofdsl as rd

Box = tuple[tuple[int, int], ...]
Point = tuple[int, ...]


def planes(box: Box) -> Iterator[list[Point]]:
    """Yield the points of a box by the planes that dissect it, the innermost first."""
    lengths = [high - low for low, high in box]
    if min(lengths) == 0:
        return
    axis = lengths.index(max(lengths))
    low, high = box[axis]
    middle = (low + high) // 2

    def part(first: int, last: int) -> Box:
        return tuple((first, last) if at == axis else ends for at, ends in enumerate(box))

    yield from planes(part(low, middle))
    yield from planes(part(middle + 1, high))
    yield [*product(*(range(*ends) for ends in part(middle, middle + 1)))]


@cache
def eliminated(side: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the pivots of each plane, and of each pivot the unknowns that its elimination updates.

    What a pivot updates are its neighbours that come later, and what the pivots update whose first
    one it is: the tree of elimination.
    """
    order = [*planes(((0, side),) * 3)]
    place = {point: at for at, point in enumerate(p for plane in order for p in plane)}
    updated: list[set[int]] = []
    first_of: dict[int, list[int]] = {}
    for (x, y, z), at in place.items():
        near = [(x - 1, y, z), (x + 1, y, z), (x, y - 1, z), (x, y + 1, z), (x, y, z - 1)]
        found = {place.get(point, -1) for point in [*near, (x, y, z + 1)]}
        found = found.union(*(updated[child] for child in first_of.pop(at, [])))
        updated.append({other for other in found if other > at})
        if updated[at]:
            first_of.setdefault(min(updated[at]), []).append(at)
    return tuple(map(len, order)), tuple(map(len, updated))


def dense(pivots: int, rows: int) -> int:
    """Return the operations of some pivots of a dense LU: a division of each row, then updates."""
    return sum((rows - k) + 2 * (rows - k) ** 2 for k in range(1, pivots + 1))


LU = rd.load_model("sparse_lu").on(rd.load_machine("blue_waters_xe"))


@pytest.mark.parametrize("side", [3, 7, 15])
def test_fronts_are_those_of_the_elimination(side: int) -> None:
    pivots, updated = eliminated(side)
    operations = words = done = 0
    for count in pivots:
        done += count
        rows = count + updated[done - 1]  # what the last pivot of a plane updates is its border
        operations += dense(count, rows)
        words += 2 * rows**2
    result = LU.evaluate(side=side, ranks=1)
    assert result.flops == pytest.approx(operations, rel=1e-12)
    assert result.memory == pytest.approx(8 * words, rel=1e-12)


@pytest.mark.parametrize(("side", "more"), [(7, 0.13), (15, 0.08), (22, 0.06)])
def test_fronts_are_little_more_than_what_is_not_zero(side: int, more: float) -> None:
    _, updated = eliminated(side)
    operations = sum(count + 2 * count**2 for count in updated)
    assert operations < LU.evaluate(side=side).flops < (1 + more) * operations
