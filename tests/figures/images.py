"""How far apart two pictures are, so that other versions of libraries differ by little."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np
from matplotlib.image import imread
from numpy.typing import NDArray

Image = NDArray[np.float64]

TILE = 12
"""The side of a tile, in pixels of 1/100 in: a little more than a line of text is high."""


def halved(image: Image) -> Image:
    """Return an image of half as many pixels on a side, each the mean of four."""
    height, width = (size // 2 * 2 for size in image.shape[:2])
    cut = image[:height, :width]
    return np.asarray(cut.reshape(height // 2, 2, width // 2, 2, -1).mean(axis=(1, 3)))


def read(file: Path | BinaryIO) -> Image:
    """Return the pixels of a PNG file, red, green and blue from 0 to 1."""
    return np.asarray(imread(file), float)[..., :3]


def difference(first: Image, second: Image) -> float:
    """Return how much the mean colour of a tile differs where it does most, 0 to 1.

    Tiles overlap by half, and each may lie two pixels off. A letter that is hinted otherwise, or a
    line that is a pixel off, leaves as much ink in a tile; what moved, is gone or has another
    colour does not. Pictures of other sizes, by more than two pixels, differ by 1.
    """
    sizes = np.array([first.shape[:2], second.shape[:2]])
    if (np.abs(sizes[0] - sizes[1]) > 2).any():
        return 1.0
    height, width = sizes.min(axis=0)
    wanted = _means(first[2 : height - 2, 2 : width - 2])
    found = [
        np.abs(wanted - _means(second[2 + up : height - 2 + up, 2 + along : width - 2 + along]))
        for up in range(-2, 3)
        for along in range(-2, 3)
    ]
    return float(np.min([each.max(axis=-1) for each in found], axis=0).max())


def _means(image: Image) -> Image:
    """Return the mean colour of each tile."""
    sums = np.pad(image, ((1, 0), (1, 0), (0, 0))).cumsum(axis=0).cumsum(axis=1)
    height, width = image.shape[:2]
    up, across = (np.arange(0, size - TILE + 1, TILE // 2) for size in (height, width))
    low, high = np.ix_(up, across), np.ix_(up + TILE, across + TILE)
    left, below = np.ix_(up + TILE, across), np.ix_(up, across + TILE)
    return np.asarray((sums[high] - sums[left] - sums[below] + sums[low]) / TILE**2)
