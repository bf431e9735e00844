"""The two real branches of the Lambert function: w with w·e^w = x."""

from __future__ import annotations

import math
from fractions import Fraction

_E = Fraction("2.718281828459045235360287471352662497757247093699959574966967")
_STEPS = 60
# Of the series at the branch point: w = -1 + p - p²/3 + …, p = ±√(2(e·x + 1)).
_SERIES = (-1.0, 1.0, -1 / 3, 11 / 72, -43 / 540, 769 / 17280, -221 / 8505, 680863 / 43545600)


def lambertw(x: float, branch: int) -> float:
    """Return w with w·e^w = x: branch 0 has w ≥ -1, branch -1 has w ≤ -1.

    Raises ValueError below -1/e, for branch -1 also from 0 on, and for other branches. Close to
    -1/e the argument is compared exactly, so that the result has its full precision there too.

    >>> lambertw(math.e, 0), round(lambertw(-0.1, -1), 6)
    (1.0, -3.577152)
    """
    if branch not in (0, -1) or (branch == -1 and x >= 0) or not x >= -0.37:
        raise ValueError("not a real number")
    if branch == 0 and x > math.e:
        return x if x == math.inf else _large(math.log(x), x)
    if branch == -1 and x > -0.1:
        return _large(math.log(-x), x)
    if x < -0.2:
        above = float(_E * Fraction(x) + 1)
        if above < 0:
            if above < -1e-15:
                raise ValueError("not a real number")
            return -1.0  # -1/e as a float may lie just below -1/e
        p = math.sqrt(2 * above) * (1 if branch == 0 else -1)
        guess = 0.0
        for coefficient in reversed(_SERIES):
            guess = guess * p + coefficient
        return guess if abs(p) < 0.02 else _halley(guess, x)
    return _halley(-2.0 if branch == -1 else math.log1p(x), x)


def _large(logarithm: float, x: float) -> float:
    """Solve w + ln|w| = ln|x| by Newton's iteration: nothing under- or overflows."""
    w = logarithm - math.log(abs(logarithm)) if x < 0 or logarithm > 1.5 else 1.0
    for _ in range(_STEPS):
        step = (w + math.log(abs(w)) - logarithm) / (1 + 1 / w)
        w -= step
        if abs(step) <= 1e-16 * abs(w):
            break
    return w


def _halley(w: float, x: float) -> float:
    """Solve w·e^w = x by Halley's iteration."""
    for _ in range(_STEPS):
        power = math.exp(w)
        excess = w * power - x
        if excess == 0:
            break
        step = excess / (power * (w + 1) - (w + 2) * excess / (2 * w + 2))
        w -= step
        if abs(step) <= 1e-16 * abs(w):
            break
    return w
