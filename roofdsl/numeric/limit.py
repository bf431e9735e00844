"""What comparisons linear in a name say of it: limits, and the ends that several of them leave."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.construct import divide, negate, number, subtract
from roofdsl.expression.normal_form import number_form
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.tree import Expression, Relation

_PRECISION = 200  # bits
_TURNED: dict[Relation, Relation] = {
    "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=",
}  # fmt: skip


class Limit(NamedTuple):
    """`x relation value`, x being the name asked for."""

    relation: Relation
    value: Fraction


def limit_of(condition: Expression, name: str) -> Limit | None:
    """Return what a comparison linear in a name says of it; None where it is no such comparison.

    Of an irrational number the next one inside is taken that has so many bits, if no whole number
    lies between the two.

    >>> from roofdsl.expression.construct import add
    >>> n = trees.Symbol("N")
    >>> limit_of(trees.Comparison("<=", number(8), add(n, n)), "N")
    Limit(relation='>=', value=Fraction(4, 1))
    """
    if not isinstance(condition, trees.Comparison):
        return None
    form = polynomial(subtract(condition.left, condition.right), name)
    if form is None or not {*form.terms} <= {Degree(1, 0), Degree(0, 0)}:
        return None
    slope, constant = (form.terms.get(Degree(x, 0), number_form(0)) for x in (1, 0))
    if not slope.constant:
        return None
    relation = condition.relation if slope.constant > 0 else _TURNED[condition.relation]
    if constant.constant is not None:
        return Limit(relation, -Fraction(constant.constant) / slope.constant)
    from roofdsl.expression.bounds import bounds  # few conditions need it, and mpmath

    try:
        low, high = bounds(divide(negate(constant.tree()), number(slope.constant)), _PRECISION)
    except (ArithmeticError, ValueError):
        return None
    if relation in ("==", "!=") or floor(low) != floor(high):
        return None
    return Limit(relation, low if relation in ("<", "<=") else high)


def lowest(limits: Sequence[Limit], *, whole: bool) -> Fraction | None:
    """Return the least value that all limits admit, or what they admit values above.

    None where there is none; `whole`: of whole numbers, exactly.
    """
    ends = [limit.value for limit in limits if limit.relation in (">", ">=", "==")]
    low = max(ends, default=None)
    if low is None or not whole:
        return low
    return Fraction(floor(low) + 1 if Limit(">", low) in limits else ceil(low))


def highest(limits: Sequence[Limit], *, whole: bool) -> Fraction | None:
    """Return the largest value that all limits admit, or what they admit values below.

    None where there is none; `whole`: of whole numbers, exactly.

    >>> highest([Limit("<", Fraction(9)), Limit("<=", Fraction(19, 2))], whole=True)
    Fraction(8, 1)
    """
    ends = [limit.value for limit in limits if limit.relation in ("<", "<=", "==")]
    high = min(ends, default=None)
    if high is None or not whole:
        return high
    return Fraction(ceil(high) - 1 if Limit("<", high) in limits else floor(high))
