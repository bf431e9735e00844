"""Scales: from values to places along an axis, snapped frames, and ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofdsl.figures.lettering import alike, powers, three_digits

Array = NDArray[np.float64]
GIGA = 1e9
POSITIVE = math.nextafter(0.0, 1.0)
"""The smallest number above 0."""

# A frame grows by at most this many decades on a side to take in points; beyond, they are marked
# at its edge.
MOST_DECADES = 6


@dataclass(frozen=True, slots=True)
class LogScale:
    """A logarithmic scale between two powers of its base, whole ones or not.

    `unit` says how much of what is placed is 1 on the axis: its powers and ticks are of that.

    >>> scale = LogScale(10, -1, 2)
    >>> scale.low, scale.high, scale.place([0.1, 1.0, 100.0]).round(3).tolist()
    (0.1, 100.0, [0.0, 0.333, 1.0])
    >>> scale.ticks(200.0, 20.0)
    [(0.1, '0.1'), (1.0, '1'), (10.0, '10'), (100.0, '100')]
    >>> LogScale(10, 0.3, 3.3).ticks(200.0, 20.0)
    [(10.0, '10'), (100.0, '100'), (1000.0, '1000')]
    >>> LogScale(10, 2.3, 2.7).ticks(200.0, 20.0)
    [(200.0, '200'), (300.0, '300'), (400.0, '400'), (500.0, '500')]
    >>> LogScale(2, 0, 2, unit=1000.0).ticks(200.0, 20.0)
    [(1000.0, '1'), (2000.0, '2'), (4000.0, '4')]
    """

    base: int
    first: float
    last: float
    unit: float = 1.0

    @property
    def low(self) -> float:
        return self.unit * math.pow(self.base, self.first)

    @property
    def high(self) -> float:
        return self.unit * math.pow(self.base, self.last)

    def place(self, values: ArrayLike) -> Array:
        """Return where values lie, 0 at the low end and 1 at the high one."""
        with np.errstate(divide="ignore", invalid="ignore"):
            numbers = np.asarray(values, dtype=float) / self.unit
            logarithms = np.log(numbers) / math.log(self.base)
        return np.asarray((logarithms - self.first) / (self.last - self.first))

    def value(self, place: float) -> float:
        """Return the value that lies at a place."""
        return self.unit * math.pow(self.base, self.first + place * (self.last - self.first))

    def ticks(self, length: float, gap: float) -> list[tuple[float, str]]:
        """Return values and labels of ticks, at least `gap` points apart on `length` points."""
        step = _step(self.last - self.first, length, gap)
        # Steps count from 1, so that the same values carry ticks in every figure.
        start = math.ceil(self.first / step - 1e-9) * step
        exponents = range(start, math.floor(self.last + 1e-9) + 1, step)
        values = [self.unit * float(self.base) ** e for e in exponents]
        if len(values) < 2 and self.base == 10:  # what a single one stands for is not seen
            apart = (self.last - self.first) * gap / length
            for value in self.small_ticks(length):
                if all(abs(math.log10(value / other)) >= apart for other in values):
                    values.append(value)
            return [(value, three_digits(value / self.unit)) for value in values]
        return list(zip(values, powers(self.base, exponents), strict=True))

    def small_ticks(self, length: float) -> list[float]:
        """Return values of the small ticks between them."""
        crowded = self.base == 2 or length / (self.last - self.first) < 18
        exponents = range(math.floor(self.first + 1e-9), math.ceil(self.last - 1e-9) + 1)
        values = [
            self.unit * digit * float(self.base) ** exponent
            for exponent in exponents
            for digit in ((1,) if crowded else range(2, self.base))
        ]
        return [v for v in values if self.low * (1 - 1e-9) <= v <= self.high * (1 + 1e-9)]


@dataclass(frozen=True, slots=True)
class LinearScale:
    """A linear scale from `low` to `high`, which may lie below it; `unit` as in `LogScale`.

    >>> LinearScale(0.0, 10.0).ticks(200.0, 30.0)
    [(0.0, '0'), (2.0, '2'), (4.0, '4'), (6.0, '6'), (8.0, '8'), (10.0, '10')]
    >>> LinearScale(0.0, 4000.0, unit=1000.0).ticks(100.0, 30.0)
    [(0.0, '0'), (2000.0, '2'), (4000.0, '4')]
    """

    low: float
    high: float
    unit: float = 1.0

    def place(self, values: ArrayLike) -> Array:
        return np.asarray((np.asarray(values, dtype=float) - self.low) / (self.high - self.low))

    def value(self, place: float) -> float:
        return self.low + place * (self.high - self.low)

    def ticks(self, length: float, gap: float) -> list[tuple[float, str]]:
        low, high = sorted((self.low / self.unit, self.high / self.unit))
        step = round_step((high - low) * gap / length)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        # Rounding keeps 3 × 0.1 from becoming 0.30000000000000004.
        values = [float(f"{index * step:.12g}") for index in range(first, last + 1)]
        return list(zip([self.unit * each for each in values], alike(values), strict=True))


@dataclass(frozen=True, slots=True)
class CategoryScale:
    """A scale of names at equal distances: from left to right, or from the top downwards.

    >>> CategoryScale(("fc1", "relu")).place([0.0, 1.0]).tolist()
    [0.25, 0.75]
    >>> CategoryScale(("fc1", "relu"), downwards=True).place([0.0, 1.0]).tolist()
    [0.75, 0.25]
    """

    names: tuple[str, ...]
    downwards: bool = False

    @property
    def low(self) -> float:
        return len(self.names) - 0.5 if self.downwards else -0.5

    @property
    def high(self) -> float:
        return -0.5 if self.downwards else len(self.names) - 0.5

    def place(self, values: ArrayLike) -> Array:
        return np.asarray((np.asarray(values, dtype=float) - self.low) / (self.high - self.low))

    def value(self, place: float) -> float:
        return self.low + place * (self.high - self.low)

    def ticks(self, length: float, gap: float) -> list[tuple[float, str]]:
        step = max(1, math.ceil(gap * len(self.names) / length))
        return [(float(index), name) for index, name in enumerate(self.names)][::step]


Scale: TypeAlias = LogScale | LinearScale | CategoryScale


def round_step(least: float) -> float:
    """Return the smallest 1, 2 or 5 times a power of ten that is at least `least`.

    >>> round_step(0.3), round_step(7.0), round_step(20.0)
    (0.5, 10.0, 20.0)
    """
    exponent = math.floor(math.log10(least))
    for digit in (1, 2, 5, 10):
        step = float(f"{digit}e{exponent}")
        if step >= least * (1 - 1e-9):
            return step
    return float(f"1e{exponent + 1}")


def snapped(base: int, low: float, high: float, margin: int = 0, unit: float = 1.0) -> LogScale:
    """Return the scale between the powers of a base, times a unit, that enclose `low` and `high`.

    `margin` more are added at each end; for base 2, where they are small, three times as many, and
    the ends are even powers.

    >>> snapped(10, 1.58, 18.3, margin=1)
    LogScale(base=10, first=-1, last=3, unit=1.0)
    """
    first = math.floor(math.log(low / unit, base) + 1e-9)
    last = math.ceil(math.log(high / unit, base) - 1e-9)
    if base == 2:
        first, last = first - 3 * margin, last + 3 * margin
        first, last = first - first % 2, last + last % 2
    else:
        first, last = first - margin, last + margin
    last = last if last > first else first + (2 if base == 2 else 1)
    return LogScale(base, first, last, unit)


def widened(scale: LogScale, *values: ArrayLike) -> LogScale:
    """Return a scale that also takes in values, as far as `MOST_DECADES` on a side."""
    most = math.floor(MOST_DECADES * math.log(10, scale.base))
    exponents = [math.log(value / scale.unit, scale.base) for value in ends(*values)]
    first = min([scale.first, *(math.floor(exponent + 1e-9) for exponent in exponents)])
    last = max([scale.last, *(math.ceil(exponent - 1e-9) for exponent in exponents)])
    first, last = max(first, scale.first - most), min(last, scale.last + most)
    if scale.base == 2:
        first, last = first - first % 2, last + last % 2
    return LogScale(scale.base, first, last, scale.unit)


def spanning(base: int, *values: ArrayLike, unit: float = 1.0) -> LogScale:
    """Return the snapped scale that takes in values; from 1 to 10 where it has a place for none."""
    return snapped(base, *(ends(*values) or (1.0, 10.0)), unit=unit)


def fitting(base: int, *values: ArrayLike, low: float, unit: float = 1.0) -> LogScale | LinearScale:
    """Return the scale that takes in values: logarithmic, linear where one lies below `low`.

    >>> fitting(10, [3.0, 200.0], low=0.0)
    LogScale(base=10, first=0, last=3, unit=1.0)
    >>> fitting(10, [0.0, 7.0], low=POSITIVE), fitting(10, [-1.0, 7.0, np.inf], low=0.0)
    (LinearScale(low=0.0, high=8.0, unit=1.0), LinearScale(low=-2.0, high=8.0, unit=1.0))
    """
    numbers = np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in values])
    finite = numbers[np.isfinite(numbers)]
    if (finite >= low).all():
        return spanning(base, numbers, unit=unit)
    first, last = min(0.0, float(finite.min())), max(0.0, float(finite.max()))
    step = round_step((last - first or unit) / unit / 5) * unit
    lowest, highest = step * math.floor(first / step), step * max(1, math.ceil(last / step))
    return LinearScale(lowest, highest, unit)


def drawable(values: ArrayLike) -> NDArray[np.bool_]:
    """Return which values a logarithmic scale has a place for."""
    numbers = np.asarray(values, dtype=float)
    return np.asarray(np.isfinite(numbers) & (numbers > 0))


def ends(*values: ArrayLike) -> tuple[float, float] | tuple[()]:
    """Return the smallest and the largest that a logarithmic scale has a place for, or nothing.

    >>> ends([0.0, 3.0, np.inf], [2.0]), ends([0.0])
    ((2.0, 3.0), ())
    """
    numbers = np.hstack([[], *(np.ravel(np.asarray(each, dtype=float)) for each in values)])
    kept = numbers[drawable(numbers)]
    return (float(kept.min()), float(kept.max())) if kept.size else ()


def _step(spans: float, length: float, gap: float) -> int:
    """Return how many powers lie between ticks: 1, 2, 3, 5, 10, …"""
    least = gap * spans / length
    for step in (1, 2, 3, 5, 10, 20, 50, 100):
        if step >= least:
            return step
    return 200
