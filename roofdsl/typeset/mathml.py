"""Expressions in presentation MathML, as browsers show it in HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofdsl.expression.tree import Expression
from roofdsl.typeset.breaking import lines_of
from roofdsl.typeset.escape import escape_html
from roofdsl.typeset.mathematics import Fence, Mathematics
from roofdsl.typeset.notation import Notated, Precedence, written
from roofdsl.typeset.text import text

_ELEMENT = re.compile(r"<(m[ion]|mtext)>[^<]*</\1>")
_FENCES: dict[Fence, str] = {
    "parentheses": "()", "ceil": "⌈⌉", "floor": "⌊⌋", "abs": "||", "braces": "{}",
}  # fmt: skip
_SIGNS = {
    "==": "=", "!=": "≠", "<": "&lt;", "<=": "≤", ">": "&gt;", ">=": "≥",
    "and": "∧", "or": "∨", "not": "¬", "in": "∈", "not in": "∉",
}  # fmt: skip
_LEFT = '<mtd style="text-align: left">'
_NO_BREAK = "\u00a0"
_TIMES, _APPLIED = "\u2062", "\u2061"
"""Operators that are said, not seen."""


def mathml(tree: Expression, *, width: float | None = None, notation: MathML | None = None) -> str:
    """Return `tree` as a `<math>` element, in the shape it has, labelled with what a file has.

    A formula of more than `width` characters, if given, is broken over several lines: as a whole
    it is told by its label alone.

    >>> from roofdsl.expression.tree import HALF, Power, Symbol
    >>> mathml(Power(Symbol("P"), HALF))
    '<math aria-label="sqrt(P)" displaystyle="true"><msqrt><mi>P</mi></msqrt></math>'
    """
    notation = notation or MATHML
    inside = notation.signed(written(tree, notation))
    if width is not None:
        lines = lines_of(tree, notation, width)
        if len(lines) > 1:
            rows = (f"<mtr>{_LEFT}{line}</mtd></mtr>" for line in lines)
            inside = f'<mtable displaystyle="true">{"".join(rows)}</mtable>'
    return math_element(inside, text(tree))


def math_element(inside: str, said: str) -> str:
    """Return MathML in its `<math>` element, with fractions at their full size; how it is said."""
    return f'<math aria-label="{escape_html(said)}" displaystyle="true">{inside}</math>'


class MathML(Mathematics):
    minus = "<mo>−</mo>"
    minus_between = minus
    plus_between = "<mo>+</mo>"
    dot = "<mo>⋅</mo>"
    thin_space = f'<mo rspace="0.22em">{_TIMES}</mo>'
    space = f"<mtext>{_NO_BREAK}</mtext>"
    space_before_operator = f'<mo rspace="0.25em">{_TIMES}</mo>'
    comma = "<mo>,</mo>"
    application_sign = f"<mo>{_APPLIED}</mo>"
    slash = '<mo lspace="0" rspace="0">/</mo>'
    integers = "<mi>ℤ</mi>"
    longest = 400_000
    ellipsis = Notated("<mo>…</mo>", Precedence.ATOM)

    def digits(self, digits: str) -> str:
        return f"<mn>{digits}</mn>"

    def identifier(self, name: str) -> str:
        if name.isascii() and name.isdigit():
            return self.digits(name)
        return f"<mi>{escape_html(name)}</mi>"

    def literal(self, text: str) -> str:
        return f"<mtext>{escape_html(text)}</mtext>"

    def subscripted(self, base: str, subscript: str) -> str:
        return f"<msub>{_one(base)}{_one(subscript)}</msub>"

    def superscripted(self, base: str, exponent: str) -> str:
        return f"<msup>{_one(base)}{_one(exponent)}</msup>"

    def fraction(self, above: str, below: str) -> str:
        return f"<mfrac>{_one(above)}{_one(below)}</mfrac>"

    def radical(self, inside: str) -> str:
        return f"<msqrt>{inside}</msqrt>"

    def fenced(self, fence: Fence, inside: str, *, tall: bool) -> str:
        left, right = _FENCES[fence][0], _FENCES[fence][1]
        # One that can stretch has wide margins in some fonts, even if it need not stretch.
        stretch = "" if tall else ' stretchy="false"'
        return f"<mrow><mo{stretch}>{left}</mo>{inside}<mo{stretch}>{right}</mo></mrow>"

    def operator_name(self, name: str) -> str:
        return f"<mi>{name}</mi>"

    def applied(self, function: str, argument: str) -> str:
        return f'{function}<mo rspace="0.17em">{_APPLIED}</mo>{argument}'

    def beside(self, left: str, right: str) -> str:  # noqa: ARG002 (the sign is invisible)
        return f"<mo>{_TIMES}</mo>"

    def sign(self, operator: str) -> str:
        return f"<mo>{_SIGNS[operator]}</mo>"

    def summation(self, index: str, low: str, high: str, body: str) -> str:
        below = f"<mrow>{index}<mo>=</mo>{low}</mrow>"
        return f"<munderover><mo>∑</mo>{below}{_one(high)}</munderover>{body}"

    def table_of_cases(self, rows: Sequence[tuple[str, str]], otherwise: str) -> str:
        lines = [
            f"<mtr>{_LEFT}{value}</mtd>{_LEFT}<mtext>if{_NO_BREAK}</mtext>{condition}</mtd></mtr>"
            for value, condition in rows
        ]
        lines.append(f"<mtr>{_LEFT}{otherwise}</mtd>{_LEFT}<mtext>otherwise</mtext></mtd></mtr>")
        return f"<mrow><mo>{{</mo><mtable>{''.join(lines)}</mtable></mrow>"

    def open_fence(self, fence: Fence, *, tall: bool) -> tuple[str, str]:  # noqa: ARG002 (cannot stretch)
        left, right = (f'<mo stretchy="false">{sign}</mo>' for sign in _FENCES[fence])
        return left, right

    def at_line_start(self, sign: str) -> str:
        return sign.replace("<mo>", '<mo form="infix">')


def _one(text: str) -> str:
    """Return MathML as one element."""
    return text if _ELEMENT.fullmatch(text) else f"<mrow>{text}</mrow>"


MATHML = MathML()
