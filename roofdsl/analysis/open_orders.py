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
from roofdsl.analysis.crossover import check_dependence, check_names
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.open_pair import direction, is_squared_sum
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.roots import known_of
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.construct import add, subtract
from roofdsl.expression.normal_form import NormalForm, product_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import bottom_up
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.product import is_positive
from roofdsl.expression.sign import common_sign
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import ONE, ZERO, Comparison, Expression, Function, Number

OrderKind: TypeAlias = Literal["longer", "turns", "equal", "undecided"]


@dataclass(frozen=True, slots=True)
class PairOrder:
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
    """How each two of the times lie, for all values of the unknown and of the others."""

    unknown: Unknown
    others: tuple[Unknown, ...]
    pairs: tuple[PairOrder, ...]

    @property
    def complete(self) -> bool:
        """Whether the order of each pair is known."""
        return all(pair.kind != "undecided" for pair in self.pairs)


@dataclass(frozen=True, slots=True)
class _Sign:
    sign: int | None
    above: frozenset[str] = frozenset()


def find_open_orders(
    prediction: Prediction,
    unknown: Unknown,
    others: Sequence[Unknown],
    between: Sequence[str] = (),
) -> OpenOrders:
    """Return how each two times lie as the unknown grows, whatever the other open numbers are.

    `between` compares some of the resources alone. Raises RoofError where one is not the
    prediction's (R0703), or nothing depends on the unknown (R0704).
    """
    names = tuple(each.name for each in others)
    check_dependence(prediction.rivals.values(), unknown, prediction, names)
    check_names(between, prediction)
    known = {k: v for k, v in known_of(prediction, unknown).items() if k not in names}
    rates = {k: v for k, v in prediction.rates.items() if k not in names}
    times = {name: prediction.rivals[name] for name in between or prediction.rivals}
    numbers = unknown.put_in(rates, times)
    symbols = prediction.opened().rivals
    lows = {each.name: _least(prediction, each) for each in others}
    pairs = []
    for one, two in combinations(times, 2):
        order = _order((one, two), (numbers[one], numbers[two]), unknown.name, lows)
        root = None
        if order.kind == "turns":
            root = _root((symbols[one], symbols[two]), unknown.name, known)
        pairs.append(replace(order, closed_form=root))
    return OpenOrders(unknown, tuple(others), tuple(pairs))


def _least(prediction: Prediction, other: Unknown) -> Fraction:
    low = open_domain(prediction, other).limits.low
    return Fraction(1 if other.integer else 0) if low is None else max(low, Fraction(0))


def _order(
    names: tuple[str, str],
    times: tuple[Expression, Expression],
    name: str,
    lows: Mapping[str, Fraction],
) -> PairOrder:
    """Return the order of two times, its root left out."""
    undecided = PairOrder(names, "undecided")
    difference = polynomial(subtract(*times), name)
    if difference is None:
        return undecided
    common, difference = difference.stripped()
    signs = {degree: _sign(form, lows) for degree, form in difference.terms.items()}
    unsure = [degree for degree, each in signs.items() if each.sign is None]
    known = {degree: each.sign for degree, each in signs.items() if each.sign is not None}
    above = frozenset(name for each in signs.values() for name in each.above)
    limits = [(each, lows[each]) for each in lows if each in above]
    if common.log or any(degree.log for degree in signs):
        # The signs tell of x > 1 alone, where log2 x > 0.
        limits.append((name, Fraction(1)))
    if not signs:
        return PairOrder(names, "equal")
    if not unsure:
        way = direction(known)
        if way == 0:
            longer = names if 1 in known.values() else names[::-1]
            return PairOrder(longer, "longer", above=tuple(limits))
        return (
            undecided
            if way is None
            else PairOrder(_turning(names, way), "turns", above=tuple(limits))
        )
    if len(signs) == 1:
        (alone,) = difference.terms.values()
        return PairOrder(names, "longer", None, _is_above(alone, 1), tuple(limits))
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
            return PairOrder(_turning(names, beyond), "turns", None, condition, tuple(limits))
    return undecided


def _is_above(form: NormalForm, sign: int) -> Comparison:
    """Return the condition that a coefficient, or what is opposite to it, is above 0."""
    oriented = form if sign == 1 else -form
    certain = oriented.common_factor(certain=True).inverse()
    return Comparison(">", (oriented * product_form(certain)).tree(), ZERO)


def _turning(names: tuple[str, str], way: int) -> tuple[str, str]:
    """Return what takes longer before a change and beyond it, by the sign of the difference."""
    return (names[1], names[0]) if way == 1 else names


def _root(
    times: tuple[Expression, Expression], name: str, known: Mapping[str, Expression]
) -> Expression | None:
    """Return the closed form of the place where two times are equal, if a single one is above 1."""
    roots = [root for root in closed_form(*times, name).roots if root != ONE]
    if len(roots) != 1:
        return None
    nodes = bottom_up(substitute(roots[0], known))
    lambert = any(isinstance(node, Function) and node.name == "lambertw" for node in nodes)
    return None if lambert or any(is_squared_sum(node) for node in nodes) else roots[0]


def _sign(form: NormalForm, lows: Mapping[str, Fraction]) -> _Sign:
    """Return the sign of a coefficient for all values of what is open, where all have one.

    It may be 0 only where one of the names `above` has the least value that it may have.
    """
    if _is_strict(form):
        return _Sign(common_sign(form))
    tree = form.tree()
    names = {symbol.name: symbol for symbol in free_symbols(tree)}
    moved: dict[str, Expression] = {
        name: add(symbol, Number(lows[name])) for name, symbol in names.items() if lows.get(name)
    }
    shifted = normal_form(substitute(tree, moved))
    if shifted is None:
        return _Sign(None)
    # What is squared may be 0 elsewhere, too.
    squared = any(
        exponent.numerator % 2 == 0 and not is_positive(atom)
        for powers in shifted.terms
        for atom, exponent in powers
    )
    sign = None if squared else common_sign(shifted)
    return _Sign(sign, frozenset(moved if sign is not None else ()))


def _is_strict(form: NormalForm) -> bool:
    """Whether no factor of a form can be 0."""
    return all(is_positive(atom) for powers in form.terms for atom, _ in powers)
