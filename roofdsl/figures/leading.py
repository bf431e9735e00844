"""Places for labels off what they are about, each with the line that leads to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofdsl.figures.scale import Array

_ANGLES = (90.0, 60.0, 120.0, -90.0, -60.0, -120.0, 30.0, 150.0, -30.0, -150.0, 0.0, 180.0)
_LENGTHS = (9.0, 13.0, 18.0, 24.0, 32.0, 42.0, 54.0, 70.0, 90.0, 115.0, 145.0)
# Between a label and the line that leads to it.
_GAP = 1.0
# A line this steep, as a cosine, meets a label's middle from above or below, others its side.
_STEEP = 0.45
_SPACING = 8.0
_MOST_ANCHORS = 24
_MOST_SPREAD = 8


class Leads(NamedTuple):
    """Places for a label: its centre, and where the line to it begins and ends; n × 2 each."""

    centre: Array
    start: Array
    end: Array

    @property
    def length(self) -> Array:
        return np.asarray(np.hypot(*(self.end - self.start).T))

    @property
    def lines(self) -> Array:
        """The lines as segments, n × 4."""
        return np.concatenate([self.start, self.end], axis=1)

    def some(self, which: NDArray[np.intp]) -> Leads:
        return Leads(*(each[which] for each in self))


def anchors(segments: Array) -> Array:
    """Return places on a line at equal distances, none at its ends, as rows.

    >>> anchors(np.array([[0.0, 0, 24, 0]])).tolist()
    [[4.0, 0.0], [12.0, 0.0], [20.0, 0.0]]
    """
    lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
    total = float(lengths.sum())
    count = int(np.clip(total / _SPACING, 3, _MOST_ANCHORS))
    along = (np.arange(count) + 0.5) / count * total
    before = np.concatenate([[0.0], np.cumsum(lengths)[:-1]])
    which = np.searchsorted(before, along, side="right") - 1
    part = ((along - before[which]) / np.maximum(lengths[which], 1e-9))[:, None]
    return np.asarray(segments[which, :2] * (1 - part) + segments[which, 2:] * part)


def fanned(places: Array, size: tuple[float, float], radius: float, reach: float) -> Leads:
    """Return what is led to in even directions from each place, up to `reach` points away.

    The lines begin `radius` points from it.
    """
    lengths = np.array([length for length in _LENGTHS if length <= reach])
    turn = np.radians(_ANGLES)
    directions = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    start, way, length = (
        np.reshape(each, (-1, each.shape[-1]))
        for each in np.broadcast_arrays(
            places[:, None, None], directions[None, :, None], lengths[None, None, :, None]
        )
    )
    start = start + radius * way
    end = start + length * way
    steep = np.abs(way[:, :1]) < _STEEP
    half = np.array(size) / 2 + _GAP
    middle = np.where(steep, (0.0, 1.0), (1.0, 0.0)) * np.sign(way) * half
    return Leads(end + middle, start, end)


def spread(places: Array, size: tuple[float, float], radius: float, frame: Array) -> Leads:
    """Return leads from some of the places to many that fill a frame."""
    width, height = size
    xs = np.arange(width / 2 + 2.0, frame[0] - width / 2 - 2.0, 6.0)
    ys = np.arange(height / 2 + 2.0, frame[1] - height / 2 - 2.0, 3.0)
    grid = np.stack(np.meshgrid(xs, ys), axis=-1).reshape(-1, 1, 2)
    some = places[np.unique(np.linspace(0, len(places) - 1, _MOST_SPREAD).astype(int))]
    centre, start = (np.reshape(each, (-1, 2)) for each in np.broadcast_arrays(grid, some))
    half = np.array(size) / 2 + _GAP
    aside = np.abs(start - centre)[:, :1] > half[0]
    end = centre + np.where(aside, (1.0, 0.0), (0.0, 1.0)) * np.sign(start - centre) * half
    step = end - start
    start = start + radius * step / np.maximum(np.hypot(*step.T), 1e-9)[:, None]
    return Leads(centre, start, end)
