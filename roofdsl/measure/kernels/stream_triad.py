"""STREAM's triad, a <- b + 3c: one loop over three vectors."""

from __future__ import annotations

import numpy as np

from roofdsl.measure.kernels.loops import BLOCK, compiled
from roofdsl.measure.kernels.shares import Numbers, distance, numbers
from roofdsl.measure.split_clock import SplitClock

_FACTOR = 3.0


class StreamTriad:
    """The triad over vectors of `size` elements."""

    def __init__(self, size: int) -> None:
        self.b, self.c = numbers(size, 1), numbers(size, 2)
        self.a = np.empty(size)
        self._triad = compiled(loop, blocks)

    def ready(self) -> None:
        self.a.fill(np.nan)

    def run(self, clock: SplitClock) -> None:
        with clock.computing:
            self._triad(self.a, self.b, self.c, _FACTOR)

    def error(self) -> float:
        return distance(self.a, self.b + _FACTOR * self.c)


def loop(a: Numbers, b: Numbers, c: Numbers, factor: float) -> None:
    for at in range(a.size):
        a[at] = b[at] + factor * c[at]


def blocks(a: Numbers, b: Numbers, c: Numbers, factor: float) -> None:
    for at in range(0, a.size, BLOCK):
        part = slice(at, at + BLOCK)
        np.multiply(c[part], factor, out=a[part])
        np.add(a[part], b[part], out=a[part])
