"""Pieces of a plane that its cells leave undecided, and whether a boundary goes through each."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.numeric.plane_cells import UNDECIDED, Cells, Codes

_Numbers: TypeAlias = NDArray[np.int64]
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))
_TOUCHING = ((1, 0), (0, 1), (1, 1), (1, -1))
# Numbers of lines are less.
_MOST = 2**31


def enclose_boundaries(cells: Cells) -> bool:
    """Whether each piece of what is undecided lies between cells of different codes.

    Cells that touch, if at a corner alone, are of one piece. Between two codes the code changes.
    """
    # What is undecided was quartered to the last: each is one of the finest cells.
    places = cells.places[cells.codes == UNDECIDED, :2].astype(np.int64)
    piece = _pieces(places)
    limits = np.iinfo(np.int8)
    least = np.full(len(places), limits.max, np.int8)
    most = np.full(len(places), limits.min, np.int8)
    for side in _SIDES:
        codes = _codes_at(cells, places + side)
        known = codes != UNDECIDED
        np.minimum.at(least, piece[known], codes[known])
        np.maximum.at(most, piece[known], codes[known])
    own = np.unique(piece)
    return bool((least[own] < most[own]).all())


def _pieces(places: _Numbers) -> _Numbers:
    """Return for each of the finest cells the number of one that stands for its piece."""
    ways = [(np.arange(len(places)), _among(places, places + step)) for step in _TOUCHING]
    pairs = [(here[there >= 0], there[there >= 0]) for here, there in ways]
    piece = np.arange(len(places))
    while True:
        before = piece.copy()
        for one, other in pairs:
            first, second = piece[one], piece[other]
            np.minimum.at(piece, np.maximum(first, second), np.minimum(first, second))
        while (piece[piece] != piece).any():
            piece = piece[piece]
        if (piece == before).all():
            return piece


def _codes_at(cells: Cells, places: _Numbers) -> Codes:
    """Return the codes of the cells that some of the finest lie in; beyond the plane, none."""
    found = np.full(len(places), UNDECIDED, np.int8)
    sizes = cells.places[:, 2]
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        place = _among(cells.places[own, :2].astype(np.int64), places // size * size)
        found[place >= 0] = cells.codes[own[place[place >= 0]]]
    return found


def _among(places: _Numbers, wanted: _Numbers) -> _Numbers:
    """Return the number of each wanted place among some, -1 where it is not there."""
    keys, asked = (x * _MOST + y for x, y in (places.T, wanted.T))
    order = np.argsort(keys)
    at = np.minimum(np.searchsorted(keys[order], asked), max(0, len(keys) - 1))
    if not len(keys):
        return np.full(len(asked), -1)
    return np.where(keys[order[at]] == asked, order[at], -1)
