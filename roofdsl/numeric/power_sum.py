"""Bounds of Σ c·x^a·L^b with L = log2 x, c > 0, a ≥ 0, b ≥ 0: tighter and faster than a tree's.

Without logarithms, log f is a convex function of log x (a log-sum-exp): its slope over an interval
lies between the slopes at the ends. Terms with the same b share the factor L^b.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, log, log2
from typing import NamedTuple

from roofdsl.numeric.interval import Bounds, average

_ULP = 2.0**-53
_LARGEST = 1.7e308


class Term(NamedTuple):
    """c·x^a·L^b; the coefficient as bounds, both > 0."""

    low: float
    high: float
    x: Fraction
    log: Fraction


class _Group(NamedTuple):
    """The terms that have L^b in common."""

    log: float
    terms: tuple[tuple[float, float, float], ...]  # least and greatest c, and a
    error: float  # relative, of the sum
    spread: float  # relative, of the coefficients
    drift: float  # per ln x: what the rounding of an exponent adds to it


class PowerSum:
    """A sum of such terms; with logarithms, for x ≥ 1. It has no jumps.

    >>> cube_and_square = [Term(1.0, 1.0, Fraction(a), Fraction(0)) for a in (3, 2)]
    >>> PowerSum(cube_and_square).over(1.0, 10.0)
    (1.99..., 1100.0..., 2.49..., 2.90...)
    """

    jumps = 0.0
    nowhere = False

    def __init__(self, terms: Iterable[Term]) -> None:
        by_log: dict[Fraction, list[Term]] = {}
        for term in terms:
            by_log.setdefault(term.log, []).append(term)
        self._groups = tuple(_group(log, members) for log, members in by_log.items())

    def over(self, low: float, high: float) -> Bounds:
        """Return the bounds over an interval."""
        result: Bounds | None = None
        for group in self._groups:
            bounds = _bounds(group, low, high)
            result = bounds if result is None else average(result, bounds)
        assert result is not None
        return result

    near = over


def _group(log: Fraction, members: list[Term]) -> _Group:
    # The coefficients are bounds; a power is off by less than two of these units (one in the last
    # place), a product or sum by one, L^b by what L is off by and as much again.
    error = (4 + len(members) + (4 + 2 * float(log) if log else 0)) * _ULP
    powers = (*(term.x for term in members), log)
    # A number is a float where its denominator is a power of 2.
    inexact = [each for each in powers if each.denominator & (each.denominator - 1)]
    return _Group(
        float(log),
        tuple((term.low, term.high, float(term.x)) for term in members),
        error,
        max((term.high - term.low) / term.low if term.low else 0.0 for term in members),
        2 * _ULP * float(max(inexact, default=0)),
    )


def _bounds(group: _Group, low: float, high: float) -> Bounds:
    exponent, terms, error, spread, drift = group
    if drift:
        error += drift * max(abs(log(low)), abs(log(high)), 1.0)
    # All terms are positive and grow, so the sum is least at the left end with the least
    # coefficients, and greatest at the right end with the greatest.
    try:
        if len(terms) == 1:
            ((least, most, a),) = terms
            bottom, top = least * low**a, most * high**a
            bottom_slope = top_slope = a
        else:
            bottom, bottom_slope = _sum(terms, low, 0)
            top, top_slope = _sum(terms, high, 1)
            bottom_slope *= max(0.0, 1 - spread - 4 * error)
            top_slope *= 1 + spread + 4 * error
    except OverflowError:
        exponents = [a for _, _, a in terms]
        bottom, top, bottom_slope, top_slope = 0.0, inf, min(exponents), max(exponents)
    if exponent:
        bottom_log, top_log = log2(low), log2(high)
        bottom *= bottom_log**exponent
        top *= top_log**exponent
        # L^b has slope b/ln x.
        bottom_slope += exponent / log(high) * (1 - 1e-15) if high > 1 else inf
        top_slope += exponent / log(low) * (1 + 1e-15) if low > 1 else inf
    # The last parts cover what may have been lost to underflow.
    bottom = max(0.0, min(bottom, _LARGEST) * (1 - error) - 1e-300)
    top = top * (1 + error) + 1e-300
    slack = 0.0 if bottom_slope == top_slope and not drift else 1e-15
    return bottom, top, bottom_slope * (1 - slack), top_slope * (1 + slack)


def _sum(terms: tuple[tuple[float, float, float], ...], x: float, side: int) -> tuple[float, float]:
    """Return the sum at a point with the least or the greatest coefficients, and its slope."""
    total = weighted = 0.0
    for term in terms:
        a = term[2]
        value = term[side] * x**a
        total += value
        weighted += a * value
    return total, weighted / total
