"""What the nodes of a certificate are over a box of the unknown, and how two lie to each other."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import reduce
from math import comb, lcm
from typing import TYPE_CHECKING, TypeAlias

from flint import arb

from roofdsl.verify.certificate import Node
from roofdsl.verify.forms import Atom, Form, Product, atom, common, constant, number
from roofdsl.verify.intervals import ANYTHING, Ends, Exact, Over, add, most_off, varying

if TYPE_CHECKING:
    from roofdsl.verify.check import Checker

Signs: TypeAlias = frozenset[int]
ANY_SIGN: Signs = frozenset({-1, 0, 1})
_ABOVE, _NOT_BELOW = frozenset({1}), frozenset({0, 1})
_HOLDS = {"if <": {-1}, "if <=": {-1, 0}, "if ==": {0}}
"""The signs of left - right with which the first of two nodes counts, not the second."""
_HIGHEST = 12


class Box:
    """All values of the unknown from `low` to `high`; one value where these are the same."""

    def __init__(self, checker: Checker, low: Fraction, high: Fraction) -> None:
        self.low, self.high, self._all, self.algebra = low, high, checker, checker.algebra
        self.over = Over(low, high, self.algebra, self._bounds)
        self._forms: dict[int, Form] = {}
        self._signs: dict[tuple[int, int], Signs] = {}

    def form(self, place: int) -> Form:
        """Return a node as a form; where it is not known what it is, as an atom of its own."""
        if place not in self._forms:
            self.algebra.spend(1)
            self._forms[place] = self._form(place, self._all.nodes[place])
        return self._forms[place]

    def _form(self, place: int, node: Node) -> Form:
        a, operands = self.algebra, node.operands
        if node.kind == "number":
            return number(Fraction(node.text))
        if node.kind == "x":
            return number(self.low) if self.low == self.high else atom(Atom("x"))
        if node.kind == "index":
            return atom(Atom("index", place))
        if node.kind == "sum":
            return self._sum(place, *operands)
        if node.kind in ("pick", *_HOLDS):
            may_be = self._may_be(node)
            return self.form(may_be[0]) if len(may_be) == 1 else atom(Atom("node", place))
        first, *others = (self.form(each) for each in operands)
        match node.kind:
            case "+":
                return reduce(a.plus, others, first)
            case "*":
                return reduce(a.times, others, first)
            case "/":
                return a.times(first, a.power(others[0], Fraction(-1)))
            case "^":
                exponent = constant(others[0])
                if exponent is not None:
                    return a.power(first, exponent)
                return a.exp(a.times(others[0], a.ln(first)))
            case "ln":
                return a.ln(first)
            case "exp":
                return a.exp(first)
        return self._rounded(node.kind, first)

    def _may_be(self, node: Node) -> list[int]:
        """Return the nodes that one which chooses may be somewhere in the box."""
        if node.kind != "pick":
            left, right, *both = node.operands
            signs = self.signs(left, right)
            return both[: 1 if signs <= _HOLDS[node.kind] else 2][not signs & _HOLDS[node.kind] :]
        half = len(node.operands) // 2
        values, found = node.operands[:half], []
        for n, one in enumerate(values):
            wanted = [_ABOVE if m < n else _NOT_BELOW for m in range(half)]
            if all(self.signs(one, values[m]) & wanted[m] for m in range(half) if m != n):
                found.append(node.operands[half + n])
        return [*dict.fromkeys(found)]

    def signs(self, one: int, other: int) -> Signs:
        """Return which signs the difference of two nodes may have in the box."""
        if (one, other) not in self._signs:
            found = self._all.known(one, other, self.low, self.high)
            if len(found) > 1:
                difference = self.algebra.plus(self.form(one), self.form(other), -1)
                exactly = self.algebra.sign(difference) if self.low == self.high else None
                found &= Sides(self, difference).signs if exactly is None else {exactly}
            self._signs[one, other] = found
            self._signs[other, one] = frozenset(-each for each in found)
        return self._signs[one, other]

    def _bounds(self, place: int) -> Ends:
        """Return the bounds of a node of which it is not known what it is in the box."""
        node = self._all.nodes[place]
        may_be = [] if node.kind == "sum" else self._may_be(node)
        found = [self.over.form(self.form(each)).value for each in may_be] or [ANYTHING]
        return min(each[0] for each in found), max(each[1] for each in found)

    def _rounded(self, kind: str, inside: Form) -> Form:
        """Return `ceil` or `floor` of a form, as a number where it is one all over the box."""
        if self.low == self.high or constant(inside) is not None:
            return self.algebra.rounded(inside, kind)
        value, slope = self.over.form(inside)
        if slope is not None and value[0] >= 0 and (slope[0] >= 0 or slope[1] <= 0):
            # It only rises, or only falls, so that its ends say all.
            low, high = (self.algebra.put_in(inside, end) for end in (self.low, self.high))
            found = self.algebra.rounded(low, kind)
            if found == self.algebra.rounded(high, kind) and constant(found) is not None:
                return found
        return self.algebra.of(kind, inside)

    def fineness(self, form: Form) -> int:
        """Return q where q times a form is a whole number at every whole number, else 0."""
        for each, exponent in (each for product in form for each in product):
            whole = each.kind in ("ceil", "floor") or (each.kind == "x" and self._all.integer)
            if not whole or exponent < 0 or exponent.denominator != 1:
                return 0
        return lcm(*(factor.denominator for factor in form.values()))

    def _sum(self, place: int, index: int, body: int, first: int, last: int) -> Form:
        """Return a sum of a polynomial in its index, from a number on, without a sum."""
        a, low, high = self.algebra, constant(self.form(first)), self.form(last)
        high = high if self.fineness(high) == 1 else self._rounded("floor", high)
        unknown, least = atom(Atom("node", place)), self.over.form(high).value[0]
        if low is None or low.denominator != 1 or not least >= low.numerator - 1:
            return unknown
        found: Form = {}
        for product, factor in self.form(body).items():
            degree = dict(product).get(Atom("index", index), Fraction(0))
            rest = product - {(Atom("index", index), degree)}
            if degree not in range(_HIGHEST + 1) or any(self._may_vary(each) for each, _ in rest):
                return unknown
            up_to, before = (_powers(a, n, degree.numerator) for n in (high, number(low - 1)))
            found = a.plus(found, a.times({rest: factor}, a.plus(up_to, before, -1)))
        return found

    def _may_vary(self, one: Atom) -> bool:
        """Whether an atom may hang on an index; of what is not known, it is not known."""
        self.algebra.spend(1)
        inside = (each for product, _ in one.form for each, _ in product)
        return one.kind in ("index", "node") or any(map(self._may_vary, inside))


def _powers(algebra: Exact, end: Form, degree: int) -> Form:
    """Return 1^m + … + n^m of a form n, as a polynomial that is 0 at n = 0."""
    # (n+1)^(m+1) - 1 = Σ C(m+1, k)·S(k), solved for the last.
    above = algebra.power(algebra.plus(end, number(1)), Fraction(degree + 1))
    for lower in range(degree):
        above = algebra.plus(above, _powers(algebra, end, lower), -comb(degree + 1, lower))
    return algebra.times(algebra.plus(above, number(-1)), number(Fraction(1, degree + 1)))


_ROUNDED = ("ceil", "floor")
# Of a rounding, times itself: higher powers stay as they are.
_MOST_ROUNDED = 4


class Sides:
    """What is added in a difference, `plus`, and what is taken away in it, `minus`.

    Both are divided by what they share and is above 0, so that their order stays. `ceil u` and
    `floor u` are taken apart, into u and what they are off by, so that u may cancel.
    """

    def __init__(self, box: Box, difference: Form) -> None:
        self._box, self._algebra = box, box.algebra
        self._added: dict[Product, Fraction] = {}
        self._taken: dict[Product, Fraction] = {}
        self._open: list[Ends] = []
        opened = self._shortened(self._algebra.mapped(self._shortened(difference), self._opened))
        for product, factors in varying(opened).items():
            term = {product | constants: factor for constants, factor in factors.items()}
            value = box.over.form(term).value
            if value[0] >= 0:
                self._added |= term
            elif value[1] <= 0:
                self._taken |= {each: -factor for each, factor in term.items()}
            else:
                self._open.append(value)
        added = [(arb(0), max(high, arb(0))) for _, high in self._open]
        taken = [(arb(0), max(-low, arb(0))) for low, _ in self._open]
        self.plus = add([box.over.form(self._added).value, *added])
        self.minus = add([box.over.form(self._taken).value, *taken])

    def _shortened(self, form: Form) -> Form:
        above = [each for each in common(form) if self._box.over.atom(each[0]).value[0] > 0]
        return self._algebra.divided(form, frozenset(above))

    def _opened(self, one: Atom, exponent: Fraction) -> Form:
        if one.kind not in _ROUNDED or exponent not in range(1, _MOST_ROUNDED + 1):
            return atom(one, exponent)
        inside = dict(one.form)
        off = self._algebra.of("off by", atom(one), number=self._box.fineness(inside))
        sign = 1 if one.kind == "ceil" else -1
        return self._algebra.power(self._algebra.plus(inside, off, sign), exponent)

    @property
    def signs(self) -> frozenset[int]:
        """The signs that the difference may have."""
        (least, most), (less, more) = self.plus, self.minus
        never = {1: most <= less, -1: least >= more, 0: least > more or most < less}
        return frozenset(each for each in never if not never[each])

    def proofs(self) -> Iterator[tuple[str, str, arb]]:
        """Yield what is shown by values, and by slopes: state, reason, and margin.

        The margin of values is by what factor more is added at least than is taken away.
        """
        if self.plus[0] >= self.minus[1]:
            above = self.plus[0] > self.minus[1]
            ratio = self.plus[0] / self.minus[1] if self.minus[1] > 0 else arb("+inf")
            yield "above" if above else "not below", "values", (ratio - 1).lower()
        margin, sign = self._steeper()
        if sign in (0, 1):
            yield "above" if sign else "not below", "slopes", margin

    def _steeper(self) -> tuple[arb, int | None]:
        """Return by how much the slope of what is added is the larger, and the sign at one end.

        Then the ratio of the two rises and is the least at the first place, whose sign it is; where
        the number is negative it falls, and the last place decides. None where neither is proven.
        """
        smooth = self._smooth()
        one, other = (self._box.over.form(each).slope for each in smooth)
        if self._open or not smooth[0] or one is None or other is None:
            return arb(0), None
        rises, falls = (one[0] - other[1]).lower(), (one[1] - other[0]).upper()
        if not (rises > 0 or falls < 0):
            return arb(0), None
        end = self._box.low if rises > 0 else self._box.high
        difference = self._algebra.put_in(self._algebra.plus(*smooth, -1), end)
        return rises if rises > 0 else falls, self._algebra.sign(difference)

    def _smooth(self) -> tuple[Form, Form]:
        """Return the least that is added and the most that is taken away, without jumps.

        What a rounding is off by is 0 in the one, and all that it can be in the other.
        """
        return (
            self._algebra.mapped(self._added, lambda one, e: _end(one, e, Fraction(0))),
            self._algebra.mapped(self._taken, lambda one, e: _end(one, e, most_off(one))),
        )


def _end(one: Atom, exponent: Fraction, off: Fraction) -> Form:
    return number(off**exponent.numerator) if one.kind == "off by" else atom(one, exponent)
