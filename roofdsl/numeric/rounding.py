"""`ceil` and `floor` opened: ceil u is u + f and floor u is u - f, with a fraction f from 0 to 1.

What is rounded is in the fractions then: the rest is a formula without jumps, in which equal terms
cancel, and of each fraction it is known which values it may take, and where.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import repeat
from math import ceil, floor, lcm, prod
from typing import NamedTuple, TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add, multiply, number, subtract
from roofdsl.expression.long_sum import LongSum, long_parts
from roofdsl.expression.normal_form import NormalForm
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.substitute import depending, rebuild, substitute
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.place import Place, outer

# A number times a product of values: each as its number (0 is the unknown, i what the rounding
# i - 1 comes to) and how often it is a factor.
_Term: TypeAlias = tuple[Fraction, tuple[tuple[int, int], ...]]
# A period beyond this is of no use: nobody goes through so many numbers.
_LONGEST_PERIOD = 10**9
# Up to one of these, numbers are looked at one by one where there are sums.
_CUTS = (64, 96, 128, 192, 256)


class Rounding(NamedTuple):
    """One `ceil` or `floor`, the same wherever it is used.

    `fraction`: the name of what it adds or takes away; `lattice`: a number q such that q times the
    argument is whole for every whole unknown, 0 where there is none; `period`: after how many
    numbers the fraction repeats, if q is not 0; `terms`: then the argument, as a polynomial.
    """

    fraction: Symbol
    upwards: bool
    lattice: int
    period: int
    terms: tuple[_Term, ...]

    @property
    def units(self) -> int:
        """In how many parts of 1 the fraction is counted."""
        return self.lattice or 1

    @property
    def widest(self) -> tuple[int, int]:
        """The least and the greatest that the fraction may be, in units."""
        # Of a multiple of 1/q, the way to a whole number is one of 0, 1/q, …, 1 - 1/q.
        return 0, self.lattice - 1 if self.lattice else 1


class Opened(NamedTuple):
    """Two formulas with their roundings opened, equal to them for every x > 0.

    `roundings`: all of them, each behind those that its argument holds.
    """

    left: Expression
    right: Expression
    roundings: tuple[Rounding, ...]

    @property
    def period(self) -> int:
        """After how many numbers all the fractions repeat that do; 0 where none does."""
        periods = [each.period for each in self.roundings if each.lattice]
        return lcm(*periods) if periods else 0

    def fractions(self, place: int, first: int, count: int) -> list[int]:
        """Return what a rounding that repeats adds or takes away at some numbers, in units."""
        units = self.roundings[place].units
        return [
            int(abs(self._argument(place, x) - self._value(place + 1, x)) * units)
            for x in range(first, first + count)
        ]

    def _value(self, place: int, x: int) -> int:
        if place == 0:
            return x
        argument = self._argument(place - 1, x)
        return ceil(argument) if self.roundings[place - 1].upwards else floor(argument)

    def _argument(self, place: int, x: int) -> Fraction:
        total = Fraction(0)
        for coefficient, factors in self.roundings[place].terms:
            total += coefficient * prod(self._value(inner, x) ** times for inner, times in factors)
        return total


def opened(
    left: Expression,
    right: Expression,
    name: str,
    ends: tuple[Place, Place] | None = None,
    *,
    integer: bool = True,
) -> Opened | None:
    """Open the roundings of two formulas of an unknown > 0; None where one cannot be.

    `integer`: the unknown is whole, so that fractions may repeat; `ends`: between which it lies,
    without which sums are not opened.

    >>> from roofdsl.expression.construct import call, divide, number
    >>> n = Symbol("N", integer=True)
    >>> found = opened(call("ceil", divide(n, number(8))), n, "N")
    >>> [(rounding.lattice, rounding.period) for rounding in found.roundings], found.period
    ([(8, 8)], 8)
    >>> found.fractions(0, 8, 8)
    [0, 7, 6, 5, 4, 3, 2, 1]
    """
    opening = _Opening(name, ends, integer=integer)
    sides = opening.of(left), opening.of(right)
    if sides[0] is None or sides[1] is None:
        return None
    return Opened(sides[0], sides[1], tuple(opening.roundings))


class _Opening:
    """The roundings found so far; while their like is looked for, each is one whole number."""

    def __init__(self, name: str, ends: tuple[Place, Place] | None, *, integer: bool) -> None:
        self.name = name
        self.ends = ends
        self.integer = integer
        self.roundings: list[Rounding] = []
        self._known: dict[tuple[bool, NormalForm | Expression], int] = {}
        # By the names of those whole numbers: which it is, and what it is when opened.
        self._places = {name: 0}
        self._opened: dict[str, Expression] = {}

    def of(self, tree: Expression) -> Expression | None:
        """Return a tree with its roundings opened."""
        dependent = depending(tree, self.name)
        new: dict[int, Expression] = {}
        for node in bottom_up(tree, outside_sums):
            if id(node) not in dependent:
                new[id(node)] = node
                continue
            parts = tuple(new[id(each)] for each in outside_sums(node))
            match node:
                case trees.Function("ceil" | "floor" as name, _):
                    new[id(node)] = self._value(parts[0], upwards=name == "ceil")
                case trees.Function("is_integer", _):
                    # A number is whole where nothing is to be added to make it so.
                    self._value(parts[0], upwards=True)
                    place = self._known[True, self._key(parts[0])]
                    fraction = self.roundings[place].fraction
                    new[id(node)] = trees.Comparison("==", fraction, ZERO)
                case trees.Sum() as whole:
                    total = self._total(whole, parts[1])
                    if total is None:
                        return None
                    new[id(node)] = total
                case _:
                    new[id(node)] = rebuild(node, parts)
        return substitute(new[id(tree)], self._opened)

    def _total(self, node: trees.Sum, bound: Expression) -> Expression | None:
        """Return a sum as a formula of its bound, with fractions for what is left of constants."""
        form = normal_form(bound, self.name)
        if form is None or not form.is_whole:
            bound = self._value(bound, upwards=False)
        parts = long_parts(node, bound, short=True)
        if parts is None or self.ends is None or not _reaches(node, parts, self.name, self.ends):
            return None
        terms = []
        for part in parts:
            inner = [part.formula, number(part.low)]
            for width in (number(part.high - part.low), part.rest):
                fraction = Symbol(f"fraction {len(self.roundings)}")
                self.roundings.append(Rounding(fraction, True, 0, 0, ()))
                inner.append(multiply(width, fraction))
            terms.append(multiply(part.factor, add(*inner)))
        return add(*terms)

    def _key(self, argument: Expression) -> NormalForm | Expression:
        form = normal_form(argument, self.name)
        return argument if form is None else form

    def _value(self, argument: Expression, *, upwards: bool) -> Symbol:
        """Return the name of the whole number that a rounding comes to."""
        key = self._key(argument)
        place = self._known.setdefault((upwards, key), len(self.roundings))
        value = Symbol(f"rounded {place}", integer=True, positive=False)
        if place == len(self.roundings):
            fraction = Symbol(f"fraction {place}")
            lattice, period, terms = self._lattice(key)
            self.roundings.append(Rounding(fraction, upwards, lattice, period, terms))
            self._places[value.name] = place + 1
            plain = substitute(argument, self._opened)
            self._opened[value.name] = (add if upwards else subtract)(plain, fraction)
        return value

    def _lattice(self, form: NormalForm | Expression) -> tuple[int, int, tuple[_Term, ...]]:
        """Return the lattice, the period and the terms of an argument, zeros where it has none."""
        nothing = 0, 0, ()
        if not (self.integer and isinstance(form, NormalForm)):
            return nothing
        terms: list[_Term] = []
        lattice = period = 1
        for coefficient, powers in form.products():
            factors = []
            # c·(a product of whole numbers) is a multiple of 1/d, d the denominator of c, and by
            # how much it misses a whole number depends on those numbers modulo d alone.
            denominator = coefficient.denominator
            lattice = lcm(lattice, denominator)
            for atom, exponent in powers:
                if not (isinstance(atom, Symbol) and atom.name in self._places):
                    return nothing
                if exponent < 0 or exponent.denominator != 1:
                    return nothing
                place = self._places[atom.name]
                period = lcm(period, self._repeats(place, denominator))
                if not 0 < period <= _LONGEST_PERIOD:
                    return nothing
                factors.append((place, int(exponent)))
            terms.append((Fraction(coefficient), tuple(factors)))
        return lattice, period, tuple(terms)

    def _repeats(self, place: int, modulus: int) -> int:
        """Return after how many numbers a value repeats modulo a number; 0: it does not."""
        if place == 0 or modulus == 1:
            return modulus
        # ceil u modulo m is known from q·u modulo q·m, and q·u is a sum of whole numbers times
        # products of values: it repeats, modulo q·m, where all of these do.
        rounding = self.roundings[place - 1]
        if not rounding.lattice:
            return 0
        inner = (factor for _, factors in rounding.terms for factor, _ in factors)
        return lcm(*map(self._repeats, inner, repeat(rounding.lattice * modulus)))


def _reaches(
    node: trees.Sum, parts: Iterable[LongSum], name: str, ends: tuple[Place, Place]
) -> bool:
    """Whether the bound of a sum goes far enough for its formula, all the way between two ends."""
    low, _, _, _ = Enclosure(node.high, name).over(*outer(*ends))
    return all(part.first <= low for part in parts)


def sums_open_from(sides: Iterable[Expression], name: str, high: Place) -> int | None:
    """Return a number from which on all sums can be opened; None where none is known, or needed."""
    nodes = (node for side in sides for node in bottom_up(side, outside_sums))
    found = [(node, long_parts(node, node.high)) for node in nodes if isinstance(node, trees.Sum)]
    for place in _CUTS if found else ():
        if place < high and all(
            parts is not None and _reaches(node, parts, name, (place, high))
            for node, parts in found
        ):
            return place
    return None
