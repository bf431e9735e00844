"""Bounds of a number expression at any precision, through mpmath's intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, inf
from typing import TYPE_CHECKING, TypeAlias

from mpmath import isnan, mp
from mpmath.ctx_iv import MPIntervalContext

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare_ranges, join
from roofdsl.expression.normalise import constant_value
from roofdsl.expression.order import bottom_up, outside_sums, sum_levels
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression, Number, Symbol

if TYPE_CHECKING:
    from mpmath import mpf
    from mpmath.ctx_iv import ivmpf

    # Comparisons give None where the intervals overlap.
    _Value: TypeAlias = ivmpf | bool | None


# Numbers with more bits before or behind the point are not written out.
_LONGEST = 10**5
# Of an exponential, and of what a logarithm is taken of, no more bits than this are worked with.
_WIDEST = 2_000
# Of a sum, so many terms are added up, those of sums in its terms counted.
_FEW = 256
_LARGEST_WHOLE = 2**32
# An operation with so many bits takes about a unit of work.
_UNIT_BITS = 100
# And what the formula of a long sum takes.
_LONG = 150


class Unclear(ArithmeticError):
    """There may be no value, or one that this precision cannot decide."""


class Undefined(ArithmeticError):
    """There is certainly no value."""


def bounds(tree: Expression, precision: int) -> tuple[Fraction, Fraction]:
    """Return a lower and an upper bound, computed with `precision` bits.

    Raises ArithmeticError or ValueError where there is no value (`Undefined` where that is certain)
    or more precision is needed, or the bounds would be longer than 10^5 bits.

    >>> low, high = bounds(trees.Function("log2", (Number(Fraction(3)),)), 100)
    >>> low < high and float(low) == float(high)
    True
    """
    low, high = _ends(_enclosed(tree, _context(precision)))
    return _fraction(low), _fraction(high)


def sign_by_bounds(
    tree: Expression,
    precision: int,
    name: str = "",
    value: Fraction | None = None,
    budget: Budget | None = None,
) -> int:
    """Return 1 or -1 where the bounds have one sign, else 0; raises as `bounds`.

    However large or small the number is, it is never written out. A budget is charged for the terms
    of sums, and `Unclear` raised where it does not do for them.

    >>> tower = trees.Power(Number(Fraction(2)), Number(Fraction(10**12)))
    >>> sign_by_bounds(trees.Add((tower, Number(Fraction(-1)))), 100)
    1
    """
    low, high = _ends(_enclosed(tree, _context(precision), name, value, budget=budget))
    return int(low > 0) - int(high < 0)


def _enclosed(
    tree: Expression,
    context: MPIntervalContext,
    name: str = "",
    value: Fraction | None = None,
    few: int = _FEW,
    budget: Budget | None = None,
) -> _Value:
    found: dict[int, _Value | ArithmeticError | ValueError] = {}
    for node in bottom_up(tree, outside_sums):
        if value is not None and isinstance(node, Symbol) and node.name == name:
            found[id(node)] = context.mpf(value.numerator) / value.denominator
            continue
        try:
            operands = [_sound(found[id(each)]) for each in _taken(node, found)]
            if isinstance(node, trees.Sum):
                found[id(node)] = _summed(
                    context, node, operands, (name, value), few, budget or Budget(inf)
                )
            else:
                found[id(node)] = _value(context, node, operands)
        except (ArithmeticError, ValueError) as problem:
            # It may stand in a branch that is not taken; whoever needs it meets it again.
            found[id(node)] = problem
    return _sound(found[id(tree)])


def _taken(
    node: Expression, found: Mapping[int, _Value | ArithmeticError | ValueError]
) -> tuple[Expression, ...]:
    """Return the operands that count: of an `if`, the branch that is taken."""
    if not isinstance(node, trees.Conditional):
        return outside_sums(node)
    condition = _sound(found[id(node.condition)])
    if condition is None:
        raise Unclear
    return (node.consequence if condition else node.alternative,)


def _sound(value: _Value | ArithmeticError | ValueError) -> _Value:
    if isinstance(value, ArithmeticError | ValueError):
        raise value
    return value


def _summed(
    context: MPIntervalContext,
    node: trees.Sum,
    ends: Sequence[_Value],
    given: tuple[str, Fraction | None],
    few: int,
    budget: Budget,
) -> _Value:
    """Return a sum of few terms, or a long one by the formula of Euler and Maclaurin."""
    name, value = given
    low, high, body = node.low, node.high, node.body
    if value is not None:
        put_in = {name: Number(value)}
        low, high = substitute(low, put_in), substitute(high, put_in)
        body = body if node.index.name == name else substitute(body, put_in)
    first = _whole(_jumped(context, "ceil", low, _number(ends[0])))
    last = _whole(_jumped(context, "floor", high, _number(ends[1])))
    total = context.mpf(0)
    own = int(few ** (1 / sum_levels(node)))
    if last - first < own:
        index, left = node.index.name, few // own
        size = len(bottom_up(body, outside_sums))
        for place in range(first, last + 1):
            if not budget.left:
                raise Unclear
            budget.spend(size * context.prec / _UNIT_BITS)
            term = _enclosed(body, context, index, Fraction(place), left, budget)
            total = total + _number(term)
        return total
    from roofdsl.expression.long_sum import long_parts  # few formulas have such sums

    upper = Number(Fraction(last))
    budget.spend(_LONG * context.prec / _UNIT_BITS)
    parts = long_parts(trees.Sum(body, node.index, Number(Fraction(first)), upper), upper)
    if parts is None or any(last < part.first for part in parts):
        raise Unclear
    for part in parts:
        (least, _), (_, most) = (
            _ends(context.mpf(end.numerator) / end.denominator) for end in (part.low, part.high)
        )
        constant = context.make_mpf((least._mpf_, most._mpf_))
        factor, formula = (_number(_enclosed(each, context)) for each in part[:2])
        total = total + factor * (formula + constant)
    return total


def _number(value: _Value) -> ivmpf:
    if value is None or isinstance(value, bool):
        raise Unclear
    return value


def _whole(value: ivmpf) -> int:
    low, high = _ends(value)
    if low != high:
        raise Unclear
    return int(_fraction(low))


def _ends(value: _Value) -> tuple[mpf, mpf]:
    """Return the ends as they are, mantissa and exponent: they compare exactly, at any size."""
    if value is None or isinstance(value, bool):
        raise Unclear
    low, high = (mp.make_mpf(end) for end in value._mpi_)  # mpmath has no public way to an end
    if isnan(low) or isnan(high):
        raise Unclear
    return low, high


def _fraction(number: mpf) -> Fraction:
    negative, mantissa, exponent, _ = number._mpf_
    if (not mantissa and exponent) or abs(exponent) > _LONGEST:
        raise Unclear  # infinite, or too long to be written out
    size = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return -size if negative else size


def _bits(number: mpf) -> int:
    """Return how many bits a number has before the point; below 0 where it is a small part of 1."""
    _, mantissa, exponent, length = number._mpf_
    if not mantissa and exponent:
        raise Unclear
    return int(exponent) + int(length)


def _value(context: MPIntervalContext, node: Expression, operands: Sequence[_Value]) -> _Value:
    match node:
        case Number(value):
            return context.mpf(value.numerator) / value.denominator
        case trees.Logic(operator, _):
            return join(operator, [None if each is None else bool(each) for each in operands])
        case trees.Conditional():
            return operands[0]
        case trees.Function("is_integer", (argument,)):
            return _is_whole(argument, operands[0])
        case trees.Comparison(relation, _, _):
            return compare_ranges(relation, _ends(operands[0]), _ends(operands[1]))
    numbers = [each for each in operands if each is not None and not isinstance(each, bool)]
    if len(numbers) < len(operands):
        raise Unclear
    match node:
        case trees.Add():
            return sum(numbers[1:], start=numbers[0])
        case trees.Multiply():
            product = numbers[0]
            for each in numbers[1:]:
                product = product * each
            return product
        case trees.Divide():
            # mpmath would answer with all numbers; more bits may move the ends off 0.
            low, high = _ends(numbers[1])
            if low <= 0 <= high:
                raise Unclear
            return numbers[0] / numbers[1]
        case trees.Power(_, exponent):
            return _power(context, exponent, numbers[0], numbers[1])
        case trees.Function(name, arguments):
            return _function(context, name, arguments, numbers)
    raise Unclear


def _power(context: MPIntervalContext, exponent: Expression, base: ivmpf, other: ivmpf) -> ivmpf:
    if isinstance(exponent, Number) and exponent.value.denominator == 1:
        low, high = _ends(base)
        if exponent.value < 0 and low <= 0 <= high:
            raise Unclear
        if abs(exponent.value) < _LARGEST_WHOLE:
            return base ** int(exponent.value)
        # By squares it would take as many as the exponent has bits, each of them as long.
    if isinstance(exponent, Number):
        other = context.mpf(exponent.value.numerator) / exponent.value.denominator
    return _exp(context, other * _ln(context, base))


def _exp(context: MPIntervalContext, exponent: ivmpf) -> ivmpf:
    if max(map(_bits, _ends(exponent))) > _WIDEST:
        raise Unclear
    return context.exp(exponent)


def _ln(context: MPIntervalContext, argument: ivmpf) -> ivmpf:
    low, high = _ends(argument)
    if high <= 0:
        raise Undefined
    if low <= 0:
        raise Unclear
    return context.log(argument)


def _function(
    context: MPIntervalContext,
    name: str,
    arguments: Sequence[Expression],
    operands: Sequence[ivmpf],
) -> ivmpf:
    first = operands[0]
    match name:
        case "ln":
            return _ln(context, first)
        case "log2":
            return _ln(context, first) / _ln(context, context.mpf(2))
        case "log10":
            return _ln(context, first) / _ln(context, context.mpf(10))
        case "log":
            return _ln(context, first) / _ln(context, operands[1])
        case "exp":
            return _exp(context, first)
        case "abs":
            return abs(first)
        case "min" | "max":
            choose: Callable[[Sequence[mpf]], mpf] = min if name == "min" else max
            ends = [_ends(each) for each in operands]
            low, high = choose([end[0] for end in ends]), choose([end[1] for end in ends])
            return context.make_mpf((low._mpf_, high._mpf_))
        case "ceil" | "floor":
            return _jumped(context, name, arguments[0], first)
    raise Unclear


def _jumped(context: MPIntervalContext, name: str, argument: Expression, value: ivmpf) -> ivmpf:
    low, high = _ends(value)
    if max(_bits(low), _bits(high)) > _LONGEST:
        return value + context.mpf([0, 1] if name == "ceil" else [-1, 0])
    # The value lies between the ends and the function never falls: if both ends give one whole
    # number, so does the value. If not, only an exact value can tell, as at a whole number.
    jump = ceil if name == "ceil" else floor
    first, last = (jump(_fraction(end)) for end in (low, high))
    if first != last:
        known = constant_value(argument)
        if known is None:
            raise Unclear
        first = jump(known)
    return context.mpf(first)


def _is_whole(argument: Expression, value: _Value) -> bool:
    known = constant_value(argument)
    if known is not None:
        return known.denominator == 1
    low, high = (_fraction(end) for end in _ends(value))
    if floor(low) != floor(high) or low == floor(low):
        raise Unclear
    return False


@lru_cache(maxsize=16)
def _context(precision: int) -> MPIntervalContext:
    context = MPIntervalContext()
    context.prec = precision
    return context
