"""What floats cannot tell around one point of a real unknown: settled by counting roots, or left.

Near a place where two formulas are equal their enclosures overlap, and of a place where they only
touch no sign tells. What is left open there is dropped only where it is proven to hold nothing
but what is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import inf, nextafter

from roofdsl.allowance import Budget
from roofdsl.expression.construct import divide, multiply, negate, number, power
from roofdsl.expression.polynomial import GeneralisedPolynomial
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.certify import constant_sign
from roofdsl.numeric.interval import around
from roofdsl.numeric.pair import Pair, coefficient_bounds
from roofdsl.numeric.place import Place
from roofdsl.numeric.run import SignRun, append

# Of a real unknown, what is narrower than this, relatively, is hardly more than a point.
_SLIVER = 1e-13
_PRECISION = 160  # bits


def without_slivers(items: list[SignRun], pair: Pair, budget: Budget) -> list[SignRun]:
    """Settle what is left open around one point of a real unknown, or leave it in one piece.

    A box `equal` that is no wider than a sliver holds one place where the two are equal.
    """
    found: list[SignRun] = []
    start = 0
    for narrow, group in groupby(items, lambda item: is_narrow(item.first, item.last)):
        row = list(group)
        before, after = items[:start], items[start + len(row) :]
        start += len(row)
        if narrow and any(each.state == "undecided" for each in row):
            settled = _settled(before, row, after, pair, budget) if before and after else None
            row = _left_open(row) if settled is None else settled
        for run in row:
            append(found, run)
    return found


def is_narrow(low: Place, high: Place) -> bool:
    """Whether two real places are hardly more than a point apart.

    >>> is_narrow(1.4142135623730949, 1.4142135623730951), is_narrow(1.4142, 1.4143)
    (True, False)
    """
    return high - low <= _SLIVER * abs(high)


def _left_open(row: Sequence[SignRun]) -> list[SignRun]:
    """Return a row as what is proven equal, and between it and around it one undecided box."""
    result: list[SignRun] = []
    for tie, group in groupby(row, lambda each: each.state == "equal"):
        boxes = list(group)
        result += boxes if tie else [SignRun(boxes[0].first, boxes[-1].last, "undecided")]
    return result


def _settled(
    before: Sequence[SignRun],
    row: Sequence[SignRun],
    after: Sequence[SignRun],
    pair: Pair,
    budget: Budget,
) -> list[SignRun] | None:
    """Return what a row of slivers holds, None where that is not proven."""
    left, right = before[-1], after[0]
    if {left.state, right.state} - {"above", "below"}:
        return None
    most = _most_roots(pair)
    if most is None:
        return None
    # Roots with their multiplicities: the row has no more than all there are less those elsewhere.
    # Where the order is the same on both sides the row has an even number of them, else an odd one.
    # So if it has not room for two more than those seen, these are all.
    changes = left.state != right.state
    ties = [each for each in row if each.state == "equal"]
    seen = _least_roots([left, *ties, right])
    if _least_roots([left, *row, right]) > seen:
        return None
    if most - _least_roots(before) - _least_roots(after) < seen + 2:
        if ties or changes:
            return ties  # with one change, and no place of it, what is left out encloses the root
        return [SignRun(left.last, right.first, left.state)]
    if changes or ties or most > 2:
        return None
    return _touching(pair, left, right, budget)


def _most_roots(pair: Pair) -> int | None:
    """Return a number of roots x > 0 of left - right that there are at most, None if not known.

    By Descartes' rule: a sum of real powers of x has, with multiplicities, at most as many roots as
    its coefficients, sorted by exponent, change their sign.
    """
    signs = [] if pair.powers is None else _signs(pair.powers)
    return sum(one != other for one, other in pairwise(signs)) if signs else None


def _signs(powers: GeneralisedPolynomial) -> list[int]:
    """Return the signs of the coefficients by rising exponent; none where logarithms are in it."""
    signs: list[int] = []
    for degree in sorted(powers.terms):
        bounds = coefficient_bounds(powers.terms[degree])
        if degree.log or bounds is None or bounds[0] <= 0 <= bounds[1]:
            return []
        signs.append(1 if bounds[0] > 0 else -1)
    return signs


def _least_roots(items: Sequence[SignRun]) -> int:
    """Return how many roots, with their multiplicities, boxes from left to right have at least."""
    # Both sides are continuous, so where the order changes there is a root; where it is the same on
    # both sides of roots, their number is even.
    count = ties = 0
    sign = None
    for item in items:
        if item.state == "equal":
            ties += 1
        elif item.state in ("above", "below"):
            if sign is not None:
                changes = sign != item.state
                least = max(ties, int(changes))
                count += least + (least - changes) % 2
            sign, ties = item.state, 0
    return count + ties


def _touching(pair: Pair, left: SignRun, right: SignRun, budget: Budget) -> list[SignRun] | None:
    """Decide if a sum of three powers with two changes of sign touches 0 between two boxes."""
    # c₀ + c₁·x^a + c₂·x^b has one extremum, where c₁·a + c₂·b·x^(b - a) = 0. Its sign there is
    # exact, and 0 is one double root; with the sign it has elsewhere, there is none.
    place = _extremum(pair.powers) if pair.powers is not None else None
    if place is None or pair.powers is None:
        return None
    from roofdsl.expression.bounds import bounds  # mpmath takes its time to import

    value = substitute(pair.powers.tree(), {pair.name: place})
    order = constant_sign(value, budget)
    if order == (1 if left.state == "above" else -1):
        return [SignRun(left.last, right.first, left.state)]
    if order != 0:
        return None
    low, high = bounds(place, _PRECISION)
    bottom, top = around(low)[0], around(high)[1]
    if not left.last < bottom <= top < right.first:
        return None
    start = SignRun(left.last, nextafter(bottom, -inf), left.state)
    end = SignRun(nextafter(top, inf), right.first, right.state)
    return [start, SignRun(bottom, top, "equal"), end]


def _extremum(powers: GeneralisedPolynomial) -> Expression | None:
    """Return where a sum of three powers x^0, x^a, x^b has its extremum, None if it is another."""
    degrees = sorted(powers.terms)
    if len(degrees) != 3 or degrees[0].x:
        return None
    (_, a, b) = (Fraction(degree.x) for degree in degrees)
    inner, outer = (powers.terms[degree].tree() for degree in degrees[1:])
    ratio = divide(negate(multiply(number(a), inner)), multiply(number(b), outer))
    return power(ratio, number(1 / (b - a)))
