"""Sums of powers and logarithms up to an unknown bound, as a formula and a constant.

By the formula of Euler and Maclaurin (NIST Digital Library of Mathematical Functions, 2.10.1), for
whole M ≤ n and f with derivatives up to 2m,

    f(M) + … + f(n) = ∫ f + (f(M) + f(n))/2 + Σ_{j<m} B_{2j}/(2j)!·(f^(2j-1)(n) - f^(2j-1)(M)) + R,
    R = ∫ from M to n of (B_{2m} - B_{2m}(x - ⌊x⌋))/(2m)!·f^(2m)(x) dx.

By 24.9.1 and 24.9.2, B_{2m} - B_{2m}(x) has the sign of B_{2m} and at most twice its size for x
from 0 to 1. So if f^(2m) does not change its sign from M on, and f^(2m-1) goes to 0 as x grows, the
integral from any n ≥ M to ∞ lies between 0 and -2·B_{2m}/(2m)!·f^(2m-1)(n). With n = M this bounds
R whatever n is, and with it the constant C in

    f(low) + … + f(n) = C + G(n) + what lies between 0 and 2·B_{2m}/(2m)!·f^(2m-1)(n),

where G(n) is what depends on n above: to some 1e-27, where M is 64 and m is 8. With this C, few
terms of G(n) are enough where a formula is to be short, as the last part soon is next to nothing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import ceil, comb, factorial, log
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add, call, divide, multiply, number, power, subtract
from roofdsl.expression.logarithm import LN2
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.product import Product
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.sum_of_powers import HIGHEST, linear
from roofdsl.expression.tree import ONE, ZERO, Expression, Number, Symbol

_FROM = 64
_DERIVATIVES = 8
_LARGEST_SHIFT = 10**6
_PRECISION = 160  # bits


class LongSum(NamedTuple):
    """`factor · (formula + r·rest + c)`, right from the bound `first` on.

    With a constant c from `low` to `high`, and r from 0 to 1.
    """

    factor: Expression
    formula: Expression
    rest: Expression
    low: Fraction
    high: Fraction
    first: int


class _Summand(NamedTuple):
    """x^exponent, or x^exponent·log2 x, with x = k + shift, where `logarithm` says so."""

    exponent: Fraction
    shift: Fraction
    logarithm: bool


def long_parts(node: trees.Sum, bound: Expression, *, short: bool = False) -> list[LongSum] | None:
    """Return a sum up to a whole `bound`, which stands for its own, as `long_sum` does."""
    if not isinstance(node.low, Number):
        return None
    low = ceil(node.low.value)
    index = Symbol(f"index of {node.index.name}", integer=True, positive=low > 0)
    body = normal_form(substitute(node.body, {node.index.name: index}))
    return None if body is None else long_sum(body, index, low, bound, short=short)


def long_sum(
    body: NormalForm, index: Symbol, low: int, bound: Expression, *, short: bool = False
) -> list[LongSum] | None:
    """Return the sum of `body` for a whole index from `low` to a whole `bound`, in parts.

    None where the body is no sum of powers and logarithms of index + shift. `short`: the formula
    has few terms, and a rest; else there is none.

    >>> from roofdsl.expression.product import powers_of
    >>> k, n = Symbol("k", integer=True), Symbol("N", integer=True)
    >>> [harmonic] = long_sum(NormalForm({powers_of((k, -1)): 1}), k, 1, n)
    >>> float(harmonic.low), harmonic.high - harmonic.low < 1e-25  # Euler's constant
    (0.5772156649015329, True)
    """
    parts = []
    found = [_summands(product, index) for product in body.products()]
    for factor, summand in chain.from_iterable(found):
        constant = _constant(summand, low)
        if constant is None:
            return None
        first, (least, most) = constant
        x = add(bound, number(summand.shift))
        places = _DERIVATIVES
        rest: Expression = ZERO
        if short:
            places = 2
            while 2 * places - 1 <= summand.exponent or not _keeps_sign(summand, places, first):
                places += 1
            derived = _derivative(summand, 2 * places - 1, x)
            rest = multiply(number(2 * _bernoulli(places)), derived)
        parts.append(LongSum(factor, _formula(summand, x, places), rest, least, most, first))
    return parts if all(found) else None


def _summands(product: Product, index: Symbol) -> list[tuple[Expression, _Summand]]:
    """Return a product as factors without the index and what is summed, nothing if it is another.

    log2(a·x) is log2 a + log2 x.
    """
    exponent, shift = Fraction(0), None
    outside: list[Fraction] = []
    scale: list[Expression] = [Number(Fraction(product.coefficient))]
    for atom, power_of in product.powers:
        if index not in free_symbols(atom):
            scale.append(power(atom, number(Fraction(power_of))))
            continue
        match atom:
            case trees.Function("log2", (argument,)):
                inside = argument
            case _:
                inside = atom
        linear = _linear(inside, index)
        if linear is None or (shift is not None and shift != linear[1]):
            return []
        slope, shift = linear
        if inside is atom:
            exponent += power_of
            scale.append(power(number(slope), number(Fraction(power_of))))
        elif power_of == 1 and not outside:
            outside.append(slope)
        else:
            return []
    if exponent > HIGHEST:
        return []
    summand = _Summand(exponent, shift or Fraction(0), bool(outside))
    found: list[tuple[Expression, _Summand]] = [(multiply(*scale), summand)]
    if outside and outside[0] != 1:
        factor = multiply(*scale, call("log2", number(outside[0])))
        found.append((factor, summand._replace(logarithm=False)))
    return found


def _linear(atom: Expression, index: Symbol) -> tuple[Fraction, Fraction] | None:
    """Return slope > 0 and shift of slope·(index + shift)."""
    slope, others = linear(atom, index) or (Fraction(0), [])
    numbers = [each.value for each in others if isinstance(each, Number)]
    if slope <= 0 or len(numbers) < len(others):
        return None
    shift = sum(numbers, Fraction(0)) / slope
    return (slope, shift) if abs(shift) <= _LARGEST_SHIFT else None


@lru_cache(maxsize=64)
def _constant(summand: _Summand, low: int) -> tuple[int, tuple[Fraction, Fraction]] | None:
    """Return from where on the formula holds, and bounds of its constant; None: not known."""
    shift = summand.shift
    first = max(low, ceil(_FROM - shift))
    if not 0 < low + shift <= _LARGEST_SHIFT or first - low > 4 * _FROM:
        return None
    if not _keeps_sign(summand, _DERIVATIVES, first):
        return None
    from roofdsl.expression.bounds import bounds  # mpmath takes its time to import

    terms = (_derivative(summand, 0, number(k + shift)) for k in range(low, first + 1))
    start = number(first + shift)
    known = subtract(add(*terms), _formula(summand, start, _DERIVATIVES))
    last = _derivative(summand, 2 * _DERIVATIVES - 1, start)
    rest = multiply(number(-2 * _bernoulli(_DERIVATIVES)), last)
    (least, most), (one, other) = bounds(known, _PRECISION), bounds(rest, _PRECISION)
    zero = Fraction(0)
    return first, (least + min(one, zero), most + max(other, zero))


def _keeps_sign(summand: _Summand, places: int, first: int) -> bool:
    """Whether the derivative 2·places does not change its sign from some index on."""
    # x^(s-q)·(a·ln x + b) has one sign from M on if it has that of a at M, since ln x grows.
    a, b = _factors(summand, 2 * places)
    return not a or b / a + Fraction(log(first + summand.shift)) > Fraction(1, 1000)


def _formula(summand: _Summand, x: Expression, places: int) -> Expression:
    """Return G(x): what of the sum depends on its bound."""
    terms = [_integral(summand, x), multiply(trees.HALF, _derivative(summand, 0, x))]
    for place in range(1, places):
        derived = _derivative(summand, 2 * place - 1, x)
        terms.append(multiply(number(_bernoulli(place)), derived))
    return add(*terms)


def _integral(summand: _Summand, x: Expression) -> Expression:
    exponent = summand.exponent + 1
    log2 = call("log2", x)
    if not exponent:
        # ∫ 1/x is ln x, and ∫ log2 x / x is ln 2·(log2 x)²/2.
        last = multiply(log2, log2, trees.HALF) if summand.logarithm else log2
        return multiply(LN2, last)
    whole = divide(power(x, number(exponent)), number(exponent))
    if not summand.logarithm:
        return whole
    return multiply(whole, subtract(log2, divide(ONE, multiply(number(exponent), LN2))))


def _factors(summand: _Summand, order: int) -> tuple[Fraction, Fraction]:
    """Return a and b: the derivative is x^(s - order)·(a·ln x + b), over ln 2 with a logarithm."""
    # (x^t·(a·ln x + b))' = x^(t-1)·(t·a·ln x + t·b + a)
    a, b = (Fraction(1), Fraction(0)) if summand.logarithm else (Fraction(0), Fraction(1))
    for place in range(order):
        t = summand.exponent - place
        a, b = t * a, t * b + a
    return a, b


def _derivative(summand: _Summand, order: int, x: Expression) -> Expression:
    a, b = _factors(summand, order)
    inner: Expression = number(b)
    if summand.logarithm:
        inner = add(multiply(number(a), call("log2", x)), divide(number(b), LN2))
    return multiply(inner, power(x, number(summand.exponent - order)))


@lru_cache(maxsize=_DERIVATIVES + 1)
def _bernoulli(place: int) -> Fraction:
    """Return B_(2·place)/(2·place)!."""
    numbers = [Fraction(1)]
    for m in range(1, 2 * place + 1):
        total = sum((comb(m + 1, k) * each for k, each in enumerate(numbers)), Fraction(0))
        numbers.append(-total / (m + 1))
    return numbers[-1] / factorial(2 * place)
