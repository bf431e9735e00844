"""Exact formulas from exact values: interpolated in fractions, over a grid of sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

MOST_DEGREE = 4


class Power(NamedTuple):
    """x^degree · log2(x)^logs."""

    degree: int
    logs: int = 0

    def at(self, x: int) -> Fraction:
        """Return its value; where there are logarithms, x is a power of two."""
        return Fraction(x**self.degree * (x.bit_length() - 1) ** self.logs)


Formula: TypeAlias = Mapping[tuple[Power, ...], Fraction]
"""A sum: the coefficient of each product of powers, one power for each size."""

POLYNOMIALS = tuple(tuple(Power(d) for d in range(most + 1)) for most in range(MOST_DEGREE + 1))
_LOG = (Power(0), Power(0, 1))
WITH_LOGARITHMS = (
    *POLYNOMIALS[:4],
    _LOG,
    (*_LOG, Power(1), Power(1, 1)),
    (*_LOG, Power(0, 2), Power(1), Power(1, 1), Power(1, 2)),
    (*_LOG, Power(1), Power(1, 1), Power(2), Power(2, 1)),
)


def fitting(
    bases: Sequence[tuple[Power, ...]], points: Sequence[int], rows: Sequence[Sequence[Fraction]]
) -> tuple[Power, ...] | None:
    """Return the first basis in which all rows of values can be written, None where none does.

    A point at least is left to check with.

    >>> fitting(POLYNOMIALS, [2, 3, 4, 5], [[Fraction(x * x) for x in (2, 3, 4, 5)]])
    (Power(degree=0, logs=0), Power(degree=1, logs=0), Power(degree=2, logs=0))
    """
    for basis in bases:
        count = len(basis)
        if count >= len(points):
            continue
        weights = inverse(basis, points[:count])
        rest = [[power.at(x) for power in basis] for x in points[count:]]
        if all(_holds(weights, rest, row) for row in rows):
            return basis
    return None


def _holds(
    weights: list[list[Fraction]], rest: list[list[Fraction]], row: Sequence[Fraction]
) -> bool:
    coefficients = [_dot(line, row) for line in weights]
    count = len(coefficients)
    return all(
        _dot(powers, coefficients) == value for powers, value in zip(rest, row[count:], strict=True)
    )


def _dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=False)), Fraction(0))


def inverse(basis: Sequence[Power], points: Sequence[int]) -> list[list[Fraction]]:
    """Return the matrix that takes values at as many points to coefficients."""
    count = len(basis)
    rows = [[power.at(x) for power in basis] + [Fraction(x == y) for y in points] for x in points]
    for column in range(count):
        pivot = next(at for at in range(column, count) if rows[at][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for at in range(count):
            if at != column and (factor := rows[at][column]):
                rows[at] = [a - factor * b for a, b in zip(rows[at], rows[column], strict=True)]
    return [row[count:] for row in rows]


def interpolated(
    bases: Sequence[tuple[Power, ...]],
    points: Sequence[Sequence[int]],
    values: Mapping[tuple[int, ...], Fraction],
) -> Formula:
    """Return the formula with these values over the grid of the points of each size.

    >>> values = {(m, n): Fraction(m * n + 1) for m in (2, 3) for n in (5, 7)}
    >>> two = (Power(0), Power(1))
    >>> sorted(interpolated([two, two], [(2, 3), (5, 7)], values).values())
    [Fraction(1, 1), Fraction(1, 1)]
    """
    found: dict[tuple[object, ...], Fraction] = dict(values.items())
    for axis, (basis, xs) in enumerate(zip(bases, points, strict=True)):
        weights = inverse(basis, xs)
        changed: dict[tuple[object, ...], Fraction] = {}
        for key in {(*key[:axis], None, *key[axis + 1 :]) for key in found}:
            row = [found[(*key[:axis], x, *key[axis + 1 :])] for x in xs]
            for power, line in zip(basis, weights, strict=True):
                changed[(*key[:axis], power, *key[axis + 1 :])] = _dot(line, row)
        found = changed
    return {
        tuple(each for each in key if isinstance(each, Power)): value
        for key, value in found.items()
        if value
    }


def value_at(formula: Formula, point: Sequence[int]) -> Fraction:
    """Return what a formula is at a point."""
    return sum(
        (
            coefficient
            * prod((power.at(x) for power, x in zip(key, point, strict=True)), start=Fraction(1))
            for key, coefficient in formula.items()
        ),
        Fraction(0),
    )


def grid(points: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return every combination of the points of each size."""
    return [*product(*points)]
