"""Which of two times is the longer while several numbers are open: by the signs of coefficients.

Where a sign depends on what is open, and both signs lead to the same order far out, the condition
is told; where they do not, the order of the two stays undecided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Literal, TypeAlias

from roofdsl.algebra.closed_form import closed_form
from roofdsl.allowance import question
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.open_pair import direction, has_lambert, is_square
from roofdsl.analysis.open_regimes import open_rivals, read_compared
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.roots import Rivals
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import add, subtract
from roofdsl.expression.normal_form import NormalForm, product_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.polynomial import Degree, of_one_sign
from roofdsl.expression.product import is_positive
from roofdsl.expression.sign import common_sign
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Comparison, Expression, Number
from roofdsl.source import Source

OrderKind: TypeAlias = Literal["longer", "turns", "equal", "undecided"]


@dataclass(frozen=True, slots=True)
class OpenOrder:
    """How two times lie as the unknown grows, for all values of what is open.

    `longer`: the first takes longer everywhere. `turns`: the first takes longer up to one place at
    most, the second beyond; `closed_form` is that place, None where there is no formula. Where a
    `condition` does not hold, the second takes at least as long everywhere. All of this is for open
    numbers, and an unknown, `above` what is told: at the least value of an open number, two times
    that differ elsewhere may be equal.
    """

    names: tuple[str, str]
    kind: OrderKind
    closed_form: Expression | None = None
    condition: Expression | None = None
    above: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class OpenOrders:
    """How each two of some times lie, for all values of the unknown and of the others.

    `times` are what is compared, by name, with all names left in.
    """

    unknown: Unknown
    others: tuple[Unknown, ...]
    times: dict[str, Expression]
    pairs: tuple[OpenOrder, ...]

    @property
    def complete(self) -> bool:
        """Whether the order of each pair is known."""
        return all(pair.kind != "undecided" for pair in self.pairs)


@question
def find_open_orders(
    prediction: Prediction,
    unknown: Unknown,
    others: Sequence[Unknown],
    asked: Sequence[Source] = (),
) -> OpenOrders:
    """Return how each two times lie as the unknown grows, whatever the other open numbers are.

    `asked`: resources or quantities to be compared instead. Raises RoofError as `read_compared`
    does, and where nothing depends on the unknown (R0704).
    """
    rivals = open_rivals(prediction, unknown, others, read_compared(asked, prediction))
    lows = {each.name: _least(prediction, each) for each in others}
    pairs = []
    for names in combinations(rivals.numbers, 2):
        order = _order(names, rivals, lows)
        root = _root(names, rivals) if order.kind == "turns" else None
        pairs.append(replace(order, closed_form=root))
    return OpenOrders(unknown, tuple(others), rivals.symbols, tuple(pairs))


def _least(prediction: Prediction, other: Unknown) -> Fraction:
    low = open_domain(prediction, other).limits.low
    return Fraction(1 if other.integer else 0) if low is None else max(low, Fraction(0))


def _order(names: tuple[str, str], rivals: Rivals, lows: Mapping[str, Fraction]) -> OpenOrder:
    """Return the order of two times, its root left out."""
    undecided, name = OpenOrder(names, "undecided"), rivals.unknown.name
    difference = of_one_sign(subtract(*(rivals.numbers[each] for each in names)), name)
    if difference is None:
        return undecided
    common, difference = difference.stripped()
    found = {degree: _sign(form, lows) for degree, form in difference.terms.items()}
    if not found:
        return OpenOrder(names, "equal")
    unsure = [degree for degree, (sign, _) in found.items() if sign is None]
    known = {degree: sign for degree, (sign, _) in found.items() if sign is not None}
    above = {each for _, own in found.values() for each in own}
    limits = [(each, lows[each]) for each in lows if each in above]
    if common.log or any(degree.log for degree in found):
        # The signs tell of x > 1 alone, where log2 x > 0.
        limits.append((name, Fraction(1)))
    told = OpenOrder(names, "longer", above=tuple(limits))
    if not unsure:
        way = direction(known)
        if way is None:
            return undecided
        if way == 0:
            return told if 1 in known.values() else replace(told, names=names[::-1])
        return replace(told, kind="turns", names=_turning(names, way))
    if len(found) == 1:
        (alone,) = difference.terms.values()
        return replace(told, condition=_is_above(alone, 1))
    if len(unsure) > 1:
        return undecided
    # The sign of one coefficient is not known. With the one sign there is at most one change; with
    # the other, or where it is 0, there is none, and the order is that beyond the change.
    (degree,) = unsure
    for sign in (1, -1):
        beyond = direction({**known, degree: sign})
        if {*known.values()} == {-sign} and beyond == -sign:
            # Of the first degree, the root is below 0 where none is above.
            plain = degree == Degree(0, 0) and [*known] == [Degree(1, 0)]
            condition = None if plain else _is_above(difference.terms[degree], sign)
            return replace(told, kind="turns", names=_turning(names, beyond), condition=condition)
    return undecided


def _is_above(form: NormalForm, sign: int) -> Comparison:
    """Return the condition that a coefficient, or what is opposite to it, is above 0."""
    oriented = form if sign == 1 else -form
    certain = oriented.common_factor(certain=True).inverse()
    return Comparison(">", (oriented * product_form(certain)).tree(), ZERO)


def _turning(names: tuple[str, str], way: int) -> tuple[str, str]:
    """Return what takes longer before a change and beyond it, by the sign of the difference."""
    return (names[1], names[0]) if way == 1 else names


def _root(names: tuple[str, str], rivals: Rivals) -> Expression | None:
    """Return the closed form of the place where two times are equal, if a single one is above 1."""
    name = rivals.unknown.name
    for trees, known in ((rivals.symbols, rivals.known), (rivals.numbers, {})):
        roots = closed_form(trees[names[0]], trees[names[1]], name).roots
        single = [root for root in roots if root != ONE]
        if len(single) == 1:
            numbers = substitute(single[0], known)
            # What follows from the unknown by default is no formula for it.
            own = any(symbol.name == name for symbol in free_symbols(numbers))
            if not own and not has_lambert(numbers) and not any(map(is_square, bottom_up(numbers))):
                return single[0]
    return None


def _sign(form: NormalForm, lows: Mapping[str, Fraction]) -> tuple[int | None, frozenset[str]]:
    """Return the sign of a coefficient for all values of what is open, where all have one.

    It may be 0 only where one of the names that come with it has the least value that it may have.
    """
    # If no factor can be 0, the sign is strict.
    if all(is_positive(atom) for powers in form.terms for atom, _ in powers):
        return common_sign(form), frozenset()
    moved: dict[str, Expression] = {
        symbol.name: add(symbol, Number(lows[symbol.name]))
        for symbol in free_symbols(form.tree())
        if lows.get(symbol.name)
    }
    shifted = normal_form(substitute(form.tree(), moved))
    # What is squared may be 0 elsewhere, too.
    if shifted is None or any(
        exponent.numerator % 2 == 0 and not is_positive(atom)
        for powers in shifted.terms
        for atom, exponent in powers
    ):
        return None, frozenset()
    sign = common_sign(shifted)
    return sign, frozenset(moved if sign is not None else ())
