"""The sign of Σ c·x^a·L^b at an exact x, beyond what floats can tell; L = log2 x."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.expression.tree import Expression, Number

if TYPE_CHECKING:
    from roofdsl.numeric.precise import PreciseTerm

# Enough for what is not a tie, nearly always; a tie is for others to prove.
_BITS = 160


class ExactTerm(NamedTuple):
    """c·x^a·L^b with an exact coefficient."""

    coefficient: Expression
    x: Fraction
    log: Fraction


class PreciseSum:
    """A sum of such terms: its sign in rational numbers where it is one, else to 160 bits.

    >>> from roofdsl.expression.construct import number
    >>> terms = [(number(1), Fraction(2), Fraction(0)), (number(-2), Fraction(0), Fraction(0))]
    >>> square = PreciseSum([ExactTerm(*each) for each in terms])
    >>> [square.sign(Fraction(each)) for each in ("1.41421356237309504", "1.41421356237309505")]
    [-1, 1]
    """

    def __init__(self, terms: Sequence[ExactTerm]) -> None:
        self._terms = terms
        self.rational = all(
            isinstance(term.coefficient, Number) and term.x.denominator == 1 and not term.log
            for term in terms
        )
        self._precise: Sequence[PreciseTerm] | None = None

    def sign(self, x: Fraction) -> int | None:
        """Return -1, 0 or 1, or None where the precision does not suffice."""
        if self.rational:
            total = Fraction(0)
            for coefficient, exponent, _ in self._terms:
                assert isinstance(coefficient, Number)
                total += coefficient.value * x**exponent.numerator
            return (total > 0) - (total < 0)
        from roofdsl.numeric import precise  # mpmath takes its time to import

        try:
            if self._precise is None:
                self._precise = [precise.term(*each, _BITS) for each in self._terms]
            return precise.sign(self._precise, x, _BITS)
        except (ArithmeticError, ValueError):
            return None
