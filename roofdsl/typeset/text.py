"""Expressions in the language's own notation, so that they can be read back."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from roofdsl.expression.tree import Conditional, Expression, Relation
from roofdsl.typeset.notation import Binding, Notation, Reading, Written, written
from roofdsl.typeset.numeral import ELLIPSIS, numeral

__all__ = ["ELLIPSIS", "LONGEST", "number_text", "text"]

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


def number_text(value: Fraction) -> Written:
    """Write a number exactly: 13.9, 1.39e10 or 1/3.

    >>> number_text(Fraction(13_900_000_000)).text, number_text(Fraction(-1, 3)).text
    ('1.39e10', '-1/3')
    """
    shown = _TEXT.number(value)
    return shown._replace(text=_TEXT.signed(shown), negative=False)


class _Text(Notation):
    minus = "-"
    minus_between = " - "
    plus_between = " + "
    ellipsis = Written(ELLIPSIS, Binding.ATOM)
    longest = LONGEST

    def bracketed(self, inside: Written) -> Written:
        return Written(f"({self.signed(inside)})", Binding.ATOM)

    def number(self, value: Fraction) -> Written:
        negative, digits, exponent, denominator = numeral(value)
        if denominator:
            return Written(f"{digits}/{denominator}", Binding.PRODUCT, negative)
        shown = f"{digits}e{exponent}" if exponent else digits
        return Written(shown, Binding.PRODUCT if negative else Binding.ATOM, negative)

    def name(self, name: str) -> Written:
        return Written(name, Binding.ATOM)

    def times(self, left: Written, right: Written) -> str:  # noqa: ARG002 (always the same sign)
        return "*"

    def quotient(self, above: Written, below: Written) -> Written:
        over = self.fitted(above, Binding.PRODUCT)
        under = self.unsigned(below, Binding.POWER)
        return Written(f"{over.text}/{under.text}", Binding.PRODUCT, over.negative)

    def root(self, inside: Written) -> Written:
        return self.function("sqrt", [inside])

    def power(self, base: Written, exponent: Written) -> Written:
        foot = self.unsigned(base, Binding.ATOM)
        raised = self.unsigned(exponent, Binding.POWER)
        return Written(f"{foot.text}^{raised.text}", Binding.POWER)

    def function(self, name: str, arguments: Sequence[Written]) -> Written:
        inside = ", ".join(self.signed(argument) for argument in arguments)
        return Written(f"{name}({inside})", Binding.ATOM)

    def membership(self, operand: Written, *, negated: bool) -> Written:
        stated = f"{self.signed(self.fitted(operand, Binding.SUM))} is integer"
        if negated:
            return Written(f"not {stated}", Binding.NOT)
        return Written(stated, Binding.COMPARISON)

    def truth(self, value: bool) -> Written:
        return Written("true" if value else "false", Binding.ATOM)

    def comparison(self, relation: Relation, left: str, right: str) -> str:
        return f"{left} {relation} {right}"

    def logic(self, operator: Literal["and", "or", "not"], operands: Sequence[str]) -> str:
        return f"not {operands[0]}" if operator == "not" else f" {operator} ".join(operands)

    def conditional(self, node: Conditional, of: Reading) -> Written:
        condition, alternative = of(node.condition), of(node.alternative)
        consequence = self.fitted(of(node.consequence), Binding.OR)
        shown = f"if {self.signed(condition)} then {self.signed(consequence)}"
        return Written(f"{shown} else {self.signed(alternative)}", Binding.CONDITIONAL)

    def sum_over(self, body: Written, index: Written, low: Written, high: Written) -> Written:
        bounds = [self.signed(self.fitted(bound, Binding.OR)) for bound in (low, high)]
        inside = f"{self.signed(body)} for {index.text} in {'..'.join(bounds)}"
        return Written(f"sum({inside})", Binding.ATOM)


_TEXT = _Text()
