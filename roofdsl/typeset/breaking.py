"""Long formulas over several lines: broken before the signs of a sum, else of a product.

What is short enough stays together, so an inner sum is only broken where its term is too long for a
line by itself. A long numerator is written behind `1/denominator`, as a fraction cannot be broken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import HALF, ONE, Expression, Number, Symbol
from roofdsl.typeset.mathematics import Mathematics
from roofdsl.typeset.name import parts_of
from roofdsl.typeset.notation import Precedence, reading
from roofdsl.typeset.numeral import numeral

_SMALL = 0.7  # the size of an exponent
_CAPITAL = 1.6  # the width of a capital letter, by that of a digit
_FENCES = 2.2  # the width of two parentheses
_SIGN = 2.4  # the width of a sign at the beginning of a line
_ARITHMETIC = (trees.Add, trees.Multiply, trees.Divide)


class _Piece(NamedTuple):
    """What stays on one line: `sign` goes before it, `at_start` if it begins a line."""

    text: str
    width: float
    sign: str = ""
    at_start: str = ""


def lines_of(tree: Expression, notation: Mathematics, width: float) -> list[str]:
    """Return a formula in lines of about `width` digits, more where it cannot be broken.

    >>> from roofdsl.typeset.latex import LATEX
    >>> for line in lines_of(trees.Add(tuple(Symbol(name) for name in "NPQRS")), LATEX, 14):
    ...     print(line)
    N + P + Q
    {} + R + S
    """
    return [line for line, _ in measured_lines(tree, notation, width)]


def measured_lines(
    tree: Expression, notation: Mathematics, width: float
) -> list[tuple[str, float]]:
    """Return the lines of a formula, and about how many digits wide each of them is."""
    breaking = _Breaking(tree, notation, width)
    lines: list[tuple[str, float]] = []
    for piece in breaking.pieces(tree):
        line, used = lines[-1] if lines else ("", width)
        if used + piece.width <= width:
            lines[-1] = line + piece.sign + piece.text, used + piece.width
        else:
            sign = piece.at_start if lines else piece.sign
            lines.append((sign + piece.text, piece.width + (_SIGN if sign else 0)))
    return lines


class _Breaking:
    def __init__(self, tree: Expression, notation: Mathematics, width: float) -> None:
        self.notation = notation
        self.widths, self.inner_widths = _widths(tree)
        # What stays on one line may get a sign before it and parentheses around it.
        fits = self.widths[id(tree)] <= width
        self.limit = width if fits else width - _SIGN - _FENCES
        self.of, self.inner = reading(tree, notation), reading(tree, notation.inner)

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
                case trees.Divide(above, below) if self.inner_widths[id(below)] > self.limit:
                    negative, pieces = self.factor(above)
                    first, *rest = self.enclosed(self.pieces(below), "", tall=self.of(below).tall)
                    slash = self.notation.slash
                    start = self.notation.at_line_start(slash)
                    return negative, [*pieces, first._replace(sign=slash, at_start=start), *rest]
                case trees.Divide(above, below):
                    one = self.notation.number(ONE.value)
                    share = self.notation.quotient(one, self.inner(below))
                    first = _Piece(share.text, self.inner_widths[id(below)])
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
        if self.widths[id(node)] <= self.limit:
            whole = self.of(node)
            alone = self.notation.fitted(whole._replace(negative=False), Precedence.PRODUCT)
            return whole.negative, [_Piece(alone.text, self.widths[id(node)] + 1)]
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
        wider = first.width + len(head) + _FENCES / 2
        pieces[0] = _Piece(head + opening + first.sign + first.text, wider)
        last = pieces[-1]
        pieces[-1] = last._replace(text=last.text + closing, width=last.width + _FENCES / 2)
        return pieces


def widths(tree: Expression) -> dict[int, float]:
    """Return about how many digits wide each node of a tree is in print, by its id.

    >>> from roofdsl.expression.construct import divide, number
    >>> tree = divide(trees.Add((Symbol("n"), number(1))), Symbol("word"))
    >>> widths(tree)[id(tree)]
    4.5
    """
    return _widths(tree)[0]


def _widths(tree: Expression) -> tuple[dict[int, float], dict[int, float]]:
    """Return the widths of all nodes, and what they are inside of a fraction."""
    found: dict[int, float] = {}
    flat: dict[int, float] = {}
    for node in bottom_up(tree):
        found[id(node)] = _width(node, found, flat)
        flat[id(node)] = _width(node, flat, flat)
        if isinstance(node, trees.Divide):
            flat[id(node)] = _slashed(node, flat)
    return found, flat


def _slashed(node: trees.Divide, flat: dict[int, float]) -> float:
    above, below = node.numerator, node.denominator
    fences = isinstance(above, trees.Add) + isinstance(below, _ARITHMETIC)
    return flat[id(above)] + flat[id(below)] + 1 + _FENCES * fences


def _width(node: Expression, found: dict[int, float], flat: dict[int, float]) -> float:
    """Return the width of a node: fractions among its operands stand in `found` as they are."""

    def of(*parts: Expression) -> float:
        return sum(found[id(part)] for part in parts)

    def inside(*parts: Expression) -> float:
        return sum(flat[id(part)] for part in parts)

    match node:
        case Number(value):
            _, digits, exponent, denominator = numeral(value)
            power = 3 + _SMALL * len(str(exponent)) if exponent else 0
            return float(max(len(digits), len(denominator))) + power
        case Symbol(name):
            base, subscripts, _ = parts_of(name)
            letters = _CAPITAL if len(base) == 1 and base.isupper() else len(base)
            return letters + _SMALL * len(",".join(subscripts))
        case trees.Add(terms):
            return of(*terms) + 2.5 * (len(terms) - 1)
        case trees.Multiply(factors):
            fences = sum(isinstance(factor, trees.Add | trees.Conditional) for factor in factors)
            return of(*factors) + 0.7 * (len(factors) - 1) + _FENCES * fences
        case trees.Divide(above, below):
            return max(inside(above), inside(below))
        case trees.Power(base, exponent):
            fenced = isinstance(base, _ARITHMETIC) or exponent == HALF
            raised = 0 if exponent == HALF else _SMALL * inside(exponent)
            return inside(base) + raised + _FENCES * fenced
        case trees.Function("abs" | "ceil" | "floor", (argument,)):
            return inside(argument) + _FENCES
        case trees.Function("log", (argument, base)):
            return inside(argument) + _SMALL * inside(base) + 3 + _FENCES
        case trees.Function(name, arguments):
            return inside(*arguments) + len(name) + len(arguments) - 1 + _FENCES
        case trees.Comparison(_, left, right):
            return of(left, right) + 3
        case trees.Logic(_, operands):
            return of(*operands) + 3.0 * len(operands)
        case trees.Conditional(condition, consequence, alternative):
            values = max(inside(consequence), inside(alternative))
            return values + max(inside(condition) + 3, 9) + 5
        case trees.Sum(body, _, low, high):
            return of(body) + max(2, _SMALL * max(of(low) + 2, of(high)))
    raise TypeError(node)
