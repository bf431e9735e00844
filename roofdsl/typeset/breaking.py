"""Long formulas over several lines: broken before the signs of a sum, else of a product.

What is short enough stays together, so an inner sum is only broken where its term is too long for a
line by itself. A long numerator is written behind `1/denominator`, as a fraction cannot be broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import ONE, Expression, Number, Symbol
from roofdsl.typeset.mathematics import Mathematics
from roofdsl.typeset.name import parts_of
from roofdsl.typeset.notation import Precedence, reading
from roofdsl.typeset.numeral import numeral

_SMALL = 0.7  # the size of an exponent


class _Piece(NamedTuple):
    """What stays on one line: `sign` goes before it, `at_start` if it begins a line."""

    text: str
    width: float
    sign: str = ""
    at_start: str = ""


def lines_of(tree: Expression, notation: Mathematics, width: float) -> list[str]:
    """Return a formula in lines of about `width` characters, more where it cannot be broken.

    >>> from roofdsl.typeset.latex import LATEX
    >>> for line in lines_of(trees.Add(tuple(Symbol(name) for name in "NPQRS")), LATEX, 12):
    ...     print(line)
    N + P + Q
    {} + R + S
    """
    breaking = _Breaking(tree, notation, width)
    lines: list[str] = []
    used = 0.0
    for piece in breaking.pieces(tree):
        if lines and used + piece.width <= width:
            lines[-1] += piece.sign + piece.text
            used += piece.width
        else:
            lines.append((piece.at_start if lines else piece.sign) + piece.text)
            used = piece.width
    return lines


class _Breaking:
    def __init__(self, tree: Expression, notation: Mathematics, width: float) -> None:
        self.notation = notation
        self.limit = width
        self.widths = widths(tree)
        self.of = reading(tree, notation)

    def pieces(self, node: Expression) -> list[_Piece]:
        """Return the pieces of a node with its minus sign."""
        negative, pieces = self.unsigned(node)
        return [pieces[0]._replace(sign=self.notation.minus), *pieces[1:]] if negative else pieces

    def unsigned(self, node: Expression) -> tuple[bool, list[_Piece]]:
        """Return whether there is a minus sign before a node, and the pieces behind it."""
        whole = self.of(node)
        if self.widths[id(node)] > self.limit and whole != self.notation.ellipsis:
            match node:
                case trees.Add(terms):
                    return False, list(self.sum(terms))
                case trees.Multiply(factors) if len(factors) > 1:
                    return self.product(factors)
                case trees.Divide(above, below) if self.widths[id(above)] > self.limit:
                    share = self.notation.quotient(self.notation.number(ONE.value), self.of(below))
                    first = _Piece(share.text, self.widths[id(below)])
                    negative, rest = self.factor(above)
                    return negative, [first, self.multiplied(rest[0]), *rest[1:]]
                case trees.Function("min" | "max" as name, arguments):
                    head = self.notation.operator_name(name)
                    tall = any(self.of(argument).tall for argument in arguments)
                    return False, self.enclosed(self.arguments(arguments), head, tall=tall)
        return whole.negative, [_Piece(whole.text, self.widths[id(node)])]

    def sum(self, terms: Sequence[Expression]) -> Iterator[_Piece]:
        notation = self.notation
        for place, term in enumerate(terms):
            whole = self.of(term)
            if self.widths[id(term)] <= self.limit or whole.precedence < Precedence.SUM:
                negative = whole.negative
                fitted = (
                    notation.unsigned(whole, Precedence.SUM)
                    if place
                    else notation.fitted(whole, Precedence.SUM)
                )
                text = whole.text if negative else fitted.text
                first, rest = _Piece(text, self.widths[id(term)] + 3), list[_Piece]()
            else:
                negative, (first, *rest) = self.unsigned(term)
            if place:
                sign = notation.minus_between if negative else notation.plus_between
                start = notation.at_line_start(sign)
                yield first._replace(sign=sign, at_start=start)
            else:
                yield first._replace(sign=notation.minus if negative else "")
            yield from rest

    def product(self, factors: Sequence[Expression]) -> tuple[bool, list[_Piece]]:
        parts, negative = self.notation.factors([self.of(factor) for factor in factors])
        nodes = factors[len(factors) - len(parts) :]
        pieces: list[_Piece] = []
        for place, (node, part) in enumerate(zip(nodes, parts, strict=True)):
            closed = (part.closed or part.text) if place < len(parts) - 1 else part.text
            broken = [_Piece(closed, self.widths[id(node)] + 1)]
            if self.widths[id(node)] > self.limit:
                if part.bare:
                    broken = self.enclosed(self.pieces(node), "", tall=part.tall)
                elif isinstance(node, trees.Function):
                    broken = self.pieces(node)
            if place:
                broken[0] = self.multiplied(broken[0], self.notation.times(parts[place - 1], part))
            pieces += broken
        return negative, pieces

    def factor(self, node: Expression) -> tuple[bool, list[_Piece]]:
        """Return the pieces of a node that stands behind another factor."""
        if isinstance(node, trees.Multiply):
            return self.unsigned(node)
        return False, self.enclosed(self.pieces(node), "", tall=self.of(node).tall)

    def multiplied(self, piece: _Piece, sign: str | None = None) -> _Piece:
        dot = self.notation.dot
        return piece._replace(
            sign=dot if sign is None else sign, at_start=self.notation.at_line_start(dot)
        )

    def arguments(self, arguments: Sequence[Expression]) -> list[_Piece]:
        pieces: list[_Piece] = []
        for argument in arguments:
            if pieces:
                last = pieces[-1]
                pieces[-1] = last._replace(text=last.text + self.notation.comma.rstrip())
            first, *rest = self.pieces(argument)
            minus = first.sign
            space = " " if pieces and self.notation.comma.endswith(" ") else ""
            pieces += [first._replace(sign=space + minus, at_start=minus), *rest]
        return pieces

    def enclosed(self, pieces: list[_Piece], head: str, *, tall: bool) -> list[_Piece]:
        """Put parentheses around pieces that may come to stand on different lines."""
        opening, closing = self.notation.open_parentheses(tall=tall)
        first = pieces[0]
        pieces[0] = _Piece(head + opening + first.sign + first.text, first.width + len(head))
        pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + closing)
        return pieces


def widths(tree: Expression) -> dict[int, float]:
    """Return about how many characters wide each node of a tree is in print, by its id.

    >>> from roofdsl.expression.construct import divide, number
    >>> tree = divide(trees.Add((Symbol("N"), number(1))), Symbol("word"))
    >>> widths(tree)[id(tree)]
    5.0
    """
    found: dict[int, float] = {}
    for node in bottom_up(tree):
        found[id(node)] = _width(node, found)
    return found


def _width(node: Expression, found: dict[int, float]) -> float:
    def of(*parts: Expression) -> float:
        return sum(found[id(part)] for part in parts)

    match node:
        case Number(value):
            _, digits, exponent, denominator = numeral(value)
            power = 3 + _SMALL * len(str(exponent)) if exponent else 0
            return float(max(len(digits), len(denominator))) + power
        case Symbol(name):
            base, subscripts, _ = parts_of(name)
            return len(base) + _SMALL * len(",".join(subscripts))
        case trees.Add(terms):
            return of(*terms) + 3.0 * (len(terms) - 1)
        case trees.Multiply(factors):
            return of(*factors) + 0.5 * (len(factors) - 1)
        case trees.Divide(above, below):
            return max(of(above), of(below))
        case trees.Power(base, exponent):
            return of(base) + _SMALL * of(exponent)
        case trees.Function(name, arguments):
            return of(*arguments) + len(name) + 2.0 * len(arguments)
        case trees.Comparison(_, left, right):
            return of(left, right) + 3
        case trees.Logic(_, operands):
            return of(*operands) + 3.0 * len(operands)
        case trees.Conditional(condition, consequence, alternative):
            return max(of(consequence, condition) + 5, of(alternative))
        case trees.Sum(body, _, low, high):
            return of(body) + max(2, _SMALL * max(of(low) + 2, of(high)))
    raise TypeError(node)
