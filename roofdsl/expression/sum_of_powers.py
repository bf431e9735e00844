"""Sums over whole numbers of polynomials and geometric rows, as formulas of their upper bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TypeAlias

from roofdsl.expression import construct
from roofdsl.expression.construct import number
from roofdsl.expression.normal_form import NormalForm, number_form, product_form
from roofdsl.expression.product import Product, Rational, is_positive, powers_of
from roofdsl.expression.rational import rational_power
from roofdsl.expression.schedule import Loop
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import (
    Add,
    Divide,
    Expression,
    Function,
    Multiply,
    Number,
    Power,
    Symbol,
)

HIGHEST = 12
# Of what a geometric row grows by.
MOST_BITS = 200
Exponential: TypeAlias = tuple[Expression, Rational]


@lru_cache(maxsize=HIGHEST + 1)
def sum_of_powers(exponent: int) -> tuple[Fraction, ...]:
    """Return c with 1^m + 2^m + … + n^m = Σ c[k]·n^k, for every whole n ≥ 0.

    >>> [str(each) for each in sum_of_powers(2)]
    ['0', '1/6', '1/2', '1/3']
    """
    # (n+1)^(m+1) - 1 = Σ_k C(m+1, k)·(sum of k-th powers up to n), solved for the m-th.
    result = [Fraction(comb(exponent + 1, power)) for power in range(exponent + 2)]
    result[0] = Fraction(0)
    for lower in range(exponent):
        factor = comb(exponent + 1, lower)
        for power, coefficient in enumerate(sum_of_powers(lower)):
            result[power] -= factor * coefficient
    return tuple(each / (exponent + 1) for each in result)


def summed(
    body: NormalForm,
    index: Symbol,
    low: int,
    high: NormalForm,
    form: Callable[[Expression], NormalForm],
) -> NormalForm | None:
    """Return the sum of `body` for a whole index from `low` to `high`, without a sum.

    None, where the body is no polynomial in the index of a degree up to `HIGHEST`, times powers
    with a number as base, or the upper bound not certain to be a whole number, and no less than
    `low - 1`. `form` makes normal forms.

    >>> from roofdsl.expression.normal_form import symbol_form
    >>> n, k = Symbol("N", integer=True), Symbol("k", integer=True)
    >>> summed(symbol_form(k), k, 1, symbol_form(n), symbol_form).tree().denominator
    Number(value=Fraction(2, 1))
    """
    if not high.is_whole or _least(high) is None or (_least(high) or 0) < low - 1:
        return None
    parts: dict[tuple[int, frozenset[Exponential]], NormalForm] = {}
    for coefficient, powers in body.products():
        exponent = dict(powers).get(index, 0)
        rest = powers.difference(powers_of((index, exponent)))
        if exponent.denominator != 1 or not 0 <= exponent <= HIGHEST:
            return None
        depending = frozenset(each for each in rest if index in free_symbols(each[0]))
        key = exponent.numerator, depending
        factor = product_form(Product(coefficient, rest - depending))
        parts[key] = parts.get(key, NormalForm({})) + factor
    result = NormalForm({})
    before = number_form(low - 1)
    for (power, exponentials), factor in parts.items():
        ratio = _ratio(exponentials, index)
        if ratio is None:
            return None
        ends = []
        for end in (high, before):
            put_in = {index.name: end.tree()}
            scale = number_form(1)
            for atom, times in exponentials:
                scale = scale * form(construct.power(substitute(atom, put_in), number(times)))
            ends.append(scale * _value(coefficients(power, ratio), end))
        result = result + factor * (ends[0] - ends[1])
    return result


def _ratio(exponentials: frozenset[Exponential], index: Symbol) -> Fraction | None:
    """Return by what a product of b^(a·k + c) grows from one k to the next, None if not known."""
    ratio = Fraction(1)
    for atom, times in exponentials:
        match atom:
            case Power(Number(base), exponent):
                step = linear(exponent, index)
                found = None if step is None else rational_power(base, step[0] * times, MOST_BITS)
                if found is None or found <= 0:
                    return None
                ratio *= found
            case _:
                return None
    return ratio


def linear(tree: Expression, index: Symbol) -> tuple[Fraction, list[Expression]] | None:
    """Return the factor of the index in a sum, and the other terms; None where these have it too.

    >>> k = Symbol("k", integer=True)
    >>> linear(construct.add(construct.multiply(number(2), k), number(3)), k)
    (Fraction(2, 1), [Number(value=Fraction(3, 1))])
    """
    factor = Fraction(0)
    others: list[Expression] = []
    for term in tree.terms if isinstance(tree, Add) else (tree,):
        match term:
            case Symbol() if term == index:
                factor += 1
            case Multiply((Number(value), Symbol() as symbol)) if symbol == index:
                factor += value
            case Divide(Symbol() as symbol, Number(value)) if symbol == index and value:
                factor += 1 / value
            case _ if index in free_symbols(term):
                return None
            case _:
                others.append(term)
    return factor, others


def degrees(loop: Loop) -> dict[int, int] | None:
    """Return the degrees in the index of what a sum computes for each term, by slot.

    -1 is for an index in the exponent. None where a term is made of anything else.

    >>> from roofdsl.expression.schedule import schedule
    >>> from roofdsl.expression.tree import ONE, Sum
    >>> k, n = Symbol("k"), Symbol("N")
    >>> loop = schedule(Sum(construct.power(k, number(2)), k, ONE, n)).steps[-1].loop
    >>> degrees(loop)[loop.body]
    2
    """
    found = {loop.index_slot: 1}
    for step in loop.steps:
        degree = _degree(step.node, [found.get(slot, 0) for slot in step.operands])
        if degree is None or degree > HIGHEST:
            return None
        found[step.slot] = degree
    return found


def _degree(node: Expression, operands: Sequence[int]) -> int | None:
    """Return the degree of what an operation makes of such degrees; None: nothing closed."""
    match node:
        case Add():
            return max(operands) if min(operands) >= 0 else -1
        case Multiply() | Divide() if max(operands) == 0 or min(operands) == 0:
            inverted = isinstance(node, Divide) and operands[1] > 0
            return None if inverted else max(operands) or min(operands)
        case Multiply() if min(operands) >= 0:
            return sum(operands)
        case Power(_, Number(value)) if value in range(HIGHEST + 1) and operands[0] >= 0:
            return operands[0] * value.numerator
        case Power() if operands == [0, 1]:
            return -1
    return None


@lru_cache(maxsize=64)
def coefficients(power: int, ratio: Fraction) -> tuple[Fraction, ...]:
    """Return q with Σ k^m·r^k = r^n·Q(n) and a constant, Q(n) = Σ q[i]·n^i, for k up to n.

    >>> [str(each) for each in coefficients(1, Fraction(2))]
    ['-2', '2']
    """
    if ratio == 1:
        return sum_of_powers(power)
    # r^n·Q(n) - r^(n-1)·Q(n-1) is to be n^m·r^n: Q(n) - Q(n-1)/r is n^m, solved from the top.
    found = [Fraction(0)] * (power + 1)
    for place in range(power, -1, -1):
        above = range(place + 1, power + 1)
        rest = sum((found[j] * comb(j, place) * (-1) ** (j - place) for j in above), Fraction(0))
        found[place] = ((place == power) + rest / ratio) / (1 - 1 / ratio)
    return tuple(found)


def _least(form: NormalForm) -> int | None:
    """Return a number that a sum of whole atoms is certainly not below, None if there is none."""
    total = 0
    for powers, coefficient in form.terms.items():
        if powers and coefficient < 0:
            return None
        # What is whole and above 0 is at least 1; `floor` of what is above 0 may be 0.
        if all(is_positive(atom) for atom, _ in powers):
            total += coefficient.numerator
        elif not all(is_positive(_argument(atom)) for atom, _ in powers):
            return None
    return total


def _argument(atom: Expression) -> Expression:
    return atom.arguments[0] if isinstance(atom, Function) and atom.name == "floor" else atom


def _value(polynomial: Sequence[Fraction], bound: NormalForm) -> NormalForm:
    result = NormalForm({})
    for coefficient in reversed(polynomial):
        result = result * bound + number_form(coefficient)
    return result
