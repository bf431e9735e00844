"""At which whole numbers n ≥ 1 a formula is a whole number itself, read off its form."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, gcd, lcm
from typing import NamedTuple

from roofdsl.allowance import Budget
from roofdsl.expression.construct import add, divide, multiply, number, power, subtract
from roofdsl.expression.normal_form import NormalForm, number_form
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.rational import factors, integer_root
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate

# A base that `factors` leaves over has no factor below 1000: below 10^6 it is a prime, below 10^9
# no square divides it, as it is no power.
_CERTAINLY_PRIME = 10**6
_CERTAINLY_SQUARE_FREE = 10**9
_MOST_DIVISORS = 200_000
_PRECISION = 160  # bits; a level is a whole number below 10^18 or lies 10^-18 and more beside it


class Progression(NamedTuple):
    """All n = scale · m^degree + shift with a whole m ≥ 1.

    `exact`: at each of them the formula is whole; otherwise it may be, and m is to be sought.
    """

    scale: int
    degree: int
    shift: int
    exact: bool

    def at(self, m: int) -> int:
        """Return the number for a whole m."""
        return self.scale * int(m**self.degree) + self.shift

    def within(self, low: int, high: int) -> tuple[int, int]:
        """Return the least and the largest m with a number between two that are ≥ 1.

        >>> Progression(7, 1, -2, True).within(5, 30), Progression(2, 2, 0, False).within(3, 50)
        ((1, 4), (2, 5))
        """
        below, most = -(-(low - self.shift) // self.scale) - 1, (high - self.shift) // self.scale
        return integer_root(below, self.degree) + 1, integer_root(most, self.degree)

    def tree(self, symbol: Expression) -> Expression:
        """Return the number as a formula of m."""
        power_of_m = multiply(number(self.scale), power(symbol, number(self.degree)))
        return add(power_of_m, number(self.shift))


EVERY = Progression(1, 1, 0, True)


class Levels(NamedTuple):
    """A formula of a name is factor · log2 n + constant: one n at most for each whole value."""

    formula: Expression
    name: str
    factor: Expression
    constant: Expression

    def numbers(self, start: int, end: int, budget: Budget) -> Iterator[int | None]:
        """Yield the n from `start` to `end` with a whole value, and some without.

        None, where no more can be said.
        """
        from roofdsl.expression.bounds import bounds  # few conditions need it, and mpmath

        try:
            values = [evaluate(self.formula, {self.name: each}) for each in (start, end)]
        except (EvaluationError, OverflowError):
            yield None
            return
        levels = range(floor(min(values)) - 1, ceil(max(values)) + 2)
        low, high = min(start, end), max(start, end)
        for level in levels if values[0] <= values[1] else levels[::-1]:
            budget.spend(1)
            exponent = divide(subtract(number(level), self.constant), self.factor)
            try:
                least, most = bounds(power(number(2), exponent), _PRECISION)
            except (ArithmeticError, ValueError):
                least = most = Fraction(0)
            if not budget.left or not 0 < least <= most or most - least > 1:
                yield None
                return
            inside = range(max(low, ceil(least)), min(high, floor(most)) + 1)
            yield from inside if start <= end else inside[::-1]


class Listed(NamedTuple):
    """These numbers, in order, at most: each is to be tried."""

    listed: list[int]

    def numbers(self, start: int, end: int, _: Budget) -> Iterator[int]:
        """Yield those from `start` to `end`, upwards or downwards."""
        low, high = min(start, end), max(start, end)
        row = self.listed if start <= end else self.listed[::-1]
        return (each for each in row if low <= each <= high)


NOWHERE = Listed([])


def integrality(tree: Expression, name: str) -> Progression | Levels | Listed | None:
    """Return where a formula of a whole number n ≥ 1 is whole; None where its form does not say.

    >>> from roofdsl.expression.construct import square_root
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N", integer=True)
    >>> integrality(square_root(divide(n, number(2))), "N")
    Progression(scale=2, degree=2, shift=0, exact=True)
    """
    form = polynomial(tree, name)
    if form is None:
        return None
    degrees = [degree for degree in form.terms if degree != (0, 0)]
    if any(degree.log for degree in degrees):
        zero = number_form(0)
        factor, constant = (form.terms.get(Degree(0, log), zero).tree() for log in (1, 0))
        return Levels(tree, name, factor, constant) if degrees == [(0, 1)] else None
    irrational = [
        degree
        for degree, each in form.terms.items()
        if degree.x.denominator != 1 or each.constant is None
    ]
    if len(irrational) > 1:
        return None
    coefficients = {
        degree.x.numerator: Fraction(each.constant or 0)
        for degree, each in form.terms.items()
        if degree not in irrational
    }
    rest = coefficients.get(0, Fraction(0))
    alone = len(degrees) == 1 and degrees[0].x > 0 and rest.denominator == 1
    if irrational or (alone and degrees[0].x > 1):
        (degree,) = irrational or degrees
        return _power(degree, form.terms[degree], alone=alone)
    if min(coefficients, default=0) < 0:
        return _divisors(coefficients)
    if not degrees:
        return EVERY if rest.denominator == 1 else NOWHERE
    return _linear(coefficients[1], rest) if {*coefficients} <= {0, 1} else None


def _linear(slope: Fraction, constant: Fraction) -> Progression | Listed:
    """Return where slope·n + constant is whole: n is one number modulo another.

    With d the common denominator, it is where d·slope·n ≡ -d·constant (mod d). With g the greatest
    common divisor of d·slope and d this has a solution exactly where g divides d·constant.
    """
    modulus = lcm(slope.denominator, constant.denominator)
    step, rest = int(slope * modulus), -int(constant * modulus)
    common = gcd(step, modulus)
    if rest % common:
        return NOWHERE
    modulus //= common
    residue = rest // common * pow(step // common, -1, modulus) % modulus if modulus > 1 else 0
    return Progression(modulus, 1, residue - modulus if residue else 0, True)


def _power(degree: Degree, coefficient: NormalForm, *, alone: bool) -> Progression | Listed | None:
    """Return which n make c·n^(k/q) rational, and whole if it stands `alone`.

    What else there is in a sum is rational for all n. c^q·n^k must be the q-th power of a rational
    number. For a prime p that divides it v times in c (a fraction where c has roots) and e times in
    n, q·v + k·e must be divisible by q, and not below 0 for c·n^(k/q) to be whole. So q·v is whole,
    or there is no such n, and e ≡ -q·v/k (mod q) as k and q are coprime: n is the product of the p
    to the least such e, times any number to the power q.
    """
    exponents = _exponents(coefficient)
    if exponents is None:
        return None
    k, q = degree.x.numerator, degree.x.denominator
    scale = 1
    for base, exponent in exponents.items():
        needed = exponent * q
        if needed.denominator != 1:
            return NOWHERE
        least = max(0, ceil(-needed / k)) if alone else 0
        residue = -needed.numerator * pow(k, -1, q) if q > 1 else 0
        times = least + (residue - least) % q
        if times and base >= _CERTAINLY_SQUARE_FREE:
            return None
        scale *= base**times
    return Progression(scale, q, 0, alone)


def _exponents(coefficient: NormalForm) -> dict[int, Fraction] | None:
    """Return the bases of one product of numbers, each without a square, with their exponents."""
    if len(coefficient.terms) != 1:
        return None
    (product,) = coefficient.products()
    found: dict[int, Fraction] = {}
    rational = Fraction(product.coefficient)
    parts = [(abs(rational.numerator), Fraction(1)), (rational.denominator, Fraction(-1))]
    for atom, exponent in product.powers:
        if not isinstance(atom, Number):
            return None
        parts.append((atom.value.numerator, Fraction(exponent)))
        parts.append((atom.value.denominator, -Fraction(exponent)))
    for value, sign in parts:
        for base, times in factors(value):
            found[base] = found.get(base, Fraction(0)) + sign * times
    return found


def _divisors(coefficients: dict[int, Fraction]) -> Listed | None:
    """Return the numbers among which those must be at which a sum of powers is whole.

    With d the common denominator and -e the least exponent, d times the terms of negative exponents
    is whole, too; times n^(e-1) it is a[e]/n plus a whole number. So n divides a[e] = d·c[-e].
    """
    denominator = lcm(*(each.denominator for each in coefficients.values()))
    numbers = [1]
    for base, exponent in factors(abs(int(coefficients[min(coefficients)] * denominator))):
        if base >= _CERTAINLY_PRIME or len(numbers) * (exponent + 1) > _MOST_DIVISORS:
            return None
        numbers = [each * base**times for each in numbers for times in range(exponent + 1)]
    return Listed(sorted(numbers))
