"""Long formulas over several lines: broken before the signs of a sum, else of a product.

What is short enough stays together, so an inner sum is only broken where its term is too long for a
line by itself. A long numerator is written behind `1/denominator`, as a fraction cannot be broken.
Functions, powers and choices are broken inside of their parentheses, conditions before a relation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up
from roofdsl.expression.tree import HALF, ONE, Expression, Number, Symbol
from roofdsl.typeset.mathematics import Fence, Mathematics
from roofdsl.typeset.name import parts_of
from roofdsl.typeset.notation import Notated, Precedence, reading
from roofdsl.typeset.numeral import numeral

_SMALL = 0.7  # the size of an exponent
_CAPITAL = 1.6  # the width of a capital letter, by that of a digit
_FENCES = 2.2  # the width of two parentheses
_SIGN = 2.4  # the width of a sign at the beginning of a line
_ARITHMETIC = (trees.Add, trees.Multiply, trees.Divide)
_FENCED = (trees.Conditional, trees.Function, trees.Power)
"""What has parentheses of its own where it is broken."""
_LEAF = (Number, Symbol)
_LEAST = 2  # what is no wider stays together


class _Piece(NamedTuple):
    """What stays on one line: `sign` goes before it, `at_start` if it begins a line, as it must
    where `alone`.
    """

    text: str
    width: float
    sign: str = ""
    at_start: str = ""
    alone: bool = False

    @property
    def needed(self) -> float:
        """How wide a line must be that begins with it."""
        return self.width + (_SIGN if self.at_start else 0)


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
    """Return the lines of a formula, and about how many digits wide each of them is.

    A formula is broken into smaller pieces until all of them fit, or else to where the widest of
    them is narrowest. What fits into some width fits into every greater one: there the same pieces
    are tried, and which of them are the narrowest does not depend on the width.
    """
    breaking = _Breaking(tree, notation)
    if breaking.widths[id(tree)] <= width:
        return _filled(breaking.broken(tree, width), width)
    best: list[_Piece] = []
    narrowest = math.inf
    # What stays on one line may get a sign before it and parentheses around it.
    for limit in range(max(int(width - _SIGN - _FENCES), _LEAST), _LEAST - 1, -1):
        pieces = breaking.broken(tree, limit)
        widest = max(piece.needed for piece in pieces)
        if widest < narrowest:
            best, narrowest = pieces, widest
        if widest <= width:
            break
    return _filled(best, width)


def _filled(pieces: Sequence[_Piece], width: float) -> list[tuple[str, float]]:
    lines: list[tuple[str, float]] = []
    for piece in pieces:
        line, used = lines[-1] if lines else ("", width)
        if lines and used + piece.width <= width and not piece.alone:
            lines[-1] = line + piece.sign + piece.text, max(used + piece.width, piece.needed)
        else:
            lines.append(((piece.at_start if lines else piece.sign) + piece.text, piece.needed))
    return lines


class _Breaking:
    def __init__(self, tree: Expression, notation: Mathematics) -> None:
        self.notation = notation
        self.widths, self.inner_widths = _widths(tree)
        self.limit = 0.0
        self.of, self.inner = reading(tree, notation), reading(tree, notation.inner)

    def broken(self, tree: Expression, limit: float) -> list[_Piece]:
        """Return the pieces of a formula; what is no wider than the limit stays together."""
        self.limit = limit
        return self.pieces(tree)

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
                case trees.Divide(above, below) if self.inner_widths[
                    id(below)
                ] > self.limit and not isinstance(below, _LEAF):
                    negative, pieces = self.factor(above)
                    first, *rest = self.enclosed(below)
                    slash = self.notation.slash
                    start = self.notation.at_line_start(slash)
                    return negative, [*pieces, first._replace(sign=slash, at_start=start), *rest]
                case trees.Divide(above, below) if not isinstance(above, _LEAF):
                    one = self.notation.number(ONE.value)
                    share = self.notation.quotient(one, self.inner(below))
                    first = _Piece(share.text, self.inner_widths[id(below)])
                    negative, rest = self.factor(above)
                    return negative, [first, self.multiplied(rest[0]), *rest[1:]]
                case trees.Conditional():
                    return False, self.cases(node)
                case trees.Comparison(relation, left, right) if not (
                    isinstance(left, _LEAF) and isinstance(right, _LEAF)
                ):
                    sign = self.notation.sign(relation)
                    return False, self.joined((left, right), sign, Precedence.SUM)
                case trees.Logic("and" | "or" as operator, operands):
                    least = Precedence.COMPARISON if operator == "and" else Precedence.AND
                    return False, self.joined(operands, self.notation.sign(operator), least)
                case trees.Sum(body, index, low, high):
                    return False, self.fenced(self.pieces(body), self.sum_sign(index, low, high), 4)
                case trees.Power(base, exponent) if not isinstance(base, _LEAF):
                    power = reading(exponent, self.notation.small)(exponent)
                    return False, self.enclosed(base, raised=self.notation.signed(power))
                case trees.Function(name, arguments) if self.breakable(node):
                    return False, self.function(name, arguments)
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
        factors = [each for factor in factors for each in self.flat(factor)]
        parts, negative = self.notation.factors([self.of(factor) for factor in factors])
        nodes = factors[len(factors) - len(parts) :]
        pieces: list[_Piece] = []
        for place, (node, part) in enumerate(zip(nodes, parts, strict=True)):
            closed = (part.closed or part.text) if place < len(parts) - 1 else part.text
            broken = [_Piece(closed, self.widths[id(node)] + 1)]
            if self.widths[id(node)] > self.limit:
                if isinstance(node, _FENCED):
                    inside = self.pieces(node)
                    broken = inside if len(inside) > 1 else broken
                elif part.bare or isinstance(node, trees.Divide | trees.Sum):
                    broken = self.enclosed(node)
            if place:
                broken[0] = self.multiplied(broken[0], self.notation.times(parts[place - 1], part))
            pieces += broken
        return negative, pieces

    def flat(self, factor: Expression) -> Sequence[Expression]:
        """Return the factors of a product in a product, if it must be broken."""
        short = self.widths[id(factor)] <= self.limit or self.of(factor).negative
        return factor.factors if isinstance(factor, trees.Multiply) and not short else (factor,)

    def factor(self, node: Expression) -> tuple[bool, list[_Piece]]:
        """Return the pieces of a node that stands behind another factor."""
        if isinstance(node, trees.Multiply):
            return self.unsigned(node)
        if self.widths[id(node)] <= self.limit:
            whole = self.of(node)
            alone = self.notation.fitted(whole._replace(negative=False), Precedence.PRODUCT)
            return whole.negative, [_Piece(alone.text, self.widths[id(node)] + 1)]
        return False, self.enclosed(node)

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

    def breakable(self, node: trees.Function) -> bool:
        leaves = all(isinstance(argument, _LEAF) for argument in node.arguments)
        return node.name != "is_integer" and not (leaves and len(node.arguments) == 1)

    def function(self, name: str, arguments: Sequence[Expression]) -> list[_Piece]:
        tall = any(self.of(argument).tall for argument in arguments)
        if name in ("ceil", "floor", "abs"):
            fence: Fence = "ceil" if name == "ceil" else "floor" if name == "floor" else "abs"
            return self.fenced(self.arguments(arguments), tall=tall, fence=fence)
        inside = arguments
        base: Notated | None = None
        if name in ("log", "lambertw"):
            inside, lowered = arguments[:1], arguments[1]
            base = reading(lowered, self.notation.small)(lowered)
        head = self.notation.function_name(name, base) + self.notation.application_sign
        return self.fenced(self.arguments(inside), head, len(name), tall=tall)

    def sum_sign(self, index: Expression, low: Expression, high: Expression) -> str:
        notation = self.notation
        name, first, last = (reading(part, notation.small)(part) for part in (index, low, high))
        return notation.summation(name.text, notation.signed(first), notation.signed(last), "")

    def cases(self, node: trees.Conditional) -> list[_Piece]:
        """Return the pieces of a choice, each value with its condition on lines of its own."""
        notation = self.notation
        pieces: list[_Piece] = []
        rest: Expression = node
        while isinstance(rest, trees.Conditional) and self.of(rest) != notation.ellipsis:
            pieces += self.alone(self.pieces(rest.consequence))
            first, *others = self.pieces(rest.condition)
            told = notation.space + notation.literal("if") + notation.space + first.sign
            pieces += [first._replace(width=first.width + 3, sign=told, at_start=told), *others]
            pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + notation.comma.rstrip())
            rest = rest.alternative
        *before, last = self.alone(self.pieces(rest))
        text = last.text + notation.space + notation.literal("otherwise")
        pieces += [*before, last._replace(text=text, width=last.width + 9)]
        return self.fenced(pieces, fence="braces", tall=True)

    def alone(self, pieces: list[_Piece]) -> list[_Piece]:
        return [pieces[0]._replace(at_start=pieces[0].sign, alone=True), *pieces[1:]]

    def joined(self, operands: Sequence[Expression], sign: str, least: Precedence) -> list[_Piece]:
        """Return the pieces of what a relation, `and` or `or` joins."""
        pieces: list[_Piece] = []
        for operand in operands:
            bare = self.of(operand).precedence >= least
            first, *rest = self.pieces(operand) if bare else self.enclosed(operand)
            if pieces:
                start = self.notation.at_line_start(sign) + first.sign
                wide = first.width + _SIGN
                first = first._replace(width=wide, sign=sign + first.sign, at_start=start)
            pieces += [first, *rest]
        return pieces

    def enclosed(self, node: Expression, *, raised: str = "") -> list[_Piece]:
        """Return the pieces of a node in parentheses, unless it has some where it is broken."""
        whole, pieces = self.of(node), self.pieces(node)
        if raised or whole.negative or not isinstance(node, _FENCED + _LEAF):
            return self.fenced(pieces, tall=whole.tall, raised=raised)
        if len(pieces) > 1 or not whole.closed:
            return pieces
        return [_Piece(whole.closed, pieces[0].width + _FENCES)]

    def fenced(
        self,
        pieces: list[_Piece],
        head: str = "",
        wide: float = 0.0,
        *,
        tall: bool = True,
        fence: Fence = "parentheses",
        raised: str = "",
    ) -> list[_Piece]:
        """Put parentheses around pieces that may come to stand on different lines."""
        opening, closing = self.notation.open_fence(fence, tall=tall)
        if raised:
            closing = self.notation.superscripted(closing, raised)
        first = pieces[0]
        wider = first.width + wide + _FENCES / 2
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
