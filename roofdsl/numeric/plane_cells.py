"""A plane of two numbers in cells, each decided as a whole; what is undecided is quartered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.numeric.array_program import Array
from roofdsl.numeric.plane_program import Boxes

Codes: TypeAlias = NDArray[np.int8]
UNDECIDED = -1
_ACROSS, _UP = 12, 8
# Boxes that are decided at once: what they take stays in a processor's cache.
_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """A plane in cells: `x` and `y` are the finest lines, evenly spaced in logarithms.

    Of each cell `places` are the numbers of its lowest lines and how many of the finest cells it is
    wide and high (n × 3), and `codes` what it was decided to be, `UNDECIDED` if nothing. Both its
    ends belong to it.
    """

    x: Array
    y: Array
    places: NDArray[np.int32]
    codes: Codes

    @property
    def share(self) -> float:
        """How much of the plane is decided, measured in logarithms."""
        areas = self.places[:, 2].astype(float) ** 2
        decided = areas[self.codes != UNDECIDED].sum()
        return float(decided / ((len(self.x) - 1) * (len(self.y) - 1)))

    def column(self, place: float) -> tuple[NDArray[np.int32], Codes]:
        """Return the cells that a value of x lies in, from below: their lines, and their codes."""
        last = len(self.x) - 2
        number = np.clip(np.searchsorted(self.x, place, "right") - 1, 0, last)
        first, size = self.places[:, 0], self.places[:, 2]
        own = np.flatnonzero((first <= number) & (number < first + size))
        own = own[np.argsort(self.places[own, 1])]
        lines = np.stack([self.places[own, 1], self.places[own, 1] + size[own]], axis=1)
        return lines, self.codes[own]


def cells_of(
    decide: Callable[[Boxes], Codes],
    x: tuple[float, float],
    y: tuple[float, float],
    may_go_on: Callable[[int, float], bool],
    levels: int = 14,
) -> Cells:
    """Cut a plane into cells, as long as `may_go_on`; at most `levels` times they are quartered.

    It is asked before so many more boxes are looked at, and told the share that is undecided.
    """
    lines = _lines(*x, _ACROSS), _lines(*y, _UP)
    across, up = (each.ravel() for each in np.indices((_ACROSS, _UP), np.int32))
    found: list[tuple[int, NDArray[np.int32], Codes]] = []
    for level in range(levels + 1):
        codes = np.empty(len(across), np.int8)
        for start in range(0, len(across), _BLOCK):
            part = slice(start, start + _BLOCK)
            codes[part] = decide(_boxes(lines, across[part], up[part]))
        left = codes == UNDECIDED
        share = float(left.sum()) / ((len(lines[0]) - 1) * (len(lines[1]) - 1))
        last = level == levels or not may_go_on(4 * int(left.sum()), share)
        kept = np.ones(len(codes), np.bool_) if last else ~left
        found.append((level, np.stack([across[kept], up[kept]], axis=1), codes[kept]))
        if last:
            break
        across, up = (np.repeat(2 * each[left], 4) for each in (across, up))
        across += np.tile(np.array([0, 0, 1, 1], np.int32), left.sum())
        up += np.tile(np.array([0, 1, 0, 1], np.int32), left.sum())
        lines = _halved(lines[0]), _halved(lines[1])
    rows = []
    for own, corners, _ in found:
        size = 2 ** (level - own)
        rows.append(np.column_stack([corners * size, np.full(len(corners), size, np.int32)]))
    return Cells(*lines, np.concatenate(rows), np.concatenate([codes for *_, codes in found]))


def _lines(low: float, high: float, count: int) -> Array:
    lines = np.geomspace(low, high, count + 1)
    lines[0], lines[-1] = low, high
    return lines


def _halved(lines: Array) -> Array:
    """Return the lines with one between each two, the same whatever cell it bounds."""
    between = np.sqrt(lines[:-1]) * np.sqrt(lines[1:])
    found = np.empty(2 * len(lines) - 1)
    found[::2], found[1::2] = lines, between
    return found


def _boxes(lines: tuple[Array, Array], across: NDArray[np.int32], up: NDArray[np.int32]) -> Boxes:
    x, y = ((each[place], each[place + 1]) for each, place in zip(lines, (across, up), strict=True))
    return box_between(x, y)


def box_between(x: tuple[Array, Array], y: tuple[Array, Array]) -> Boxes:
    """Return boxes with sides between such ends."""
    middles = (np.clip(np.sqrt(low) * np.sqrt(high), low, high) for low, high in (x, y))
    across, up = middles
    return Boxes(x, y, (across, up))
