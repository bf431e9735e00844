"""At which whole numbers n ≥ 1 a formula is a whole number itself, read off its form."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor, lcm
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import divide, number, power, subtract
from roofdsl.expression.normal_form import NormalForm, number_form
from roofdsl.expression.polynomial import Degree, GeneralisedPolynomial, polynomial
from roofdsl.expression.rational import factors
from roofdsl.expression.tree import Expression, Number
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.congruence import ResidueClass, whole_values
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate

# A base that `factors` leaves over has no factor below 1000: below 10^6 it is a prime, below 10^9
# no square divides it, as it is no power.
_CERTAINLY_PRIME = 10**6
_CERTAINLY_SQUARE_FREE = 10**9
_MOST_DIVISORS = 200_000
_HIGHEST = 64
_PRECISION = 160  # bits; a level is a whole number below 10^18 or lies 10^-18 and more beside it


class Rooted(NamedTuple):
    """Only n = scale · m^degree with a whole m come into question, and m is to be sought."""

    scale: int
    degree: int


class Levels(NamedTuple):
    """The formula is factor · log2 n + constant: one n at most for each of its whole values."""

    factor: Expression
    constant: Expression

    def numbers(self, start: int, end: int, budget: Budget) -> Iterator[int | None]:
        """Yield the n from `start` to `end` with a whole value, and some without.

        None, where no more can be said.
        """
        upwards = start <= end
        low, high = min(start, end), max(start, end)
        from roofdsl.expression.bounds import bounds  # few conditions need it, and mpmath

        values = [_level(self, each) for each in (low, high)]
        if None in values:
            yield None
            return
        first, last = sorted(each for each in values if each is not None)
        levels = range(floor(first) - 1, ceil(last) + 2)
        rising = (values[0] == first) == upwards
        for level in levels if rising else levels[::-1]:
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
            yield from inside if upwards else inside[::-1]


class Classes(NamedTuple):
    """Exactly the numbers in one of these classes."""

    classes: tuple[ResidueClass, ...]


class Listed(NamedTuple):
    """These numbers, in order, at most: each is to be tried."""

    listed: list[int]

    def numbers(self, start: int, end: int, _: Budget) -> Iterator[int]:
        """Yield those from `start` to `end`, upwards or downwards."""
        low, high = min(start, end), max(start, end)
        row = self.listed if start <= end else self.listed[::-1]
        return (each for each in row if low <= each <= high)


Integrality: TypeAlias = Rooted | Levels | Classes | Listed


def integrality(tree: Expression, name: str, budget: Budget) -> Integrality | None:
    """Return where a formula of a whole number n ≥ 1 is whole; None where its form does not say.

    Classes are exact; of what else is returned each number is to be tried.

    >>> from roofdsl.expression.construct import square_root
    >>> n = trees.Symbol("N", integer=True)
    >>> integrality(square_root(divide(n, number(2))), "N", Budget())
    Rooted(scale=2, degree=2)
    """
    form = polynomial(tree, name)
    if form is None:
        return None
    degrees = [degree for degree in form.terms if degree != (0, 0)]
    if any(degree.log for degree in degrees):
        return _levels(form) if degrees == [(0, 1)] else None
    irrational = [
        degree
        for degree, each in form.terms.items()
        if degree.x.denominator != 1 or each.constant is None
    ]
    if len(irrational) > 1:
        return None
    if irrational:
        return _rooted(irrational[0], form.terms[irrational[0]])
    coefficients = {
        degree.x.numerator: Fraction(each.constant or 0) for degree, each in form.terms.items()
    }
    if min(coefficients, default=0) < 0:
        return _divisors(coefficients)
    highest = max(coefficients, default=0)
    if highest > _HIGHEST:
        return None
    row = [coefficients.get(each, Fraction(0)) for each in range(highest + 1)]
    found = whole_values(row, budget)
    return None if found is None else Classes(found)


def _levels(form: GeneralisedPolynomial) -> Levels:
    zero = number_form(0)
    factor, constant = (form.terms.get(Degree(0, log), zero) for log in (1, 0))
    return Levels(factor.tree(), constant.tree())


def _level(levels: Levels, place: int) -> float | None:
    try:
        factor, constant = evaluate(levels.factor, {}), evaluate(levels.constant, {})
        return factor * evaluate(trees.Function("log2", (number(place),)), {}) + constant
    except (EvaluationError, OverflowError):
        return None


def _rooted(degree: Degree, coefficient: NormalForm) -> Rooted | Listed | None:
    """Return which n make c·n^(k/q) rational; what else there is in the sum is rational for all n.

    c^q·n^k must be the q-th power of a rational number. For a prime p that divides it v times in c
    (a fraction where c has roots) and e times in n, q·v + k·e must be divisible by q. So q·v is
    whole, or there is no such n, and e ≡ -q·v/k (mod q) as k and q are coprime: n is the product of
    the p to the least such e, times any number to the power q.
    """
    exponents = _exponents(coefficient)
    if exponents is None:
        return None
    k, q = degree.x.numerator, degree.x.denominator
    scale = 1
    for base, exponent in exponents.items():
        needed = exponent * q
        if needed.denominator != 1:
            return Listed([])
        times = -needed.numerator * pow(k, -1, q) % q if q > 1 else 0
        if times and base >= _CERTAINLY_SQUARE_FREE:
            return None
        scale *= base**times
    return Rooted(scale, q)


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
