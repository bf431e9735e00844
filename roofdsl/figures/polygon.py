"""Convex polygons cut by straight lines: regions of a plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Corners = NDArray[np.float64]


def rectangle(low: tuple[float, float], high: tuple[float, float]) -> Corners:
    """Return the corners of a rectangle, counter-clockwise."""
    return np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=float)


def cut(corners: ArrayLike, along_x: float, along_y: float, least: float) -> Corners:
    """Return the part of a convex polygon where along_x·x + along_y·y ≥ least.

    Sutherland and Hodgman 1974, for one line; empty where nothing is left.

    >>> cut(rectangle((0.0, 0.0), (2.0, 2.0)), 1.0, 0.0, 1.0).tolist()
    [[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]
    """
    polygon = np.asarray(corners, dtype=float).reshape(-1, 2)
    depth = polygon @ np.array([along_x, along_y]) - least
    kept: list[NDArray[np.float64]] = []
    for index in range(len(polygon)):
        before = index - 1
        if (depth[index] >= 0) != (depth[before] >= 0):
            part = depth[before] / (depth[before] - depth[index])
            kept.append(polygon[before] + part * (polygon[index] - polygon[before]))
        if depth[index] >= 0:
            kept.append(polygon[index])
    return np.array(kept).reshape(-1, 2)


def area(corners: Corners) -> float:
    """Return the area of a polygon.

    >>> area(rectangle((0.0, 0.0), (2.0, 4.0)))
    8.0
    """
    x, y = corners[:, 0], corners[:, 1]
    return abs(float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum() / 2))
