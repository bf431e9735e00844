"""Two kinds of numbers to evaluate formulas in: exact at a point, and bounded over an array.

Neither shares anything with ours. At a point, rational numbers are fractions and others have 170
digits: what differs by less than 10^-150 is equal. Over an array every float carries a bound of its
error; where a comparison, or a rounding, is not decided by it, the point is in doubt, and whoever
asks takes the exact value there.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any, Protocol

import mpmath
import numpy as np

DIGITS = 170
_EQUAL = mpmath.mpf(10) ** -150
_WHOLE = mpmath.mpf(10) ** -110
_MOST_BITS = 60_000
_ROUNDING = 2.0**-52
_EXACT = 2.0**41
"""Whole numbers below this stay exact, also times a number of few binary places."""
_FEW = 2.0**10
_ELEMENTARY = 2.0**-49
"""How far, relatively, a function of NumPy may be from the right value."""


class Undefined(ArithmeticError):
    """A formula has no value: a division by 0, a logarithm of what is not above 0."""


class Numbers(Protocol):
    """What formulas are evaluated in."""

    def number(self, value: Fraction) -> Any: ...
    def divided(self, left: Any, right: Any) -> Any: ...
    def power(self, base: Any, exponent: Any) -> Any: ...
    def logarithm(self, x: Any) -> Any: ...
    def rounded(self, x: Any, up: bool) -> Any: ...
    def exceeds(self, left: Any, right: Any) -> Any: ...
    def not_negative(self, x: Any) -> Any: ...
    def summed(self, term: Any, count: Any) -> Any: ...
    def choose(self, mask: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any: ...


class Exact:
    """Fractions, and 170 digits where a number is not rational."""

    def number(self, value: Fraction) -> Any:
        return value

    def divided(self, left: Any, right: Any) -> Any:
        if not right:
            raise Undefined
        both = isinstance(left, Fraction) and isinstance(right, Fraction)
        return left / right if both else _many(left) / _many(right)

    def power(self, base: Any, exponent: Any) -> Any:
        if isinstance(base, Fraction) and isinstance(exponent, Fraction):
            if base == 0:
                if exponent < 0:
                    raise Undefined
                return Fraction(exponent == 0)
            if base < 0 and exponent.denominator > 1:
                raise Undefined
            root = _root(base, exponent.denominator)
            if root is not None:
                bits = max(root.numerator.bit_length(), root.denominator.bit_length())
                if bits * abs(exponent.numerator) < _MOST_BITS:
                    return root**exponent.numerator
        base, exponent = _many(base), _many(exponent)
        if base < 0 or (base == 0 and exponent <= 0):
            raise Undefined
        return mpmath.power(base, exponent)

    def logarithm(self, x: Any) -> Any:
        if x <= 0:
            raise Undefined
        if isinstance(x, Fraction):
            up, down = x.numerator.bit_length() - 1, x.denominator.bit_length() - 1
            if Fraction(2) ** (up - down) == x:
                return Fraction(up - down)
        return mpmath.log(_many(x)) / mpmath.log(2)

    def rounded(self, x: Any, up: bool) -> Any:
        if isinstance(x, Fraction):
            return Fraction(ceil(x) if up else floor(x))
        nearest = mpmath.nint(x)
        if abs(x - nearest) < _WHOLE:
            return Fraction(int(nearest))
        return Fraction(int(mpmath.ceil(x) if up else mpmath.floor(x)))

    def exceeds(self, left: Any, right: Any) -> bool:
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left > right
        left, right = _many(left), _many(right)
        difference = left - right
        return bool(difference > _EQUAL * max(abs(left), abs(right)))

    def not_negative(self, x: Any) -> Any:
        if x < 0:
            raise Undefined
        return x

    def summed(self, term: Any, count: Any) -> Any:
        return term * count

    def choose(self, mask: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        return then() if mask else otherwise()


class Signed(Exact):
    """Exact numbers, with amounts below 0: what formulas are between values that are allowed."""

    def not_negative(self, x: Any) -> Any:
        return x


def _many(x: Any) -> Any:
    """Return a number in 170 digits."""
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _root(value: Fraction, degree: int) -> Fraction | None:
    """Return the root of a positive fraction (of any where the degree is 1), if it is rational."""
    if degree == 1:
        return value
    ends = [_whole_root(part, degree) for part in (value.numerator, value.denominator)]
    if ends[0] is None or ends[1] is None:
        return None
    return Fraction(ends[0], ends[1])


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 2:
        root = isqrt(value)
        return root if root * root == value else None
    with mpmath.workdps(DIGITS):
        guess = int(mpmath.nint(mpmath.root(value, degree)))
    return guess if guess**degree == value else None


class Bounded:
    """Floats over an array, each with a bound of its error."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any, error: Any) -> None:
        self.value, self.error = value, error

    def __add__(self, other: Bounded) -> Bounded:
        value = self.value + other.value
        return _rounded(value, self.error + other.error)

    def __sub__(self, other: Bounded) -> Bounded:
        value = self.value - other.value
        return _rounded(value, self.error + other.error)

    def __mul__(self, other: Bounded) -> Bounded:
        error = abs(self.value) * other.error + abs(other.value) * self.error
        return _rounded(self.value * other.value, error + self.error * other.error)

    def __neg__(self) -> Bounded:
        return Bounded(-self.value, self.error)


def _rounded(value: Any, error: Any) -> Bounded:
    """Return a sum or product of floats with its error, none where both were exact and it is."""
    whole = (error == 0) & (np.rint(value) == value) & (abs(value) < _EXACT)
    return Bounded(value, np.where(whole, 0.0, error * (1 + _ROUNDING) + abs(value) * _ROUNDING))


class Arrays:
    """Bounded floats; `doubtful` collects the points where something was not decided."""

    def __init__(self, points: int) -> None:
        self.doubtful = np.zeros(points, dtype=bool)

    def number(self, value: Fraction) -> Bounded:
        near = np.float64(float(value))
        exact = near == value and near * _FEW == np.rint(near * _FEW)
        return Bounded(near, np.float64(0) if exact else abs(near) * _ROUNDING)

    def divided(self, left: Bounded, right: Bounded) -> Bounded:
        value = left.value / right.value
        least = abs(right.value) - right.error
        error = (left.error + abs(value) * right.error) / least
        error = np.where(least > 0, error, np.inf)
        exact = (error == 0) & (value * right.value == left.value)
        exact &= (abs(left.value) < _EXACT) & (abs(value) < _EXACT) & (np.rint(value) == value)
        exact &= np.rint(right.value) == right.value
        return Bounded(value, np.where(exact, 0.0, error + 2 * abs(value) * _ROUNDING))

    def power(self, base: Bounded, exponent: Bounded) -> Bounded:
        value = np.power(base.value, exponent.value)
        if np.ndim(exponent.value) == 0 and exponent.value in (0, 1, 2, 3) and not exponent.error:
            found = Bounded(np.ones_like(value), np.zeros_like(value))
            for _ in range(int(exponent.value)):
                found = found * base
            return found
        relative = base.error / (abs(base.value) - base.error)
        change = abs(exponent.value) * relative + exponent.error * abs(np.log(abs(base.value)))
        change = np.where((base.value > base.error) & (change < 1e-3), change, np.inf)
        return Bounded(value, abs(value) * (2 * change + _ELEMENTARY))

    def logarithm(self, x: Bounded) -> Bounded:
        relative = np.where(x.value > 2 * x.error, x.error / x.value, np.inf)
        value = np.log2(x.value)
        return Bounded(value, 3 * relative + abs(value) * _ELEMENTARY)

    def rounded(self, x: Bounded, up: bool) -> Bounded:
        value = np.ceil(x.value) if up else np.floor(x.value)
        sure = (abs(x.value - np.rint(x.value)) > x.error) | (x.error == 0)
        sure &= abs(x.value) < _EXACT
        self.doubtful |= ~sure
        return Bounded(value, np.zeros_like(value))

    def exceeds(self, left: Bounded, right: Bounded) -> Any:
        both, gap = left.error + right.error, left.value - right.value
        self.doubtful |= ~((abs(gap) > 1.01 * both) | (both == 0))
        return gap > 0

    def not_negative(self, x: Bounded) -> Bounded:
        self.doubtful |= ~((x.value > x.error) | ((x.value == 0) & (x.error == 0)))
        return x

    def summed(self, term: Bounded, count: Bounded) -> Bounded:
        return term * count

    def choose(self, mask: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        if mask.all():
            return then()
        if not mask.any():
            return otherwise()
        yes, no = then(), otherwise()
        return Bounded(np.where(mask, yes.value, no.value), np.where(mask, yes.error, no.error))
