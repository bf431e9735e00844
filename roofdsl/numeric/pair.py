"""Two formulas to compare over intervals, brought to a form that makes it easy.

Equal terms cancel exactly, and what is subtracted goes to the other side: both sides are then sums
of positive terms, whose slopes can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

from roofdsl.allowance import Budget
from roofdsl.expression import tree as trees
from roofdsl.expression.construct import add, negate, subtract
from roofdsl.expression.normal_form import NormalForm, collected
from roofdsl.expression.normalise import cleared, normal_form
from roofdsl.expression.order import bottom_up, outside_sums
from roofdsl.expression.polynomial import GeneralisedPolynomial, grouped
from roofdsl.expression.product import NO_POWERS, Product, TooLong, is_positive
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import ZERO, Expression
from roofdsl.numeric.certify import ExactSign
from roofdsl.numeric.enclosure import Enclosure
from roofdsl.numeric.exponentials import scaled, tamed
from roofdsl.numeric.interval import around
from roofdsl.numeric.place import Place, outer
from roofdsl.numeric.power_sum import PowerSum, Term
from roofdsl.numeric.settle import has_choices, settled, without_jumps
from roofdsl.numeric.unrooted import unrooted

# Beyond this many terms the formulas are compared as they were written: taking them apart would
# cost more than the wider enclosures do.
MOST_TERMS = 40
# Two formulas are brought to the form of a pair in about the time of so many enclosures of them.
BUILDING = 20.0
# Exact values of their parts, at two places, take as long as so many.
_EXACT = 20.0


Enclosable: TypeAlias = PowerSum | Enclosure


class Pair:
    """Two formulas of one name.

    `sign`: -1, 0 or 1 where the order is the same everywhere; `may_jump`: whether there are jumps
    at all; `powers`: the difference as a sum of powers, but for a factor > 0, where it is one;
    `vanishes_at_1`: log2 x was divided out, so that at x = 1 the sides are not in order.
    `written`: the two as they were given. A budget is charged for what the pair takes to make.

    >>> from roofdsl.expression.construct import multiply, number
    >>> from roofdsl.expression.tree import Symbol
    >>> n = Symbol("N")
    >>> Pair(multiply(number(3), n), multiply(number(2), n), "N").sign
    1
    """

    def __init__(
        self,
        left: Expression,
        right: Expression,
        name: str,
        *,
        integer: bool = False,
        exact: ExactSign | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.written = left, right
        self.name = name
        self.integer = integer
        self.exact = exact or ExactSign(left, right, name)
        self.sign: int | None = None
        self.vanishes_at_1 = False
        self.cost = 1.0
        self.left: Enclosable
        self.right: Enclosable
        self.may_jump = False
        self._has_choices = False
        self.powers: GeneralisedPolynomial | None = None
        self._take(left, right)
        if budget is not None:
            budget.spend(BUILDING * self.cost)

    def _take(self, left: Expression, right: Expression) -> None:
        """Bring two formulas to the form of a pair."""
        # The difference decides, and it may be brought to any form that equals it: what cancels in
        # it exactly cannot widen the enclosures of the two sides.
        left, right = tamed(left, self.name), tamed(right, self.name)
        form = normal_form(subtract(left, right), self.name)
        if form is not None:
            form = unrooted(form, self.name) if len(form.terms) <= MOST_TERMS else None
        if form is not None and not form:
            self.sign = 0
        if form is None or not self._take_form(form):
            divided = scaled(form, self.name) if form else None
            if divided is not None:
                left, right = divided.positive, divided.negative
            elif form:
                left, right = sides_of(form, self.name)
            self._take_trees(left, right)

    def order_at(self, x: Place, budget: Budget) -> int | None:
        """Return the sign of the difference at a point, exactly; None: not decided."""
        if self.vanishes_at_1 and x == 1:
            return self.exact(Fraction(1), budget)
        if self.sign is not None:
            return self.sign
        budget.spend(self.cost)
        found = self.order_near(x)
        if found is None and not self.nowhere:
            found = self._exact_order(Fraction(x), budget)
        return found

    @cached_property
    def _exact_order(self) -> ExactSign:
        """The exact sign, of the sums of powers where these are the sides: they are shorter."""
        return self.exact if self.powers is None else ExactSign(self.powers.tree(), ZERO, self.name)

    def order_near(self, x: Place) -> int | None:
        """Return the sign at a point if floats can tell."""
        # The order of two enclosures that do not overlap is that of the values.
        low, high = outer(x, x)
        a, b = self.left.over(low, high), self.right.over(low, high)
        return 1 if a[0] > b[1] else -1 if a[1] < b[0] else None

    @cached_property
    def sides(self) -> tuple[Expression, Expression]:
        """Both sides as formulas; but for x = 1 where it `vanishes_at_1`."""
        if isinstance(self.left, Enclosure) and isinstance(self.right, Enclosure):
            return self.left.tree, self.right.tree
        terms: dict[bool, list[Expression]] = {True: [], False: []}
        if self.powers is not None:
            for degree, coefficient in self.powers.terms.items():
                bounds = coefficient_bounds(coefficient)
                positive = bounds is not None and bounds[0] > 0
                term = self.powers.term(degree)
                terms[positive].append(term if positive else negate(term))
        return add(*terms[True]), add(*terms[False])

    @property
    def jumps(self) -> float:
        """About how many jumps either side may have in the last interval; 0: certainly none."""
        return max(self.left.jumps, self.right.jumps)

    @property
    def nowhere(self) -> bool:
        """Whether a side is certain to be undefined all over the last interval."""
        return self.left.nowhere or self.right.nowhere

    def settled(self, budget: Budget) -> Pair | None:
        """Return the pair without the choices that the last interval decides; None: there is none.

        It is the same there, and only there.
        """
        if not self._has_choices:
            return None
        budget.spend(self.cost)
        return self._changed(settled, budget)

    def without_jumps(self, low: Fraction, high: Fraction, budget: Budget) -> Pair | None:
        """Return the pair without the jumps that exact values rule out in the last interval.

        None: there are none of them. `low` and `high` are the ends of that interval.
        """
        if not self.may_jump:
            return None
        budget.spend(_EXACT * self.cost)
        return self._changed(lambda side: without_jumps(side, low, high), budget)

    def _changed(self, change: Callable[[Enclosure], Expression], budget: Budget) -> Pair | None:
        if not (isinstance(self.left, Enclosure) and isinstance(self.right, Enclosure)):
            return None
        left, right = change(self.left), change(self.right)
        if left is self.left.tree and right is self.right.tree:
            return None
        return Pair(left, right, self.name, integer=self.integer, exact=self.exact, budget=budget)

    def _take_trees(self, left: Expression, right: Expression) -> None:
        first = Enclosure(left, self.name, integer=self.integer)
        second = Enclosure(right, self.name, integer=self.integer)
        self.left, self.right = first, second
        self.may_jump = _may_jump(left) or _may_jump(right)
        self.cost = (first.size + second.size) / 8
        self._has_choices = has_choices(left) or has_choices(right)

    def _take_form(self, form: NormalForm) -> bool:
        """Take sums of powers as the sides, if the difference is one; return whether it is."""
        try:
            found = grouped(cleared_form(form, self.name), self.name)
        except TooLong:
            return False
        return found is not None and self._take_powers(found)

    def _take_powers(self, found: GeneralisedPolynomial) -> bool:
        """Take sums of powers as the sides, if the signs of all coefficients are known."""
        # x^a·L^b divides both sides for the same order: x > 0, and L = log2 x > 0 but for x = 1,
        # since formulas with logarithms are only searched from 1 on.
        common, found = found.stripped()
        self.vanishes_at_1 = common.log != 0
        sides = _split(found)
        if sides is None:
            return False
        above, below = sides
        if not above or not below:
            self.sign = 1 if above else -1 if below else 0
        self.powers = found
        empty = [Term(0.0, 0.0, Fraction(0), Fraction(0))]
        self.left, self.right = PowerSum(above or empty), PowerSum(below or empty)
        return True


class OpenBox(NamedTuple):
    """All places from `first` to `last`, still to be decided, and the two formulas there."""

    first: Place
    last: Place
    pair: Pair


def cleared_form(form: NormalForm, name: str) -> NormalForm:
    """Multiply a form by the sums in its denominators, if these are positive."""
    # To multiply by what may be below 0 would turn the order round.
    return cleared(form, name) if all(map(is_positive, form.divisors())) else form


def _split(found: GeneralisedPolynomial) -> tuple[list[Term], list[Term]] | None:
    """Sort the terms by the signs of their coefficients, None if one cannot be told."""
    above: list[Term] = []
    below: list[Term] = []
    for degree, coefficient in found.terms.items():
        bounds = coefficient_bounds(coefficient)
        if bounds is None:
            return None
        low, high = bounds
        exponents = Fraction(degree.x), Fraction(degree.log)
        if low > 0:
            above.append(Term(low, high, *exponents))
        elif high < 0:
            below.append(Term(-high, -low, *exponents))
        else:
            return None
    return above, below


def coefficient_bounds(form: NormalForm) -> tuple[float, float] | None:
    """Return bounds of a coefficient, None where it is not a number."""
    value = form.constant
    if value is not None:
        return around(value)
    tree = form.tree()
    if free_symbols(tree):
        return None
    low, high, _, _ = Enclosure(tree, "").over(1.0, 1.0)
    return low, high


def sides_of(form: NormalForm, name: str) -> tuple[Expression, Expression]:
    """Return what is added and what is subtracted, without their common factor."""
    try:
        form = cleared_form(form, name)
        common = form.common_factor(certain=True)
        if common.coefficient < 0:
            common = common.times(Product(-1, NO_POWERS))
        common = common.inverse()
        terms = [term.times(common) for term in form.products()]
    except TooLong:
        terms = list(form.products())
    return total_of(terms, 1), total_of(terms, -1)


def total_of(terms: Iterable[Product], sign: int) -> Expression:
    """Return the sum of the terms that are added, or, of the other sign, taken away."""
    chosen = [
        Product(sign * coefficient, powers)
        for coefficient, powers in terms
        if (coefficient > 0) == (sign > 0)
    ]
    return collected(chosen).tree() if chosen else ZERO


def _may_jump(tree: Expression) -> bool:
    return any(
        isinstance(node, trees.Conditional | trees.Sum)
        or (isinstance(node, trees.Function) and node.name in ("ceil", "floor"))
        for node in bottom_up(tree, outside_sums)
    )
