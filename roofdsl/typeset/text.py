"""Expressions in the language's own notation, so that they can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from roofdsl.expression.tree import Conditional, Expression
from roofdsl.typeset.notation import Notated, Notation, Precedence, Reading, written
from roofdsl.typeset.numeral import ELLIPSIS, numeral

__all__ = ["ELLIPSIS", "LONGEST", "text"]

LONGEST = 100_000


def text(tree: Expression) -> str:
    """Return `tree` as it would be written in a `.roof` file, with as few parentheses as can be.

    Read back, it has the same value. What would be longer than `LONGEST` characters is left out: a
    formula that uses its own parts over and over can be too long to write.

    >>> from roofdsl.expression.construct import add, divide, number, power, square_root
    >>> from roofdsl.expression.tree import Symbol
    >>> n, p = Symbol("N"), Symbol("P")
    >>> text(divide(add(power(n, number(2)), n), square_root(p)))
    '(N^2 + N)/sqrt(P)'
    """
    return _TEXT.signed(written(tree, _TEXT))


class _Text(Notation):
    minus = "-"
    minus_between = " - "
    plus_between = " + "
    ellipsis = Notated(ELLIPSIS, Precedence.ATOM)
    longest = LONGEST

    def bracketed(self, inside: Notated) -> Notated:
        return Notated(f"({self.signed(inside)})", Precedence.ATOM)

    def number(self, value: Fraction) -> Notated:
        negative, digits, exponent, denominator = numeral(value)
        if denominator:
            return Notated(f"{digits}/{denominator}", Precedence.PRODUCT, negative)
        shown = f"{digits}e{exponent}" if exponent else digits
        return Notated(shown, Precedence.PRODUCT if negative else Precedence.ATOM, negative)

    def name(self, name: str) -> Notated:
        return Notated(name, Precedence.ATOM)

    def times(self, left: Notated, right: Notated) -> str:  # noqa: ARG002 (always the same sign)
        return "*"

    def quotient(self, above: Notated, below: Notated) -> Notated:
        over = self.fitted(above, Precedence.PRODUCT)
        under = self.unsigned(below, Precedence.POWER)
        return Notated(f"{over.text}/{under.text}", Precedence.PRODUCT, over.negative)

    def root(self, inside: Notated) -> Notated:
        return self.function("sqrt", [inside])

    def power(self, base: Notated, exponent: Notated) -> Notated:
        foot = self.unsigned(base, Precedence.ATOM)
        raised = self.unsigned(exponent, Precedence.POWER)
        return Notated(f"{foot.text}^{raised.text}", Precedence.POWER)

    def function(self, name: str, arguments: Sequence[Notated]) -> Notated:
        inside = ", ".join(self.signed(argument) for argument in arguments)
        return Notated(f"{name}({inside})", Precedence.ATOM)

    def membership(self, operand: Notated, *, negated: bool) -> Notated:
        stated = f"{self.signed(self.fitted(operand, Precedence.SUM))} is integer"
        if negated:
            return Notated(f"not {stated}", Precedence.NOT)
        return Notated(stated, Precedence.COMPARISON)

    def truth(self, value: bool) -> Notated:
        return Notated("true" if value else "false", Precedence.ATOM)

    def sign(self, operator: str) -> str:
        return "not " if operator == "not" else f" {operator} "

    def conditional(self, node: Conditional, of: Reading) -> Notated:
        condition, alternative = of(node.condition), of(node.alternative)
        consequence = self.fitted(of(node.consequence), Precedence.OR)
        shown = f"if {self.signed(condition)} then {self.signed(consequence)}"
        return Notated(f"{shown} else {self.signed(alternative)}", Precedence.CONDITIONAL)

    def sum_over(self, body: Notated, index: Notated, low: Notated, high: Notated) -> Notated:
        bounds = [self.signed(self.fitted(bound, Precedence.OR)) for bound in (low, high)]
        inside = f"{self.signed(body)} for {index.text} in {'..'.join(bounds)}"
        return Notated(f"sum({inside})", Precedence.ATOM)


_TEXT = _Text()
