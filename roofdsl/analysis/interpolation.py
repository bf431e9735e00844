"""Between measurements: a power law in every argument, in the smallest full cell around a point.

A cell has a lower and an upper value of each argument, or the asked one alone; it is full where all
its corners were measured. Between them ln t is linear in the logarithm of each argument:

    ln t = Σ over the corners c of ln t(c) · Π over the arguments of the part of the way to c.

The smallest cell is that of the least Σ ln(upper/lower). Nothing is told outside of all cells.
"""

from __future__ import annotations

import heapq
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import operations

Key: TypeAlias = tuple[Fraction, ...]
Ends: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""The lower and the upper value of each argument, equal where the asked one was measured."""
_NEAREST, _TRIED = 16, 4096
"""So many values on each side of an argument are looked at, and so many cells of some arguments."""
_MOST_LEFT_OUT = 200
"""Of more measurements only some are left out, evenly."""


class Between(NamedTuple):
    """What lies between measurements, and the cell that it was found in."""

    value: Fraction
    cell: Ends


class Checked(NamedTuple):
    """Measurements left out one by one: how many, how many of them lie between others, the errors.

    `median` and `most` are those of what the others say, relative to what was measured.
    """

    tried: int
    between: int
    median: float
    most: float


def between(values: Mapping[Key, Fraction], asked: Key) -> Between | None:
    """Return the value between the corners of the smallest full cell around a point.

    >>> two, eight = Fraction(2), Fraction(8)
    >>> found = between({(two,): Fraction(3), (eight,): Fraction(12)}, (Fraction(4),))
    >>> float(found.value)
    6.0
    """
    best: tuple[float, Ends] | None = None
    for count in range(1, len(asked) + 1):
        for open_ones in combinations(range(len(asked)), count):
            operations().spend(len(values))
            found = _smallest(values, asked, open_ones)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return None if best is None else Between(_value(values, asked, best[1]), best[1])


def _smallest(
    values: Mapping[Key, Fraction], asked: Key, open_ones: Sequence[int]
) -> tuple[float, Ends] | None:
    """Return the smallest full cell that is open in some arguments, and its size."""
    fixed = [place for place in range(len(asked)) if place not in open_ones]
    rows = [key for key in values if all(key[place] == asked[place] for place in fixed)]
    sides: list[list[tuple[float, tuple[Fraction, Fraction]]]] = []
    for place in open_ones:
        known = sorted({key[place] for key in rows})
        below = [each for each in known if each < asked[place]][-_NEAREST:]
        above = [each for each in known if each > asked[place]][:_NEAREST]
        sides.append(sorted((_size(low, high), (low, high)) for low in below for high in above))
    if not all(sides):
        return None
    for size, chosen in _by_size(sides):
        ends = [(each, each) for each in asked]
        for place, pair in zip(open_ones, chosen, strict=True):
            ends[place] = pair
        if all(corner in values for corner in product(*map(dict.fromkeys, ends))):
            return size, tuple(ends)
    return None


def _size(low: Fraction, high: Fraction) -> float:
    return math.log(high / low)


def _by_size(
    sides: Sequence[Sequence[tuple[float, tuple[Fraction, Fraction]]]],
) -> Iterator[tuple[float, list[tuple[Fraction, Fraction]]]]:
    """Yield one pair for each argument, the smallest cells first, as many as are tried."""
    first = (0,) * len(sides)
    waiting = [(sum(side[0][0] for side in sides), first)]
    seen = {first}
    for _ in range(_TRIED):
        if not waiting:
            return
        size, places = heapq.heappop(waiting)
        yield size, [side[place][1] for side, place in zip(sides, places, strict=True)]
        operations().spend(1)
        for at, side in enumerate(sides):
            following = (*places[:at], places[at] + 1, *places[at + 1 :])
            if following[at] < len(side) and following not in seen:
                seen.add(following)
                more = side[following[at]][0] - side[places[at]][0]
                heapq.heappush(waiting, (size + more, following))


def _value(values: Mapping[Key, Fraction], asked: Key, cell: Ends) -> Fraction:
    """Return what the corners of a cell make of a point in it."""
    corners: dict[Key, float] = {(): 1.0}
    for value, (low, high) in zip(asked, cell, strict=True):
        if low == high:
            ways = [(low, 1.0)]
        else:
            part = math.log(value / low) / math.log(high / low)
            ways = [(low, 1 - part), (high, part)]
        corners = {(*key, end): share * way for key, share in corners.items() for end, way in ways}
    first = float(values[next(iter(corners))])
    # Times the first, not all as logarithms: what is equal at all corners stays what it is.
    terms = (share * math.log(float(values[key]) / first) for key, share in corners.items())
    return Fraction(first * math.exp(math.fsum(terms)))


def left_out(values: Mapping[Key, Fraction]) -> Checked:
    """Return how far measurements are from what the others say of them."""
    keys = sorted(values)
    step = max(1, math.ceil(len(keys) / _MOST_LEFT_OUT))
    tried = keys[::step]
    errors: list[float] = []
    for key in tried:
        others = {other: value for other, value in values.items() if other != key}
        found = between(others, key)
        if found is not None:
            errors.append(abs(float(found.value / values[key]) - 1))
    middle = statistics.median(errors) if errors else math.nan
    return Checked(len(tried), len(errors), middle, max(errors, default=math.nan))
