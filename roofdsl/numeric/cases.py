"""Conditions taken apart: into cases of which one must hold, each of parts that must all hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, product
from math import prod
from typing import TypeAlias

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import OPPOSITE, decided, truth
from roofdsl.expression.construct import add, number, subtract
from roofdsl.expression.normal_form import number_form, symbol_form
from roofdsl.expression.normalise import normal_form
from roofdsl.expression.order import weight
from roofdsl.expression.product import powers_of
from roofdsl.expression.tree import Expression

_MOST_CASES = 32
_MOST_PARTS = 2000  # as written out


_Cases: TypeAlias = list[list[Expression]]


def cases_of(conditions: Iterable[Expression]) -> _Cases:
    """Return the cases of conditions: all of these hold exactly where all parts of one case do.

    Parts are comparisons, `is_integer`, the opposite of that, and what cannot be taken apart.

    >>> n = trees.Symbol("N", integer=True)
    >>> few = trees.Comparison("<", n, number(9))
    >>> whole = trees.Function("is_integer", (n,))
    >>> [len(cases_of([trees.Logic(operator, (few, whole))])) for operator in ("or", "and")]
    [2, 1]
    """
    short = ((each, weight(each, _MOST_PARTS) < _MOST_PARTS) for each in conditions)
    return _together([(each, _cases(each, True) if taken else [[each]]) for each, taken in short])


def _together(each: Sequence[tuple[Expression, _Cases]]) -> _Cases:
    """Return the cases of conditions that must all hold; if too many, some are not taken apart."""
    if prod(len(cases) for _, cases in each) > _MOST_CASES:
        each = [(whole, cases if len(cases) < 2 else [[whole]]) for whole, cases in each]
    return [[*chain(*row)] for row in product(*(cases for _, cases in each))]


def _cases(condition: Expression, wanted: bool) -> _Cases:
    known = decided(condition)
    if known is not None:
        return [[]] if known is wanted else []
    match condition:
        case trees.Logic("not", (operand,)):
            return _cases(operand, not wanted)
        case trees.Logic(operator, operands):
            inner = [(_as_wanted(each, wanted), _cases(each, wanted)) for each in operands]
            if (operator == "or") is not wanted:
                return _together(inner)
            found = [case for _, cases in inner for case in cases]
            if len(found) <= _MOST_CASES:
                return found
        case trees.Comparison(relation, left, right):
            kept = trees.Comparison(relation if wanted else OPPOSITE[relation], left, right)
            whole = _whole_quotient(left, right) if kept.relation == "==" else None
            return [[kept]] if whole is None else _cases(whole, True)
    return [[_as_wanted(condition, wanted)]]


def _as_wanted(condition: Expression, wanted: bool) -> Expression:
    return condition if wanted else trees.Logic("not", (condition,))


def _whole_quotient(left: Expression, right: Expression) -> Expression | None:
    """Return the condition `u - p is integer` that `a·floor u + f == 0` amounts to, if it does.

    That is so where f + a·u is one number k: with the fraction t = u - floor u, 0 ≤ t < 1, the sum
    is k - a·t, and 0 exactly where t = k/a. With `ceil` it is k + a·t for t = ceil u - u.
    """
    form = normal_form(subtract(left, right))
    atoms = [] if form is None else [*{a for powers in form.terms for a, _ in powers if _jumps(a)}]
    if form is None or len(atoms) != 1:
        return None
    (atom,) = atoms
    assert isinstance(atom, trees.Function)
    factor, inside = form.terms.get(powers_of((atom, 1))), normal_form(atom.arguments[0])
    if factor is None or inside is None:
        return None
    rest = form + number_form(factor) * (inside - symbol_form(atom))
    if any(_jumps(each) for powers in rest.terms for each, _ in powers) or rest.constant is None:
        return None
    part = Fraction(rest.constant) / factor * (1 if atom.name == "floor" else -1)
    if not 0 <= part < 1:
        return truth(False)
    shift = number(-part if atom.name == "floor" else part)
    return trees.Function("is_integer", (add(atom.arguments[0], shift),))


def _jumps(atom: Expression) -> bool:
    return isinstance(atom, trees.Function) and atom.name in ("floor", "ceil")
