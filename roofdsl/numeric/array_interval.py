"""Interval arithmetic on arrays: bounds of a formula at many whole numbers at once.

Each result is rounded outwards unless it is certain to be exact. NaN stands where nothing is known:
every comparison with it is false, so it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import inf
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from roofdsl.expression import tree as trees
from roofdsl.expression.schedule import Instruction, schedule
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Number, Relation, Symbol
from roofdsl.numeric.interval import around

Array: TypeAlias = NDArray[np.float64]
Truths: TypeAlias = NDArray[np.bool_]

# NumPy's elementary functions are not rounded correctly; all are off by far less than this.
_ERROR = 2.0**-48
_LEAST, _LARGEST = 1e-290, 1.7e308
# Whole numbers below are floats, and sums, products and quotients of them that come out as such
# numbers are exact: rounding keeps the order, so what is not below does not come out below.
_WHOLE = 2.0**53
# A sum over an index is added up for as many terms.
MOST_TERMS = 200_000


class Bounds(NamedTuple):
    """The least and the greatest value at each point; one array stands for both where exact."""

    low: Array
    high: Array


class Truth(NamedTuple):
    """Where a condition certainly holds, and where it may."""

    certain: Truths
    possible: Truths


_Value: TypeAlias = Bounds | Truth


class ArrayEnclosure:
    """A formula of one unknown, to be enclosed at whole numbers; `size`: its operations.

    >>> n = Symbol("N")
    >>> third = ArrayEnclosure(trees.Divide(n, Number(Fraction(3))), "N")
    >>> low, high = third.over(3, 4)
    >>> float(low[0]), float(high[0]), low[1] < Fraction(4, 3) < high[1]
    (1.0, 1.0, True)
    """

    def __init__(self, tree: Expression, name: str) -> None:
        plan = schedule(tree)
        self.size = len(plan.steps)
        self._steps = plan.steps
        self._result = plan.result
        self._slots = plan.slots
        self._name = name

    def over(self, first: int, last: int) -> Bounds:
        """Return the bounds at all whole numbers from one to another, below 2^63."""
        whole = np.arange(first, last + 1, dtype=np.int64)
        places = whole.astype(np.float64)
        exact = abs(first) <= _WHOLE and abs(last) <= _WHOLE
        given = Bounds(places, places) if exact else _widened(places, places)
        registers: list[_Value | None] = [None] * self._slots
        # What has no value, or an infinite one, shows as NaN.
        with np.errstate(all="ignore"):
            for step in self._steps:
                registers[step.slot] = self._value(step, registers, given)
        found = registers[self._result]
        return found if isinstance(found, Bounds) else _unknown(given)

    def _value(
        self, step: Instruction, registers: Sequence[_Value | None], given: Bounds
    ) -> _Value:
        node = step.node
        operands = [registers[slot] for slot in step.operands]
        numbers = [each if isinstance(each, Bounds) else _unknown(given) for each in operands]
        match node:
            case Number(value):
                return _constant(value, given)
            case Symbol():
                return given if node.name == self._name else _unknown(given)
            case trees.Logic(operator, _):
                return _logic(operator, [_truth(each, given) for each in operands])
            case trees.Conditional():
                return _chosen(_truth(operands[0], given), numbers[1], numbers[2])
            case trees.Comparison(relation, _, _):
                return _compared(relation, numbers[0], numbers[1])
            case trees.Function("is_integer", _):
                return _is_whole(numbers[0])
            case trees.Sum():
                return _sum(node, numbers[0], numbers[1], given)
            case trees.Power(_, exponent):
                return _power(numbers[0], numbers[1], exponent)
            case trees.Function(name, _):
                return _function(name, numbers, given)
        return _folded(node, numbers)


def _truth(value: _Value | None, like: Bounds) -> Truth:
    if isinstance(value, Truth):
        return value
    never = np.zeros_like(like.low, dtype=np.bool_)
    return Truth(never, ~never)


def _unknown(like: Bounds) -> Bounds:
    nothing = np.full_like(like.low, np.nan)
    return Bounds(nothing, nothing)


def _constant(value: Fraction, like: Bounds) -> Bounds:
    low, high = around(value)
    bottom = np.full_like(like.low, low)
    return Bounds(bottom, bottom if low == high else np.full_like(like.low, high))


def _widened(low: Array, high: Array, error: float = 0.0) -> Bounds:
    """Widen by a rounding to the nearest, and by a relative error."""
    if error:
        # Below the normal numbers no error is relative, beyond the largest none is known.
        low, high = np.minimum(low, _LARGEST), np.where(np.abs(high) < _LEAST, _LEAST, high)
        low = np.where(np.abs(low) < _LEAST, -_LEAST, low)
        low, high = low - np.abs(low) * error, high + np.abs(high) * error
    return Bounds(np.nextafter(low, -inf), np.nextafter(high, inf))


def _outward(low: Array, high: Array, exact: Truths, point: bool) -> Bounds:
    """Round results outwards where they are not exact; `point`: both are one array."""
    if point:
        if exact.all():
            return Bounds(low, low)
        high = low
    wide = _widened(low, high)
    return Bounds(np.where(exact, low, wide.low), np.where(exact, high, wide.high))


def _whole(values: Array) -> Truths:
    result: Truths = (np.abs(values) < _WHOLE) & (np.rint(values) == values)
    return result


def _folded(node: Expression, numbers: Sequence[Bounds]) -> Bounds:
    operation = {trees.Add: _add, trees.Multiply: _times, trees.Divide: _divide}.get(type(node))
    if operation is None:
        raise TypeError(node)
    result = numbers[0]
    for each in numbers[1:]:
        result = operation(result, each)
    return result


def _add(one: Bounds, other: Bounds) -> Bounds:
    point = one.low is one.high and other.low is other.high
    low = one.low + other.low
    high = low if point else one.high + other.high
    # Whole numbers below 2^53 are added exactly.
    exact = _whole(one.low) & _whole(other.low) & _whole(low)
    if not point:
        exact &= _whole(one.high) & _whole(other.high) & _whole(high)
    return _outward(low, high, exact, point)


def _times(one: Bounds, other: Bounds) -> Bounds:
    if one.low is one.high and other.low is other.high:
        low = one.low * other.low
        return _outward(low, low, _whole(one.low) & _whole(other.low) & _whole(low), True)
    corners = [a * b for a in one for b in other]
    low, high = _least(corners), _greatest(corners)
    exact = _whole(one.low) & _whole(other.low) & _whole(one.high) & _whole(other.high)
    return _outward(low, high, exact & _whole(low) & _whole(high), False)


def _divide(one: Bounds, other: Bounds) -> Bounds:
    # A quotient by what may be 0 may be anything, or nothing.
    defined = (other.low > 0) | (other.high < 0)
    corners = [a / b for a in one for b in other]
    low, high = _least(corners), _greatest(corners)
    low, high = (np.where(defined, each, np.nan) for each in (low, high))
    if one.low is one.high and other.low is other.high:
        exact = _whole(one.low) & _whole(other.low) & _whole(low)
        return _outward(low, low, exact & (low * other.low == one.low), True)
    return _widened(low, high)


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


def _power(base: Bounds, raised: Bounds, exponent: Expression) -> Bounds:
    if isinstance(exponent, Number):
        value = exponent.value
        if value < 0:
            one = Bounds(*[np.ones_like(base.low)] * 2)
            return _divide(one, _power(base, raised, Number(-value)))
        if value.denominator == 1 and value <= 64:
            return _repeated(base, value.numerator)
        if value == Fraction(1, 2):
            return _root(base)
    # For a base > 0 the power is monotone in the base, and in the exponent: its extremes lie at
    # corners.
    corners = [np.power(a, b) for a in base for b in raised]
    found = _widened(_least(corners), _greatest(corners), _ERROR)
    defined = base.low > 0
    low = np.where(defined, np.maximum(found.low, 0.0), np.nan)
    return Bounds(low, np.where(defined, found.high, np.nan))


def _repeated(base: Bounds, times: int) -> Bounds:
    if times == 0:
        return Bounds(*[np.ones_like(base.low)] * 2)
    if times % 2 == 0:
        # An even power is one of the absolute value, which is narrower than a product of two.
        half = _repeated(_absolute(base), times // 2)
        return _times(half, half)
    return base if times == 1 else _times(base, _repeated(base, times - 1))


def _root(base: Bounds) -> Bounds:
    low = np.sqrt(base.low)
    if base.low is base.high:
        square = low * low
        return _outward(low, low, _whole(low) & _whole(square) & (square == base.low), True)
    found = _widened(low, np.sqrt(base.high))
    return Bounds(found.low, np.where(np.isnan(low), np.nan, found.high))


def _absolute(argument: Bounds) -> Bounds:
    if argument.low is argument.high:
        return Bounds(*[np.abs(argument.low)] * 2)
    low = np.maximum(0.0, np.maximum(argument.low, -argument.high))
    return Bounds(low, np.maximum(-argument.low, argument.high))


_LOGARITHMS: dict[str, Callable[[Array], Array]] = {
    "log2": np.log2, "ln": np.log, "log10": np.log10,
}  # fmt: skip


def _logarithm(argument: Bounds, name: str) -> Bounds:
    function = _LOGARITHMS[name]
    defined = argument.low > 0
    low, high = (np.where(defined, function(each), np.nan) for each in argument)
    if argument.low is argument.high and name == "log2":
        mantissa, exponent = np.frexp(argument.low)
        exact = mantissa == 0.5  # a power of 2
        found = _widened(low, low, _ERROR)
        power = exponent.astype(np.float64) - 1
        return Bounds(np.where(exact, power, found.low), np.where(exact, power, found.high))
    return _widened(low, high, _ERROR)


def _function(name: str, operands: Sequence[Bounds], given: Bounds) -> Bounds:
    first = operands[0]
    match name:
        case "ceil" | "floor":
            function = np.ceil if name == "ceil" else np.floor
            low = function(first.low)
            return Bounds(low, low if first.low is first.high else function(first.high))
        case "min" | "max":
            choose = _least if name == "min" else _greatest
            low = choose([each.low for each in operands])
            point = all(each.low is each.high for each in operands)
            return Bounds(low, low if point else choose([each.high for each in operands]))
        case "abs":
            return _absolute(first)
        case "log2" | "ln" | "log10":
            return _logarithm(first, name)
        case "log":
            return _divide(_logarithm(first, "ln"), _logarithm(operands[1], "ln"))
        case "exp":
            found = _widened(np.exp(first.low), np.exp(first.high), _ERROR)
            return Bounds(np.maximum(found.low, 0.0), found.high)
    return _unknown(given)


def _compared(relation: Relation, one: Bounds, other: Bounds) -> Truth:
    # What holds for no pair of values is told by its opposite; that is false for NaN, so that the
    # relation stays possible.
    match relation:
        case "<":
            return Truth(one.high < other.low, ~(one.low >= other.high))
        case "<=":
            return Truth(one.high <= other.low, ~(one.low > other.high))
        case ">" | ">=":
            return _compared("<" if relation == ">" else "<=", other, one)
    apart = (one.high < other.low) | (one.low > other.high)
    alike = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    return Truth(alike, ~apart) if relation == "==" else Truth(apart, ~alike)


def _is_whole(argument: Bounds) -> Truth:
    low, high = np.ceil(argument.low), np.floor(argument.high)
    return Truth((argument.low == argument.high) & (low == high), ~(low > high))


def _logic(operator: str, operands: Sequence[Truth]) -> Truth:
    certain, possible = operands[0]
    if operator == "not":
        return Truth(~possible, ~certain)
    for each in operands[1:]:
        if operator == "and":
            certain, possible = certain & each.certain, possible & each.possible
        else:
            certain, possible = certain | each.certain, possible | each.possible
    return Truth(certain, possible)


def _chosen(condition: Truth, one: Bounds, other: Bounds) -> Bounds:
    certain, possible = condition
    # Where the condition is not decided the value is one of both: it lies in their hull.
    low, high = np.minimum(one.low, other.low), np.maximum(one.high, other.high)
    low = np.where(certain, one.low, np.where(possible, low, other.low))
    if one.low is one.high and other.low is other.high and (certain | ~possible).all():
        return Bounds(low, low)
    return Bounds(low, np.where(certain, one.high, np.where(possible, high, other.high)))


def _sum(node: trees.Sum, low: Bounds, high: Bounds, given: Bounds) -> Bounds:
    """Return the bounds of a sum whose terms do not depend on the unknown."""
    first, last = np.ceil(low.low), np.floor(high.high)
    fixed = (np.ceil(low.high) == first) & (np.floor(high.low) == last)
    fixed &= (np.abs(first) < _WHOLE) & (np.abs(last) < _WHOLE)
    named = {symbol.name for symbol in free_symbols(node.body)} - {node.index.name}
    if named or not fixed.any():
        return _unknown(given)
    begin, end = int(first[fixed].min()), int(last[fixed].max())
    if end - begin >= MOST_TERMS:
        return _unknown(given)
    if end < begin:
        zero = np.where(fixed, 0.0, np.nan)
        return Bounds(zero, zero)
    terms = ArrayEnclosure(node.body, node.index.name).over(begin, end)
    # Sums of all terms up to one: n additions are off by less than n units in the last place of
    # the sum of all sizes.
    totals = [np.concatenate(([0.0], np.cumsum(each))) for each in terms]
    sizes = np.concatenate(([0.0], np.cumsum(np.maximum(np.abs(terms.low), np.abs(terms.high)))))
    exact = bool(_whole(terms.low).all()) and terms.low is terms.high and sizes[-1] <= _WHOLE
    error = 0.0 if exact else len(sizes) * 2.0**-51
    empty = last < first
    start = np.where(fixed & ~empty, first - begin, 0).astype(np.int64)
    stop = np.where(fixed & ~empty, last - begin + 1, 0).astype(np.int64)
    slack = (sizes[stop] + sizes[start]) * error
    bottom = totals[0][stop] - totals[0][start] - slack
    top = totals[1][stop] - totals[1][start] + slack
    bottom, top = (np.where(fixed, each, np.nan) for each in (bottom, top))
    return Bounds(bottom, bottom) if exact else _widened(bottom, top)


def orders(
    left: ArrayEnclosure, right: ArrayEnclosure, first: int, last: int
) -> Iterator[tuple[int, int, int | None]]:
    """Yield runs of whole numbers with the order of two formulas there, None where bounds overlap.

    >>> n = Symbol("N")
    >>> square, double = trees.Multiply((n, n)), trees.Multiply((Number(Fraction(2)), n))
    >>> list(orders(ArrayEnclosure(square, "N"), ArrayEnclosure(double, "N"), 1, 9))
    [(1, 1, -1), (2, 2, 0), (3, 9, 1)]
    """
    one, other = left.over(first, last), right.over(first, last)
    above, below = one.low > other.high, one.high < other.low
    equal = (one.low == one.high) & (other.low == other.high) & (one.low == other.low)
    # The bounds are of numbers: where both ends are infinite nothing is known.
    equal &= np.isfinite(one.low)
    codes = np.select([above, below, equal], [1, -1, 0], default=2)
    ends = np.append(np.flatnonzero(np.diff(codes)), len(codes) - 1)
    begin = 0
    for end in ends.tolist():
        code = int(codes[begin])
        yield first + begin, first + end, None if code == 2 else code
        begin = end + 1
