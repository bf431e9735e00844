"""Pieces of what cells leave undecided: as a flood over the finest cells finds them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from roofdsl.numeric.plane_cells import UNDECIDED, Cells, Codes, cells_of
from roofdsl.numeric.plane_pieces import enclose_boundaries
from roofdsl.numeric.plane_program import Boxes

SHAPE = 48, 32  # 12 by 8 cells, quartered twice


def cut(codes: NDArray[np.int8]) -> Cells:
    """Return the cells of a plane whose finest ones have such codes."""

    def decide(boxes: Boxes) -> Codes:
        found = np.full(len(boxes.x[0]), UNDECIDED, np.int8)
        lines = [np.rint(np.log2(each)).astype(int) for each in (*boxes.x, *boxes.y)]
        for number, (left, right, low, high) in enumerate(zip(*lines, strict=True)):
            inside = np.unique(codes[left:right, low:high])
            found[number] = inside[0] if len(inside) == 1 else UNDECIDED
        return found

    return cells_of(decide, (1.0, 2.0**48), (1.0, 2.0**32), lambda *_: True, levels=2)


def flooded(codes: NDArray[np.int8]) -> bool:
    """Whether each piece has two codes at its sides at least, by going from cell to cell."""
    left = {(x, y) for x, y in np.argwhere(codes == UNDECIDED).tolist()}
    while left:
        found, waiting = set[int](), [left.pop()]
        while waiting:
            x, y = waiting.pop()
            for i, j in ((x + step[0] - 1, y + step[1] - 1) for step in np.ndindex(3, 3)):
                if (i, j) in left:
                    left.remove((i, j))
                    waiting.append((i, j))
                elif (i == x or j == y) and i in range(SHAPE[0]) and j in range(SHAPE[1]):
                    found.add(int(codes[i, j]))
        if len(found - {UNDECIDED}) < 2:
            return False
    return True


@pytest.mark.parametrize("seed", range(12))
def test_each_piece_is_between_two_codes_or_is_said_not_to_be(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = np.indices(SHAPE)
    falling, rising = x + y - random.integers(20, 60), x - y - random.integers(-10, 30)
    codes = np.where(falling < 0, 0, np.where(rising < 0, 1, -3)).astype(np.int8)
    codes[(np.abs(falling) < 2) | ((falling > 0) & (np.abs(rising) < 2))] = UNDECIDED
    assert flooded(codes) and enclose_boundaries(cut(codes))
    codes[tuple(random.integers(0, SHAPE))] = UNDECIDED
    assert enclose_boundaries(cut(codes)) == flooded(codes)


def test_a_piece_within_one_code_encloses_no_boundary() -> None:
    codes = np.zeros(SHAPE, np.int8)
    assert enclose_boundaries(cut(codes))
    codes[20:22, 10:13] = UNDECIDED
    assert not enclose_boundaries(cut(codes))
    codes[:, 12:] = 1
    assert enclose_boundaries(cut(codes))
