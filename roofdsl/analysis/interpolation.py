"""Between measurements: a power law in every argument, in the smallest full cell around a point.

A cell has a lower and an upper value of each argument, or the asked one alone; it is full where all
its corners were measured. Between them ln t is linear in the logarithm of each argument:

    ln t = Σ over the corners c of ln t(c) · Π over the arguments of the part of the way to c.

The smallest cell is that of the least Σ ln(upper/lower). Nothing is told outside of all cells.
Where arguments are open, the same stands as a formula in them.
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
from roofdsl.expression.construct import add, call, divide, multiply, power
from roofdsl.expression.tree import Expression, Number

Key: TypeAlias = tuple[Fraction, ...]
Ends: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""The lower and the upper value of each argument, equal where the asked one was measured."""
_NEAREST, _TRIED = 16, 4096
"""So many values on each side of an argument are looked at, and so many cells of some arguments."""
_MOST_LEFT_OUT = 200
"""Of more measurements only some are left out, evenly."""
_SHORT, _NOISE = 100, 1e-14
"""Exponents are fractions of so small denominators where they are so near to one."""


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
    cell = cell_of(values, asked)
    if cell is None:
        return None
    (value,) = _corners(values, asked, cell).values()
    return Between(value, cell)


def cell_of(values: Mapping[Key, Fraction], asked: Key) -> Ends | None:
    """Return the smallest full cell around a point: which depends on the order of numbers alone."""
    best: tuple[float, Ends] | None = None
    for count in range(1, len(asked) + 1):
        for open_ones in combinations(range(len(asked)), count):
            operations().spend(len(values))
            found = _smallest(values, asked, open_ones)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return None if best is None else best[1]


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


def _corners(
    values: Mapping[Key, Fraction], asked: Sequence[Fraction | None], cell: Ends
) -> dict[Key, Fraction]:
    """Return what a cell's corners make of the arguments that are known, by the ends of others."""
    corners: dict[Key, dict[Key, float]] = {(): {(): 1.0}}
    for value, (low, high) in zip(asked, cell, strict=True):
        if low == high:
            ways = [(low, 1.0)]
        elif value is None:
            corners = {
                (*ends, end): {(*key, end): share for key, share in shares.items()}
                for ends, shares in corners.items()
                for end in (low, high)
            }
            continue
        else:
            part = math.log(value / low) / math.log(high / low)
            ways = [(low, 1 - part), (high, part)]
        for ends, shares in corners.items():
            corners[ends] = {
                (*key, end): share * way for key, share in shares.items() for end, way in ways
            }
    return {ends: _mean(values, shares) for ends, shares in corners.items()}


def _mean(values: Mapping[Key, Fraction], shares: Mapping[Key, float]) -> Fraction:
    if len(shares) == 1:
        return values[next(iter(shares))]
    first = float(values[next(iter(shares))])
    # Times the first, not all as logarithms: what is equal at all corners stays what it is.
    terms = (share * math.log(float(values[key]) / first) for key, share in shares.items())
    return Fraction(first * math.exp(math.fsum(terms)))


def formula_in(
    values: Mapping[Key, Fraction], asked: Sequence[Expression], cell: Ends
) -> Expression:
    """Return what the corners of a cell make of a point in it whose arguments may be open.

    t = t₀ · Π (x/x₀)^p · exp(Σ c · ln(x/x₀) · ln(y/y₀) · …), x₀ the lower end of an argument x.

    >>> from roofdsl.expression.tree import Symbol
    >>> x, two, eight = Symbol("x"), Fraction(2), Fraction(8)
    >>> table = {(two,): Fraction(3), (eight,): Fraction(12)}
    >>> formula_in(table, [x], ((two, eight),)) == multiply(
    ...     Number(Fraction(3)), divide(x, Number(two))
    ... )
    True
    """
    known = [each.value if isinstance(each, Number) else None for each in asked]
    corners = _corners(values, known, cell)
    sides = [
        (argument, low, high)
        for argument, (low, high) in zip(asked, cell, strict=True)
        if low < high and not isinstance(argument, Number)
    ]
    first = corners[tuple(low for _, low, _ in sides)]
    logs = {
        tuple(end == high for end, (_, _, high) in zip(ends, sides, strict=True)): (
            math.log(value / first)
        )
        for ends, value in corners.items()
    }
    factors: list[Expression] = [Number(first)]
    mixed: list[Expression] = []
    for chosen in product((False, True), repeat=len(sides)):
        inside = [side for side, taken in zip(sides, chosen, strict=True) if taken]
        slope = _share(logs, chosen) / math.prod(math.log(high / low) for _, low, high in inside)
        ratios = [divide(argument, Number(low)) for argument, low, _ in inside]
        if len(inside) == 1:
            factors.append(power(ratios[0], Number(_short(slope))))
        elif inside and abs(slope) > _NOISE:
            logarithms = (call("ln", ratio) for ratio in ratios)
            mixed.append(multiply(Number(_short(slope)), *logarithms))
    if mixed:
        factors.append(call("exp", add(*mixed)))
    return multiply(*factors)


def _share(logs: Mapping[tuple[bool, ...], float], chosen: Sequence[bool]) -> float:
    """Return what a product of logarithms has of ln t/t₀: the corners below it, by turns ±."""
    return math.fsum(
        math.prod(1 if taken == here else -1 for taken, here in zip(chosen, corner, strict=True))
        * value
        for corner, value in logs.items()
        if all(taken or not here for taken, here in zip(chosen, corner, strict=True))
    )


def _short(exponent: float) -> Fraction:
    """Return an exponent as a short fraction, if it is one but for rounding, else as printed."""
    short = Fraction(exponent).limit_denominator(_SHORT)
    return short if abs(short - Fraction(exponent)) < _NOISE else Fraction(repr(exponent))


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
