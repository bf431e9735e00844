"""Sums in closed form: up to an unknown as formulas without a sum, up to a number as numbers.

Both rest on Σ k^m as a polynomial in its upper bound (`expression.sum_of_powers`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.schedule import Instruction, Loop
from roofdsl.expression.substitute import rewritten, substitute
from roofdsl.expression.sum_of_powers import degrees, sum_of_powers
from roofdsl.expression.tree import Expression, Number, Sum
from roofdsl.numeric.failure import EvaluationError

CLOSED_FROM = 300
"""From so many terms on, a closed form takes less than adding up."""
CLOSED_OPERATIONS = 1000
"""What a closed form takes, in operations on floats."""
ENCLOSED_FROM = 100_000
"""A sum that takes so many operations is enclosed instead, if it can be."""
ENCLOSED_OPERATIONS = 50_000
FAILING_OPERATIONS = 40
"""What it takes to look at an operation that has no float, in operations that have one."""
_PRECISION = 128  # bits
_MOST_TURNS = 64
_DIGITS = Context(prec=120, Emax=MAX_EMAX, Emin=MIN_EMIN)
# Coefficients of q^k·k^m by q and m.
_Form: TypeAlias = dict[tuple[Fraction, int], Fraction]
_ONE = Fraction(1)


def added_up(tree: Expression, name: str) -> Expression:
    """Return a formula in which sums are polynomials in their upper bounds, where they are any.

    >>> from fractions import Fraction
    >>> from roofdsl.expression.tree import ONE, Function, Number, Symbol
    >>> n, k = Symbol("N", integer=True), Symbol("k", integer=True)
    >>> added_up(Function("max", (ONE, Sum(Number(Fraction(7)), k, ONE, n))), "N").arguments[1]
    Multiply(factors=(Number(value=Fraction(7, 1)), Symbol(name='N', integer=True, positive=True)))
    """
    if not has_sums(tree):
        return tree

    def closed(node: Expression, _: tuple[Expression, ...]) -> Expression | None:
        form = normal_form(node, name) if isinstance(node, Sum) else None
        found = None if form is None else form.tree()
        return None if found is None or has_sums(found) else found

    return rewritten(tree, closed)


def has_sums(tree: Expression) -> bool:
    """Whether there is a sum in a formula."""
    return any(isinstance(node, Sum) for node in bottom_up(tree))


def enclosed_sum(
    node: Sum, low: int, high: int, values: Mapping[str, float | EvaluationError]
) -> float | None:
    """Return a sum of powers and logarithms up to a number, None where no formula encloses it.

    The formula of Euler and Maclaurin proves an interval that has it; where that is narrower than
    a float can tell, any number in it is the sum but for the last digit.
    """
    from roofdsl.expression.bounds import bounds  # mpmath takes its time to import

    try:
        known = {
            name: Number(Fraction(value))
            for name, value in values.items()
            if not isinstance(value, EvaluationError)
        }
        body = substitute(node.body, known)
        ends = Number(Fraction(low)), Number(Fraction(high))
        least, most = bounds(Sum(body, node.index, *ends), _PRECISION)
        narrow = (most - least) * 2**60 <= abs(least)
        return float(least) if narrow else None
    except (ArithmeticError, ValueError):
        return None


class ClosedSum(NamedTuple):
    """A sum of polynomials in the index, and of powers with the index in the exponent.

    `leaves` are the slots of what its body takes from outside. Their floats are taken as exact, and
    so is all that is made of them, but for 120 digits of a geometric sum: what comes out is nearer
    to the sum of all terms than adding them up in floats, where each is rounded.
    """

    loop: Loop
    leaves: tuple[int, ...]

    def __call__(self, low: int, high: int, values: Sequence[float]) -> float | None:
        """Return the sum from `low` to `high`; None where it has to be added up after all.

        Raises OverflowError where it is beyond floats, which adding up cannot change.
        """
        forms: dict[int, _Form] = {self.loop.index_slot: {(_ONE, 1): _ONE}}
        try:
            for slot, value in zip(self.leaves, values, strict=True):
                forms[slot] = {(_ONE, 0): Fraction(value)}
            for step in self.loop.steps:
                forms[step.slot] = _formed(step, [forms[slot] for slot in step.operands])
            total = float(_total(forms[self.loop.body], low, high))
        except (ArithmeticError, LookupError, ValueError):
            return None
        if math.isinf(total):
            raise OverflowError
        return total


def closed_sum(loop: Loop) -> ClosedSum | None:
    """Return how to add up the terms of a sum at once, None where that is not known.

    >>> from roofdsl.expression.schedule import schedule
    >>> from roofdsl.expression.tree import ONE, Symbol
    >>> k, n = Symbol("k"), Symbol("N")
    >>> square = trees.Power(k, Number(Fraction(2)))
    >>> step = schedule(Sum(square, k, ONE, n)).steps[-1]
    >>> closed = closed_sum(step.loop)
    >>> closed(1, 10**18, [2.0])
    3.3333333333333335e+53
    """
    found = degrees(loop)
    if found is None:
        return None
    read = {slot for step in loop.steps for slot in step.operands} | {loop.body}
    return ClosedSum(loop, tuple(sorted(read - found.keys())))


def _formed(step: Instruction, operands: Sequence[_Form]) -> _Form:
    match step.node:
        case trees.Add():
            return reduce(_plus, operands)
        case trees.Multiply():
            return reduce(_times, operands)
        case trees.Divide():
            (((ratio, _), coefficient),) = operands[1].items()
            return _times(operands[0], {(1 / ratio, 0): 1 / coefficient})
        case trees.Power(_, Number(value)):
            return reduce(_times, [operands[0]] * value.numerator, {(_ONE, 0): _ONE})
    base, slope = operands[0][_ONE, 0], operands[1][_ONE, 1]
    constant = operands[1].get((_ONE, 0), Fraction(0))
    if base == 0 or slope.denominator > 1 or abs(slope) > _MOST_TURNS:
        raise ValueError
    if constant.denominator > 1 or abs(constant) > _MOST_TURNS:
        return {(base**slope.numerator, 0): Fraction(math.pow(base, constant))}
    return {(base**slope.numerator, 0): base**constant.numerator}


def _plus(one: _Form, other: _Form) -> _Form:
    return {key: one.get(key, 0) + other.get(key, Fraction(0)) for key in {**one, **other}}


def _times(one: _Form, other: _Form) -> _Form:
    found: _Form = {}
    for ((q, m), left), ((r, n), right) in product(one.items(), other.items()):
        found[q * r, m + n] = found.get((q * r, m + n), Fraction(0)) + left * right
    return found


def _total(form: _Form, low: int, high: int) -> Decimal:
    # S(n) - S(n-1) = n^m is an identity of polynomials, so it holds below 0 as well.
    exact = Fraction(0)
    rows = Decimal(0)
    for (ratio, power), factor in form.items():
        if ratio == 1:
            closed = sum_of_powers(power)
            exact += factor * (_value(closed, high) - _value(closed, low - 1))
            continue
        if power:
            raise ValueError
        # q^low + … + q^high = q^low·(q^n - 1)/(q - 1) for n terms
        q = _decimal(ratio)
        growth = _DIGITS.subtract(_DIGITS.power(q, high - low + 1), Decimal(1))
        terms = _DIGITS.divide(growth, _decimal(ratio - 1))
        first = _DIGITS.multiply(_decimal(factor), _DIGITS.power(q, low))
        rows = _DIGITS.add(rows, _DIGITS.multiply(first, terms))
    return _DIGITS.add(rows, _decimal(exact))


def _value(polynomial: Sequence[Fraction], at: int) -> Fraction:
    return reduce(lambda value, each: value * at + each, reversed(polynomial), Fraction(0))


def _decimal(number: Fraction) -> Decimal:
    return _DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))
