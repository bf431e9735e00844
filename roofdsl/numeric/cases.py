"""Conditions taken apart: into cases of which one must hold, each of parts that must all hold."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import decided, truth
from roofdsl.expression.construct import add, divide, negate, number, subtract
from roofdsl.expression.normal_form import number_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import weight
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.product import powers_of
from roofdsl.expression.tree import Expression, Relation

_MOST_CASES = 32
_MOST_PARTS = 2000  # as written out
_PRECISION = 200  # bits
_OPPOSITE: dict[Relation, Relation] = {
    "==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
}  # fmt: skip
_TURNED: dict[Relation, Relation] = {
    "==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=",
}  # fmt: skip


def cases_of(condition: Expression) -> list[list[Expression]]:
    """Return the cases of a condition: it holds exactly where all parts of one of them do.

    Parts are comparisons, `is_integer`, the opposite of that, and what cannot be taken apart.

    >>> n = trees.Symbol("N", integer=True)
    >>> few = trees.Comparison("<", n, number(9))
    >>> whole = trees.Function("is_integer", (n,))
    >>> [len(cases_of(trees.Logic(operator, (few, whole)))) for operator in ("or", "and")]
    [2, 1]
    """
    if weight(condition, _MOST_PARTS) == _MOST_PARTS:
        return [[condition]]
    return _cases(condition, True)


def _cases(condition: Expression, wanted: bool) -> list[list[Expression]]:
    known = decided(condition)
    if known is not None:
        return [[]] if known is wanted else []
    match condition:
        case trees.Logic("not", (operand,)):
            return _cases(operand, not wanted)
        case trees.Logic(operator, operands):
            inner = [_cases(each, wanted) for each in operands]
            if (operator == "or") is wanted:
                found = [case for each in inner for case in each]
            else:
                count = 1
                for each in inner:
                    count *= len(each)
                found = []
                if count <= _MOST_CASES:
                    found = [[part for case in row for part in case] for row in product(*inner)]
                elif count:
                    return [[_as_wanted(condition, wanted)]]
            return found if len(found) <= _MOST_CASES else [[_as_wanted(condition, wanted)]]
        case trees.Comparison(relation, left, right):
            kept = trees.Comparison(relation if wanted else _OPPOSITE[relation], left, right)
            return _cases(_whole_quotient(kept), True) if _rounds(kept) else [[kept]]
    return [[_as_wanted(condition, wanted)]]


def _as_wanted(condition: Expression, wanted: bool) -> Expression:
    return condition if wanted else trees.Logic("not", (condition,))


def _rounds(comparison: trees.Comparison) -> bool:
    """Whether it is such as `N - 8*floor(N/8) == 3`, and not taken apart yet."""
    return comparison.relation == "==" and _whole_quotient(comparison) != comparison


def _whole_quotient(comparison: trees.Comparison) -> Expression:
    """Return the condition `u - p is integer` that `a·floor u + f == 0` amounts to, if it does.

    That is so where f + a·u is one number k: with the fraction t = u - floor u, 0 ≤ t < 1, the sum
    is k - a·t, and 0 exactly where t = k/a. With `ceil` it is k + a·t for t = ceil u - u.
    """
    form = normal_form(subtract(comparison.left, comparison.right))
    atoms = [] if form is None else [*{a for powers in form.terms for a, _ in powers if _jumps(a)}]
    if form is None or len(atoms) != 1:
        return comparison
    (atom,) = atoms
    assert isinstance(atom, trees.Function)
    factor, inside = form.terms.get(powers_of((atom, 1))), normal_form(atom.arguments[0])
    if factor is None or inside is None:
        return comparison
    rest = form + number_form(factor) * (inside - symbol_form(atom))
    if any(_jumps(each) for powers in rest.terms for each, _ in powers) or rest.constant is None:
        return comparison
    part = Fraction(rest.constant) / factor * (1 if atom.name == "floor" else -1)
    if not 0 <= part < 1:
        return truth(False)
    shift = number(-part if atom.name == "floor" else part)
    return trees.Function("is_integer", (add(atom.arguments[0], shift),))


def _jumps(atom: Expression) -> bool:
    return isinstance(atom, trees.Function) and atom.name in ("floor", "ceil")


class Limit(NamedTuple):
    """`x relation value`, x being the name asked for."""

    relation: Relation
    value: Fraction


def limit_of(condition: Expression, name: str) -> Limit | None:
    """Return what a comparison linear in a name says of it; None where it is no such comparison.

    Of an irrational number the next one inside is taken that has so many bits, if no whole number
    lies between the two.

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
