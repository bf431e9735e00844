"""Products of a number and powers: the terms of a normal form."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import FOLD_BITS, divide, multiply, number, power
from roofdsl.expression.rational import factors
from roofdsl.expression.tree import Expression, Number, Symbol

Rational: TypeAlias = int | Fraction
# What is not taken apart any further (a name, log2 of one, a prime, a `ceil`), and its exponent.
Powers: TypeAlias = frozenset[tuple[Expression, Rational]]
NO_POWERS: Powers = frozenset()


def powers_of(*items: tuple[Expression, Rational]) -> Powers:
    """Return a set of different atoms with their exponents."""
    return frozenset(items)


class TooLong(Exception):
    """A number or a sum grew beyond what is worth an exact answer; never leaves the package."""


class Product(NamedTuple):
    """`coefficient · Π atom^exponent`; a prime's exponent lies between 0 and 1."""

    coefficient: Rational
    powers: Powers

    def times(self, other: Product) -> Product:
        """Return the product of two products, powers of one atom joined."""
        coefficient = self.coefficient * other.coefficient
        if not (self.powers and other.powers):
            return Product(plain(coefficient), self.powers or other.powers)
        return _joined(coefficient, (*self.powers, *other.powers))

    def inverse(self) -> Product:
        """Return `1 / product`; the product is not 0."""
        return _joined(
            1 / Fraction(self.coefficient), ((atom, -exponent) for atom, exponent in self.powers)
        )

    def raised(self, exponent: Rational) -> Product | None:
        """Return a power, or None where the sign is not known well enough to take it apart.

        A fractional power of a product is the product of the powers if at most one factor may be
        negative: (a·b)^½ of two negative numbers is real, but a^½·b^½ is not.
        """
        if self.coefficient == 0:
            return self if exponent > 0 else None
        if exponent.denominator == 1:
            whole = exponent.numerator
            coefficient = whole_power(self.coefficient, whole)
            return _joined(coefficient, ((atom, old * whole) for atom, old in self.powers))
        if not self.can_be_taken_apart:
            return None
        roots = [
            (number(prime), sign * count * exponent)
            for part, sign in ((self.coefficient.numerator, 1), (self.coefficient.denominator, -1))
            for prime, count in factors(part)
        ]
        return _joined(1, [*roots, *((atom, old * exponent) for atom, old in self.powers)])

    @property
    def can_be_taken_apart(self) -> bool:
        """Whether roots and logarithms of its factors are real where that of the product is."""
        doubtful = unsigned(self.powers)
        return (
            self.coefficient > 0
            and len(doubtful) <= 1
            and all(exponent.numerator % 2 for _, exponent in doubtful)
        )

    def tree(self) -> Expression:
        """Return the expression: a fraction where exponents are negative.

        >>> Product(Fraction(5, 2), powers_of((Symbol("N"), -1))).tree()
        Divide(numerator=Number(...5...), denominator=Multiply(factors=(Number(...2...), ...)))
        """
        above: list[Expression] = []
        below: list[Expression] = []
        for atom, exponent in sorted(_written(self.powers), key=_place):
            side = above if exponent > 0 else below
            side.append(power(atom, number(exponent if exponent > 0 else -exponent)))
        coefficient = self.coefficient
        if coefficient.numerator != 1 or not above:
            above.insert(0, number(coefficient.numerator))
        if coefficient.denominator != 1:
            below.insert(0, number(coefficient.denominator))
        return divide(multiply(*above), multiply(*below))

    def order(self) -> tuple[Rational, list[tuple[int, str, Rational]]]:
        """Return a key: products of high degree come first, in an order that is always the same."""
        names = sorted((*_place(item), -item[1]) for item in self.powers)
        degree = sum(exponent for atom, exponent in self.powers if type(atom) is Symbol)
        return -degree, names


UNIT = Product(1, NO_POWERS)


def plain(value: Rational) -> Rational:
    """Return a whole number as an int: it computes and hashes several times faster."""
    return value.numerator if value.denominator == 1 else value


def _joined(coefficient: Rational, powers: Iterable[tuple[Expression, Rational]]) -> Product:
    exponents: dict[Expression, Rational] = {}
    for atom, exponent in powers:
        exponents[atom] = plain(exponents.get(atom, 0) + exponent)
    for atom, exponent in exponents.items():
        if type(atom) is Number and not 0 <= exponent < 1:
            whole = exponent.__floor__()
            coefficient *= whole_power(atom.value, whole)
            exponents[atom] = plain(exponent - whole)
    return Product(
        plain(coefficient),
        frozenset((atom, exponent) for atom, exponent in exponents.items() if exponent),
    )


def whole_power(base: Rational, exponent: int) -> Rational:
    """Return `base ^ exponent`, exactly; raises TooLong for one of more than `FOLD_BITS` bits.

    >>> whole_power(2, -3)
    Fraction(1, 8)
    """
    if abs(base) == 1 or exponent == 1:
        return base if exponent % 2 else base * base
    length = base.numerator.bit_length() + base.denominator.bit_length()
    if length * abs(exponent) > FOLD_BITS:
        raise TooLong
    return plain(Fraction(base) ** exponent)


def unsigned(powers: Powers) -> list[tuple[Expression, Rational]]:
    """Return the powers whose base is not known to be positive."""
    return [(atom, exponent) for atom, exponent in powers if not is_positive(atom)]


def is_positive(atom: Expression) -> bool:
    """Whether an expression is certainly > 0 where it is real, by its form alone.

    >>> is_positive(trees.Function("log2", (Number(Fraction(3)),)))
    True
    """
    match atom:
        case Number(value):
            return value > 0
        case Symbol():
            return atom.positive
        case trees.Function("log2" | "ln" | "log10", (Number(value),)):
            return value > 1
        case trees.Function("exp"):
            return True
        case trees.Function("max", arguments):
            return any(is_positive(argument) for argument in arguments)
        case trees.Function("min" | "ceil", arguments):
            return all(is_positive(argument) for argument in arguments)
        case trees.Add(operands) | trees.Multiply(operands):
            return all(is_positive(operand) for operand in operands)
        case trees.Divide(above, below):
            return is_positive(above) and is_positive(below)
        case trees.Power(base, _):
            return is_positive(base)
        case _:
            return False


def _written(powers: Powers) -> Powers:
    """Put ln N for ln 2 · log2 N, and log10 N likewise: normal forms have logarithms as log2."""
    for name in ("ln", "log10"):
        scale = (trees.Function(name, (number(2),)), 1)
        if scale in powers:
            for atom, exponent in powers:
                if isinstance(atom, trees.Function) and atom.name == "log2" and exponent == 1:
                    logarithm = powers_of((trees.Function(name, atom.arguments), 1))
                    powers = powers.difference((scale, (atom, exponent))) | logarithm
                    break
    return powers


def _place(item: tuple[Expression, Rational]) -> tuple[int, str]:
    atom, _ = item
    rank = 0 if isinstance(atom, Number) else 1 if isinstance(atom, Symbol) else 2
    return rank, atom.name if isinstance(atom, Symbol) else repr(atom)
