"""Formulas as sums of products of atoms, in which what is equal cancels.

A form has the exact rational factor of each product. Constants that are not rational, such as
2^(1/2) and ln 3, are atoms as well, of primes wherever they can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce
from math import floor, gcd, lcm
from typing import NamedTuple, TypeAlias

from flint import fmpz


class Atom(NamedTuple):
    """What products are made of.

    `kind`: "x" the unknown; "index" of a sum, node `number`; "root" of the prime `number`; "ln of"
    it; "ln", "sum" of `form`; "e" to the power of `form`; "ceil", "floor" of it; "off by": what one
    of these adds or takes away, from 0 to 1 - 1/`number`; "node" `number`, of which bounds alone
    are known.
    """

    kind: str
    number: int = 0
    form: Key = frozenset()


Product: TypeAlias = frozenset[tuple[Atom, Fraction]]
Key: TypeAlias = frozenset[tuple[Product, Fraction]]
Form: TypeAlias = Mapping[Product, Fraction]

CONSTANT = ("root", "ln of")
_POSITIVE = (*CONSTANT, "x", "e")
"""What is above 0 wherever it has a value."""
_NO_ATOMS: Product = frozenset()
# Binary digits: of factors that are found in a number, of one factor of a product.
_SMALL, _MOST_BITS = 20, 8000
_HIGHEST = 12


class TooMuchError(Exception):
    """Raised where a certificate asks for more than is done for any."""


def number(value: Fraction | int) -> Form:
    return {_NO_ATOMS: Fraction(value)} if value else {}


def atom(one: Atom, exponent: Fraction = Fraction(1)) -> Form:
    return {frozenset({(one, exponent)}): Fraction(1)}


def constant(form: Form) -> Fraction | None:
    """Return the number that a form is, None where it is none."""
    return form.get(_NO_ATOMS, Fraction(0)) if len(form) == (_NO_ATOMS in form) else None


class Algebra:
    """The arithmetic of forms; it does so much `work`, and then raises TooMuchError."""

    def __init__(self, work: int) -> None:
        self.work = work
        self._keys: dict[Key, Key] = {}

    def spend(self, steps: int) -> None:
        self.work -= steps
        if self.work < 0:
            raise TooMuchError

    def of(self, kind: str, form: Form, exponent: Fraction = Fraction(1), number: int = 0) -> Form:
        """Return a power of the atom of a kind that is made of a form."""
        # Of equal ones the first is kept, so that none is ever compared to its depth.
        key = frozenset(form.items())
        return atom(Atom(kind, number, self._keys.setdefault(key, key)), exponent)

    def mapped(self, form: Form, change: Callable[[Atom, Fraction], Form]) -> Form:
        """Return a form with what each atom to its power is changed to."""
        found: Form = {}
        for product, value in form.items():
            self.spend(1 + 5 * len(product))
            changed = (change(one, exponent) for one, exponent in product)
            found = self.plus(found, reduce(self.times, changed, number(value)))
        return found

    def divided(self, form: Form, product: Product) -> Form:
        inverse = frozenset((one, -exponent) for one, exponent in product)
        return self.times(form, {inverse: Fraction(1)})

    def plus(self, one: Form, other: Form, factor: Fraction | int = 1) -> Form:
        self.spend(len(one) + len(other))
        found = dict(one)
        for product, value in other.items():
            found[product] = found.get(product, Fraction(0)) + value * factor
            if not found[product]:
                del found[product]
        return found

    def times(self, one: Form, other: Form) -> Form:
        found: Form = {}
        for left, factor in one.items():
            for right, value in other.items():
                found = self.plus(found, self._product(left, right, factor * value))
        return found

    def _product(self, left: Product, right: Product, factor: Fraction) -> Form:
        size = factor.numerator.bit_length() + factor.denominator.bit_length()
        self.spend(1 + size // 100)
        if size > _MOST_BITS:
            raise TooMuchError
        powers, grown = dict(left), number(1)
        for one, exponent in right:
            total = powers.pop(one, Fraction(0)) + exponent
            if one.kind == "root":
                if abs(total) * one.number.bit_length() > _MOST_BITS:
                    raise TooMuchError
                factor, total = factor * Fraction(one.number) ** floor(total), total % 1
            if one.kind == "sum" and total in range(1, _HIGHEST + 1):
                grown = self.times(grown, self.power(dict(one.form), total))
            elif total:
                powers[one] = total
        found: Form = {frozenset(powers.items()): factor}
        return found if constant(grown) == 1 else self.times(found, grown)

    def _primes(self, value: Fraction) -> Iterator[tuple[int, int]]:
        """Yield factors and their exponents; of a very large number, not all are prime."""
        for part, sign in ((value.numerator, 1), (value.denominator, -1)):
            found = fmpz(part).factor_smooth(_SMALL)
            yield from ((int(prime), sign * int(count)) for prime, count in found)

    def root(self, value: Fraction, exponent: Fraction) -> Form:
        """Return a number > 0 to a power."""
        primes = self._primes(value)
        powers = (atom(Atom("root", prime), count * exponent) for prime, count in primes)
        return reduce(self.times, powers, number(1))

    def _factored(self, form: Form) -> tuple[Fraction, Product, Form]:
        """Return a number and a product of what is above 0, and what is left of a form."""
        above = reduce(gcd, [abs(each.numerator) for each in form.values()])
        content = Fraction(above, reduce(lcm, [each.denominator for each in form.values()]))
        shared = frozenset(each for each in common(form) if each[0].kind in _POSITIVE)
        return content, shared, self.times(self.divided(form, shared), number(1 / content))

    def power(self, base: Form, exponent: Fraction) -> Form:
        """Return a form to a power; of what may be below 0, a root is not taken apart."""
        if exponent == 0:
            return number(1)
        if exponent in range(1, _HIGHEST + 1):
            return reduce(self.times, [base] * exponent.numerator)
        if not base:
            return {} if exponent > 0 else self.of("sum", base, exponent)
        content, shared, rest = self._factored(base)
        found = self.root(content, exponent)
        ((product, sign),) = rest.items() if len(rest) == 1 else ((_NO_ATOMS, Fraction(0)),)
        if sign and exponent.denominator == 1:  # one product, of whatever signs
            shared, rest = shared | product, {_NO_ATOMS: sign**exponent.numerator}
            found = self.times(found, rest)
        elif rest != number(1):
            found = self.times(found, self.of("sum", rest, exponent))
        powers = (atom(one, own * exponent) for one, own in shared)
        return reduce(self.times, powers, found)

    def ln(self, form: Form) -> Form:
        if not form:
            return self.of("ln", form)
        content, shared, rest = self._factored(form)
        found: Form = {}
        for prime, count in self._primes(content):
            found = self.plus(found, atom(Atom("ln of", prime)), count)
        for one, exponent in shared:
            inner = dict(one.form) if one.kind == "e" else self.of("ln", atom(one))
            inner = atom(Atom("ln of", one.number)) if one.kind == "root" else inner
            found = self.plus(found, inner, exponent)
        return found if rest == number(1) else self.plus(found, self.of("ln", rest))

    def exp(self, form: Form) -> Form:
        found = number(1)
        for product, value in form.items():
            prime = [one.number for one, own in product if one.kind == "ln of" and own == 1]
            part = self.of("e", {product: Fraction(1)}, value)
            if prime and len(product) == 1:
                part = self.root(Fraction(prime[0]), value)
            found = self.times(found, part)
        return found


def common(form: Form) -> Product:
    """Return what all products of a form share: the least exponent of each atom."""
    products = [dict(product) for product in form]
    least = {
        one: min(product.get(one, Fraction(0)) for product in products)
        for one in {one for product in products for one in product}
    }
    return frozenset(each for each in least.items() if each[1])
