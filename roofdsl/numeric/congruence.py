"""Whole numbers at which a polynomial is divisible: classes n ≡ r (mod m)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, gcd, lcm
from typing import NamedTuple

from roofdsl.expression.rational import factors
from roofdsl.numeric.budget import Budget

# Bases from `expression.rational.factors` below this are primes: they have no factor below 1000.
_CERTAINLY_PRIME = 10**6
_MOST_CLASSES = 256
# In units of work: one number tried.
_TRIED = 1 / 20


class ResidueClass(NamedTuple):
    """All whole numbers n ≡ `residue` (mod `modulus`), 0 ≤ residue < modulus."""

    modulus: int
    residue: int

    def numbers(self, start: int, end: int) -> range:
        """Return those from `start` to `end`, both included: upwards, or downwards if end < start.

        >>> list(ResidueClass(6, 4).numbers(5, 20)), list(ResidueClass(6, 4).numbers(20, 5))
        ([10, 16], [16, 10])
        """
        if start <= end:
            return range(start + (self.residue - start) % self.modulus, end + 1, self.modulus)
        return range(start - (start - self.residue) % self.modulus, end - 1, -self.modulus)


EVERY = ResidueClass(1, 0)


def joined(one: ResidueClass, other: ResidueClass) -> ResidueClass | None:
    """Return the numbers that are in both classes, None where there are none.

    By the Chinese remainder theorem: n = r + m·t must be s modulo k, so that m·t ≡ s - r (mod k);
    with g = gcd(m, k) this has a solution exactly where g divides s - r, and then t is one class
    modulo k/g.

    >>> one = ResidueClass(4, 1)
    >>> joined(one, ResidueClass(6, 3)), joined(one, ResidueClass(6, 2))
    (ResidueClass(modulus=12, residue=9), None)
    """
    common = gcd(one.modulus, other.modulus)
    apart = other.residue - one.residue
    if apart % common:
        return None
    steps = other.modulus // common
    turn = apart // common * pow(one.modulus // common, -1, steps) % steps if steps > 1 else 0
    modulus = one.modulus * steps
    return ResidueClass(modulus, (one.residue + one.modulus * turn) % modulus)


def meeting(
    ones: Sequence[ResidueClass], others: Sequence[ResidueClass]
) -> tuple[ResidueClass, ...] | None:
    """Return the numbers that are in a class of each; None where these would be too many classes.

    >>> meeting((ResidueClass(2, 0), ResidueClass(2, 1)), (ResidueClass(3, 0),))
    (ResidueClass(modulus=6, residue=0), ResidueClass(modulus=6, residue=3))
    """
    if len(ones) * len(others) > _MOST_CLASSES:
        return None
    pairs = (joined(one, other) for one, other in product(ones, others))
    return tuple(sorted({each for each in pairs if each is not None}))


def whole_values(
    coefficients: Sequence[Fraction], budget: Budget
) -> tuple[ResidueClass, ...] | None:
    """Return the whole n at which Σ c[k]·n^k is a whole number: these classes, and no others.

    None where the classes are too many, or a prime they need too large.

    >>> half = Fraction(1, 2)
    >>> whole_values([Fraction(0), half, half], Budget())
    (ResidueClass(modulus=2, residue=0), ResidueClass(modulus=2, residue=1))
    >>> whole_values([Fraction(1, 5), Fraction(0), Fraction(1, 5)], Budget())
    (ResidueClass(modulus=5, residue=2), ResidueClass(modulus=5, residue=3))
    """
    # With d the common denominator, Σ c[k]·n^k is whole exactly where Σ d·c[k]·n^k ≡ 0 (mod d).
    modulus = lcm(*(each.denominator for each in coefficients))
    whole = [int(each * modulus) for each in coefficients]
    if not any(whole[2:]):
        constant, slope, *_ = [*whole, 0, 0]
        return _linear(constant, slope, modulus)
    found: tuple[ResidueClass, ...] = (EVERY,)
    # Divisible by a product of coprime numbers is divisible by each of them.
    for prime, exponent in factors(modulus):
        classes = list(_lifted(whole, prime, exponent, budget))
        if None in classes:
            return None
        together = meeting(found, [each for each in classes if each is not None])
        if together is None:
            return None
        found = together
    return found


def _linear(constant: int, slope: int, modulus: int) -> tuple[ResidueClass, ...]:
    """Return where slope·n + constant is divisible by the modulus; no factors are needed for it."""
    common = gcd(slope, modulus)
    if constant % common:
        return ()
    modulus //= common
    if modulus == 1:
        return (EVERY,)
    inverse = pow(slope // common, -1, modulus)
    return (ResidueClass(modulus, -constant // common * inverse % modulus),)


def _lifted(
    coefficients: Sequence[int], prime: int, exponent: int, budget: Budget
) -> Iterator[ResidueClass | None]:
    """Yield where a polynomial is divisible by `prime ^ exponent`; None where that is not known.

    A class n = r + m·t, m a power of the prime, leaves a polynomial in t. What divides all its
    coefficients is divided out: if that is enough, the whole class belongs to it. Otherwise t
    modulo the prime must be one of the polynomial's zeros there, at most as many as its degree,
    and each of them is a smaller class.
    """
    if prime >= _CERTAINLY_PRIME:
        yield None
        return
    waiting = [(ResidueClass(1, 0), list(coefficients), exponent)]
    found = 0
    while waiting:
        known, rest, needed = waiting.pop()
        while needed and not any(each % prime for each in rest):
            rest = [each // prime for each in rest]
            needed -= 1
        if not needed:
            found += 1
            yield known
            continue
        budget.spend(prime * len(rest) * _TRIED)
        if not budget.left or found + len(waiting) > _MOST_CLASSES:
            yield None
            return
        for digit in range(prime):
            if _at(rest, digit) % prime == 0:
                smaller = ResidueClass(known.modulus * prime, known.residue + known.modulus * digit)
                waiting.append((smaller, _shifted(rest, digit, prime), needed))


def _at(coefficients: Sequence[int], value: int) -> int:
    result = 0
    for each in reversed(coefficients):
        result = result * value + each
    return result


def _shifted(coefficients: Sequence[int], shift: int, scale: int) -> list[int]:
    """Return the coefficients of p(shift + scale·t) as a polynomial in t."""
    return [
        scale**power
        * sum(
            comb(higher, power) * coefficients[higher] * shift ** (higher - power)
            for higher in range(power, len(coefficients))
        )
        for power in range(len(coefficients))
    ]
