"""The first real number at which conditions hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor
from typing import NamedTuple

from roofdsl.expression import tree as trees
from roofdsl.expression.condition import compare
from roofdsl.expression.construct import divide, number, subtract
from roofdsl.expression.normal_form import number_form
from roofdsl.expression.polynomial import Degree, polynomial
from roofdsl.expression.substitute import substitute
from roofdsl.expression.tree import Expression
from roofdsl.numeric.budget import Budget
from roofdsl.numeric.cases import cases_of
from roofdsl.numeric.holding import ORDERS, Found, Holding
from roofdsl.numeric.sign_runs import sign_runs

# Where an end is not allowed itself, a number so far inside, relatively, is tried.
_INSIDE = 1e-6


class _Stretch(NamedTuple):
    """Numbers at which all comparisons hold, or, where it is not `certain`, may hold."""

    first: float
    last: float
    certain: bool


def first_real(
    conditions: Iterable[Expression],
    name: str,
    ends: tuple[float, float],
    allows: Callable[[float], bool],
    budget: Budget,
) -> Found[float]:
    """Return the first number between two ends, above 0, that is allowed.

    The conditions hold for whatever `allows` admits. Where what is allowed begins without its end,
    the number lies a little inside, and is not said to be the first.

    >>> x = trees.Symbol("x")
    >>> square = trees.Comparison(">=", trees.Power(x, trees.Number(2)), trees.Number(4))
    >>> found = first_real([square], "x", (1.0, 9.0), lambda x: x * x >= 4, Budget())
    >>> abs(found.value - 2) < 1e-12
    True
    """
    conditions = list(conditions)
    for condition in conditions:
        grid = _grid(condition, name)
        if grid is not None:
            return _on_grid(conditions, name, ends, grid, allows, budget)
    stretches: list[_Stretch] = []
    for row in product(*map(cases_of, conditions)):
        parts = [part for case in row for part in case]
        stretches += _in_case(parts, name, ends, budget)
    doubtful = False
    for stretch in sorted(stretches):
        if allows(stretch.first):
            return Found(stretch.first, not doubtful)
        inside = min(stretch.first * (1 + _INSIDE), stretch.last)
        if allows(inside):
            return Found(inside, False)
        doubtful = True
    return Found(None, not doubtful)


class _Grid(NamedTuple):
    """The numbers x with slope·x + constant whole, slope > 0."""

    slope: Fraction
    constant: Fraction


def _grid(condition: Expression, name: str) -> _Grid | None:
    """Return the grid that a condition asks for, `x/2 is integer`, if it is such a one."""
    if not (isinstance(condition, trees.Function) and condition.name == "is_integer"):
        return None
    form = polynomial(condition.arguments[0], name)
    if form is None or not {*form.terms} <= {(1, 0), (0, 0)}:
        return None
    numbers = [form.terms.get(Degree(x, 0), number_form(0)).constant for x in (1, 0)]
    known = [Fraction(each) for each in numbers if each is not None]
    return _Grid(*known) if len(known) == len(numbers) and known[0] > 0 else None


def _on_grid(
    conditions: Sequence[Expression],
    name: str,
    ends: tuple[float, float],
    grid: _Grid,
    allows: Callable[[float], bool],
    budget: Budget,
) -> Found[float]:
    """Return the first number of a grid that is allowed, by its place k = slope·x + constant."""
    slope, constant = grid
    low, high = (slope * Fraction(end) + constant for end in ends)
    place = trees.Symbol(name, integer=True)
    put_in = {name: divide(subtract(place, number(constant)), number(slope))}
    places = [substitute(condition, put_in) for condition in conditions]

    def at(k: int) -> float:
        return float((k - constant) / slope)

    first, last = max(1, ceil(low)), floor(high)
    found = Holding(places, name, first, max(first, last)).first(
        first, last, budget, lambda k: allows(at(k))
    )
    # Places below 1 are not looked at; and where none is allowed, a number may be no float.
    proven = found.proven and low > 0
    if found.value is None:
        return Found(None, proven and slope.numerator == 1)
    return Found(at(found.value), proven)


def _in_case(
    parts: Sequence[Expression], name: str, ends: tuple[float, float], budget: Budget
) -> list[_Stretch]:
    found = [_Stretch(*ends, True)]
    for part in parts:
        if isinstance(part, trees.Comparison):
            here = _where(part, name, ends, budget)
            found = [
                _Stretch(max(one.first, other.first), min(one.last, other.last), certain)
                for one in found
                for other in here
                if max(one.first, other.first) <= min(one.last, other.last)
                for certain in [one.certain and other.certain]
            ]
        else:
            found = [stretch._replace(certain=False) for stretch in found]
    return found


def _where(
    part: trees.Comparison, name: str, ends: tuple[float, float], budget: Budget
) -> list[_Stretch]:
    compared = sign_runs(
        part.left, part.right, name, *ends, integer=False, budget=budget.share(1 / 2)
    )
    found: list[_Stretch] = []
    holding: list[bool] = []
    for run in compared.runs:
        order = ORDERS.get(run.state)
        holding.append(order is None or compare(part.relation, order, 0))
        if holding[-1]:
            found.append(_Stretch(float(run.first), float(run.last), order is not None))
    if compare(part.relation, 0, 0):
        # Between two runs the sides are equal at a number that may be no float.
        for change, around in zip(compared.changes, pairwise(holding), strict=True):
            if not any(around):
                found.append(_Stretch(change.low, change.high, False))
    return found
