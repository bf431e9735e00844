"""Two formulas between which fractions lie, from above and from below, by formulas without jumps.

Where even the upper one of a difference is below 0, the difference is, whatever the fractions are.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import NamedTuple, TypeAlias

from roofdsl.expression.condition import truth
from roofdsl.expression.construct import maximum, minimum, subtract
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.polynomial import Degree, GeneralisedPolynomial, grouped
from roofdsl.expression.product import Product, TooLong, is_positive
from roofdsl.expression.substitute import free_symbols, rebuild, substitute
from roofdsl.expression.tree import (
    ZERO,
    Add,
    Comparison,
    Conditional,
    Divide,
    Expression,
    Function,
    Logic,
    Multiply,
    Number,
    Power,
    Symbol,
)
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.pair import Pair, cleared_form, total_of
from roofdsl.numeric.rounding import Opened

# From where to where each of the fractions lies, both included.
Box: TypeAlias = Sequence[tuple[Fraction, Fraction]]
# The least and the greatest that something may be; one and the same where it holds no fraction.
_Ends: TypeAlias = tuple[Expression, Expression]


class Envelope(NamedTuple):
    """Pairs of formulas between which two formulas lie, or the two themselves, twice.

    Where `most` is below, so are they; where `least` is above, so are they.
    """

    most: Pair
    least: Pair


class Envelopes:
    """The envelopes of two formulas, over x from `low` to `high`, for any box of fractions.

    Raises ValueError where it is not known how the formulas grow with the fractions.
    """

    def __init__(self, found: Opened, name: str, low: int, high: int) -> None:
        self._name = name
        self._names = [each.fraction.name for each in found.roundings]
        self._range = low, high
        self._terms: list[_Term] | None = None
        self._sides = found.left, found.right
        form = normal_form(subtract(found.left, found.right), name)
        try:
            form = None if form is None else cleared_form(form, name)
        except TooLong:
            form = None
        if form is not None:
            self._sides = total_of(form.products(), 1), total_of(form.products(), -1)
            self._terms = _terms(form, name, self._names)
        if self._terms is None:
            self.within([each.widest for each in found.roundings])

    def within(self, box: Box) -> Envelope:
        """Return the envelope where each fraction lies within its part of a box."""
        if self._terms is not None:
            most = self._powers([high for _, high in box], [low for low, _ in box])
            if all(low == high for low, high in box):
                return Envelope(most, most)
            return Envelope(most, self._powers([low for low, _ in box], [high for _, high in box]))
        if all(low == high for low, high in box):
            values = {name: Number(low) for name, (low, _) in zip(self._names, box, strict=True)}
            left, right = (substitute(side, values) for side in self._sides)
            pair = self._pair(left, right)
            return Envelope(pair, pair)
        bounds = _Bounds(dict(zip(self._names, box, strict=True)), self._name, *self._range)
        (low, high), (other_low, other_high) = map(bounds.of, self._sides)
        return Envelope(self._pair(high, other_low), self._pair(low, other_high))

    def _pair(self, left: Expression, right: Expression) -> Pair:
        return Pair(left, right, self._name, integer=True)

    def _powers(self, more: Sequence[Fraction], less: Sequence[Fraction]) -> Pair:
        """Return the difference with values put in: `more` where it adds, `less` where it takes."""
        # x^a·L^b and all numbers but the signed ones are > 0, and no fraction is below 0: a term
        # with a positive coefficient grows with each of them, one with a negative one shrinks.
        assert self._terms is not None
        sums: dict[Degree, list[Product]] = {}
        for degree, (coefficient, powers), fractions in self._terms:
            values = more if coefficient > 0 else less
            value = Fraction(coefficient)
            for place, exponent in fractions:
                value *= values[place] ** exponent
            sums.setdefault(degree, []).append(Product(value, powers))
        unknown = Symbol(self._name, integer=True)
        forms = {degree: collected(terms) for degree, terms in sums.items()}
        found = GeneralisedPolynomial(unknown, {key: form for key, form in forms.items() if form})
        return Pair(found.tree(), ZERO, self._name, integer=True, powers=found)


class _Term(NamedTuple):
    """A term of a generalised polynomial: x^a·L^b, a product, and powers of fractions."""

    degree: Degree
    rest: Product
    fractions: tuple[tuple[int, int], ...]


def _terms(form: NormalForm, name: str, names: Sequence[str]) -> list[_Term] | None:
    """Return the terms of a difference, None if it is no polynomial in unknown and fractions."""
    found = grouped(form, name)
    if found is None:
        return None
    terms = []
    for degree, coefficient in found.terms.items():
        for number, powers in coefficient.products():
            rest, fractions = [], []
            for atom, exponent in powers:
                if isinstance(atom, Symbol) and atom.name in names:
                    if exponent < 0 or exponent.denominator != 1:
                        return None
                    fractions.append((names.index(atom.name), int(exponent)))
                elif free_symbols(atom) or not is_positive(atom):
                    return None
                else:
                    rest.append((atom, exponent))
            terms.append(_Term(degree, Product(number, frozenset(rest)), tuple(fractions)))
    return terms


class _Bounds:
    """Lower and upper formulas of trees that hold fractions, for x from `low` to `high`."""

    def __init__(
        self, box: dict[str, tuple[Fraction, Fraction]], name: str, low: int, high: int
    ) -> None:
        self._box = box
        self._name = name
        self._range = float(low), float(high)

    def of(self, tree: Expression) -> _Ends:
        """Return the least and the greatest that a tree may be; raise ValueError if not known."""
        found: dict[int, _Ends] = {}
        for node in bottom_up(tree):
            parts = [found[id(each)] for each in operands_of(node)]
            if isinstance(node, Symbol) and node.name in self._box:
                low, high = self._box[node.name]
                found[id(node)] = Number(low), Number(high)
            elif all(low is high for low, high in parts):
                same = all(
                    old is low for old, (low, _) in zip(operands_of(node), parts, strict=True)
                )
                whole = node if same else rebuild(node, tuple(low for low, _ in parts))
                found[id(node)] = whole, whole
            else:
                found[id(node)] = self._between(node, parts)
        return found[id(tree)]

    def _between(self, node: Expression, parts: Sequence[_Ends]) -> _Ends:
        match node:
            case Add() | Function("min" | "max" | "ln" | "log2" | "log10" | "exp"):
                # These grow with each of their operands.
                return _ends(node, parts, [1] * len(parts))
            case Multiply():
                # With the other factors fixed it grows or shrinks with one, as their signs say.
                signs = [self._sign(part) for part in parts]
                return _ends(node, parts, [prod(signs) * each for each in signs])
            case Divide():
                above, below = (self._sign(part) for part in parts)
                return _ends(node, parts, [below, -above])
            case Power(_, Number(exponent)) if self._sign(parts[0]) > 0:
                return _ends(node, parts, [1 if exponent > 0 else -1, 1])
            case Power(Number(base), _) if base > 1:
                return _ends(node, parts, [1, 1])
            case Comparison() | Logic():
                return truth(False), truth(True)
            case Conditional():
                condition, (low, high), (other_low, other_high) = parts
                if condition[0] is condition[1]:
                    return _ends(node, parts, [1, 1, 1])
                # Which of the two it is may depend on the fractions.
                return minimum(low, other_low), maximum(high, other_high)
            case _:
                raise ValueError(f"how {type(node).__name__} grows is not known")

    def _sign(self, part: _Ends) -> int:
        """Return 1 for what is never below 0 in the range, -1 for what is never above."""
        low, high = (Enclosure(tree, self._name, integer=True) for tree in part)
        if low.over(*self._range)[0] >= 0:
            return 1
        if high.over(*self._range)[1] <= 0:
            return -1
        raise ValueError("a factor of both signs")


def _ends(node: Expression, parts: Sequence[_Ends], directions: Sequence[int]) -> _Ends:
    """Return the ends of what grows with some of its operands, and shrinks with others."""
    low, high = (
        tuple(part[end if direction > 0 else 1 - end] for part, direction in both)
        for end, both in enumerate([[*zip(parts, directions, strict=True)]] * 2)
    )
    return rebuild(node, low), rebuild(node, high)
