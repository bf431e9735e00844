"""What all notations share: when an operand needs parentheses, and where a minus sign goes.

A notation says how each kind of node is put together from its written operands; `written` goes
through a tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from enum import IntEnum
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.order import bottom_up, operands_of
from roofdsl.expression.tree import HALF, Expression, Number, Symbol


class Precedence(IntEnum):
    """How tightly a notation holds together, loosest first."""

    CONDITIONAL = 0
    OR = 1
    AND = 2
    NOT = 3
    COMPARISON = 4
    SUM = 5
    QUOTIENT = 6  # with a slash, of which one cannot see how far it goes
    PRODUCT = 7
    APPLICATION = 8  # of a function without parentheses, which takes in what follows
    POWER = 9
    ATOM = 10


# What a written operand begins or ends with, as far as its neighbour in a product cares.
Edge: TypeAlias = Literal["digit", "letter", "word", "operator", "bracket", "minus", "other"]


class Notated(NamedTuple):
    """A piece of notation without its minus sign, and how tightly it binds with it.

    `negative`: a minus sign goes in front of `text`. `tall`: higher than a line. `closed` is what
    to write where something follows that `text` would seem to take in, "" where it would not.
    `bare` is a text in parentheses without them, "" for any other.
    """

    text: str
    precedence: Precedence
    negative: bool = False
    starts: Edge = "other"
    ends: Edge = "other"
    tall: bool = False
    closed: str = ""
    bare: str = ""


Reading: TypeAlias = Callable[[Expression], Notated]


class Notation(ABC):
    """How to write each kind of node. The defaults are what people do in most notations."""

    minus: str
    minus_between: str
    plus_between: str
    ellipsis: Notated
    longest: int
    """More characters than that for one operand are left out."""
    deepest: int | None = None
    """What is nested deeper than that is left out."""
    factors_bind: Precedence = Precedence.APPLICATION
    """How tightly each factor of a product must bind, the first one apart."""
    negated_bind: Precedence = Precedence.NOT
    """How tightly a condition must bind behind `not`."""

    @property
    def small(self) -> Notation:
        """The notation of exponents, bases of logarithms and bounds of sums."""
        return self

    @property
    def inner(self) -> Notation:
        """The notation of what stands in a fraction, a power, a function or a case."""
        return self

    @abstractmethod
    def bracketed(self, inside: Notated) -> Notated:
        """Put parentheses around a text that may have a minus sign."""

    @abstractmethod
    def number(self, value: Fraction) -> Notated: ...

    @abstractmethod
    def name(self, name: str) -> Notated: ...

    @abstractmethod
    def times(self, left: Notated, right: Notated) -> str:
        """Return what stands between two factors."""

    @abstractmethod
    def quotient(self, above: Notated, below: Notated) -> Notated: ...

    @abstractmethod
    def root(self, inside: Notated) -> Notated: ...

    @abstractmethod
    def power(self, base: Notated, exponent: Notated) -> Notated: ...

    @abstractmethod
    def function(self, name: str, arguments: Sequence[Notated]) -> Notated: ...

    @abstractmethod
    def membership(self, operand: Notated, *, negated: bool) -> Notated:
        """Write that an operand is, or is not, a whole number."""

    @abstractmethod
    def truth(self, value: bool) -> Notated: ...

    @abstractmethod
    def sign(self, operator: str) -> str:
        """Return a relation, `and` or `or` with the space around it, or `not` with that behind."""

    @abstractmethod
    def conditional(self, node: trees.Conditional, of: Reading) -> Notated: ...

    @abstractmethod
    def sum_over(self, body: Notated, index: Notated, low: Notated, high: Notated) -> Notated: ...

    def signed(self, piece: Notated) -> str:
        """Return a text with its minus sign."""
        return self.minus + piece.text if piece.negative else piece.text

    def fitted(self, piece: Notated, precedence: Precedence) -> Notated:
        """Return an operand that must bind at least so tightly, in parentheses if it does not."""
        return piece if piece.precedence >= precedence else self.bracketed(piece)

    def unsigned(self, piece: Notated, precedence: Precedence) -> Notated:
        """Return an operand where a minus sign cannot stand."""
        if piece.negative or piece.starts == "minus":
            return self.bracketed(piece)
        return self.fitted(piece, precedence)

    def term(self, piece: Notated) -> str:
        """Return a term that is not the first of a sum, with the sign before it."""
        if piece.negative:
            return self.minus_between + piece.text
        return self.plus_between + self.unsigned(piece, Precedence.SUM).text

    def sum(self, terms: Sequence[Notated]) -> Notated:
        first = self.fitted(terms[0], Precedence.SUM)
        text = self.signed(first) + "".join(self.term(term) for term in terms[1:])
        starts: Edge = "minus" if first.negative else first.starts
        tall = any(term.tall for term in terms)
        return Notated(text, Precedence.SUM, starts=starts, ends="other", tall=tall)

    def product(self, factors: Sequence[Notated]) -> Notated:
        return factors[0] if len(factors) == 1 else self.joined(*self.factors(factors))

    def factors(self, factors: Sequence[Notated]) -> tuple[list[Notated], bool]:
        """Return factors as they stand in a product, and whether a minus sign stands before it."""
        first, *others = factors
        if others and first.negative and first.text == self.number(Fraction(1)).text:
            # -1 is only a sign, and the next factor is the first.
            head = self.unsigned(others.pop(0), Precedence.PRODUCT)
        else:
            head = self.fitted(first._replace(negative=False), Precedence.PRODUCT)
        rest = [self.unsigned(factor, self.factors_bind) for factor in others]
        return [head, *rest], first.negative

    def joined(self, parts: Sequence[Notated], negative: bool = False) -> Notated:
        """Return factors, each as it stands in a product, as one."""
        *inner, last = parts
        inner = [part._replace(text=part.closed or part.text) for part in inner]
        front = ""
        for left, right in pairwise([*inner, last]):
            front += left.text + self.times(left, right)
        return Notated(
            front + last.text,
            Precedence.PRODUCT,
            negative,
            starts=parts[0].starts,
            ends=last.ends,
            tall=any(part.tall for part in parts),
            closed=front + last.closed if last.closed else "",
            bare=last.bare if len(parts) == 1 else "",
        )

    def write(self, node: Expression, of: Reading, small: Reading, inner: Reading) -> Notated:
        """Return the notation of a node; `of`, `small` and `inner` give that of its operands."""
        match node:
            case Number(value):
                return self.number(value)
            case Symbol(name):
                # What has a `:` behind it is a `let` whose number may be off: see `Uncertain`.
                return self.name(name.rstrip(":"))
            case trees.Add(terms):
                return self.sum([of(term) for term in terms])
            case trees.Multiply(factors):
                return self.product([of(factor) for factor in factors])
            case trees.Divide(above, below):
                return self.quotient(inner(above), inner(below))
            case trees.Power(base, exponent) if exponent == HALF:
                return self.root(inner(base))
            case trees.Power(base, exponent):
                return self.power(inner(base), small(exponent))
            case trees.Function("is_integer", (argument,)):
                return self.membership(inner(argument), negated=False)
            case trees.Function(name, (first, *others)):
                reading = small if name == "log" else inner
                return self.function(name, [inner(first), *map(reading, others)])
            case trees.Comparison() | trees.Logic():
                return self._condition(node, of)
            case trees.Conditional():
                return self.conditional(node, inner)
            case trees.Sum(body, index, low, high):
                return self.sum_over(of(body), small(index), small(low), small(high))
        raise TypeError(node)

    def _condition(self, node: trees.Comparison | trees.Logic, of: Reading) -> Notated:
        match node:
            case trees.Comparison("==", Number(left), Number(right)) if left == 1 and right in (
                0,
                1,
            ):
                return self.truth(bool(right))
            case trees.Comparison(relation, before, after):
                sides = [
                    self.signed(self.fitted(of(side), Precedence.SUM)) for side in (before, after)
                ]
                tall = of(before).tall or of(after).tall
                return Notated(self.sign(relation).join(sides), Precedence.COMPARISON, tall=tall)
            case trees.Logic("not", (trees.Function("is_integer", (argument,)),)):
                return self.membership(of(argument), negated=True)
            case trees.Logic(operator, operands):
                own = {"not": Precedence.NOT, "and": Precedence.AND, "or": Precedence.OR}[operator]
                inner = self.negated_bind if operator == "not" else Precedence(own + 1)
                parts = [self.fitted(of(operand), inner) for operand in operands]
                text = self.sign(operator).join(self.signed(part) for part in parts)
                if operator == "not":
                    text = self.sign(operator) + text
                return Notated(text, own, tall=any(part.tall for part in parts))


def written(tree: Expression, notation: Notation) -> Notated:
    """Return `tree` in a notation.

    A formula can be too long or too deep to write, as one that uses its own parts over and over:
    the parts that are beyond the notation's limits are left out.
    """
    return reading(tree, notation)(tree)


def reading(tree: Expression, notation: Notation) -> Reading:
    """Return a function that gives the notation of `tree` and of every node in it."""
    cut = _too_deep(tree, notation.deepest)

    def below(known: Container[int]) -> Callable[[Expression], tuple[Expression, ...]]:
        return lambda node: () if id(node) in cut or id(node) in known else operands_of(node)

    order = bottom_up(tree, lambda node: () if id(node) in cut else operands_of(node))
    done: dict[Notation, dict[int, Notated]] = {notation: {}}
    for level, parts_of in ((notation.small, _small_parts), (notation.inner, _inner_parts)):
        if level not in done:
            done[level] = {}
            for part in (part for node in order for part in parts_of(node)):
                _write_all(bottom_up(part, below(done[level])), level, done, cut)
    _write_all(order, notation, done, cut)
    return lambda node: done[notation][id(node)]


def _write_all(
    order: Sequence[Expression],
    notation: Notation,
    done: Mapping[Notation, dict[int, Notated]],
    cut: set[int],
) -> None:
    def reading(level: Notation) -> Reading:
        return lambda node: done[level][id(node)]

    found = done[notation]
    levels = [reading(level) for level in (notation, notation.small, notation.inner)]
    for node in order:
        if id(node) in found:
            continue
        result = notation.ellipsis if id(node) in cut else notation.write(node, *levels)
        found[id(node)] = notation.ellipsis if len(result.text) > notation.longest else result


def _small_parts(node: Expression) -> tuple[Expression, ...]:
    match node:
        case trees.Power(_, exponent):
            return (exponent,)
        case trees.Function("log", (_, base)):
            return (base,)
        case trees.Sum(_, index, low, high):
            return index, low, high
    return ()


def _inner_parts(node: Expression) -> tuple[Expression, ...]:
    match node:
        case trees.Power(base):
            return (base,)
        case trees.Divide() | trees.Function() | trees.Conditional():
            return operands_of(node)
    return ()


def _too_deep(tree: Expression, deepest: int | None) -> set[int]:
    """Return the ids of the nodes that stand deeper than that in some place, leaves apart."""
    cut: set[int] = set()
    if deepest is None:
        return cut
    depth = {id(tree): 0}
    for node in reversed(bottom_up(tree)):  # a node comes before its operands
        below = depth[id(node)] + 1
        operands = operands_of(node)
        if operands and below > deepest:
            cut.add(id(node))
        for operand in operands:
            depth[id(operand)] = max(below, depth.get(id(operand), 0))
    return cut
