"""How far rectangles are from lines and from one another, for many places at once.

Rectangles of one size lie along the axes, their centres in rows; segments are rows of four: from x
and y to x and y.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.scale import Array

Truth = NDArray[np.bool_]


def turned(points: Array, angle: float) -> Array:
    """Return points (… × 2) in axes that are turned by an angle in degrees.

    >>> turned(np.array([[0.0, 1.0]]), 90.0).round(6).tolist()
    [[1.0, 0.0]]
    """
    turn = math.radians(angle)
    cosine, sine = math.cos(turn), math.sin(turn)
    return np.asarray(points @ np.array([[cosine, -sine], [sine, cosine]]))


def struck(centres: Array, half: Array, segments: Array) -> Truth:
    """Return which rectangles which segments enter, k × s (Liang and Barsky 1984).

    `half` is half of their width and height, for all or for each.

    >>> struck(np.array([[0.0, 0.0]]), np.array([2.0, 1.0]), np.array([[-5.0, 0, 5, 0]])).item()
    True
    """
    half = half.reshape(-1, 1, 2)
    start = segments[None, :, :2] - centres[:, None]
    direction = (segments[:, 2:] - segments[:, :2])[None]
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second = (-half - start) / direction, (half - start) / direction
    still = np.broadcast_to(direction == 0, start.shape)
    beside = (still & (np.abs(start) > half)).any(axis=2)
    enter = np.where(still, -np.inf, np.minimum(first, second)).max(axis=2)
    leave = np.where(still, np.inf, np.maximum(first, second)).min(axis=2)
    return np.asarray((enter <= leave) & (leave >= 0) & (enter <= 1) & ~beside)


def apart(centres: Array, half: Array, segments: Array) -> Array:
    """Return how far rectangles are from segments, k × s; 0 where one enters the other."""
    ends = segments.reshape(1, -1, 2, 2) - centres[:, None, None]
    beyond = np.maximum(np.abs(ends) - half, 0.0)
    least = np.hypot(beyond[..., 0], beyond[..., 1]).min(axis=2)
    for sign in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
        least = np.minimum(least, from_points(centres + sign * half, segments))
    return np.where(struck(centres, half, segments), 0.0, least)


def from_points(points: Array, segments: Array) -> Array:
    """Return how far points (n × 2) are from segments, n × s.

    >>> from_points(np.array([[3.0, 4.0]]), np.array([[0.0, 0, 0, 1], [0, 4, 9, 4]])).round(6)
    array([[4.242641, 0.      ]])
    """
    start, step = segments[:, :2], segments[:, 2:] - segments[:, :2]
    offset = points[:, None] - start
    squared = np.maximum((step**2).sum(axis=1), 1e-12)
    along = np.clip((offset * step).sum(axis=2) / squared, 0.0, 1.0)
    left = offset - along[..., None] * step
    return np.asarray(np.hypot(left[..., 0], left[..., 1]))


def crossing(first: Array, second: Array) -> Truth:
    """Return which segments cross which others, k × s.

    >>> crossing(np.array([[0.0, 0, 2, 2]]), np.array([[0.0, 2, 2, 0], [5, 5, 6, 5]])).tolist()
    [[True, False]]
    """
    a, b = first[:, None, :2], first[:, None, 2:]
    c, d = second[None, :, :2], second[None, :, 2:]
    return np.asarray((_side(a, b, c) != _side(a, b, d)) & (_side(c, d, a) != _side(c, d, b)))


def _side(start: Array, end: Array, point: Array) -> Truth:
    step, offset = end - start, point - start
    return np.asarray(step[..., 0] * offset[..., 1] > step[..., 1] * offset[..., 0])


def meets(centres: Array, half: Array, angle: float, others: Array) -> Truth:
    """Return which rectangles at an angle share a point with which others, k × n.

    A row of `others` is a centre, half a width and height, and an angle: no side of either
    separates two that meet.

    >>> others = np.array([[9.0, 0, 5, 2, 0], [11, 0, 5, 2, 0], [6, -6, 5, 1, 45]])
    >>> meets(np.array([[0.0, 0.0]]), np.array([5.0, 2.0]), 0.0, others).tolist()
    [[True, False, False]]
    """
    found = np.ones((len(centres), len(others)), dtype=bool)
    for turn in np.unique(others[:, 4]):
        alike = others[:, 4] == turn
        offset = others[None, alike, :2] - centres[:, None]
        theirs, across = others[alike, 2:4], np.radians(turn - angle)
        for seen, own, other in ((angle, half, theirs), (turn, theirs, half)):
            cosine, sine = abs(np.cos(across)), abs(np.sin(across))
            reach = own + other @ np.array([[cosine, sine], [sine, cosine]])
            found[:, alike] &= (np.abs(turned(offset, seen)) <= reach).all(axis=2)
    return found
