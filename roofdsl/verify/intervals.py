"""Intervals between two exact numbers, each an arb without a radius; what forms are over them.

One ball is useless over a wide box: (15 ± 5)² is 225 ± 175. What may have no value is ANYTHING.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from flint import arb, ctx, fmpq

from roofdsl.verify.forms import CONSTANT, Algebra, Atom, Form, Product, atom, constant, number

Ends: TypeAlias = tuple[arb, arb]
ANYTHING: Ends = (arb("-inf"), arb("+inf"))
ONE: Ends = (arb(1), arb(1))
ZERO: Ends = (arb(0), arb(0))
_LARGEST_EXPONENT = 64
# Binary digits, tried one after another.
_DIGITS = (64, 256, 1024, 4096)
_OF_A_ROUNDING = 256
_LARGEST_WHOLE = arb(2) ** 1000


def outwards(low: arb, high: arb) -> Ends:
    """Return the interval from the least of one ball to the most of another."""
    return ANYTHING if low.is_nan() or high.is_nan() else (low.lower(), high.upper())


def of_number(value: Fraction | int) -> Ends:
    ball = arb(fmpq(value.numerator, value.denominator))
    return outwards(ball, ball)


def add(parts: Sequence[Ends]) -> Ends:
    return outwards(sum((p[0] for p in parts), arb(0)), sum((p[1] for p in parts), arb(0)))


def multiply(one: Ends, other: Ends) -> Ends:
    if one[0] >= 0 and other[0] >= 0:
        return outwards(one[0] * other[0], one[1] * other[1])
    products = [a * b for a in one for b in other]
    if any(each.is_nan() for each in products):
        return ANYTHING
    return min(each.lower() for each in products), max(each.upper() for each in products)


def inverse(one: Ends) -> Ends:
    return outwards(1 / one[1], 1 / one[0]) if one[0] > 0 or one[1] < 0 else ANYTHING


def power(base: Ends, exponent: Fraction) -> Ends:
    if exponent < 0:
        return inverse(power(base, -exponent))
    if exponent.denominator == 1 and exponent <= _LARGEST_EXPONENT:
        low, high = base[0] ** exponent.numerator, base[1] ** exponent.numerator
        if base[0] >= 0 or exponent % 2:
            return outwards(low, high)
        return outwards(high if base[1] <= 0 else arb(0), max(low.upper(), high.upper()))
    if base[0] < 0:
        return ANYTHING
    return outwards(_root(base[0], exponent), _root(base[1], exponent))


def _root(base: arb, exponent: Fraction) -> arb:
    ratio = fmpq(exponent.numerator, exponent.denominator)
    return base.sqrt() if exponent == Fraction(1, 2) else base ** arb(ratio)  # exact if it can be


def logarithm(one: Ends) -> Ends:
    return outwards(one[0].log(), one[1].log()) if one[0] > 0 else ANYTHING


class Bounds(NamedTuple):
    """Of a value, and of its slope x·f'/f, which of x^a is a; None where it may jump."""

    value: Ends
    slope: Ends | None


class Over:
    """The bounds over one interval, its ends included; those of an atom are worked out once.

    `of_node`: the bounds of a node that may be one thing here and another there.
    """

    def __init__(
        self, low: Fraction, high: Fraction, algebra: Algebra, of_node: Callable[[int], Ends]
    ) -> None:
        self._x = of_number(low)[0], of_number(high)[1]
        self._algebra = algebra
        self._of_node = of_node
        self._known: dict[Atom, Bounds] = {}

    def atom(self, one: Atom) -> Bounds:
        if one not in self._known:
            self._algebra.spend(10)
            self._known[one] = self._atom(one)
        return self._known[one]

    def _atom(self, one: Atom) -> Bounds:
        match one.kind:
            case "x":
                return Bounds(self._x, ONE)
            case "root":
                return Bounds(of_number(one.number), ZERO)
            case "ln of":
                return Bounds(logarithm(of_number(one.number)), ZERO)
            case "off by":
                return Bounds((arb(0), of_number(most_off(one))[1]), None)
            case "node":
                return Bounds(self._of_node(one.number), None)
        value, slope = (ANYTHING, None) if one.kind == "index" else self.form(dict(one.form))
        match one.kind:
            case "ln":
                found = logarithm(value)
                return Bounds(found, slope and multiply(slope, inverse(found)))
            case "e":
                power_of_e = outwards(value[0].exp(), value[1].exp())
                return Bounds(power_of_e, slope and multiply(value, slope))
            case "ceil" | "floor":
                off = (arb(0), arb(1)) if one.kind == "ceil" else (arb(-1), arb(0))
                return Bounds(add([value, off]), None)
        return Bounds(value, slope)

    def product(self, product: Product) -> Bounds:
        value, slopes = ONE, [ZERO]
        for one, exponent in product:
            found = self.atom(one)
            value = multiply(value, power(found.value, exponent))
            if found.slope is not None:
                slopes.append(multiply(of_number(exponent), found.slope))
        return Bounds(value, add(slopes) if len(slopes) > len(product) else None)

    def form(self, form: Form) -> Bounds:
        """Return the bounds of a form; products that differ by constants alone are one term."""
        if not form:
            return Bounds(ZERO, ZERO)
        terms: list[Bounds] = []
        for product, factors in varying(form).items():
            self._algebra.spend(1 + len(product) + len(factors))
            fixed = [
                multiply(of_number(factor), self.product(constants).value)
                for constants, factor in factors.items()
            ]
            value, slope = self.product(product)
            terms.append(Bounds(multiply(add(fixed), value), slope))
        value = add([each.value for each in terms])
        slopes = [(each.value, each.slope) for each in terms if each.slope is not None]
        if len(slopes) < len(terms):
            return Bounds(value, None)
        slope = multiply(add([multiply(*each) for each in slopes]), inverse(value))
        if all(weight[0] >= 0 for weight, _ in slopes):  # a mean of them
            least, most = min(each[0] for _, each in slopes), max(each[1] for _, each in slopes)
            slope = max(slope[0], least), min(slope[1], most)
        return Bounds(value, slope)


def most_off(one: Atom) -> Fraction:
    """Return what a rounding is off by at most."""
    return 1 - Fraction(1, one.number) if one.number else Fraction(1)


def varying(form: Form) -> dict[Product, dict[Product, Fraction]]:
    """Return what varies in the products of a form, each with its constants and their factors."""
    found: dict[Product, dict[Product, Fraction]] = {}
    for product, factor in form.items():
        constants = frozenset(each for each in product if each[0].kind in CONSTANT)
        found.setdefault(product - constants, {})[constants] = factor
    return found


class Exact(Algebra):
    """Adds what is exact at one number: of what is rational by rationals, else by many digits."""

    def put_in(self, form: Form, place: Fraction) -> Form:
        """Return a form with a number put in for the unknown; constants that are equal cancel."""
        return self.mapped(form, lambda one, exponent: self._put_in(one, exponent, place))

    def _put_in(self, one: Atom, exponent: Fraction, place: Fraction) -> Form:
        inside = self.put_in(dict(one.form), place)
        match one.kind:
            case "x":
                return self.root(place, exponent)
            case "sum":
                return self.power(inside, exponent)
            case "ln":
                return self.power(self.ln(inside), exponent)
            case "e":
                return self.exp(self.times(inside, number(exponent)))
            case "ceil" | "floor":
                return self.power(self.rounded(inside, one.kind), exponent)
        return atom(one, exponent)

    def rounded(self, form: Form, kind: str) -> Form:
        """Return a constant rounded, as it is where that is not known."""
        value = constant(form)
        if value is not None:
            return number(-(-value // 1) if kind == "ceil" else value // 1)
        both = self._bounds(form, _OF_A_ROUNDING)
        if all(abs(end) < _LARGEST_WHOLE for end in both):
            low, high = ((end.ceil() if kind == "ceil" else end.floor()).fmpz() for end in both)
            if low == high:
                return number(int(low))
        return self.of(kind, form)

    def _bounds(self, form: Form, digits: int) -> Ends:
        self.spend(digits)
        with ctx.workprec(digits):
            return Over(Fraction(1), Fraction(1), self, lambda _: ANYTHING).form(form).value

    def sign(self, form: Form) -> int | None:
        """Return the sign of a constant, None where it is not known. Only what cancels is 0."""
        value = constant(form)
        if value is not None:
            return (value > 0) - (value < 0)
        for digits in _DIGITS:
            low, high = self._bounds(form, digits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        return None
