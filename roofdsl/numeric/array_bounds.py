"""Interval arithmetic on arrays: at each point the least and the greatest value.

Each result is rounded outwards unless it is certain to be exact. NaN stands where nothing is known:
every comparison with it is false, so it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np

from roofdsl.expression import tree as trees
from roofdsl.expression.tree import Expression, Number, Relation
from roofdsl.numeric.array_program import Array, Truths
from roofdsl.numeric.interval import around

# NumPy's elementary functions are not rounded correctly; all are off by far less than this.
_ERROR = 2.0**-48
_LEAST, _LARGEST = 1e-290, 1.7e308
# Whole numbers below are floats, and sums, products and quotients of them that come out as such
# numbers are exact: rounding keeps the order, so what is not below does not come out below.
WHOLE = 2.0**53


class ArrayBounds(NamedTuple):
    """The least and the greatest value at each point; one array stands for both where exact."""

    low: Array
    high: Array


class Truth(NamedTuple):
    """Where a condition certainly holds, and where it may."""

    certain: Truths
    possible: Truths


Enclosed: TypeAlias = ArrayBounds | Truth


def truth(value: Enclosed | None, like: ArrayBounds) -> Truth:
    """Return a condition's truth; of what is none, nothing is known."""
    if isinstance(value, Truth):
        return value
    never = np.zeros_like(like.low, dtype=np.bool_)
    return Truth(never, ~never)


def unknown(like: ArrayBounds) -> ArrayBounds:
    """Return bounds that decide nothing."""
    nothing = np.full_like(like.low, np.nan)
    return ArrayBounds(nothing, nothing)


def constant(value: Fraction, like: ArrayBounds) -> ArrayBounds:
    """Return the bounds of a number."""
    low, high = around(value)
    bottom = np.full_like(like.low, low)
    return ArrayBounds(bottom, bottom if low == high else np.full_like(like.low, high))


def widened(low: Array, high: Array, error: float = 0.0) -> ArrayBounds:
    """Widen by a rounding to the nearest, and by a relative error."""
    if error:
        # Below the normal numbers no error is relative, beyond the largest none is known.
        low, high = np.minimum(low, _LARGEST), np.where(np.abs(high) < _LEAST, _LEAST, high)
        low = np.where(np.abs(low) < _LEAST, -_LEAST, low)
        low, high = low - np.abs(low) * error, high + np.abs(high) * error
    return ArrayBounds(np.nextafter(low, -inf), np.nextafter(high, inf))


def _outward(low: Array, high: Array, exact: Truths, point: bool) -> ArrayBounds:
    """Round results outwards where they are not exact; `point`: both are one array."""
    if point:
        if exact.all():
            return ArrayBounds(low, low)
        high = low
    wide = widened(low, high)
    return ArrayBounds(np.where(exact, low, wide.low), np.where(exact, high, wide.high))


def whole(values: Array) -> Truths:
    """Return where values are whole numbers below 2^53."""
    result: Truths = (np.abs(values) < WHOLE) & (np.rint(values) == values)
    return result


def folded(node: Expression, numbers: Sequence[ArrayBounds]) -> ArrayBounds:
    """Return the bounds of a sum, product or quotient."""
    operation = {trees.Add: add, trees.Multiply: _times, trees.Divide: _divide}.get(type(node))
    if operation is None:
        raise TypeError(node)
    result = numbers[0]
    for each in numbers[1:]:
        result = operation(result, each)
    return result


def add(one: ArrayBounds, other: ArrayBounds) -> ArrayBounds:
    """Return the bounds of a sum of two."""
    point = one.low is one.high and other.low is other.high
    low = one.low + other.low
    high = low if point else one.high + other.high
    # Whole numbers below 2^53 are added exactly.
    exact = whole(one.low) & whole(other.low) & whole(low)
    if not point:
        exact &= whole(one.high) & whole(other.high) & whole(high)
    return _outward(low, high, exact, point)


def _times(one: ArrayBounds, other: ArrayBounds) -> ArrayBounds:
    if one.low is one.high and other.low is other.high:
        low = one.low * other.low
        return _outward(low, low, whole(one.low) & whole(other.low) & whole(low), True)
    corners = [a * b for a in one for b in other]
    low, high = _least(corners), _greatest(corners)
    exact = whole(one.low) & whole(other.low) & whole(one.high) & whole(other.high)
    return _outward(low, high, exact & whole(low) & whole(high), False)


def _divide(one: ArrayBounds, other: ArrayBounds) -> ArrayBounds:
    # A quotient by what may be 0 may be anything, or nothing.
    defined = (other.low > 0) | (other.high < 0)
    corners = [a / b for a in one for b in other]
    low, high = _least(corners), _greatest(corners)
    low, high = (np.where(defined, each, np.nan) for each in (low, high))
    if one.low is one.high and other.low is other.high:
        exact = whole(one.low) & whole(other.low) & whole(low)
        return _outward(low, low, exact & (low * other.low == one.low), True)
    return widened(low, high)


def _least(arrays: Sequence[Array]) -> Array:
    result = arrays[0]
    for each in arrays[1:]:
        result = np.minimum(result, each)
    return result


def _greatest(arrays: Sequence[Array]) -> Array:
    result = arrays[0]
    for each in arrays[1:]:
        result = np.maximum(result, each)
    return result


def power(base: ArrayBounds, raised: ArrayBounds, exponent: Expression) -> ArrayBounds:
    """Return the bounds of a power."""
    if isinstance(exponent, Number):
        value = exponent.value
        if value < 0:
            one = ArrayBounds(*[np.ones_like(base.low)] * 2)
            return _divide(one, power(base, raised, Number(-value)))
        if value.denominator == 1 and value <= 64:
            return _repeated(base, value.numerator)
        if value == Fraction(1, 2):
            return _root(base)
    # For a base > 0 the power is monotone in the base, and in the exponent: its extremes lie at
    # corners.
    corners = [np.power(a, b) for a in base for b in raised]
    found = widened(_least(corners), _greatest(corners), _ERROR)
    defined = base.low > 0
    low = np.where(defined, np.maximum(found.low, 0.0), np.nan)
    return ArrayBounds(low, np.where(defined, found.high, np.nan))


def _repeated(base: ArrayBounds, count: int) -> ArrayBounds:
    if count == 0:
        return ArrayBounds(*[np.ones_like(base.low)] * 2)
    if count % 2 == 0:
        # An even power is one of the absolute value, which is narrower than a product of two.
        half = _repeated(_absolute(base), count // 2)
        return _times(half, half)
    return base if count == 1 else _times(base, _repeated(base, count - 1))


def _root(base: ArrayBounds) -> ArrayBounds:
    low = np.sqrt(base.low)
    if base.low is base.high:
        square = low * low
        return _outward(low, low, whole(low) & whole(square) & (square == base.low), True)
    found = widened(low, np.sqrt(base.high))
    return ArrayBounds(found.low, np.where(np.isnan(low), np.nan, found.high))


def _absolute(argument: ArrayBounds) -> ArrayBounds:
    if argument.low is argument.high:
        return ArrayBounds(*[np.abs(argument.low)] * 2)
    low = np.maximum(0.0, np.maximum(argument.low, -argument.high))
    return ArrayBounds(low, np.maximum(-argument.low, argument.high))


_LOGARITHMS: dict[str, Callable[[Array], Array]] = {
    "log2": np.log2, "ln": np.log, "log10": np.log10,
}  # fmt: skip


def _logarithm(argument: ArrayBounds, name: str) -> ArrayBounds:
    of = _LOGARITHMS[name]
    defined = argument.low > 0
    low, high = (np.where(defined, of(each), np.nan) for each in argument)
    if argument.low is argument.high and name == "log2":
        mantissa, exponent = np.frexp(argument.low)
        exact = mantissa == 0.5  # a power of 2
        found = widened(low, low, _ERROR)
        whole_power = exponent.astype(np.float64) - 1
        return ArrayBounds(*(np.where(exact, whole_power, each) for each in found))
    return widened(low, high, _ERROR)


def function(name: str, operands: Sequence[ArrayBounds], given: ArrayBounds) -> ArrayBounds:
    """Return the bounds of a function."""
    first = operands[0]
    match name:
        case "ceil" | "floor":
            rounded = np.ceil if name == "ceil" else np.floor
            low = rounded(first.low)
            return ArrayBounds(low, low if first.low is first.high else rounded(first.high))
        case "min" | "max":
            choose = _least if name == "min" else _greatest
            low = choose([each.low for each in operands])
            point = all(each.low is each.high for each in operands)
            return ArrayBounds(low, low if point else choose([each.high for each in operands]))
        case "abs":
            return _absolute(first)
        case "log2" | "ln" | "log10":
            return _logarithm(first, name)
        case "log":
            return _divide(_logarithm(first, "ln"), _logarithm(operands[1], "ln"))
        case "exp":
            found = widened(np.exp(first.low), np.exp(first.high), _ERROR)
            return ArrayBounds(np.maximum(found.low, 0.0), found.high)
    return unknown(given)


def compared(relation: Relation, one: ArrayBounds, other: ArrayBounds) -> Truth:
    """Return where a relation holds, and where it may."""
    # What holds for no pair of values is told by its opposite; that is false for NaN, so that the
    # relation stays possible.
    match relation:
        case "<":
            return Truth(one.high < other.low, ~(one.low >= other.high))
        case "<=":
            return Truth(one.high <= other.low, ~(one.low > other.high))
        case ">" | ">=":
            return compared("<" if relation == ">" else "<=", other, one)
    apart = (one.high < other.low) | (one.low > other.high)
    alike = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    return Truth(alike, ~apart) if relation == "==" else Truth(apart, ~alike)


def is_whole(argument: ArrayBounds) -> Truth:
    """Return where a value is a whole number, and where it may be."""
    low, high = np.ceil(argument.low), np.floor(argument.high)
    return Truth((argument.low == argument.high) & (low == high), ~(low > high))


def logic(operator: str, operands: Sequence[Truth]) -> Truth:
    """Return where `and`, `or` or `not` holds, and where it may."""
    certain, possible = operands[0]
    if operator == "not":
        return Truth(~possible, ~certain)
    for each in operands[1:]:
        if operator == "and":
            certain, possible = certain & each.certain, possible & each.possible
        else:
            certain, possible = certain | each.certain, possible | each.possible
    return Truth(certain, possible)


def chosen(condition: Truth, one: ArrayBounds, other: ArrayBounds) -> ArrayBounds:
    """Return the bounds of an `if`."""
    certain, possible = condition
    # Where the condition is not decided the value is one of both: it lies in their hull.
    low, high = np.minimum(one.low, other.low), np.maximum(one.high, other.high)
    low = np.where(certain, one.low, np.where(possible, low, other.low))
    if one.low is one.high and other.low is other.high and (certain | ~possible).all():
        return ArrayBounds(low, low)
    return ArrayBounds(low, np.where(certain, one.high, np.where(possible, high, other.high)))
